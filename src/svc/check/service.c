/* service.c - checking references, as a service of the node. */
#include "svc/check/service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/log.h>
#include <weir/scope.h>
#include <weir/select.h>
#include <weir/sse.h>
#include <weir/timer.h>

#include "base/json.h"
#include "svc/check/intake.h"

#define ROUTES 4
#define BODY_MAX ((size_t)64 << 20)
#define BODY_WITHIN WR_S(240)           /* 64 MiB at 280 KB a second */
#define UPLOADS_MAX 16
#define TIDY_EVERY WR_S(10)
#define SAVE_WITHIN WR_S(1)             /* for a store to take a report */
#define EVENTS_MAX ((size_t)128 << 10)

struct check_service {
    struct wr_conf *conf;
    struct check_panel panel;
    struct intake *intake;
    struct sources *const *sources;     /* where they are; or NULL */
    _Atomic bool runs;                  /* somebody takes documents */
    struct node_service row;
    struct wr_child child;
    struct wr_route routes[ROUTES];
};

/* A runner, and when it is to end. */
struct runner { struct check_service *self; struct wr_once *drain; };

/* ---- the task ---- */

static wr_err run_documents(void *arg)
{
    const struct runner *runner = arg;
    struct check_service *self = runner->self;
    struct dossier *dossier;
    struct wr_case cases[] = { WR_CASE_ONCE(runner->drain, NULL),
                               WR_CASE_RECV(intake_waiting(self->intake), &dossier) };
    size_t which;
    wr_err err;
    while (!(err = wr_select(&which, cases, 2, WR_NEVER)) && which == 1 && !cases[1].err) {
        wr_time within = wr_conf_duration(self->conf, "check.timeout");
        dossier_work(dossier, &self->panel, wr_after(within));
        intake_ended(self->intake, dossier, wr_after(SAVE_WITHIN));
        dossier_unref(dossier);
    }
    return err;
}

static void broke_down(struct dossier *dossier)
{
    dossier_stop(dossier);
    dossier_fail(dossier, WR_IO, "the check broke down; hand it in again");
}

/* Until it is told to end; then what runs has a moment to, and must. */
static wr_err keep_tidy(struct check_service *self, struct wr_once *drain)
{
    struct wr_timer tick = { 0 };
    struct wr_case cases[] = { WR_CASE_ONCE(drain, NULL), WR_CASE_TIMER(&tick) };
    size_t which;
    wr_err err;
    do {
        intake_tidy(self->intake);
        wr_timer_set(&tick, wr_after(TIDY_EVERY));
        err = wr_select(&which, cases, 2, WR_NEVER);
    } while (!err && which == 1);
    wr_timer_clear(&tick);
    return err;
}

static wr_err work(struct check_service *self, struct wr_once *drain)
{
    struct runner runner = { self, drain };
    struct wr_scope *runners;
    unsigned count = (unsigned)wr_conf_int(self->conf, "check.documents_at_once");
    wr_err err = wr_scope_new(&runners, &(struct wr_scope_conf){ .name = "check.runners",
                                                                 .deadline = WR_NEVER });
    if (err)
        return err;
    for (unsigned i = 0; i < count && !err; i++)
        err = wr_scope_go(runners, "check.runner", run_documents, &runner);
    atomic_store(&self->runs, !err);
    if (!err)
        err = keep_tidy(self, drain);
    atomic_store(&self->runs, false);
    if (err)
        wr_scope_cancel(runners);
    /* Half of what a child has in a drain; the rest is for reports to be written. */
    wr_time moment = wr_conf_duration(self->conf, "drain_deadline") / 5 * 2;
    if (!err && wr_scope_join(runners, wr_after(moment)) != WR_OK)
        intake_running(self->intake, dossier_stop);
    wr_err ended = wr_scope_join(runners, WR_NEVER);
    (void)!wr_scope_close(runners);
    return err ? err : ended;
}

static wr_err run(void *arg, struct wr_once *drain)
{
    char why[CHECK_WHY_MAX] = "";
    struct check_service *self = arg;
    intake_running(self->intake, broke_down);
    wr_err err = check_panel_start(&self->panel, why);
    if (err) {
        wr_log(WR_ERROR, "check.not_started", WR_F_STR("said", why), WR_F_ERR(err));
    } else {
        err = work(self, drain);
        check_panel_stop(&self->panel);
    }
    return err;
}

