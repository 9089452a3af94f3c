/* chan.c - a ring under a lock, with senders and receivers waiting beside it.
 *
 * Invariants, under the lock: receivers wait only while the ring is empty, and
 * senders only while it is full.  Whoever frees a slot moves the first waiting
 * sender's value into it; whoever brings a value hands it to the first waiting
 * receiver.  So values and waiters never pass one another.  Under COALESCE no
 * sender waits with a key that is in the ring.
 */
#include <weir/chan.h>

#include <stdlib.h>
#include <string.h>

#include <weir/select.h>

#include "rt/wait_int.h"
#include "rt/topo_int.h"

#define RETRY_MIN WR_MS(50)
#define RETRY_MAX WR_MS(150)

/* What every send and receive touches is in the first cache line. */
struct wr_chan {
    _Alignas(CACHE_LINE) struct spin lock;
    uint32_t item_size, cap, len;
    uint32_t head, tail, end;           /* of the ring, in bytes */
    uint16_t policy;
    bool closed;
    uint64_t sent;
    const struct wr_kind *last[2];      /* who was here last, on each side */
    struct waitlist receivers;

    struct waitlist senders, retriers;
    const char *name;
    uint64_t refused, dropped, coalesced, given_up;
    uint64_t (*key)(const void *item);
    void (*drop)(void *item);
    struct topo_node topo;
    _Alignas(CACHE_LINE) char ring[];
};

/* The value behind so many others. */
static void *slot(struct wr_chan *ch, size_t at)
{
    size_t byte = ch->head + at * ch->item_size;
    return ch->ring + (byte < ch->end ? byte : byte - ch->end);
}

static inline uint32_t after(const struct wr_chan *ch, uint32_t byte)
{
    byte += ch->item_size;
    return byte == ch->end ? 0 : byte;
}

static inline void copy(const struct wr_chan *ch, void *to, const void *from)
{
    if (ch->item_size == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, ch->item_size);
}

/* As topo_note, with what it compares in the hot cache line. */
static inline void note(struct wr_chan *ch, int side, const struct fiber *fiber)
{
    if (unlikely(fiber && ch->last[side] != fiber->task.kind)) {
        ch->last[side] = fiber->task.kind;
        wr_topo_note_slow(&ch->topo, side, ch->last[side]);
    }
}

static void describe(struct topo_node *node, struct topo_row *row)
{
    struct wr_chan *ch = TOPO_OWNER(node, struct wr_chan, topo);
    struct wr_chan_stat stat = wr_chan_stat(ch);
    static const char *const policy[] = { "", "wait", "reject", "drop-oldest", "coalesce",
                                          "retry-once" };
    *row = (struct topo_row){ .kind = "chan",
                              .name = ch->name,
                              .cap = ch->cap,
                              .policy = policy[ch->policy],
                              .depth = stat.len,
                              .sent = stat.sent,
                              .refused = stat.refused,
                              .dropped = stat.dropped,
                              .coalesced = stat.coalesced };
}

wr_err (wr_chan_new)(struct wr_chan **ret, const struct wr_chan_conf *conf, const char *place)
{
    const char *name = conf->name ? conf->name : "?";
    if (!conf->name || conf->item_size == 0 || conf->cap == 0)
        wr_panic_at(
            place,
            "channel \"%s\": name, item_size and cap are required; there is no unbounded kind",
            name);
    if (conf->policy < WR_WAIT || conf->policy > WR_RETRY_ONCE)
        wr_panic_at(place,
                    "channel \"%s\": say what happens when it is full: policy is %d, not "
                    "WR_WAIT, WR_REJECT, WR_DROP_OLDEST, WR_COALESCE or WR_RETRY_ONCE",
                    name, (int)conf->policy);
    if ((conf->policy == WR_COALESCE) != (conf->key != NULL))
        wr_panic_at(place, "channel \"%s\": WR_COALESCE and key belong together", name);
    size_t bytes;
    if (__builtin_mul_overflow(conf->cap, conf->item_size, &bytes) || bytes > UINT32_MAX)
        return WR_NOMEM;
    size_t lines = (sizeof(struct wr_chan) + bytes + CACHE_LINE - 1) / CACHE_LINE;
    struct wr_chan *ch = aligned_alloc(CACHE_LINE, lines * CACHE_LINE);
    if (!ch)
        return WR_NOMEM;
    memset(ch, 0, sizeof(*ch));
    ch->name = conf->name;
    ch->policy = (uint16_t)conf->policy;
    ch->item_size = (uint32_t)conf->item_size;
    ch->cap = (uint32_t)conf->cap;
    ch->end = (uint32_t)bytes;
    ch->key = conf->key;
    ch->drop = conf->drop;
    wr_topo_add(&ch->topo, describe);
    *ret = ch;
    return WR_OK;
}

