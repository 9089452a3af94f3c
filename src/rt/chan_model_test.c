/* Channels against a model that is too simple to be wrong: random sends,
 * receives, deadlines, cancels and a close, compared after every step.
 *
 * The clock decides when a step is over: it stands still until everybody waits.
 * The steps end at even moments and deadlines are odd, so that nothing is due
 * at the very moment of a comparison.
 */
#include <weir/chan.h>

#include <stdio.h>
#include <string.h>

#include "base/rand.h"
#include "testing/settle.h"
#include "testing/test.h"

#define ACTORS 12
#define CAP_MAX 4
#define KEYS 4
#define STEPS 250
#define SEEDS 8

struct actor {
    struct wr_chan *ch;
    struct wr_scope *scope;
    bool sends;
    int value;
    wr_time deadline;
    /* What happened. */
    bool done;
    wr_err err;
    /* What the model says. */
    bool used, want_done;
    wr_err want_err;
    int want_value;
};

struct line { struct actor *who[ACTORS]; size_t len; };

struct model {
    enum wr_chan_policy policy;
    size_t cap, len;
    int ring[CAP_MAX];
    bool closed;
    struct line senders, receivers;
    struct wr_chan_stat stat;
    uint64_t drops;             /* all values dropped, in order, in one number */
};

static _Atomic uint64_t drops;

static void drop(void *item)
{
    drops = drops * 31 + (uint64_t)*(int *)item;
}

static int key_of(int value)
{
    return value % KEYS;
}

static uint64_t key(const void *item)
{
    return (uint64_t)key_of(*(const int *)item);
}

/* ---- the model ---- */

static void line_leave(struct line *line, size_t at)
{
    line->len--;
    for (; at < line->len; at++)
        line->who[at] = line->who[at + 1];
}

static void end(struct line *line, size_t at, wr_err err)
{
    line->who[at]->want_done = true;
    line->who[at]->want_err = err;
    line_leave(line, at);
}

static void model_drop(struct model *m, size_t at)
{
    m->drops = m->drops * 31 + (uint64_t)m->ring[at];
}

static bool model_coalesce(struct model *m, int value)
{
    for (size_t i = 0; i < m->len; i++)
        if (key_of(m->ring[i]) == key_of(value)) {
            model_drop(m, i);
            m->ring[i] = value;
            m->stat.sent++;
            m->stat.coalesced++;
            return true;
        }
    return false;
}

static wr_err model_send(struct model *m, int value)
{
    if (m->closed)
        return WR_CLOSED;
    if (m->receivers.len) {
        m->receivers.who[0]->want_value = value;
        end(&m->receivers, 0, WR_OK);
        m->stat.sent++;
        m->stat.received++;
        return WR_OK;
    }
    if (m->policy == WR_COALESCE && model_coalesce(m, value))
        return WR_OK;
    if (m->len == m->cap && m->policy == WR_DROP_OLDEST) {
        model_drop(m, 0);
        memmove(m->ring, m->ring + 1, --m->len * sizeof(int));
        m->stat.dropped++;
    }
    if (m->len == m->cap)
        return WR_BUSY;
    m->ring[m->len++] = value;
    m->stat.sent++;
    return WR_OK;
}

static wr_err model_recv(struct model *m, int *ret)
{
    if (m->len == 0)
        return m->closed ? WR_CLOSED : WR_TIMEOUT;
    *ret = m->ring[0];
    memmove(m->ring, m->ring + 1, --m->len * sizeof(int));
    m->stat.received++;
    /* Whoever can enter now does, in order. */
    for (size_t i = 0; i < m->senders.len;) {
        int value = m->senders.who[i]->value;
        bool enters = m->len < m->cap || (m->policy == WR_COALESCE && model_coalesce(m, value));
        if (m->len < m->cap) {
            m->ring[m->len++] = value;
            m->stat.sent++;
        }
        if (enters)
            end(&m->senders, i, WR_OK);
        else
            i++;
    }
    return WR_OK;
}

static void expire(struct line *line, wr_time now, uint64_t *refused)
{
    for (size_t i = line->len; i-- > 0;)
        if (line->who[i]->deadline < now) {
            end(line, i, WR_TIMEOUT);
            *refused += 1;
        }
}

static void model_close(struct model *m)
{
    m->closed = true;
    while (m->senders.len)
        end(&m->senders, 0, WR_CLOSED);
    while (m->receivers.len)
        end(&m->receivers, 0, WR_CLOSED);
}

/* ---- one step of both ---- */

static wr_err act(void *arg)
{
    struct actor *actor = arg;
    actor->scope = scope_open();
    wr_scope_enter(actor->scope);
    actor->err = actor->sends ? wr_chan_send(actor->ch, &actor->value, actor->deadline)
                              : wr_chan_recv(actor->ch, &actor->value, actor->deadline);
    wr_scope_leave(actor->scope);
    CHECK_OK(wr_scope_close(actor->scope));
    actor->done = true;
    return WR_OK;
}

struct game {
    struct model model;
    struct wr_chan *ch;
    struct wr_scope *scope;
    struct wr_rand rand;
    struct actor actors[ACTORS];
    int serial;
};

static int fresh_value(struct game *g)
{
    g->serial += KEYS;
    return g->serial + (int)wr_rand_below(&g->rand, KEYS);
}

static void step_send(struct game *g)
{
    int value = fresh_value(g);
    wr_err want = model_send(&g->model, value);
    g->model.stat.refused += want == WR_BUSY;
    CHECK_ERR(want, wr_chan_send(g->ch, &value, WR_NOW));
}