/* ---- opening and closing ---- */

static struct intake_conf bounds(const struct wr_conf *conf)
{
    return (struct intake_conf){
        .kept_max = (size_t)wr_conf_int(conf, "check.reports_max"),
        .bytes_max = wr_conf_size(conf, "check.reports_bytes"),
        .ttl = wr_conf_duration(conf, "check.report_ttl"),
        .waiting_max = (size_t)wr_conf_int(conf, "check.documents_waiting"),
        .waiting_bytes_max = wr_conf_size(conf, "check.documents_bytes"),
    };
}

static void close_all(void *arg)
{
    struct check_service *self = arg;
    check_panel_close(&self->panel);
    intake_free(self->intake);
    wr_conf_unref(self->conf);
    self->conf = NULL;
    self->intake = NULL;
}

static wr_err open_all(void *arg, const struct wr_conf *conf, struct store *store, char *why)
{
    char said[CHECK_WHY_MAX] = "there is no memory for it";
    struct check_service *self = arg;
    self->conf = wr_conf_ref((struct wr_conf *)(uintptr_t)conf);
    struct intake_conf intake = bounds(conf);
    intake.store = wr_conf_bool(conf, "security.amnesia") ? NULL : store;
    wr_err err = intake_new(&self->intake, &intake);
    if (!err)
        err = check_panel_read(&self->panel, &(struct check_panel_conf){
            .conf = self->conf, .sources = self->sources ? *self->sources : NULL }, said);
    if (err) {
        snprintf(why, NODE_WHY_MAX, "check: %.400s", said);
        close_all(self);
    }
    return err;
}

static void reload(void *arg, const struct wr_conf *conf)
{
    struct check_service *self = arg;
    struct intake_conf intake = bounds(conf);
    intake_tune(self->intake, &intake);
}

static enum wr_health probe(void *arg, char *why)
{
    struct check_service *self = arg;
    if (atomic_load(&self->runs))
        return WR_HEALTH_READY;
    snprintf(why, 100, "nobody takes documents");
    return WR_HEALTH_UNREADY;
}

/* ---- who hands in ---- */

static bool wants(struct wr_call *call, const char *name)
{
    const char *value = wr_call_query(call, name);
    return value && (strcmp(value, "true") == 0 || strcmp(value, "1") == 0 || !*value);
}

static wr_err answer_json(struct wr_call *call, unsigned status, const struct wr_text *text)
{
    if (text->cut)
        return WR_NOMEM;
    wr_call_status(call, status);
    wr_call_type(call, "application/json");
    wr_call_write(call, text->at, text->len);
    return WR_OK;
}

static void write_place(struct wr_json *json, const char *key, const char *id, const char *more)
{
    char place[100];
    snprintf(place, sizeof(place), "/v1/check/%s%s", id, more);
    wr_json_str(json, key, place);
}

static wr_err answer_state(struct wr_call *call, struct dossier *dossier)
{
    char buf[2048], place[100];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    struct dossier_view view = dossier_view(dossier);
    const char *id = dossier_id(dossier);
    wr_json_object(&json, NULL);
    wr_json_str(&json, "id", id);
    wr_json_str(&json, "file", dossier_name(dossier));
    wr_json_str(&json, "state", dossier_word(view.state));
    wr_json_u64(&json, "done", view.done);
    wr_json_u64(&json, "total", view.total);
    write_place(&json, "report", id, "");
    write_place(&json, "events", id, "/events");
    wr_json_end(&json);
    snprintf(place, sizeof(place), "/v1/check/%s", id);
    wr_call_reply_header(call, "Location", place);
    return answer_json(call, 202, &text);
}

/* The last part of a path, as browsers and scripts give whole ones. */
static const char *file_name(struct wr_call *call)
{
    const char *name = wr_call_query(call, "file");
    const char *slash = name ? strrchr(name, '/') : NULL;
    name = slash ? slash + 1 : name;
    return name && *name ? name : "document";
}

