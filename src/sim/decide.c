/* decide.c - every decision of a run: made up from the seed, or replayed.
 *
 * The usual outcome matters more than the rest: a replay consists of it, and
 * the search for a short failure removes everything else.  It is what one
 * worker would do.  A task that only passed a point goes on; when one has to
 * wait, the first in line runs, fibers and new tasks in turn, so that neither
 * can starve the other.
 */
#include <stdlib.h>
#include <string.h>

#include "rt/hooks.h"
#include "sim/sim_int.h"

#define PCT_DEPTH 3
#define PCT_DEPTH_MAX 17                /* a change point fewer */
#define PCT_STEPS_LOG_MIN 0             /* change points lie between 2^0 .. */
#define PCT_STEPS_LOG_MAX 13            /* .. and 2^14 steps */

/* Separate streams: a fault more must not turn every later choice around. */
enum { STREAM_SCHEDULE = 1, STREAM_FAULT, STREAM_DRAW, STREAM_DETAIL, STREAM_LINK };

static void seed_stream(struct wr_rand *rand, uint64_t seed, uint64_t stream, uint64_t number)
{
    struct wr_rand mix;
    wr_rand_seed(&mix, seed ^ stream << 56);
    wr_rand_seed(rand, wr_rand_next(&mix) ^ number * 0x9e3779b97f4a7c15);
}

static void *grown(void *list, size_t *cap, size_t need, size_t item)
{
    if (need <= *cap)
        return list;
    size_t more = *cap ? *cap : 64;
    while (more < need)
        more *= 2;
    list = realloc(list, more * item);
    if (!list)
        wr_panic("a simulation ran out of memory for its decisions");
    *cap = more;
    return list;
}

void wr_deviations_add(struct deviations *deviations, struct deviation deviation)
{
    deviations->list = grown(deviations->list, &deviations->cap, deviations->len + 1,
                             sizeof(*deviations->list));
    deviations->list[deviations->len++] = deviation;
}

void wr_deviations_free(struct deviations *deviations)
{
    free(deviations->list);
    *deviations = (struct deviations){ 0 };
}

/* ---- a run ---- */

/* Some seeds see one kind of fault often, others many kinds rarely: what one
 * fault hides another would not show. */
static unsigned pick_faults(struct decider *d)
{
    unsigned all = d->conf->faults, some = all & (unsigned)wr_rand_next(&d->fault);
    if (d->conf->scheduler == WR_SIM_EXHAUSTIVE || !some || some == WR_SIM_LATE)
        return all;             /* timers alone may never fire */
    return some;
}

/* The length of a run is not known when it begins, so change points are as
 * likely in the first ten steps as in the hundreds. */
static void pick_changes(struct decider *d)
{
    unsigned depth = d->conf->depth ? d->conf->depth : PCT_DEPTH;
    if (depth > PCT_DEPTH_MAX)
        depth = PCT_DEPTH_MAX;
    for (unsigned i = 0; i < PCT_DEPTH_MAX - 1; i++) {
        int64_t log = wr_rand_span(&d->schedule, PCT_STEPS_LOG_MIN, PCT_STEPS_LOG_MAX);
        uint64_t least = (uint64_t)1 << log;
        uint64_t step = least + wr_rand_below(&d->schedule, least);
        d->changes[i] = i + 1 < depth ? step : UINT64_MAX;
    }
}

static int by_key(const void *a, const void *b)
{
    uint64_t left = ((const struct deviation *)a)->key;
    uint64_t right = ((const struct deviation *)b)->key;
    return left < right ? -1 : left > right;
}

void wr_decide_begin(struct decider *d, const struct wr_sim_conf *conf, uint64_t seed,
                     const struct deviations *plan)
{
    static const unsigned give_way[] = { 2, 4, 8, 32 }, fault[] = { 8, 32, 96 };
    struct deviations sorted = { .list = d->plan.list, .cap = d->plan.cap };
    for (size_t i = 0; plan && i < plan->len; i++)
        wr_deviations_add(&sorted, plan->list[i]);
    if (sorted.len > 0)
        qsort(sorted.list, sorted.len, sizeof(*sorted.list), by_key);
    *d = (struct decider){ .conf = conf, .seed = seed, .replaying = plan != NULL,
                           .plan = sorted,
                           .made = { d->made.list, 0, d->made.cap },
                           .others = { d->others.list, 0, d->others.cap },
                           .known = d->known, .known_cap = d->known_cap };
    if (d->known)
        memset(d->known, 0, d->known_cap * sizeof(*d->known));
    seed_stream(&d->schedule, seed, STREAM_SCHEDULE, 0);
    seed_stream(&d->fault, seed, STREAM_FAULT, 0);
    d->give_way_one_in = give_way[wr_rand_below(&d->schedule, 4)];
    d->fault_one_in = fault[wr_rand_below(&d->fault, 3)];
    d->faults = pick_faults(d);
    d->fault_by = (uint64_t)wr_rand_span(&d->fault, 4, 60);
    pick_changes(d);
}

void wr_decide_close(struct decider *d)
{
    wr_deviations_free(&d->plan);
    wr_deviations_free(&d->made);
    wr_deviations_free(&d->others);
    free(d->known);
    *d = (struct decider){ 0 };
}

/* ---- one decision ---- */

static struct known *known_of(struct decider *d, uint64_t task)
{
    size_t before = d->known_cap;
    d->known = grown(d->known, &d->known_cap, (size_t)task + 1, sizeof(*d->known));
    if (d->known_cap > before)
        memset(d->known + before, 0, (d->known_cap - before) * sizeof(*d->known));
    return &d->known[task];
}

