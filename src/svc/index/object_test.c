/* object_test.c - objects of our store, and of providers that are good, slow, gone or liars. */
#include "svc/index/object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/task.h>

#include "testing/metric_rig.h"
#include "testing/oap_rig.h"
#include "testing/store_rig.h"

#define SOON wr_after(WR_S(20))
#define LARGE_SIZE ((size_t)1 << 20)

/* ---- providers ---- */

enum manner { GOOD, EMPTY, LIES, HANGS, STOPS, TRICKLES, TOO_MUCH, SAYS_NO };

static char object_bytes[LARGE_SIZE];

/* A part every 100 ms, for ever. */
static wr_err trickle(struct wr_oap_call *call)
{
    wr_err err = WR_OK;
    while (!err && !(err = wr_sleep(wr_after(WR_MS(100)))))
        err = wr_oap_send(call, "x", 1, WR_NEVER);
    return err;
}

static wr_err too_much(struct wr_oap_call *call)
{
    wr_err err = WR_OK;
    for (size_t sent = 0; sent <= STORE_BLOB_MAX && !err; sent += sizeof(object_bytes))
        err = wr_oap_send(call, object_bytes, sizeof(object_bytes), WR_NEVER);
    return err;
}

static wr_err serve_object(struct wr_oap_call *call)
{
    size_t len;
    const char *payload = wr_oap_payload(call, &len);
    CHECK(len == 78 && memcmp(payload, "{\"addr\":\"b3:", 12) == 0);
    switch (*(enum manner *)wr_oap_arg(call)) {
    case GOOD: return wr_oap_send(call, object_bytes, sizeof(object_bytes), WR_NEVER);
    case EMPTY: return WR_OK;
    case LIES: return wr_oap_send(call, "something else", 14, WR_NEVER);
    case HANGS: return wr_sleep(WR_NEVER);
    case STOPS:
        (void)!wr_oap_send(call, object_bytes, 1000, WR_NEVER);
        return wr_sleep(WR_NEVER);
    case TRICKLES: return trickle(call);
    case TOO_MUCH: return too_much(call);
    case SAYS_NO: return WR_NOTFOUND;
    }
    return WR_PANIC;
}

struct stand {
    struct site site;
    enum manner manner;
    struct wr_oap_verb verb;
};

static void open_stand(struct stand *stand, enum manner manner)
{
    stand->manner = manner;
    stand->verb = (struct wr_oap_verb){ .id = WR_OAP_OBJ_GET, .name = "OBJ_GET",
                                        .handler = serve_object, .arg = &stand->manner,
                                        .deadline = WR_S(1000) };
    open_site_of(&stand->site, 1, 64, (struct wr_oap_conf){ .verbs = &stand->verb,
                                                            .count = 1 });
}

/* ---- who has it ---- */

#define STANDS 4

struct fair {
    struct stand stands[STANDS];
    size_t count;
    struct provider providers[STANDS];
    wr_err found;                       /* what asking for them comes to */
    struct book *book;
    struct latencies *latencies;
    struct object *object;
    struct store *store;
};

static wr_err find(void *arg, const struct wr_hash *cid, struct provider *ret, size_t max,
                   size_t *ret_count, wr_time deadline)
{
    struct fair *fair = arg;
    (void)cid, (void)deadline;
    CHECK(fair->count <= max);
    memcpy(ret, fair->providers, fair->count * sizeof(*ret));
    *ret_count = fair->count;
    return fair->found;
}

static struct object_conf conf_of(struct fair *fair)
{
    return (struct object_conf){ .store = fair->store, .book = fair->book,
                                 .latencies = fair->latencies, .self = "me", .find = find,
                                 .arg = fair, .internal = true };
}

