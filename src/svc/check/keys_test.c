/* keys_test.c - what can be configured of checking references. */
#include "svc/check/keys.h"

#include "testing/test.h"

static const struct wr_conf_table *const tables[] = { &check_keys, NULL };

static wr_err load(struct wr_conf **ret, const char *flag, struct wr_conf_report *report)
{
    char *argv[] = { (char *)"weir", (char *)flag, NULL };
    return wr_conf_load(ret, &(struct wr_conf_source){ .tables = tables, .argc = flag ? 2 : 1,
                                                       .argv = argv }, report);
}

TEST_PLAIN(check_can_be_used_without_any_configuration)
{
    struct wr_conf *conf;
    struct wr_conf_report report = { 0 };
    REQUIRE_OK(load(&conf, NULL, &report));
    CHECK_EQ(4, wr_conf_int(conf, "check.workers"));
    CHECK_EQ(WR_S(120), wr_conf_duration(conf, "check.reference_timeout"));
    CHECK(!wr_conf_bool(conf, "check.offline"));
    wr_conf_unref(conf);
    wr_conf_report_free(&report);
}
