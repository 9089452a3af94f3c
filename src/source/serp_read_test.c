#include "source/serp_read.h"

#include "testing/test.h"

static struct wr_arena arena = { .max = 4 << 20 };
static struct serp_found found;
static struct source_question question = { .by = SOURCE_BY_TITLE, .text = "rivers" };
static struct source_reading reading;

static wr_err read_status(unsigned status, const char *bytes)
{
    wr_arena_free(&arena);
    found = (struct serp_found){ 0 };
    reading = (struct source_reading){ .driver = &source_web_search, .arena = &arena,
                                       .question = &question };
    return serp_read(&found, &reading, &(struct source_reply){
        .status = status, .bytes = bytes, .len = strlen(bytes) });
}

static wr_err read_it(const char *bytes)
{
    return read_status(200, bytes);
}

TEST_PLAIN(results_are_read_in_their_order_with_all_they_have)
{
    CHECK_OK(read_it("{\"query\":\"rivers\",\"number_of_results\":0,\"results\":["
                     "{\"url\":\"https://a.example/x?a=1&amp=2\","
                     "\"title\":\"Quiet <b>Rivers</b>\","
                     "\"content\":\"They are &quot;quiet&quot;.\",\"engine\":\"mojeek\","
                     "\"engines\":[\"mojeek\",\"google\",\"wikipedia\",7],\"score\":2.0,"
                     "\"publishedDate\":\"2021-03-04T00:00:00\"},"
                     "{\"url\":\"http://b.example/\",\"title\":\"Two\","
                     "\"engines\":[\"bing\"]}],"
                     "\"unresponsive_engines\":[]}"));
    REQUIRE(found.count == 2);
    const struct serp_result *one = &found.results[0], *two = &found.results[1];
    CHECK_STR("https://a.example/x?a=1&amp=2", one->url);       /* as it is */
    CHECK_STR("Quiet Rivers", one->title);
    CHECK_STR("They are \"quiet\".", one->snippet);
    CHECK_STR("2021-03-04T00:00:00", one->date);
    CHECK_STR("mojeek", one->engine);
    CHECK_EQ(SERP_BIT(SERP_MOJEEK) | SERP_BIT(SERP_GOOGLE), one->engines);
    CHECK_EQ(1, one->rank);
    CHECK_STR("bing", two->engine);
    CHECK(!two->snippet && !two->date);
    CHECK_EQ(2, two->rank);
    CHECK_EQ(0, found.trouble_count);
}

TEST_PLAIN(troubles_of_engines_are_of_a_kind)
{
    static const struct { const char *text; enum serp_kind kind; } cases[] = {
        { "CAPTCHA required", SERP_CAPTCHA },
        { "Suspended: CAPTCHA", SERP_CAPTCHA },
        { "access denied", SERP_BLOCKED },
        { "Suspended: access denied", SERP_BLOCKED },
        { "too many requests", SERP_BLOCKED },
        { "timeout", SERP_TIMEOUT },
        { "HTTP timeout", SERP_TIMEOUT },
        { "unexpected crash IndexError", SERP_OTHER },
        { "", SERP_OTHER },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        CHECK_EQ(cases[i].kind, serp_read_kind(cases[i].text));
    CHECK_OK(read_it("{\"results\":[],\"unresponsive_engines\":["
                     "[\"google\",\"CAPTCHA required\"],[\"wikipedia\",\"timeout\"],"
                     "[\"brave\",null],[\"bing\"],\"mojeek\",[],[7,8],"
                     "[\"google\",\"timeout\"]]}"));
    REQUIRE(found.trouble_count == 3);
    CHECK_EQ(SERP_GOOGLE, found.troubles[0].engine);
    CHECK_EQ(SERP_CAPTCHA, found.troubles[0].kind);
    CHECK_STR("CAPTCHA required", found.troubles[0].text);
    CHECK_EQ(SERP_BRAVE, found.troubles[1].engine);
    CHECK_STR("it does not say why", found.troubles[1].text);
    CHECK_EQ(SERP_BING, found.troubles[2].engine);
    CHECK_EQ(SERP_OTHER, found.troubles[2].kind);
}

TEST_PLAIN(what_is_no_page_is_no_result)
{
    CHECK_OK(read_it("{\"results\":[{\"url\":\"javascript:alert(1)\",\"title\":\"x\"},"
                     "{\"url\":\"ftp://a.example/\",\"title\":\"x\"},{\"title\":\"x\"},"
                     "{\"url\":\"https://a.example/\"},{\"url\":7,\"title\":\"x\"},"
                     "{\"url\":\"https://a.example/\\r\\nHost: b\",\"title\":\"x\"},"
                     "{\"url\":\"https://a.example/ b\",\"title\":\"x\"},null,[],\"x\","
                     "{\"url\":\"https://a.example/\",\"title\":\"One\"},"
                     "{\"url\":\"https://a.example/\",\"title\":\"Again\"}]}"));
    REQUIRE(found.count == 1);
    CHECK_STR("One", found.results[0].title);
    CHECK_EQ(1, found.results[0].rank);
}

TEST_PLAIN(there_are_never_more_results_than_there_may_be)
{
    struct wr_text text = wr_text_heap(1 << 20);
    wr_text_str(&text, "{\"results\":[");
    for (int i = 0; i < 150; i++)
        wr_text_format(&text, "%s{\"url\":\"https://a.example/%d\",\"title\":\"x\"}",
                       i ? "," : "", i);
    wr_text_str(&text, "]}");
    CHECK_OK(read_it(text.at));
    CHECK_EQ(SERP_RESULTS_MAX, found.count);
    wr_text_free(&text);
}

TEST_PLAIN(what_is_no_answer_of_a_search_is_an_error)
{
    static const char *const cases[] = { "", "<html></html>", "{}", "[]", "{\"results\":{}}",
                                         "{\"results\":[" };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        CHECK_ERR(WR_IO, read_it(cases[i]));
        CHECK(strncmp(reading.why, "Web Search: sent ", 17) == 0);
    }
    CHECK_ERR(WR_DENIED, read_status(403, "{}"));
    CHECK_ERR(WR_BUSY, read_status(429, "{}"));
}
