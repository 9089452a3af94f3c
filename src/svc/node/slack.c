/* slack.c - see slack.h. */
#include "svc/node/slack.h"

bool slack_quiet(struct slack *slack, uint64_t bytes)
{
    bool quiet = bytes - slack->bytes <= SLACK_TRAFFIC;
    slack->bytes = bytes;
    return quiet;
}

bool slack_due(struct slack *slack, size_t idle)
{
    size_t change = idle > slack->idle ? idle - slack->idle : slack->idle - idle;
    slack->idle = idle;
    if (idle < slack->given)
        slack->given = idle;            /* what was given back is in use again */
    if (change > SLACK_SAME || idle - slack->given < SLACK_WORTH)
        return false;
    slack->given = idle;
    return true;
}
