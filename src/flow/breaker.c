/* breaker.c - three states, one writer.
 *
 * What a target's state is, and since which change of it, is one word that only the janitor
 * writes.  The changes are counted; the count is what a pass is.  How it went is posted into a
 * second word, which has the same count in it: what belongs to a time before the last change
 * is not posted any more, however late it comes, and no change of state can be mixed up with
 * the outcomes of the time before.  The janitor empties the second word at each tick.
 */
#include <weir/breaker.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>
#include <weir/metric.h>
#include <weir/task.h>

#define SLICES 30                       /* of a window */
#define LABELS_MAX 64
#define LABEL_SIZE 64
#define EVERY 1000                      /* permille */

/* A state word: the change's number above the state.  A posted word: the change's number
 * (its low 16 bits) above 24 bits of bad ones and 24 of good ones. */
#define STATE_BITS 2
#define COUNT_BITS 24
#define COUNT_MAX (((uint64_t)1 << COUNT_BITS) - 1)

struct target {
    _Alignas(64) _Atomic uint64_t state;
    _Atomic uint64_t places;            /* half open: change's number, places left */
    _Atomic uint64_t posted;
    _Atomic uint64_t opened, refused;
    _Atomic uint64_t good, bad;         /* in the window, for people */
    wr_time since;                      /* from here on the janitor's: of the state */
    wr_time slice_since;
    unsigned slice;
    uint64_t probes;                    /* half open: places there were */
    uint64_t window_good[SLICES], window_bad[SLICES];
    struct wr_counter *open_counted;
    const char *label;
};

struct wr_breakers {
    struct wr_breakers_conf conf;       /* its bounds are the janitor's */
    struct wr_breakers_conf wanted;     /* under the lock of all: what they are to be */
    atomic_bool running, changed;
    struct wr_breakers *next, **link;   /* among all, for the metrics */
    char (*labels)[LABEL_SIZE];
    struct target targets[];
};

static void collect_states(struct wr_scrape *scrape);
static struct wr_metric states = {
    .name = "breaker_state", .help = "Whether a target's breaker is in a state.",
    .type = WR_GAUGE, .labels = { "target", "state" }, .series_max = 3 * LABELS_MAX + 3,
    .collect = collect_states,
};
static struct wr_metric opens = {
    .name = "breaker_open_total", .help = "Times that a target's breaker opened.",
    .type = WR_COUNTER, .labels = { "target" }, .series_max = LABELS_MAX + 1,
};

static struct {
    struct wr_mutex lock;
    struct wr_breakers *first;
} all = { .lock = WR_MUTEX("flow.breakers", 1001) };

/* ---- words ---- */

static enum wr_breaker_state state_of(uint64_t word)
{
    return (enum wr_breaker_state)(word & ((1u << STATE_BITS) - 1));
}

static uint64_t change_of(uint64_t word)
{
    return word >> STATE_BITS;
}

static uint64_t empty_post(uint64_t change)
{
    return change << (2 * COUNT_BITS);
}

static bool same_change(uint64_t post, uint64_t change)
{
    return post >> (2 * COUNT_BITS) == (change & UINT16_MAX);
}

static uint64_t good_of(uint64_t post)
{
    return post & COUNT_MAX;
}

static uint64_t bad_of(uint64_t post)
{
    return post >> COUNT_BITS & COUNT_MAX;
}

/* ---- who asks ---- */

/* Half open: one of the places, if there is one left. */
static bool take_place(struct target *target, uint64_t change)
{
    uint64_t places = atomic_load_explicit(&target->places, memory_order_relaxed);
    do {
        if (places >> 32 != (change & UINT32_MAX) || (places & UINT32_MAX) == 0)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&target->places, &places, places - 1,
                                                    memory_order_relaxed,
                                                    memory_order_relaxed));
    return true;
}

