/* env_test.c - tests of env.c. */
#include "testing/conf_rig.h"

TEST_PLAIN(a_variable_is_named_after_its_key)
{
    struct wr_conf *conf = LOAD(ENV("WEIR_IO_TIMEOUT=9s"));
    CHECK_EQ(WR_S(9), wr_conf_duration(conf, "io.timeout"));
    CHECK_STR("environment WEIR_IO_TIMEOUT", wr_conf_origin(conf, "io.timeout"));
    wr_conf_unref(conf);
}

TEST_PLAIN(a_variable_has_other_names_and_the_first_counts)
{
    struct wr_conf *conf = LOAD(ENV("RON_MAX_CONNS=6"));
    CHECK_EQ(6, wr_conf_int(conf, "max_conns"));
    CHECK_STR("environment RON_MAX_CONNS", wr_conf_origin(conf, "max_conns"));
    wr_conf_unref(conf);
    conf = LOAD(ENV("MACRO_MAX_CONNS=5", "RON_MAX_CONNS=6", "WEIR_MAX_CONNS=7"));
    CHECK_EQ(7, wr_conf_int(conf, "max_conns"));
    wr_conf_unref(conf);
}

TEST_PLAIN(a_deprecated_variable_works_and_is_warned_about)
{
    CHECK_STR("warning: environment MACRO_MAX_CONNS: it is deprecated; use WEIR_MAX_CONNS\n",
              WARNED(ENV("MACRO_MAX_CONNS=6")));
    CHECK_STR("warning: environment MACRO_MAX_CONNS: it is deprecated; use WEIR_MAX_CONNS\n"
              "environment MACRO_MAX_CONNS: max_conns = \"0\": it must be an integer from 1 to "
              "5000\n", REFUSED(ENV("MACRO_MAX_CONNS=0")));
}

TEST_PLAIN(an_empty_variable_is_none)
{
    struct wr_conf *conf = LOAD(ENV("WEIR_MAX_CONNS=", "RON_MAX_CONNS=6"));
    CHECK_EQ(6, wr_conf_int(conf, "max_conns"));
    wr_conf_unref(conf);
}

TEST_PLAIN(a_variable_that_only_begins_like_ours_is_another)
{
    struct wr_conf *conf = LOAD(ENV("RON_MAX_CONNS_X=6", "RON_MAX_CONN=6", "RON_MAX_CONNS"));
    CHECK_EQ(1024, wr_conf_int(conf, "max_conns"));
    wr_conf_unref(conf);
}

TEST_PLAIN(a_variable_that_is_nearly_one_of_ours_is_refused_with_its_right_name)
{
    CHECK_STR("environment WEIR_MAX_CON: there is no such key; did you mean WEIR_MAX_CONNS?\n",
              REFUSED(ENV("WEIR_MAX_CON=6")));
}

TEST_PLAIN(switches_of_the_seeds_that_would_make_it_lie_are_said_not_to_be_honoured)
{
    CHECK_STR("warning: environment MACRONODE_DEV_READY: it is not honoured; readiness is told "
              "as it is: each part is probed\n", WARNED(ENV("MACRONODE_DEV_READY=1")));
    CHECK_STR("warning: environment MACRONODE_DEV_INSECURE: it is not honoured; on loopback no "
              "token is needed, and elsewhere one always is\n",
              WARNED(ENV("MACRONODE_DEV_INSECURE=1")));
    CHECK_STR("", WARNED(ENV("MACRONODE_DEV_READY=")));
}

TEST_PLAIN(another_variable_that_begins_like_ours_is_warned_about)
{
    CHECK_STR("warning: environment WEIR_COLOR: there is no such key\n",
              WARNED(ENV("WEIR_COLOR=red")));
}

TEST_PLAIN(variables_of_the_runtime_and_the_tests_are_let_be)
{
    struct wr_conf *conf = LOAD(ENV("WEIR_LOG=debug", "WEIR_TEST_SLOW=2"));
    wr_conf_unref(conf);
}
