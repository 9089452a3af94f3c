/* service_test.c - checking references over HTTP, in a whole node. */
#include "svc/check/service.h"

#include <unistd.h>

#include <weir/file.h>
#include <weir/run.h>
#include <weir/task.h>

#include "base/forget.h"
#include "rt/sanitize.h"
#include "svc/check/keys.h"
#include "svc/sources/supply.h"
#include "svc/sources/supply_keys.h"
#include "testing/catalogue_rig.h"
#include "testing/deadline_rig.h"
#include "testing/heap_rig.h"
#include "testing/library_rig.h"
#include "testing/metric_rig.h"

#define ONE "@article{a, title={Some title of a work}, author={Ada Lovelace}, year={1843}}\n"
#define NOTHING "{\"message\":{\"total-results\":0,\"items\":[]}}"

static struct answer answer;
static struct check_service *service;
static struct supply *supply;
static struct node_service rows[2];
static struct library_rig library;
static char id[64];

/* A node that checks, with a library of one work; more flags may follow. */
static void begin(struct rig *rig, const char *first, const char *second)
{
    static const struct bib_name lovelace = { "Lovelace", "Ada" };
    static char libraries[200];
    struct bib_record record = { .work = { .title = "Some title of a work", .year = 1843,
                                           .authors = &lovelace, .author_count = 1 },
                                 .id = "n1" };
    library_rig_open(&library);
    rig_add(&library, &record);
    rig_finish(&library);
    snprintf(libraries, sizeof(libraries), "--check-libraries=%s", library.path);
    rig_tables[1] = &check_keys;
    rig_tables[2] = &supply_keys;
    CHECK_OK(supply_new(&supply));
    CHECK_OK(check_service_new(&service, supply_sources(supply)));
    rows[0] = *supply_row(supply);
    rows[1] = *check_service_row(service);
    rig_service = rows;
    rig_service_count = 2;
    rig_begin(rig, (const char *const[]){ libraries, first, second, NULL });
}

static void end(struct rig *rig)
{
    CHECK_OK(rig_end(rig));
    check_service_free(service);
    supply_free(supply);
    rig_service_count = 1;
    library_rig_close(&library);
}

static int hand_in(struct rig *rig, const char *target, const char *text)
{
    static char request[4000];
    struct wr_stream *stream = rig_dial(rig);
    snprintf(request, sizeof(request), "POST %s HTTP/1.1\r\nHost: localhost\r\n"
             "Content-Length: %zu\r\n\r\n%s", target, strlen(text), text);
    rig_say(stream, request);
    explicit_bzero(request, sizeof(request));
    rig_hear(stream, &answer);
    wr_stream_close(stream);
    const char *at = strstr(answer.body, "{\"id\":\"");
    id[0] = '\0';
    if (at)
        snprintf(id, sizeof(id), "%.32s", at + 7);
    return answer.status;
}

static int ask(struct rig *rig, const char *method, const char *more)
{
    char target[200];
    snprintf(target, sizeof(target), "/v1/check/%s%s", id, more);
    return rig_ask(rig, method, target, "", &answer);
}

/* Everything of a stream, up to its end. */
static void read_events(struct rig *rig, const char *headers)
{
    char text[300];
    size_t len = 0, size = 1;
    struct wr_stream *stream = rig_dial(rig);
    snprintf(text, sizeof(text), "GET /v1/check/%s/events HTTP/1.1\r\nHost: localhost\r\n"
             "Connection: close\r\n%s\r\n", id, headers);
    rig_say(stream, text);
    while (size > 0 && !wr_stream_read(stream, &size, answer.body + len,
                                       sizeof(answer.body) - 1 - len, wr_after(WR_S(4000))))
        len += size;
    answer.body[len] = '\0';
    wr_stream_close(stream);
}