static void give_place(struct target *target, uint32_t pass)
{
    uint64_t places = atomic_load_explicit(&target->places, memory_order_relaxed);
    while (places >> 32 == pass
           && !atomic_compare_exchange_weak_explicit(&target->places, &places, places + 1,
                                                     memory_order_relaxed,
                                                     memory_order_relaxed))
        ;
}

wr_err wr_breaker_enter(struct wr_breakers *breakers, uint32_t target, uint32_t *ret_pass)
{
    WR_ASSERT(target < breakers->conf.targets);
    struct target *one = &breakers->targets[target];
    uint64_t word = atomic_load_explicit(&one->state, memory_order_acquire);
    enum wr_breaker_state state = state_of(word);
    if (state == WR_BREAKER_OPEN
        || (state == WR_BREAKER_HALF_OPEN && !take_place(one, change_of(word)))) {
        atomic_fetch_add_explicit(&one->refused, 1, memory_order_relaxed);
        return WR_OPENCIRCUIT;
    }
    *ret_pass = (uint32_t)change_of(word);
    return WR_OK;
}

void wr_breaker_leave(struct wr_breakers *breakers, uint32_t target, uint32_t pass,
                      enum wr_verdict verdict)
{
    WR_ASSERT(target < breakers->conf.targets);
    struct target *one = &breakers->targets[target];
    if (verdict == WR_VERDICT_NONE) {
        give_place(one, pass);
        return;
    }
    uint64_t shift = verdict == WR_VERDICT_BAD ? COUNT_BITS : 0;
    uint64_t post = atomic_load_explicit(&one->posted, memory_order_relaxed);
    do {
        if (!same_change(post, pass) || (post >> shift & COUNT_MAX) == COUNT_MAX)
            return;
    } while (!atomic_compare_exchange_weak_explicit(&one->posted, &post,
                                                    post + ((uint64_t)1 << shift),
                                                    memory_order_release,
                                                    memory_order_relaxed));
}

wr_err wr_breaker_ask(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct wr_breakers *breakers = way->self;
    uint32_t pass;
    wr_err err = wr_breaker_enter(breakers, ask->target, &pass);
    if (err)
        return err;
    err = wr_way_ask(way->inner, ask, deadline);
    wr_breaker_leave(breakers, ask->target, pass, wr_ask_verdict(err));
    return err;
}

/* ---- the janitor ---- */

static void change(struct wr_breakers *breakers, struct target *target,
                   enum wr_breaker_state to, wr_time now)
{
    uint64_t word = atomic_load_explicit(&target->state, memory_order_relaxed);
    uint64_t number = change_of(word) + 1;
    memset(target->window_good, 0, sizeof(target->window_good));
    memset(target->window_bad, 0, sizeof(target->window_bad));
    target->since = target->slice_since = now;
    atomic_store(&target->good, 0);
    atomic_store(&target->bad, 0);
    atomic_store_explicit(&target->posted, empty_post(number), memory_order_relaxed);
    target->probes = to == WR_BREAKER_HALF_OPEN ? breakers->conf.probes : 0;
    atomic_store_explicit(&target->places, number << 32 | target->probes, memory_order_relaxed);
    atomic_store_explicit(&target->state, number << STATE_BITS | to, memory_order_release);
    if (to == WR_BREAKER_OPEN) {
        atomic_fetch_add_explicit(&target->opened, 1, memory_order_relaxed);
        wr_counter_add(target->open_counted, 1);
    }
}

/* What was posted since the last look goes into the present slice. */
static void collect(struct target *target)
{
    uint64_t word = atomic_load_explicit(&target->state, memory_order_relaxed);
    uint64_t post = atomic_exchange_explicit(&target->posted, empty_post(change_of(word)),
                                             memory_order_acquire);
    target->window_good[target->slice] += good_of(post);
    target->window_bad[target->slice] += bad_of(post);
}

