/* dossier.c - a document that was handed in, what happens to it, and its report. */
#include "svc/check/dossier.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>
#include <weir/metric.h>
#include <weir/offload.h>

#include "base/forget.h"
#include "base/json.h"
#include "base/world.h"
#include "extract/document.h"

#define LOG_MAX ((size_t)8 << 20)
#define LOG_SPARE 4096                      /* for the last line */
#define EVENTS_STEP ((size_t)64 << 10)      /* given out at once */
#define FORM_MAX ((size_t)64 << 20)
#define PAPER_MEMORY_MAX ((size_t)256 << 20)
#define TITLE_SHOWN 200

static struct wr_metric documents_metric = {
    .name = "check_documents_total",
    .help = "Documents that were handed in, by what became of them.",
    .type = WR_COUNTER, .labels = { "result" }, .series_max = 4, .svc = "check",
};
static struct wr_metric references_metric = {
    .name = "check_references_total", .help = "References that were checked, by verdict.",
    .type = WR_COUNTER, .labels = { "verdict" }, .series_max = 8, .svc = "check",
};
static struct wr_metric seconds_metric = {
    .name = "check_document_seconds",
    .help = "From when a document was taken up to its report.",
    .type = WR_HISTOGRAM, .svc = "check", .digits = WR_NS_AS_S,
    .bounds = { WR_MS(10), WR_MS(100), WR_S(1), WR_S(10), WR_S(60), WR_S(600), WR_S(1800) },
};

struct dossier {
    atomic_size_t holders;
    char id[DOSSIER_ID_MAX], name[DOSSIER_NAME_MAX];
    bool one_per_line, offline;
    struct wr_body body;                    /* until it was taken apart */
    atomic_bool stopped, withdrawn;
    struct wr_mutex guard;                  /* of all that follows but the forms */
    struct dossier_view view;
    bool over;                              /* the last line was written */
    struct wr_text log;
    struct wr_watch *news;
    struct wr_watch_writer news_writer;
    struct check_paper *current;            /* that is being checked; not held */
    struct wr_text forms[CHECK_FORM_COUNT]; /* written once, before it is done */
};

/* One of its papers, for who hears of it. */
struct part { struct dossier *dossier; size_t index; };

/* ---- making and letting go ---- */

