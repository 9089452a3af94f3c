/* gather_model.c - the last of three sources ends it, whoever that is. */
#include <weir/gather.h>

#include "seam.h"

static struct wr_gather *gather;
static int finished;                /* plain: two finishers would be a race */
static int seen_by_finish;
static wr_err waited;

static bool settles(const void *answer)
{
    return *(const int *)answer == 2;
}

/* Every answer must be there for whoever is the last. */
static void finish(struct wr_gather *one, void *arg)
{
    (void)arg;
    finished++;
    for (uint32_t i = 0; i < 3; i++) {
        int answer = 0;
        MODEL_OK(wr_gather_result(one, i, &answer));
        seen_by_finish += answer;
    }
}

static void open_gather(void)
{
    seam_open();
    MODEL_OK(wr_gather_new(&gather, &(struct wr_gather_conf){
        .name = "model", .sources = 3, .size = sizeof(int), .settles = settles,
        .finish = finish }));
    for (int i = 0; i < 3; i++)
        wr_gather_ref(gather);
}

static void report(void)
{
    seam_enter();
    int answer = model_self() + 1;
    wr_gather_report(gather, (uint32_t)model_self(), WR_OK, &answer);
    wr_gather_unref(gather);
}

static void all_is_there(void)
{
    MODEL_CHECK(finished == 1);
    MODEL_CHECK(seen_by_finish == 1 + 2 + 3);
    MODEL_CHECK(wr_gather_settled(gather));
    wr_gather_unref(gather);
}

MODEL(gather_three_sources, .setup = open_gather, .thread = { report, report, report },
      .finish = all_is_there, .locks_wait = true, .stale_max = 1);

/* Two sources report while the third was in the cache and somebody waits. */
static void open_with_cached(void)
{
    open_gather();
    int answer = 3;
    wr_gather_report(gather, 2, WR_OK, &answer);
    wr_gather_unref(gather);
    waited = WR_BUSY;
}

static void wait_for_all(void)
{
    seam_enter();
    waited = wr_gather_wait(gather, WR_NEVER);
    MODEL_CHECK(finished == 1 && seen_by_finish == 1 + 2 + 3);
    wr_gather_unref(gather);
}

static void waiter_saw_all(void)
{
    MODEL_OK(waited);
}

MODEL(gather_last_report_against_wait, .setup = open_with_cached,
      .thread = { report, report, wait_for_all }, .finish = waiter_saw_all,
      .locks_wait = true, .stale_max = 1);

/* The waiter gives up: whoever is last takes the memory along. */
static void give_up(void)
{
    seam_enter();
    waited = wr_gather_wait(gather, wr_after(WR_MS(5)));
    MODEL_CHECK(waited == WR_OK || waited == WR_TIMEOUT);
    wr_gather_unref(gather);
}

static void ended_once(void)
{
    MODEL_CHECK(finished == 1);
}

MODEL(gather_against_who_gives_up, .setup = open_with_cached,
      .thread = { report, report, give_up }, .finish = ended_once, .locks_wait = true);

/* Who sees that it is settled sees the answer that settled it. */
static void skip_if_settled(void)
{
    seam_enter();
    int answer = 0;
    if (wr_gather_settled(gather)) {
        MODEL_OK(wr_gather_result(gather, 1, &answer));
        MODEL_CHECK(answer == 2);
    }
    answer = 1;
    wr_gather_report(gather, 0, WR_OK, &answer);
    wr_gather_unref(gather);
}

MODEL(gather_settled_shows_the_answer, .setup = open_with_cached,
      .thread = { skip_if_settled, report, wait_for_all }, .finish = waiter_saw_all,
      .locks_wait = true, .stale_max = 1);