static void move_window(const struct wr_breakers *breakers, struct target *target, wr_time now)
{
    wr_time each = breakers->conf.window / SLICES;
    for (unsigned i = 0; i < SLICES && now - target->slice_since >= each; i++) {
        target->slice = (target->slice + 1) % SLICES;
        target->window_good[target->slice] = target->window_bad[target->slice] = 0;
        target->slice_since += each;
    }
    if (now - target->slice_since >= each)
        target->slice_since = now;      /* nobody looked for a whole window */
}

static void add_up(struct target *target)
{
    uint64_t good = 0, bad = 0;
    for (unsigned i = 0; i < SLICES; i++) {
        good += target->window_good[i];
        bad += target->window_bad[i];
    }
    atomic_store_explicit(&target->good, good, memory_order_relaxed);
    atomic_store_explicit(&target->bad, bad, memory_order_relaxed);
}

static bool too_many(const struct wr_breakers *breakers, uint64_t good, uint64_t bad)
{
    return bad * EVERY > (good + bad) * breakers->conf.trip_permille;
}

static void look_half_open(struct wr_breakers *breakers, struct target *target, wr_time now)
{
    uint64_t probes = target->probes;
    uint64_t good = target->good, bad = target->bad;
    if (good + bad < probes) {
        if (now - target->since < breakers->conf.cooldown)
            return;
        uint64_t places = atomic_load_explicit(&target->places, memory_order_relaxed);
        uint64_t missing = probes - (places & UINT32_MAX) - good - bad;
        if (missing == 0)
            return;                     /* nobody has asked for a while: go on waiting */
        bad += missing;
    }
    change(breakers, target, too_many(breakers, good, bad) ? WR_BREAKER_OPEN
                                                           : WR_BREAKER_CLOSED, now);
}

static void look(struct wr_breakers *breakers, struct target *target, wr_time now)
{
    const struct wr_breakers_conf *conf = &breakers->conf;
    switch (state_of(atomic_load_explicit(&target->state, memory_order_relaxed))) {
    case WR_BREAKER_CLOSED:
        move_window(breakers, target, now);
        collect(target);
        add_up(target);
        if (target->good + target->bad >= conf->samples_min
            && too_many(breakers, target->good, target->bad))
            change(breakers, target, WR_BREAKER_OPEN, now);
        break;
    case WR_BREAKER_OPEN:
        if (now - target->since >= conf->cooldown)
            change(breakers, target, WR_BREAKER_HALF_OPEN, now);
        break;
    case WR_BREAKER_HALF_OPEN:
        collect(target);
        add_up(target);
        look_half_open(breakers, target, now);
        break;
    }
}

static void adopt(struct wr_breakers *breakers)
{
    struct wr_breakers_conf *conf = &breakers->conf;
    wr_mutex_lock(&all.lock);
    conf->window = breakers->wanted.window;
    conf->trip_permille = breakers->wanted.trip_permille;
    conf->samples_min = breakers->wanted.samples_min;
    conf->cooldown = breakers->wanted.cooldown;
    conf->probes = breakers->wanted.probes;
    wr_mutex_unlock(&all.lock);
}

wr_err wr_breakers_run(void *arg)
{
    struct wr_breakers *breakers = arg;
    if (atomic_exchange(&breakers->running, true))
        wr_panic("breakers \"%s\" have a janitor already", breakers->conf.name);
    wr_err err;
    do {
        wr_time now = wr_now();
        if (atomic_exchange(&breakers->changed, false))
            adopt(breakers);
        for (uint32_t i = 0; i < breakers->conf.targets; i++)
            look(breakers, &breakers->targets[i], now);
        err = wr_sleep(wr_after(breakers->conf.tick));
    } while (!err);
    atomic_store(&breakers->running, false);
    return err;
}

/* ---- life ---- */

static void set_defaults(struct wr_breakers_conf *conf)
{
    conf->window = conf->window ? conf->window : WR_S(30);
    conf->trip_permille = conf->trip_permille ? conf->trip_permille : 500;
    conf->samples_min = conf->samples_min ? conf->samples_min : 5;
    conf->cooldown = conf->cooldown ? conf->cooldown : WR_S(10);
    conf->probes = conf->probes ? conf->probes : 3;
    conf->tick = conf->tick ? conf->tick : WR_MS(100);
}

