/* time.c - the clocks of the world in force. */
#include <weir/time.h>

#include "base/world.h"

wr_time wr_now(void)
{
    return wr_world->mono();
}

wr_time wr_after(wr_time span)
{
    wr_time now = wr_now();
    if (span <= 0)
        return now;
    return span > WR_NEVER - now ? WR_NEVER : now + span;
}

struct wr_wall wr_wall(void)
{
    return (struct wr_wall){ wr_world->wall() };
}
