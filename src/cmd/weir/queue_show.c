/* queue_show.c - see queue_show.h. */
#include "cmd/weir/queue_show.h"

#include <string.h>

#include "svc/check/glyph.h"

#define NARROW 100              /* bytes of a text in a row */

static const char *text_at(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

static long long number_at(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* At most so many characters, and a mark where there is more. */
static void put_short(struct wr_text *text, const char *value, size_t most)
{
    size_t count = 0;
    const char *at = value;
    while (*at && count++ < most) {
        struct check_glyph glyph = check_glyph_next(&at);
        wr_text_bytes(text, glyph.bytes, glyph.len);
    }
    if (*at)
        wr_text_str(text, "…");
}

/* "3 queued, 1 running"; nothing where all are zero. */
static void put_counts(struct wr_text *text, const char *title, const json_t *counts)
{
    static const char *const states[] = { "queued", "running", "awaiting_auth", "completed",
                                          "failed", "cancelled" };
    bool any = false;
    for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
        long long count = number_at(counts, states[i]);
        if (!count)
            continue;
        if (any)
            wr_text_format(text, ", %lld %s", count, states[i]);
        else
            wr_text_format(text, "  %-13s %lld %s", title, count, states[i]);
        any = true;
    }
    if (any)
        wr_text_str(text, "\n");
}

/* ---- tasks ---- */

void queue_show_list(struct wr_text *text, const json_t *body)
{
    const json_t *tasks = json_object_get(body, "tasks");
    size_t index;
    json_t *task;
    if (!json_array_size(tasks))
        wr_text_str(text, "there are no tasks; weir queue add --hypothesis TEXT TARGET... "
                          "makes one\n");
    json_array_foreach(tasks, index, task)
    {
        const char *id = text_at(task, "task_id");
        wr_text_format(text, "%-14s  %-10s  %.16s  ", *id ? id : text_at(task, "id"),
                       text_at(task, "status"), text_at(task, "created_at"));
        put_short(text, text_at(task, "hypothesis"), NARROW);
        wr_text_str(text, "\n");
    }
}

void queue_show_added(struct wr_text *text, const json_t *body, const char *task)
{
    long long queued = number_at(body, "queued_count"), open = number_at(body, "skipped_count");
    wr_text_format(text, "%s: %lld target%s queued", task, queued, queued == 1 ? "" : "s");
    if (open)
        wr_text_format(text, ", %lld already open", open);
    if (json_is_true(json_object_get(body, "task_resumed")))
        wr_text_str(text, "; the task goes on");
    wr_text_str(text, "\n");
}

struct queue_sum queue_sum(const json_t *status)
{
    struct queue_sum sum = { 0 };
    const json_t *phases = json_object_get(json_object_get(status, "progress"),
                                           "jobs_by_phase");
    const char *name;
    json_t *phase;
    json_object_foreach((json_t *)(uintptr_t)phases, name, phase)
    {
        sum.open += number_at(phase, "queued") + number_at(phase, "running");
        sum.failed += number_at(phase, "failed");
    }
    sum.waiting = number_at(status, "pending_auth_count");
    return sum;
}

static void put_errors(struct wr_text *text, const json_t *errors)
{
    size_t index;
    json_t *one;
    if (json_array_size(errors))
        wr_text_str(text, "\n  what went wrong\n");
    json_array_foreach(errors, index, one)
    {
        wr_text_format(text, "    %s  ", text_at(one, "job_id"));
        put_short(text, text_at(one, "target"), 60);
        wr_text_format(text, "  %s: ", text_at(one, "error_code"));
        put_short(text, text_at(one, "message"), 300);
        wr_text_str(text, "\n");
    }
}

static void put_items(struct wr_text *text, const json_t *items)
{
    size_t index;
    json_t *one;
    if (json_array_size(items))
        wr_text_str(text, "\n  targets\n");
    json_array_foreach(items, index, one)
    {
        wr_text_format(text, "    %-16s  %-13s  ", text_at(one, "id"), text_at(one, "status"));
        put_short(text, text_at(one, "query"), NARROW);
        wr_text_str(text, "\n");
    }
}

static void put_warnings(struct wr_text *text, const json_t *warnings)
{
    size_t index;
    json_t *one;
    json_array_foreach(warnings, index, one)
    {
        wr_text_str(text, "  note          ");
        put_short(text, json_string_value(one) ? json_string_value(one) : "", 300);
        wr_text_str(text, "\n");
    }
}

void queue_show_status(struct wr_text *text, const json_t *body)
{
    const json_t *phases = json_object_get(json_object_get(body, "progress"), "jobs_by_phase");
    const json_t *metrics = json_object_get(body, "metrics");
    const json_t *budget = json_object_get(body, "budget");
    wr_text_format(text, "%s  %s  ", text_at(body, "task_id"), text_at(body, "status"));
    put_short(text, text_at(body, "hypothesis"), NARROW);
    wr_text_str(text, "\n");
    put_counts(text, "targets", json_object_get(phases, "exploration"));
    put_counts(text, "verification", json_object_get(phases, "verification"));
    put_counts(text, "citations", json_object_get(phases, "citation"));
    wr_text_format(text, "  found         %lld pages, %lld fragments, %lld claims\n",
                   number_at(metrics, "total_pages"), number_at(metrics, "total_fragments"),
                   number_at(metrics, "total_claims"));
    wr_text_format(text, "  budget        %lld of %lld pages used, %lld %% left; %lld s\n",
                   number_at(budget, "pages_used"), number_at(budget, "pages_limit"),
                   number_at(budget, "remaining_percent"),
                   number_at(metrics, "elapsed_seconds"));
    long long waiting = number_at(body, "pending_auth_count");
    if (waiting)
        wr_text_format(text, "  waiting       %lld for a person: weir queue auth %s\n", waiting,
                       text_at(body, "task_id"));
    put_warnings(text, json_object_get(body, "warnings"));
    put_items(text, json_object_get(body, "queue_items"));
    put_errors(text, json_object_get(body, "errors"));
}

void queue_show_progress(struct wr_text *text, const json_t *body)
{
    const json_t *metrics = json_object_get(body, "metrics");
    struct queue_sum sum = queue_sum(body);
    wr_text_format(text, "%s: %lld open, %lld failed, %lld waiting; %lld pages, %lld claims",
                   text_at(body, "task_id"), sum.open, sum.failed, sum.waiting,
                   number_at(metrics, "total_pages"), number_at(metrics, "total_claims"));
}

void queue_show_cited(struct wr_text *text, const json_t *body)
{
    size_t index;
    json_t *one;
    json_array_foreach(json_object_get(body, "candidates"), index, one)
    {
        wr_text_format(text, "%s  ", text_at(one, "citation_edge_id"));
        put_short(text, text_at(one, "url"), NARROW);
        wr_text_str(text, "\n");
    }
    wr_text_format(text, "%lld queued, %lld already open", number_at(body, "queued_count"),
                   number_at(body, "skipped_count"));
    wr_text_str(text, json_is_true(json_object_get(body, "dry_run")) ? ": a dry run\n" : "\n");
}

void queue_show_budget(struct wr_text *text, const json_t *body)
{
    const json_t *budget = json_object_get(body, "budget");
    wr_text_format(text, "%s: %lld of %lld pages used; %lld s\n", text_at(body, "task_id"),
                   number_at(body, "pages_used"), number_at(budget, "max_pages"),
                   number_at(budget, "max_seconds"));
}

void queue_show_stopped(struct wr_text *text, const json_t *body)
{
    const json_t *counts = json_object_get(body, "cancelled_counts");
    long long waited = number_at(counts, "jobs_waited");
    wr_text_format(text, "%s: %s; %lld queued and %lld running jobs cancelled",
                   text_at(body, "task_id"), text_at(body, "final_status"),
                   number_at(counts, "queued_cancelled"),
                   number_at(counts, "running_cancelled"));
    if (waited)
        wr_text_format(text, ", %lld waited for", waited);
    wr_text_str(text, "\n");
    if (json_is_true(json_object_get(body, "is_resumable")))
        wr_text_format(text, "  weir queue add --task %s TARGET... goes on\n",
                       text_at(body, "task_id"));
}

void queue_show_forgotten(struct wr_text *text, const json_t *body)
{
    bool cleared = json_is_true(json_object_get(body, "cleared"));
    wr_text_format(text, "%s: removed, with all that only it had%s\n",
                   text_at(body, "task_id"), cleared ? "" : "; the last of it goes soon");
}

/* ---- what waits for a person ---- */

static void put_auth(struct wr_text *text, const json_t *item)
{
    wr_text_format(text, "%-16s  %-13s  %-6s  %s  ", text_at(item, "queue_id"),
                   text_at(item, "auth_type"), text_at(item, "priority"),
                   text_at(item, "task_id"));
    put_short(text, text_at(item, "url"), NARROW);
    wr_text_str(text, "\n");
}

void queue_show_auth(struct wr_text *text, const json_t *body)
{
    size_t index;
    json_t *item;
    const json_t *items = json_object_get(body, "items");
    json_array_foreach(items, index, item)
        put_auth(text, item);
    if (json_array_size(items))
        wr_text_str(text, "weir queue resolve ID says that it is done; --skip that nobody "
                          "will\n");
    else
        wr_text_str(text, "nothing waits for a person\n");
}

void queue_show_resolved(struct wr_text *text, const json_t *body)
{
    long long count = number_at(body, "resolved_count");
    wr_text_format(text, "%lld %s: %s\n", count, count == 1 ? "thing" : "things",
                   strcmp(text_at(body, "action"), "skip") == 0
                       ? "skipped, what waited for it has failed"
                       : "done, what waited for it is queued again");
}

/* ---- a job ---- */

void queue_show_job(struct wr_text *text, const json_t *body)
{
    const json_t *job = json_object_get(body, "job") ? json_object_get(body, "job") : body;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)job, name, value)
    {
        if (json_is_null(value) || strcmp(name, "ok") == 0)
            continue;
        wr_text_format(text, "%-14s ", name);
        if (json_is_string(value)) {
            put_short(text, json_string_value(value), 2000);
        } else {
            char *dump = json_dumps(value, JSON_ENCODE_ANY);
            put_short(text, dump ? dump : "", 2000);
            free(dump);
        }
        wr_text_str(text, "\n");
    }
}
