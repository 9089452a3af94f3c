/* load_test.c - tests of load.c: what wins, and what is said about files. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing/conf_rig.h"

TEST_PLAIN(flags_win_over_the_environment_over_the_file_over_the_preset)
{
    struct wr_conf *conf = LOAD(TOML(NULL));
    CHECK_EQ(1024, wr_conf_int(conf, "max_conns"));
    CHECK_STR("default", wr_conf_origin(conf, "max_conns"));
    wr_conf_unref(conf);
    conf = LOAD(TOML("\nmax_conns = 1\n"));
    CHECK_EQ(1, wr_conf_int(conf, "max_conns"));
    CHECK_STR("rig.toml:2", wr_conf_origin(conf, "max_conns"));
    wr_conf_unref(conf);
    conf = LOAD(TOML("max_conns = 1\n"), ENV("WEIR_MAX_CONNS=2"));
    CHECK_EQ(2, wr_conf_int(conf, "max_conns"));
    CHECK_STR("environment WEIR_MAX_CONNS", wr_conf_origin(conf, "max_conns"));
    wr_conf_unref(conf);
    conf = LOAD(TOML("max_conns = 1\n"), ENV("WEIR_MAX_CONNS=2"), FLAGS("--max-conns=3"));
    CHECK_EQ(3, wr_conf_int(conf, "max_conns"));
    CHECK_STR("flag --max-conns", wr_conf_origin(conf, "max_conns"));
    wr_conf_unref(conf);
}

TEST_PLAIN(a_wrong_value_is_refused_also_where_a_stronger_one_stands)
{
    CHECK_STR("rig.toml:1: max_conns = 0: it must be an integer from 1 to 5000\n",
              REFUSED(TOML("max_conns = 0"), FLAGS("--max-conns=3")));
}

TEST_PLAIN(an_unknown_key_is_told_its_nearest)
{
    CHECK_STR("rig.toml:1: max_con: there is no such key; did you mean max_conns?\n",
              REFUSED(TOML("max_con = 1")));
    CHECK_STR("rig.toml:2: io.tiemout: there is no such key; did you mean io.timeout?\n",
              REFUSED(TOML("[io]\ntiemout = \"1s\"")));
    CHECK_STR("rig.toml:1: timeout: there is no such key; did you mean io.timeout?\n",
              REFUSED(TOML("timeout = \"1s\"")));
    CHECK_STR("rig.toml:1: color: there is no such key; `weir config print` lists them\n",
              REFUSED(TOML("color = 1")));
    CHECK_STR("rig.toml:1: \"\\\"max conns\\\"\": there is no such key; did you mean "
              "max_conns?\n", REFUSED(TOML("\"max conns\" = 1")));
}

TEST_PLAIN(an_empty_table_is_fine_where_keys_could_stand)
{
    struct wr_conf *conf = LOAD(TOML("[io]\n[services]\n"));
    wr_conf_unref(conf);
    CHECK_STR("rig.toml:1: zzz: there is no such key; `weir config print` lists them\n",
              REFUSED(TOML("[zzz]\n")));
    CHECK_STR("rig.toml:1: addr = an empty table: it must be an address such as "
              "\"127.0.0.1:8080\", \"[::1]:8080\" or \"unix:/path\"\n",
              REFUSED(TOML("addr = {}")));
}

TEST_PLAIN(all_that_is_wrong_is_said_at_once_in_the_order_of_the_lines)
{
    CHECK_STR("flag --max-con: there is no such flag; did you mean --max-conns?\n"
              "rig.toml:1: on = 1: it must be true or false\n"
              "rig.toml:2: max_con: there is no such key; did you mean max_conns?\n"
              "rig.toml:3: mode = \"x\": it must be off or hybrid\n"
              "environment WEIR_PERMITS: permits = \"x\": it must be a positive integer, or a "
              "multiple of the processors such as \"4xCPU\"\n",
              REFUSED(TOML("on = 1\nmax_con = 1\nmode = \"x\"\n"), ENV("WEIR_PERMITS=x"),
                      FLAGS("--max-con", "1")));
}

TEST_PLAIN(a_file_that_is_not_toml_says_where)
{
    CHECK_STR("rig.toml:2: not TOML: Error while parsing key-value pair: expected '=', saw "
              "'\\n'\n", REFUSED(TOML("on = true\nmax_conns\n")));
}

TEST_PLAIN(another_name_of_a_key_works_but_not_both)
{
    struct wr_conf *conf = LOAD(TOML("bind_addr = \"127.0.0.1:5\""));
    CHECK_EQ(5, wr_conf_addr(conf, "addr")->port);
    wr_conf_unref(conf);
    CHECK_STR("rig.toml:2: bind_addr: it is another name of addr, which was set above; keep "
              "one\n", REFUSED(TOML("addr = \"127.0.0.1:5\"\nbind_addr = \"127.0.0.1:5\"")));
}

TEST_PLAIN(what_names_the_file_does_not_stand_in_it)
{
    CHECK_STR("rig.toml:1: config: it means nothing in a file; set WEIR_CONFIG in the "
              "environment\n", REFUSED(TOML("config = \"x\"")));
}

TEST_PLAIN(a_check_between_keys_speaks_when_every_value_is_right)
{
    CHECK_STR("rig.toml:1: max_conns = 7: it must not be 7 when io.timeout is\n",
              REFUSED(TOML("max_conns = 7\nio.timeout = \"7s\"")));
    CHECK_STR("title: it has no value: 8 connections need it\n",
              REFUSED(TOML("max_conns = 8")));
    CHECK_STR("rig.toml:3: on = 1: it must be true or false\n",
              REFUSED(TOML("max_conns = 7\nio.timeout = \"7s\"\non = 1")));
}

TEST_PLAIN(state_lies_where_the_system_says)
{
    static const struct { char *first, *second; const char *data; } places[] = {
        { "HOME=/home/u", "X=", "/home/u/.local/state/rig" },
        { "HOME=/home/u", "XDG_STATE_HOME=/s", "/s/rig" },
        { "XDG_STATE_HOME=/s", "STATE_DIRECTORY=/var/lib/w", "/var/lib/w/rig" },
        { "XDG_STATE_HOME=relative", "HOME=/h", "/h/.local/state/rig" },
        { "X=", "HOME=", "/var/lib/rig" },
    };
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        struct wr_conf *conf = LOAD(ENV(places[i].first, places[i].second));
        CHECK_STR(places[i].data, wr_conf_text(conf, "data"));
        wr_conf_unref(conf);
    }
}

TEST_PLAIN(a_state_that_is_no_path_is_refused)
{
    char home[5000] = "HOME=/";
    memset(home + 6, 'h', sizeof(home) - 7);
    home[sizeof(home) - 1] = '\0';
    CHECK(strstr(REFUSED(ENV(home)), "hhh\"...: it must be at most 4096 bytes of UTF-8\n"));
    CHECK_STR("default: data = \"/\xef\xbf\xbd/.local/state/rig\": it must be at most 4096 "
              "bytes of UTF-8\n", REFUSED(ENV("HOME=/\xff")));
}

TEST_PLAIN(a_preset_can_depend_on_a_switch)
{
    struct wr_conf *conf = LOAD(TOML("on = true"));
    CHECK(!wr_conf_has(conf, "data"));
    CHECK(wr_conf_text(conf, "data") == NULL);
    wr_conf_unref(conf);
    conf = LOAD(TOML("on = true\ndata = \"/x\""));
    CHECK_STR("/x", wr_conf_text(conf, "data"));
    wr_conf_unref(conf);
}

/* ---- real files ---- */

