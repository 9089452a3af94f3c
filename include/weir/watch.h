/* watch.h - the latest value of something, and a wait for the next.
 *
 * A watch holds one value of fixed size.  Writing replaces it (last write
 * wins) and raises its version; readers see the newest value, never a torn
 * one, and may miss values in between: what counts is that the last one is
 * always seen.  A new reader has seen nothing, so its first wait returns the
 * present value at once.
 *
 * There is one writer handle.  It can be moved, not copied: a handle that was
 * moved away, or copied and then outlived by a move, panics when it is used,
 * and so do two fibers that write through one handle at once.
 *
 * Closing the writer makes waits return WR_CLOSED once the last value was
 * seen; wr_watch_get still returns it.
 */
#ifndef WEIR_WATCH_H
#define WEIR_WATCH_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/panic.h>
#include <weir/time.h>

struct wr_watch;

struct wr_watch_writer { struct wr_watch *watch; uint64_t serial; };
struct wr_watch_reader { struct wr_watch *watch; uint64_t seen; };

struct wr_watch_conf {
    const char *name;       /* required */
    size_t size;            /* required */
    const void *initial;    /* required: a watch always has a value */
};

/* Make a watch and its only writer handle.  Errors: NOMEM. */
wr_err wr_watch_new(struct wr_watch **ret, struct wr_watch_writer *ret_writer,
                    const struct wr_watch_conf *conf WR_AT);
#define wr_watch_new(ret, ret_writer, ...) \
    wr_watch_new(ret, ret_writer, __VA_ARGS__, WR_HERE)

/* No fiber may be waiting on it: close it and join its users first.  NULL is allowed. */
void wr_watch_free(struct wr_watch *watch WR_AT);
#define wr_watch_free(watch) wr_watch_free(watch, WR_HERE)

/* Replace the value and wake who waits.  Never waits itself. */
void wr_watch_set(struct wr_watch_writer *writer, const void *value WR_AT);
#define wr_watch_set(writer, value) wr_watch_set(writer, value, WR_HERE)

/* Hand the writer over: *from is empty afterwards. */
struct wr_watch_writer wr_watch_move(struct wr_watch_writer *from WR_AT);
#define wr_watch_move(from) wr_watch_move(from, WR_HERE)

/* No more values will come.  Twice is fine. */
void wr_watch_close(struct wr_watch_writer *writer WR_AT);
#define wr_watch_close(writer) wr_watch_close(writer, WR_HERE)

/* Copy the newest value out; its version (the initial value has 1). */
uint64_t wr_watch_get(struct wr_watch *watch, void *ret);

/* A reader that has seen nothing yet.  A plain value of one fiber; nothing to
 * close. */
struct wr_watch_reader wr_watch_reader(struct wr_watch *watch);

/* Wait for a value this reader has not seen and copy it out.
 * Errors: TIMEOUT, CLOSED, CANCELED. */
wr_err wr_watch_wait(struct wr_watch_reader *reader, void *ret, wr_time deadline WR_AT);
#define wr_watch_wait(reader, ret, deadline) wr_watch_wait(reader, ret, deadline, WR_HERE)

#endif
