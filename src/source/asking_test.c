#include "source/asking.h"

#include "testing/catalogue_rig.h"
#include "testing/source_rig.h"

#define NONE "{\"result\":{\"hits\":{\"@total\":\"0\"}}}"
#define ONE "{\"result\":{\"hits\":{\"hit\":[{\"info\":{\"title\":\"Quiet Rivers.\"}}]}}}"

/* A catalogue, and what it takes to ask it. */
struct setting {
    struct catalogue catalogue;
    struct wr_limiter *limiter;
    struct asking asking;
};

static void begin(struct setting *setting, const struct source_driver *driver)
{
    catalogue_open(&setting->catalogue);
    CHECK_OK(wr_limiter_new(&setting->limiter, &(struct wr_limiter_conf){
        .name = "test", .interval = WR_S(1), .guard = 1 }));
    setting->asking.driver = driver;
    setting->asking.base = setting->catalogue.base;
    setting->asking.client = catalogue_client();
    setting->asking.limiter = setting->limiter;
}

static void end(struct setting *setting)
{
    wr_fetch_client_close(setting->asking.client, WR_NOW);
    wr_limiter_free(setting->limiter);
    catalogue_close(&setting->catalogue);
    wr_arena_free(&rig_arena);
}

static wr_err ask(struct setting *setting, enum source_by by, const char *text)
{
    pose(setting->asking.driver, by, text, NULL);
    return asking_run(&setting->asking, &rig_reading, wr_after(WR_S(60)));
}

TEST(a_question_is_asked_and_its_answer_read)
{
    static struct setting setting = { .catalogue.body = ONE };
    begin(&setting, &source_dblp);
    CHECK_OK(ask(&setting, SOURCE_BY_TITLE, "Quiet Rivers Deep"));
    CHECK_EQ(1, rig_reading.count);
    CHECK_STR("Quiet Rivers", rig_reading.records[0].work.title);
    CHECK_EQ(1, setting.asking.requests);
    CHECK(strstr(setting.catalogue.heads[0],
                 "GET /search/publ/api?q=Quiet%20Rivers%20Deep&format=json&h=10 HTTP/1.1\r\n"));
    end(&setting);
}

TEST(a_refusal_is_waited_out_and_asked_once_more)
{
    static struct setting setting = {
        .catalogue = { .script = { { .status = 429, .headers = "Retry-After: 7\r\n" } },
                       .scripted = 1, .body = ONE } };
    begin(&setting, &source_dblp);
    CHECK_OK(ask(&setting, SOURCE_BY_TITLE, "x"));
    CHECK_EQ(2, setting.catalogue.asked);
    CHECK_EQ(WR_S(7), setting.catalogue.at[1] - setting.catalogue.at[0]);
    CHECK_EQ(2, wr_limiter_stat(setting.limiter).factor);
    end(&setting);
}

TEST(who_is_refused_twice_gives_up_and_it_is_no_answer)
{
    static struct setting setting = {
        .catalogue = { .script = { { .status = 429 }, { .status = 429 } }, .scripted = 2,
                       .body = NONE } };
    begin(&setting, &source_dblp);
    CHECK_ERR(WR_BUSY, ask(&setting, SOURCE_BY_TITLE, "x"));
    CHECK_EQ(2, setting.catalogue.asked);
    CHECK_STR("DBLP: was asked too often (HTTP 429)", rig_reading.why);
    CHECK_EQ(4, wr_limiter_stat(setting.limiter).factor);
    end(&setting);
}

TEST(a_refusal_without_time_for_another_try_is_a_refusal)
{
    static struct setting setting = {
        .catalogue = { .script = { { .status = 429, .headers = "Retry-After: 100\r\n" } },
                       .scripted = 1, .body = ONE } };
    begin(&setting, &source_dblp);
    wr_time begun = wr_now();
    CHECK_ERR(WR_BUSY, ask(&setting, SOURCE_BY_TITLE, "x"));
    CHECK(wr_now() - begun < WR_S(1));
    end(&setting);
}

