/* bcast.h - broadcast: every reader gets every value, or learns what it missed.
 *
 * A ring of the last `cap` values.  Sending never waits and never fails: the
 * oldest value is overwritten.  Each reader has its own place in the ring; one
 * that fell behind gets WR_LAGGED once, with the number of values it missed,
 * and goes on with the oldest that is still there.  It should then read a
 * snapshot of whatever the values told about.
 *
 * A reader sees the values sent after it was made.
 */
#ifndef WEIR_BCAST_H
#define WEIR_BCAST_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/panic.h>
#include <weir/time.h>

struct wr_bcast;

struct wr_bcast_reader {
    struct wr_bcast *bcast;
    uint64_t next;          /* the sequence number it will read next */
    uint64_t lagged;        /* values missed, in all */
};

struct wr_bcast_conf {
    const char *name;       /* required; "node.bus" */
    size_t item_size;       /* required */
    size_t cap;             /* required, at least 1 */
};

struct wr_bcast_stat {
    uint64_t sent;
    uint64_t lagged;        /* values missed, over all readers */
};

/* Errors: NOMEM. */
wr_err wr_bcast_new(struct wr_bcast **ret, const struct wr_bcast_conf *conf WR_AT);
#define wr_bcast_new(ret, ...) wr_bcast_new(ret, __VA_ARGS__, WR_HERE)

/* No fiber may be waiting on it: close it and join its users first.  NULL is allowed. */
void wr_bcast_free(struct wr_bcast *bcast WR_AT);
#define wr_bcast_free(bcast) wr_bcast_free(bcast, WR_HERE)

/* Errors: CLOSED. */
wr_err wr_bcast_send(struct wr_bcast *bcast, const void *item);

/* A reader of what is sent from now on.  A plain value of one fiber; nothing to
 * close. */
struct wr_bcast_reader wr_bcast_reader(struct wr_bcast *bcast);

/* Copy the next value out, waiting for one until the deadline.  LAGGED: values
 * were missed; reader->lagged grew by their number, and the next call returns
 * the oldest value left.
 * Errors: LAGGED, TIMEOUT, CLOSED (after the last value), CANCELED. */
wr_err wr_bcast_recv(struct wr_bcast_reader *reader, void *item, wr_time deadline WR_AT);
#define wr_bcast_recv(reader, item, deadline) wr_bcast_recv(reader, item, deadline, WR_HERE)

/* Refuse further sends and wake everyone who waits.  Twice is fine. */
void wr_bcast_close(struct wr_bcast *bcast);

/* The counts, at one moment. */
struct wr_bcast_stat wr_bcast_stat(const struct wr_bcast *bcast);

#endif
