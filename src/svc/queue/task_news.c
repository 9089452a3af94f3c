/* task_news.c - see task_news.h.
 *
 * Entries are found by a hash of the task's id.  Each has a watch, made for the first who
 * waits; it is written under the lock, since many may ring at once.
 */
#include "svc/queue/task_news.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>
#include <weir/metric.h>
#include <weir/watch.h>

#include "base/scatter.h"
#include "base/world.h"
#include "svc/queue/queue_meter.h"

#define LOCK_RANK 685
#define BUCKETS 1024

struct state {
    uint64_t version, doubts, reads;
    wr_time at;                         /* when the version rose last */
    bool hushed;
};

struct entry {
    struct entry *next;                 /* in its bucket */
    struct entry *newer, *older;        /* in the order of use */
    struct state state;
    struct wr_watch *watch;             /* NULL: nobody has waited yet */
    struct wr_watch_writer writer;
    size_t holders;                     /* who waits */
    struct queue_view *view;            /* of that version; NULL: none */
    uint64_t viewed;
    bool reading;                       /* somebody is about to renew it */
    char task[STORE_TASK_ID_MAX + 1];
};

struct news {
    struct wr_mutex lock;               /* of all but `waiting` and `wakes` */
    size_t max, count;
    uint64_t seed[2];
    uint64_t versions, doubts;          /* the highest so far */
    bool hushed;
    struct wr_histogram *wakes;
    struct entry *newest, *oldest;
    struct entry *buckets[BUCKETS];
    atomic_size_t waiting;
};

wr_err news_new(struct news **ret, size_t max)
{
    struct news *news = calloc(1, sizeof(*news));
    if (!news)
        return WR_NOMEM;
    news->lock = (struct wr_mutex)WR_MUTEX("queue.news", LOCK_RANK);
    news->max = max;
    news->wakes = queue_meter_wakes();
    wr_world->entropy(news->seed, sizeof(news->seed));
    *ret = news;
    return WR_OK;
}

static void free_entry(struct entry *entry)
{
    if (entry->watch) {
        wr_watch_close(&entry->writer);
        wr_watch_free(entry->watch);
    }
    queue_view_unref(entry->view);
    free(entry);
}

void news_free(struct news *news)
{
    if (!news)
        return;
    for (struct entry *entry = news->newest, *older; entry; entry = older) {
        older = entry->older;
        free_entry(entry);
    }
    wr_mutex_fini(&news->lock);
    free(news);
}

/* ---- entries; the lock is held ---- */

static struct entry **place_of(struct news *news, const char *task)
{
    struct entry **at = &news->buckets[wr_scatter(news->seed, task, strlen(task)) % BUCKETS];
    while (*at && strcmp((*at)->task, task) != 0)
        at = &(*at)->next;
    return at;
}

static void unlink_use(struct news *news, struct entry *entry)
{
    *(entry->newer ? &entry->newer->older : &news->newest) = entry->older;
    *(entry->older ? &entry->older->newer : &news->oldest) = entry->newer;
}

static void link_newest(struct news *news, struct entry *entry)
{
    entry->newer = NULL;
    entry->older = news->newest;
    *(news->newest ? &news->newest->newer : &news->oldest) = entry;
    news->newest = entry;
}

/* Forget the one that was used longest ago and that nobody waits for. */
static void forget_one(struct news *news)
{
    struct entry *entry = news->oldest;
    while (entry && entry->holders)
        entry = entry->newer;
    if (!entry)
        return;
    *place_of(news, entry->task) = entry->next;
    unlink_use(news, entry);
    news->count--;
    free_entry(entry);
}

/* NULL: there is no memory. */
static struct entry *entry_of(struct news *news, const char *task)
{
    struct entry *entry = *place_of(news, task);
    if (entry) {
        unlink_use(news, entry);
        link_newest(news, entry);
        return entry;
    }
    if (news->count >= news->max)
        forget_one(news);
    entry = calloc(1, sizeof(*entry));
    if (!entry)
        return NULL;
    snprintf(entry->task, sizeof(entry->task), "%s", task);
    entry->state = (struct state){ .version = ++news->versions, .doubts = news->doubts,
                                   .hushed = news->hushed };
    *place_of(news, task) = entry;
    link_newest(news, entry);
    news->count++;
    return entry;
}

static void publish(struct entry *entry)
{
    if (entry->watch)
        wr_watch_set(&entry->writer, &entry->state);
}

/* ---- those who ring ---- */

void news_ring(struct news *news, const char *task)
{
    wr_mutex_lock(&news->lock);
    struct entry *entry = *place_of(news, task);
    if (entry) {
        entry->state.version = ++news->versions;
        entry->state.at = wr_now();
        publish(entry);
    }
    wr_mutex_unlock(&news->lock);
}

void news_doubt(struct news *news)
{
    wr_mutex_lock(&news->lock);
    news->doubts++;
    for (struct entry *entry = news->newest; entry; entry = entry->older) {
        entry->state.doubts = news->doubts;
        /* What was kept may be stale; a view that is read from now on is not. */
        queue_view_unref(entry->view);
        entry->view = NULL;
        publish(entry);
    }
    wr_mutex_unlock(&news->lock);
}

