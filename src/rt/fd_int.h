/* fd_int.h - descriptors, for the files that make streams of them. */
#ifndef WR_RT_FD_INT_H
#define WR_RT_FD_INT_H

#include <weir/fd.h>

/* Try something on the descriptor, and again whenever it becomes ready, for as long
 * as that returns BUSY. */
wr_err wr_fd_attempt(struct wr_fd *fd, unsigned events, wr_err (*op)(int number, void *arg),
                     void *arg, wr_time deadline, const char *place);

/* Wait until an attempt may succeed: as wr_fd_wait, but without asking the system. */
wr_err wr_fd_await(struct wr_fd *fd, unsigned events, wr_time deadline, const char *place);

/* Have its events come to the worker of the calling task, which is about to wait for them:
 * another may be busy.  Nobody else may be waiting. */
void wr_fd_move_here(struct wr_fd *fd);

/* A read that returns less than was asked for has taken all there was: true of
 * stream sockets, and saves the attempt that would find nothing. */
void wr_fd_is_stream(struct wr_fd *fd);

#endif
