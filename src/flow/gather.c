/* gather.c - reports of many, ended by the last.
 *
 * Each source has a place for its answer and a word that says whether it has reported.  A
 * counter knows how many have not; whoever brings it to zero is the last.
 */
#include <weir/gather.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <weir/once.h>

#include "base/forget.h"

#define SOURCES_MAX 256

enum { NOT_YET, REPORTING, REPORTED };

struct report {
    _Atomic int state;
    wr_err err;
};

struct wr_gather {
    struct wr_gather_conf conf;
    _Atomic uint32_t refs;
    _Atomic uint32_t missing;
    atomic_bool settled;
    struct wr_once *ended;
    unsigned char *answers;         /* conf.size bytes for each source */
    struct report reports[];
};

wr_err (wr_gather_new)(struct wr_gather **ret, const struct wr_gather_conf *conf,
                       const char *place)
{
    if (!conf->name || conf->sources == 0 || conf->sources > SOURCES_MAX)
        wr_panic_at(place, "gather \"%s\" of %u sources: a name and 1 to %d sources are "
                    "required", conf->name ? conf->name : "", conf->sources, SOURCES_MAX);
    size_t head = sizeof(struct wr_gather) + conf->sources * sizeof(struct report), size;
    head = (head + 15) / 16 * 16;
    if (__builtin_mul_overflow(conf->size, conf->sources, &size)
        || __builtin_add_overflow(size, head, &size))
        return WR_NOMEM;
    struct wr_gather *gather = calloc(1, size);
    if (!gather || wr_once_new(&gather->ended, conf->name, 0)) {
        free(gather);
        return WR_NOMEM;
    }
    gather->conf = *conf;
    gather->answers = (unsigned char *)gather + head;
    atomic_init(&gather->refs, 1);
    atomic_init(&gather->missing, conf->sources);
    *ret = gather;
    return WR_OK;
}

struct wr_gather *wr_gather_ref(struct wr_gather *gather)
{
    uint32_t before = atomic_fetch_add_explicit(&gather->refs, 1, memory_order_relaxed);
    WR_ASSERT(before > 0);
    return gather;
}

void wr_gather_unref(struct wr_gather *gather)
{
    if (!gather)
        return;
    uint32_t before = atomic_fetch_sub_explicit(&gather->refs, 1, memory_order_acq_rel);
    WR_ASSERT(before > 0);
    if (before > 1)
        return;
    wr_once_free(gather->ended);
    wr_forget_free(gather);
}

void (wr_gather_report)(struct wr_gather *gather, uint32_t source, wr_err err,
                        const void *answer, const char *place)
{
    const struct wr_gather_conf *conf = &gather->conf;
    int before = NOT_YET;
    if (source >= conf->sources)
        wr_panic_at(place, "gather \"%s\" has no source %u, only %u", conf->name, source,
                    conf->sources);
    struct report *report = &gather->reports[source];
    if (!atomic_compare_exchange_strong(&report->state, &before, REPORTING))
        wr_panic_at(place, "gather \"%s\": source %u has reported before", conf->name, source);
    if (!err && conf->size)
        memcpy(gather->answers + source * conf->size, answer, conf->size);
    report->err = err;
    atomic_store_explicit(&report->state, REPORTED, memory_order_release);
    if (!err && conf->settles && conf->settles(answer))
        atomic_store_explicit(&gather->settled, true, memory_order_release);
    if (atomic_fetch_sub_explicit(&gather->missing, 1, memory_order_acq_rel) > 1)
        return;
    if (conf->finish)
        conf->finish(gather, conf->arg);
    err = wr_once_set(gather->ended, NULL);
    WR_ASSERT(err == WR_OK);
}

bool wr_gather_settled(const struct wr_gather *gather)
{
    return atomic_load_explicit(&gather->settled, memory_order_acquire);
}

wr_err wr_gather_result(const struct wr_gather *gather, uint32_t source, void *ret)
{
    WR_ASSERT(source < gather->conf.sources);
    const struct report *report = &gather->reports[source];
    if (atomic_load_explicit(&report->state, memory_order_acquire) != REPORTED)
        return WR_BUSY;
    if (!report->err && ret)
        memcpy(ret, gather->answers + source * gather->conf.size, gather->conf.size);
    return report->err;
}

wr_err (wr_gather_wait)(struct wr_gather *gather, wr_time deadline, const char *place)
{
    return (wr_once_wait)(gather->ended, NULL, deadline, place);
}
