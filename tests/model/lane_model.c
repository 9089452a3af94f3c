/* lane_model.c - an item of a lane against its deadline, a cancel and another item: it is
 * taken back or done, and its fiber woken once; the lane's thread misses nothing. */
#include <weir/lane.h>

#include "seam.h"

struct one { struct wr_lane_item item; int done; wr_err result; };

static struct wr_scope *scope;
static struct wr_lane *lane;
static struct one first, second;
static int second_is_over;

static void run(void *arg, struct wr_lane_item *const *items, size_t count)
{
    (void)arg;
    for (size_t i = 0; i < count; i++) {
        ((struct one *)(void *)items[i])->done++;
        items[i]->err = WR_EXISTS;
        if (i + 1 == count)
            count = wr_lane_more(lane);
    }
}

static void open_lane(void)
{
    seam_open();
    MODEL_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .deadline = WR_NEVER }));
    wr_scope_enter(scope);
    MODEL_OK(wr_lane_new(&lane, &(struct wr_lane_conf){ .name = "model", .run = run,
                                                        .queue_max = 2, .batch_max = 2 }));
}

static void bring(struct one *one, wr_time deadline)
{
    one->result = wr_lane_do(lane, &one->item, deadline);
    if (one->result != WR_EXISTS)
        MODEL_CHECK(one->done == 0);
}

static void bring_for_a_while(void)
{
    seam_enter();
    bring(&first, wr_after(WR_MS(10)));
    wr_lane_free(lane);
}

static void bring_first(void)
{
    seam_enter();
    bring(&first, WR_NEVER);
    wr_lane_free(lane);
}

static void bring_first_of_two(void)
{
    seam_enter();
    bring(&first, WR_NEVER);
    model_wait(&second_is_over);
    wr_lane_free(lane);
}

static void bring_second(void)
{
    seam_enter();
    bring(&second, WR_NEVER);
    model_post(&second_is_over);
}

static void cancel(void)
{
    seam_enter();
    wr_scope_cancel(scope);
}

static void done_or_taken_back(void)
{
    wr_err result = first.result;
    MODEL_CHECK(result == WR_EXISTS || result == WR_TIMEOUT || result == WR_CANCELED);
    MODEL_CHECK(first.done == (result == WR_EXISTS));
    wr_scope_leave(scope);
    MODEL_OK(wr_scope_close(scope));
}

static void both_done(void)
{
    MODEL_CHECK(first.result == WR_EXISTS && second.result == WR_EXISTS);
    MODEL_CHECK(first.done == 1 && second.done == 1);
    wr_scope_leave(scope);
    MODEL_OK(wr_scope_close(scope));
}

MODEL(lane_against_deadline, .setup = open_lane,
      .thread = { bring_for_a_while, seam_be_thread }, .finish = done_or_taken_back,
      .stale_max = 1, .locks_wait = true);
MODEL(lane_against_cancel, .setup = open_lane,
      .thread = { bring_first, seam_be_thread, cancel }, .finish = done_or_taken_back,
      .preempt_max = 3, .locks_wait = true);
MODEL(lane_two_items, .setup = open_lane,
      .thread = { bring_first_of_two, seam_be_thread, bring_second }, .finish = both_done,
      .preempt_max = 2, .locks_wait = true);
