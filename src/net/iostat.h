/* iostat.h - how often waiting for a peer was in vain, by what was waited for:
 * io_timeouts_total{op} and io_errors_total{op}, for all of net. */
#ifndef WR_NET_IOSTAT_H
#define WR_NET_IOSTAT_H

#include <weir/err.h>

enum iostat_op { IOSTAT_CONNECT, IOSTAT_HANDSHAKE, IOSTAT_READ, IOSTAT_WRITE, IOSTAT_OPS };

void iostat_timeout(enum iostat_op op);
void iostat_error(enum iostat_op op);

/* What it ended with.  That it went well, or was not wanted any more, does not count. */
void iostat_count(enum iostat_op op, wr_err err);

#endif