/* Providers "p0", "p1", ... that behave so. */
static void open_fair(struct fair *fair, struct store *store, const enum manner *manners,
                      size_t count)
{
    char addr[WR_ADDR_TEXT_MAX];
    *fair = (struct fair){ .count = count, .store = store };
    for (size_t i = 0; i < LARGE_SIZE; i++)
        object_bytes[i] = (char)(i * 31 >> 3);
    for (size_t i = 0; i < count; i++) {
        open_stand(&fair->stands[i], manners[i]);
        wr_addr_print(wr_listener_addr(fair->stands[i].site.listener), addr);
        snprintf(fair->providers[i].addr, PROVIDER_ADDR, "tcp://%s", addr);
        snprintf(fair->providers[i].id, PROVIDER_ID, "p%zu", i);
    }
    CHECK_OK(book_new(&fair->book, &(struct book_conf){ .store = store, .self = "me" }));
    CHECK_OK(latencies_new(&fair->latencies));
    struct object_conf conf = conf_of(fair);
    CHECK_OK(object_new(&fair->object, &conf));
}

static void close_fair(struct fair *fair)
{
    object_free(fair->object);
    latencies_free(fair->latencies);
    book_free(fair->book);
    for (size_t i = fair->count; i > 0; i--)            /* the last one first: scopes nest */
        close_site(&fair->stands[i - 1].site);
}

#define WITH_FAIR(...) \
    struct fair fair; \
    const enum manner manners[] = { __VA_ARGS__ }; \
    open_fair(&fair, store, manners, sizeof(manners) / sizeof(*manners))

static wr_err get(struct fair *fair, const char *bytes, size_t len, struct object_got *got)
{
    struct wr_hash cid = wr_hash_of(bytes, len);
    *got = (struct object_got){ 0 };
    return object_get(fair->object, &cid, got, wr_after(WR_S(8)));
}

/* Get the large one; from whom it came, or the error's name. */
static const char *from(struct fair *fair)
{
    static char who[PROVIDER_ID];
    struct object_got got;
    wr_err err = get(fair, object_bytes, LARGE_SIZE, &got);
    if (err)
        return wr_err_name(err);
    CHECK_EQ(LARGE_SIZE, got.len);
    CHECK(memcmp(got.bytes, object_bytes, LARGE_SIZE) == 0);
    snprintf(who, sizeof(who), "%s", got.from);
    object_got_free(&got);
    return who;
}

static const char *written(struct fair *fair)
{
    static char text[1000];
    struct store_servings list = { 0 };
    size_t len = 0;
    text[0] = '\0';
    CHECK_OK(book_write(fair->book, SOON));
    CHECK_OK(store_serving_list(fair->store, &(struct store_serving_ask){
        .from = 0, .to = INT64_MAX, .max = 20 }, &list, SOON));
    for (size_t i = 0; i < list.count; i++) {
        struct store_serving row = store_serving_at(&list, i);
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s %d %llu %llu %llu;",
                                row.provider, (int)row.role, (unsigned long long)row.objects,
                                (unsigned long long)row.bytes, (unsigned long long)row.failed);
    }
    store_servings_free(&list);
    return text;
}

/* ---- ours ---- */

LOCAL_TEST(what_is_in_the_store_is_not_asked_for_elsewhere)
{
    WITH_FAIR(LIES);
    struct object_got got;
    struct wr_hash cid = wr_hash_of("abc", 3);
    CHECK_ERR(WR_NOTFOUND, object_get_own(fair.object, &cid, &got, SOON));
    CHECK_ERR(WR_QUARANTINE, object_put(fair.object, &cid, "abd", 3, SOON));
    CHECK_OK(object_put(fair.object, &cid, "abc", 3, SOON));
    CHECK_OK(get(&fair, "abc", 3, &got));
    CHECK_STR("", got.from);
    CHECK_STR("abc", got.bytes);
    CHECK_EQ(3, got.len);
    object_got_free(&got);
    CHECK_STR("", written(&fair));
    close_fair(&fair);
}

LOCAL_TEST(what_nobody_has_is_not_found)
{
    WITH_FAIR(GOOD);
    struct object_got got;
    fair.found = WR_NOTFOUND;
    CHECK_ERR(WR_NOTFOUND, get(&fair, "abc", 3, &got));
    fair.found = WR_OPENCIRCUIT;
    CHECK_ERR(WR_OPENCIRCUIT, get(&fair, "abc", 3, &got));
    close_fair(&fair);
}

/* ---- others' ---- */