static uint64_t next_key(struct decider *d, int choice)
{
    uint32_t count = known_of(d, d->last)->decided[choice]++;
    return d->key = (uint64_t)choice << 63 | d->last << 32 | count;
}

/* What the plan says, or the usual. */
static uint64_t planned(const struct decider *d, uint64_t usual)
{
    if (d->plan.len == 0)
        return usual;
    const struct deviation *found = bsearch(&(struct deviation){ .key = d->key }, d->plan.list,
                                            d->plan.len, sizeof(*d->plan.list), by_key);
    return found ? found->value : usual;
}

static void note(struct decider *d, uint64_t value, uint64_t usual)
{
    if (value != usual)
        wr_deviations_add(&d->made, (struct deviation){ d->key, value });
}

/* Enumeration departs from the usual only. */
static void note_other(struct decider *d, uint64_t value, uint64_t usual)
{
    if (d->conf->scheduler == WR_SIM_EXHAUSTIVE && value != usual)
        wr_deviations_add(&d->others, (struct deviation){ d->key, value });
}

/* ---- tasks ---- */

static size_t find(const struct rt_candidate *among, size_t count, uint64_t id)
{
    size_t at = 0;
    while (at < count && among[at].id != id)
        at++;
    return at;
}

static size_t first_in_line(const struct decider *d, const struct rt_candidate *among,
                            size_t count)
{
    size_t at = 0;
    if (d->step & 1)
        while (at < count && !among[at].fresh)
            at++;
    return at < count ? at : 0;
}

static size_t wish_random(struct decider *d, size_t count, size_t usual, bool can_go_on)
{
    if (can_go_on && wr_rand_below(&d->schedule, d->give_way_one_in) != 0)
        return usual;
    return wr_rand_below(&d->schedule, count);
}

/* The highest priority runs.  A change point puts the task that ran below all
 * others, and so does yielding: else it would yield for ever. */
static size_t wish_pct(struct decider *d, const struct rt_candidate *among, size_t count,
                       bool can_go_on)
{
    bool fall = d->last && !can_go_on && find(among, count, d->last) < count;
    for (unsigned i = 0; i < PCT_DEPTH_MAX - 1; i++)
        fall |= d->last && d->changes[i] == d->step;
    if (fall)
        known_of(d, d->last)->priority = --d->lowest;
    size_t best = 0;
    int64_t highest = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        struct known *known = known_of(d, among[i].id);
        if (!known->met) {
            known->met = true;
            known->priority = (int64_t)(wr_rand_next(&d->schedule) >> 1);
        }
        if (known->priority > highest) {
            highest = known->priority;
            best = i;
        }
    }
    return best;
}

/* Among several: by the plan, or as the scheduler wishes. */
static size_t decide(struct decider *d, const struct rt_candidate *among, size_t count,
                     size_t usual, bool can_go_on)
{
    size_t chosen = usual;
    (void)next_key(d, CHOOSE_TASK);
    if (d->replaying) {
        chosen = find(among, count, planned(d, among[usual].id));
        if (chosen == count)
            chosen = usual;         /* it cannot run now, as it could then */
    } else if (d->conf->scheduler == WR_SIM_RANDOM) {
        chosen = wish_random(d, count, usual, can_go_on);
    } else if (d->conf->scheduler == WR_SIM_PCT) {
        chosen = wish_pct(d, among, count, can_go_on);
    }
    for (size_t i = 0; i < count; i++)
        note_other(d, among[i].id, among[usual].id);
    note(d, among[chosen].id, among[usual].id);
    return chosen;
}

size_t wr_decide_task(struct decider *d, const struct rt_candidate *among, size_t count,
                      bool *ret_preempted)
{
    size_t going_on = d->gave_way ? find(among, count, d->last) : count;
    bool can_go_on = going_on < count;
    size_t usual = can_go_on ? going_on : first_in_line(d, among, count);
    size_t chosen = count == 1 ? 0 : decide(d, among, count, usual, can_go_on);
    *ret_preempted = can_go_on && chosen != going_on;
    d->step++;
    d->last = among[chosen].id;
    d->gave_way = false;
    return chosen;
}

/* ---- faults and numbers ---- */

uint32_t wr_decide_fault(struct decider *d, uint32_t kinds, unsigned one_in)
{
    if (kinds == 0)
        return 0;
    uint32_t kind = 0;
    (void)next_key(d, CHOOSE_FAULT);
    if (d->replaying)
        kind = (uint32_t)planned(d, 0) % (kinds + 1);
    else if (wr_rand_below(&d->fault, one_in) == 0)
        kind = 1 + (uint32_t)wr_rand_below(&d->fault, kinds);
    for (uint32_t other = 1; other <= kinds; other++)
        note_other(d, other, 0);
    note(d, kind, 0);
    return kind;
}

uint64_t wr_decide_draw(struct decider *d, uint64_t task)
{
    struct wr_rand rand;
    seed_stream(&rand, d->seed, STREAM_DRAW, task << 32 | known_of(d, task)->drawn++);
    return wr_rand_next(&rand);
}

void wr_decide_link(const struct decider *d, uint64_t number, struct wr_rand *ret)
{
    seed_stream(ret, d->seed, STREAM_LINK, number);
}

void wr_decide_detail(const struct decider *d, struct wr_rand *ret)
{
    seed_stream(ret, d->seed, STREAM_DETAIL, d->key);
}
