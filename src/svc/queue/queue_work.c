/* queue_work.c - see queue_work.h. */
#include "svc/queue/queue_work.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/forget.h"
#include "base/json.h"
#include "base/rand.h"
#include "base/ulid.h"
#include "svc/queue/identity.h"
#include "svc/queue/queue_work_int.h"

#define LATER_MIN WR_MS(100)            /* so that nobody runs in circles */
#define LATER_MAX WR_S(600)             /* who was wrong about it looks again */

wr_err work_new(struct queue_work **ret, struct store *store, const struct store_job *job)
{
    struct queue_work *work = calloc(1, sizeof(*work));
    if (!work)
        return WR_NOMEM;
    atomic_init(&work->refs, 1);
    work->store = store;
    work->kind = queue_kind_find(job->kind);
    work->attempt = job->attempt;
    work->priority = job->priority;
    snprintf(work->id, sizeof(work->id), "%s", job->id);
    snprintf(work->task, sizeof(work->task), "%s", job->task);
    work->input = strdup(job->input ? job->input : "{}");
    work->output = wr_text_heap(WORK_OUTPUT_MAX);
    work->rows = wr_text_heap(WORK_ROWS_MAX);
    work->awaited = wr_text_heap(WORK_ROWS_MAX);
    if (!work->input) {
        work_unref(work);
        return WR_NOMEM;
    }
    *ret = work;
    return WR_OK;
}

struct queue_work *work_ref(struct queue_work *work)
{
    atomic_fetch_add(&work->refs, 1);
    return work;
}

void work_unref(struct queue_work *work)
{
    if (atomic_fetch_sub(&work->refs, 1) != 1)
        return;
    wr_text_free(&work->output);
    wr_text_free(&work->rows);
    wr_text_free(&work->awaited);
    wr_forget_free(work->input);
    free(work);
}

const char *queue_work_job(const struct queue_work *work)
{
    return work->id;
}

uint32_t queue_work_attempt(const struct queue_work *work)
{
    return work->attempt;
}

const char *queue_work_task(const struct queue_work *work)
{
    return work->task;
}

const char *queue_work_input(const struct queue_work *work)
{
    return work->input;
}

struct wr_text *queue_work_output(struct queue_work *work)
{
    return &work->output;
}

wr_err queue_work_fail(struct queue_work *work, wr_err err, const char *code,
                       const char *format, ...)
{
    va_list args;
    char said[WORK_ERROR_MAX];
    struct wr_text text = wr_text_over(work->error, sizeof(work->error));
    va_start(args, format);
    vsnprintf(said, sizeof(said), format, args);
    va_end(args);
    wr_text_str(&text, code);
    wr_text_str(&text, ": ");
    /* It may say what a stranger has said, or a part of it: a server takes whole characters
     * only. */
    wr_text_plain(&text, said, strlen(said));
    return err;
}

void queue_work_await(struct queue_work *work, const struct queue_auth_item *item)
{
    char id[QUEUE_ID];
    if (work->awaited_count == QUEUE_AWAITED_MAX)
        return;
    wr_text_str(&work->awaited, work->awaited_count++ ? "," : "[");
    struct wr_json json = wr_json_to(&work->awaited);
    wr_json_array(&json, NULL);
    wr_json_str(&json, NULL, queue_id(id, "auth_"));
    wr_json_str(&json, NULL, item->url);
    wr_json_str(&json, NULL, item->domain);
    wr_json_str(&json, NULL, item->type);
    wr_json_str(&json, NULL, item->priority ? item->priority : "medium");
    wr_json_end(&json);
}

void queue_work_later(struct queue_work *work, wr_time by)
{
    by = by < LATER_MIN ? LATER_MIN : by > LATER_MAX ? LATER_MAX : by;
    if (!work->later || by < work->later)
        work->later = by;
}

