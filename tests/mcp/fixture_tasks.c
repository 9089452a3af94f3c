/* fixture_tasks.c - tools of the conformance suite that become tasks.
 *
 * What a task is follows from the clock and from what it was told, so that nobody has to work
 * at it: it is looked at, and is what it is.
 */
#include "fixtures.h"

#include <stdio.h>
#include <string.h>

#include <weir/lock.h>
#include <weir/task.h>
#include <weir/watch.h>

#include "mcp/request.h"

#define TASKS_MAX 256
#define KEPT_MS 600000
#define POLL_MS 200
#define INPUTS_MAX 2

enum outcome { SUCCEEDS, FAILS, BREAKS };

struct job {
    struct mcp_task task;
    enum outcome outcome;
    wr_time due;
    char text[200];
    const char *inputs[INPUTS_MAX];     /* NULL: answered, or none */
};

static struct {
    struct wr_mutex lock;
    struct job jobs[TASKS_MAX];
    size_t made;                        /* the oldest of TASKS_MAX makes room */
    uint64_t changes;
    struct wr_watch *news;
    struct wr_watch_writer writer;
} shelf = { .lock = WR_MUTEX("fixtures.shelf", 650) };

wr_err fixture_tasks_open(void)
{
    return wr_watch_new(&shelf.news, &shelf.writer, &(struct wr_watch_conf){
        .name = "fixtures.news", .size = sizeof(shelf.changes), .initial = &shelf.changes });
}

void fixture_tasks_close(void)
{
    if (shelf.news)
        wr_watch_close(&shelf.writer);
    wr_watch_free(shelf.news);
}

static struct job *find(const char *id)
{
    for (size_t i = 0; i < TASKS_MAX; i++)
        if (shelf.jobs[i].task.id[0] && strcmp(shelf.jobs[i].task.id, id) == 0)
            return &shelf.jobs[i];
    return NULL;
}

static void set(struct job *job, enum mcp_task_state state)
{
    job->task.state = state;
    job->task.changed_ms = wr_wall().ns / 1000000;
    job->task.version++;
    shelf.changes++;
    wr_watch_set(&shelf.writer, &shelf.changes);
}

/* What has become of it by now. */
static void settle(struct job *job)
{
    bool waits = job->inputs[0] || job->inputs[1];
    enum mcp_task_state state = job->task.state;
    if (state != MCP_TASK_WORKING && state != MCP_TASK_INPUT_REQUIRED)
        return;
    if (waits)
        state = MCP_TASK_INPUT_REQUIRED;
    else if (wr_now() < job->due)
        state = MCP_TASK_WORKING;
    else
        state = job->outcome == SUCCEEDS ? MCP_TASK_COMPLETED : MCP_TASK_FAILED;
    job->task.broken = job->outcome == BREAKS;
    if (state != job->task.state)
        set(job, state);
}

static wr_err look(struct mcp_request *request, const char *id, uint64_t seen,
                   struct mcp_task *ret, wr_time deadline)
{
    struct wr_watch_reader reader = wr_watch_reader(shelf.news);
    wr_err err = WR_OK;
    (void)request;
    for (;;) {
        uint64_t changes;
        wr_time until = deadline;
        wr_mutex_lock(&shelf.lock);
        struct job *job = find(id);
        if (job) {
            settle(job);
            *ret = job->task;
            if (job->due > wr_now() && job->due < until)
                until = job->due;
        }
        wr_mutex_unlock(&shelf.lock);
        if (!job)
            return WR_NOTFOUND;
        if (ret->version != seen || (err && err != WR_TIMEOUT) || wr_now() >= deadline)
            return err == WR_TIMEOUT ? WR_OK : err;
        err = wr_watch_wait(&reader, &changes, until);
    }
}

static wr_err result(struct mcp_request *request, const char *id)
{
    wr_mutex_lock(&shelf.lock);
    struct job *job = find(id);
    bool failed = job && job->outcome == FAILS;
    if (job)
        wr_text_str(mcp_request_text(request), job->text);
    wr_mutex_unlock(&shelf.lock);
    return !job ? WR_NOTFOUND : !failed ? WR_OK : mcp_request_fail(request, WR_IO, "the job "
                                                                   "has failed");
}

static wr_err cancel(struct mcp_request *request, const char *id)
{
    (void)request;
    wr_mutex_lock(&shelf.lock);
    struct job *job = find(id);
    if (job)
        set(job, MCP_TASK_CANCELLED);
    wr_mutex_unlock(&shelf.lock);
    return job ? WR_OK : WR_NOTFOUND;
}

static wr_err list(struct mcp_request *request, const char *after, struct mcp_task *ret,
                   size_t max, size_t *ret_count)
{
    (void)request;
    wr_mutex_lock(&shelf.lock);
    const struct job *last = after ? find(after) : NULL;
    *ret_count = 0;
    for (size_t i = last ? (size_t)(last - shelf.jobs) + 1 : 0;
         i < TASKS_MAX && *ret_count < max; i++)
        if (shelf.jobs[i].task.id[0]) {
            settle(&shelf.jobs[i]);
            ret[(*ret_count)++] = shelf.jobs[i].task;
        }
    wr_mutex_unlock(&shelf.lock);
    return after && !last ? WR_NOTFOUND : WR_OK;
}

