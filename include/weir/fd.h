/* fd.h - file descriptors that make a fiber wait instead of a thread.
 *
 * A descriptor is given to the runtime once, becomes non-blocking, and is
 * registered with the worker of the fiber that opens it for as long as it is
 * open.  Reads and writes try first and wait only when they must.
 *
 * At most one fiber may wait for reading and one for writing at a time; another
 * is a panic that names the first.  One that is still open when its run ends is
 * closed then, with a complaint that tells where it was opened: what is left of it
 * is good for wr_fd_close only.
 *
 * Memory that is passed in is never referred to after the call has returned,
 * whatever it returned.  A peer that has gone is BROKENPIPE: unless the program
 * has its own mind about SIGPIPE, the signal is caught and does nothing.
 */
#ifndef WEIR_FD_H
#define WEIR_FD_H

#include <stddef.h>

#include <weir/err.h>
#include <weir/panic.h>
#include <weir/time.h>

struct wr_fd;

/* A part of what is written. */
struct wr_piece { const void *at; size_t len; };

#define WR_READABLE 1u
#define WR_WRITABLE 2u

/* Take over a pipe, socket, eventfd, ... ; on success wr_fd_close closes it.
 * Errors: NOMEM, NOFILE, UNSUPPORTED (a regular file: offload those). */
wr_err wr_fd_open(struct wr_fd **ret, int fd WR_AT);
#define wr_fd_open(ret, fd) wr_fd_open(ret, fd, WR_HERE)

/* As wr_fd_open, for a descriptor that a library has opened and will close: wr_fd_close lets
 * go of it, and must be called before the library closes it. */
wr_err wr_fd_borrow(struct wr_fd **ret, int fd WR_AT);
#define wr_fd_borrow(ret, fd) wr_fd_borrow(ret, fd, WR_HERE)

/* Close it.  No fiber may be waiting on it: cancel and join its users first.
 * NULL is allowed. */
void wr_fd_close(struct wr_fd *fd WR_AT);
#define wr_fd_close(fd) wr_fd_close(fd, WR_HERE)

/* The descriptor itself, to set options on. */
int wr_fd_number(const struct wr_fd *fd);

/* Wait until it can be read or written (or has failed, or was hung up: the
 * next read or write tells).  Errors: TIMEOUT, CANCELED. */
wr_err wr_fd_wait(struct wr_fd *fd, unsigned events, wr_time deadline WR_AT);
#define wr_fd_wait(fd, events, deadline) wr_fd_wait(fd, events, deadline, WR_HERE)

/* Read what is there, at least a byte; *ret 0 is the end of the stream.
 * Errors: TIMEOUT, CANCELED, BROKENPIPE, IO. */
wr_err wr_fd_read(struct wr_fd *fd, size_t *ret, void *buf, size_t size,
                  wr_time deadline WR_AT);
#define wr_fd_read(fd, ret, buf, size, deadline) \
    wr_fd_read(fd, ret, buf, size, deadline, WR_HERE)

/* Write all of it.  On an error *ret tells how much went out.
 * Errors: TIMEOUT, CANCELED, BROKENPIPE, IO. */
wr_err wr_fd_write(struct wr_fd *fd, size_t *ret, const void *buf, size_t size,
                   wr_time deadline WR_AT);
#define wr_fd_write(fd, ret, buf, size, deadline) \
    wr_fd_write(fd, ret, buf, size, deadline, WR_HERE)

/* Write all pieces, at most WR_PIECES_MAX, in as few system calls as the kernel
 * lets.  On an error *ret tells how much went out.  Errors: as above. */
#define WR_PIECES_MAX 16
wr_err wr_fd_write_pieces(struct wr_fd *fd, size_t *ret, const struct wr_piece *pieces,
                          size_t count, wr_time deadline WR_AT);
#define wr_fd_write_pieces(...) wr_fd_write_pieces(__VA_ARGS__, WR_HERE)

#endif
