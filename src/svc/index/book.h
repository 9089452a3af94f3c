/* book.h - what was served and received, gathered here and written down (store/serving.h).
 *
 *     err = book_new(&book, &(struct book_conf){ .store = store, .self = our_id });
 *     ...a task: book_run(book, drain)
 *     book_served(book, len);
 *     book_received(book, his_id, len);
 *     book_failed(book, his_id);
 *     ...
 *     book_free(book);
 *
 * Counting waits for nobody.  Counts are written every 10 s and when the task is told to
 * finish: a process that dies loses at most those of the last 10 s, or what could not be
 * written before it.  A batch that may have been taken is given again under its number, and
 * counts once.  1024 rows, one for each hour, provider and side, are gathered at a time; what
 * is beyond them while the store does not answer is lost, and counted
 * (index_serving_lost_total).
 *
 * Hours older than 400 days are forgotten.
 */
#ifndef WR_INDEX_BOOK_H
#define WR_INDEX_BOOK_H

#include <weir/err.h>
#include <weir/once.h>

#include "store/serving.h"

#define BOOK_EVERY WR_S(10)
#define BOOK_HOURS 9600                 /* 400 days */

struct book;

/* The store must outlive it; the id is copied. */
struct book_conf {
    struct store *store;
    const char *self;                   /* who we are: 64 hex digits */
};

/* Errors: NOMEM. */
wr_err book_new(struct book **ret, const struct book_conf *conf);
void book_free(struct book *book);      /* NULL is allowed */

/* An object went out whole, or did not come to its end. */
void book_served(struct book *book, size_t bytes);
void book_served_in_vain(struct book *book);

/* An object came in from him, whole and right; or he was asked for nothing. */
void book_received(struct book *book, const char *provider, size_t bytes);
void book_failed(struct book *book, const char *provider);

/* Write down what there is.  Errors: those of store_do; it is tried again then. */
wr_err book_write(struct book *book, wr_time deadline);

/* A child of the node (sup.h): writes now and then, and at the end. */
wr_err book_run(void *book, struct wr_once *drain);

#endif
