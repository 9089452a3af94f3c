/* depot_test.c - a node and its store. */
#include "svc/node/depot.h"

#include <ftw.h>
#include <stdlib.h>

#include "store/audit.h"
#include "testing/node_rig.h"

static struct answer answer;
static char folder[64];

static void enter(void)
{
    snprintf(folder, sizeof(folder), "/dev/shm/weir-depot-XXXXXX");
    REQUIRE(mkdtemp(folder));
}

static int drop(const char *path, const struct stat *info, int type, struct FTW *ftw)
{
    (void)info;
    (void)type;
    (void)ftw;
    return remove(path);
}

static void leave(void)
{
    CHECK_EQ(0, nftw(folder, drop, 8, FTW_DEPTH | FTW_PHYS));
}

/* A node that keeps what it is told; the rig's flags come first, so this one wins. */
static void begin_lasting(struct rig *rig)
{
    rig_begin(rig, (const char *const[]){ "--no-amnesia", "--data", folder, NULL });
}

static int post_note(struct rig *rig, const char *body)
{
    char text[300];
    struct wr_stream *stream = rig_dial(rig);
    snprintf(text, sizeof(text), "POST /api/v1/audit HTTP/1.1\r\nHost: localhost\r\n"
             "Content-Length: %zu\r\n\r\n%s", strlen(body), body);
    rig_say(stream, text);
    rig_hear(stream, &answer);
    wr_stream_close(stream);
    return answer.status;
}

static struct wr_conf *load(char *const *flags)
{
    static const struct wr_conf_table *const tables[] = { &wr_node_keys, NULL };
    struct wr_conf *conf = NULL;
    struct wr_conf_report report = { 0 };
    struct wr_conf_source source = { .tables = tables, .argv = flags, .cpus = 2 };
    while (flags[source.argc])
        source.argc++;
    REQUIRE_OK(wr_conf_load(&conf, &source, &report), NULL);
    wr_conf_report_free(&report);
    return conf;
}

static void check_place(const char *want_url, const char *want_path, char *const *flags)
{
    char url[DEPOT_URL_MAX];
    const char *path;
    struct wr_conf *conf = load(flags);
    CHECK_OK(depot_place(conf, url, &path));
    CHECK_STR(want_url, url);
    CHECK_STR(want_path, path ? path : "");
    wr_conf_unref(conf);
}
#define PLACE(url, path, ...) check_place(url, path, (char *[]){ "node", __VA_ARGS__, NULL })

TEST_PLAIN(a_store_lies_in_the_data_unless_its_path_is_absolute)
{
    PLACE("sqlite:/d/weir.db", "/d/weir.db", "--data", "/d");
    PLACE("sqlite:/d/x/y.db", "/d/x/y.db", "--data", "/d", "--store-url", "sqlite:x/y.db");
    PLACE("sqlite:/e/y.db", "/e/y.db", "--data", "/d", "--store-url", "sqlite:/e/y.db");
    PLACE("sqlite:", "", "--data", "/d", "--store-url", "sqlite:");
    PLACE("postgres://db/weir", "", "--data", "/d", "--store-url", "postgres://db/weir");
    PLACE("sqlite:", "", "--amnesia");
}

TEST(what_was_done_to_a_node_is_found_by_the_next_one)
{
    struct rig rig;
    enter();
    begin_lasting(&rig);
    CHECK_EQ(201, post_note(&rig, "{\"note\":\"a \\\"new\\\" disk\"}"));
    CHECK_OK(rig_end(&rig));
    begin_lasting(&rig);
    CHECK_EQ(200, rig_get(&rig, "/api/v1/audit", &answer));
    CHECK(strstr(answer.body, "\"type\":\"admin.note\""));
    CHECK(strstr(answer.body, "\"detail\":{\"note\":\"a \\\"new\\\" disk\"}"));
    CHECK(strstr(answer.body, "\"type\":\"node.start\",\"actor\":\"node\""));
    CHECK(strstr(answer.body, "\"type\":\"node.drain\",\"actor\":\"node\""));
    CHECK_OK(rig_end(&rig));
    leave();
}

TEST(a_second_node_on_the_same_store_is_refused_with_the_stores_sentence)
{
    struct rig rig;
    char url[100];
    enter();
    begin_lasting(&rig);
    snprintf(url, sizeof(url), "sqlite:%s/weir.db", folder);
    struct wr_conf *conf = load((char *[]){ "node", "--data", "/dev/shm", "--store-url", url,
                                            NULL });
    struct node_start second = { .conf = conf, .no_signals = true };
    CHECK_ERR(WR_BUSY, node_run(&second, NULL));
    CHECK(strstr(second.why, "the store (store.url, flag --store-url): another process has "));
    CHECK(strstr(second.why, "stop it, or give this one a store of its own"));
    wr_conf_unref(conf);
    CHECK_OK(rig_end(&rig));
    leave();
}

