/* conf_test.c - tests of conf.c. */
#include "conf/conf.h"

#include "testing/conf_rig.h"

TEST_PLAIN(a_key_without_a_value_is_nothing)
{
    struct wr_conf *conf = LOAD(TOML(NULL));
    CHECK(!wr_conf_has(conf, "other_addr") && wr_conf_has(conf, "addr"));
    CHECK(wr_conf_addr(conf, "other_addr") == NULL);
    CHECK(wr_conf_text(conf, "title") == NULL);
    CHECK(wr_conf_secret(conf, "token") == NULL);
    CHECK(wr_conf_file(conf) == NULL);
    wr_conf_unref(conf);
}

TEST_PLAIN(a_snapshot_lives_until_its_last_user)
{
    struct wr_conf *conf = LOAD(TOML("title = \"x\""));
    struct wr_conf *same = wr_conf_ref(conf);
    wr_conf_unref(conf);
    CHECK_STR("x", wr_conf_text(same, "title"));
    wr_conf_unref(same);
    wr_conf_unref(NULL);
}

TEST_PLAIN(what_cannot_change_is_kept_and_the_rest_is_not)
{
    struct wr_conf *running = LOAD(TOML("title = \"x\"\nservices.enable = [\"index\", "
                                        "\"rewards\"]\nmax_conns = 5\nuids = [1]"),
                                   ENV("WEIR_TOKEN=a"));
    struct wr_conf *conf = LOAD(TOML("io.timeout = \"9s\"\nservices.enable = [\"index\"]\n"
                                     "max_conns = 6\nuids = [2, 3]"), ENV("WEIR_TOKEN=b"));
    const char *const *words;
    const int64_t *uids;
    CHECK_OK(wr_conf_keep(conf, running));
    CHECK(!wr_conf_differs(running, conf, "token"));
    wr_conf_unref(running);
    CHECK_STR("x", wr_conf_text(conf, "title"));
    CHECK_STR("rig.toml:1", wr_conf_origin(conf, "title"));
    CHECK_EQ(WR_S(5), wr_conf_duration(conf, "io.timeout"));
    CHECK_EQ(2, wr_conf_words(conf, "services.enable", &words));
    CHECK_STR("index", words[0]);
    CHECK_STR("rewards", words[1]);
    CHECK_EQ(6, wr_conf_int(conf, "max_conns"));            /* live */
    CHECK_EQ(2, wr_conf_numbers(conf, "uids", &uids));      /* rebind */
    wr_conf_unref(conf);
}

TEST_PLAIN(several_tables_are_one)
{
    static const struct wr_conf_key more[] = {
        { .name = "index.entries", .type = WR_CONF_INT, .preset = "10", .help = "Entries." },
    };
    static const struct wr_conf_table second = { .keys = more, .count = 1 };
    const struct wr_conf_table *const both[] = { &rig_table, &second, NULL };
    struct rig rig = { TOML("index.entries = 11\nmax_conns = 5") };
    struct wr_conf_source source = rig_source(&rig);
    source.tables = both;
    struct wr_conf *conf = NULL;
    struct wr_conf_report report = { 0 };
    REQUIRE_OK(wr_conf_load(&conf, &source, &report));
    CHECK_EQ(11, wr_conf_int(conf, "index.entries"));
    CHECK_EQ(5, wr_conf_int(conf, "max_conns"));
    wr_conf_unref(conf);
    CHECK_STR("rig.toml:1: index.entries: there is no such key; `weir config print` lists "
              "them\n", REFUSED(TOML("index.entries = 11")));
}

TEST_DIES_PLAIN(a_key_in_two_tables_is_a_panic, "\"max_conns\" stands in the tables twice")
{
    static const struct wr_conf_key again[] = {
        { .name = "max_conns", .type = WR_CONF_INT, .help = "Again." },
    };
    static const struct wr_conf_table second = { .keys = again, .count = 1 };
    struct wr_conf_source source =
        { .tables = (const struct wr_conf_table *const[]){ &rig_table, &second, NULL } };
    struct wr_conf *conf;
    struct wr_conf_report report = { 0 };
    (void)!wr_conf_load(&conf, &source, &report);
}

TEST_DIES_PLAIN(a_key_that_does_not_exist_is_a_panic, "no configuration key \"max_cons\"")
{
    wr_conf_int(LOAD(TOML(NULL)), "max_cons");
}

TEST_DIES_PLAIN(a_key_of_another_type_is_a_panic, "\"max_conns\" has another type")
{
    wr_conf_bool(LOAD(TOML(NULL)), "max_conns");
}

TEST_DIES_PLAIN(a_preset_that_is_not_allowed_is_a_panic, "\"n\": its own preset is not allowed")
{
    static const struct wr_conf_key wrong[] = {
        { .name = "n", .type = WR_CONF_INT, .preset = "9", .min = 1, .max = 5, .help = "N." },
    };
    static const struct wr_conf_table table = { .keys = wrong, .count = 1 };
    struct wr_conf_source source =
        { .tables = (const struct wr_conf_table *const[]){ &table, NULL } };
    struct wr_conf *conf;
    struct wr_conf_report report = { 0 };
    (void)!wr_conf_load(&conf, &source, &report);
}

TEST_DIES_PLAIN(a_key_with_a_capital_is_a_panic, "\"N\" is not a name of small letters")
{
    static const struct wr_conf_key wrong[] = {
        { .name = "N", .type = WR_CONF_INT, .help = "N." },
    };
    static const struct wr_conf_table table = { .keys = wrong, .count = 1 };
    struct wr_conf_source source =
        { .tables = (const struct wr_conf_table *const[]){ &table, NULL } };
    struct wr_conf *conf;
    struct wr_conf_report report = { 0 };
    (void)!wr_conf_load(&conf, &source, &report);
}
