/* alive.h - whether what a reference points to is there.
 *
 *     err = alive_find(client, work->urls, work->url_count, &arena, &url, wr_after(WR_S(20)));
 *     if (!err) ...url is the address that answers
 *
 * An address is there if it answers with 2xx or 3xx, or wants to know who asks (401, 403).  It
 * is asked without its body, and once more in the usual way if it does not like that.  Lines
 * that were broken lose or change underscores, so an address with some is also tried with
 * hyphens in their place, and without them.
 *
 * All of it is bounded: ALIVE_URLS_MAX addresses, three spellings each, ALIVE_TIMEOUT for a
 * request, and the deadline for everything together.  What leads into our own network is
 * refused by the client, which is to follow redirects anywhere.
 */
#ifndef WR_SOURCE_ALIVE_H
#define WR_SOURCE_ALIVE_H

#include <weir/fetch.h>

#include "base/arena.h"

#define ALIVE_URLS_MAX 3
#define ALIVE_TIMEOUT WR_S(5)

/* *ret is the first address that answers, in the arena.
 * Errors: NOTFOUND (all have answered, and none is there); DENIED, IO, TIMEOUT, CANCELED (one
 * could not be asked, and none of the others is there); INVALID (there is no address of the
 * web among them); NOMEM. */
wr_err alive_find(struct wr_fetch_client *client, const char *const *urls, size_t count,
                  struct wr_arena *arena, const char **ret, wr_time deadline);

#endif
