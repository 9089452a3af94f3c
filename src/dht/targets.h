/* targets.h - whom to ask first.
 *
 *     struct targets targets;
 *     targets_init(&targets, 5);
 *     uint32_t order[TARGETS_MAX];
 *     count = targets_order(&targets, breakers, order);
 *     ...
 *     targets_note(&targets, order[0], TARGET_FIRST);
 *
 * In front is who answered first last time: he is there, and near.  The others follow in turn,
 * so that the load is spread, and who has become fast is found.  Behind them are those who
 * failed when they were last asked, and those whose breaker is open are not asked at all; the
 * janitor's pings (dht.h) find them again.
 *
 * Any thread may ask and note; a few words are loaded and stored, no lock is taken.
 */
#ifndef WR_DHT_TARGETS_H
#define WR_DHT_TARGETS_H

#include <stdatomic.h>
#include <stdint.h>

#include <weir/breaker.h>
#include <weir/time.h>

#define TARGETS_MAX 16

struct targets {
    uint32_t count;
    _Atomic uint32_t first;             /* who answered first last time; count: nobody yet */
    _Atomic uint32_t turn;
    atomic_bool failed[TARGETS_MAX];    /* when it was last asked */
    _Atomic wr_time heard[TARGETS_MAX]; /* when it last answered; 0: never */
};

/* How it went: it answered before all others; it answered; it did not. */
enum target_news { TARGET_FIRST, TARGET_ANSWERED, TARGET_FAILED };

/* 1 to TARGETS_MAX of them.  In the beginning they are asked in their order. */
void targets_init(struct targets *targets, uint32_t count);

/* Those that may be asked, best first, all different; how many they are.  A breaker that is
 * half open counts as one who failed.  breakers may be NULL: then none is open. */
uint32_t targets_order(struct targets *targets, const struct wr_breakers *breakers,
                       uint32_t ret[TARGETS_MAX]);

/* The same without favourites: from a number on, one after the other. */
uint32_t targets_from(struct targets *targets, const struct wr_breakers *breakers,
                      uint32_t number, uint32_t ret[TARGETS_MAX]);

void targets_note(struct targets *targets, uint32_t target, enum target_news news);

#endif