/* Cut before a character, not inside of one; what controls a terminal is not kept. */
static void take_name(struct dossier *dossier, const char *name)
{
    snprintf(dossier->name, sizeof(dossier->name), "%s", name);
    size_t len = strlen(dossier->name);
    if (name[len])
        while (len > 0 && ((unsigned char)name[len] & 0xc0) == 0x80)
            len--;
    dossier->name[len] = '\0';
    for (char *c = dossier->name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '_';
}

static wr_err make(struct dossier **ret, const char *id, const char *name)
{
    size_t none = 0;
    struct dossier *dossier = calloc(1, sizeof(*dossier));
    if (!dossier)
        return WR_NOMEM;
    wr_err err = wr_watch_new(&dossier->news, &dossier->news_writer, &(struct wr_watch_conf){
        .name = "check.dossier", .size = sizeof(size_t), .initial = &none });
    if (err) {
        free(dossier);
        return err;
    }
    atomic_init(&dossier->holders, 1);
    snprintf(dossier->id, sizeof(dossier->id), "%s", id);
    take_name(dossier, name);
    dossier->guard = (struct wr_mutex)WR_MUTEX("check.dossier", 710);
    dossier->log = wr_text_heap(LOG_MAX);
    for (size_t i = 0; i < CHECK_FORM_COUNT; i++)
        dossier->forms[i] = wr_text_heap(FORM_MAX);
    *ret = dossier;
    return WR_OK;
}

wr_err dossier_new(struct dossier **ret, const struct dossier_conf *conf)
{
    uint64_t random[2];
    char id[DOSSIER_ID_MAX];
    wr_world->entropy(random, sizeof(random));
    snprintf(id, sizeof(id), "%016llx%016llx", (unsigned long long)random[0],
             (unsigned long long)random[1]);
    wr_err err = make(ret, id, conf->name);
    if (err)
        return err;
    (*ret)->one_per_line = conf->one_per_line;
    (*ret)->offline = conf->offline;
    (*ret)->body = *conf->body;
    *conf->body = (struct wr_body){ 0 };
    return WR_OK;
}

struct dossier *dossier_ref(struct dossier *dossier)
{
    atomic_fetch_add_explicit(&dossier->holders, 1, memory_order_relaxed);
    return dossier;
}

void dossier_unref(struct dossier *dossier)
{
    if (!dossier || atomic_fetch_sub_explicit(&dossier->holders, 1, memory_order_acq_rel) > 1)
        return;
    wr_body_free(&dossier->body);
    for (size_t i = 0; i < CHECK_FORM_COUNT; i++)
        wr_text_free(&dossier->forms[i]);
    wr_text_free(&dossier->log);
    wr_watch_close(&dossier->news_writer);
    wr_watch_free(dossier->news);
    wr_mutex_fini(&dossier->guard);
    wr_forget_free(dossier);
}

const char *dossier_id(const struct dossier *dossier)
{
    return dossier->id;
}

const char *dossier_name(const struct dossier *dossier)
{
    return dossier->name;
}

const char *dossier_word(enum dossier_state state)
{
    static const char *const words[] = {
        [DOSSIER_WAITING] = "waiting", [DOSSIER_RUNNING] = "running",
        [DOSSIER_DONE] = "done",       [DOSSIER_FAILED] = "failed",
    };
    return words[state];
}

/* ---- what happens ---- */

/* With its guard held. */
static void add_line(struct dossier *dossier, const char *name, const struct wr_text *json)
{
    if (dossier->over)
        return;                             /* it was withdrawn while somebody worked on it */
    bool last = dossier->view.state == DOSSIER_DONE || dossier->view.state == DOSSIER_FAILED;
    size_t room = LOG_MAX - dossier->log.len, need = strlen(name) + json->len + 3;
    if (json->cut || need + (last ? 0 : LOG_SPARE) > room)
        return;
    wr_text_format(&dossier->log, "%s %s\n", name, json->at);
    dossier->view.bytes = dossier->log.len;
    wr_watch_set(&dossier->news_writer, &dossier->log.len);
}

static void tell_read(struct dossier *dossier, const struct extract_document *document)
{
    char buf[2048];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    wr_json_object(&json, NULL);
    wr_json_str(&json, "file", document->name);
    if (document->err) {
        wr_json_str(&json, "why", document->note);
    } else {
        wr_json_u64(&json, "references", document->references.count);
        wr_json_str(&json, "note", document->note);
    }
    wr_json_end(&json);
    wr_mutex_lock(&dossier->guard);
    if (!document->err)
        dossier->view.total += document->references.count;
    add_line(dossier, document->err ? "unread" : "read", &text);
    wr_mutex_unlock(&dossier->guard);
}

static void write_flags(struct wr_json *json, uint32_t flags)
{
    wr_json_array(json, "flags");
    for (unsigned i = 0; i < BIB_FLAG_COUNT; i++)
        if (flags & (1u << i))
            wr_json_str(json, NULL, bib_flag_word((enum bib_flag)i));
    wr_json_end(json);
}

/* Called by a paper, with its guard held. */
static void hear(void *arg, const struct check_event *event)
{
    const struct part *part = arg;
    struct dossier *dossier = part->dossier;
    const struct bib_reference *reference = event->reference;
    const char *title = reference->work.title ? reference->work.title : "";
    size_t len = strlen(title);
    char buf[2048];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    bool done = event->kind == CHECK_EVENT_DONE;
    wr_mutex_lock(&dossier->guard);
    dossier->view.done += done;
    wr_json_object(&json, NULL);
    wr_json_u64(&json, "document", part->index);
    wr_json_u64(&json, "number", reference->number);
    if (reference->key && strlen(reference->key) <= TITLE_SHOWN)
        wr_json_str(&json, "key", reference->key);
    wr_json_bytes(&json, "title", title, len < TITLE_SHOWN ? len : TITLE_SHOWN);
    if (done) {
        const struct bib_verdict *verdict = &event->finding->verdict;
        wr_json_str(&json, "verdict", bib_outcome_word(verdict->outcome));
        write_flags(&json, verdict->flags);
        wr_counter_add(wr_metric_counter(&references_metric,
                                         bib_outcome_word(verdict->outcome)), 1);
    }
    wr_json_u64(&json, "done", dossier->view.done);
    wr_json_u64(&json, "total", dossier->view.total);
    wr_json_end(&json);
    add_line(dossier, done ? "done" : "begun", &text);
    wr_mutex_unlock(&dossier->guard);
}

/* ---- the end ---- */

static void end(struct dossier *dossier, enum dossier_state state, const struct wr_text *json)
{
    dossier->view.state = state;
    dossier->view.ended = wr_now();
    add_line(dossier, state == DOSSIER_DONE ? "report" : "failed", json);
    dossier->over = true;
    /* Of one that was withdrawn somebody may be writing them at this moment. */
    for (size_t i = 0; state == DOSSIER_DONE && i < CHECK_FORM_COUNT; i++)
        dossier->view.bytes += dossier->forms[i].len;
    wr_watch_close(&dossier->news_writer);
    wr_counter_add(wr_metric_counter(&documents_metric, dossier_word(state)), 1);
}

void dossier_fail(struct dossier *dossier, wr_err err, const char *why)
{
    char buf[1024];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    wr_json_object(&json, NULL);
    wr_json_str(&json, "why", why);
    wr_json_end(&json);
    struct wr_body body = { 0 };
    wr_mutex_lock(&dossier->guard);
    if (dossier->view.state == DOSSIER_WAITING) {
        body = dossier->body;               /* nobody will take it apart any more */
        dossier->body = (struct wr_body){ 0 };
    }
    if (dossier->view.state != DOSSIER_DONE && dossier->view.state != DOSSIER_FAILED) {
        dossier->view.err = err;
        snprintf(dossier->view.why, sizeof(dossier->view.why), "%s", why);
        end(dossier, DOSSIER_FAILED, &text);
    }
    wr_mutex_unlock(&dossier->guard);
    wr_body_free(&body);
}

void dossier_stop(struct dossier *dossier)
{
    atomic_store(&dossier->stopped, true);
    wr_mutex_lock(&dossier->guard);
    struct check_paper *paper = dossier->current ? check_paper_ref(dossier->current) : NULL;
    wr_mutex_unlock(&dossier->guard);
    if (paper)
        check_paper_end(paper);
    check_paper_unref(paper);
}

/* ---- the work ---- */

struct work {
    struct dossier *dossier;
    const struct check_panel *panel;
    wr_time deadline;
    struct part *parts;
    struct check_paper **papers;
    size_t count;
};

static void make_current(struct dossier *dossier, struct check_paper *paper)
{
    wr_mutex_lock(&dossier->guard);
    dossier->current = paper;
    wr_mutex_unlock(&dossier->guard);
}

static wr_err add_papers(struct work *work, const struct extract_documents *documents)
{
    wr_err err = WR_OK;
    work->parts = calloc(documents->count + 1, sizeof(*work->parts));
    work->papers = calloc(documents->count + 1, sizeof(struct check_paper *));
    if (!work->parts || !work->papers)
        return WR_NOMEM;
    for (size_t i = 0; i < documents->count && !err; i++) {
        const struct extract_document *document = &documents->at[i];
        tell_read(work->dossier, document);
        if (document->err)
            continue;
        work->parts[work->count] = (struct part){ work->dossier, work->count };
        err = check_paper_new(&work->papers[work->count], &(struct check_paper_conf){
            .file = document->name, .note = document->note,
            .references = document->references, .memory_max = PAPER_MEMORY_MAX,
            .libraries = work->panel->views, .library_count = work->panel->library_count,
            .event = hear, .arg = &work->parts[work->count] });
        if (!err)
            work->count++;
    }
    return err;
}

/* False: it has failed. */
static bool take_apart(struct work *work)
{
    struct dossier *dossier = work->dossier;
    struct wr_arena arena = WR_ARENA(EXTRACT_ARENA_MAX);
    struct extract_documents documents;
    char why[EXTRACT_WHY];
    wr_err err = extract_document(dossier->name, dossier->body.at ? dossier->body.at : "",
                                  dossier->body.len, &(struct extract_conf){
        .deadline = work->deadline, .one_per_line = dossier->one_per_line },
        &arena, &documents, why);
    if (!err) {
        err = add_papers(work, &documents);
        snprintf(why, sizeof(why), "%s: it needs more memory than it gets", dossier->name);
    }
    if (!err && work->count == 0) {
        err = WR_INVALID;
        snprintf(why, sizeof(why), "%s: nothing in it could be read", dossier->name);
    }
    wr_arena_free(&arena);
    wr_body_free(&dossier->body);
    if (err)
        dossier_fail(dossier, err, why);
    return !err;
}

static void check_papers(struct work *work)
{
    const struct check_panel *panel = work->panel;
    struct check_engine *engine = work->dossier->offline ? panel->inside : panel->engine;
    for (size_t i = 0; i < work->count; i++) {
        make_current(work->dossier, work->papers[i]);
        if (atomic_load(&work->dossier->stopped))
            check_paper_end(work->papers[i]);
        else
            (void)!check_engine_check(engine, work->papers[i], work->deadline);
        make_current(work->dossier, NULL);
    }
}

static void write_forms(void *arg)
{
    struct work *work = arg;
    const struct check_report **reports = calloc(work->count, sizeof(void *));
    for (size_t i = 0; reports && i < work->count; i++)
        reports[i] = check_paper_report(work->papers[i]);
    for (size_t i = 0; reports && i < CHECK_FORM_COUNT; i++)
        check_forms[i].write(&work->dossier->forms[i], reports, work->count);
    free(reports);
}

static void write_summary(const struct work *work, struct wr_text *text)
{
    uint32_t outcomes[BIB_OUTCOME_COUNT] = { 0 }, total = 0, attention = 0;
    for (size_t i = 0; i < work->count; i++) {
        struct check_summary summary = check_summarise(check_paper_report(work->papers[i]));
        for (size_t j = 0; j < BIB_OUTCOME_COUNT; j++)
            outcomes[j] += summary.outcomes[j];
        total += summary.total;
        attention += summary.attention;
    }
    struct wr_json json = wr_json_to(text);
    wr_json_object(&json, NULL);
    wr_json_u64(&json, "documents", work->count);
    wr_json_u64(&json, "total", total);
    for (size_t j = 0; j < BIB_OUTCOME_COUNT; j++)
        wr_json_u64(&json, bib_outcome_word((enum bib_outcome)j), outcomes[j]);
    wr_json_u64(&json, "attention", attention);
    wr_json_end(&json);
}

static void report(struct work *work)
{
    struct dossier *dossier = work->dossier;
    char buf[512];
    struct wr_text text = WR_TEXT(buf);
    wr_err err = wr_offload(write_forms, work, wr_after(WR_S(60)));
    if (!err && dossier->forms[0].len == 0)
        err = WR_NOMEM;
    if (err) {
        dossier_fail(dossier, err, err == WR_CANCELED ? "the node was stopped"
                                                      : "its report could not be written");
        return;
    }
    write_summary(work, &text);
    wr_mutex_lock(&dossier->guard);
    if (dossier->view.state == DOSSIER_RUNNING)
        end(dossier, DOSSIER_DONE, &text);
    wr_mutex_unlock(&dossier->guard);
}

void dossier_work(struct dossier *dossier, const struct check_panel *panel, wr_time deadline)
{
    struct work work = { .dossier = dossier, .panel = panel, .deadline = deadline };
    wr_time began = wr_now();
    wr_mutex_lock(&dossier->guard);
    bool waits = dossier->view.state == DOSSIER_WAITING;
    if (waits)
        dossier->view.state = DOSSIER_RUNNING;
    wr_mutex_unlock(&dossier->guard);
    if (waits && take_apart(&work)) {
        check_papers(&work);
        report(&work);
    }
    for (size_t i = 0; i < work.count; i++) {
        check_paper_end(work.papers[i]);        /* nobody hears of it any more */
        check_paper_unref(work.papers[i]);
    }
    free(work.papers);
    free(work.parts);
    wr_histogram_observe(wr_metric_histogram(&seconds_metric), wr_now() - began);
}

/* ---- looking ---- */

void dossier_withdraw(struct dossier *dossier)
{
    atomic_store(&dossier->withdrawn, true);
    dossier_stop(dossier);
    dossier_fail(dossier, WR_CANCELED, "it was withdrawn");
}

bool dossier_withdrawn(const struct dossier *dossier)
{
    return atomic_load(&dossier->withdrawn);
}

struct dossier_view dossier_view(struct dossier *dossier)
{
    wr_mutex_lock(&dossier->guard);
    struct dossier_view view = dossier->view;
    wr_mutex_unlock(&dossier->guard);
    return view;
}

size_t dossier_events(struct dossier *dossier, size_t from, struct wr_text *ret)
{
    wr_mutex_lock(&dossier->guard);
    const struct wr_text *log = &dossier->log;
    if (from > log->len || (from > 0 && log->at[from - 1] != '\n'))
        from = 0;
    size_t until = log->len;
    if (until - from > EVENTS_STEP) {
        until = from + EVENTS_STEP;
        while (log->at[until - 1] != '\n')
            until--;
    }
    wr_text_bytes(ret, log->at + from, until - from);
    wr_mutex_unlock(&dossier->guard);
    return until;
}

struct wr_watch_reader dossier_news(struct dossier *dossier)
{
    return wr_watch_reader(dossier->news);
}

const struct wr_text *dossier_form(const struct dossier *dossier, size_t form)
{
    return dossier->forms[form].cut ? NULL : &dossier->forms[form];
}

/* ---- elsewhere ---- */

/* "json 1234\n" and so many bytes, for each form that is there. */
struct wr_bytes *dossier_pack(const struct dossier *dossier)
{
    struct wr_text text = wr_text_heap(CHECK_FORM_COUNT * (FORM_MAX + 100));
    struct wr_bytes *ret = NULL;
    wr_text_format(&text, "%s\n", dossier->name);
    for (size_t i = 0; i < CHECK_FORM_COUNT; i++) {
        const struct wr_text *form = &dossier->forms[i];
        if (form->cut)
            continue;
        wr_text_format(&text, "%s %zu\n", check_forms[i].name, form->len);
        wr_text_bytes(&text, form->at, form->len);
    }
    if (!text.cut)
        (void)!wr_bytes_copy(&ret, text.at, text.len);
    wr_text_free(&text);
    return ret;
}

/* The rest of a line; NULL: there is none. */
static const char *line_of(char *ret, size_t size, const char *at, const char *end)
{
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop || (size_t)(stop - at) >= size)
        return NULL;
    memcpy(ret, at, (size_t)(stop - at));
    ret[stop - at] = '\0';
    return stop + 1;
}

