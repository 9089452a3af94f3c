/* oap_server.h - the inside of an OAP server, for the files that serve connections.
 *
 * A call belongs to its connection while it is collected and answered, and to a worker
 * as well while it is queued or runs.  The worker posts it to the connection's mailbox
 * when it is answered; a connection that gave up before, at the deadline or because its
 * peer has gone, lets go, and then the worker's answer is nobody's.  Calls hold their
 * mailbox, so that a worker never posts into what is gone.
 */
#ifndef WR_NET_OAP_SERVER_H
#define WR_NET_OAP_SERVER_H

#include <stdatomic.h>

#include <weir/chan.h>
#include <weir/metric.h>
#include <weir/oap.h>
#include <weir/once.h>

#include "base/text.h"
#include "flow/roster.h"
#include "net/caller.h"
#include "net/door.h"
#include "net/oap.h"

#define OAP_INFLIGHT_MAX 64
#define OAP_BUFFER_MAX ((size_t)4 << 20)    /* bytes that a connection's requests hold */
#define OAP_REPLY_MAX ((size_t)64 << 20)
#define OAP_PARTS 4                         /* of answers, that wait for a connection */

struct oap_stat {
    struct wr_histogram *latency;
    struct wr_counter *busy;
};

/* What may change while it serves (wr_oap_tune). */
struct oap_limits {
    _Atomic unsigned tenant_max;
    _Atomic wr_time hello_within, read_within, write_within, idle_max;
};

struct wr_oap {
    struct wr_oap_conf conf;            /* with its defaults */
    struct oap_limits now;
    struct oap_stat *stats;             /* one for each verb */
    struct roster *tenants;
    struct door door;
    struct wr_once *drain;
    _Atomic bool draining;
    _Atomic size_t calls;               /* that have not been let go of */
};

/* What workers have for a connection.  A call is posted behind all its parts. */
struct oap_mailbox {
    _Atomic unsigned holders;
    struct wr_chan *done;               /* calls that were answered by a worker */
    struct wr_chan *parts;              /* of answers to calls that run; struct oap_part */
};

/* It holds its call. */
struct oap_part {
    struct wr_oap_call *call;
    char *bytes;
    size_t len;
};

/* Errors: NOMEM. */
wr_err oap_mailbox_new(struct oap_mailbox **ret);
void oap_mailbox_drop(struct oap_mailbox *mailbox);
void oap_part_drop(struct oap_part *part);

enum oap_phase { OAP_COLLECTING, OAP_RUNNING, OAP_REFUSED };    /* refused: until END */
enum oap_claim { OAP_PENDING, OAP_ANSWERED, OAP_ABANDONED };

struct wr_oap_call {
    struct wr_oap *oap;
    struct oap_mailbox *mailbox;
    const struct wr_oap_verb *verb;     /* NULL: there is none of this number */
    struct wr_guest *guest;                /* of the tenant, once it was let in */
    bool let_in;                        /* by `auth`: `leave` is to be told */
    void *memo;
    struct caller caller;               /* who asks; his share is empty until it is known */
    struct wr_addr peer;
    struct oap_frame frame;             /* the first: ids; and all when there is one */
    struct wr_text collected;           /* the payload of many frames */
    bool many;
    wr_time began, deadline, hard_deadline;

    wr_err failed;
    bool unauthorized;                  /* failed before it was known who asks */
    uint16_t code;                      /* of the failure, when the error does not say it */
    char why[200];
    struct wr_text reply;
    wr_err lost;                        /* a part could not be sent */
    void *here;                         /* the connection, in whose fiber it runs; or NULL */

    enum oap_phase phase;               /* the connection's */
    bool begun;                         /* ... a part of the answer has gone out */
    _Atomic unsigned holders;
    _Atomic(enum oap_claim) claim;
};

/* A call for this frame, which it takes over; NULL without memory. */
struct wr_oap_call *oap_call_new(struct wr_oap *oap, struct oap_mailbox *mailbox,
                                 const struct wr_addr *peer, struct oap_frame *frame);
void oap_call_drop(struct wr_oap_call *call);

/* Count it among those of its tenant, until it is dropped.  Who has not proved to be of it
 * counts with his own alone.  Errors: as roster_enter. */
wr_err oap_call_enter(struct wr_oap_call *call, unsigned most);

/* Give back what it holds of a request that will not be run, or is over; its ids stay. */
void oap_call_release(struct wr_oap_call *call);

/* Bytes of the request that it holds. */
size_t oap_call_size(const struct wr_oap_call *call);

/* Its worker has an answer, or its connection gives it up: true for who comes first. */
bool oap_call_claim(struct wr_oap_call *call, enum oap_claim claim);

/* Call the handler, inside its deadline. */
void oap_call_handle(struct wr_oap_call *call);

/* The code of its answer. */
uint16_t oap_call_code(const struct wr_oap_call *call);

/* Count its connections with those of other servers (door_share). */
void oap_share(struct wr_oap *oap, struct wr_admit *admit);

/* Answer what comes on a connection, until it ends; `guest` is its address at the door. */
void oap_conn_serve(struct wr_oap *oap, struct wr_stream *stream, struct wr_guest *guest);

/* Write a part of an answer, in the connection's own fiber.  Errors: BROKENPIPE. */
wr_err oap_conn_send(void *conn, struct wr_oap_call *call, const void *bytes, size_t len);

/* Count what was refused, and an answer. */
void oap_count_reject(enum oap_bad bad);
void oap_count_call(const struct wr_oap_call *call);

#endif