static wr_err post_document(struct wr_call *call)
{
    struct check_service *self = wr_call_arg(call);
    struct wr_body body;
    struct dossier *dossier;
    wr_err err = wr_call_take_body(call, &body);
    if (err)
        return err;
    if (body.len == 0)
        return wr_call_fail(call, WR_INVALID, "the body is empty: send the document itself, "
                            "such as curl --data-binary @refs.bib");
    err = intake_take(self->intake, &(struct dossier_conf){
        .name = file_name(call), .body = &body,
        .one_per_line = wants(call, "one_per_line"), .offline = wants(call, "offline") },
        &dossier);
    wr_body_free(&body);
    if (err == WR_BUSY) {
        wr_call_retry_after(call, WR_S(10));
        return wr_call_fail(call, err, "as many documents wait as may "
                            "(check.documents_waiting, check.documents_bytes)");
    }
    if (err)
        return err;
    err = answer_state(call, dossier);
    dossier_unref(dossier);
    return err;
}

/* ---- who asks ---- */

static wr_err find(struct wr_call *call, struct dossier **ret)
{
    struct check_service *self = wr_call_arg(call);
    const char *id = wr_call_param(call, "id");
    wr_err err = intake_find(self->intake, id, ret, wr_call_deadline(call));
    if (err == WR_NOTFOUND)
        return wr_call_fail(call, err, "there is no check \"%.40s\", or no longer (reports are "
                            "kept for check.report_ttl)", id);
    return err;
}

static wr_err answer_failure(struct wr_call *call, const struct dossier_view *view)
{
    bool his = view->err == WR_INVALID || view->err == WR_DENIED;
    wr_call_status(call, his ? 422 : 503);
    return wr_call_fail(call, view->err, "%s", view->why);
}

/* What is asked for by name, else by the media type; JSON where neither says. */
static const struct check_form *form_of(struct wr_call *call)
{
    const char *name = wr_call_query(call, "form"), *accept = wr_call_header(call, "accept");
    if (name)
        return check_form(name);
    for (size_t i = 0; accept && i < CHECK_FORM_COUNT; i++) {
        size_t len = strcspn(check_forms[i].media, ";");
        if (strncmp(accept, check_forms[i].media, len) == 0)
            return &check_forms[i];
    }
    return &check_forms[0];
}

static wr_err answer_report(struct wr_call *call, struct dossier *dossier)
{
    const struct check_form *form = form_of(call);
    struct dossier_view view = dossier_view(dossier);
    if (!form)
        return wr_call_fail(call, WR_INVALID, "form is \"%.40s\"; json, csv, markdown, html, "
                            "sarif and text are known", wr_call_query(call, "form"));
    if (view.state == DOSSIER_FAILED)
        return answer_failure(call, &view);
    if (view.state != DOSSIER_DONE)
        return answer_state(call, dossier);
    const struct wr_text *text = dossier_form(dossier, (size_t)(form - check_forms));
    if (!text)
        return wr_call_fail(call, WR_UNSUPPORTED, "the report is too large as %s; ask for "
                            "another form", form->name);
    wr_call_type(call, form->media);
    wr_call_write(call, text->at, text->len);
    return WR_OK;
}

static wr_err get_report(struct wr_call *call)
{
    struct dossier *dossier;
    wr_err err = find(call, &dossier);
    if (err)
        return err;
    err = answer_report(call, dossier);
    dossier_unref(dossier);
    return err;
}

static wr_err delete_report(struct wr_call *call)
{
    struct check_service *self = wr_call_arg(call);
    struct dossier *dossier;
    wr_err err = find(call, &dossier);
    if (err)
        return err;
    err = intake_drop(self->intake, dossier_id(dossier), wr_call_deadline(call));
    dossier_unref(dossier);
    if (!err)
        wr_call_status(call, 204);
    return err;
}

/* Lines "NAME JSON", of which the first begins at `at`.  Their ids are where they end. */
static wr_err send_events(struct wr_sse *sse, char *lines, size_t at)
{
    wr_err err = WR_OK;
    for (char *line = lines, *end; !err && (end = strchr(line, '\n')); line = end + 1) {
        char id[24], *data = strchr(line, ' ');
        *end = *data = '\0';
        at += (size_t)(end - line) + 1;
        snprintf(id, sizeof(id), "%zu", at);
        err = wr_sse_event(sse, id, line, data + 1);
    }
    return err;
}

