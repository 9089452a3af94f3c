/* scribe.c - see scribe.h.
 *
 * An update is in `waiting` while a newer one of its key may replace it, which ends when it
 * comes out of the channel.  What is being written is in neither, so that a newer one of its
 * key comes after it.
 */
#include "svc/index/scribe.h"

#include <stdlib.h>
#include <string.h>

#include <weir/chan.h>
#include <weir/lock.h>
#include <weir/select.h>
#include <weir/task.h>

#include "flow/facet.h"

#define LOCK_RANK 459
#define WRITE_WITHIN WR_S(5)

struct update {
    struct catalog_pointer pointer;     /* under the lock while it waits */
    struct wr_once *written;            /* of a wr_err */
    unsigned users;                     /* under the lock: who waits, and who writes */
    struct update *next;                /* in `waiting` */
};

struct scribe {
    struct store *store;
    struct wr_chan *updates;
    struct wr_mutex lock;               /* of what follows */
    struct update *waiting;
    struct scribe_stat stat;
};

/* ---- updates ---- */

static void free_update(struct update *update)
{
    wr_once_free(update->written);
    free(update);
}

static void leave(struct scribe *scribe, struct update *update)
{
    wr_mutex_lock(&scribe->lock);
    bool last = --update->users == 0;
    wr_mutex_unlock(&scribe->lock);
    if (last)
        free_update(update);
}

/* Whether anybody still waits for it. */
static bool take_out(struct scribe *scribe, struct update *update)
{
    wr_mutex_lock(&scribe->lock);
    struct update **place = &scribe->waiting;
    while (*place != update)
        place = &(*place)->next;
    *place = update->next;
    scribe->stat.waiting--;
    bool wanted = update->users > 1;
    wr_mutex_unlock(&scribe->lock);
    return wanted;
}

/* The end of one that was taken out. */
static void tell(struct scribe *scribe, struct update *update, wr_err err)
{
    (void)!wr_once_set(update->written, &err);
    leave(scribe, update);
}

/* ---- life ---- */

wr_err scribe_new(struct scribe **ret, struct store *store)
{
    struct scribe *scribe = calloc(1, sizeof(*scribe));
    if (!scribe)
        return WR_NOMEM;
    scribe->store = store;
    scribe->lock = (struct wr_mutex)WR_MUTEX("index.scribe", LOCK_RANK);
    wr_err err = wr_chan_new(&scribe->updates, &(struct wr_chan_conf){
        .name = "index.updates", .item_size = sizeof(struct update *),
        .cap = SCRIBE_WAITING_MAX, .policy = WR_REJECT });
    if (err)
        scribe_free(scribe);
    else
        *ret = scribe;
    return err;
}

void scribe_free(struct scribe *scribe)
{
    struct update *update;
    if (!scribe)
        return;
    while (scribe->updates && !wr_chan_recv(scribe->updates, &update, WR_NOW)) {
        (void)take_out(scribe, update);
        tell(scribe, update, WR_DRAINING);
    }
    wr_chan_free(scribe->updates);
    wr_mutex_fini(&scribe->lock);
    free(scribe);
}

/* ---- writing ---- */

struct writing { struct scribe *scribe; struct update *update; };

static void give_up(void *arg)
{
    struct writing *writing = arg;
    tell(writing->scribe, writing->update, WR_PANIC);
}

static void write_one(struct scribe *scribe, struct update *update)
{
    struct writing writing = { scribe, update };
    struct wr_cleanup cleanup = { .fn = give_up, .arg = &writing };
    if (!take_out(scribe, update)) {        /* all were told that it was too late */
        tell(scribe, update, WR_TIMEOUT);
        return;
    }
    wr_cleanup_push(&cleanup);
    wr_err err = catalog_put(scribe->store, &update->pointer, wr_after(WRITE_WITHIN));
    wr_cleanup_pop(&cleanup);
    wr_mutex_lock(&scribe->lock);
    scribe->stat.written += !err;
    wr_mutex_unlock(&scribe->lock);
    tell(scribe, update, err);
}

wr_err scribe_run(void *arg, struct wr_once *drain)
{
    struct scribe *scribe = arg;
    struct update *update;
    struct wr_case cases[] = { WR_CASE_RECV(scribe->updates, &update),
                               WR_CASE_ONCE(drain, NULL) };
    size_t which;
    wr_err err;
    while (!(err = wr_select(&which, cases, 2, WR_NEVER)) && which == 0)
        write_one(scribe, update);
    if (err)
        return err;
    wr_chan_close(scribe->updates);
    while (!(err = wr_chan_recv(scribe->updates, &update, WR_NOW)))
        write_one(scribe, update);
    return err == WR_CLOSED ? WR_OK : err;
}

/* ---- putting ---- */

static wr_err new_update(struct update **ret, const struct catalog_pointer *pointer)
{
    struct update *update = calloc(1, sizeof(*update));
    if (!update)
        return WR_NOMEM;
    wr_err err = wr_once_new(&update->written, "index.update", sizeof(wr_err));
    if (err) {
        free(update);
        return err;
    }
    update->pointer = *pointer;
    update->users = 2;                  /* who puts it, and who writes it */
    *ret = update;
    return WR_OK;
}

/* With the lock held; or NULL. */
static struct update *find(struct scribe *scribe, const struct catalog_pointer *pointer)
{
    struct update *update = scribe->waiting;
    while (update && (update->pointer.kind != pointer->kind
                      || strcmp(update->pointer.key, pointer->key) != 0))
        update = update->next;
    return update;
}

/* Ours, if nothing waits under its key; else what does, which is as ours from now on.  NULL:
 * there is no room. */
static struct update *enter(struct scribe *scribe, struct update *ours)
{
    wr_mutex_lock(&scribe->lock);
    struct update *update = find(scribe, &ours->pointer);
    if (update) {
        update->pointer = ours->pointer;
        update->users++;
        scribe->stat.replaced++;
    } else if (scribe->stat.waiting == SCRIBE_WAITING_MAX) {
        scribe->stat.refused++;
    } else {
        update = ours;
        update->next = scribe->waiting;
        scribe->waiting = update;
        scribe->stat.waiting++;
    }
    wr_mutex_unlock(&scribe->lock);
    return update;
}

/* The channel has room for all that wait. */
static void send(struct scribe *scribe, struct update *update)
{
    if (!wr_chan_send(scribe->updates, &update, WR_NOW))
        return;
    (void)take_out(scribe, update);
    tell(scribe, update, WR_DRAINING);
}

wr_err scribe_put(struct scribe *scribe, const struct catalog_pointer *pointer,
                  wr_time deadline)
{
    struct update *ours;
    wr_err outcome = WR_OK, err = new_update(&ours, pointer);
    if (err)
        return err;
    struct update *update = enter(scribe, ours);
    if (update == ours)
        send(scribe, ours);
    else
        free_update(ours);
    if (!update) {
        facet_refused(FACET_INDEX);
        return WR_BUSY;
    }
    err = wr_once_wait(update->written, &outcome, deadline);
    leave(scribe, update);
    return err ? err : outcome;
}

struct scribe_stat scribe_stat(struct scribe *scribe)
{
    wr_mutex_lock(&scribe->lock);
    struct scribe_stat stat = scribe->stat;
    wr_mutex_unlock(&scribe->lock);
    return stat;
}
