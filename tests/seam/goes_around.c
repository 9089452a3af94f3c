/* goes_around.c - what the seam test must refuse: a clock read behind the driver's back. */
#include <time.h>

long seconds_now(void);

long seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}
