/* time.h - deadlines.
 *
 * Time is a count of nanoseconds on a clock that only goes forward.  Every
 * call that can wait takes the moment at which it gives up: a deadline, not a
 * duration, so that passing it down a chain of calls never adds up to more
 * than was granted at the top.
 *
 * The clock belongs to the driver: the real one, or a virtual one that stands
 * still while anything can run and jumps when nothing can.  Under the virtual
 * clock a wait of 50 ms takes exactly 50 ms and no time at all.
 */
#ifndef WEIR_TIME_H
#define WEIR_TIME_H

#ifdef __cplusplus
#error "the headers of Weir are for C (gnu2x): C++ cannot include them"
#endif

#include <stdint.h>

typedef int64_t wr_time;                /* monotonic nanoseconds, or a span of them */
struct wr_wall { int64_t ns; };         /* nanoseconds since 1970, UTC; a type apart */

#define WR_US(n) ((wr_time)(n) * 1000)
#define WR_MS(n) ((wr_time)(n) * 1000000)
#define WR_S(n)  ((wr_time)(n) * 1000000000)

#define WR_NOW   ((wr_time)0)           /* do not wait at all */
#define WR_NEVER INT64_MAX              /* as long as it takes: must be written out */

/* The present moment.  Costs a clock read (some 20 ns). */
wr_time wr_now(void);

/* The moment `span` from now; a negative span is now, a huge one WR_NEVER. */
wr_time wr_after(wr_time span);

/* The calendar's moment, for people and protocols.  Never for deadlines. */
struct wr_wall wr_wall(void);

#endif
