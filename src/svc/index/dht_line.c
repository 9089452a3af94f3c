/* dht_line.c - see dht_line.h. */
#include "svc/index/dht_line.h"

#include <stdlib.h>

#include <weir/lock.h>
#include <weir/once.h>
#include <weir/panic.h>

#define LOCK_RANK 460
#define GONE_WITHIN WR_S(30)        /* who was canceled and is not gone by then never is */

struct dht_line {
    struct wr_mutex lock;
    bool nameless;                      /* set before others see it */
    struct dht *dht;                    /* this and the rest under the lock */
    struct dht_hold *holds;
    struct wr_once *idle;               /* who detaches waits for it; NULL: nobody does */
};

wr_err dht_line_new(struct dht_line **ret)
{
    struct dht_line *line = calloc(1, sizeof(*line));
    if (!line)
        return WR_NOMEM;
    line->lock = (struct wr_mutex)WR_MUTEX("index.dht_line", LOCK_RANK);
    *ret = line;
    return WR_OK;
}

void dht_line_without_names(struct dht_line *line)
{
    line->nameless = true;
}

bool dht_line_knows_names(const struct dht_line *line)
{
    return !line->nameless;
}

void dht_line_free(struct dht_line *line)
{
    if (!line)
        return;
    WR_ASSERT(!line->dht && !line->holds);
    wr_mutex_fini(&line->lock);
    wr_once_free(line->idle);
    free(line);
}

/* What is waited for at its end is made now: later there may be no memory. */
wr_err dht_line_attach(struct dht_line *line, struct dht *dht)
{
    struct wr_once *idle;
    wr_err err = wr_once_new(&idle, "index.dht_idle", 0);
    if (err)
        return err;
    wr_mutex_lock(&line->lock);
    WR_ASSERT(!line->dht && !line->idle);
    line->dht = dht;
    line->idle = idle;
    wr_mutex_unlock(&line->lock);
    return WR_OK;
}

static void await(struct wr_once *idle)
{
    struct wr_scope *shield;
    wr_err err = wr_scope_new(&shield, &(struct wr_scope_conf){
        .name = "index.dht_idle", .deadline = wr_after(GONE_WITHIN), .shield = true });
    if (!err) {
        wr_scope_enter(shield);
        err = wr_once_wait(idle, NULL, WR_NEVER);
        wr_scope_leave(shield);
        (void)!wr_scope_close(shield);
    }
    if (err)
        wr_panic("the DHT is still in use %lld s after its users were canceled (%s)",
                 (long long)(GONE_WITHIN / WR_S(1)), wr_err_name(err));
}

void dht_line_detach(struct dht_line *line)
{
    wr_mutex_lock(&line->lock);
    struct wr_once *idle = line->dht ? line->idle : NULL;
    bool used = line->holds;
    line->dht = NULL;
    for (struct dht_hold *hold = line->holds; hold; hold = hold->next) {
        hold->cut = true;
        wr_scope_cancel(hold->scope);
    }
    wr_mutex_unlock(&line->lock);
    if (!idle)
        return;
    if (used)
        await(idle);
    wr_mutex_lock(&line->lock);
    line->idle = NULL;
    wr_mutex_unlock(&line->lock);
    wr_once_free(idle);
}

static void let_go(void *arg)
{
    struct dht_hold *hold = arg;
    struct dht_line *line = hold->line;
    wr_mutex_lock(&line->lock);
    *hold->link = hold->next;
    if (hold->next)
        hold->next->link = hold->link;
    /* Under the lock: as long as we are in here, who detaches has not freed it. */
    if (hold->cut && !line->holds)
        (void)!wr_once_set(line->idle, NULL);
    wr_mutex_unlock(&line->lock);
}

wr_err dht_line_take(struct dht_line *line, struct dht_hold *hold)
{
    if (!dht_line_is_up(line))
        return WR_DEGRADED;
    *hold = (struct dht_hold){ .line = line };
    wr_err err = wr_scope_new(&hold->scope, &(struct wr_scope_conf){ .name = "index.dht_hold",
                                                                     .deadline = WR_NEVER });
    if (err)
        return err;
    wr_mutex_lock(&line->lock);
    hold->dht = line->dht;
    if (hold->dht) {
        hold->link = &line->holds;
        hold->next = line->holds;
        if (hold->next)
            hold->next->link = &hold->next;
        line->holds = hold;
    }
    wr_mutex_unlock(&line->lock);
    if (!hold->dht) {
        (void)!wr_scope_close(hold->scope);
        return WR_DEGRADED;
    }
    hold->cleanup = (struct wr_cleanup){ .fn = let_go, .arg = hold };
    wr_cleanup_push(&hold->cleanup);
    wr_scope_enter(hold->scope);
    return WR_OK;
}

wr_err dht_line_give(struct dht_hold *hold, wr_err err)
{
    wr_scope_leave(hold->scope);
    wr_cleanup_pop(&hold->cleanup);
    let_go(hold);
    (void)!wr_scope_close(hold->scope);
    return hold->cut && err == WR_CANCELED ? WR_DEGRADED : err;
}

bool dht_line_is_up(struct dht_line *line)
{
    wr_mutex_lock(&line->lock);
    bool up = line->dht;
    wr_mutex_unlock(&line->lock);
    return up;
}
