/* delay.h - how long answers took lately, and the time within which so many of them came.
 *
 *     struct delay delay = { 0 };
 *     delay_note(&delay, took);
 *     wr_time usual = delay_quantile(&delay, 990);     (99 % took no longer)
 *
 * Times are counted in classes, eight for each doubling, so a quantile is at most an eighth
 * too high and never too low.  When enough were counted all counts are halved: what was long
 * ago weighs little.  Any thread may note and ask; a word is added to, no lock is taken.
 */
#ifndef WR_FLOW_DELAY_H
#define WR_FLOW_DELAY_H

#include <stdatomic.h>
#include <stdint.h>

#include <weir/time.h>

#define DELAY_CLASSES 320           /* up to some 18 minutes; what took longer is in the last */
#define DELAY_FORGET 4096           /* so many, and they are halved */

struct delay {                      /* zero is an empty one */
    _Atomic uint32_t counts[DELAY_CLASSES];
    _Atomic uint32_t total;
};

void delay_note(struct delay *delay, wr_time took);

/* The time that `permille` of the noted ones did not exceed; 0 when none was noted. */
wr_time delay_quantile(const struct delay *delay, uint32_t permille);

#endif
