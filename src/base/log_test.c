#include <weir/log.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <weir/metric.h>

#include "base/world.h"
#include "testing/test.h"

/* ---- a world whose clock we set and whose complaints we keep ---- */

static wr_time fake_now;
static const char *fake_env;
static char said[64 * 1024];
static size_t said_len;
static int said_count;

static wr_time mono(void)
{
    return fake_now;
}

static int64_t wall(void)
{
    return 981173106123456789;          /* 2001-02-03 04:05:06.123456 */
}

static const char *env(const char *name)
{
    return strcmp(name, "WEIR_LOG") == 0 ? fake_env : NULL;
}

static bool deaf;               /* nobody reads what is said */

static bool complain(const char *text, size_t len)
{
    if (deaf)
        return false;
    said_count++;
    if (len < sizeof(said) - said_len) {
        memcpy(said + said_len, text, len);
        said_len += len;
        said[said_len] = '\0';
    }
    return true;
}

static const struct wr_world fake = {
    .mono = mono, .wall = wall, .env = env, .complain = complain
};

/* Each test is a new hour, so that none lives on another's budget. */
static void begin(const struct wr_log_conf *conf)
{
    wr_world = &fake;
    fake_now += WR_S(3600);
    said_len = 0;
    said[0] = '\0';
    said_count = 0;
    wr_log_configure(conf);
}

static void end(void)
{
    wr_log_configure(&(struct wr_log_conf){ .level = WR_INFO });
    wr_world = &wr_world_os;
}

/* What was said since the last call. */
static const char *heard(void)
{
    static char copy[sizeof(said)];
    memcpy(copy, said, said_len + 1);
    said_len = 0;
    said[0] = '\0';
    return copy;
}

static const struct wr_log_conf logfmt = { .format = WR_LOG_LOGFMT, .level = WR_INFO };
static const struct wr_log_conf json = { .format = WR_LOG_JSON, .level = WR_INFO };

#define TS "ts=2001-02-03T04:05:06.123456Z "
#define JSON_TS "{\"ts\":\"2001-02-03T04:05:06.123456Z\","

/* ---- lines ---- */

TEST_PLAIN(a_line_is_time_level_event_and_fields_in_logfmt)
{
    begin(&logfmt);
    wr_log(WR_WARN, "bus.lagged", WR_F_STR("service", "index"), WR_F_U64("missed", 12));
    CHECK_STR(TS "level=warn event=bus.lagged service=index missed=12\n", heard());
    wr_log(WR_INFO, "node.started");
    CHECK_STR(TS "level=info event=node.started\n", heard());
    CHECK_EQ(2, said_count);
    end();
}

TEST_PLAIN(the_same_line_in_json)
{
    begin(&json);
    wr_log(WR_WARN, "bus.lagged", WR_F_STR("service", "index"), WR_F_U64("missed", 12));
    CHECK_STR(JSON_TS "\"level\":\"warn\",\"event\":\"bus.lagged\",\"service\":\"index\","
                      "\"missed\":12}\n", heard());
    end();
}

static void log_every_kind(void)
{
    wr_log(WR_ERROR, "all", WR_F_STR("str", "two words"), WR_F_STR("none", NULL),
           WR_F_TEXT("text", "abcdef", 3), WR_F_U64("u64", UINT64_MAX), WR_F_I64("i64", -7),
           WR_F_BOOL("yes", true), WR_F_BOOL("no", false), WR_F_MS("latency_ms", WR_US(12345)),
           WR_F_ERR(WR_BUSY));
}

TEST_PLAIN(every_kind_of_field_has_its_form)
{
    begin(&logfmt);
    log_every_kind();
    CHECK_STR(TS "level=error event=all str=\"two words\" none=null text=abc "
                 "u64=18446744073709551615 i64=-7 yes=true no=false latency_ms=12.345 "
                 "err=Busy\n",
              heard());
    begin(&json);
    log_every_kind();
    CHECK_STR(JSON_TS "\"level\":\"error\",\"event\":\"all\",\"str\":\"two words\","
                      "\"none\":null,"
                      "\"text\":\"abc\",\"u64\":18446744073709551615,\"i64\":-7,\"yes\":true,"
                      "\"no\":false,\"latency_ms\":12.345,\"err\":\"Busy\"}\n", heard());
    end();
}

