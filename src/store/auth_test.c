#include "store/auth.h"

#include <stdio.h>

#include <weir/scope.h>

#include "store/task.h"
#include "testing/settle.h"
#include "testing/store_rig.h"

#define SOON wr_after(WR_S(5))
#define WITHIN WR_S(3 * 3600)

static const char *const slots[] = { "net", NULL };

static const char item[] = "[[\"a1\",\"https://a.example/p\",\"a.example\",\"captcha\","
                           "\"high\"]]";
static const char items[] = "[[\"a1\",\"https://a.example/p\",\"a.example\",\"captcha\","
                            "\"high\"],[\"a2\",\"https://b.example/\",\"b.example\",\"login\","
                            "\"low\"]]";

static uint32_t claim(struct store *store)
{
    struct store_jobs jobs;
    CHECK_OK(store_job_claim(store, &(struct store_job_claim){
        .slot = "net", .max = 1, .lease = WR_S(30) }, &jobs, SOON));
    uint32_t attempt = jobs.count ? jobs.jobs[0].attempt : 0;
    store_jobs_free(&jobs);
    return attempt;
}

/* A job that waits for a person. */
static void wait_with(struct store *store, const char *what)
{
    struct store_submitted took;
    CHECK_OK(store_task_add(store, &(struct store_task_new){
        .id = "t1", .hypothesis = "h", .pages_max = 1, .seconds_max = 1 }, SOON));
    CHECK_OK(store_task_submit(store, "t1", "[[\"j1\",\"target_queue\",\"net\",1,\"k\",{}]]",
                               slots, &took, SOON));
    store_submitted_free(&took);
    CHECK_EQ(1, claim(store));
    CHECK_OK(store_auth_park(store, "j1", 1, what, WITHIN, SOON));
}

static enum store_job_state state_of(struct store *store)
{
    struct store_jobs jobs;
    CHECK_OK(store_job_get(store, "j1", &jobs, SOON));
    enum store_job_state state = jobs.jobs[0].state;
    if (state == STORE_JOB_FAILED)
        CHECK_STR("AUTH_REQUIRED: it needs a person, and none has helped", jobs.jobs[0].error);
    store_jobs_free(&jobs);
    return state;
}

static size_t waiting(struct store *store, const char *task)
{
    struct store_auths auths;
    CHECK_OK(store_auth_list(store, task, 10, &auths, SOON));
    size_t count = auths.count;
    store_auths_free(&auths);
    return count;
}

static size_t resolve(struct store *store, struct store_auth_which which,
                      enum store_auth_end end)
{
    struct store_auths auths;
    CHECK_OK(store_auth_resolve(store, &which, end, slots, &auths, SOON));
    size_t count = auths.count;
    store_auths_free(&auths);
    return count;
}

STORE_TEST(nobody_is_asked_for_in_a_task_that_was_stopped)
{
    struct store_submitted took;
    struct store_counts counts;
    CHECK_OK(store_task_add(store, &(struct store_task_new){
        .id = "t1", .hypothesis = "h", .pages_max = 1, .seconds_max = 1 }, SOON));
    CHECK_OK(store_task_submit(store, "t1", "[[\"j1\",\"target_queue\",\"net\",1,\"k\",{}]]",
                               slots, &took, SOON));
    store_submitted_free(&took);
    CHECK_EQ(1, claim(store));
    CHECK_OK(store_task_stop(store, "t1", &(struct store_task_stop){ .reason = "x" }, &counts,
                             SOON));
    CHECK_OK(store_auth_park(store, "j1", 1, item, WITHIN, SOON));
    CHECK_EQ(STORE_JOB_CANCELED, state_of(store));
    CHECK_EQ(0, waiting(store, NULL));
}

STORE_TEST(all_that_wait_are_counted_also_those_that_are_not_listed)
{
    uint64_t count;
    wait_with(store, items);
    CHECK_OK(store_auth_count(store, "t1", &count, SOON));
    CHECK_EQ(2, count);
    CHECK_OK(store_auth_count(store, "t2", &count, SOON));
    CHECK_EQ(0, count);
    CHECK_OK(store_auth_count(store, NULL, &count, SOON));
    CHECK_EQ(2, count);
}

