/* index_admin_test.c - what operators do to the index, in a whole node. */
#include "svc/index/index_admin.h"

#include <weir/task.h>

#include "base/world.h"
#include "store/audit.h"
#include "store/idempotency.h"
#include "svc/index/catalog.h"
#include "testing/index_node_rig.h"
#include "testing/token_rig.h"

#define PIN "{\"cid\":\"" CID_OF("a") "\"}"
#define SEED "{\"name\":\"Weir.Example\",\"cid\":\"" CID_OF("a") "\"}"
#define KEY "Idempotency-Key: one\r\n"

/* How many events of a type there are; the detail of the last is in `detail`. */
static char detail[1000], actor[100];

static size_t events(const char *type)
{
    struct store_events list;
    size_t count = 0;
    REQUIRE_OK(store_audit_list(index_service_desk(service)->store, 0, 1000, &list,
                                wr_after(WR_S(1))), 0);
    for (size_t i = 0; i < list.count; i++) {
        struct store_event event = store_event_at(&list, i);
        if (strcmp(event.type, type) != 0)
            continue;
        count++;
        snprintf(detail, sizeof(detail), "%s", event.detail);
        snprintf(actor, sizeof(actor), "%s", event.actor);
    }
    store_events_free(&list);
    return count;
}

static size_t pins(void)
{
    struct store_pointers list;
    REQUIRE_OK(catalog_pins(index_service_desk(service)->store, NULL, 100, &list,
                            wr_after(WR_S(1))), 0);
    size_t count = list.count;
    store_pointers_free(&list);
    return count;
}

TEST(a_pin_is_one_until_it_is_unpinned_and_each_is_one_event)
{
    struct rig rig;
    index_node_begin(&rig, NULL);
    CHECK_EQ(200, index_node_send(&rig, "POST", "/admin/pin", "", PIN));
    CHECK_STR("{\"ok\":true}", answer.body);
    CHECK_EQ(1, pins());
    CHECK_EQ(1, events("index.pin"));
    CHECK_STR("{\"cid\":\"" CID_OF("a") "\"}", detail);
    CHECK(strncmp(actor, "127.0.0.1:", 10) == 0);
    CHECK_EQ(200, index_node_send(&rig, "POST", "/admin/unpin", "", PIN));
    CHECK_EQ(0, pins());
    CHECK_EQ(1, events("index.unpin"));
    index_node_end(&rig);
}

TEST(no_more_are_pinned_than_may_be_and_once_more_needs_no_room)
{
    struct rig rig;
    index_node_begin(&rig, (const char *const[]){ "--index-pins-max=1", NULL });
    CHECK_EQ(200, index_node_send(&rig, "POST", "/admin/pin", "", PIN));
    CHECK_EQ(200, index_node_send(&rig, "POST", "/admin/pin", "", PIN));
    CHECK_EQ(429, index_node_send(&rig, "POST", "/admin/pin", "",
                                  "{\"cid\":\"" CID_OF("b") "\"}"));
    CHECK(says("as many as index.pins_max allows"));
    CHECK_EQ(1, pins());
    index_node_end(&rig);
}

TEST(a_seed_is_the_pointer_of_a_site)
{
    struct rig rig;
    index_node_begin(&rig, NULL);
    CHECK_EQ(202, index_node_send(&rig, "PUT", "/admin/seed", "", SEED));
    CHECK_STR("{\"ok\":true,\"name\":\"weir.example\",\"cid\":\"" CID_OF("a") "\"}",
              answer.body);
    CHECK_EQ(200, rig_get(&rig, "/v1/index/sites/weir.example/manifest", &answer));
    CHECK(says("\"manifest_cid\":\"" CID_OF("a") "\""));
    CHECK_EQ(1, events("index.seed"));
    index_node_end(&rig);
}

TEST(a_reindex_has_a_task_and_says_how_many_keys)
{
    struct rig rig;
    index_node_begin(&rig, NULL);
    CHECK_EQ(202, index_node_send(&rig, "POST", "/admin/reindex", "",
                                  "{\"keys\":[\"name:a\",\"" CID_OF("a") "\"]}"));
    CHECK(strncmp(answer.body, "{\"task_id\":\"", 12) == 0);
    CHECK_EQ(1, events("index.reindex"));
    CHECK(strstr(detail, "\"keys\":2}"));
    index_node_end(&rig);
}

TEST(what_is_refused_is_no_event)
{
    static const char *const bad[] = {
        "", "[]", "{}", "{\"cid\":7}", "{\"cid\":\"name:a\"}", "{\"cid\":\"b3:12\"}",
        "{\"cid\":\"" CID_OF("a") "\",\"more\":1}",
    };
    struct rig rig;
    index_node_begin(&rig, NULL);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        CHECK_EQ(400, index_node_send(&rig, "POST", "/admin/pin", "", bad[i]));
    CHECK(says("\"code\":\"bad_request\""));
    CHECK_EQ(415, index_node_send(&rig, "POST", "/admin/pin", "Content-Type: a/b\r\n", PIN));
    CHECK_EQ(400, index_node_send(&rig, "POST", "/admin/reindex", "", "{\"keys\":[]}"));
    CHECK_EQ(400, index_node_send(&rig, "POST", "/admin/reindex", "",
                                  "{\"keys\":[\"name:a\"],\"priority\":\"urgent\"}"));
    CHECK_EQ(400, index_node_send(&rig, "POST", "/admin/reindex", "",
                                  "{\"keys\":[\"name:a\",\"b\"]}"));
    CHECK(says("the 2th"));
    CHECK_EQ(400, index_node_send(&rig, "POST", "/admin/pin", "Idempotency-Key: a b\r\n", PIN));
    CHECK_EQ(0, events("index.pin") + events("index.reindex"));
    CHECK_EQ(0, pins());
    index_node_end(&rig);
}

