/* stream.h - bytes to and from a peer: TCP, a Unix socket, or simulated.
 *
 *     struct wr_conn conn;
 *     while (!(err = wr_accept(listener, &conn, WR_NEVER)))
 *         ...start a task, which opens the stream and serves it
 *
 * A stream belongs to the worker of the fiber that opens it; at most one fiber
 * reads and one writes at a time.  An accepted connection belongs to nobody
 * yet: it is a value that is handed to the task that will open it, so that
 * connections spread over the workers as tasks do.
 *
 * Memory that is passed in is never referred to after a call has returned,
 * whatever it returned.  Under simulation the same calls reach a network in
 * memory, with latency, loss, partitions and resets (sim.h).
 */
#ifndef WEIR_STREAM_H
#define WEIR_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include <weir/addr.h>
#include <weir/err.h>
#include <weir/fd.h>
#include <weir/panic.h>
#include <weir/select.h>
#include <weir/time.h>

struct wr_stream;
struct wr_listener;

/* A connection that has been accepted and not yet opened. */
struct wr_conn {
    struct wr_addr peer;        /* of a Unix socket: its path is empty */
    int fd;                     /* the system's */
    void *simulated;
};

/* Listen.  A Unix socket is made with mode 0600, and one that was left behind by
 * a process that is gone is replaced.
 * Errors: EXISTS (the address is taken), DENIED, INVALID (not an address of this
 * machine), NOMEM, NOFILE, IO. */
wr_err wr_listen(struct wr_listener **ret, const struct wr_addr *addr WR_AT);
#define wr_listen(ret, addr) wr_listen(ret, addr, WR_HERE)

/* Listen on a socket that is listening already, given by a parent process. */
wr_err wr_listen_on(struct wr_listener **ret, int fd WR_AT);
#define wr_listen_on(ret, fd) wr_listen_on(ret, fd, WR_HERE)

/* Where it listens; a port that was 0 is the one the system chose. */
const struct wr_addr *wr_listener_addr(const struct wr_listener *listener);

/* Stop listening; who has not been accepted is reset.  NULL is allowed. */
void wr_listener_close(struct wr_listener *listener WR_AT);
#define wr_listener_close(listener) wr_listener_close(listener, WR_HERE)

/* The next connection.  One that broke off before it was taken is passed over.
 * Errors: TIMEOUT, CANCELED, NOFILE (no descriptor for it: it waits in line; try
 * again when some were closed), NOMEM, IO. */
wr_err wr_accept(struct wr_listener *listener, struct wr_conn *ret, wr_time deadline WR_AT);
#define wr_accept(listener, ret, deadline) wr_accept(listener, ret, deadline, WR_HERE)

/* Reset a connection that nobody will open. */
void wr_conn_drop(struct wr_conn *conn);

/* Take a connection over.  On an error it is dropped.  Errors: NOMEM, NOFILE, IO. */
wr_err wr_stream_open(struct wr_stream **ret, const struct wr_conn *conn WR_AT);
#define wr_stream_open(ret, conn) wr_stream_open(ret, conn, WR_HERE)

/* Connect.  Errors: TIMEOUT, CANCELED, NOTFOUND (a Unix socket that is not there),
 * DENIED, NOMEM, NOFILE, IO (refused, unreachable). */
wr_err wr_connect(struct wr_stream **ret, const struct wr_addr *addr, wr_time deadline WR_AT);
#define wr_connect(ret, addr, deadline) wr_connect(ret, addr, deadline, WR_HERE)

/* Close it at once.  No fiber may be using it.  NULL is allowed. */
void wr_stream_close(struct wr_stream *stream WR_AT);
#define wr_stream_close(stream) wr_stream_close(stream, WR_HERE)

/* Wait until a read may find something, without memory for it.  Errors: TIMEOUT,
 * CANCELED. */
wr_err wr_stream_await(struct wr_stream *stream, wr_time deadline WR_AT);
#define wr_stream_await(stream, deadline) wr_stream_await(stream, deadline, WR_HERE)

/* Read what is there, at least a byte; *ret 0 is the end of the stream.
 * Errors: TIMEOUT, CANCELED, BROKENPIPE (reset), IO. */
wr_err wr_stream_read(struct wr_stream *stream, size_t *ret, void *buf, size_t size,
                      wr_time deadline WR_AT);
#define wr_stream_read(stream, ret, buf, size, deadline) \
    wr_stream_read(stream, ret, buf, size, deadline, WR_HERE)

/* Write all pieces, at most WR_PIECES_MAX.  On an error *ret tells how much went
 * out.  Errors: as read. */
wr_err wr_stream_write(struct wr_stream *stream, size_t *ret, const struct wr_piece *pieces,
                       size_t count, wr_time deadline WR_AT);
#define wr_stream_write(...) wr_stream_write(__VA_ARGS__, WR_HERE)

/* No more will be written: the peer reads the end after what was. */
void wr_stream_shut(struct wr_stream *stream);

/* A case of a select: it can be read, or has ended. */
struct wr_case wr_stream_readable(struct wr_stream *stream);

/* Where the peer is, and where we are. */
const struct wr_addr *wr_stream_peer(const struct wr_stream *stream);
const struct wr_addr *wr_stream_local(const struct wr_stream *stream);

/* Bytes that came in and went out over the sockets of this process, since it began. */
struct wr_stream_bytes { uint64_t in, out; };
struct wr_stream_bytes wr_stream_bytes(void);

/* Who is at the other end of a Unix socket.  Errors: UNSUPPORTED. */
wr_err wr_stream_peer_process(const struct wr_stream *stream, uint32_t *ret_uid,
                              int32_t *ret_pid);

#endif