TEST(a_document_is_handed_in_followed_and_its_report_read)
{
    struct rig rig;
    begin(&rig, "--check-offline", NULL);
    CHECK_EQ(202, hand_in(&rig, "/v1/check?file=some/where/one.bib", ONE));
    CHECK(strstr(answer.head, "Location: /v1/check/"));
    CHECK(strstr(answer.body, "\"file\":\"one.bib\""));
    read_events(&rig, "");
    CHECK(strstr(answer.body, "event: read\ndata: {\"file\":\"one.bib\",\"references\":1,"));
    CHECK(strstr(answer.body, "event: done\ndata: {\"document\":0,\"number\":1,"));
    CHECK(strstr(answer.body, "event: report\ndata: {\"documents\":1,\"total\":1,"
                              "\"verified\":1,"));
    CHECK_EQ(200, ask(&rig, "GET", ""));
    CHECK(strstr(answer.head, "Content-Type: application/json"));
    CHECK(strstr(answer.body, "\"verdict\":\"verified\""));
    CHECK_EQ(200, ask(&rig, "GET", "?form=html"));
    CHECK(strstr(answer.head, "Content-Type: text/html; charset=utf-8"));
    CHECK_EQ(400, ask(&rig, "GET", "?form=pdf"));
    CHECK(strstr(answer.body, "form is \\\"pdf\\\"; json, csv, markdown, html"));
    end(&rig);
}

TEST(who_comes_back_goes_on_where_he_was)
{
    struct rig rig;
    begin(&rig, "--check-offline", NULL);
    CHECK_EQ(202, hand_in(&rig, "/v1/check?file=one.bib", ONE));
    read_events(&rig, "");
    const char *first = strstr(answer.body, "id: ");
    char headers[64];
    REQUIRE(first);
    snprintf(headers, sizeof(headers), "Last-Event-ID: %ld\r\n", strtol(first + 4, NULL, 10));
    read_events(&rig, headers);
    CHECK(!strstr(answer.body, "event: read"));
    CHECK(strstr(answer.body, "event: begun") && strstr(answer.body, "event: report"));
    end(&rig);
}

TEST(what_cannot_be_taken_is_refused_with_the_reason)
{
    struct rig rig;
    begin(&rig, "--check-offline", NULL);
    CHECK_EQ(400, hand_in(&rig, "/v1/check", ""));
    CHECK(strstr(answer.body, "the body is empty"));
    CHECK_EQ(202, hand_in(&rig, "/v1/check?file=x", "\x01\x02\x03"));
    read_events(&rig, "");
    CHECK(strstr(answer.body, "event: failed\ndata: {\"why\":\"x: it is no kind of file"));
    CHECK_EQ(422, ask(&rig, "GET", ""));
    CHECK(strstr(answer.body, "x: it is no kind of file that can be read"));
    snprintf(id, sizeof(id), "0123456789abcdef0123456789abcdef");
    CHECK_EQ(404, ask(&rig, "GET", ""));
    CHECK_EQ(404, ask(&rig, "GET", "/events"));
    CHECK_EQ(404, ask(&rig, "DELETE", ""));
    end(&rig);
}

/* Crossref, which does not answer for long; and nobody else. */
static char *only_crossref(const char *base)
{
    static char flag[400];
    snprintf(flag, sizeof(flag), "--check-bases=crossref=%s", base);
    return flag;
}

#define NOBODY_ELSE "--check-without=arxiv,dblp,semantic_scholar,openalex,acl,europe_pmc," \
                    "pubmed,doi,open_library,openreview,eprint,rfc_editor,govinfo,wayback"
#define UNKNOWN "@article{b, title={A work that no library has}, author={Grace Hopper}}\n"

TEST(while_it_is_checked_the_answer_says_how_far_and_it_can_be_withdrawn)
{
    struct rig rig;
    static struct catalogue crossref = { .body = NOTHING, .delay = WR_S(5) };
    catalogue_open(&crossref);
    begin(&rig, only_crossref(crossref.base), NOBODY_ELSE);
    CHECK_EQ(202, hand_in(&rig, "/v1/check?file=two.bib", ONE UNKNOWN));
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_EQ(202, ask(&rig, "GET", ""));
    CHECK(strstr(answer.body, "\"state\":\"running\",\"done\":1,\"total\":2"));
    CHECK_EQ(204, ask(&rig, "DELETE", ""));
    CHECK_EQ(404, ask(&rig, "GET", ""));
    end(&rig);
    catalogue_close(&crossref);
}

