/* front.h - a place where calls come in: a listener and the server behind it.
 *
 *     err = front_listen(&front, &place, why, sizeof(why));
 *     if (!err)
 *         err = front_http(front, &conf);
 *     ...
 *     wr_scope_go(scope, "node.front", serve, front);      front_serve
 *     front_retire(front, wr_after(WR_S(3)));
 *
 * A front is bound before anybody is served, so that what can go wrong has gone wrong.
 * When it retires it stops taking connections, and those it has are answered, each to the
 * end of its next call, until a deadline; the last second of that is for what has begun.
 * A front may take the listener of one that has stopped taking: who waits in line then is
 * served by the new one.
 */
#ifndef WR_NODE_FRONT_H
#define WR_NODE_FRONT_H

#include <weir/http.h>
#include <weir/oap.h>

#include "conf/node_keys.h"
#include <weir/admit.h>

#define FRONT_UIDS_MAX (1 + WR_NODE_UIDS_MAX)
#define FRONT_PORTS_TRIED 20        /* the one that was named and those above it */

struct front;

struct front_place {
    int fd;                         /* a socket that listens already; -1: there is none */
    const struct wr_addr *addr;     /* else listen there; NULL: where another one does */
    bool may_move;                  /* ... or on the next free port */
};

/* Errors: as wr_listen. */
wr_err front_listen(struct front **ret, const struct front_place *place);

/* The server behind it: one of these, once; conf.uids are copied, FRONT_UIDS_MAX at most.
 * Errors: NOMEM. */
wr_err front_http(struct front *front, const struct wr_http_conf *conf);
wr_err front_oap(struct front *front, const struct wr_oap_conf *conf);

/* Count its connections and its requests with those of others, by limits that are set there
 * (admit.h), which must outlive it.  When there is a server, and before it serves. */
void front_share(struct front *front, struct wr_admit *admit);

/* Where it listens; NULL while it does not. */
const struct wr_addr *front_addr(const struct front *front);

/* Take the listener of another, which takes no more. */
void front_inherit(struct front *front, struct front *from);

/* Close its listener, if it has one, when it takes no more. */
void front_shut(struct front *front);

/* Connections that are open. */
size_t front_connections(const struct front *front);

/* Other bounds: those of its kind. */
void front_tune(struct front *front, const struct wr_http_conf *http,
                const struct wr_oap_conf *oap);

/* Serve until it has retired, or until the caller's scope ends.  Errors: CANCELED, NOMEM,
 * IO (nothing more can be taken). */
wr_err front_serve(struct front *front);

/* Take no more connections, answer what they ask, and be over at the deadline.  Then wait
 * until it takes no more.  Errors: CANCELED. */
wr_err front_retire(struct front *front, wr_time deadline);

/* Whether it has retired, and nobody has a call of it: it may be closed. */
bool front_over(const struct front *front);

/* Refuse new calls, but for those of priority. */
void front_drain(struct front *front);

/* ... and wait until the others are answered.  Errors: TIMEOUT, CANCELED. */
wr_err front_finish(struct front *front, wr_time deadline);

/* Close it; nobody serves it, and nobody has a call of it.  NULL is allowed. */
void front_close(struct front *front);

#endif