static char folder[64];

static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "w");
    REQUIRE(file != NULL);
    fputs(text, file);
    fclose(file);
}

static void enter_folder(void)
{
    snprintf(folder, sizeof(folder), "/tmp/weir-conf-XXXXXX");
    REQUIRE(mkdtemp(folder) != NULL);
}

static void leave_folder(void)
{
    static const char *const names[] = { "a.toml", "a.json", "a.conf", "big.toml" };
    for (size_t i = 0; i < 4; i++)
        unlink(in_folder(names[i]));
    CHECK_EQ(0, rmdir(folder));
}

/* The words without the folder, which has another name each time. */
static const char *words_of(const char *name)
{
    static char words[4096];
    char flag[200];
    snprintf(flag, sizeof(flag), "--config=%s", in_folder(name));
    const char *said = REFUSED(FLAGS(flag));
    size_t len = 0, skip = strlen(folder) + 1;
    while (*said) {
        if (strncmp(said, in_folder(""), skip) == 0)
            said += skip;
        words[len++] = *said++;
    }
    words[len] = '\0';
    return words;
}

TEST_PLAIN(the_file_is_named_by_a_flag_or_a_variable)
{
    enter_folder();
    put("a.toml", "max_conns = 9");
    char flag[200], variable[200];
    snprintf(flag, sizeof(flag), "--config=%s", in_folder("a.toml"));
    snprintf(variable, sizeof(variable), "WEIR_CONFIG=%s", in_folder("a.toml"));
    struct wr_conf *conf = LOAD(FLAGS(flag), ENV("WEIR_CONFIG=/nowhere"));
    CHECK_EQ(9, wr_conf_int(conf, "max_conns"));
    CHECK_STR(in_folder("a.toml"), wr_conf_file(conf));
    wr_conf_unref(conf);
    conf = LOAD(ENV(variable));
    CHECK_EQ(9, wr_conf_int(conf, "max_conns"));
    wr_conf_unref(conf);
    leave_folder();
}

