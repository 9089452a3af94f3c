/* scenario_scopes.c - trees of scopes, canceled, failing and timing out.
 *
 * Every task of a tree starts more below it, waits, fails, cancels what it
 * started, or shields itself.  A scope that was closed has no task left; what
 * it returns is the first error below it; no wait ends before its time, none
 * times out before the scope's deadline, none goes well in a canceled scope,
 * however far above the cancel was, and a shield is not canceled.
 */
#include "sim/scenario.h"

#define NODES 160
#define DEPTH 3
#define BRANCHES 4
#define TREES 3

struct scopes;

struct node {
    struct scopes *scopes;
    struct node *parent;
    int depth;
    int alive;                      /* tasks started in its scope that have not returned */
    wr_err first_err;               /* of these */
    bool canceled;                  /* its scope */
};

struct scopes {
    struct node nodes[NODES];
    int count, started, ended, canceled, timed_out;
};

static wr_err grow(void *arg);

static struct node *new_node(struct scopes *s, struct node *parent)
{
    if (s->count == NODES)
        return NULL;
    struct node *node = &s->nodes[s->count++];
    *node = (struct node){ .scopes = s, .parent = parent,
                           .depth = parent ? parent->depth + 1 : 0 };
    return node;
}

static bool doomed(const struct node *node)
{
    while ((node = node->parent))
        if (node->canceled)
            return true;
    return false;
}

static wr_err checked_sleep(struct scopes *s, wr_time deadline)
{
    wr_err err = wr_sleep(deadline);
    WR_ASSERT(err != WR_OK || wr_now() >= deadline);
    WR_ASSERT(err != WR_TIMEOUT || wr_now() >= wr_scope_deadline());
    WR_ASSERT(!err || wr_scope_check() == err);
    s->canceled += err == WR_CANCELED;
    s->timed_out += err == WR_TIMEOUT;
    return err;
}

/* Whatever happens around it, the shield alone decides. */
static void sleep_shielded(struct scopes *s)
{
    struct wr_scope *shield;
    MUST(wr_scope_new(&shield, &(struct wr_scope_conf){ .name = "shield", .shield = true,
                                                        .deadline = wr_after(WR_MS(4)) }));
    wr_scope_enter(shield);
    wr_err err = checked_sleep(s, wr_after(WR_MS(1)));
    WR_ASSERT(err == WR_OK || err == WR_TIMEOUT);
    wr_scope_leave(shield);
    MUST(wr_scope_close(shield));
}

static wr_err note_end(struct node *node, wr_err err)
{
    struct node *parent = node->parent;
    node->scopes->ended++;
    if (parent) {
        parent->alive--;
        if (err && err != WR_CANCELED && !parent->first_err)
            parent->first_err = err;
    }
    return err;
}

/* Start some tasks below, and see them all end.  Returns what the scope did. */
static wr_err branch(struct node *node)
{
    struct scopes *s = node->scopes;
    struct wr_scope *scope;
    wr_time deadline = wr_sim_below(3) ? WR_NEVER : some_time(WR_MS(6));
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "branch",
                                                               .deadline = deadline });
    if (err)
        return err;
    for (uint64_t i = 1 + wr_sim_below(BRANCHES); i > 0; i--) {
        struct node *child = new_node(s, node);
        if (!child)
            break;
        node->alive++;
        err = wr_scope_go(scope, "scopes.task", grow, child);
        s->started += err == WR_OK;
        node->alive -= err != WR_OK;
        WR_ASSERT(!err || err == WR_CANCELED || err == WR_TIMEOUT);
        if (wr_sim_below(3) == 0)
            (void)!checked_sleep(s, some_time(WR_MS(1)));
    }
    if (wr_sim_fault("cancel", 4)) {
        wr_scope_cancel(scope);
        node->canceled = true;
    }
    if (wr_sim_below(2))
        (void)!wr_scope_join(scope, wr_sim_below(2) ? WR_NEVER : some_time(WR_MS(5)));
    err = wr_scope_close(scope);
    node->canceled = false;
    WR_ASSERT(node->alive == 0);
    WR_ASSERT(err == node->first_err);
    return err;
}

static wr_err grow(void *arg)
{
    struct node *node = arg;
    struct scopes *s = node->scopes;
    bool late = doomed(node);
    wr_err err = checked_sleep(s, some_time(WR_MS(3)));
    WR_ASSERT(!late || err);
    if (!err && node->depth < DEPTH)
        err = branch(node);
    if (wr_sim_below(8) == 0)
        sleep_shielded(s);
    if (!err && wr_sim_below(8) == 0)
        err = WR_IO;
    return note_end(node, err);
}

static wr_err run(void *arg)
{
    struct scopes *s = arg;
    for (int tree = 0; tree < TREES || s->count < NODES / 2; tree++) {
        struct node *root = new_node(s, NULL);
        if (!root)
            break;
        (void)!branch(root);
    }
    WR_ASSERT(s->started == s->ended);
    return WR_OK;
}

static const char *invariant(void *arg)
{
    const struct scopes *s = arg;
    return s->ended > s->started ? "a task ended that was not started" : NULL;
}

static uint64_t state(void *arg)
{
    const struct scopes *s = arg;
    uint64_t state = state_mix(0, (uint64_t)(s->started - s->ended));
    state = state_mix(state, (uint64_t)s->count);
    return state_mix(state, (uint64_t)(s->canceled + 256 * s->timed_out));
}

const struct scenario wr_scenario_scopes = {
    .name = "scopes",
    .what = "trees of scopes with errors, cancels, deadlines: no task outlives its scope",
    .size = sizeof(struct scopes), .run = run, .invariant = invariant, .state = state,
    .faults = WR_SIM_SLOW | WR_SIM_LATE,
};