TEST(the_same_key_is_done_once_and_gets_the_first_answer)
{
    struct rig rig;
    char first[200];
    index_node_begin(&rig, NULL);
    CHECK_EQ(202, index_node_send(&rig, "POST", "/admin/reindex", KEY,
                                  "{\"keys\":[\"name:a\"]}"));
    snprintf(first, sizeof(first), "%.199s", answer.body);
    CHECK_EQ(202, index_node_send(&rig, "POST", "/admin/reindex", KEY,
                                  "{\"keys\":[\"name:a\"]}"));
    CHECK_STR(first, answer.body);
    CHECK(head_says("Idempotency-Replayed: true"));
    CHECK_EQ(1, events("index.reindex"));
    CHECK_EQ(202, index_node_send(&rig, "POST", "/admin/reindex", "Idempotency-Key: two\r\n",
                                  "{\"keys\":[\"name:a\"]}"));
    CHECK(strcmp(first, answer.body) != 0);
    CHECK_EQ(2, events("index.reindex"));
    index_node_end(&rig);
}

TEST(the_same_key_with_another_body_is_a_conflict)
{
    struct rig rig;
    index_node_begin(&rig, NULL);
    CHECK_EQ(200, index_node_send(&rig, "POST", "/admin/pin", KEY, PIN));
    CHECK_EQ(409, index_node_send(&rig, "POST", "/admin/pin", KEY,
                                  "{\"cid\":\"" CID_OF("b") "\"}"));
    CHECK(says("\"code\":\"conflict\""));
    CHECK_EQ(1, events("index.pin"));
    CHECK_EQ(1, pins());
    CHECK_EQ(200, index_node_send(&rig, "POST", "/admin/unpin", KEY, PIN));  /* another route */
    index_node_end(&rig);
}

TEST(when_as_many_keys_are_kept_as_may_one_more_is_too_much_and_none_is_fine)
{
    struct rig rig;
    struct store_once was;
    char key[8];
    index_node_begin(&rig, NULL);
    for (int i = 0; i < 10000; i++) {
        snprintf(key, sizeof(key), "k%d", i);
        CHECK_OK(store_once_begin(index_service_desk(service)->store, &(struct store_once_ask){
            "POST /admin/pin", key, "d", WR_S(60), 10000 }, &was, WR_NEVER));
        store_once_free(&was);
    }
    CHECK_EQ(429, index_node_send(&rig, "POST", "/admin/pin", KEY, PIN));
    CHECK(says("\"code\":\"over_capacity\"") && says("10000 Idempotency-Keys are kept"));
    CHECK_EQ(0, pins());
    CHECK_EQ(200, index_node_send(&rig, "POST", "/admin/pin", "", PIN));
    index_node_end(&rig);
}

static const struct wr_world *true_world;

static int64_t wall_tomorrow(void)
{
    return true_world->wall() + WR_S(24 * 3600);
}

TEST(after_a_day_a_key_is_new_and_nothing_is_left_of_the_old_one)
{
    struct rig rig;
    if (IN_TSAN)
        SKIP("the world is exchanged while others read it");
    index_node_begin(&rig, NULL);
    CHECK_EQ(200, index_node_send(&rig, "POST", "/admin/pin", KEY, PIN));
    true_world = wr_world;
    struct wr_world tomorrow = *wr_world;
    tomorrow.wall = wall_tomorrow;
    wr_world = &tomorrow;
    CHECK_OK(wr_sleep(wr_after(WR_S(70))));
    CHECK_EQ(200, index_node_send(&rig, "POST", "/admin/pin", KEY,
                                  "{\"cid\":\"" CID_OF("b") "\"}"));
    CHECK_EQ(2, events("index.pin"));
    wr_world = true_world;
    index_node_end(&rig);
}

TEST(the_key_of_another_is_another_key)
{
    struct rig rig;
    struct token_rig tokens;
    char alice[TOKEN_HEADER_MAX + 40], bob[TOKEN_HEADER_MAX + 40];
    token_rig_open(&tokens);
    token_rig_header_of(&tokens, alice, "alice", "index.admin index.pin", NULL);
    token_rig_header_of(&tokens, bob, "bob", "index.admin index.pin", NULL);
    snprintf(alice + strlen(alice), sizeof(alice) - strlen(alice), KEY);
    snprintf(bob + strlen(bob), sizeof(bob) - strlen(bob), KEY);
    index_node_begin(&rig, (const char *const[]){ "--auth-key-path", tokens.path, NULL });
    CHECK_EQ(200, index_node_send(&rig, "POST", "/admin/pin", KEY, PIN));
    CHECK_EQ(200, index_node_send(&rig, "POST", "/admin/pin", alice, PIN));
    CHECK(!strstr(answer.head, "Idempotency-Replayed"));
    CHECK_EQ(200, index_node_send(&rig, "POST", "/admin/pin", bob,
                                  "{\"cid\":\"" CID_OF("b") "\"}"));       /* no conflict */
    CHECK_EQ(3, events("index.pin"));
    CHECK_EQ(200, index_node_send(&rig, "POST", "/admin/pin", alice, PIN));
    CHECK(head_says("Idempotency-Replayed: true"));
    CHECK_EQ(409, index_node_send(&rig, "POST", "/admin/pin", bob, PIN));
    CHECK_EQ(3, events("index.pin"));
    index_node_end(&rig);
    token_rig_close(&tokens);
}
