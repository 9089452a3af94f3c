/* watch.c - one value, its version, and who waits for the next. */
#include <weir/watch.h>

#include <stdlib.h>
#include <string.h>

#include <weir/select.h>

#include "rt/wait_int.h"
#include "rt/topo_int.h"

struct wr_watch {
    struct spin lock;
    bool closed;
    size_t size;
    uint64_t version;
    uint64_t serial;            /* of the writer handle that is valid now */
    _Atomic bool writing;       /* to catch two at once: the lock would hide them */
    struct waitlist waiters;
    const char *name;
    struct topo_node topo;
    _Alignas(16) char value[];
};

static void describe(struct topo_node *node, struct topo_row *row)
{
    struct wr_watch *watch = TOPO_OWNER(node, struct wr_watch, topo);
    spin_lock(&watch->lock);
    *row = (struct topo_row){ .kind = "watch", .name = watch->name, .cap = 1,
                              .policy = "last-write-wins", .depth = 1, .sent = watch->version };
    spin_unlock(&watch->lock);
}

wr_err (wr_watch_new)(struct wr_watch **ret, struct wr_watch_writer *ret_writer,
                      const struct wr_watch_conf *conf, const char *place)
{
    if (!conf->name || conf->size == 0 || !conf->initial)
        wr_panic_at(place,
                    "watch \"%s\": name, size and initial are required; size is %zu, and "
                    "initial is %s", conf->name ? conf->name : "?", conf->size,
                    conf->initial ? "given" : "NULL");
    size_t bytes;
    if (__builtin_add_overflow(sizeof(struct wr_watch), conf->size, &bytes))
        return WR_NOMEM;
    struct wr_watch *watch = calloc(1, bytes);
    if (!watch)
        return WR_NOMEM;
    watch->name = conf->name;
    watch->size = conf->size;
    watch->version = 1;
    watch->serial = 1;
    memcpy(watch->value, conf->initial, conf->size);
    wr_topo_add(&watch->topo, describe);
    *ret = watch;
    *ret_writer = (struct wr_watch_writer){ .watch = watch, .serial = 1 };
    return WR_OK;
}

void (wr_watch_free)(struct wr_watch *watch, const char *place)
{
    if (!watch)
        return;
    spin_lock(&watch->lock);         /* whoever woke the last user may still have it */
    struct waiter *user = watch->waiters.head;
    spin_unlock(&watch->lock);
    if (user)
        wr_panic_at(place,
                    "watch \"%s\" is freed while %s waits on it; close it and join its users "
                    "first", watch->name, wr_fiber_name(user->fiber));
    wr_topo_remove(&watch->topo);
    free(watch);
}

static struct wr_watch *watch_of(const struct wr_watch_writer *writer, const char *place)
{
    if (!writer->watch)
        wr_panic_at(place, "this writer handle is empty: it was moved, closed or never made");
    return writer->watch;
}

_Noreturn static void not_the_writer(const struct wr_watch *watch, const char *place)
{
    wr_panic_at(place,
                "watch \"%s\" has one writer, and this handle is not it: that was moved on "
                "or closed", watch->name);
}

/* Take the lock, if the handle is the one that may write. */
static bool lock_for(const struct wr_watch_writer *writer)
{
    struct wr_watch *watch = writer->watch;
    spin_lock(&watch->lock);
    if (watch->serial == writer->serial)
        return true;
    spin_unlock(&watch->lock);
    return false;
}

void (wr_watch_set)(struct wr_watch_writer *writer, const void *value, const char *place)
{
    sim_point("set", place);
    struct wr_watch *watch = watch_of(writer, place);
    if (atomic_exchange_explicit(&watch->writing, true, memory_order_acquire))
        wr_panic_at(place, "watch \"%s\" is written by two at once", watch->name);
    if (!lock_for(writer)) {
        atomic_store_explicit(&watch->writing, false, memory_order_release);
        not_the_writer(watch, place);
    }
    topo_note(&watch->topo, TOPO_IN);
    memcpy(watch->value, value, watch->size);
    watch->version++;
    wr_waitlist_wake_all(&watch->waiters, WR_OK);
    atomic_store_explicit(&watch->writing, false, memory_order_release);
    spin_unlock_kick(&watch->lock);
}

