/* value_test.c - tests of value.c: each type, and each refusal to the letter. */
#include "conf/value.h"

#include "testing/conf_rig.h"

TEST_PLAIN(a_switch_is_true_or_false)
{
    struct wr_conf *conf = LOAD(TOML("on = true"));
    CHECK(wr_conf_bool(conf, "on"));
    wr_conf_unref(conf);
    CHECK_STR("rig.toml:1: on = 1: it must be true or false\n", REFUSED(TOML("on = 1")));
    CHECK_STR("rig.toml:1: on = \"true\": it must be true or false\n",
              REFUSED(TOML("on = \"true\"")));
    CHECK_STR("environment WEIR_ON: on = \"maybe\": it must be true or false\n",
              REFUSED(ENV("WEIR_ON=maybe")));
}

TEST_PLAIN(outside_a_file_a_switch_has_more_words)
{
    static char *const words[] = { "WEIR_ON=1", "WEIR_ON=true", "WEIR_ON=on", "WEIR_ON=yes" };
    for (size_t i = 0; i < 4; i++) {
        struct wr_conf *conf = LOAD(ENV(words[i]));
        CHECK(wr_conf_bool(conf, "on"));
        wr_conf_unref(conf);
    }
}

TEST_PLAIN(an_integer_has_its_range)
{
    struct wr_conf *conf = LOAD(TOML("max_conns = 5000"));
    CHECK_EQ(5000, wr_conf_int(conf, "max_conns"));
    wr_conf_unref(conf);
    CHECK_STR("rig.toml:1: max_conns = 0: it must be an integer from 1 to 5000\n",
              REFUSED(TOML("max_conns = 0")));
    CHECK_STR("rig.toml:1: max_conns = 5001: it must be an integer from 1 to 5000\n",
              REFUSED(TOML("max_conns = 5001")));
    CHECK_STR("rig.toml:1: max_conns = \"5\": it must be an integer from 1 to 5000\n",
              REFUSED(TOML("max_conns = \"5\"")));
    CHECK_STR("rig.toml:1: max_conns = a number with a fraction: it must be an integer from 1 "
              "to 5000\n", REFUSED(TOML("max_conns = 1.5")));
}

TEST_PLAIN(a_duration_needs_its_unit)
{
    struct wr_conf *conf = LOAD(TOML("io.timeout = \"1m\""));
    CHECK_EQ(WR_S(60), wr_conf_duration(conf, "io.timeout"));
    wr_conf_unref(conf);
    CHECK_STR("rig.toml:1: io.timeout = 5: it must be a duration such as \"500ms\", \"5s\", "
              "\"2m\" or \"1h\", from 1ms to 1m\n", REFUSED(TOML("io.timeout = 5")));
    CHECK_STR("rig.toml:1: io.timeout = \"61s\": it must be a duration such as \"500ms\", "
              "\"5s\", \"2m\" or \"1h\", from 1ms to 1m\n",
              REFUSED(TOML("io.timeout = \"61s\"")));
}

TEST_PLAIN(a_size_is_bytes_or_has_a_unit)
{
    struct wr_conf *conf = LOAD(TOML("io.room = 2000"));
    CHECK_EQ(2000, wr_conf_size(conf, "io.room"));
    wr_conf_unref(conf);
    conf = LOAD(TOML("io.room = \"2MiB\""));
    CHECK_EQ(2 << 20, wr_conf_size(conf, "io.room"));
    wr_conf_unref(conf);
    CHECK_STR("rig.toml:1: io.room = \"2GiB\": it must be a size such as 65536, \"64KiB\", "
              "\"4MiB\" or \"1MB\", from 1KiB to 1GiB\n", REFUSED(TOML("io.room = \"2GiB\"")));
}

TEST_PLAIN(an_address_has_its_port)
{
    struct wr_conf *conf = LOAD(TOML("addr = \"[::1]:99\""));
    CHECK_EQ(99, wr_conf_addr(conf, "addr")->port);
    wr_conf_unref(conf);
    CHECK_STR("rig.toml:1: addr = \"127.0.0.1:65536\": it must be an address such as "
              "\"127.0.0.1:8080\", \"[::1]:8080\" or \"unix:/path\"\n",
              REFUSED(TOML("addr = \"127.0.0.1:65536\"")));
    CHECK_STR("flag --addr: addr = \"localhost:1\": it must be an address such as "
              "\"127.0.0.1:8080\", \"[::1]:8080\" or \"unix:/path\"\n",
              REFUSED(FLAGS("--addr", "localhost:1")));
}