TEST_PLAIN(a_value_cannot_forge_a_line)
{
    begin(&logfmt);
    wr_log(WR_INFO, "got", WR_F_STR("name", "x\nts=0 level=error event=\"fire\""));
    CHECK_STR(TS "level=info event=got name=\"x\\nts=0 level=error event=\\\"fire\\\"\"\n",
              heard());
    begin(&json);
    wr_log(WR_INFO, "got", WR_F_STR("name", "x\"}\n{"));
    CHECK_STR(JSON_TS "\"level\":\"info\",\"event\":\"got\",\"name\":\"x\\\"}\\n{\"}\n",
              heard());
    end();
}

TEST_PLAIN(service_and_version_are_in_every_line_and_a_field_goes_before_the_service)
{
    begin(&(struct wr_log_conf){ .level = WR_INFO, .service = "node", .version = "0.1.0" });
    wr_log(WR_INFO, "up");
    CHECK_STR(TS "level=info service=node version=0.1.0 event=up\n", heard());
    wr_log(WR_INFO, "up", WR_F_STR("service", "index"));
    CHECK_STR(TS "level=info version=0.1.0 event=up service=index\n", heard());
    end();
}

/* ---- levels ---- */

static int evaluated;

static uint64_t count_evaluation(void)
{
    return (uint64_t)++evaluated;
}

TEST_PLAIN(lines_below_the_level_are_not_written_and_their_fields_not_looked_at)
{
    begin(&(struct wr_log_conf){ .level = WR_WARN });
    evaluated = 0;
    wr_log(WR_DEBUG, "a", WR_F_U64("n", count_evaluation()));
    wr_log(WR_INFO, "b", WR_F_U64("n", count_evaluation()));
    CHECK_EQ(0, evaluated);
    CHECK_STR("", heard());
    wr_log(WR_WARN, "c", WR_F_U64("n", count_evaluation()));
    CHECK_EQ(1, evaluated);
    CHECK_STR(TS "level=warn event=c n=1\n", heard());
    wr_log_configure(&(struct wr_log_conf){ .level = WR_DEBUG });
    wr_log(WR_DEBUG, "d");
    CHECK_STR(TS "level=debug event=d\n", heard());
    end();
}

static wr_err from_env(const char *value, struct wr_log_conf *conf)
{
    fake_env = value;
    wr_world = &fake;
    wr_err err = wr_log_conf_env(conf);
    wr_world = &wr_world_os;
    return err;
}

TEST_PLAIN(the_environment_chooses_format_and_level)
{
    struct wr_log_conf conf;
    CHECK_OK(from_env(NULL, &conf));
    CHECK(conf.format == WR_LOG_LOGFMT && conf.level == WR_INFO);
    CHECK_OK(from_env("", &conf));
    CHECK(conf.format == WR_LOG_LOGFMT && conf.level == WR_INFO);
    CHECK_OK(from_env("json", &conf));
    CHECK(conf.format == WR_LOG_JSON && conf.level == WR_INFO);
    CHECK_OK(from_env("debug,json", &conf));
    CHECK(conf.format == WR_LOG_JSON && conf.level == WR_DEBUG);
    CHECK_OK(from_env("logfmt,error", &conf));
    CHECK(conf.format == WR_LOG_LOGFMT && conf.level == WR_ERROR);
}

TEST_PLAIN(a_word_the_log_does_not_know_is_invalid_and_changes_nothing)
{
    struct wr_log_conf conf = { .lines_per_s = 77 };
    CHECK_ERR(WR_INVALID, from_env("jsn", &conf));
    CHECK_ERR(WR_INVALID, from_env("json,loud", &conf));
    CHECK_ERR(WR_INVALID, from_env("json,,warn", &conf));
    CHECK_ERR(WR_INVALID, from_env("JSON", &conf));
    CHECK_EQ(77, conf.lines_per_s);
}

/* ---- long lines ---- */

static const char *log_of_length(size_t len)
{
    static char text[8192];
    memset(text, 'x', sizeof(text));
    wr_log(WR_INFO, "long", WR_F_TEXT("text", text, len), WR_F_U64("number", 1234567890),
           WR_F_BOOL("last", true));
    return heard();
}

TEST_PLAIN(a_line_too_long_is_cut_at_its_text_and_says_so)
{
    begin(&logfmt);
    CHECK(strstr(log_of_length(3800), "x number=1234567890 last=true\n"));
    const char *line = log_of_length(8000);
    CHECK(strlen(line) <= 4096 && strlen(line) > 3900);
    CHECK(strstr(line, "x cut=true\n"));
    CHECK(!strstr(line, "number"));
    begin(&json);
    line = log_of_length(8000);
    CHECK(strlen(line) <= 4096 && strlen(line) > 3900);
    CHECK(strstr(line, "x\",\"cut\":true}\n"));
    end();
}