static void set_label(struct wr_breakers *breakers, uint32_t i)
{
    struct target *target = &breakers->targets[i];
    const struct wr_breakers_conf *conf = &breakers->conf;
    if (i >= LABELS_MAX)
        target->label = "other";
    else if (conf->names) {
        snprintf(breakers->labels[i], LABEL_SIZE, "%s", conf->names[i]);
        target->label = breakers->labels[i];
    } else {
        snprintf(breakers->labels[i], LABEL_SIZE, "%s.%u", conf->name, i);
        target->label = breakers->labels[i];
    }
    target->open_counted = wr_metric_counter(&opens, target->label);
}

wr_err (wr_breakers_new)(struct wr_breakers **ret, const struct wr_breakers_conf *conf,
                         const char *place)
{
    if (!conf->name || conf->targets == 0)
        wr_panic_at(place, "breakers \"%s\": a name and targets are required",
                    conf->name ? conf->name : "");
    size_t size = sizeof(struct wr_breakers) + conf->targets * sizeof(struct target);
    struct wr_breakers *breakers = aligned_alloc(64, (size + 63) / 64 * 64);
    char(*labels)[LABEL_SIZE] = calloc(LABELS_MAX, LABEL_SIZE);
    if (!breakers || !labels) {
        free(breakers);
        free(labels);
        return WR_NOMEM;
    }
    memset(breakers, 0, size);
    breakers->conf = *conf;
    breakers->labels = labels;
    set_defaults(&breakers->conf);
    for (uint32_t i = 0; i < conf->targets; i++) {
        breakers->targets[i].since = breakers->targets[i].slice_since = wr_now();
        set_label(breakers, i);
    }
    wr_metric_declare(&states);
    wr_mutex_lock(&all.lock);
    breakers->next = all.first;
    breakers->link = &all.first;
    if (all.first)
        all.first->link = &breakers->next;
    all.first = breakers;
    wr_mutex_unlock(&all.lock);
    *ret = breakers;
    return WR_OK;
}

void wr_breakers_set(struct wr_breakers *breakers, const struct wr_breakers_conf *conf)
{
    wr_mutex_lock(&all.lock);
    breakers->wanted = *conf;
    set_defaults(&breakers->wanted);
    wr_mutex_unlock(&all.lock);
    atomic_store(&breakers->changed, true);
}

void wr_breakers_free(struct wr_breakers *breakers)
{
    if (!breakers)
        return;
    WR_ASSERT(!atomic_load(&breakers->running));
    wr_mutex_lock(&all.lock);
    *breakers->link = breakers->next;
    if (breakers->next)
        breakers->next->link = breakers->link;
    wr_mutex_unlock(&all.lock);
    free(breakers->labels);
    free(breakers);
}

/* ---- for people ---- */

struct wr_breaker_stat wr_breaker_stat(const struct wr_breakers *breakers, uint32_t target)
{
    WR_ASSERT(target < breakers->conf.targets);
    const struct target *one = &breakers->targets[target];
    return (struct wr_breaker_stat){
        .state = state_of(atomic_load(&one->state)),
        .good = atomic_load(&one->good), .bad = atomic_load(&one->bad),
        .opened = atomic_load(&one->opened), .refused = atomic_load(&one->refused),
    };
}

static void collect_states(struct wr_scrape *scrape)
{
    static const char *const names[] = { "closed", "open", "half_open" };
    wr_mutex_lock(&all.lock);
    for (struct wr_breakers *one = all.first; one; one = one->next)
        for (uint32_t i = 0; i < one->conf.targets; i++)
            for (unsigned state = 0; state < 3; state++) {
                uint64_t word = atomic_load(&one->targets[i].state);
                wr_scrape_gauge(scrape, state_of(word) == state, one->targets[i].label,
                                names[state]);
            }
    wr_mutex_unlock(&all.lock);
}
