/* queue_begin_test.c - a task and its first targets in one call. */
#include "svc/queue/queue_begin.h"

#include "testing/queue_rig.h"

static struct queue_rig jobs;
static struct queue_desk desk;
static struct queue_why why;
static char said[4000];

static void open_desk(struct store *store)
{
    memset(&jobs, 0, sizeof(jobs));
    queue_rig_start(&jobs, store);
    desk.queue = jobs.queue;
    atomic_store(&desk.pages_max, 200);
    atomic_store(&desk.seconds_max, 3600);
}

static const json_t *of_json(const void *from, const char *name)
{
    return json_object_get(from, name);
}

static wr_err begin(const char *arguments)
{
    struct wr_text text = WR_TEXT(said);
    json_t *json = json_loads(arguments, 0, NULL);
    CHECK(json);
    why = (struct queue_why){ 0 };
    wr_err err = queue_begin(&desk, &(struct queue_said){ of_json, json }, &text, &why,
                             QUEUE_RIG_SOON);
    json_decref(json);
    return err;
}

static size_t tasks(struct store *store)
{
    static struct store_tasks all;
    CHECK_OK(store_task_list(store, NULL, 100, &all, QUEUE_RIG_SOON));
    size_t count = all.count;
    store_tasks_free(&all);
    return count;
}

LOCAL_TEST(a_task_is_made_and_its_targets_are_queued)
{
    open_desk(store);
    CHECK_OK(begin("{\"hypothesis\":\"h\",\"config\":{\"budget\":{\"max_pages\":9}},"
                   "\"targets\":[\"ok 1\",\"ok 2\"],\"options\":{\"priority\":\"high\"}}"));
    CHECK(strstr(said, "{\"ok\":true,\"task_id\":\"task_") == said);
    CHECK(strstr(said, "\"budget\":{\"max_pages\":9,"));
    CHECK(strstr(said, "\"queued_count\":2,\"skipped_count\":0,\"target_ids\":[\"tq_"));
    CHECK_EQ(1, tasks(store));
    queue_rig_stop(&jobs);
}

LOCAL_TEST(without_targets_it_is_made_as_it_is)
{
    open_desk(store);
    CHECK_OK(begin("{\"hypothesis\":\"h\",\"targets\":null}"));
    CHECK(!strstr(said, "queued_count"));
    CHECK_EQ(1, tasks(store));
    queue_rig_stop(&jobs);
}

LOCAL_TEST(no_task_is_made_when_its_targets_cannot_be_queued)
{
    static const struct { const char *arguments, *param; } cases[] = {
        { "{\"hypothesis\":\"h\",\"targets\":[\"a\",\" \"]}", "targets[1]" },
        { "{\"hypothesis\":\"h\",\"targets\":[]}", "targets" },
        { "{\"hypothesis\":\"h\",\"targets\":\"a\"}", "targets" },
        { "{\"hypothesis\":\"h\",\"targets\":[\"a\"],\"options\":{\"priority\":\"x\"}}",
          "priority" },
        { "{\"hypothesis\":\"h\",\"targets\":[\"a\"],\"config\":{\"budget\":"
          "{\"max_pages\":0}}}", "config.budget" },
        { "{\"hypothesis\":\"h\",\"targets\":[\"a\"],\"config\":{\"budget\":"
          "{\"max_seconds\":-1}}}", "config.budget" },
        { "{\"hypothesis\":\"h\",\"options\":{}}", "options" },
        { "{\"targets\":[\"a\"]}", "hypothesis" },
    };
    open_desk(store);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        CHECK_ERR(WR_INVALID, begin(cases[i].arguments));
        CHECK_STR("INVALID_PARAMS", why.code);
        CHECK_STR(cases[i].param, why.param);
    }
    CHECK_EQ(0, tasks(store));
    queue_rig_stop(&jobs);
}