/* A JSON object of one level, read strictly enough to see a wound. */
static bool is_whole_json(const char *line)
{
    bool quoted = false;
    size_t len = strlen(line);
    if (len < 3 || line[0] != '{' || strcmp(line + len - 2, "}\n") != 0)
        return false;
    for (size_t i = 1; i < len - 2; i++) {
        if (quoted && line[i] == '\\')
            i++;
        else if (line[i] == '"')
            quoted = !quoted;
        else if (!quoted && line[i] == ',' && line[i + 1] != '"')
            return false;
    }
    return !quoted;
}

TEST_PLAIN(wherever_the_cut_falls_the_line_is_whole)
{
    begin(&json);
    for (size_t len = 3700; len < 4200; len++) {
        fake_now += WR_S(1);
        const char *line = log_of_length(len);
        bool complete = strstr(line, "\"number\":1234567890") && strstr(line, "\"last\":true");
        CHECK(is_whole_json(line));
        CHECK(strlen(line) <= 4096);
        CHECK(complete == !strstr(line, "\"cut\":true"));
    }
    end();
}

/* ---- how much ---- */

static void lag(uint64_t missed)
{
    wr_log_every(WR_S(5), WR_WARN, "bus.lagged", WR_F_U64("missed", missed));
}

TEST_PLAIN(a_kind_of_line_comes_once_in_its_span_and_then_says_what_was_suppressed)
{
    begin(&logfmt);
    lag(1);
    CHECK_STR(TS "level=warn event=bus.lagged missed=1\n", heard());
    lag(2);
    fake_now += WR_S(5) - 1;
    lag(3);
    CHECK_STR("", heard());
    fake_now += 1;
    lag(4);
    CHECK_STR(TS "level=warn event=bus.lagged missed=4 suppressed=2\n", heard());
    fake_now += WR_S(5);
    lag(5);
    CHECK_STR(TS "level=warn event=bus.lagged missed=5\n", heard());
    end();
}

TEST_PLAIN(a_span_without_end_allows_one_line_for_ever)
{
    struct wr_log_limit limit = { 0 };
    begin(&logfmt);
    for (int i = 0; i < 3; i++) {
        wr_log_limited(&limit, WR_NEVER, WR_INFO, "once");
        fake_now += WR_S(1000000);
    }
    CHECK_STR(TS "level=info event=once\n", heard());
    end();
}

TEST_PLAIN(limits_of_different_objects_do_not_know_each_other)
{
    struct wr_log_limit one = { 0 }, other = { 0 };
    begin(&logfmt);
    for (int i = 0; i < 3; i++) {
        wr_log_limited(&one, WR_S(5), WR_WARN, "one");
        wr_log_limited(&other, WR_S(5), WR_WARN, "other");
    }
    CHECK_STR(TS "level=warn event=one\n" TS "level=warn event=other\n", heard());
    CHECK_EQ(2, one.suppressed);
    end();
}

TEST_PLAIN(a_level_writes_no_more_than_its_budget_and_then_says_what_was_dropped)
{
    begin(&(struct wr_log_conf){ .level = WR_INFO, .lines_per_s = 4 });
    for (int i = 0; i < 7; i++)
        wr_log(WR_INFO, "flood");
    CHECK_EQ(4, said_count);
    wr_log(WR_ERROR, "fire");                       /* errors have a budget of their own */
    CHECK_EQ(5, said_count);
    CHECK(strstr(heard(), "level=error event=fire dropped=3\n"));

    fake_now += WR_MS(250) - 1;
    wr_log(WR_INFO, "early");
    CHECK_STR("", heard());
    fake_now += 1;
    wr_log(WR_INFO, "later");
    CHECK_STR(TS "level=info event=later dropped=1\n", heard());
    wr_log(WR_INFO, "again");
    CHECK_STR("", heard());

    fake_now += WR_S(100);                          /* no more than a second is saved up */
    said_count = 0;
    for (int i = 0; i < 20; i++)
        wr_log(WR_INFO, "flood");
    CHECK_EQ(4, said_count);
    end();
}

