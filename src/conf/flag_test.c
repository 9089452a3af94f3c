/* flag_test.c - tests of flag.c. */
#include "testing/conf_rig.h"

TEST_PLAIN(a_flag_takes_the_next_argument_or_what_follows_its_equal_sign)
{
    struct wr_conf *conf = LOAD(FLAGS("--max-conns", "7", "--io-timeout=9s"));
    CHECK_EQ(7, wr_conf_int(conf, "max_conns"));
    CHECK_EQ(WR_S(9), wr_conf_duration(conf, "io.timeout"));
    CHECK_STR("flag --max-conns", wr_conf_origin(conf, "max_conns"));
    CHECK_STR("flag --io-timeout", wr_conf_origin(conf, "io.timeout"));
    wr_conf_unref(conf);
}

TEST_PLAIN(a_flag_has_other_names)
{
    struct wr_conf *conf = LOAD(FLAGS("--bind", "127.0.0.1:1", "--timeout=2s"));
    CHECK_EQ(1, wr_conf_addr(conf, "addr")->port);
    CHECK_STR("flag --bind", wr_conf_origin(conf, "addr"));
    CHECK_EQ(WR_S(2), wr_conf_duration(conf, "io.timeout"));
    wr_conf_unref(conf);
}

TEST_PLAIN(a_switch_needs_no_value_and_can_be_turned_off)
{
    struct wr_conf *conf = LOAD(FLAGS("--on", "--max-conns", "3"));
    CHECK(wr_conf_bool(conf, "on"));
    CHECK_EQ(3, wr_conf_int(conf, "max_conns"));
    wr_conf_unref(conf);
    static char *const off[] = { "--no-on", "--no-really", "--on=false", "--really=off" };
    for (size_t i = 0; i < 4; i++) {
        conf = LOAD(TOML("on = true"), FLAGS(off[i]));
        CHECK(!wr_conf_bool(conf, "on"));
        wr_conf_unref(conf);
    }
    CHECK_STR("flag --no-on: it takes no value\n", REFUSED(FLAGS("--no-on=true")));
    CHECK_STR("flag --no-max-conns: there is no such flag; did you mean --max-conns?\n",
              REFUSED(FLAGS("--no-max-conns")));
}

TEST_PLAIN(the_last_of_two_equal_flags_counts)
{
    struct wr_conf *conf = LOAD(FLAGS("--max-conns", "3", "--max-conns", "4"));
    CHECK_EQ(4, wr_conf_int(conf, "max_conns"));
    wr_conf_unref(conf);
}

TEST_PLAIN(an_unknown_flag_is_told_its_nearest)
{
    CHECK_STR("flag --max-con: there is no such flag; did you mean --max-conns?\n",
              REFUSED(FLAGS("--max-con", "5")));
    CHECK_STR("flag --bin: there is no such flag; did you mean --bind?\n",
              REFUSED(FLAGS("--bin=127.0.0.1:1")));
    CHECK_STR("flag --wholly-unknown: there is no such flag; --help lists them\n",
              REFUSED(FLAGS("--wholly-unknown")));
    CHECK_STR("flag \"--\\u001b[2J\": there is no such flag; --help lists them\n",
              REFUSED(FLAGS("--\x1b[2J")));
}

TEST_PLAIN(a_flag_without_its_value_says_what_it_needs)
{
    CHECK_STR("flag --max-conns: it needs a value: an integer from 1 to 5000\n",
              REFUSED(FLAGS("--max-conns")));
    CHECK_STR("flag --mode: it needs a value: off or hybrid\n",
              REFUSED(FLAGS("--mode", "--on")));
}

TEST_PLAIN(an_argument_that_is_no_flag_is_refused)
{
    CHECK_STR("argument \"start\": only flags can stand here\n", REFUSED(FLAGS("start")));
    CHECK_STR("argument \"-x\": only flags can stand here\n", REFUSED(FLAGS("-x")));
    CHECK_STR("argument \"--\": only flags can stand here\n", REFUSED(FLAGS("--")));
}

TEST_PLAIN(the_callers_own_switches_are_flags_too)
{
    bool json = false, keep = false;
    const struct wr_conf_switch switches[] = {
        { "--json", &json, "JSON." }, { "--keep", &keep, "Keep." }, { 0 },
    };
    struct rig rig = { FLAGS("--json", "--max-conns", "5") };
    struct wr_conf_source source = rig_source(&rig);
    source.switches = switches;
    struct wr_conf *conf = NULL;
    struct wr_conf_report report = { 0 };
    CHECK_OK(wr_conf_load(&conf, &source, &report));
    CHECK(json && !keep);
    wr_conf_unref(conf);

    struct rig wrong = { FLAGS("--jsn") };
    source = rig_source(&wrong);
    source.switches = switches;
    CHECK_ERR(WR_INVALID, wr_conf_load(&conf, &source, &report));
    CHECK_STR("flag --jsn: there is no such flag; did you mean --json?\n", report.text.at);
    wr_conf_report_free(&report);
}
