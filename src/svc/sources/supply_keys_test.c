/* supply_keys_test.c - what can be configured of sources. */
#include "svc/sources/supply_keys.h"

#include "testing/test.h"

static const struct wr_conf_table *const tables[] = { &supply_keys, NULL };

static wr_err load(struct wr_conf **ret, const char *flag, struct wr_conf_report *report)
{
    char *argv[] = { (char *)"weir", (char *)flag, NULL };
    return wr_conf_load(ret, &(struct wr_conf_source){ .tables = tables, .argc = flag ? 2 : 1,
                                                       .argv = argv }, report);
}

TEST_PLAIN(sources_go_by_their_names)
{
    static const char *const right[] = { "--check-without=crossref,dblp",
                                         "--check-without=web_search",
                                         "--check-bases=arxiv=http://127.0.0.1:9000" };
    for (size_t i = 0; i < 3; i++) {
        struct wr_conf *conf;
        struct wr_conf_report report = { 0 };
        if (CHECK_OK(load(&conf, right[i], &report)))
            wr_conf_unref(conf);
        wr_conf_report_free(&report);
    }
}

TEST_PLAIN(a_source_that_there_is_not_is_refused_by_name)
{
    static const char *const wrong[][2] = {
        { "--check-without=scopus", "there is no source \"scopus\"" },
        { "--check-bases=arxiv", "\"arxiv\" has no address" },
        { "--check-bases=scopus=http://127.0.0.1", "there is no source \"scopus=" },
    };
    for (size_t i = 0; i < 3; i++) {
        struct wr_conf *conf;
        struct wr_conf_report report = { 0 };
        CHECK_ERR(WR_INVALID, load(&conf, wrong[i][0], &report));
        CHECK(strstr(report.text.at, wrong[i][1]));
        wr_conf_report_free(&report);
    }
}
