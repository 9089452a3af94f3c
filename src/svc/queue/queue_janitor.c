/* queue_janitor.c - see queue_janitor.h. */
#include "svc/queue/queue_janitor.h"

#include <weir/log.h>
#include <weir/task.h>
#include <weir/timer.h>

#include "store/query_log.h"
#include "store/removal.h"

#define STEP_WITHIN WR_S(10)

static const char *const keys[] = {
    [KEEP_JOBS] = "queue.history", [KEEP_TASKS] = "queue.keep.tasks",
    [KEEP_AUTHS] = "queue.keep.auth", [KEEP_QUERIES] = "queue.keep.queries",
    [KEEP_PAGES] = "queue.keep.pages",
};

void queue_janitor_tune(struct queue_janitor *janitor, const struct wr_conf *conf)
{
    for (size_t i = 0; i < KEEP_COUNT; i++)
        atomic_store(&janitor->keep[i], wr_conf_duration(conf, keys[i]));
}

/* False: it is kept for ever. */
static bool over_before(const struct queue_janitor *janitor, enum queue_keep what,
                        struct wr_wall *ret)
{
    wr_time keep = atomic_load(&janitor->keep[what]);
    ret->ns = wr_wall().ns - keep;
    return keep > 0;
}

/* ---- rows, slice by slice ---- */

typedef wr_err prune_fn(struct store *store, struct wr_wall before, size_t max, uint64_t *ret,
                        wr_time deadline);

static wr_err prune(struct queue_janitor *janitor, enum queue_keep what, prune_fn *rows,
                    size_t slice)
{
    struct wr_wall before;
    uint64_t gone = slice;
    wr_err err = WR_OK;
    if (!over_before(janitor, what, &before))
        return WR_OK;
    while (!err && gone == slice) {
        err = rows(queue_store(janitor->queue), before, slice, &gone, wr_after(STEP_WITHIN));
        if (!err)
            err = wr_yield();
    }
    return err;
}

/* ---- tasks ---- */

/* One that somebody has just used again is left alone. */
static wr_err remove_stale(struct queue_janitor *janitor)
{
    struct wr_wall before;
    wr_err err = WR_OK;
    if (!over_before(janitor, KEEP_TASKS, &before))
        return WR_OK;
    for (size_t count = STORE_REMOVAL_LIST_MAX; !err && count == STORE_REMOVAL_LIST_MAX;) {
        struct store_rows rows;
        err = store_removal_stale(queue_store(janitor->queue), before, STORE_REMOVAL_LIST_MAX,
                                  &rows, wr_after(STEP_WITHIN));
        count = rows.count;
        for (size_t i = 0; !err && i < count; i++) {
            struct queue_why why;
            bool cleared;
            err = queue_remove(janitor->queue, store_text(&rows, i, 0), &cleared, &why,
                               wr_after(STEP_WITHIN));
            if (err == WR_DENIED || err == WR_NOTFOUND)
                err = WR_OK;
        }
        store_rows_free(&rows);
    }
    return err;
}

/* As many as are to be cleared; one that takes longer goes on in the next round. */
static wr_err clear_removed(struct queue_janitor *janitor)
{
    struct store *store = queue_store(janitor->queue);
    char task[STORE_TASK_ID_MAX + 1];
    wr_err err = WR_OK;
    while (!err) {
        err = store_removal_next(store, task, wr_after(STEP_WITHIN));
        if (!err)
            err = store_removal_clear(store, task, wr_after(QUEUE_TIDY_EVERY));
    }
    return err == WR_NOTFOUND ? WR_OK : err;
}

/* ---- pages and their bytes ---- */

static wr_err prune_pages(struct queue_janitor *janitor)
{
    struct wr_wall before;
    uint64_t gone;
    if (!over_before(janitor, KEEP_PAGES, &before))
        return WR_OK;
    return store_page_prune(queue_store(janitor->queue), janitor->cursor, before, &gone,
                            wr_after(QUEUE_TIDY_EVERY));
}

static wr_err prune_blobs(struct queue_janitor *janitor)
{
    uint64_t seen = STORE_REMOVAL_LIST_MAX;
    wr_err err = WR_OK;
    while (!err && seen == STORE_REMOVAL_LIST_MAX)
        err = store_blob_prune(queue_store(janitor->queue), STORE_REMOVAL_LIST_MAX, &seen,
                               wr_after(STEP_WITHIN));
    return err;
}

/* ---- the whole ---- */

void queue_janitor_tidy(struct queue_janitor *janitor)
{
    wr_err err = prune(janitor, KEEP_JOBS, store_job_prune, STORE_JOB_PRUNE_MAX);
    if (!err)
        err = prune(janitor, KEEP_AUTHS, store_auth_prune, STORE_AUTH_LIST_MAX);
    if (!err)
        err = prune(janitor, KEEP_QUERIES, store_query_prune, STORE_QUERY_PRUNE_MAX);
    if (!err)
        err = remove_stale(janitor);
    if (!err)
        err = clear_removed(janitor);
    if (!err)
        err = prune_pages(janitor);
    if (!err)
        err = prune_blobs(janitor);
    if (err && err != WR_CANCELED)
        wr_log(WR_WARN, "queue.not_pruned", WR_F_ERR(err));
}

wr_err queue_janitor_run(void *arg)
{
    wr_err err;
    do {
        queue_janitor_tidy(arg);
        err = wr_sleep(wr_after(QUEUE_TIDY_EVERY));
    } while (!err);
    return err == WR_CANCELED ? WR_OK : err;
}