struct wr_watch_writer (wr_watch_move)(struct wr_watch_writer *from, const char *place)
{
    struct wr_watch *watch = watch_of(from, place);
    if (!lock_for(from))
        not_the_writer(watch, place);
    struct wr_watch_writer moved = { .watch = watch, .serial = ++watch->serial };
    spin_unlock(&watch->lock);
    *from = (struct wr_watch_writer){ 0 };
    return moved;
}

void (wr_watch_close)(struct wr_watch_writer *writer, const char *place)
{
    struct wr_watch *watch = writer->watch;
    if (!watch)
        return;
    if (!lock_for(writer))
        not_the_writer(watch, place);
    watch->closed = true;
    watch->serial++;
    wr_waitlist_wake_all(&watch->waiters, WR_CLOSED);
    spin_unlock_kick(&watch->lock);
    *writer = (struct wr_watch_writer){ 0 };
}

uint64_t wr_watch_get(struct wr_watch *watch, void *ret)
{
    spin_lock(&watch->lock);
    topo_note(&watch->topo, TOPO_OUT);
    memcpy(ret, watch->value, watch->size);
    uint64_t version = watch->version;
    spin_unlock(&watch->lock);
    return version;
}

struct wr_watch_reader wr_watch_reader(struct wr_watch *watch)
{
    return (struct wr_watch_reader){ .watch = watch };
}

/* The lock is held: a value not seen yet, or no more to come. */
static bool news(const struct wr_watch_reader *reader)
{
    return reader->watch->version > reader->seen || reader->watch->closed;
}

static wr_err take_news(struct wr_watch_reader *reader, void *ret)
{
    struct wr_watch *watch = reader->watch;
    topo_note(&watch->topo, TOPO_OUT);
    if (watch->version == reader->seen)
        return WR_CLOSED;
    memcpy(ret, watch->value, watch->size);
    reader->seen = watch->version;
    return WR_OK;
}

/* The value is read when the fiber runs, not when it is woken: it is then the
 * newest, and the writer copies it once however many wait. */
wr_err (wr_watch_wait)(struct wr_watch_reader *reader, void *ret, wr_time deadline,
                       const char *place)
{
    struct wr_watch *watch = reader->watch;
    struct fiber *fiber;
    sim_point("watch", place);
    wr_err err = wr_wait_enter(&fiber, deadline, watch->name, place);
    if (err)
        return err;
    spin_lock(&watch->lock);
    if (!news(reader)) {
        if (deadline == WR_NOW) {
            spin_unlock(&watch->lock);
            return WR_TIMEOUT;
        }
        err = wr_wait_on(fiber, &watch->lock, &watch->waiters, deadline, watch->name, place);
        if (err && err != WR_CLOSED)
            return err;
        spin_lock(&watch->lock);
    }
    err = take_news(reader, ret);
    spin_unlock(&watch->lock);
    return err;
}

/* ---- as a case of a select ---- */

static struct spin *watch_lock(void *on)
{
    return &((struct wr_watch_reader *)on)->watch->lock;
}

static void watch_link(void *on, const struct wr_case *c, struct waiter *waiter)
{
    struct wr_watch *watch = ((struct wr_watch_reader *)on)->watch;
    (void)c;
    topo_note(&watch->topo, TOPO_OUT);
    waitlist_push(&watch->waiters, waiter);
}

static void watch_unlink(void *on, const struct wr_case *c, struct waiter *waiter)
{
    (void)c;
    waitlist_remove(&((struct wr_watch_reader *)on)->watch->waiters, waiter);
}

static bool watch_possible(void *on, const struct wr_case *c)
{
    (void)c;
    return news(on);
}

static void watch_take(void *on, struct wr_case *c)
{
    c->err = take_news(on, c->item);
}

static void watch_finish(void *on, struct wr_case *c, struct waiter *waiter)
{
    struct wr_watch_reader *reader = on;
    (void)waiter;
    spin_lock(&reader->watch->lock);
    c->err = take_news(reader, c->item);
    spin_unlock(&reader->watch->lock);
}

const struct wr_waitable wr_case_watch = {
    .lock = watch_lock, .link = watch_link, .unlink = watch_unlink, .possible = watch_possible,
    .take = watch_take, .finish = watch_finish,
};