TEST(a_drain_ends_what_runs_and_is_over_in_time)
{
    struct rig rig;
    static struct catalogue crossref = { .body = NOTHING, .delay = WR_S(60) };
    catalogue_open(&crossref);
    begin(&rig, only_crossref(crossref.base), NOBODY_ELSE);
    for (int i = 0; i < 20; i++)
        CHECK_EQ(202, hand_in(&rig, "/v1/check?file=two.bib", ONE UNKNOWN));
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    wr_time before = wr_now();
    rig_stop(&rig);
    end(&rig);                              /* with no error: nobody had to be aborted */
    CHECK(wr_now() - before <= WR_S(5));
    catalogue_close(&crossref);
}

TEST(more_documents_than_may_wait_are_429)
{
    struct rig rig;
    static struct catalogue crossref = { .body = NOTHING, .delay = WR_S(60) };
    catalogue_open(&crossref);
    begin(&rig, only_crossref(crossref.base), "--check-documents-waiting=1");
    int busy = 0;
    for (int i = 0; i < 12; i++) {
        busy += hand_in(&rig, "/v1/check?file=two.bib", UNKNOWN) == 429;
        settle();
    }
    CHECK_EQ(3, busy);                      /* 8 are checked, one waits */
    CHECK(strstr(answer.head, "Retry-After: 10"));
    CHECK_EQ(3, metric_value("check_refused_total{svc=\"check\"}"));
    end(&rig);
    catalogue_close(&crossref);
}

/* The names and labels that docs/check.md gives; each must have moved. */
TEST(every_metric_of_it_moves)
{
    static const char *const names[] = {
        "check_documents_total{result=\"done\",svc=\"check\"}",
        "check_documents_total{result=\"failed\",svc=\"check\"}",
        "check_references_total{verdict=\"verified\",svc=\"check\"}",
        "check_references_total{verdict=\"not_found\",svc=\"check\"}",
        "check_document_seconds_count{svc=\"check\"}",
        "check_reports{svc=\"check\"}",
    };
    struct rig rig;
    begin(&rig, "--check-offline", "--check-sample=false");
    CHECK_EQ(202, hand_in(&rig, "/v1/check?file=two.bib", ONE UNKNOWN));
    read_events(&rig, "");
    CHECK_EQ(202, hand_in(&rig, "/v1/check?file=x", "\x01\x02\x03"));
    read_events(&rig, "");
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (!CHECK(metric_value("%s", names[i]) >= 1))
            printf("# %s\n", names[i]);
    end(&rig);
}

TEST(it_is_ready_and_says_so_by_its_name)
{
    struct rig rig;
    begin(&rig, "--check-offline", NULL);
    settle();
    CHECK_EQ(200, rig_get(&rig, "/readyz", &answer));
    CHECK(strstr(answer.body, "\"services\":{\"check\":{\"keys\":{\"check\":\"ok\"},"));
    CHECK_EQ(200, rig_get(&rig, "/openapi.json", &answer));
    CHECK(strstr(answer.body, "\"/v1/check/{id}/events\""));
    end(&rig);
}

TEST(a_library_that_is_not_there_ends_the_start_with_a_sentence)
{
    struct wr_conf_report report = { 0 };
    struct node_start start = { .no_signals = true };
    char *argv[] = { (char *)"weir", (char *)"--amnesia", (char *)"--http-addr",
                     (char *)"127.0.0.1:0", (char *)"--check-libraries=/nowhere/at.all" };
    rig_tables[1] = &check_keys;
    CHECK_OK(check_service_new(&service, NULL));
    start.services = check_service_row(service);
    start.service_count = 1;
    REQUIRE_OK(wr_conf_load(&start.conf, &(struct wr_conf_source){
        .tables = rig_tables, .argc = 5, .argv = argv, .cpus = 2 }, &report));
    CHECK_ERR(WR_NOTFOUND, node_run(&start, NULL));
    CHECK(strstr(start.why, "/nowhere/at.all"));
    wr_conf_report_free(&report);
    wr_conf_unref(start.conf);
    check_service_free(service);
}

