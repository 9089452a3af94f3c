/* pulse.c - see pulse.h. */
#include "svc/node/pulse.h"

bool pulse_beats(struct pulse *pulse, const struct wr_chan_stat *work, wr_time stalled,
                 wr_time now)
{
    if (work->len == 0 || work->received != pulse->received || !pulse->moved) {
        pulse->received = work->received;
        pulse->moved = now;
    }
    return stalled < PULSE_PATIENCE && now - pulse->moved < PULSE_PATIENCE;
}