TEST(each_request_of_a_question_takes_a_turn)
{
    static struct setting setting = {
        .catalogue = { .script = { { .body = "{\"esearchresult\":{\"idlist\":[\"7\"]}}" },
                                   { .body = "{\"result\":{\"uids\":[\"7\"],"
                                             "\"7\":{\"title\":\"Quiet Rivers.\"}}}" } },
                       .scripted = 2 } };
    begin(&setting, &source_pubmed);
    CHECK_OK(ask(&setting, SOURCE_BY_TITLE, "x"));
    CHECK_EQ(1, rig_reading.count);
    CHECK_EQ(2, setting.asking.requests);
    CHECK_EQ(WR_S(1) + 1, setting.catalogue.at[1] - setting.catalogue.at[0]);
    end(&setting);
}

TEST(a_refusal_of_the_second_request_is_waited_out_too)
{
    static struct setting setting = {
        .catalogue = { .script = { { .body = "{\"esearchresult\":{\"idlist\":[\"7\"]}}" },
                                   { .status = 429, .headers = "Retry-After: 4\r\n" },
                                   { .body = "{\"result\":{\"uids\":[\"7\"],"
                                             "\"7\":{\"title\":\"Quiet Rivers.\"}}}" } },
                       .scripted = 3 } };
    begin(&setting, &source_pubmed);
    CHECK_OK(ask(&setting, SOURCE_BY_TITLE, "x"));
    CHECK_EQ(1, rig_reading.count);
    CHECK_EQ(3, setting.catalogue.asked);
    CHECK(strstr(setting.catalogue.heads[2], "esummary.fcgi?db=pubmed&id=7&"));
    end(&setting);
}

TEST(a_source_that_does_not_answer_in_time_says_nothing)
{
    static struct setting setting = { .catalogue = { .delay = WR_S(30), .body = NONE } };
    begin(&setting, &source_dblp);
    wr_time begun = wr_now();
    CHECK_ERR(WR_TIMEOUT, ask(&setting, SOURCE_BY_TITLE, "x"));
    CHECK_EQ(WR_S(10), wr_now() - begun);
    CHECK_EQ(WR_S(10), setting.asking.took);
    CHECK(strstr(rig_reading.why, "deadline passed"));
    end(&setting);
}

TEST(who_is_patient_waits_longer)
{
    static struct setting setting = { .catalogue = { .delay = WR_S(15), .body = ONE } };
    begin(&setting, &source_dblp);
    setting.asking.timeout = WR_S(20);
    CHECK_OK(ask(&setting, SOURCE_BY_TITLE, "x"));
    CHECK_EQ(WR_S(15), setting.asking.took);
    end(&setting);
}

TEST(a_turn_that_would_come_too_late_is_not_waited_for)
{
    static struct setting setting = { .catalogue.body = ONE };
    begin(&setting, &source_dblp);
    wr_limiter_refused(setting.limiter, wr_now(), WR_S(100));
    wr_time begun = wr_now();
    CHECK_ERR(WR_TIMEOUT, ask(&setting, SOURCE_BY_TITLE, "x"));
    CHECK_EQ(begun, wr_now());
    CHECK_EQ(0, setting.catalogue.asked);
    CHECK_STR("DBLP: its limit leaves no turn before the deadline", rig_reading.why);
    end(&setting);
}

static bool never_mind(const void *about)
{
    return *(const bool *)about;
}

TEST(what_nobody_wants_any_more_takes_no_turn)
{
    static struct setting setting = { .catalogue.body = ONE };
    bool enough = true;
    begin(&setting, &source_dblp);
    setting.asking.unwanted = never_mind;
    setting.asking.about = &enough;
    CHECK_ERR(WR_CANCELED, ask(&setting, SOURCE_BY_TITLE, "x"));
    CHECK_EQ(0, wr_limiter_stat(setting.limiter).turns);
    CHECK_EQ(0, setting.catalogue.asked);
    end(&setting);
}

TEST(an_answer_that_breaks_off_is_no_answer)
{
    static struct setting setting = {
        .catalogue = { .script = { { .body = NONE, .broken_off = true } }, .scripted = 1 } };
    begin(&setting, &source_dblp);
    CHECK_ERR(WR_IO, ask(&setting, SOURCE_BY_TITLE, "x"));
    end(&setting);
}

