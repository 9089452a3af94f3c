/* iostat.h - how often waiting for a peer was in vain, by what was waited for:
 * io_timeouts_total{op} and io_errors_total{op}, for all of net. */
#ifndef WR_NET_IOSTAT_H
#define WR_NET_IOSTAT_H

#include <weir/err.h>
#include <weir/time.h>

enum iostat_op { IOSTAT_CONNECT, IOSTAT_HANDSHAKE, IOSTAT_READ, IOSTAT_WRITE, IOSTAT_OPS };

/* The bounds of histograms of how long requests take. */
#define IOSTAT_BOUNDS { \
    WR_US(100), WR_US(250), WR_US(500), WR_MS(1), WR_MS(5) / 2, WR_MS(5), WR_MS(10), \
    WR_MS(25), WR_MS(50), WR_MS(100), WR_MS(250), WR_MS(500), WR_S(1), WR_S(5) / 2, \
    WR_S(5), WR_S(10) }

void iostat_timeout(enum iostat_op op);
void iostat_error(enum iostat_op op);

/* What it ended with.  That it went well, or was not wanted any more, does not count. */
void iostat_count(enum iostat_op op, wr_err err);

#endif
