/* paper.c - a document while its references are checked, and afterwards. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>
#include <weir/once.h>
#include <weir/panic.h>

#include "svc/check/duplicate.h"
#include "svc/check/paper.h"

#define MEMORY_MAX ((size_t)1 << 30)

struct check_paper {
    atomic_size_t holders;
    atomic_bool over;
    struct wr_mutex guard;          /* of the arena, the findings and the count */
    struct wr_arena arena;
    struct wr_once *end;
    struct check_report report;
    bool *known;                    /* of each finding: it is in */
    size_t done;
    void (*event)(void *arg, const struct check_event *event);
    void *arg;
};

static const char unseen[] = "nobody had looked at it when the check was ended";
static const char no_room[] = "there was no memory for what was found";

static const char *text(struct wr_arena *arena, const char *from)
{
    return from ? wr_arena_str(arena, from) : NULL;
}

static void free_paper(struct check_paper *paper)
{
    wr_once_free(paper->end);
    wr_mutex_fini(&paper->guard);
    wr_arena_free(&paper->arena);
    free(paper);
}

/* Libraries may be closed before a report is read. */
static const struct check_library *copy_libraries(struct wr_arena *arena,
                                                  const struct check_library *from,
                                                  size_t count)
{
    struct check_library *to = wr_arena_grow(arena, from, count, count, sizeof(*to));
    for (size_t i = 0; to && i < count; i++)
        to[i] = (struct check_library){ .name = text(arena, from[i].name),
                                        .kind = text(arena, from[i].kind),
                                        .version = text(arena, from[i].version),
                                        .records = from[i].records };
    return to;
}

/* The report as it is before anything is found. */
static wr_err make_report(struct check_paper *paper, const struct check_paper_conf *conf)
{
    struct wr_arena *arena = &paper->arena;
    struct bib_references references;
    size_t count = conf->references.count;
    paper->report = (struct check_report){
        .file = text(arena, conf->file), .note = text(arena, conf->note), .count = count,
        .unjudged = conf->unjudged,
        .libraries = copy_libraries(arena, conf->libraries, conf->library_count),
        .library_count = conf->library_count };
    paper->report.findings = wr_arena_alloc(arena,
                                            (count + 1) * sizeof(*paper->report.findings));
    paper->known = wr_arena_alloc(arena, count + 1);
    if (bib_references_copy(&references, arena, &conf->references) != WR_OK)
        return WR_NOMEM;
    for (size_t i = 0; i < count; i++)
        paper->report.findings[i].reference = &references.at[i];
    check_find_duplicates(&paper->report, arena);
    return arena->full ? WR_NOMEM : WR_OK;
}

wr_err check_paper_new(struct check_paper **ret, const struct check_paper_conf *conf)
{
    struct check_paper *paper = calloc(1, sizeof(*paper));
    if (!paper)
        return WR_NOMEM;
    paper->arena = WR_ARENA(conf->memory_max ? conf->memory_max : MEMORY_MAX);
    paper->guard = (struct wr_mutex)WR_MUTEX("check.paper", 700);
    wr_err err = make_report(paper, conf);
    if (!err)
        err = wr_once_new(&paper->end, "check.paper", 0);
    if (err) {
        free_paper(paper);
        return err;
    }
    paper->event = conf->event;
    paper->arg = conf->arg;
    atomic_init(&paper->holders, 1);
    *ret = paper;
    if (!conf->references.count || conf->unjudged)
        check_paper_end(paper);
    return WR_OK;
}

struct check_paper *check_paper_ref(struct check_paper *paper)
{
    atomic_fetch_add_explicit(&paper->holders, 1, memory_order_relaxed);
    return paper;
}

void check_paper_unref(struct check_paper *paper)
{
    if (paper && atomic_fetch_sub_explicit(&paper->holders, 1, memory_order_acq_rel) == 1)
        free_paper(paper);
}

const char *check_paper_file(const struct check_paper *paper)
{
    return paper->report.file;
}

size_t check_paper_count(const struct check_paper *paper)
{
    return paper->report.count;
}

const struct bib_reference *check_paper_reference(const struct check_paper *paper, size_t index)
{
    WR_ASSERT(index < paper->report.count);
    return paper->report.findings[index].reference;
}

/* ---- copies ---- */

static void copy_mismatches(struct wr_arena *arena, struct bib_verdict *verdict)
{
    struct bib_mismatch *to = wr_arena_grow(arena, verdict->mismatches, verdict->mismatch_count,
                                            verdict->mismatch_count, sizeof(*to));
    verdict->mismatches = to;
    for (size_t i = 0; to && i < verdict->mismatch_count; i++) {
        to[i].cited = text(arena, to[i].cited);
        to[i].found = text(arena, to[i].found);
    }
}

