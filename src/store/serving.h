/* serving.h - who served how much, hour by hour: what rewards are reckoned from.
 *
 *     struct store_serving row = { .hour = store_serving_hour(wr_wall()), .provider = id,
 *                                  .role = STORE_RECEIVED, .objects = 3, .bytes = 4711 };
 *     err = store_serving_add(store, reporter, batch, &row, 1, deadline);
 *     ...
 *     err = store_serving_list(store, &(struct store_serving_ask){ .from = hour, .max = 100,
 *                              .to = hour + 24 }, &list, deadline);
 *     for (size_t i = 0; i < list.count; i++)
 *         ...store_serving_at(&list, i)
 *     store_servings_free(&list);
 *
 * A row is what one node, the reporter, says of one provider in one hour: what it served, of
 * itself, or what it received, of another.  Adding adds to what is there.  A batch has a number
 * that is the reporter's own choice: the same number directly after itself adds nothing, so
 * that who does not know whether a batch was taken (IO) gives it again, with the same number.
 */
#ifndef WR_STORE_SERVING_H
#define WR_STORE_SERVING_H

#include <stdint.h>

#include "store/store.h"
#include "store/verb.h"

#define STORE_SERVING_ID_MAX 64         /* of a reporter, a provider: text */
#define STORE_SERVING_ADD_MAX 1024      /* rows of a batch */
#define STORE_SERVING_LIST_MAX 1000

enum store_serving_role { STORE_SERVED = 1, STORE_RECEIVED };

struct store_serving {
    int64_t hour;                       /* since 1970 */
    const char *reporter, *provider;
    enum store_serving_role role;
    uint64_t objects, bytes;            /* whole ones, and their bytes */
    uint64_t failed;                    /* tries that came to nothing */
};

struct store_servings { size_t count; struct store_rows rows; };

/* The hour of a moment. */
int64_t store_serving_hour(struct wr_wall moment);

/* Add them, all or none; their `reporter` does not count.  One provider may be there twice.
 * Errors: INVALID (an id that is empty or too long, or more rows than a batch has). */
wr_err store_serving_add(struct store *store, const char *reporter, int64_t batch,
                         const struct store_serving *rows, size_t count, wr_time deadline);

struct store_serving_ask {
    int64_t from, to;                   /* hours: from this one, before that one */
    const struct store_serving *after;  /* the last one of the page before; or NULL */
    size_t max;                         /* 1 to STORE_SERVING_LIST_MAX */
};

/* In the order of hour, reporter, provider, role. */
wr_err store_serving_list(struct store *store, const struct store_serving_ask *ask,
                          struct store_servings *ret, wr_time deadline);
struct store_serving store_serving_at(const struct store_servings *list, size_t i);
void store_servings_free(struct store_servings *list);

/* Forget hours before this one, up to `max` rows; how many it were. */
wr_err store_serving_forget(struct store *store, int64_t before, size_t max, uint64_t *ret,
                            wr_time deadline);

#endif