STORE_TEST(that_a_person_has_helped_with_a_domain_can_be_asked_for_a_while)
{
    bool helped;
    wait_with(store, item);
    CHECK_OK(store_auth_helped(store, "a.example", WR_S(60), &helped, SOON));
    CHECK(!helped);
    CHECK_EQ(1, resolve(store, (struct store_auth_which){ .id = "a1" },
                        STORE_AUTH_COMPLETED));
    CHECK_OK(store_auth_helped(store, "a.example", WR_S(60), &helped, SOON));
    CHECK(helped);
    CHECK_OK(store_auth_helped(store, "b.example", WR_S(60), &helped, SOON));
    CHECK(!helped);
    pass(WR_S(61));
    CHECK_OK(store_auth_helped(store, "a.example", WR_S(60), &helped, SOON));
    CHECK(!helped);
}

STORE_TEST(a_job_that_needs_a_person_is_set_aside_and_shows_what_for)
{
    struct store_auths auths;
    wait_with(store, items);
    CHECK_EQ(STORE_JOB_WAITING, state_of(store));
    CHECK_EQ(0, claim(store));
    CHECK_OK(store_auth_list(store, "t1", 10, &auths, SOON));
    CHECK_EQ(2, auths.count);
    CHECK_STR("a1", auths.auths[0].id);
    CHECK_STR("t1", auths.auths[0].task);
    CHECK_STR("j1", auths.auths[0].job);
    CHECK_STR("https://a.example/p", auths.auths[0].url);
    CHECK_STR("a.example", auths.auths[0].domain);
    CHECK_STR("captcha", auths.auths[0].type);
    CHECK_STR("high", auths.auths[0].priority);
    CHECK_EQ(WITHIN, auths.auths[0].expires_at.ns - auths.auths[0].queued_at.ns);
    store_auths_free(&auths);
    CHECK_EQ(2, waiting(store, NULL));
    CHECK_EQ(0, waiting(store, "t2"));
}

STORE_TEST(an_item_is_known_also_when_it_is_done)
{
    wait_with(store, items);
    CHECK_EQ(1, resolve(store, (struct store_auth_which){ .id = "a1" }, STORE_AUTH_SKIPPED));
    CHECK_OK(store_auth_known(store, "a1", SOON));
    CHECK_OK(store_auth_known(store, "a2", SOON));
    CHECK_ERR(WR_NOTFOUND, store_auth_known(store, "a3", SOON));
}

STORE_TEST(who_does_not_hold_the_job_sets_nothing_aside)
{
    wait_with(store, item);
    CHECK_ERR(WR_NOTFOUND, store_auth_park(store, "j1", 1, item, WITHIN, SOON));
    CHECK_EQ(1, waiting(store, NULL));
}

STORE_TEST(a_job_goes_on_when_its_last_item_is_done_and_no_attempt_is_lost)
{
    uint64_t seen = 0;
    wait_with(store, items);
    CHECK_OK(store_job_wait(store, "net", &seen, WR_NOW));
    CHECK_EQ(1, resolve(store, (struct store_auth_which){ .id = "a1" }, STORE_AUTH_COMPLETED));
    CHECK_EQ(STORE_JOB_WAITING, state_of(store));
    CHECK_EQ(1, resolve(store, (struct store_auth_which){ .domain = "b.example" },
                        STORE_AUTH_COMPLETED));
    CHECK_EQ(STORE_JOB_QUEUED, state_of(store));
    CHECK_OK(store_job_wait(store, "net", &seen, WR_NOW));
    CHECK_EQ(0, waiting(store, NULL));
    CHECK_EQ(2, claim(store));
}

STORE_TEST(a_job_all_of_whose_items_are_skipped_has_failed)
{
    wait_with(store, items);
    CHECK_EQ(2, resolve(store, (struct store_auth_which){ .task = "t1" }, STORE_AUTH_SKIPPED));
    CHECK_EQ(STORE_JOB_FAILED, state_of(store));
    CHECK_EQ(0, resolve(store, (struct store_auth_which){ .task = "t1" },
                        STORE_AUTH_COMPLETED));
    CHECK_EQ(STORE_JOB_FAILED, state_of(store));
}

STORE_TEST(a_job_of_whose_items_one_is_done_goes_on_though_another_is_skipped)
{
    wait_with(store, items);
    resolve(store, (struct store_auth_which){ .id = "a1" }, STORE_AUTH_COMPLETED);
    resolve(store, (struct store_auth_which){ .id = "a2" }, STORE_AUTH_SKIPPED);
    CHECK_EQ(STORE_JOB_QUEUED, state_of(store));
}