LOCAL_TEST(an_object_comes_from_the_first_who_has_it_and_is_counted)
{
    WITH_FAIR(GOOD, GOOD);
    CHECK_STR("p0", from(&fair));
    CHECK_EQ(0, latency_of(fair.latencies, "p0"));      /* the clock is virtual */
    CHECK_EQ(-1, latency_of(fair.latencies, "p1"));
    CHECK_STR("p0 2 1 1048576 0;", written(&fair));
    CHECK_STR("p0", from(&fair));                       /* it was not kept */
    CHECK_STR("p0 2 2 2097152 0;", written(&fair));
    close_fair(&fair);
}

LOCAL_TEST(an_object_may_be_empty)
{
    WITH_FAIR(EMPTY);
    struct object_got got;
    CHECK_OK(get(&fair, "", 0, &got));
    CHECK_EQ(0, got.len);
    CHECK_STR("p0", got.from);
    object_got_free(&got);
    CHECK_STR("p0 2 1 0 0;", written(&fair));
    close_fair(&fair);
}

LOCAL_TEST(who_lies_is_passed_over_and_is_the_slowest_from_then_on)
{
    WITH_FAIR(LIES, SAYS_NO, GOOD);
    long long forged = metric_value("index_object_fetches_total{result=\"forged\","
                                    "svc=\"index\"}");
    CHECK_STR("p2", from(&fair));
    CHECK_EQ(LATENCY_FAILED, latency_of(fair.latencies, "p0"));
    CHECK_EQ(LATENCY_FAILED, latency_of(fair.latencies, "p1"));
    CHECK_EQ((forged < 0 ? 0 : forged) + 1,
             metric_value("index_object_fetches_total{result=\"forged\",svc=\"index\"}"));
    CHECK_STR("p0 2 0 0 1;p1 2 0 0 1;p2 2 1 1048576 0;", written(&fair));
    close_fair(&fair);
}

LOCAL_TEST(who_does_not_begin_has_a_second)
{
    WITH_FAIR(HANGS, GOOD);
    wr_time before = wr_now();
    CHECK_STR("p1", from(&fair));
    CHECK_EQ(WR_S(1), wr_now() - before);
    close_fair(&fair);
}

LOCAL_TEST(who_stops_in_the_middle_has_a_second)
{
    WITH_FAIR(STOPS, GOOD);
    wr_time before = wr_now();
    CHECK_STR("p1", from(&fair));
    CHECK_EQ(WR_S(1), wr_now() - before);
    close_fair(&fair);
}

LOCAL_TEST(who_never_ends_has_half_of_what_is_left)
{
    WITH_FAIR(TRICKLES, TRICKLES, GOOD);
    wr_time before = wr_now();
    CHECK_STR("p2", from(&fair));
    CHECK_EQ(WR_S(6), wr_now() - before);
    close_fair(&fair);
}

LOCAL_TEST(the_last_one_has_all_that_is_left_and_then_it_is_too_late)
{
    WITH_FAIR(TRICKLES);
    wr_time before = wr_now();
    CHECK_STR("Timeout", from(&fair));
    CHECK_EQ(WR_S(8), wr_now() - before);
    CHECK_STR("p0 2 0 0 1;", written(&fair));
    close_fair(&fair);
}

LOCAL_TEST(what_is_larger_than_an_object_is_none)
{
    WITH_FAIR(TOO_MUCH, GOOD);
    CHECK_STR("p1", from(&fair));
    CHECK(metric_value("index_object_fetches_total{result=\"oversized\",svc=\"index\"}") > 0);
    close_fair(&fair);
}

LOCAL_TEST(when_those_who_say_that_they_have_it_do_not_give_it_it_is_not_absent)
{
    WITH_FAIR(SAYS_NO, LIES);
    CHECK_STR("Io", from(&fair));
    close_fair(&fair);
}

LOCAL_TEST(who_is_not_there_is_passed_over)
{
    WITH_FAIR(GOOD);
    char addr[PROVIDER_ADDR];
    snprintf(addr, sizeof(addr), "%s", fair.providers[0].addr);
    fair.count = 2;
    fair.providers[1] = fair.providers[0];
    snprintf(fair.providers[0].addr, PROVIDER_ADDR, "tcp://127.0.0.1:1");
    snprintf(fair.providers[1].id, PROVIDER_ID, "p1");
    CHECK_STR("p1", from(&fair));
    fair.count = 1;
    close_fair(&fair);
}