TEST(a_file_that_is_no_store_ends_the_start_with_a_sentence)
{
    char path[100];
    enter();
    snprintf(path, sizeof(path), "%s/weir.db", folder);
    FILE *file = fopen(path, "w");
    REQUIRE(file);
    for (int i = 0; i < 1000; i++)
        fputs("this is no database\n", file);
    fclose(file);
    struct wr_conf *conf = load((char *[]){ "node", "--data", folder, "--http-addr",
                                            "127.0.0.1:0", NULL });
    struct node_start start = { .conf = conf, .no_signals = true };
    CHECK_ERR(WR_IO, node_run(&start, NULL));
    CHECK(strstr(start.why, "the store (store.url, default): cannot open "));
    CHECK(strstr(start.why, "file is not a database"));
    wr_conf_unref(conf);
    leave();
}

TEST(pages_tell_how_the_store_does)
{
    struct rig rig;
    rig_begin(&rig, NULL);
    CHECK_EQ(200, rig_get(&rig, "/healthz", &answer));
    CHECK(strstr(answer.body, "\"store\":\"ok\""));
    CHECK_EQ(200, rig_get(&rig, "/readyz", &answer));
    CHECK(strstr(answer.body, "\"store\":\"ok\""));
    CHECK_EQ(200, rig_get(&rig, "/api/v1/status", &answer));
    CHECK(strstr(answer.body, "\"store\":{\"engine\":\"sqlite\",\"mode\":\"memory\",\"health\":"
                              "\"healthy\",\"writes\":0,\"batches\":0,"));
    CHECK_OK(rig_end(&rig));
}

TEST(a_note_of_another_form_is_refused)
{
    static const char *const bad[] = { "", "{}", "[]", "{\"note\":7}", "{\"note\":\"\"}",
                                       "{\"note\":\"x\",\"more\":1}" };
    struct rig rig;
    enter();
    begin_lasting(&rig);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        CHECK_EQ(400, post_note(&rig, bad[i]));
    CHECK_EQ(400, rig_get(&rig, "/api/v1/audit?after=x", &answer));
    CHECK_EQ(400, rig_get(&rig, "/api/v1/audit?limit=51", &answer));
    CHECK_EQ(200, rig_get(&rig, "/api/v1/audit?after=1&limit=50", &answer));
    CHECK_OK(rig_end(&rig));
    leave();
}

TEST(under_amnesia_no_record_is_kept)
{
    struct rig rig;
    rig_begin(&rig, NULL);
    CHECK_EQ(501, rig_get(&rig, "/api/v1/audit", &answer));
    CHECK_EQ(501, post_note(&rig, "{\"note\":\"x\"}"));
    CHECK_OK(rig_end(&rig));
}

/* ---- services ---- */

struct member { struct store *store; unsigned opened, closed; wr_err err; };

static wr_err open_member(void *arg, const struct wr_conf *conf, struct store *store, char *why)
{
    (void)conf;
    struct member *member = arg;
    member->opened++;
    member->store = store;
    snprintf(why, NODE_WHY_MAX, "%s", member->err ? "it does not want to" : "");
    return member->err;
}

/* The store is still there. */
static void close_member(void *arg)
{
    struct member *member = arg;
    struct store_health health;
    store_health(member->store, &health);
    member->closed++;
}

TEST(a_service_gets_the_store_and_gives_it_back)
{
    struct rig rig;
    struct member member = { 0 };
    const struct node_service service = { .name = "test", .open = open_member,
                                          .close = close_member, .arg = &member };
    rig_service = &service;
    rig_begin(&rig, NULL);
    CHECK(member.store != NULL);
    CHECK_EQ(0, member.closed);
    CHECK_OK(rig_end(&rig));
    CHECK_EQ(1, member.opened);
    CHECK_EQ(1, member.closed);
}

TEST(a_service_that_does_not_open_ends_the_start)
{
    struct member member = { .err = WR_UNSUPPORTED };
    const struct node_service service = { .name = "test", .open = open_member,
                                          .close = close_member, .arg = &member };
    struct wr_conf *conf = load((char *[]){ "node", "--amnesia", NULL });
    struct node_start start = { .conf = conf, .no_signals = true, .services = &service,
                                .service_count = 1 };
    CHECK_ERR(WR_UNSUPPORTED, node_run(&start, NULL));
    CHECK_STR("it does not want to", start.why);
    CHECK_EQ(0, member.closed);
    wr_conf_unref(conf);
}