/* Another job of the same task. */
struct follower {
    enum queue_kind_id kind;
    int32_t priority;
    const char *key_kind, *key;         /* key NULL: any number of them */
    const char *input;
};

static struct follower follower_of(enum queue_kind_id kind, const char *key, const char *input)
{
    const struct queue_kind *row = &queue_kinds[kind];
    return (struct follower){ kind, row->priority, row->name, key, input ? input : "{}" };
}

/* As a row of JSON. */
static void write_row(const struct queue_work *work, struct wr_text *text,
                      const struct follower *job)
{
    const struct queue_kind *kind = &queue_kinds[job->kind];
    char id[QUEUE_ID], unique[QUEUE_KEY];
    struct wr_json json = wr_json_to(text);
    wr_json_array(&json, NULL);
    wr_json_str(&json, NULL, queue_id(id, kind->prefix));
    wr_json_str(&json, NULL, kind->name);
    wr_json_str(&json, NULL, queue_slot_names[kind->slot]);
    wr_json_i64(&json, NULL, job->priority);
    if (job->key)
        wr_json_str(&json, NULL, queue_key(unique, work->task, job->key_kind, job->key,
                                           strlen(job->key)));
    else
        wr_json_null(&json, NULL);
    wr_json_raw(&json, NULL, job->input, strlen(job->input));
    wr_json_end(&json);
}

static wr_err chain(struct queue_work *work, const struct follower *job, wr_time deadline)
{
    const char *const slots[] = { queue_slot_names[queue_kinds[job->kind].slot], NULL };
    struct wr_text text = wr_text_heap(WORK_ROWS_MAX);
    wr_text_str(&text, "[");
    write_row(work, &text, job);
    wr_text_str(&text, "]");
    wr_err err = text.cut ? WR_NOMEM : store_job_chain(work->store, work->id, work->attempt,
                                                       text.at, slots, deadline);
    wr_text_free(&text);
    if (!err)
        queue_work_news(work);
    return err;
}

wr_err queue_work_chain(struct queue_work *work, enum queue_kind_id kind, const char *key,
                        const char *input, wr_time deadline)
{
    struct follower job = follower_of(kind, key, input);
    return chain(work, &job, deadline);
}

wr_err queue_work_target(struct queue_work *work, const char *kind, const char *text,
                         const char *input, wr_time deadline)
{
    struct follower job = { QUEUE_TARGET, work->priority, kind, text, input };
    return chain(work, &job, deadline);
}

void queue_work_then(struct queue_work *work, enum queue_kind_id kind, const char *key,
                     const char *input)
{
    struct follower job = follower_of(kind, key, input);
    wr_text_str(&work->rows, work->rows.len ? "," : "[");
    write_row(work, &work->rows, &job);
}

static const char *closed(struct wr_text *text)
{
    if (!text->len)
        return NULL;
    wr_text_str(text, "]");
    return text->cut ? NULL : text->at;
}

const char *work_next(struct queue_work *work)
{
    return closed(&work->rows);
}

const char *work_awaited(struct queue_work *work)
{
    return closed(&work->awaited);
}

wr_err queue_work_take(struct queue_work *work, enum queue_slot slot, wr_time deadline)
{
    size_t got;
    WR_ASSERT(!work->borrows && slot != work->slot);
    wr_err err = slots_take(work->slots, slot, 1, &got, deadline);
    work->borrows = !err;
    work->borrowed = slot;
    return err;
}

void queue_work_give(struct queue_work *work)
{
    if (work->borrows)
        slots_give(work->slots, work->borrowed, 1);
    work->borrows = false;
}

size_t queue_work_beside(const struct queue_work *work, enum queue_slot slot)
{
    return slots_taken(work->slots, slot);
}

void queue_work_news(struct queue_work *work)
{
    work->news(work->news_arg, work->task);
}

wr_err queue_work_spend(struct queue_work *work, wr_time deadline)
{
    return store_task_spend(work->store, work->task, deadline);
}