static void step_recv(struct game *g)
{
    int want_value = -1, value = -1;
    wr_err want = model_recv(&g->model, &want_value);
    CHECK_ERR(want, wr_chan_recv(g->ch, &value, WR_NOW));
    CHECK_EQ(want_value, value);
}

static void step_start(struct game *g, bool sends)
{
    struct actor *actor = g->actors;
    while (actor < g->actors + ACTORS && actor->used)
        actor++;
    if (actor == g->actors + ACTORS)
        return;
    bool never = wr_rand_below(&g->rand, 3) == 0;
    wr_time deadline = wr_now() + 1 + 2 * wr_rand_span(&g->rand, 0, 20);
    *actor = (struct actor){ .ch = g->ch, .sends = sends, .used = true,
                             .value = sends ? fresh_value(g) : -1,
                             .deadline = never ? WR_NEVER : deadline };
    wr_err want = sends ? model_send(&g->model, actor->value)
                        : model_recv(&g->model, &actor->want_value);
    bool waits = sends ? g->model.policy == WR_WAIT || g->model.policy == WR_COALESCE : true;
    actor->want_done = true;
    actor->want_err = want;
    if ((want == WR_BUSY || want == WR_TIMEOUT) && waits) {
        struct line *line = sends ? &g->model.senders : &g->model.receivers;
        actor->want_done = false;
        line->who[line->len++] = actor;
    } else {
        g->model.stat.refused += want == WR_BUSY;
    }
    CHECK_OK(wr_scope_go(g->scope, "test.actor", act, actor));
}

static void step_cancel(struct game *g)
{
    struct line *line = wr_rand_below(&g->rand, 2) ? &g->model.senders : &g->model.receivers;
    if (line->len == 0)
        return;
    size_t at = (size_t)wr_rand_below(&g->rand, line->len);
    wr_scope_cancel(line->who[at]->scope);
    end(line, at, WR_CANCELED);
}

static bool compare(struct game *g)
{
    struct wr_chan_stat stat = wr_chan_stat(g->ch);
    struct model *m = &g->model;
    bool good = CHECK_EQ(m->len, stat.len) && CHECK_EQ(m->stat.sent, stat.sent)
        && CHECK_EQ(m->stat.received, stat.received) && CHECK_EQ(m->stat.refused, stat.refused)
        && CHECK_EQ(m->stat.dropped, stat.dropped)
        && CHECK_EQ(m->stat.coalesced, stat.coalesced) && CHECK_EQ(m->drops, drops);
    for (struct actor *actor = g->actors; actor < g->actors + ACTORS; actor++) {
        if (!actor->used)
            continue;
        good &= CHECK_EQ(actor->want_done, actor->done);
        if (!actor->done)
            continue;
        good &= CHECK_ERR(actor->want_err, actor->err);
        if (!actor->sends && actor->err == WR_OK)
            good &= CHECK_EQ(actor->want_value, actor->value);
        actor->used = false;
    }
    return good;
}

static void step(struct game *g)
{
    uint64_t choice = wr_rand_below(&g->rand, 100);
    wr_time span = 2;
    if (choice < 25)
        step_send(g);
    else if (choice < 45)
        step_recv(g);
    else if (choice < 65)
        step_start(g, true);
    else if (choice < 85)
        step_start(g, false);
    else if (choice < 92)
        step_cancel(g);
    else
        span = 2 * wr_rand_span(&g->rand, 1, 15);
    CHECK_OK(wr_sleep(wr_after(span)));
    uint64_t ignored = 0;
    expire(&g->model.senders, wr_now(), &g->model.stat.refused);
    expire(&g->model.receivers, wr_now(), &ignored);
}

static bool play(enum wr_chan_policy policy, uint64_t seed)
{
    struct game g = { .model = { .policy = policy }, .scope = scope_open() };
    wr_rand_seed(&g.rand, seed);
    g.model.cap = 1 + (size_t)wr_rand_below(&g.rand, CAP_MAX);
    drops = 0;
    CHECK_OK(wr_chan_new(&g.ch, &(struct wr_chan_conf){
        .name = "test.model", .item_size = sizeof(int), .cap = g.model.cap, .policy = policy,
        .key = policy == WR_COALESCE ? key : NULL, .drop = drop }));
    bool good = true;
    for (int i = 0; good && i < STEPS; i++) {
        step(&g);
        good = compare(&g);
    }
    wr_chan_close(g.ch);
    model_close(&g.model);
    settle();
    good = good && compare(&g);
    for (size_t i = 0; i < g.model.cap / 2; i++)
        step_recv(&g);
    for (size_t i = 0; i < g.model.len; i++)
        model_drop(&g.model, i);
    scope_done(g.scope);
    wr_chan_free(g.ch);
    good &= CHECK_EQ(g.model.drops, drops);
    if (!good)
        printf("# policy %d, seed %llu\n", policy, (unsigned long long)seed);
    return good;
}

static void play_all(enum wr_chan_policy policy)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        if (!play(policy, seed))
            return;
}

TEST(a_channel_that_waits_does_what_the_model_does)
{
    play_all(WR_WAIT);
}

TEST(a_channel_that_rejects_does_what_the_model_does)
{
    play_all(WR_REJECT);
}

TEST(a_channel_that_drops_the_oldest_does_what_the_model_does)
{
    play_all(WR_DROP_OLDEST);
}

TEST(a_channel_that_coalesces_does_what_the_model_does)
{
    play_all(WR_COALESCE);
}
