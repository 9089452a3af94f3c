#include "testing/source_rig.h"

#define TITLE "Quiet Rivers: Deep Water (RFC 9999)"

static const char *query(unsigned step)
{
    static char url[SOURCE_URL_MAX];
    struct source_request request = { .url = WR_TEXT(url) };
    rig_reading.step = step;
    CHECK_OK(source_request_write(&rig_reading, "http://s", &request));
    return url;
}

TEST_PLAIN(the_web_is_searched_for_the_title_then_its_words_then_its_number)
{
    pose(&source_web_search, SOURCE_BY_TITLE, TITLE, NULL);
    CHECK_STR("http://s/search?q=%22Quiet%20Rivers%20Deep%20Water%20%28RFC%209999%29%22&format="
              "json", query(0));
    CHECK_STR("http://s/search?q=Quiet%20Rivers%20Deep%20Water%20RFC%209999&format=json",
              query(1));
    CHECK_STR("http://s/search?q=RFC%209999&format=json", query(2));
}

TEST_PLAIN(the_web_search_goes_on_until_a_page_has_the_title)
{
    pose(&source_web_search, SOURCE_BY_TITLE, TITLE, NULL);
    CHECK_OK(take(200, "{\"results\":[{\"title\":\"Rivers\",\"url\":\"u\"}]}"));
    CHECK(rig_reading.next && rig_reading.count == 0);
    rig_reading.step = 1;
    CHECK_OK(take(200, "{\"results\":[]}"));
    CHECK(rig_reading.next);
    rig_reading.step = 2;
    CHECK_ERR(WR_NOTFOUND, take(200, "{\"results\":[]}"));
    CHECK(!rig_reading.next);
    pose(&source_web_search, SOURCE_BY_TITLE, "Quiet Rivers", NULL);
    rig_reading.step = 1;
    CHECK_ERR(WR_NOTFOUND, take(200, "{\"results\":[]}"));
}

TEST_PLAIN(a_web_search_whose_engines_do_not_answer_has_not_searched)
{
    pose(&source_web_search, SOURCE_BY_TITLE, TITLE, NULL);
    CHECK_ERR(WR_IO, take(200, "{\"results\":[],\"unresponsive_engines\":[[\"a\",\"b\"]]}"));
    CHECK_OK(take(200, "{\"results\":[],\"unresponsive_engines\":[]}"));
    CHECK_OK(take(200, "{\"results\":[{\"title\":\"Rivers\",\"url\":\"u\"}],"
                       "\"unresponsive_engines\":[[\"a\",\"b\"]]}"));
}

TEST_PLAIN(pages_whose_titles_match_leniently_are_found)
{
    pose(&source_web_search, SOURCE_BY_TITLE, "Quiet Rivers of the North", NULL);
    CHECK_OK(take(200, "{\"results\":[{\"title\":\"[PDF] quiet rivers of the north - A Blog\","
                       "\"url\":\"https://a.example/1\"},{\"title\":\"Quiet Rivers of North\","
                       "\"url\":\"https://a.example/2\"},{\"title\":\"Quiet\"},"
                       "{\"title\":7},7]}"));
    CHECK_EQ(2, rig_reading.count);
    CHECK(!rig_reading.next);
    CHECK_STR("https://a.example/2", rig_reading.records[1].work.urls[0]);
    CHECK_STR("Web Search", rig_reading.records[0].source);
    CHECK_EQ(0, rig_reading.records[0].work.author_count);
}

TEST_PLAIN(a_search_engine_that_is_not_configured_cannot_be_asked)
{
    char url[SOURCE_URL_MAX];
    struct source_request request = { .url = WR_TEXT(url) };
    pose(&source_web_search, SOURCE_BY_TITLE, "x", NULL);
    CHECK_ERR(WR_INVALID, source_request_write(&rig_reading, NULL, &request));
}
