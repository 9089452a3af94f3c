/* queue_keys_test.c - what can be configured of the queue. */
#include "svc/queue/queue_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir/file.h>

#include "testing/test.h"

static const struct wr_conf_table *const tables[] = { &queue_keys, NULL };

static wr_err load(struct wr_conf **ret, const char *flag, struct wr_conf_report *report)
{
    char *argv[] = { (char *)"weir", (char *)(uintptr_t)flag, NULL };
    return wr_conf_load(ret, &(struct wr_conf_source){ .tables = tables, .argc = flag ? 2 : 1,
                                                       .argv = argv }, report);
}

TEST_PLAIN(the_queue_can_be_used_without_any_configuration)
{
    struct wr_conf *conf;
    struct wr_conf_report report = { 0 };
    unsigned limits[QUEUE_SLOTS];
    REQUIRE_OK(load(&conf, NULL, &report));
    queue_keys_limits(conf, limits);
    CHECK_EQ(1, limits[QUEUE_GPU]);
    CHECK_EQ(1, limits[QUEUE_BROWSER]);
    CHECK_EQ(4, limits[QUEUE_NETWORK]);
    CHECK_EQ(8, limits[QUEUE_CPU]);
    CHECK(wr_conf_bool(conf, "queue.work"));
    CHECK(!wr_conf_bool(conf, "queue.fair"));
    CHECK_EQ(200, wr_conf_int(conf, "queue.pages_max"));
    CHECK_EQ(3600, wr_conf_int(conf, "queue.seconds_max"));
    CHECK_EQ(WR_S(30), wr_conf_duration(conf, "queue.lease"));
    CHECK_EQ(30 * WR_S(24 * 3600), wr_conf_duration(conf, "queue.history"));
    wr_conf_unref(conf);
    wr_conf_report_free(&report);
}

TEST_PLAIN(a_slot_is_set_by_its_name)
{
    struct wr_conf *conf;
    struct wr_conf_report report = { 0 };
    unsigned limits[QUEUE_SLOTS];
    REQUIRE_OK(load(&conf, "--queue-slots-network-client=16", &report));
    queue_keys_limits(conf, limits);
    CHECK_EQ(16, limits[QUEUE_NETWORK]);
    CHECK_EQ(8, limits[QUEUE_CPU]);
    wr_conf_unref(conf);
    wr_conf_report_free(&report);
}

TEST_PLAIN(a_slot_of_which_there_is_none_is_refused)
{
    struct wr_conf *conf;
    struct wr_conf_report report = { 0 };
    CHECK_ERR(WR_INVALID, load(&conf, "--queue-slots-gpu=0", &report));
    CHECK(strstr(report.text.at, "queue.slots.gpu"));
    wr_conf_report_free(&report);
}

TEST_PLAIN(a_model_has_an_address_a_name_and_none_of_them_is_the_other_judge_s)
{
    static const struct { const char *flag, *why; } cases[] = {
        { "--queue-embedding-url=127.0.0.1:8080", "an address begins with http://" },
        { "--queue-nli-url=ftp://a.test", "an address begins with http://" },
        { "--queue-nli-model=lexical", "that is the name of who judges where there is no" },
    };
    struct wr_conf *conf;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct wr_conf_report report = { 0 };
        CHECK_ERR(WR_INVALID, load(&conf, cases[i].flag, &report));
        if (!CHECK(report.text.at && strstr(report.text.at, cases[i].why)))
            printf("# %zu %s\n", i, report.text.at ? report.text.at : "");
        wr_conf_report_free(&report);
    }
    struct wr_conf_report report = { 0 };
    REQUIRE_OK(load(&conf, "--queue-embedding-url=http://127.0.0.1:8080/v2/", &report));
    CHECK_STR("http://127.0.0.1:8080/v2/", wr_conf_text(conf, "queue.embedding.url"));
    CHECK_STR("default", wr_conf_text(conf, "queue.embedding.model"));
    CHECK(!wr_conf_has(conf, "queue.nli.url"));
    CHECK_STR("nli", wr_conf_text(conf, "queue.nli.model"));
    wr_conf_unref(conf);
    wr_conf_report_free(&report);
}

TEST(slots_stand_in_a_table_of_the_file)
{
    static const char text[] = "[queue]\nfair = true\n[queue.slots]\ncpu_nlp = 2\n";
    char path[] = "/tmp/weir-keys-XXXXXX", flag[60];
    struct wr_conf *conf;
    struct wr_conf_report report = { 0 };
    static const struct wr_conf_key file_key[] = {
        { .name = "config", .type = WR_CONF_PATH, .no_file = true, .help = "A file." } };
    static const struct wr_conf_table file_table = { file_key, 1, NULL };
    static const struct wr_conf_table *const both[] = { &file_table, &queue_keys, NULL };
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    close(fd);
    CHECK_OK(wr_file_write_atomic(path, text, strlen(text), 0600, WR_NEVER));
    snprintf(flag, sizeof(flag), "--config=%s", path);
    char *argv[] = { (char *)"weir", flag, NULL };
    if (CHECK_OK(wr_conf_load(&conf, &(struct wr_conf_source){
            .tables = both, .argc = 2, .argv = argv }, &report))) {
        CHECK(wr_conf_bool(conf, "queue.fair"));
        CHECK_EQ(2, wr_conf_int(conf, "queue.slots.cpu_nlp"));
        wr_conf_unref(conf);
    } else {
        printf("# %s\n", report.text.at);
    }
    wr_conf_report_free(&report);
    CHECK_OK(wr_file_remove(path, WR_NEVER));
}
