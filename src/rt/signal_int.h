/* signal_int.h - signals without an operating system. */
#ifndef WR_RT_SIGNAL_INT_H
#define WR_RT_SIGNAL_INT_H

#include <weir/err.h>

/* As if the process had caught this signal: how a simulation sends one.
 * Errors: NOTFOUND (nobody asked for it: it would have its default meaning). */
wr_err wr_signal_inject(int number);

#endif