TEST(its_routes_keep_their_deadlines)
{
    CHECK_OK(check_service_new(&service, NULL));
    struct node_service row = *check_service_row(service);
    struct wr_route routes[16];
    memcpy(routes, row.routes, row.route_count * sizeof(*routes));
    routes[row.route_count] = stay_routes[0];
    row.routes = routes;
    row.route_count++;
    rig_tables[1] = &check_keys;
    check_deadlines(&row);
    check_service_free(service);
}

static void write_conf(const char *path, const char *text)
{
    CHECK_OK(wr_file_write_atomic(path, text, strlen(text), 0600, WR_NEVER));
}

TEST(what_is_live_is_in_force_after_a_reload_and_the_rest_after_a_new_start)
{
    struct rig rig;
    char path[] = "/tmp/weir-service-XXXXXX", flag[60];
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    close(fd);
    snprintf(flag, sizeof(flag), "--config=%s", path);
    write_conf(path, "[check]\nreport_ttl = \"24h\"\nworkers = 3\n");
    begin(&rig, "--check-offline", flag);
    CHECK_EQ(202, hand_in(&rig, "/v1/check?file=one.bib", ONE));
    read_events(&rig, "");
    write_conf(path, "[check]\nreport_ttl = \"10s\"\nworkers = 5\n");
    CHECK_EQ(202, rig_post(&rig, "/api/v1/reload", &answer));
    CHECK_OK(wr_sleep(wr_after(WR_S(5))));
    CHECK_EQ(200, ask(&rig, "GET", ""));
    CHECK_OK(wr_sleep(wr_after(WR_S(6))));
    CHECK_EQ(404, ask(&rig, "GET", ""));
    CHECK_EQ(200, rig_get(&rig, "/api/v1/config", &answer));
    CHECK(strstr(answer.body, "\"check.report_ttl\":{\"value\":\"10s\""));
    CHECK(strstr(answer.body, "\"check.workers\":{\"value\":3,"));
    end(&rig);
    CHECK_OK(wr_file_remove(path, WR_NEVER));
}

/* ---- amnesia ---- */

static wr_err live(void *unused)
{
    struct rig rig;
    char text[200], mark[MARK_LEN + 1];
    (void)unused;
    begin(&rig, "--check-offline", NULL);
    struct wr_file_writes before = wr_file_writes();
    make_mark(mark, 'Q');
    snprintf(text, sizeof(text), "@article{a, title={On the %s of it}, year={1999}}\n", mark);
    CHECK_EQ(202, hand_in(&rig, "/v1/check?file=x.bib", text));
    read_events(&rig, "");
    CHECK(count_in_heap('Q') > 0);          /* the scan sees it while it is kept */
    explicit_bzero(text, sizeof(text));
    explicit_bzero(mark, sizeof(mark));
    CHECK_EQ(204, ask(&rig, "DELETE", ""));
    CHECK_EQ(before.done, wr_file_writes().done);
    end(&rig);
    return WR_OK;
}

TEST_PLAIN(of_a_document_nothing_is_left_in_memory_or_on_the_disk)
{
#if defined(ASAN) || defined(TSAN)
    SKIP("a sanitizer keeps freed memory, and terabytes of its own");
#endif
    if (test_rounds(1000) != 1000)
        SKIP("valgrind keeps freed memory");
    wr_forget_from_now();
    CHECK_OK(wr_run(&(struct wr_run_conf){ .virtual_clock = true }, live, NULL));
    explicit_bzero(&answer, sizeof(answer));
    CHECK_EQ(0, count_in_heap('Q'));
}
