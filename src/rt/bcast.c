/* bcast.c - a ring that overwrites, and readers with a number each.
 *
 * Values are numbered from 1 on; the ring holds the last `cap`.  A reader's
 * number says what it reads next; when that number has left the ring, it has
 * lagged.
 */
#include <weir/bcast.h>

#include <stdlib.h>
#include <string.h>

#include <weir/select.h>

#include "rt/wait_int.h"
#include "rt/topo_int.h"

struct wr_bcast {
    struct spin lock;
    bool closed;
    size_t item_size, cap;
    uint64_t sent;              /* the number of the newest value */
    uint64_t lagged;
    struct waitlist waiters;
    const char *name;
    struct topo_node topo;
    _Alignas(16) char ring[];
};

static void *slot(struct wr_bcast *bcast, uint64_t number)
{
    return bcast->ring + (number % bcast->cap) * bcast->item_size;
}

static void describe(struct topo_node *node, struct topo_row *row)
{
    struct wr_bcast *bcast = TOPO_OWNER(node, struct wr_bcast, topo);
    struct wr_bcast_stat stat = wr_bcast_stat(bcast);
    *row = (struct topo_row){ .kind = "bcast", .name = bcast->name, .cap = bcast->cap,
                              .policy = "overwrite-oldest", .sent = stat.sent,
                              .lagged = stat.lagged };
}

wr_err (wr_bcast_new)(struct wr_bcast **ret, const struct wr_bcast_conf *conf,
                      const char *place)
{
    if (!conf->name || conf->item_size == 0 || conf->cap == 0)
        wr_panic_at(place,
                    "broadcast \"%s\": name, item_size and cap are required; item_size is %zu, "
                    "and cap is %zu", conf->name ? conf->name : "?", conf->item_size,
                    conf->cap);
    size_t bytes;
    if (__builtin_mul_overflow(conf->cap, conf->item_size, &bytes)
        || __builtin_add_overflow(bytes, sizeof(struct wr_bcast), &bytes))
        return WR_NOMEM;
    struct wr_bcast *bcast = calloc(1, bytes);
    if (!bcast)
        return WR_NOMEM;
    bcast->name = conf->name;
    bcast->item_size = conf->item_size;
    bcast->cap = conf->cap;
    wr_topo_add(&bcast->topo, describe);
    *ret = bcast;
    return WR_OK;
}

void (wr_bcast_free)(struct wr_bcast *bcast, const char *place)
{
    if (!bcast)
        return;
    spin_lock(&bcast->lock);         /* whoever woke the last user may still have it */
    struct waiter *user = bcast->waiters.head;
    spin_unlock(&bcast->lock);
    if (user)
        wr_panic_at(place,
                    "broadcast \"%s\" is freed while %s waits on it; close it and join its "
                    "users first", bcast->name, wr_fiber_name(user->fiber));
    wr_topo_remove(&bcast->topo);
    free(bcast);
}

wr_err wr_bcast_send(struct wr_bcast *bcast, const void *item)
{
    sim_point("broadcast", bcast->name);
    spin_lock(&bcast->lock);
    topo_note(&bcast->topo, TOPO_IN);
    wr_err err = bcast->closed ? WR_CLOSED : WR_OK;
    if (!err) {
        bcast->sent++;
        memcpy(slot(bcast, bcast->sent), item, bcast->item_size);
        wr_waitlist_wake_all(&bcast->waiters, WR_OK);
    }
    spin_unlock_kick(&bcast->lock);
    return err;
}

struct wr_bcast_reader wr_bcast_reader(struct wr_bcast *bcast)
{
    spin_lock(&bcast->lock);
    struct wr_bcast_reader reader = { .bcast = bcast, .next = bcast->sent + 1 };
    spin_unlock(&bcast->lock);
    return reader;
}

/* ---- under the lock ---- */

static bool news(const struct wr_bcast_reader *reader)
{
    return reader->next <= reader->bcast->sent || reader->bcast->closed;
}

static wr_err take_news(struct wr_bcast_reader *reader, void *item)
{
    struct wr_bcast *bcast = reader->bcast;
    topo_note(&bcast->topo, TOPO_OUT);
    uint64_t oldest = bcast->sent < bcast->cap ? 1 : bcast->sent - bcast->cap + 1;
    if (reader->next < oldest) {
        uint64_t missed = oldest - reader->next;
        reader->next = oldest;
        reader->lagged += missed;
        bcast->lagged += missed;
        return WR_LAGGED;
    }
    if (reader->next > bcast->sent)
        return WR_CLOSED;
    memcpy(item, slot(bcast, reader->next), bcast->item_size);
    reader->next++;
    return WR_OK;
}

/* ---- calls ---- */

wr_err (wr_bcast_recv)(struct wr_bcast_reader *reader, void *item, wr_time deadline,
                       const char *place)
{
    struct wr_bcast *bcast = reader->bcast;
    struct fiber *fiber;
    sim_point("bcast", place);
    wr_err err = wr_wait_enter(&fiber, deadline, bcast->name, place);
    if (err)
        return err;
    spin_lock(&bcast->lock);
    if (!news(reader)) {
        if (deadline == WR_NOW) {
            spin_unlock(&bcast->lock);
            return WR_TIMEOUT;
        }
        err = wr_wait_on(fiber, &bcast->lock, &bcast->waiters, deadline, bcast->name, place);
        if (err && err != WR_CLOSED)
            return err;
        spin_lock(&bcast->lock);
    }
    err = take_news(reader, item);
    spin_unlock(&bcast->lock);
    return err;
}

void wr_bcast_close(struct wr_bcast *bcast)
{
    spin_lock(&bcast->lock);
    bcast->closed = true;
    wr_waitlist_wake_all(&bcast->waiters, WR_CLOSED);
    spin_unlock_kick(&bcast->lock);
}

struct wr_bcast_stat wr_bcast_stat(const struct wr_bcast *bcast)
{
    struct spin *lock = &((struct wr_bcast *)(uintptr_t)bcast)->lock;
    spin_lock(lock);
    struct wr_bcast_stat stat = { .sent = bcast->sent, .lagged = bcast->lagged };
    spin_unlock(lock);
    return stat;
}

/* ---- as a case of a select ---- */

static struct spin *bcast_lock(void *on)
{
    return &((struct wr_bcast_reader *)on)->bcast->lock;
}

static void bcast_link(void *on, const struct wr_case *c, struct waiter *waiter)
{
    struct wr_bcast *bcast = ((struct wr_bcast_reader *)on)->bcast;
    (void)c;
    topo_note(&bcast->topo, TOPO_OUT);
    waitlist_push(&bcast->waiters, waiter);
}

static void bcast_unlink(void *on, const struct wr_case *c, struct waiter *waiter)
{
    (void)c;
    waitlist_remove(&((struct wr_bcast_reader *)on)->bcast->waiters, waiter);
}

static bool bcast_possible(void *on, const struct wr_case *c)
{
    (void)c;
    return news(on);
}

static void bcast_take(void *on, struct wr_case *c)
{
    c->err = take_news(on, c->item);
}

static void bcast_finish(void *on, struct wr_case *c, struct waiter *waiter)
{
    struct wr_bcast_reader *reader = on;
    (void)waiter;
    spin_lock(&reader->bcast->lock);
    c->err = take_news(reader, c->item);
    spin_unlock(&reader->bcast->lock);
}

const struct wr_waitable wr_case_bcast = {
    .lock = bcast_lock, .link = bcast_link, .unlink = bcast_unlink, .possible = bcast_possible,
    .take = bcast_take, .finish = bcast_finish,
};