static wr_err follow(struct wr_call *call, struct wr_sse *sse, struct dossier *dossier)
{
    const struct facet_permit *permit = *wr_call_memo(call);
    const char *last = wr_sse_last_id(call);
    size_t at = last ? strtoull(last, NULL, 10) : 0, end, which;
    struct wr_watch_reader news = dossier_news(dossier);
    struct wr_case cases[] = { WR_CASE_WATCH(&news, &end) };
    struct wr_text lines = wr_text_heap(EVENTS_MAX);
    wr_err err = WR_OK;
    while (!err && !(permit && facet_shed(permit))) {
        bool ended = dossier_view(dossier).ended;
        wr_text_rewind(&lines, 0);
        end = dossier_events(dossier, at, &lines);
        err = send_events(sse, lines.at, end - lines.len);
        bool more = end != at;
        at = end;
        if (err || more)
            continue;
        if (ended)
            break;
        err = wr_sse_select(sse, &which, cases, 1);
    }
    wr_text_free(&lines);
    return err;
}

static wr_err get_events(struct wr_call *call)
{
    struct dossier *dossier;
    struct wr_sse sse;
    wr_err err = find(call, &dossier);
    if (err)
        return err;
    err = wr_sse_begin(&sse, call, &(struct wr_sse_conf){ 0 });
    if (!err)
        err = follow(call, &sse, dossier);
    err = wr_sse_end(&sse, err);
    dossier_unref(dossier);
    return err;
}

/* ---- the row ---- */

static const struct node_policy feed = { .facet = FACET_FEED };

static const struct wr_route routes[ROUTES] = {
    { .method = "POST", .path = "/v1/check", .handler = post_document, .class = WR_ROUTE_LONG,
      .body_max = BODY_MAX, .spool = true, .body_within = BODY_WITHIN, .scope = "check.use",
      .concurrency = UPLOADS_MAX, .tag = "check",
      .summary = "Hand in a document whose references are to be checked; the answer is an id.",
      .query = "file: its name, which is shown in the report\n"
               "one_per_line: true: each line of a text is one reference\n"
               "offline: true: nobody outside is asked" },
    { .method = "GET", .path = "/v1/check/{id}", .handler = get_report, .scope = "check.use",
      .tag = "check", .summary = "The report; 202 and how far it is while there is none.",
      .query = "form: json, csv, markdown, html, sarif or text; else as Accept says" },
    { .method = "DELETE", .path = "/v1/check/{id}", .handler = delete_report,
      .scope = "check.use", .tag = "check",
      .summary = "Withdraw a document, and forget its report." },
    { .method = "GET", .path = "/v1/check/{id}/events", .handler = get_events,
      .class = WR_ROUTE_STREAM, .policy = &feed, .scope = "check.use", .tag = "check",
      .summary = "What happens to it, as it happens, from the beginning." },
};

wr_err check_service_new(struct check_service **ret, struct sources *const *sources)
{
    struct check_service *self = calloc(1, sizeof(*self));
    if (!self)
        return WR_NOMEM;
    self->sources = sources;
    memcpy(self->routes, routes, sizeof(routes));
    for (size_t i = 0; i < ROUTES; i++)
        self->routes[i].arg = self;
    self->child = (struct wr_child){ .name = "check.service", .run = run, .arg = self,
                                     .restart = WR_RESTART_ALWAYS };
    self->row = (struct node_service){
        .name = "check", .routes = self->routes, .route_count = ROUTES, .open = open_all,
        .close = close_all, .reload = reload, .probe = probe, .arg = self,
        .children = &self->child, .child_count = 1 };
    *ret = self;
    return WR_OK;
}

const struct node_service *check_service_row(const struct check_service *service)
{
    return &service->row;
}

struct intake *const *check_service_intake(const struct check_service *service)
{
    return &service->intake;
}

void check_service_free(struct check_service *service)
{
    free(service);
}
