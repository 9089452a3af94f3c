/* pulse.h - whether the node makes progress, for the watchdog of its service manager.
 *
 *     struct pulse pulse = { 0 };
 *     if (pulse_beats(&pulse, &work, wr_monitor_stalled(), wr_now()))
 *         ... tell the manager ...
 *
 * Who asks is alive: that is the event loop of the control plane.  Beyond that a worker of
 * the runtime must not stand still, and the queue of work must move while there is any:
 * each is allowed PULSE_PATIENCE, several times what a call may take.
 */
#ifndef WR_NODE_PULSE_H
#define WR_NODE_PULSE_H

#include <stdbool.h>

#include <weir/chan.h>
#include <weir/time.h>

#define PULSE_PATIENCE WR_S(10)

struct pulse {
    uint64_t received;          /* by the workers, when it last moved */
    wr_time moved;
};

/* Look at the queue and at how long a worker has stood still.  False: no progress. */
bool pulse_beats(struct pulse *pulse, const struct wr_chan_stat *work, wr_time stalled,
                 wr_time now);

#endif
