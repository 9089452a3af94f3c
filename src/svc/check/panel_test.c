/* panel_test.c - everybody who can be asked about a work, as the configuration has it. */
#include "svc/check/panel.h"

#include "svc/check/keys.h"
#include "testing/library_rig.h"
#include "testing/test.h"

static const struct wr_conf_table *const tables[] = { &check_keys, NULL };

static struct wr_conf *load(const char *first, const char *second)
{
    struct wr_conf *conf = NULL;
    struct wr_conf_report report = { 0 };
    char *argv[] = { (char *)"weir", (char *)first, (char *)second, NULL };
    CHECK_OK(wr_conf_load(&conf, &(struct wr_conf_source){
        .tables = tables, .argc = second ? 3 : first ? 2 : 1, .argv = argv }, &report));
    wr_conf_report_free(&report);
    return conf;
}

static struct check_panel panel;
static char why[CHECK_WHY_MAX];

TEST(offline_there_are_libraries_and_no_sources)
{
    struct wr_conf *conf = load("--check-offline", NULL);
    REQUIRE_OK(check_panel_open(&panel, &(struct check_panel_conf){ .conf = conf }, why));
    CHECK_EQ(1, panel.library_count);
    CHECK_STR("sample", panel.views[0].name);
    CHECK(!panel.sources && panel.engine);
    check_panel_close(&panel);
    wr_conf_unref(conf);
}

TEST(libraries_that_are_named_can_stand_alone)
{
    struct library_rig rig;
    struct wr_conf *conf = load("--check-offline", NULL);
    library_rig_open(&rig);
    rig_add_title(&rig, "Some title");
    rig_finish(&rig);
    const char *paths[] = { rig.path };
    REQUIRE_OK(check_panel_open(&panel, &(struct check_panel_conf){
        .conf = conf, .libraries = paths, .library_count = 1, .alone = true }, why));
    CHECK_EQ(1, panel.library_count);
    CHECK_STR("Rig", panel.views[0].name);
    check_panel_close(&panel);
    library_rig_close(&rig);
    wr_conf_unref(conf);
}

TEST(a_library_that_is_not_there_is_said)
{
    struct wr_conf *conf = load("--check-libraries=/nowhere/at.all", "--check-offline");
    CHECK_ERR(WR_NOTFOUND, check_panel_open(&panel, &(struct check_panel_conf){ .conf = conf },
                                            why));
    CHECK(strstr(why, "/nowhere/at.all"));
    wr_conf_unref(conf);
}

TEST(sources_are_asked_unless_it_is_offline)
{
    static const char *const flags[] = { "--check-sample=false", "--check-offline" };
    struct sources *sources;
    REQUIRE_OK(sources_open(&sources, &(struct sources_conf){ .plain = true }));
    for (size_t i = 0; i < 2; i++) {
        struct wr_conf *conf = load(flags[i], NULL);
        REQUIRE_OK(check_panel_open(&panel, &(struct check_panel_conf){
            .conf = conf, .sources = sources }, why));
        CHECK(panel.sources == (i ? NULL : sources));
        CHECK_EQ(i == 0, panel.inside != panel.engine);
        check_panel_close(&panel);
        wr_conf_unref(conf);
    }
    sources_close(sources, WR_NOW);
}