STORE_TEST(what_was_done_for_an_earlier_attempt_does_not_count)
{
    wait_with(store, item);
    resolve(store, (struct store_auth_which){ .id = "a1" }, STORE_AUTH_COMPLETED);
    CHECK_EQ(2, claim(store));
    CHECK_OK(store_auth_park(store, "j1", 2, "[[\"a3\",\"u\",\"d\",\"captcha\",\"low\"]]",
                             WITHIN, SOON));
    resolve(store, (struct store_auth_which){ .id = "a3" }, STORE_AUTH_SKIPPED);
    CHECK_EQ(STORE_JOB_FAILED, state_of(store));
}

STORE_TEST(nobody_is_waited_for_beyond_the_time)
{
    struct store_auths auths;
    wait_with(store, item);
    pass(WITHIN - WR_S(1));
    CHECK_OK(store_auth_resolve(store, NULL, STORE_AUTH_EXPIRED, slots, &auths, SOON));
    CHECK_EQ(0, auths.count);
    store_auths_free(&auths);
    pass(WR_S(1));
    CHECK_OK(store_auth_resolve(store, NULL, STORE_AUTH_EXPIRED, slots, &auths, SOON));
    CHECK_EQ(1, auths.count);
    store_auths_free(&auths);
    CHECK_EQ(STORE_JOB_FAILED, state_of(store));
}

STORE_TEST(a_stop_cancels_the_job_and_what_it_waits_for)
{
    struct store_counts counts;
    wait_with(store, item);
    CHECK_OK(store_task_stop(store, "t1", &(struct store_task_stop){ .reason = "r" }, &counts,
                             SOON));
    CHECK_EQ(1, counts.counts[0].jobs[STORE_JOB_WAITING]);
    CHECK_EQ(STORE_JOB_CANCELED, state_of(store));
    CHECK_EQ(0, waiting(store, NULL));
}

/* ---- two at once ---- */

struct helper { struct store *store; const char *id; };

static wr_err help(void *arg)
{
    struct helper *helper = arg;
    struct store_auths auths;
    CHECK_OK(store_auth_resolve(helper->store, &(struct store_auth_which){ .id = helper->id },
                                STORE_AUTH_COMPLETED, slots, &auths, SOON));
    store_auths_free(&auths);
    return WR_OK;
}

STORE_TEST(two_who_help_with_one_job_at_once_bring_it_back)
{
    wait_with(store, items);
    for (uint32_t i = 0; i < 20; i++) {
        struct helper one = { store, "a1" }, two = { store, "a2" };
        char again[sizeof(items)], first[8], second[8];
        snprintf(first, sizeof(first), "b%u", i);
        snprintf(second, sizeof(second), "c%u", i);
        if (i > 0) {
            snprintf(again, sizeof(again), "[[\"%s\",\"u\",\"a.example\",\"captcha\",\"high\"],"
                     "[\"%s\",\"u\",\"b.example\",\"login\",\"low\"]]", first, second);
            one.id = first;
            two.id = second;
            uint32_t attempt = claim(store);
            CHECK_OK(store_auth_park(store, "j1", attempt, again, WITHIN, SOON));
        }
        struct wr_scope *scope = scope_open();
        go(scope, help, &one);
        go(scope, help, &two);
        CHECK_OK(wr_scope_join(scope, SOON));
        CHECK_OK(wr_scope_close(scope));
        if (!CHECK_EQ(STORE_JOB_QUEUED, state_of(store)))
            return;
    }
}

static void resolve_one(struct store *store, const char *id, enum store_auth_end end)
{
    struct store_auths auths;
    CHECK_OK(store_auth_resolve(store, &(struct store_auth_which){ .id = id }, end, slots,
                                &auths, SOON));
    CHECK_EQ(1, auths.count);
    store_auths_free(&auths);
}

STORE_TEST(what_is_resolved_is_forgotten_after_its_time_but_not_while_its_job_waits)
{
    uint64_t gone;
    wait_with(store, items);
    resolve_one(store, "a1", STORE_AUTH_SKIPPED);
    pass(WR_S(10));
    CHECK_OK(store_auth_prune(store, rig_wall(), 10, &gone, SOON));
    CHECK_EQ(0, gone);
    resolve_one(store, "a2", STORE_AUTH_SKIPPED);
    CHECK_OK(store_auth_prune(store, rig_wall(), 10, &gone, SOON));
    CHECK_EQ(1, gone);
    CHECK_ERR(WR_NOTFOUND, store_auth_known(store, "a1", SOON));
    CHECK_OK(store_auth_known(store, "a2", SOON));
}