TEST_PLAIN(a_line_dropped_over_budget_does_not_forget_what_its_limit_suppressed)
{
    struct wr_log_limit limit = { 0 };
    begin(&(struct wr_log_conf){ .level = WR_INFO, .lines_per_s = 1 });
    wr_log_limited(&limit, WR_MS(100), WR_INFO, "a");
    wr_log_limited(&limit, WR_MS(100), WR_INFO, "a");
    fake_now += WR_MS(100);
    wr_log_limited(&limit, WR_MS(100), WR_INFO, "a");       /* allowed, but dropped */
    heard();
    fake_now += WR_S(1);
    wr_log_limited(&limit, WR_MS(100), WR_INFO, "a");
    CHECK_STR(TS "level=info event=a suppressed=1 dropped=1\n", heard());
    end();
}

TEST_PLAIN(a_line_that_nobody_reads_is_dropped_and_the_next_says_so)
{
    struct wr_log_limit limit = { 0 };
    begin(&(struct wr_log_conf){ 0 });
    wr_log_limited(&limit, WR_MS(100), WR_INFO, "a");
    wr_log_limited(&limit, WR_MS(100), WR_INFO, "a");
    heard();
    deaf = true;
    fake_now += WR_MS(100);
    wr_log_limited(&limit, WR_MS(100), WR_INFO, "a");
    wr_log(WR_INFO, "b");
    deaf = false;
    fake_now += WR_MS(100);
    wr_log_limited(&limit, WR_MS(100), WR_INFO, "a");
    CHECK_STR(TS "level=info event=a suppressed=1 dropped=2\n", heard());
    end();
}

TEST_PLAIN(what_is_written_suppressed_and_dropped_is_counted)
{
    static char page[64 * 1024];
    static struct wr_log_limit limit;
    begin(&(struct wr_log_conf){ .level = WR_DEBUG, .lines_per_s = 2 });
    for (int i = 0; i < 5; i++)
        wr_log(WR_DEBUG, "flood");
    for (int i = 0; i < 3; i++)
        wr_log_limited(&limit, WR_S(1), WR_WARN, "rare");
    end();
    size_t len;
    CHECK_OK(wr_metric_write(&len, page, sizeof(page)));
    CHECK(strstr(page, "\nlog_dropped_total{level=\"debug\"} 3\n"));
    CHECK(strstr(page, "\nlog_lines_total{level=\"debug\"} "));
    CHECK(strstr(page, "\nlog_lines_total{level=\"warn\"} "));
    CHECK(strstr(page, "\nlog_suppressed_total "));
}

TEST_PLAIN(a_clock_that_was_put_back_silences_nobody)
{
    struct wr_log_limit limit = { 0 };
    begin(&logfmt);
    wr_log_limited(&limit, WR_S(5), WR_WARN, "rare");
    fake_now -= WR_S(1800);
    heard();
    wr_log_limited(&limit, WR_S(5), WR_WARN, "rare");
    CHECK_STR(TS "level=warn event=rare\n", heard());
    wr_log_limited(&limit, WR_S(5), WR_WARN, "rare");
    CHECK_STR("", heard());
    end();
}

/* ---- many threads, the real standard error ---- */

#define THREADS 4
#define LINES 300

static char padding[2000];

static void *log_for_a_while(void *arg)
{
    for (uint64_t i = 0; i < LINES; i++)
        wr_log(WR_INFO, "many", WR_F_TEXT("padding", padding, (i * 37) % 2000),
               WR_F_U64("end", 7));
    return arg;
}

TEST_PLAIN(lines_of_many_threads_arrive_whole)
{
    FILE *file = tmpfile();
    int saved = dup(STDERR_FILENO);
    REQUIRE(file && saved >= 0);
    dup2(fileno(file), STDERR_FILENO);
    wr_log_configure(&(struct wr_log_conf){ .level = WR_INFO, .lines_per_s = 1000000 });
    memset(padding, 'p', sizeof(padding));
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, log_for_a_while, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    end();
    dup2(saved, STDERR_FILENO);
    close(saved);

    static char line[8192];
    int count = 0;
    rewind(file);
    while (fgets(line, sizeof(line), file)) {
        count++;
        CHECK(strncmp(line, "ts=", 3) == 0 && !strstr(line + 3, "ts="));
        CHECK(strstr(line, " event=many ") && strstr(line, " end=7\n"));
    }
    CHECK_EQ(THREADS * LINES, count);
    fclose(file);
}
