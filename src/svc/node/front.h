/* front.h - a place where HTTP comes in: a listener and the server behind it.
 *
 * A node has a front for everybody and one for its control plane.  When an address
 * changes while the node runs, a new front is opened beside the old one, and the old
 * one drains: who is being answered there is answered.
 */
#ifndef WR_NODE_FRONT_H
#define WR_NODE_FRONT_H

#include <weir/http.h>
#include <weir/once.h>

struct front;

struct front_place {
    int fd;                         /* a socket that listens already; -1: there is none */
    const struct wr_addr *addr;     /* else listen there */
    bool may_move;                  /* ... or on the next free port */
};

/* Errors: as wr_listen, with why in `why`. */
wr_err front_open(struct front **ret, const struct front_place *place,
                  const struct wr_http_conf *conf, char *why, size_t size);

/* Where it listens. */
const struct wr_addr *front_addr(const struct front *front);

struct wr_http *front_http(const struct front *front);

/* Serve until the caller's scope ends. */
wr_err front_serve(struct front *front);

/* Close it; nobody serves it any more.  NULL is allowed. */
void front_close(struct front *front);

#endif
