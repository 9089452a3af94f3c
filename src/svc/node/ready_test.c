/* ready_test.c - readiness tells the truth, and where it is missing. */
#include "svc/node/ready.h"

#include <string.h>

#include "testing/test.h"

static enum wr_health states[4];

static enum wr_health probe(void *arg, char *why)
{
    enum wr_health health = *(enum wr_health *)arg;
    if (health != WR_HEALTH_READY)
        memcpy(why, "as the test wants it", sizeof("as the test wants it"));
    return health;
}

static const struct ready_key table[] = {
    { .name = "config", .probe = probe, .arg = &states[0], .vital = true },
    { .name = "network", .probe = probe, .arg = &states[1], .vital = true,
      .needs = { "config" } },
    { .name = "spare", .probe = probe, .arg = &states[2], .service = "index" },
    { .name = "wanted", .probe = probe, .arg = &states[3], .required = true },
};

static struct ready *open_ready(void)
{
    struct ready *ready = NULL;
    for (size_t i = 0; i < 4; i++)
        states[i] = WR_HEALTH_READY;
    CHECK_OK(ready_new(&ready, table, 4));
    return ready;
}

TEST_PLAIN(all_ready_is_ready_and_not_degraded)
{
    struct ready *ready = open_ready();
    struct ready_view view;
    ready_look(ready, &view);
    CHECK(view.ready && !view.degraded);
    ready_free(ready);
}

TEST_PLAIN(a_vital_key_may_be_degraded_and_not_be_unready)
{
    struct ready *ready = open_ready();
    struct ready_view view;
    states[1] = WR_HEALTH_DEGRADED;
    ready_look(ready, &view);
    CHECK(view.ready && view.degraded);
    states[1] = WR_HEALTH_UNREADY;
    ready_look(ready, &view);
    CHECK(!view.ready && view.degraded);
    ready_free(ready);
}

TEST_PLAIN(a_required_key_must_be_whole)
{
    struct ready *ready = open_ready();
    struct ready_view view;
    states[3] = WR_HEALTH_DEGRADED;
    ready_look(ready, &view);
    CHECK(!view.ready);
    ready_free(ready);
}

TEST_PLAIN(what_nobody_requires_only_degrades)
{
    struct ready *ready = open_ready();
    struct ready_view view;
    states[2] = WR_HEALTH_UNREADY;
    ready_look(ready, &view);
    CHECK(view.ready && view.degraded);
    ready_free(ready);
}

TEST_PLAIN(a_key_without_its_need_is_unready_and_says_which)
{
    struct ready *ready = open_ready();
    struct ready_view view;
    states[0] = WR_HEALTH_UNREADY;
    ready_look(ready, &view);
    CHECK_EQ(WR_HEALTH_UNREADY, view.keys[1].health);
    CHECK_STR("config is not there", view.keys[1].why);
    ready_free(ready);
}

TEST_PLAIN(who_leaves_is_unready_at_once)
{
    struct ready *ready = open_ready();
    struct ready_view view;
    ready_leave(ready);
    ready_look(ready, &view);
    CHECK(!view.ready && !view.degraded);
    ready_free(ready);
}

TEST_PLAIN(the_body_names_states_what_is_missing_and_why)
{
    struct ready *ready = open_ready();
    struct ready_view view;
    char buf[1000];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    states[1] = WR_HEALTH_UNREADY;
    states[2] = WR_HEALTH_DEGRADED;
    ready_look(ready, &view);
    wr_json_object(&json, NULL);
    ready_write(ready, &view, &json);
    wr_json_end(&json);
    CHECK_STR("{\"ready\":false,\"degraded\":true,\"mode\":\"truthful\",\"draining\":false,"
              "\"deps\":{\"config\":\"loaded\",\"network\":\"pending\",\"spare\":\"degraded\","
              "\"wanted\":\"ok\"},\"missing\":[\"network\"],"
              "\"why\":{\"network\":\"as the test wants it\","
              "\"spare\":\"as the test wants it\"},"
              "\"services\":{\"index\":{\"keys\":{\"spare\":\"degraded\"},\"state\":1}},"
              "\"retry_after\":5}", text.at);
    ready_free(ready);
}

TEST_PANICS(a_need_that_is_no_earlier_row_is_a_panic,
            "\"first\" needs \"second\", which is no row before it")
{
    static const struct ready_key wrong[] = {
        { .name = "first", .probe = probe, .needs = { "second" } },
        { .name = "second", .probe = probe },
    };
    struct ready *ready;
    (void)!ready_new(&ready, wrong, 2);
}
