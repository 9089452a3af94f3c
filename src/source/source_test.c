#include "source/source.h"

#include "testing/source_rig.h"

TEST_PLAIN(every_source_has_what_it_takes)
{
    for (size_t i = 0; i < SOURCE_COUNT; i++) {
        const struct source_driver *driver = source_drivers[i];
        REQUIRE(driver->base);
        CHECK(driver->name && driver->slug && driver->request);
        CHECK(strncmp(driver->base, "https://", 8) == 0);
        CHECK(driver->interval > 0 && driver->timeout > 0);
        CHECK(driver->asks && (driver->keyless & ~driver->asks) == 0);
        CHECK((driver->always & ~driver->asks) == 0);
        CHECK((driver->item != NULL) != (driver->read != NULL));
        CHECK(!driver->item || driver->list || driver->single);
        CHECK((driver->key_env != NULL) == (driver->key_header || driver->key_parameter));
        CHECK(driver == source_find(driver->name) && driver == source_find(driver->slug));
        for (size_t k = 0; k < i; k++)
            CHECK(strcmp(driver->slug, source_drivers[k]->slug) != 0);
    }
}

TEST_PLAIN(sources_are_found_in_any_case)
{
    CHECK(source_find("semantic scholar") == &source_semantic_scholar);
    CHECK(source_find("CROSSREF") == &source_crossref);
    CHECK(!source_find("crossre"));
}

static wr_err status_of(enum source_by by, unsigned status)
{
    pose(&source_semantic_scholar, by, "x", NULL);
    return take(status, "{}");
}

TEST_PLAIN(a_status_is_never_mistaken_for_an_answer)
{
    CHECK_ERR(WR_BUSY, status_of(SOURCE_BY_TITLE, 429));
    CHECK_ERR(WR_IO, status_of(SOURCE_BY_TITLE, 503));
    CHECK_ERR(WR_IO, status_of(SOURCE_BY_TITLE, 500));
    CHECK_ERR(WR_IO, status_of(SOURCE_BY_TITLE, 302));
    CHECK_ERR(WR_IO, status_of(SOURCE_BY_TITLE, 404));
    CHECK_STR("Semantic Scholar: answered with HTTP 404", rig_reading.why);
    CHECK_ERR(WR_NOTFOUND, status_of(SOURCE_BY_DOI, 404));
    CHECK_ERR(WR_DENIED, status_of(SOURCE_BY_DOI, 403));
    CHECK_ERR(WR_INVALID, status_of(SOURCE_BY_DOI, 400));
}

TEST_PLAIN(a_503_is_a_refusal_where_the_source_uses_it_so)
{
    pose(&source_arxiv, SOURCE_BY_TITLE, "x", NULL);
    CHECK_ERR(WR_BUSY, take(503, ""));
    pose(&source_crossref, SOURCE_BY_TITLE, "x", NULL);
    CHECK_ERR(WR_IO, take(503, ""));
}

/* Each is wrong in a way of its own; none means that the work is not there. */
static const char *const broken[] = {
    "", "<!DOCTYPE html><html><body>We are down</body></html>", "{\"error\":\"internal\"}",
    "{\"message\":\"ok\"}", "{\"message\":{\"items\":{}}}", "{\"message\":{\"items\":",
    "[]", "null", "42", "\"text\"", "{\"data\":7,\"results\":\"x\",\"docs\":{},\"notes\":null}",
    "<feed", "<?xml version=\"1.0\"?><other/>", "\xff\xfe\x00", "{\"a\":\"\xc3\x28\"}",
};

TEST_PLAIN(what_is_broken_is_an_error_of_every_source)
{
    for (size_t i = 0; i < SOURCE_COUNT; i++)
        for (size_t k = 0; k < sizeof(broken) / sizeof(broken[0]); k++) {
            enum source_by by = (enum source_by)__builtin_ctz(source_drivers[i]->asks);
            pose(source_drivers[i], by, "x", NULL);
            CHECK_ERR(WR_IO, take(200, broken[k]));
            CHECK(strlen(rig_reading.why) > strlen(source_drivers[i]->name));
        }
}

TEST_PLAIN(items_of_the_wrong_type_are_passed_over)
{
    CHECK_STR(
        "Real |  | 0 | - | - | - | - | - | -",
        told(&source_crossref, SOURCE_BY_TITLE, "x",
             "{\"message\":{\"items\":[7,null,[],\"x\",{\"title\":7},{\"title\":[]},{\"title\":"
             "[{}]},"
             "{\"title\":[\"Real\"],\"author\":\"x\",\"DOI\":[],\"issued\":[],\"volume\":1,"
             "\"container-title\":{\"a\":1},\"updated-by\":{\"type\":\"retraction\"}}]}}"));
}

TEST_PLAIN(records_beyond_the_bound_are_left_out)
{
    static char text[4000];
    struct wr_text json = WR_TEXT(text);
    wr_text_str(&json, "{\"message\":{\"items\":[");
    for (int i = 0; i < SOURCE_RECORDS_MAX + 5; i++)
        wr_text_format(&json, "%s{\"title\":[\"T%d\"]}", i ? "," : "", i);
    wr_text_str(&json, "]}}");
    pose(&source_crossref, SOURCE_BY_TITLE, "x", NULL);
    CHECK_OK(take(200, text));
    CHECK_EQ(SOURCE_RECORDS_MAX, rig_reading.count);
}

TEST_PLAIN(an_answer_that_is_larger_than_its_arena_is_an_error)
{
    static char text[200000];
    struct wr_text json = WR_TEXT(text);
    struct wr_arena small = WR_ARENA(5000);
    wr_text_str(&json, "{\"message\":{\"items\":[{\"title\":[\"");
    for (int i = 0; i < 6000; i++)
        wr_text_str(&json, "x");
    wr_text_str(&json, "\"]}]}}");
    pose(&source_crossref, SOURCE_BY_TITLE, "x", NULL);
    rig_reading.arena = &small;
    CHECK_ERR(WR_NOMEM, take(200, text));
    wr_arena_free(&small);
}

TEST_PLAIN(a_base_of_ones_own_takes_the_place_of_the_drivers)
{
    char url[SOURCE_URL_MAX];
    struct source_request request = { .url = WR_TEXT(url) };
    pose(&source_dblp, SOURCE_BY_TITLE, "Quiet Rivers Deep", NULL);
    CHECK_OK(source_request_write(&rig_reading, "http://127.0.0.1:9", &request));
    CHECK_STR("http://127.0.0.1:9/search/publ/api?q=Quiet%20Rivers%20Deep&format=json&"
              "h=10", url);
}

TEST_PLAIN(a_question_that_is_too_long_is_refused)
{
    static char long_doi[SOURCE_URL_MAX + 10], url[SOURCE_URL_MAX];
    struct source_request request = { .url = WR_TEXT(url) };
    memset(long_doi, 'x', sizeof(long_doi) - 1);
    pose(&source_doi, SOURCE_BY_DOI, long_doi, NULL);
    CHECK_ERR(WR_INVALID, source_request_write(&rig_reading, NULL, &request));
}
