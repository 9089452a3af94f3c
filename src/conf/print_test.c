/* print_test.c - tests of print.c. */
#include "testing/conf_rig.h"

static char *printed(const struct wr_conf *conf, void (*print)(struct wr_text *,
                                                               const struct wr_conf *))
{
    struct wr_text text = wr_text_heap(65536);
    print(&text, conf);
    CHECK_EQ(0, text.cut);
    char *copy = strdup(text.at);
    wr_text_free(&text);
    return copy;
}

TEST_PLAIN(every_key_is_printed_with_its_value_and_origin)
{
    struct wr_conf *conf = LOAD(TOML("names = [\"a\", \"b\"]\nuids = [1, 2]\n"
                                     "title = \"x \\\"y\\\"\""),
                                ENV("HOME=/h", "WEIR_TOKEN=geheim", "WEIR_IO_ROOM=1MB"),
                                FLAGS("--max-conns=5"));
    char *text = printed(conf, wr_conf_print);
    CHECK_STR("# config is unset\n"
              "on = false    # default\n"
              "max_conns = 5    # flag --max-conns\n"
              "io.timeout = \"5s\"    # default\n"
              "io.room = \"1000000B\"    # environment WEIR_IO_ROOM\n"
              "addr = \"127.0.0.1:8080\"    # default\n"
              "# other_addr is unset\n"
              "data = \"/h/.local/state/rig\"    # default\n"
              "mode = \"off\"    # default\n"
              "permits = \"4xCPU\"    # default\n"
              "names = [\"a\", \"b\"]    # rig.toml:1\n"
              "services.enable = []    # default\n"
              "uids = [1, 2]    # rig.toml:2\n"
              "title = \"x \\\"y\\\"\"    # rig.toml:3\n"
              "# meta.version is unset\n"
              "# meta.bundle_hash is unset\n"
              "# token = (hidden)    # environment WEIR_TOKEN\n", text);
    free(text);
    wr_conf_unref(conf);
}

TEST_PLAIN(what_is_printed_reads_back_to_the_same)
{
    struct wr_conf *conf = LOAD(
        TOML("names = [\"a\", \"\\u007f\\t\\u00e4\"]\nuids = [3]\ntitle = \"tab\\t \\u0001 "
             "\\\\\"\n"
             "permits = 9\nmode = \"hybrid\"\naddr = \"[::1]:0\"\nother_addr = \"unix:/x y\""),
        ENV("HOME=/h", "WEIR_IO_TIMEOUT=1500ms"), FLAGS("--on"));
    char *text = printed(conf, wr_conf_print);
    struct wr_conf *again = LOAD(TOML(text), ENV("HOME=/other"));
    struct wr_conf_change change;
    CHECK_EQ(0, wr_conf_diff(&change, 1, conf, again));
    CHECK_STR("rig.toml:4", wr_conf_origin(again, "io.timeout"));
    wr_conf_unref(again);
    free(text);
    wr_conf_unref(conf);
}

TEST_PLAIN(json_has_value_origin_and_kind_of_each_key)
{
    struct wr_conf *conf = LOAD(TOML("uids = [3]"), ENV("HOME=/h", "WEIR_TOKEN=geheim"));
    char *text = printed(conf, wr_conf_print_json);
    CHECK(strstr(text, "\"uids\":{\"value\":[3],\"from\":\"rig.toml:1\","
                       "\"change\":\"rebind\"}"));
    CHECK(strstr(text, "\"max_conns\":{\"value\":1024,\"from\":\"default\","
                       "\"change\":\"live\"}"));
    CHECK(strstr(text, "\"io.timeout\":{\"value\":\"5s\",\"from\":\"default\","
                       "\"change\":\"restart\"}"));
    CHECK(strstr(text, "\"title\":{\"value\":null,\"from\":\"default\","
                       "\"change\":\"restart\"}"));
    CHECK(strstr(text, "\"token\":{\"value\":\"(hidden)\",\"from\":\"environment WEIR_TOKEN\","
                       "\"change\":\"restart\"}"));
    CHECK(strstr(text, "geheim") == NULL);
    free(text);
    wr_conf_unref(conf);
}