void (wr_chan_free)(struct wr_chan *ch, const char *place)
{
    if (!ch)
        return;
    spin_lock(&ch->lock);           /* whoever woke the last user may still have it */
    struct waiter *user = ch->senders.head ? ch->senders.head : ch->receivers.head;
    user = user ? user : ch->retriers.head;
    spin_unlock(&ch->lock);
    if (user)
        wr_panic_at(place,
                    "channel \"%s\" is freed while %s waits on it; close it and join its users "
                    "first", ch->name, wr_fiber_name(user->fiber));
    wr_topo_remove(&ch->topo);
    for (size_t i = 0; ch->drop && i < ch->len; i++)
        ch->drop(slot(ch, i));
    free(ch);
}

/* ---- under the lock ---- */

/* The caller's own functions run under the lock: they must not wait, and a
 * panic in one cannot be contained. */
static void drop_item(struct wr_chan *ch, void *item)
{
    if (!ch->drop)
        return;
    wr_foreign_enter();
    ch->drop(item);
    wr_foreign_leave();
}

static inline void put_last(struct wr_chan *ch, const void *item)
{
    copy(ch, ch->ring + ch->tail, item);
    ch->tail = after(ch, ch->tail);
    ch->len++;
}

/* The waiting value that a new one would replace. */
static void *equal_key(struct wr_chan *ch, const void *item)
{
    void *found = NULL;
    wr_foreign_enter();
    uint64_t key = ch->key(item);
    for (size_t i = 0; i < ch->len && !found; i++)
        if (ch->key(slot(ch, i)) == key)
            found = slot(ch, i);
    wr_foreign_leave();
    return found;
}

static void replace(struct wr_chan *ch, void *old, const void *item)
{
    drop_item(ch, old);
    copy(ch, old, item);
    ch->sent++;
    ch->coalesced++;
}

static bool coalesce(struct wr_chan *ch, const void *item)
{
    void *old = equal_key(ch, item);
    if (old)
        replace(ch, old, item);
    return old;
}

/* A waiting sender whose key has just entered needs no room any more.  All of
 * them replace it, in their order: one left behind could later overwrite what a
 * newcomer has put there since. */
static void admit_equal(struct wr_chan *ch)
{
    void *entered = slot(ch, ch->len - 1);
    wr_foreign_enter();
    uint64_t key = ch->key(entered);
    for (struct waiter *sender = ch->senders.head, *next; sender; sender = next) {
        next = sender->next;
        if (ch->key(sender->item) != key)
            continue;
        if (!wr_waiter_win(sender))
            continue;
        waitlist_remove(&ch->senders, sender);
        replace(ch, entered, sender->item);
        sender->err = WR_OK;
        wr_fiber_ready(sender->fiber);
    }
    wr_foreign_leave();
}

/* Room has come: the first waiting sender's value takes it. */
static void admit_sender(struct wr_chan *ch)
{
    struct waiter *sender = waitlist_win(&ch->senders);
    if (!sender)
        return;
    put_last(ch, sender->item);
    ch->sent++;
    sender->err = WR_OK;
    wr_fiber_ready(sender->fiber);
    if (ch->policy == WR_COALESCE)
        admit_equal(ch);
}

static void drop_oldest(struct wr_chan *ch)
{
    drop_item(ch, slot(ch, 0));
    ch->head = after(ch, ch->head);
    ch->len--;
    ch->dropped++;
}

