/* reload_test.c - a configuration that changes while the node runs. */
#include <unistd.h>

#include <weir/file.h>
#include <weir/oap.h>
#include <weir/task.h>

#include "testing/metric_rig.h"
#include "testing/node_rig.h"

static struct answer answer;
static char folder[64], path[80];

static void write_conf(const char *text)
{
    CHECK_OK(wr_file_write_atomic(path, text, strlen(text), 0600, WR_NEVER));
}

static void begin(struct rig *rig, const char *text)
{
    snprintf(folder, sizeof(folder), "/tmp/weir-reload-XXXXXX");
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/weir.toml", folder);
    write_conf(text);
    rig_begin(rig, (const char *const[]){ "--config", path, NULL });
}

static void end(struct rig *rig)
{
    CHECK_OK(rig_end(rig));
    unlink(path);
    rmdir(folder);
}

/* A value as the node has it now. */
static const char *value_of(struct rig *rig, const char *key)
{
    static char found[100];
    char wanted[100];
    CHECK_EQ(200, rig_get(rig, "/api/v1/config", &answer));
    snprintf(wanted, sizeof(wanted), "\"%s\":{\"value\":", key);
    const char *at = strstr(answer.body, wanted);
    snprintf(found, sizeof(found), "%.*s", at ? (int)strcspn(at + strlen(wanted), ",") : 0,
             at ? at + strlen(wanted) : "");
    return found;
}

static void reload(struct rig *rig)
{
    CHECK_EQ(202, rig_post(rig, "/api/v1/reload", &answer));
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
}

TEST(a_wish_puts_the_new_file_in_force)
{
    struct rig rig;
    begin(&rig, "idle_timeout = \"10s\"\n");
    CHECK_STR("\"10s\"", value_of(&rig, "idle_timeout"));
    write_conf("idle_timeout = \"20s\"\n");
    reload(&rig);
    CHECK_STR("\"20s\"", value_of(&rig, "idle_timeout"));
    CHECK_EQ(200, rig_get(&rig, "/api/v1/status", &answer));
    CHECK(!strstr(answer.body, "\"config_version\":1,"));
    end(&rig);
}

TEST(a_change_of_the_file_is_noticed)
{
    struct rig rig;
    begin(&rig, "idle_timeout = \"10s\"\n");
    write_conf("idle_timeout = \"30s\"\n");
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_STR("\"30s\"", value_of(&rig, "idle_timeout"));
    end(&rig);
}

TEST(a_live_bound_is_in_force_at_once)
{
    struct rig rig;
    begin(&rig, "idle_timeout = \"100s\"\n");
    write_conf("idle_timeout = \"10s\"\n");
    reload(&rig);
    struct wr_stream *idle = rig_dial(&rig);
    rig_say(idle, "GET /v1/hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK_EQ(200, rig_hear(idle, &answer));
    wr_time before = wr_now();
    CHECK_EQ(0, rig_hear(idle, &answer));
    CHECK_EQ(WR_S(10), wr_now() - before);
    wr_stream_close(idle);
    end(&rig);
}

TEST(a_live_bound_is_in_force_for_framed_connections_too)
{
    struct rig rig;
    struct wr_oap_client *first = NULL, *second = NULL;
    begin(&rig, "oap_addr = \"127.0.0.1:0\"\nmax_conns = 100\n");
    struct wr_oap_server server = { .addr = &rig.face.oap };
    CHECK_OK(wr_oap_connect(&first, &server, wr_after(WR_S(1))));
    write_conf("oap_addr = \"127.0.0.1:0\"\nmax_conns = 1\n");
    reload(&rig);
    CHECK(wr_oap_connect(&second, &server, wr_after(WR_S(1))) != WR_OK);
    wr_oap_close(first);
    end(&rig);
}

/* What the metrics say of reloads that ended like this. */
static unsigned long counted(struct rig *rig, const char *result)
{
    char wanted[100];
    CHECK_EQ(200, rig_get(rig, "/metrics", &answer));
    snprintf(wanted, sizeof(wanted), "\nconfig_reloads_total{result=\"%s\"} ", result);
    const char *at = strstr(answer.body, wanted);
    return at ? strtoul(at + strlen(wanted), NULL, 10) : 0;
}

TEST(a_reload_without_a_change_is_no_new_version)
{
    struct rig rig;
    begin(&rig, "idle_timeout = \"10s\"\n");
    unsigned long unchanged = counted(&rig, "unchanged"), applied = counted(&rig, "applied");
    reload(&rig);
    CHECK_EQ(unchanged + 1, counted(&rig, "unchanged"));
    CHECK_EQ(applied, counted(&rig, "applied"));
    CHECK_EQ(200, rig_get(&rig, "/api/v1/status", &answer));
    CHECK(strstr(answer.body, "\"config_version\":1,"));
    write_conf("\nidle_timeout = \"10s\"\n");         /* the same, in another line */
    reload(&rig);
    CHECK_EQ(200, rig_get(&rig, "/api/v1/config", &answer));
    CHECK(strstr(answer.body, "weir.toml:2\""));
    CHECK_EQ(200, rig_get(&rig, "/api/v1/status", &answer));
    CHECK(strstr(answer.body, "\"config_version\":1,"));
    end(&rig);
}

static long long refusals(void)
{
    return metric_value("config_reloads_total{result=\"refused\"}");
}

TEST(a_wrong_file_changes_nothing_and_is_counted)
{
    struct rig rig;
    begin(&rig, "idle_timeout = \"10s\"\n");
    long long before = refusals();
    write_conf("idle_timeout = \"soon\"\n");
    reload(&rig);
    CHECK(refusals() > before && refusals() > 0);
    CHECK_STR("\"10s\"", value_of(&rig, "idle_timeout"));
    CHECK_EQ(200, rig_get(&rig, "/readyz", &answer));
    end(&rig);
}