TEST_PLAIN(a_choice_is_one_of_its_words_or_a_synonym)
{
    struct wr_conf *conf = LOAD(TOML("mode = \"hybrid\""));
    CHECK_STR("hybrid", wr_conf_text(conf, "mode"));
    wr_conf_unref(conf);
    conf = LOAD(ENV("WEIR_MODE=1"));
    CHECK_STR("hybrid", wr_conf_text(conf, "mode"));
    wr_conf_unref(conf);
    CHECK_STR("rig.toml:1: mode = \"hybird\": it must be off or hybrid\n",
              REFUSED(TOML("mode = \"hybird\"")));
    CHECK_STR("rig.toml:1: mode = \"0=off\": it must be off or hybrid\n",
              REFUSED(TOML("mode = \"0=off\"")));
    CHECK_STR("rig.toml:1: mode = \"\": it must be off or hybrid\n",
              REFUSED(TOML("mode = \"\"")));
}

TEST_PLAIN(permits_count_processors)
{
    struct wr_conf *conf = LOAD(TOML("permits = \"5xCPU\""));
    CHECK_EQ(15, wr_conf_permits(conf, "permits"));
    wr_conf_unref(conf);
    conf = LOAD(TOML("permits = 9"));
    CHECK_EQ(9, wr_conf_permits(conf, "permits"));
    wr_conf_unref(conf);
    CHECK_STR("rig.toml:1: permits = 0: it must be a positive integer, or a multiple of the "
              "processors such as \"4xCPU\"\n", REFUSED(TOML("permits = 0")));
    CHECK_STR("rig.toml:1: permits = \"4CPU\": it must be a positive integer, or a multiple of "
              "the processors such as \"4xCPU\"\n", REFUSED(TOML("permits = \"4CPU\"")));
}

TEST_PLAIN(lists_come_from_files_and_from_words_with_commas)
{
    const char *const *words;
    struct wr_conf *conf = LOAD(TOML("names = [\"a\", \"b c\"]"));
    REQUIRE(CHECK_EQ(2, wr_conf_words(conf, "names", &words)));
    CHECK_STR("b c", words[1]);
    wr_conf_unref(conf);
    conf = LOAD(FLAGS("--names", "x,yy,z"));
    REQUIRE(CHECK_EQ(3, wr_conf_words(conf, "names", &words)));
    CHECK_STR("yy", words[1]);
    wr_conf_unref(conf);
    CHECK_STR("rig.toml:1: names = [\"a\", \"b,c\"]: it must be a list of words\n",
              REFUSED(TOML("names = [\"a\", \"b,c\"]")));
    CHECK_STR("flag --names: names = \"a,,b\": it must be a list of words\n",
              REFUSED(FLAGS("--names=a,,b")));
    CHECK_STR("rig.toml:1: names = [1]: it must be a list of words\n",
              REFUSED(TOML("names = [1]")));
    CHECK_STR("rig.toml:1: names = \"a\": it must be a list of words\n",
              REFUSED(TOML("names = \"a\"")));
}

TEST_PLAIN(an_empty_word_is_an_empty_list)
{
    const char *const *words;
    struct wr_conf *conf = LOAD(TOML("names = [\"a\"]"), FLAGS("--names="));
    CHECK_EQ(0, wr_conf_words(conf, "names", &words));
    wr_conf_unref(conf);
}

TEST_PLAIN(services_are_known_by_name)
{
    const char *const *words;
    struct wr_conf *conf = LOAD(FLAGS("--services-enable", "rewards"));
    REQUIRE(CHECK_EQ(1, wr_conf_words(conf, "services.enable", &words)));
    CHECK_STR("rewards", words[0]);
    wr_conf_unref(conf);
    conf = LOAD(FLAGS("--services-enable", "svc-index"));
    wr_conf_unref(conf);
    CHECK_STR("rig.toml:1: services.enable = [\"index\", \"indx\"]: there is no service "
              "\"indx\"; there are index, rewards; did you mean index?\n",
              REFUSED(TOML("services.enable = [\"index\", \"indx\"]")));
    CHECK_STR("flag --services-enable: services.enable = \"svc-reward\": there is no service "
              "\"svc-reward\"; there are index, rewards; did you mean rewards?\n",
              REFUSED(FLAGS("--services-enable", "svc-reward")));
}