/* Send without waiting; BUSY when there is no room. */
HOT wr_err send_now(struct wr_chan *ch, const void *item)
{
    if (unlikely(ch->closed))
        return WR_CLOSED;
    struct waiter *receiver = ch->len == 0 ? waitlist_win(&ch->receivers) : NULL;
    if (receiver) {
        copy(ch, receiver->item, item);
        ch->sent++;
        receiver->err = WR_OK;
        wr_fiber_ready(receiver->fiber);
        return WR_OK;
    }
    if (ch->policy == WR_COALESCE && coalesce(ch, item))
        return WR_OK;
    if (ch->len == ch->cap) {
        if (ch->policy != WR_DROP_OLDEST)
            return WR_BUSY;
        drop_oldest(ch);
    }
    put_last(ch, item);
    ch->sent++;
    return WR_OK;
}

/* Receive without waiting; BUSY when there is nothing. */
HOT wr_err recv_now(struct wr_chan *ch, void *item)
{
    if (ch->len == 0)
        return ch->closed ? WR_CLOSED : WR_BUSY;
    bool was_full = ch->len == ch->cap;
    copy(ch, item, ch->ring + ch->head);
    ch->head = after(ch, ch->head);
    ch->len--;
    if (was_full)
        admit_sender(ch);
    return WR_OK;
}

/* ---- calls ---- */

static wr_err refuse(struct wr_chan *ch, wr_err err)
{
    if (err == WR_BUSY || err == WR_TIMEOUT) {
        spin_lock(&ch->lock);
        ch->refused++;
        spin_unlock(&ch->lock);
    }
    return err;
}

static wr_err retry_once(struct wr_chan *ch, const void *item, wr_time deadline,
                         const char *place)
{
    struct fiber *fiber = fiber_self();
    wr_time at = wr_after(wr_jitter(RETRY_MIN, RETRY_MAX));
    wr_err err = WR_BUSY;
    spin_lock(&ch->lock);
    if (ch->closed) {
        err = WR_CLOSED;
    } else if (at <= deadline) {
        err = wr_wait_on(fiber, &ch->lock, &ch->retriers, at, ch->name, place);
        wr_err ended = wr_wait_check(fiber);
        spin_lock(&ch->lock);
        if (err == WR_TIMEOUT && at < fiber->scope->deadline)
            err = ended ? ended : send_now(ch, item);
    }
    ch->given_up += err == WR_BUSY || err == WR_TIMEOUT;
    spin_unlock_kick(&ch->lock);
    return err;
}

/* There was no room. */
static wr_err send_later(struct wr_chan *ch, const void *item, wr_time deadline,
                         const char *place)
{
    struct fiber *fiber = fiber_self();
    wr_err err = WR_BUSY;
    if (deadline == WR_NOW || ch->policy == WR_REJECT) {
        spin_unlock(&ch->lock);
    } else if (ch->policy == WR_RETRY_ONCE) {
        spin_unlock(&ch->lock);
        err = retry_once(ch, item, deadline, place);
    } else {
        fiber->waiter.item = (void *)(uintptr_t)item;
        err = wr_wait_on(fiber, &ch->lock, &ch->senders, deadline, ch->name, place);
    }
    return err == WR_BUSY || err == WR_TIMEOUT ? refuse(ch, err) : err;
}

wr_err (wr_chan_send)(struct wr_chan *ch, const void *item, wr_time deadline, const char *place)
{
    sim_point("send", place);
    struct fiber *fiber;
    wr_err err = wr_wait_enter(&fiber, deadline, ch->name, place);
    if (unlikely(err))
        return err;
    spin_lock(&ch->lock);
    note(ch, TOPO_IN, fiber);
    err = send_now(ch, item);
    if (unlikely(err == WR_BUSY))
        return send_later(ch, item, deadline, place);
    spin_unlock_kick(&ch->lock);
    return err;
}

