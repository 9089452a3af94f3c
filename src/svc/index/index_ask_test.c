#include "svc/index/index_ask.h"

#include <stdio.h>
#include <string.h>

#include <weir/oap.h>

#include "testing/test.h"

#define CID "b3:00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static struct index_ask ask;
static const char *clause;

static wr_err read_ask(uint16_t verb, const char *text)
{
    clause = NULL;
    return index_ask_read(&ask, verb, text, strlen(text), &clause);
}

TEST_PLAIN(an_object_is_asked_for_by_its_content_id)
{
    CHECK_OK(read_ask(WR_OAP_OBJ_GET, "{\"addr\":\"" CID "\"}"));
    CHECK_STR(CID, ask.key.text);
    CHECK_EQ(0x22, ask.key.cid.bytes[2]);
}

TEST_PLAIN(a_key_is_a_content_id_or_a_name_and_may_be_wanted_fresh)
{
    CHECK_OK(read_ask(WR_OAP_INDEX_RESOLVE, "{\"key\":\"name:Weir.Example\"}"));
    CHECK_STR("name:weir.example", ask.key.text);
    CHECK(!ask.fresh);
    CHECK_OK(read_ask(WR_OAP_INDEX_RESOLVE, "{\"fresh\":true,\"key\":\"" CID "\"}"));
    CHECK(ask.fresh);
}

TEST_PLAIN(providers_may_be_few_and_of_a_region)
{
    CHECK_OK(read_ask(WR_OAP_INDEX_PROVIDERS, "{\"cid\":\"" CID "\"}"));
    CHECK_EQ(RANK_LIMIT, ask.limit);
    CHECK_STR("", ask.region);
    CHECK_OK(read_ask(WR_OAP_INDEX_PROVIDERS,
                      "{\"cid\":\"" CID "\",\"limit\":7,\"region\":\"eu\"}"));
    CHECK_EQ(7, ask.limit);
    CHECK_STR("eu", ask.region);
}

TEST_PLAIN(a_limit_is_made_one_of_1_to_32)
{
    static const struct { const char *said; size_t is; } rows[] = {
        { "0", 1 }, { "-5", 1 }, { "1", 1 }, { "32", 32 }, { "33", 32 },
        { "9223372036854775807", 32 } };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char text[200];
        snprintf(text, sizeof(text), "{\"cid\":\"" CID "\",\"limit\":%s}", rows[i].said);
        CHECK_OK(read_ask(WR_OAP_INDEX_PROVIDERS, text));
        CHECK_EQ(rows[i].is, ask.limit);
    }
}

TEST_PLAIN(what_is_not_so_is_refused_with_a_clause_and_changes_nothing)
{
    static const struct { uint16_t verb; const char *text, *clause; } rows[] = {
        { WR_OAP_OBJ_GET, "", "it is asked with {\"addr\"" },
        { WR_OAP_OBJ_GET, "[]", "it is asked with {\"addr\"" },
        { WR_OAP_OBJ_GET, "{}", "it is asked with {\"addr\"" },
        { WR_OAP_OBJ_GET, "{\"addr\":1}", "a key is a text" },
        { WR_OAP_OBJ_GET, "{\"addr\":\"name:x\"}", "this needs a content id" },
        { WR_OAP_OBJ_GET, "{\"addr\":\"b3:12\"}", "" },
        { WR_OAP_OBJ_GET, "{\"addr\":\"" CID "\",\"more\":1}", "it is asked with" },
        { WR_OAP_OBJ_GET, "{\"addr\":\"" CID "\",\"addr\":\"" CID "\"}", "it is asked with" },
        { WR_OAP_OBJ_GET, "{\"cid\":\"" CID "\"}", "it is asked with" },
        { WR_OAP_INDEX_RESOLVE, "{\"fresh\":true}", "it is asked with {\"key\"" },
        { WR_OAP_INDEX_RESOLVE, "{\"key\":\"name:x\",\"fresh\":1}", "fresh is true or false" },
        { WR_OAP_INDEX_RESOLVE, "{\"key\":\"name:..\"}", "" },
        { WR_OAP_INDEX_PROVIDERS, "{\"cid\":\"" CID "\",\"limit\":\"5\"}", "limit is a whole" },
        { WR_OAP_INDEX_PROVIDERS, "{\"cid\":\"" CID "\",\"limit\":1.5}", "limit is a whole" },
        { WR_OAP_INDEX_PROVIDERS, "{\"cid\":\"" CID "\",\"region\":7}", "region is a text" },
        { WR_OAP_INDEX_PROVIDERS, "{\"cid\":\"" CID "\",\"region\":"
                                  "\"123456789012345678901234567890123\"}",
          "region is a text of at most 32" },
        { WR_OAP_INDEX_PROVIDERS, "{\"cid\":\"name:x\"}", "this needs a content id" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        memset(&ask, 7, sizeof(ask));
        CHECK_ERR(WR_INVALID, read_ask(rows[i].verb, rows[i].text));
        CHECK(clause && strncmp(clause, rows[i].clause, strlen(rows[i].clause)) == 0);
        CHECK_EQ(7, ask.key.text[0]);
    }
}