static const char *unpack_form(struct dossier *dossier, const char *at, const char *end)
{
    char line[64], *number;
    at = line_of(line, sizeof(line), at, end);
    if (!at || !(number = strchr(line, ' ')))
        return NULL;
    *number++ = '\0';
    const struct check_form *form = check_form(line);
    unsigned long long len = strtoull(number, NULL, 10);
    if (!form || len > (unsigned long long)(end - at))
        return NULL;
    wr_text_bytes(&dossier->forms[form - check_forms], at, (size_t)len);
    return at + len;
}

wr_err dossier_unpack(struct dossier **ret, const char *id, const void *bytes, size_t len)
{
    const char *at = bytes, *end_of = at + len;
    char name[DOSSIER_NAME_MAX];
    struct dossier *dossier;
    at = line_of(name, sizeof(name), at, end_of);
    if (!at)
        return WR_INVALID;
    wr_err err = make(&dossier, id, name);
    if (err)
        return err;
    while (at && at < end_of)
        at = unpack_form(dossier, at, end_of);
    if (!at) {
        dossier_unref(dossier);
        return WR_INVALID;
    }
    for (size_t i = 0; i < CHECK_FORM_COUNT; i++)
        if (dossier->forms[i].len == 0)
            dossier->forms[i].cut = 1;
    wr_mutex_lock(&dossier->guard);
    dossier->view.state = DOSSIER_DONE;
    dossier->view.ended = wr_now();
    dossier->over = true;
    wr_text_str(&dossier->log, "report {}\n");
    wr_watch_set(&dossier->news_writer, &dossier->log.len);
    wr_watch_close(&dossier->news_writer);
    wr_mutex_unlock(&dossier->guard);
    *ret = dossier;
    return WR_OK;
}