LOCAL_TEST(we_do_not_ask_ourselves)
{
    WITH_FAIR(GOOD);
    snprintf(fair.providers[0].id, PROVIDER_ID, "me");
    CHECK_STR("NotFound", from(&fair));
    CHECK_STR("", written(&fair));
    close_fair(&fair);
}

LOCAL_TEST(addresses_of_strangers_are_public_ip_addresses)
{
    static const char *const odd[] = { "tcp://localhost:1", "udp://127.0.0.1:1", "127.0.0.1:1",
                                       "tcp://unix:/tmp/x", "tcp://127.0.0.1:0", "tcp://", "" };
    WITH_FAIR(GOOD);
    object_allow_internal(fair.object, false);
    CHECK_STR("Io", from(&fair));                       /* on this machine */
    object_allow_internal(fair.object, true);
    CHECK_STR("p0", from(&fair));
    for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
        snprintf(fair.providers[0].addr, PROVIDER_ADDR, "%s", odd[i]);
        CHECK_STR("Io", from(&fair));
    }
    close_fair(&fair);
}

TEST(one_of_ours_that_was_damaged_is_fetched_and_mended)
{
    struct store_rig rig;
    char path[200], hex[WR_HASH_TEXT];
    struct object_got got;
    rig_folder(&rig);
    REQUIRE_OK(rig_open(&rig));
    struct store *store = rig.store;
    WITH_FAIR(GOOD);
    struct wr_hash cid = wr_hash_of(object_bytes, LARGE_SIZE);
    CHECK_OK(object_put(fair.object, &cid, object_bytes, LARGE_SIZE, SOON));
    wr_hash_print(&cid, hex);
    snprintf(path, sizeof(path), "%s-blobs/%.2s/%s", rig.path, hex, hex + 2);
    FILE *file = fopen(path, "r+e");
    REQUIRE(file);
    fputs("damage", file);
    fclose(file);
    fair.count = 0;
    CHECK_STR("Quarantine", from(&fair));               /* and nobody else has it */
    fair.count = 1;
    CHECK_STR("p0", from(&fair));
    CHECK_OK(object_get_own(fair.object, &cid, &got, SOON));
    CHECK(memcmp(got.bytes, object_bytes, LARGE_SIZE) == 0);
    object_got_free(&got);
    CHECK_STR("", from(&fair));
    close_fair(&fair);
    rig_shut(&rig);
    rig_remove(&rig);
}

/* ---- many ---- */

static wr_err get_beside(void *arg)
{
    struct fair *fair = arg;
    struct object_got got;
    wr_err err = get(fair, "not there", 9, &got);
    CHECK(err == WR_IO || err == WR_TIMEOUT || err == WR_CANCELED);
    return WR_OK;
}

LOCAL_TEST(so_many_are_fetched_at_once_and_one_more_is_refused)
{
    WITH_FAIR(HANGS);
    struct object_got got;
    struct wr_scope *scope;
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.many",
                                                           .deadline = WR_NEVER }));
    for (int i = 0; i < OBJECT_FETCHES_MAX; i++)
        CHECK_OK(wr_scope_go(scope, "test.get", get_beside, &fair));
    CHECK_OK(wr_sleep(wr_after(WR_MS(10))));
    CHECK_ERR(WR_BUSY, get(&fair, "abc", 3, &got));
    CHECK_OK(wr_scope_close(scope));
    CHECK_ERR(WR_IO, get(&fair, "abc", 3, &got));
    close_fair(&fair);
}

LOCAL_TEST(who_is_canceled_lets_go_at_once_and_blames_nobody)
{
    WITH_FAIR(HANGS);
    struct wr_scope *scope;
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.many",
                                                           .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "test.get", get_beside, &fair));
    CHECK_OK(wr_sleep(wr_after(WR_MS(10))));
    wr_time before = wr_now();
    wr_scope_cancel(scope);
    (void)!wr_scope_close(scope);
    CHECK_EQ(before, wr_now());
    CHECK_EQ(-1, latency_of(fair.latencies, "p0"));
    CHECK_STR("", written(&fair));
    close_fair(&fair);
}
