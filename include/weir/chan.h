/* chan.h - bounded channels: how fibers hand values to one another.
 *
 * A channel carries values of one fixed size, from any number of senders to
 * any number of receivers, first in, first out.  All its memory is allocated
 * when it is made; nothing allocates afterwards.  There is no unbounded kind:
 * what happens when it is full is chosen when it is made, and counted.
 *
 *   WR_WAIT         the sender waits for room until its deadline: backpressure
 *   WR_REJECT       the sender gets WR_BUSY at once
 *   WR_DROP_OLDEST  the oldest value leaves, the new one enters
 *   WR_COALESCE     a waiting value with an equal key is replaced where it
 *                   stands, full or not; without one, as WR_WAIT
 *   WR_RETRY_ONCE   the sender waits 50 to 150 ms, tries again, then WR_BUSY
 *
 * Values are copied in and out.  When a value holds a pointer, the receiver
 * owns what it points to from the moment send returns WR_OK; on any other
 * result the sender still owns it.  Values that leave without being received
 * (dropped, coalesced, or inside when the channel is freed) go to `drop`.
 * `drop` and `key` run inside the channel: they must not wait or use it.
 *
 * A freed slot is handed to the first waiting sender and a sent value to the
 * first waiting receiver: newcomers do not overtake.  Once a wait was served
 * it returns WR_OK, even when the deadline or a cancel comes before the fiber
 * runs again; nothing is lost and nothing is delivered twice.
 *
 * Any fiber on any worker may use a channel.  Other threads may too, with
 * WR_NOW.
 */
#ifndef WEIR_CHAN_H
#define WEIR_CHAN_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/panic.h>
#include <weir/time.h>

struct wr_chan;

enum wr_chan_policy {
    WR_WAIT = 1,            /* zero is no policy: it must be said */
    WR_REJECT,
    WR_DROP_OLDEST,
    WR_COALESCE,
    WR_RETRY_ONCE,
};

struct wr_chan_conf {
    const char *name;               /* required; "node.work" */
    size_t item_size;               /* required */
    size_t cap;                     /* required, at least 1 */
    enum wr_chan_policy policy;     /* required */
    uint64_t (*key)(const void *item);  /* WR_COALESCE: values with equal keys are one */
    void (*drop)(void *item);       /* releases a value nobody will receive; may be NULL */
};

/* A snapshot for metrics. */
struct wr_chan_stat {
    size_t len;
    size_t cap;
    uint64_t sent;          /* values taken in */
    uint64_t received;      /* values given out */
    uint64_t refused;       /* sends that got BUSY or TIMEOUT because it was full */
    uint64_t dropped;       /* values that left unreceived; RETRY_ONCE: sends given up */
    uint64_t coalesced;     /* values replaced by a newer one of the same key */
};

/* Errors: NOMEM, also for more than 4 GiB of values.  A missing or contradictory
 * conf is a panic. */
wr_err wr_chan_new(struct wr_chan **ret, const struct wr_chan_conf *conf WR_AT);
#define wr_chan_new(...) wr_chan_new(__VA_ARGS__, WR_HERE)

/* Free the channel and drop what it still holds.  No fiber may be waiting on
 * it: close it and join its users first.  NULL is allowed. */
void wr_chan_free(struct wr_chan *ch WR_AT);
#define wr_chan_free(ch) wr_chan_free(ch, WR_HERE)

/* Copy *item in.  Full: as the policy says; WR_NOW never waits.
 * Errors: BUSY (full, and the policy or WR_NOW forbids waiting), TIMEOUT
 * (still full), CLOSED, CANCELED. */
wr_err wr_chan_send(struct wr_chan *ch, const void *item, wr_time deadline WR_AT);
#define wr_chan_send(ch, item, deadline) wr_chan_send(ch, item, deadline, WR_HERE)

/* Copy the oldest value out to *item, waiting for one until the deadline.
 * A closed channel first yields what it holds, then CLOSED.
 * Errors: TIMEOUT (still empty), CLOSED, CANCELED. */
wr_err wr_chan_recv(struct wr_chan *ch, void *item, wr_time deadline WR_AT);
#define wr_chan_recv(ch, item, deadline) wr_chan_recv(ch, item, deadline, WR_HERE)

/* Refuse further sends and wake everyone who waits.  Closing twice is fine. */
void wr_chan_close(struct wr_chan *ch);

/* The length and the counts, at one moment. */
struct wr_chan_stat wr_chan_stat(const struct wr_chan *ch);

#endif
