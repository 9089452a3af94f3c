/* explore.c - all runs with few deviations, the fewest first.
 *
 * Every run tells which other outcomes its decisions could have had; its
 * followers take one of them, later than its last deviation, so that no run is
 * made twice.
 */
#include <stdlib.h>

#include "sim/sim_int.h"

#define DEPTH 2
#define DEPTH_MAX 6
#define SCHEDULES_MAX 10000

struct schedule { struct deviation list[DEPTH_MAX]; size_t len; };

struct queue {
    struct schedule *list;
    size_t len, cap;
    size_t refused;             /* the fewest deviations of one that did not fit */
};

static void push(struct queue *queue, const struct schedule *from, struct deviation deviation)
{
    if (queue->len == queue->cap) {
        if (from->len + 1 < queue->refused)
            queue->refused = from->len + 1;
        return;
    }
    struct schedule *next = &queue->list[queue->len++];
    *next = *from;
    next->list[next->len++] = deviation;
}

static void push_followers(struct queue *queue, const struct schedule *from)
{
    const struct deviations *others = &wr_sim.decider.others;
    size_t at = 0;
    if (from->len > 0) {
        uint64_t last = from->list[from->len - 1].key;
        while (at < others->len && others->list[at].key != last)
            at++;
        while (at < others->len && others->list[at].key == last)
            at++;
    }
    for (; at < others->len; at++)
        push(queue, from, others->list[at]);
}

wr_err wr_explore(void)
{
    const struct wr_sim_conf *conf = wr_sim.conf;
    size_t depth = conf->depth ? conf->depth : DEPTH;
    if (depth > DEPTH_MAX)
        depth = DEPTH_MAX;
    struct queue queue = { .cap = conf->schedules_max ? conf->schedules_max : SCHEDULES_MAX,
                           .len = 1, .refused = depth + 1 };
    queue.list = calloc(queue.cap, sizeof(*queue.list));
    if (!queue.list)
        return WR_NOMEM;
    wr_err err = WR_OK;
    for (size_t i = 0; i < queue.len && !err && !wr_sim.failure; i++) {
        struct schedule *schedule = &queue.list[i];
        err = wr_sim_once(conf->seed,
                          &(struct deviations){ .list = schedule->list, .len = schedule->len });
        if (err)
            break;
        wr_sim_account();
        if (schedule->len < depth)
            push_followers(&queue, schedule);
    }
    if (!err && !wr_sim.failure)
        wr_sim.result->depth_done = (unsigned)queue.refused - 1;
    free(queue.list);
    return err;
}
