/* fragment.h - pieces of pages, and how they are found by their words.
 *
 *     struct store_fragments found;
 *     err = store_fragment_search(store, &(struct store_fragment_query){
 *         .sentence = "is the moon far away", .task = task, .max = 10 }, &found, deadline);
 *     for (size_t i = 0; i < found.count; i++)
 *         ...store_fragment_at(&found, i).text
 *     store_fragments_free(&found);
 *
 * A fragment is written with its page (webpage.h) and never changes.  The index knows its text
 * and its heading (match.h says what is found).  Scores are higher for better ones, and mean
 * nothing but an order; ties go to the older one.
 */
#ifndef WR_STORE_FRAGMENT_H
#define WR_STORE_FRAGMENT_H

#include "store/store.h"
#include "store/verb.h"

#define STORE_FRAGMENT_LIST_MAX 200

struct store_fragment {
    const char *id, *page, *url, *domain, *title;
    const char *type, *heading, *text;
    double score;                   /* 0 when nothing was searched for */
};

struct store_fragments { size_t count; struct store_rows rows; };

struct store_fragment_query {
    const char *sentence;           /* required */
    const char *task;               /* in its pages alone; NULL: in all */
    const char *claim;              /* what may speak for or against it: not from a domain that
                                     * it has its origin in, and not what was judged already;
                                     * NULL: any */
    size_t max;                     /* 1..STORE_FRAGMENT_LIST_MAX */
};

/* The best first.  A sentence without a word finds nothing.  Where there is so much with one of
 * its words that a read takes too long, it is searched for by its longest few. */
wr_err store_fragment_search(struct store *store, const struct store_fragment_query *query,
                             struct store_fragments *ret, wr_time deadline);

/* One.  Errors: NOTFOUND. */
wr_err store_fragment_get(struct store *store, const char *id, struct store_fragments *ret,
                          wr_time deadline);

/* Those of a page, in their order there. */
wr_err store_fragment_list(struct store *store, const char *page, size_t max,
                           struct store_fragments *ret, wr_time deadline);

struct store_fragment store_fragment_at(const struct store_fragments *fragments, size_t i);
void store_fragments_free(struct store_fragments *fragments);

#endif