TEST_PLAIN(each_number_of_a_list_has_its_range)
{
    const int64_t *numbers;
    struct wr_conf *conf = LOAD(TOML("uids = [0, 65535]"));
    REQUIRE(CHECK_EQ(2, wr_conf_numbers(conf, "uids", &numbers)));
    CHECK_EQ(65535, numbers[1]);
    wr_conf_unref(conf);
    CHECK_STR("rig.toml:1: uids = [1, -2]: it must be a list of integers, from 0 to 65535\n",
              REFUSED(TOML("uids = [1, -2]")));
    CHECK_STR("environment WEIR_UIDS: uids = \"1,x\": it must be a list of integers, from 0 to "
              "65535\n", REFUSED(ENV("WEIR_UIDS=1,x")));
}

TEST_PLAIN(a_list_has_a_limit_of_items)
{
    char variable[2 * WR_VALUE_ITEMS_MAX + 32] = "WEIR_UIDS=1";
    for (size_t i = 0; i < WR_VALUE_ITEMS_MAX; i++)
        memcpy(variable + 11 + 2 * i, ",1", 3);
    CHECK(strstr(REFUSED(ENV(variable)), ": it must have at most 256 items\n") != NULL);
    variable[11 + 2 * (WR_VALUE_ITEMS_MAX - 1)] = '\0';
    const int64_t *numbers;
    struct wr_conf *conf = LOAD(ENV(variable));
    CHECK_EQ(WR_VALUE_ITEMS_MAX, wr_conf_numbers(conf, "uids", &numbers));
    wr_conf_unref(conf);
}

TEST_PLAIN(text_is_utf8_of_a_bounded_length)
{
    struct wr_conf *conf = LOAD(ENV("WEIR_TITLE=\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"));
    CHECK_STR("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", wr_conf_text(conf, "title"));
    wr_conf_unref(conf);
    static char *const bad[] = { "WEIR_TITLE=\x80",         "WEIR_TITLE=\xc3",
                                 "WEIR_TITLE=\xc0\xaf",     "WEIR_TITLE=\xed\xa0\x80",
                                 "WEIR_TITLE=\xe0\x80\x80", "WEIR_TITLE=\xf4\x90\x80\x80",
                                 "WEIR_TITLE=\xf0\x80\x80\x80", "WEIR_TITLE=\xff" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        CHECK(strstr(REFUSED(ENV(bad[i])), ": it must be at most 4096 bytes of UTF-8\n"));
    CHECK_STR("rig.toml:1: title = \"\": it must be text\n", REFUSED(TOML("title = \"\"")));
}

TEST_PLAIN(a_long_value_is_cut_in_the_sentence)
{
    char variable[5000] = "WEIR_TITLE=";
    memset(variable + 11, 'a', sizeof(variable) - 12);
    variable[sizeof(variable) - 1] = '\0';
    const char *words = REFUSED(ENV(variable));
    CHECK(strstr(words, "aaa\"...: it must be at most 4096 bytes of UTF-8\n") != NULL);
    CHECK(strlen(words) < 220);
}

TEST_PLAIN(a_secret_comes_from_the_environment_alone)
{
    struct wr_conf *conf = LOAD(ENV("WEIR_TOKEN=geheim"));
    CHECK(wr_secret_equal(wr_conf_secret(conf, "token"), "geheim", 6));
    wr_conf_unref(conf);
    CHECK_STR("rig.toml:1: token: a secret does not belong in a file; set WEIR_TOKEN in the "
              "environment\n", REFUSED(TOML("token = \"geheim\"")));
    CHECK_STR("flag --token: a secret in a command line is seen by everyone; set WEIR_TOKEN in "
              "the environment\n", REFUSED(FLAGS("--token", "geheim")));
    CHECK_STR("environment WEIR_TOKEN: token = (hidden): it must be at most 4096 bytes of "
              "UTF-8\n", REFUSED(ENV("WEIR_TOKEN=geheim\xff")));
}

TEST_PLAIN(what_an_outsider_wrote_cannot_speak_to_the_terminal)
{
    CHECK_STR("environment WEIR_ON: on = \"\\u001b[2J\\n\": it must be true or false\n",
              REFUSED(ENV("WEIR_ON=\x1b[2J\n")));
}
