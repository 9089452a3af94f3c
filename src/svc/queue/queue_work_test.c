#include "svc/queue/queue_work.h"

#include <stdio.h>
#include <string.h>

#include "svc/queue/identity.h"
#include "svc/queue/queue_work_int.h"
#include "testing/test.h"

static struct queue_work *made(const char *input)
{
    struct queue_work *work = NULL;
    CHECK_OK(work_new(&work, NULL, &(struct store_job){
        .id = "tq_1", .task = "task_1", .kind = "target_queue", .input = input,
        .attempt = 3 }));
    return work;
}

TEST(a_work_has_what_its_job_has)
{
    struct queue_work *work = made("{\"a\":1}");
    CHECK_STR("tq_1", queue_work_job(work));
    CHECK_STR("task_1", queue_work_task(work));
    CHECK_EQ(3, queue_work_attempt(work));
    CHECK_STR("{\"a\":1}", queue_work_input(work));
    CHECK(work->kind == &queue_kinds[QUEUE_TARGET]);
    CHECK(!work_next(work) && !work_awaited(work));
    work_unref(work);
    work = made(NULL);
    CHECK_STR("{}", queue_work_input(work));
    work_unref(work);
}

TEST(what_comes_next_is_written_as_rows)
{
    struct queue_work *work = made(NULL);
    queue_work_then(work, QUEUE_VERIFY, NULL, "{\"claims\":[]}");
    queue_work_then(work, QUEUE_CITATIONS, "key", NULL);
    const char *rows = work_next(work);
    CHECK(rows[0] == '[' && rows[strlen(rows) - 1] == ']');
    CHECK(strstr(rows, "\"verify_nli\",\"cpu_nlp\",45,null,{\"claims\":[]}],[\"cg_"));
    char key[QUEUE_KEY], cell[QUEUE_KEY + 8];
    snprintf(cell, sizeof(cell), ",50,\"%s\"",
             queue_key(key, "task_1", "citation_graph", "key", 3));
    CHECK(strstr(rows, cell));
    work_unref(work);
}

TEST(what_is_awaited_is_bounded)
{
    struct queue_work *work = made(NULL);
    for (int i = 0; i < 40; i++)
        queue_work_await(work, &(struct queue_auth_item){ "u\"", "d", "captcha", NULL });
    const char *rows = work_awaited(work);
    size_t count = 0;
    for (const char *at = rows; (at = strstr(at, "\"captcha\",\"medium\"]")); at++)
        count++;
    CHECK(strstr(rows, "\"u\\\"\",\"d\","));
    CHECK_EQ(QUEUE_AWAITED_MAX, count);
    work_unref(work);
}

TEST(while_a_job_has_the_browser_nobody_has_the_card)
{
    static const unsigned limits[QUEUE_SLOTS] = { 1, 1, 1, 1 };
    struct queue_work *work = made(NULL);
    size_t got;
    work->slot = QUEUE_NETWORK;
    CHECK_OK(slots_new(&work->slots, limits));
    CHECK_OK(queue_work_take(work, QUEUE_BROWSER, wr_after(WR_S(1))));
    CHECK_EQ(1, slots_taken(work->slots, QUEUE_BROWSER));
    CHECK_ERR(WR_TIMEOUT, slots_take(work->slots, QUEUE_GPU, 1, &got, wr_after(WR_S(1))));
    queue_work_give(work);
    queue_work_give(work);                      /* there is nothing left to give */
    CHECK_EQ(0, slots_taken(work->slots, QUEUE_BROWSER));
    CHECK_OK(slots_take(work->slots, QUEUE_GPU, 1, &got, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, queue_work_take(work, QUEUE_BROWSER, wr_after(WR_S(1))));
    queue_work_give(work);
    CHECK_EQ(1, slots_taken(work->slots, QUEUE_GPU));
    slots_give(work->slots, QUEUE_GPU, 1);
    slots_free(work->slots);
    work_unref(work);
}

TEST(a_failure_has_a_word_and_a_sentence)
{
    struct queue_work *work = made(NULL);
    CHECK_ERR(WR_IO, queue_work_fail(work, WR_IO, "TIMEOUT", "after %d s", 9));
    CHECK_STR("TIMEOUT: after 9 s", work->error);
    work_unref(work);
}