wr_err (wr_chan_recv)(struct wr_chan *ch, void *item, wr_time deadline, const char *place)
{
    sim_point("recv", place);
    struct fiber *fiber;
    wr_err err = wr_wait_enter(&fiber, deadline, ch->name, place);
    if (unlikely(err))
        return err;
    spin_lock(&ch->lock);
    note(ch, TOPO_OUT, fiber);
    err = recv_now(ch, item);
    if (err != WR_BUSY || deadline == WR_NOW) {
        spin_unlock_kick(&ch->lock);
        return err == WR_BUSY ? WR_TIMEOUT : err;
    }
    fiber->waiter.item = item;
    return wr_wait_on(fiber, &ch->lock, &ch->receivers, deadline, ch->name, place);
}

void wr_chan_close(struct wr_chan *ch)
{
    sim_point("close", ch->name);
    spin_lock(&ch->lock);
    ch->closed = true;
    wr_waitlist_wake_all(&ch->senders, WR_CLOSED);
    wr_waitlist_wake_all(&ch->receivers, WR_CLOSED);
    wr_waitlist_wake_all(&ch->retriers, WR_CLOSED);
    spin_unlock_kick(&ch->lock);
}

struct wr_chan_stat wr_chan_stat(const struct wr_chan *ch)
{
    struct spin *lock = &((struct wr_chan *)(uintptr_t)ch)->lock;
    spin_lock(lock);
    struct wr_chan_stat stat = {
        .len = ch->len, .cap = ch->cap, .sent = ch->sent, .refused = ch->refused,
        .received = ch->sent - ch->coalesced - ch->dropped - ch->len,
        .dropped = ch->dropped + ch->given_up, .coalesced = ch->coalesced,
    };
    spin_unlock(lock);
    return stat;
}

/* ---- as cases of a select ---- */

static struct spin *chan_lock(void *on)
{
    return &((struct wr_chan *)on)->lock;
}

static void send_link(void *on, const struct wr_case *c, struct waiter *waiter)
{
    struct wr_chan *ch = on;
    (void)c;
    note(ch, TOPO_IN, waiter->fiber);
    waitlist_push(&ch->senders, waiter);
}

static void send_unlink(void *on, const struct wr_case *c, struct waiter *waiter)
{
    (void)c;
    waitlist_remove(&((struct wr_chan *)on)->senders, waiter);
}

static void recv_link(void *on, const struct wr_case *c, struct waiter *waiter)
{
    struct wr_chan *ch = on;
    (void)c;
    note(ch, TOPO_OUT, waiter->fiber);
    waitlist_push(&ch->receivers, waiter);
}

static void recv_unlink(void *on, const struct wr_case *c, struct waiter *waiter)
{
    (void)c;
    waitlist_remove(&((struct wr_chan *)on)->receivers, waiter);
}

static bool send_possible(void *on, const struct wr_case *c)
{
    struct wr_chan *ch = on;
    if (ch->closed || ch->len < ch->cap || (ch->policy != WR_WAIT && ch->policy != WR_COALESCE))
        return true;
    return ch->policy == WR_COALESCE && equal_key(ch, c->item);
}

static void send_take(void *on, struct wr_case *c)
{
    struct wr_chan *ch = on;
    note(ch, TOPO_IN, fiber_self());
    c->err = send_now(ch, c->item);
    if (c->err == WR_BUSY)
        ch->refused++;
}

static bool recv_possible(void *on, const struct wr_case *c)
{
    struct wr_chan *ch = on;
    (void)c;
    return ch->len > 0 || ch->closed;
}

static void recv_take(void *on, struct wr_case *c)
{
    struct wr_chan *ch = on;
    note(ch, TOPO_OUT, fiber_self());
    c->err = recv_now(ch, c->item);
}

const struct wr_waitable wr_case_send = {
    .lock = chan_lock, .link = send_link, .unlink = send_unlink,
    .possible = send_possible, .take = send_take,
    .finish = wr_case_finish,
};
const struct wr_waitable wr_case_recv = {
    .lock = chan_lock, .link = recv_link, .unlink = recv_unlink,
    .possible = recv_possible, .take = recv_take,
    .finish = wr_case_finish,
};