TEST(who_cannot_be_reached_does_not_say_that_there_is_nothing)
{
    static struct setting setting;
    begin(&setting, &source_doi);
    setting.asking.base = "http://127.0.0.1:1";
    CHECK_ERR(WR_IO, ask(&setting, SOURCE_BY_DOI, "10.1000/x"));
    setting.asking.base = "http://nobody.invalid";
    wr_err err = ask(&setting, SOURCE_BY_DOI, "10.1000/x");
    CHECK(err && err != WR_NOTFOUND);
    end(&setting);
}

static struct wr_secret *secret(void)
{
    char bytes[] = "hush-hush";
    struct wr_secret *key = NULL;
    CHECK_OK(wr_secret_new(&key, bytes, strlen(bytes)));
    return key;
}

TEST(a_key_goes_where_the_source_wants_it)
{
    static struct setting header = { .catalogue.body = "{\"total\":0}" },
                          query = { .catalogue.body = "{\"results\":[]}" };
    header.asking.key = query.asking.key = secret();
    begin(&header, &source_semantic_scholar);
    CHECK_ERR(WR_NOTFOUND, ask(&header, SOURCE_BY_TITLE, "x"));
    CHECK(strcasestr(header.catalogue.heads[0], "x-api-key: hush-hush\r\n"));
    end(&header);
    begin(&query, &source_openalex);
    CHECK_ERR(WR_NOTFOUND, ask(&query, SOURCE_BY_TITLE, "x"));
    CHECK(strstr(query.catalogue.heads[0], "&api_key=hush-hush HTTP/1.1\r\n"));
    end(&query);
    wr_secret_unref(header.asking.key);
}

TEST(a_key_is_not_told_when_something_goes_wrong)
{
    static struct setting setting = { .catalogue.delay = WR_S(30) };
    setting.asking.key = secret();
    begin(&setting, &source_pubmed);        /* whose addresses are short enough for a message */
    CHECK_ERR(WR_TIMEOUT, ask(&setting, SOURCE_BY_TITLE, "x"));
    CHECK(strstr(setting.catalogue.heads[0], "api_key=hush-hush"));
    CHECK_STR("PubMed: deadline passed", rig_reading.why);
    end(&setting);
    wr_secret_unref(setting.asking.key);
}

TEST(where_to_write_to_is_told_to_who_asks_for_it)
{
    static struct setting setting = {
        .catalogue.body = "{\"message\":{\"total-results\":0,\"items\":[]}}" };
    setting.asking.mailto = "me@a.example";
    begin(&setting, &source_crossref);
    CHECK_ERR(WR_NOTFOUND, ask(&setting, SOURCE_BY_TITLE, "x"));
    CHECK(strstr(setting.catalogue.heads[0], "&mailto=me@a.example HTTP/1.1\r\n"));
    end(&setting);
}

TEST(a_long_answer_is_read_away_from_the_workers)
{
    static char body[3 * ASKING_READ_HERE];
    static struct setting setting = { .catalogue.body = body };
    struct wr_text text = WR_TEXT(body);
    wr_text_str(&text, "{\"result\":{\"hits\":{\"hit\":[{\"info\":{\"title\":\"Q.\",\"x\":\"");
    while (text.len < sizeof(body) - 100)
        wr_text_str(&text, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    wr_text_str(&text, "\"}}]}}}");
    begin(&setting, &source_dblp);
    CHECK_OK(ask(&setting, SOURCE_BY_TITLE, "x"));
    CHECK_STR("Q", rig_reading.records[0].work.title);
    end(&setting);
}

TEST_PLAIN(retry_after_is_seconds_or_a_date)
{
    struct wr_wall now = { 784111777 * WR_S(1) };      /* Sun, 06 Nov 1994 08:49:37 GMT */
    CHECK_EQ(WR_S(120), asking_retry_after("120", now));
    CHECK_EQ(WR_S(23), asking_retry_after("Sun, 06 Nov 1994 08:50:00 GMT", now));
    CHECK_EQ(0, asking_retry_after("Sun, 06 Nov 1994 08:49:00 GMT", now));
    CHECK_EQ(0, asking_retry_after("soon", now));
    CHECK_EQ(0, asking_retry_after("-5", now));
    CHECK_EQ(0, asking_retry_after("", now));
    CHECK_EQ(0, asking_retry_after(NULL, now));
    CHECK_EQ(WR_S(24 * 3600), asking_retry_after("99999999999999999999", now));
}
