/* queue_begin.c - see queue_begin.h. */
#include "svc/queue/queue_begin.h"

#include <string.h>

#include <weir/offload.h>

#include "base/forget.h"
#include "svc/queue/target.h"

#define FIRST "task_"                   /* stands for a task that is not made yet */

struct reading {
    struct queue_targets targets;
    struct queue_targets_said said;
    struct queue_why *why;
    wr_err err;
};

static void read_targets(void *arg)
{
    struct reading *reading = arg;
    reading->err = queue_targets_read(&reading->targets, &reading->said, reading->why);
}

/* Whether they could be queued. */
static wr_err check_targets(const struct queue_said *said, struct queue_why *why,
                            wr_time deadline)
{
    struct reading reading = {
        .said = { FIRST, said->get(said->from, "targets"), said->get(said->from, "options") },
        .why = why };
    wr_err err = wr_offload(read_targets, &reading, deadline);
    queue_targets_free(&reading.targets);
    return err ? err : reading.err;
}

/* A task that may do nothing takes no targets. */
static wr_err check_budget(const struct queue_said *said, struct queue_why *why)
{
    static const char *const names[] = { "max_pages", "max_seconds" };
    const json_t *budget = json_object_get(said->get(said->from, "config"), "budget");
    for (size_t i = 0; i < 2; i++) {
        const json_t *value = json_object_get(budget, names[i]);
        if (json_is_integer(value) && json_integer_value(value) <= 0)
            return queue_why_say(why, WR_INVALID, "INVALID_PARAMS", "config.budget",
                                 "config.budget.%s is %lld: nothing could be looked at; allow "
                                 "more, or leave targets out", names[i],
                                 (long long)json_integer_value(value));
    }
    return WR_OK;
}

/* Into the first, where a message is that of the second. */
static wr_err join(struct wr_text *text, json_t *made, const struct wr_text *queued)
{
    json_t *more = json_loadb(queued->at, queued->len, 0, NULL);
    char *both = more && json_object_update(made, more) == 0 ? json_dumps(made, JSON_COMPACT)
                                                             : NULL;
    json_decref(more);
    wr_text_rewind(text, 0);
    if (both)
        wr_text_str(text, both);
    wr_forget_free(both);
    return both ? WR_OK : WR_NOMEM;
}

static wr_err queue_first(struct queue_desk *desk, const struct queue_said *said,
                          struct wr_text *text, struct queue_why *why, wr_time deadline)
{
    struct wr_text queued = wr_text_heap(QUEUE_ANSWER_MAX);
    json_t *made = json_loadb(text->at, text->len, 0, NULL);
    const char *task = json_string_value(json_object_get(made, "task_id"));
    wr_err err = task ? queue_desk_submit(desk, task, said, &queued, why, deadline) : WR_NOMEM;
    if (!err)
        err = queued.cut ? WR_NOMEM : join(text, made, &queued);
    json_decref(made);
    wr_text_free(&queued);
    return err;
}

wr_err queue_begin(struct queue_desk *desk, const struct queue_said *said, struct wr_text *text,
                   struct queue_why *why, wr_time deadline)
{
    const json_t *targets = said->get(said->from, "targets");
    const json_t *options = said->get(said->from, "options");
    bool both = targets && !json_is_null(targets);
    if (!both && options && !json_is_null(options))
        return queue_why_say(why, WR_INVALID, "INVALID_PARAMS", "options", "options are those "
                             "of targets, and there are none");
    wr_err err = both ? check_budget(said, why) : WR_OK;
    if (!err && both)
        err = check_targets(said, why, deadline);
    if (!err)
        err = queue_desk_create(desk, said, text, why, deadline);
    return err || !both ? err : queue_first(desk, said, text, why, deadline);
}
