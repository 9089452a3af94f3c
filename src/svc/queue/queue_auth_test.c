/* queue_auth_test.c - what waits for a person, however much it is. */
#include "testing/queue_rig.h"

#define SOON wr_after(WR_S(60))
#define MANY (STORE_AUTH_LIST_MAX + 44)

LOCAL_TEST(who_solves_one_of_very_many_has_solved_them_all)
{
    struct queue_rig rig = { 0 };
    struct queue_why why;
    struct store_auths *auths = calloc(1, sizeof(*auths));
    uint64_t count;
    REQUIRE(auths);
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    for (int i = 0; i < MANY; i++)
        queue_rig_add(&rig, task, "person");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_WAITING, MANY);
    struct queue_view *view = queue_rig_view(&rig, task);
    CHECK_EQ(MANY, view->auths);
    queue_view_unref(view);
    CHECK_OK(queue_auth_list(rig.queue, task, auths, &count, &why, SOON));
    CHECK_EQ(MANY, count);
    CHECK_EQ(STORE_AUTH_LIST_MAX, auths->count);
    rig.solved = true;
    CHECK_OK(queue_auth_resolve(rig.queue, &(struct store_auth_which){
        .id = auths->auths[0].id }, STORE_AUTH_COMPLETED, &count, &why, SOON));
    CHECK_EQ(MANY, count);
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED, MANY);
    store_auths_free(auths);
    free(auths);
    queue_rig_stop(&rig);
}

STORE_TEST(a_job_that_needs_a_person_waits_shows_up_and_goes_on_when_helped)
{
    struct queue_rig rig = { 0 };
    struct store_auths auths;
    uint64_t count;
    struct queue_why why;
    queue_rig_start(&rig, store);
    const char *task = queue_rig_task(&rig);
    queue_rig_add(&rig, task, "person");
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_WAITING, 1);
    CHECK_OK(queue_auth_list(rig.queue, task, &auths, &count, &why, SOON));
    CHECK_EQ(1, auths.count);
    CHECK_STR("a.example", auths.auths[0].domain);
    store_auths_free(&auths);
    rig.solved = true;
    CHECK_OK(queue_auth_resolve(rig.queue, &(struct store_auth_which){ .domain = "a.example" },
                                STORE_AUTH_COMPLETED, &count, &why, SOON));
    CHECK_EQ(1, count);
    queue_rig_until(&rig, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    CHECK_EQ(2, rig.ran[QUEUE_TARGET]);
    queue_rig_stop(&rig);
}
