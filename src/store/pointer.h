/* pointer.h - names and what they point to.
 *
 *     err = store_pointer_put(store, "site", "weir.example", json, STORE_POINTER_ANY, &version,
 *                          deadline);
 *     err = store_pointer_get(store, "site", "weir.example", &name, deadline);
 *     ...name.first.value, name.first.version
 *     store_pointers_free(&name);
 *
 * A name belongs to a space ("site", "asset", "pin") and points to a text.  Each change has
 * the next version, so that who changes what it has read can say which version that was, and
 * learns when another was faster.  A removed name that comes back begins anew.
 */
#ifndef WR_STORE_POINTER_H
#define WR_STORE_POINTER_H

#include "store/store.h"
#include "store/verb.h"

#define STORE_POINTER_MAX 512
#define STORE_POINTER_VALUE_MAX (256 << 10)
#define STORE_POINTER_LIST_MAX 1000

#define STORE_POINTER_ANY (-1)         /* whatever version there is, or none */
#define STORE_POINTER_NEW 0            /* there is none yet */

struct store_pointer {
    const char *name, *value;
    int64_t version;
    struct wr_wall updated_at;
};

struct store_pointers {
    struct store_pointer first;        /* of store_pointer_get */
    size_t count;
    struct store_rows rows;
};

/* Errors: NOTFOUND. */
wr_err store_pointer_get(struct store *store, const char *space, const char *name,
                         struct store_pointers *ret, wr_time deadline);

/* Up to `max` names of a space in their order, after this one (NULL: from the first); how many
 * it has in all. */
wr_err store_pointer_list(struct store *store, const char *space, const char *after, size_t max,
                          struct store_pointers *ret, wr_time deadline);
wr_err store_pointer_count(struct store *store, const char *space, uint64_t *ret,
                           wr_time deadline);
struct store_pointer store_pointer_at(const struct store_pointers *names, size_t i);
void store_pointers_free(struct store_pointers *names);

/* Let it point to this, if it has that version; *ret is the new one.
 * Errors: EXISTS (it has another version, or with STORE_POINTER_NEW any), INVALID (too
 * long). */
wr_err store_pointer_put(struct store *store, const char *space, const char *name,
                         const char *value, int64_t version, int64_t *ret, wr_time deadline);

/* Errors: NOTFOUND. */
wr_err store_pointer_remove(struct store *store, const char *space, const char *name,
                            wr_time deadline);

#endif