TEST_PLAIN(a_file_is_json_by_its_ending)
{
    enter_folder();
    put("a.json", "{\"io\": {\"timeout\": \"9s\"}}");
    char flag[200];
    snprintf(flag, sizeof(flag), "--config=%s", in_folder("a.json"));
    struct wr_conf *conf = LOAD(FLAGS(flag));
    CHECK_EQ(WR_S(9), wr_conf_duration(conf, "io.timeout"));
    CHECK_STR(in_folder("a.json"), wr_conf_origin(conf, "io.timeout"));
    wr_conf_unref(conf);
    put("a.json", "{\"max_con\": 9}");
    CHECK_STR("a.json: max_con: there is no such key; did you mean max_conns?\n",
              words_of("a.json"));
    put("a.json", "max_conns = 1\n");
    CHECK_STR("a.json:1: not JSON: '[' or '{' expected near 'max'\n", words_of("a.json"));
    leave_folder();
}

TEST_PLAIN(a_file_with_another_ending_is_toml_or_json_or_both_errors)
{
    enter_folder();
    char flag[200];
    snprintf(flag, sizeof(flag), "--config=%s", in_folder("a.conf"));
    static const char *const texts[] = { "max_conns = 9", "{\"max_conns\": 9}" };
    for (size_t i = 0; i < 2; i++) {
        put("a.conf", texts[i]);
        struct wr_conf *conf = LOAD(FLAGS(flag));
        CHECK_EQ(9, wr_conf_int(conf, "max_conns"));
        wr_conf_unref(conf);
    }
    put("a.conf", "max_conns =\n");
    CHECK_STR("a.conf:1: not TOML: Error while parsing key-value pair: expected value, saw "
              "'\\n'\na.conf:1: not JSON: '[' or '{' expected near 'max'\n",
              words_of("a.conf"));
    leave_folder();
}

TEST_PLAIN(a_file_that_cannot_be_read_says_why)
{
    enter_folder();
    CHECK_STR("a.toml: it cannot be read: there is no such file\n", words_of("a.toml"));
    mkdir(in_folder("a.toml"), 0700);
    CHECK_STR("a.toml: it cannot be read: it must be a regular file of at most 1MiB\n",
              words_of("a.toml"));
    rmdir(in_folder("a.toml"));
    FILE *file = fopen(in_folder("big.toml"), "w");
    REQUIRE(file != NULL);
    CHECK_EQ(0, ftruncate(fileno(file), WR_CONF_FILE_MAX + 1));
    fclose(file);
    CHECK_STR("big.toml: it cannot be read: it must be a regular file of at most 1MiB\n",
              words_of("big.toml"));
    leave_folder();
}