TEST_PLAIN(a_difference_tells_both_values_and_whether_it_is_live)
{
    struct wr_conf *was = LOAD(TOML("max_conns = 5\ntitle = \"x\""), ENV("HOME=/h"));
    struct wr_conf *is = LOAD(TOML("max_conns = 6\nmode = \"hybrid\""), ENV("HOME=/h"));
    struct wr_conf_change changes[3];
    REQUIRE(CHECK_EQ(3, wr_conf_diff(changes, 3, was, is)));
    CHECK_STR("max_conns", changes[0].key->name);
    CHECK_STR("5", changes[0].was);
    CHECK_STR("6", changes[0].is);
    CHECK(changes[0].key->live);
    CHECK_STR("mode", changes[1].key->name);
    CHECK(!changes[1].key->live);
    CHECK_STR("title", changes[2].key->name);
    CHECK_STR("unset", changes[2].is);
    changes[1].key = NULL;
    CHECK_EQ(3, wr_conf_diff(changes, 1, was, is));
    CHECK(changes[1].key == NULL);
    wr_conf_unref(was);
    wr_conf_unref(is);
}

TEST_PLAIN(keys_differ_one_by_one)
{
    struct wr_conf *was = LOAD(TOML("max_conns = 5"), ENV("HOME=/h", "WEIR_TOKEN=a"));
    struct wr_conf *is = LOAD(TOML("max_conns = 6"), ENV("HOME=/h", "WEIR_TOKEN=b"));
    CHECK(wr_conf_differs(was, is, "max_conns"));
    CHECK(wr_conf_differs(was, is, "token"));
    CHECK(!wr_conf_differs(was, is, "title"));
    wr_conf_unref(was);
    wr_conf_unref(is);
}

TEST_PLAIN(the_same_value_from_elsewhere_is_no_difference)
{
    struct wr_conf *was = LOAD(TOML("io.timeout = \"60s\""), ENV("HOME=/h"));
    struct wr_conf *is = LOAD(TOML(NULL), ENV("HOME=/h"), FLAGS("--io-timeout=1m"));
    struct wr_conf_change change;
    CHECK_EQ(0, wr_conf_diff(&change, 1, was, is));
    wr_conf_unref(was);
    wr_conf_unref(is);
}

TEST_PLAIN(another_secret_is_a_difference_that_hides_both)
{
    struct wr_conf *was = LOAD(ENV("HOME=/h", "WEIR_TOKEN=geheim"));
    struct wr_conf *same = LOAD(ENV("HOME=/h", "WEIR_TOKEN=geheim"));
    struct wr_conf *is = LOAD(ENV("HOME=/h", "WEIR_TOKEN=anders"));
    struct wr_conf_change change;
    CHECK_EQ(0, wr_conf_diff(&change, 1, was, same));
    REQUIRE(CHECK_EQ(1, wr_conf_diff(&change, 1, was, is)));
    CHECK_STR("(hidden)", change.was);
    CHECK_STR("(hidden)", change.is);
    wr_conf_unref(was);
    wr_conf_unref(same);
    wr_conf_unref(is);
}

TEST_PLAIN(help_has_a_line_for_every_key_and_switch)
{
    bool json = false;
    const struct wr_conf_switch switches[] = { { "--json", &json, "JSON." }, { 0 } };
    struct wr_text text = wr_text_heap(65536);
    wr_conf_help(&text, &(struct wr_conf_source){ .tables = rig_tables,
                                                  .switches = switches });
    CHECK(strstr(text.at, "  --json                          JSON.\n"));
    CHECK(strstr(text.at, "  --max-conns N                   Connections. [1024]\n"));
    CHECK(strstr(text.at, "  --mode WORD                     "
                       "A mode. One of: off hybrid. [off]\n"));
    CHECK(strstr(text.at, "  --addr ADDRESS                  "
                       "Where. [127.0.0.1:8080] Also --bind.\n"));
    CHECK(strstr(text.at, "  WEIR_TOKEN                      A token. (environment only)\n"));
    for (size_t i = 0; i < rig_table.count; i++)
        CHECK(strstr(text.at, rig_keys[i].help) != NULL);
    wr_text_free(&text);
}
