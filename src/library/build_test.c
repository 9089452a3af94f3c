/* build_test.c - tests of build.c: from a file to a library. */
#include "library/build.h"

#include "testing/library_rig.h"

struct site {
    struct library_rig rig;
    char input[128];
    struct library_report report;
    struct library_why why;
    unsigned stop_after;            /* blocks; 0: never */
};

static void site_open(struct site *site)
{
    *site = (struct site){ .rig.folder = "/tmp/weir-build-XXXXXX" };
    CHECK(mkdtemp(site->rig.folder));
    snprintf(site->rig.path, sizeof(site->rig.path), "%s/toys.lib", site->rig.folder);
    snprintf(site->input, sizeof(site->input), "%s/input", site->rig.folder);
}

static void site_close(struct site *site)
{
    unlink(site->input);
    library_rig_close(&site->rig);
}

/* So many records of Crossref, a line each. */
static void put_lines(const struct site *site, unsigned count)
{
    FILE *file = fopen(site->input, "w");
    for (unsigned i = 0; i < count; i++)
        fprintf(file, "{\"DOI\":\"10.1000/%u\",\"title\":[\"Toy number %u of many\"],"
                "\"container-title\":[\"V%u\"]}\n", i, i, i % 7);
    fclose(file);
}

static bool stop(void *to, const struct library_progress *progress)
{
    struct site *site = to;
    CHECK(progress->done <= progress->size);
    return site->stop_after == 0 || --site->stop_after > 0;
}

static wr_err build(struct site *site, const char *kind)
{
    const char *const paths[] = { site->input };
    struct library_build plan = { .kind = kind, .paths = paths, .path_count = 1,
                                  .out = site->rig.path, .save_every = 1, .tell = stop,
                                  .to = site };
    return library_build(&plan, &site->report, &site->why);
}

static void open_result(struct site *site)
{
    CHECK_OK(library_open(&site->rig.lib, site->rig.path, &site->why));
}

TEST_PLAIN(a_file_becomes_a_library_with_the_name_of_its_kind)
{
    struct site site;
    site_open(&site);
    put_lines(&site, 100);
    REQUIRE_OK(build(&site, "crossref"));
    CHECK_EQ(100, site.report.records);
    CHECK_EQ(0, site.report.faults + site.report.resumed);
    open_result(&site);
    CHECK_STR("Crossref", library_info(site.rig.lib).name);
    CHECK_STR("crossref", library_info(site.rig.lib).kind);
    CHECK_EQ(100, library_info(site.rig.lib).records);
    site_close(&site);
}

TEST_PLAIN(a_kind_without_a_name_takes_that_of_the_file_which_is_made)
{
    struct site site;
    site_open(&site);
    FILE *file = fopen(site.input, "w");
    fputs("{\"title\":\"A toy\",\"year\":1999}\n", file);
    fclose(file);
    REQUIRE_OK(build(&site, "jsonl"));
    open_result(&site);
    CHECK_STR("toys", library_info(site.rig.lib).name);
    site_close(&site);
}

TEST_PLAIN(a_build_that_was_stopped_goes_on_and_makes_the_same)
{
    struct site whole, parts;
    site_open(&whole);
    put_lines(&whole, 30000);
    REQUIRE_OK(build(&whole, "crossref"));
    open_result(&whole);
    site_open(&parts);
    put_lines(&parts, 30000);
    parts.stop_after = 4;
    CHECK_ERR(WR_CANCELED, build(&parts, "crossref"));
    CHECK(strstr(parts.why.text, "goes on there") != NULL);
    REQUIRE_OK(build(&parts, "crossref"));
    CHECK(parts.report.resumed > 1000 && parts.report.resumed < 30000);
    CHECK_EQ(30000, parts.report.records);
    open_result(&parts);
    CHECK_STR(library_info(whole.rig.lib).version, library_info(parts.rig.lib).version);
    site_close(&whole);
    site_close(&parts);
}

TEST_PLAIN(faults_are_counted_and_the_first_are_named_with_their_lines)
{
    struct site site;
    site_open(&site);
    FILE *file = fopen(site.input, "w");
    for (unsigned i = 1; i <= 20; i++)
        fprintf(file, i % 2 ? "{\"title\":[\"Fine %u\"]}\n" : "{broken %u\n", i);
    fclose(file);
    REQUIRE_OK(build(&site, "crossref"));
    CHECK_EQ(10, site.report.records);
    CHECK_EQ(10, site.report.faults);
    CHECK_EQ(2, site.report.shown[0].line);
    CHECK_EQ(10, site.report.shown[4].line);
    CHECK(site.report.shown[0].what[0]);
    CHECK(strstr(site.report.shown[0].member, "input") != NULL);
    site_close(&site);
}

TEST_PLAIN(a_file_of_another_kind_is_refused_and_leaves_nothing_behind)
{
    struct site site;
    site_open(&site);
    put_lines(&site, 3);
    CHECK_ERR(WR_INVALID, build(&site, "dblp"));
    CHECK(strstr(site.why.text, "dblp reads dblp.xml") != NULL);
    CHECK_ERR(WR_INVALID, build(&site, "retractionwatch"));
    CHECK_ERR(WR_INVALID, build(&site, "bib"));
    CHECK(strstr(site.why.text, "there is no record in it") != NULL);
    CHECK_ERR(WR_INVALID, build(&site, "nothing"));
    CHECK(strstr(site.why.text, "there is no kind \"nothing\"") != NULL);
    unlink(site.input);
    CHECK_ERR(WR_NOTFOUND, build(&site, "dblp"));
    site_close(&site);
}