static void copy_evidence(struct wr_arena *arena, struct check_finding *finding)
{
    struct check_evidence *to = wr_arena_grow(arena, finding->evidence, finding->evidence_count,
                                              finding->evidence_count, sizeof(*to));
    finding->evidence = to;
    for (size_t i = 0; to && i < finding->evidence_count; i++) {
        to[i].source = text(arena, to[i].source);
        to[i].id = text(arena, to[i].id);
        to[i].version = text(arena, to[i].version);
        to[i].url = text(arena, to[i].url);
        to[i].retraction = text(arena, to[i].retraction);
        to[i].work = to[i].work ? bib_work_copy(arena, to[i].work) : NULL;
    }
}

static void copy_asked(struct wr_arena *arena, struct check_finding *finding)
{
    struct check_asked *to = wr_arena_grow(arena, finding->asked, finding->asked_count,
                                           finding->asked_count, sizeof(*to));
    finding->asked = to;
    for (size_t i = 0; to && i < finding->asked_count; i++) {
        to[i].source = text(arena, to[i].source);
        to[i].why = text(arena, to[i].why);
    }
}

/* A copy that lacks something would say something else: without room it is inconclusive. */
static void copy(struct wr_arena *arena, struct check_finding *to,
                 const struct check_finding *from)
{
    struct check_finding made = *from;
    made.reference = to->reference;
    made.verdict.flags |= to->verdict.flags;            /* that it is a duplicate */
    made.duplicate_of = to->duplicate_of;
    made.verdict.evidence = NULL;
    made.verdict.evidence_count = 0;
    copy_mismatches(arena, &made.verdict);
    copy_evidence(arena, &made);
    copy_asked(arena, &made);
    made.reason = text(arena, from->reason);
    if (arena->full)
        made = (struct check_finding){ .reference = to->reference, .reason = no_room,
                                       .verdict.outcome = BIB_INCONCLUSIVE };
    *to = made;
}

/* ---- what happens to it ---- */

static void tell(struct check_paper *paper, enum check_event_kind kind, size_t index)
{
    if (paper->event)
        paper->event(paper->arg, &(struct check_event){
            .kind = kind, .index = index, .reference = paper->report.findings[index].reference,
            .done = paper->done, .total = paper->report.count,
            .finding = kind == CHECK_EVENT_DONE ? &paper->report.findings[index] : NULL });
}

void check_paper_begin(struct check_paper *paper, size_t index)
{
    wr_mutex_lock(&paper->guard);
    if (!atomic_load_explicit(&paper->over, memory_order_relaxed))
        tell(paper, CHECK_EVENT_BEGUN, index);
    wr_mutex_unlock(&paper->guard);
}

/* The last thing that happens to it, with its guard held. */
static void end(struct check_paper *paper)
{
    struct check_report *report = &paper->report;
    for (size_t i = 0; i < report->count; i++)
        if (!paper->known[i] && !report->unjudged) {
            report->cut_short = true;
            report->findings[i].verdict.outcome = BIB_INCONCLUSIVE;
            report->findings[i].reason = unseen;
        }
    atomic_store_explicit(&paper->over, true, memory_order_release);
}

void check_paper_put(struct check_paper *paper, size_t index,
                     const struct check_finding *finding)
{
    WR_ASSERT(index < paper->report.count);
    wr_mutex_lock(&paper->guard);
    bool over = atomic_load_explicit(&paper->over, memory_order_relaxed);
    if (!over) {
        WR_ASSERT(!paper->known[index]);
        copy(&paper->arena, &paper->report.findings[index], finding);
        paper->known[index] = true;
        paper->done++;
        tell(paper, CHECK_EVENT_DONE, index);
        if (paper->done == paper->report.count)
            end(paper);
    }
    bool ended = !over && atomic_load_explicit(&paper->over, memory_order_relaxed);
    wr_mutex_unlock(&paper->guard);
    if (ended)
        (void)!wr_once_set(paper->end, NULL);
}

bool check_paper_ended(const struct check_paper *paper)
{
    return atomic_load_explicit(&paper->over, memory_order_acquire);
}

void check_paper_end(struct check_paper *paper)
{
    wr_mutex_lock(&paper->guard);
    bool over = atomic_load_explicit(&paper->over, memory_order_relaxed);
    if (!over)
        end(paper);
    wr_mutex_unlock(&paper->guard);
    if (!over)
        (void)!wr_once_set(paper->end, NULL);
}

wr_err check_paper_wait(struct check_paper *paper, wr_time deadline)
{
    return wr_once_wait(paper->end, NULL, deadline);
}

const struct check_report *check_paper_report(const struct check_paper *paper)
{
    WR_ASSERT(check_paper_ended(paper));
    return &paper->report;
}
