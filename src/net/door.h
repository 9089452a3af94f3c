/* door.h - where the connections of a server come in.
 *
 *     static struct wr_kind kind = WR_KIND("echo.conn");
 *
 *     static void serve(void *server, struct wr_stream *stream, struct wr_guest *guest)
 *     {
 *         ...until the connection ends; the door closes the stream
 *     }
 *
 *     err = door_init(&echo->door, &(struct door_conf){
 *         .name = "echo", .kind = &kind, .serve = serve, .server = echo });
 *     door_tune(&echo->door, 1024, WR_S(2));
 *     ...
 *     err = door_serve(&echo->door, listener);
 *     door_fini(&echo->door);
 *
 * A connection is taken, judged, and handed to a fiber of its own, which opens it on
 * whichever worker has time for it and shakes hands when there is TLS.  One too many, of
 * all or of its address, is reset, which costs next to nothing; rejected_total has the
 * reason.  Without a descriptor or memory for the next one the door waits a moment, and
 * those who come wait in the system's line.
 *
 * Several listeners may lead to one door, each with a fiber that serves it; they share
 * its limits.  Several doors may share theirs too (door_share).
 */
#ifndef WR_NET_DOOR_H
#define WR_NET_DOOR_H

#include <stdatomic.h>

#include <weir/stream.h>
#include <weir/task.h>
#include <weir/tls.h>

#include <weir/admit.h>

struct door_conf {
    const char *name;               /* of the scope in which they are served */
    struct wr_kind *kind;           /* ... and of their tasks, for the topology */
    /* A connection, ready to be read.  It is closed afterwards, also after a panic.
     * `guest` is for wr_admit_request. */
    void (*serve)(void *server, struct wr_stream *stream, struct wr_guest *guest);
    void *server;
    struct wr_tls *tls;             /* who comes must speak it; NULL: in clear */
};

/* Part of its server; only the door itself looks inside, but for `admit`. */
struct door {
    struct door_conf conf;
    struct wr_admit *admit;            /* how many may come, and what one address may ask for */
    bool shared;                    /* it is another's */
    _Atomic size_t connections;
    _Atomic wr_time handshake_within;
};

/* It lets nobody in before door_tune.  Errors: NOMEM. */
wr_err door_init(struct door *door, const struct door_conf *conf);

/* Count with others, and go by the limits of `admit`, which its owner sets: then those of
 * door_tune and door_limit are not used.  Before anybody has come; it must outlive the door. */
void door_share(struct door *door, struct wr_admit *admit);

/* Nobody may be serving.  One that is all zero is allowed. */
void door_fini(struct door *door);

/* How many connections there may be, and how soon TLS must be there; from now on. */
void door_tune(struct door *door, unsigned connections_max, wr_time handshake_within);

/* What an address may ask for, from now on. */
void door_limit(struct door *door, const struct wr_admit_limits *limits);

/* Take connections until the calling fiber's scope ends; then all that came in here are
 * closed.  Errors: CANCELED, TIMEOUT, NOMEM, IO. */
wr_err door_serve(struct door *door, struct wr_listener *listener);

/* The same in two halves: the connections are tasks of `scope`, which is independent, and
 * the caller's or one above it; they outlive this call.  Errors: as door_serve. */
wr_err door_take(struct door *door, struct wr_listener *listener, struct wr_scope *scope);

/* Connections that are open. */
size_t door_connections(const struct door *door);

/* All was said on a connection: tell the peer, and read for a moment what it still sends,
 * so that a reset does not overtake what was said last. */
void door_linger(struct wr_stream *stream);

#endif