void news_hush(struct news *news)
{
    wr_mutex_lock(&news->lock);
    news->hushed = true;
    for (struct entry *entry = news->newest; entry; entry = entry->older) {
        entry->state.hushed = true;
        publish(entry);
    }
    wr_mutex_unlock(&news->lock);
}

/* ---- those who look ---- */

wr_err news_version(struct news *news, const char *task, uint64_t *ret, uint64_t *ret_doubts)
{
    wr_mutex_lock(&news->lock);
    struct entry *entry = entry_of(news, task);
    if (entry) {
        *ret = entry->state.version;
        *ret_doubts = entry->state.doubts;
    }
    wr_mutex_unlock(&news->lock);
    return entry ? WR_OK : WR_NOMEM;
}

/* ---- those who wait ---- */

/* An entry that will not be forgotten, with a watch.  NULL: there is no memory. */
static struct entry *hold(struct news *news, const char *task)
{
    wr_mutex_lock(&news->lock);
    struct entry *entry = entry_of(news, task);
    wr_err err = WR_OK;
    if (entry && !entry->watch)
        err = wr_watch_new(&entry->watch, &entry->writer, &(struct wr_watch_conf){
            .name = "queue.news", .size = sizeof(entry->state), .initial = &entry->state });
    if (err)
        entry = NULL;
    if (entry)
        entry->holders++;
    wr_mutex_unlock(&news->lock);
    return entry;
}

static void release(struct news *news, struct entry *entry)
{
    wr_mutex_lock(&news->lock);
    entry->holders--;
    wr_mutex_unlock(&news->lock);
}

wr_err(news_wait)(struct news *news, const char *task, uint64_t since, uint64_t *doubts,
                  wr_time deadline, const char *place)
{
    struct state state;
    struct entry *entry = hold(news, task);
    if (!entry)
        return WR_NOMEM;
    struct wr_watch_reader reader = wr_watch_reader(entry->watch);
    wr_time begun = wr_now();
    wr_err err;
    atomic_fetch_add(&news->waiting, 1);
    do
        err = (wr_watch_wait)(&reader, &state, deadline, place);
    while (!err && state.version <= since && state.doubts <= *doubts && !state.hushed);
    atomic_fetch_sub(&news->waiting, 1);
    release(news, entry);
    if (!err && state.version > since && state.at >= begun)
        wr_histogram_observe(news->wakes, wr_now() - state.at);
    if (err || state.version > since)
        return err;
    if (state.hushed)
        return WR_DRAINING;
    *doubts = state.doubts;
    return WR_LAGGED;
}

/* ---- views ---- */

enum turn { HAVE_IT, READ_IT, AWAIT_IT };

/* With the entry held. */
static enum turn look_at(struct news *news, struct entry *entry, struct queue_view **ret,
                         struct state *seen)
{
    wr_mutex_lock(&news->lock);
    enum turn turn = entry->view && entry->viewed == entry->state.version ? HAVE_IT
                     : entry->reading                                    ? AWAIT_IT
                                                                         : READ_IT;
    if (turn == HAVE_IT)
        *ret = queue_view_ref(entry->view);
    if (turn == READ_IT)
        entry->reading = true;
    *seen = entry->state;
    wr_mutex_unlock(&news->lock);
    return turn;
}

/* It was read, or could not be (NULL): who waits for that looks again. */
static void keep(struct news *news, struct entry *entry, const struct state *seen,
                 struct queue_view *view)
{
    wr_mutex_lock(&news->lock);
    struct queue_view *old = entry->view;
    entry->reading = false;
    entry->view = view && entry->state.doubts == seen->doubts ? queue_view_ref(view) : NULL;
    entry->viewed = seen->version;
    entry->state.reads++;
    publish(entry);
    wr_mutex_unlock(&news->lock);
    queue_view_unref(old);
}

/* Until somebody has read it. */
static wr_err await_read(struct entry *entry, uint64_t reads, wr_time deadline,
                         const char *place)
{
    struct wr_watch_reader reader = wr_watch_reader(entry->watch);
    struct state state;
    wr_err err;
    do
        err = (wr_watch_wait)(&reader, &state, deadline, place);
    while (!err && state.reads == reads);
    return err;
}

wr_err(news_view)(struct news *news, const char *task, news_read_fn *read, void *arg,
                  struct queue_view **ret, uint64_t *ret_version, wr_time deadline,
                  const char *place)
{
    struct entry *entry = hold(news, task);
    struct state seen;
    wr_err err = WR_OK;
    if (!entry)
        return WR_NOMEM;
    enum turn turn = look_at(news, entry, ret, &seen);
    while (turn == AWAIT_IT && !err) {
        err = await_read(entry, seen.reads, deadline, place);
        if (!err)
            turn = look_at(news, entry, ret, &seen);
    }
    if (turn == READ_IT) {
        struct queue_view *view = NULL;
        err = read(arg, task, &view, deadline);
        keep(news, entry, &seen, err ? NULL : view);
        *ret = view;
    }
    *ret_version = seen.version;
    release(news, entry);
    return err;
}

size_t news_waiting(const struct news *news)
{
    return atomic_load(&news->waiting);
}