static json_t *inputs(struct mcp_request *request, const char *id)
{
    const char *names[INPUTS_MAX] = { 0 };
    json_t *all = json_object();
    (void)request;
    wr_mutex_lock(&shelf.lock);
    const struct job *job = find(id);
    for (size_t i = 0; job && i < INPUTS_MAX; i++)
        names[i] = job->inputs[i];
    wr_mutex_unlock(&shelf.lock);
    for (size_t i = 0; i < INPUTS_MAX; i++)
        if (names[i])
            json_object_set_new(all, names[i], json_pack(
                "{s:s,s:o}", "method", "elicitation/create", "params",
                fixture_form("Do you mean it?", "confirm")));
    return all;
}

static wr_err update(struct mcp_request *request, const char *id, const char *name,
                     const json_t *answer)
{
    bool known = false;
    (void)request;
    (void)answer;
    wr_mutex_lock(&shelf.lock);
    struct job *job = find(id);
    for (size_t i = 0; job && i < INPUTS_MAX; i++)
        if (job->inputs[i] && strcmp(job->inputs[i], name) == 0) {
            job->inputs[i] = NULL;
            known = true;
            set(job, MCP_TASK_INPUT_REQUIRED);
        }
    wr_mutex_unlock(&shelf.lock);
    return known ? WR_OK : WR_NOTFOUND;
}

const struct mcp_tasks fixture_tasks = { .look = look, .result = result, .cancel = cancel,
                                         .list = list, .inputs = inputs, .update = update };

/* ---- the tools ---- */

static void begin(struct mcp_request *request, const struct job *job)
{
    int64_t now = wr_wall().ns / 1000000, kept = mcp_request_kept_ms(request);
    wr_mutex_lock(&shelf.lock);
    struct job *place = &shelf.jobs[shelf.made % TASKS_MAX];
    *place = *job;
    place->task = (struct mcp_task){ .version = 1, .created_ms = now, .changed_ms = now,
                                     .kept_ms = kept ? kept : KEPT_MS, .poll_ms = POLL_MS };
    snprintf(place->task.id, sizeof(place->task.id), "task-%zu", ++shelf.made);
    struct mcp_task task = place->task;
    wr_mutex_unlock(&shelf.lock);
    mcp_request_defer(request, &task);
}

static wr_err slow(struct mcp_request *request)
{
    int64_t seconds = mcp_request_integer(request, "seconds", 1);
    struct job job = { .due = wr_after(WR_S(seconds)), .text = "It has been computed." };
    if (!mcp_request_defers(request)) {
        wr_text_str(mcp_request_text(request), job.text);
        return wr_sleep(job.due);
    }
    begin(request, &job);
    return WR_OK;
}

static wr_err fail(struct mcp_request *request)
{
    begin(request, &(struct job){ .outcome = FAILS, .due = wr_after(WR_S(1)) });
    return WR_OK;
}

static wr_err break_down(struct mcp_request *request)
{
    begin(request, &(struct job){ .outcome = BREAKS, .due = wr_after(WR_S(1)) });
    return WR_OK;
}

static wr_err confirm(struct mcp_request *request)
{
    struct job job = { .text = "It is deleted.", .inputs = { "confirm" } };
    begin(request, &job);
    return WR_OK;
}

static wr_err confirm_both(struct mcp_request *request)
{
    struct job job = { .text = "Both are.", .inputs = { "first", "second" } };
    begin(request, &job);
    return WR_OK;
}

static wr_err greet_later(struct mcp_request *request)
{
    const json_t *answer;
    struct job job = { .due = wr_after(WR_MS(300)) };
    wr_err err = mcp_request_ask(request, "user_name", "elicitation/create",
                                 fixture_form("What is your name?", "name"), &answer);
    const char *name = fixture_answer(answer, "name");
    if (err || !answer)
        return err;
    snprintf(job.text, sizeof(job.text), "Hello, %.100s!", name ? name : "stranger");
    begin(request, &job);
    return WR_OK;
}

static const struct mcp_field slow_fields[] = {
    { .name = "seconds", .what = "How long", .type = MCP_INTEGER, .max = 600 },
    { .name = "label", .what = "For whoever reads the log" },
};
static const struct mcp_field delete_fields[] = {
    { .name = "filename", .what = "What to delete" },
};

#define TOOL(tool, run, how) \
    .name = (tool), .what = "For the conformance suite.", .handler = (run), .defers = (how)
const struct mcp_tool fixture_deferred[] = {
    { TOOL("slow_compute", slow, MCP_MAY_DEFER), .fields = slow_fields, .field_count = 2 },
    { TOOL("failing_job", fail, MCP_MUST_DEFER) },
    { TOOL("protocol_error_job", break_down, MCP_MUST_DEFER) },
    { TOOL("confirm_delete", confirm, MCP_MUST_DEFER), .fields = delete_fields,
      .field_count = 1 },
    { TOOL("multi_input", confirm_both, MCP_MUST_DEFER) },
    { TOOL("test_tool_with_task", greet_later, MCP_MUST_DEFER) },
};
const size_t fixture_deferred_count = sizeof(fixture_deferred) / sizeof(*fixture_deferred);
