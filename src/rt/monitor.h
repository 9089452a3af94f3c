/* monitor.h - the thread that watches the workers.
 *
 * A worker that has not switched for 10 ms is stalled: the fiber that runs
 * there computes or blocks, and all others of that worker wait for it.  The
 * monitor interrupts the thread for a backtrace, counts the stall under the
 * kind of the task (runtime_stalls_total{where}) and says so once in a while.
 * It also wakes a sleeping worker when a stalled one has tasks to give away.
 *
 * While everything sleeps it looks only ten times a second.
 */
#ifndef WR_RT_MONITOR_H
#define WR_RT_MONITOR_H

#include <weir/err.h>
#include <weir/time.h>

wr_err wr_monitor_start(void);
void wr_monitor_stop(void);

/* For how long the worker that is kept longest has been kept; 0: none is, or nobody
 * watches, as under the virtual clock.  Any thread may call it. */
wr_time wr_monitor_stalled(void);

#endif
