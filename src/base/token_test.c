#include "base/token.h"

#include <stdlib.h>
#include <string.h>

#include "base/rand.h"
#include "testing/test.h"

/* Made apart from this code: CBOR by a few lines of script, MACs by `b3sum --keyed`. */
#define BARE \
    "pWNraWRiazFjbWFjWCDWEQLjZGT76wDC6gaX89oMw7mjkJpw7EGFQjFiGmFwf2N0aWRidDFlc2NvcGWh" \
    "Z21ldGhvZHOAZ2NhdmVhdHOA"
#define FULL \
    "pWNraWRiazFjbWFjWCAx_0H7ZRRxbupWzr5qg616xfN6NJk8vY4k7AftHDx-VmN0aWRidDFlc2NvcGWj" \
    "ZnByZWZpeGMvdjFnbWV0aG9kc4FjR0VUaW1heF9ieXRlcxkD6GdjYXZlYXRzhKJhdGNFeHBhdhp3NZQA" \
    "omF0Zk1ldGhvZGF2gmNHRVRjUFVUomF0ZFJhdGVhdqJlYnVyc3QUZXBlcl9zCqJhdGZDdXN0b21hdqNi" \
    "bnNjcm9uZG5hbWVlc2NvcGVldmFsdWWBamluZGV4LnJlYWQ"
#define STRANGE \
    "pWNraWRiazFjbWFjWCBQwAO8ftwjua3Y4Q-AS5EVtturiseuNsqdjkrqCMyhzmN0aWRidDFlc2NvcGWh" \
    "Z21ldGhvZHOAZ2NhdmVhdHOBomF0ZE1vb25hdqFlcGhhc2WCAQI"
#define OTHER_CUSTOM \
    "pWNraWRiazFjbWFjWCBppIrt5-YyYFJEtLXppGdI5qRV0zaxLavH-9MkMVf5mWN0aWRidDFlc2NvcGWh" \
    "Z21ldGhvZHOAZ2NhdmVhdHOBomF0ZkN1c3RvbWF2o2Juc2Nyb25kbmFtZWVvdGhlcmV2YWx1ZYFqaW5k" \
    "ZXgucmVhZA"

#define KEY "whats the Elvish word for friend"
#define NOW 1000000
#define MAC_AT 14                       /* in the bytes of a token with this key */

static struct wr_token_key key_of(const char *kid, const char *bytes)
{
    char room[32];
    struct wr_secret *secret = NULL;
    memcpy(room, bytes, sizeof(room));
    CHECK_OK(wr_secret_new(&secret, room, sizeof(room)));
    return (struct wr_token_key){ .kid = kid, .secret = secret };
}

static void drop_key(const struct wr_token_key *key)
{
    wr_secret_unref((struct wr_secret *)(uintptr_t)key->secret);
}

static struct wr_token_ask asking(void)
{
    static struct wr_addr peer;
    CHECK_OK(wr_addr_parse(&peer, "10.1.2.3:4"));
    return (struct wr_token_ask){
        .now_s = NOW, .aud = "node", .scope = "index.read", .method = "GET",
        .path = "/v1/index", .tenant = "acme", .policy = "b3:00", .peer = &peer, .size = 100,
    };
}

static const char *text_of(const struct wr_token *token)
{
    static char buf[WR_TOKEN_TEXT_MAX];
    wr_token_print(token, buf);
    return buf;
}

/* Verify a text: the word of the verdict. */
static struct wr_token_verdict verdict;

static const char *judge_at(const char *text, const struct wr_token_key *key,
                            const struct wr_token_ask *ask)
{
    static struct wr_token token;
    bool fine = wr_token_parse(&token, text, strlen(text), &verdict)
        && wr_token_verify(&token, key, 1, ask, &verdict);
    CHECK(fine == (verdict.state == WR_TOKEN_FINE));
    CHECK(fine == (verdict.status == 200));
    CHECK(verdict.why != NULL);
    return wr_token_state_word(verdict.state);
}

static const char *judge(const char *text, const struct wr_token_key *key)
{
    struct wr_token_ask ask = asking();
    return judge_at(text, key, &ask);
}

#define ADD(token, key, ...) wr_token_add(token, key, &(struct wr_caveat_conf){ __VA_ARGS__ })
#define TEXTS(...) .texts = (const char *const[]){ __VA_ARGS__ }, \
    .count = sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *)

/* ---- golden ---- */

TEST_PLAIN(a_token_is_the_bytes_that_the_format_says)
{
    struct wr_token_key key = key_of("k1", KEY);
    struct wr_token token;
    CHECK_OK(wr_token_mint(&token, &key, "t1"));
    CHECK_STR(BARE, text_of(&token));
    CHECK_STR("fine", judge(BARE, &key));
    drop_key(&key);
}

TEST_PLAIN(a_token_with_scope_and_caveats_is_judged_by_both)
{
    struct wr_token_key key = key_of("k1", KEY);
    struct wr_token_ask ask = asking();
    CHECK_STR("fine", judge(FULL, &key));
    CHECK_EQ(10, verdict.rate.per_s);
    CHECK_EQ(20, verdict.rate.burst);
    ask.path = "/v2";
    CHECK_STR("denied", judge_at(FULL, &key, &ask));
    CHECK(verdict.scope_denied);
    CHECK_STR("scope", verdict.caveat);
    ask = asking();
    ask.method = "PUT";                 /* a caveat allows it, the scope does not */
    CHECK_STR("denied", judge_at(FULL, &key, &ask));
    CHECK_EQ(0, verdict.denied);
    ask = asking();
    ask.size = 1001;
    CHECK_STR("denied", judge_at(FULL, &key, &ask));
    ask = asking();
    ask.scope = "index.admin";
    CHECK_STR("denied", judge_at(FULL, &key, &ask));
    CHECK_EQ(8, verdict.denied);        /* the fourth caveat */
    CHECK_STR("Custom", verdict.caveat);
    CHECK_EQ(403, verdict.status);
    drop_key(&key);
}

TEST_PLAIN(a_caveat_that_nobody_knows_denies)
{
    struct wr_token_key key = key_of("k1", KEY);
    CHECK_STR("denied", judge(STRANGE, &key));
    CHECK_STR("unknown", verdict.caveat);
    CHECK_STR("denied", judge(OTHER_CUSTOM, &key));
    CHECK_STR("Custom", verdict.caveat);
    drop_key(&key);
}

/* ---- the chain ---- */

TEST_PLAIN(another_key_or_an_unknown_one_is_refused)
{
    struct wr_token_key key = key_of("k1", "another key of thirty-two bytes.");
    struct wr_token_key other = key_of("k2", KEY);
    CHECK_STR("mac_mismatch", judge(BARE, &key));
    CHECK_EQ(401, verdict.status);
    CHECK_STR("unknown_kid", judge(BARE, &other));
    CHECK_EQ(401, verdict.status);
    drop_key(&key);
    drop_key(&other);
}

TEST_PLAIN(any_changed_character_is_refused)
{
    struct wr_token_key key = key_of("k1", KEY);
    char text[] = FULL;
    for (size_t i = 0; i < strlen(FULL); i++) {
        for (int bit = 0; bit < 8; bit++) {
            text[i] = (char)(FULL[i] ^ 1 << bit);
            judge(text, &key);
            CHECK_EQ(401, verdict.status);
        }
        text[i] = FULL[i];
    }
    CHECK_STR("fine", judge(text, &key));
    drop_key(&key);
}

TEST_PLAIN(any_shorter_or_longer_text_is_refused)
{
    struct wr_token_key key = key_of("k1", KEY);
    char text[sizeof(FULL) + 4];
    for (size_t len = 0; len < strlen(FULL); len++) {
        memcpy(text, FULL, len);
        text[len] = '\0';
        CHECK_STR("malformed", judge(text, &key));
    }
    CHECK_STR("malformed", judge(FULL "AAAA", &key));
    CHECK_STR("malformed", judge(FULL "=", &key));
    CHECK_STR("malformed", judge(" " FULL, &key));
    drop_key(&key);
}

TEST_PLAIN(the_order_of_caveats_is_part_of_the_mac)
{
    struct wr_token_key key = key_of("k1", KEY);
    struct wr_token a, b;
    CHECK_OK(wr_token_mint(&a, &key, "t1"));
    CHECK_OK(wr_token_mint(&b, &key, "t1"));
    CHECK_OK(ADD(&a, &key, .kind = WR_CAVEAT_EXP, .number = 2L * NOW));
    CHECK_OK(ADD(&a, &key, .kind = WR_CAVEAT_NBF, .number = 2));
    CHECK_OK(ADD(&b, &key, .kind = WR_CAVEAT_NBF, .number = 2));
    CHECK_OK(ADD(&b, &key, .kind = WR_CAVEAT_EXP, .number = 2L * NOW));
    CHECK(!wr_hash_equal(&a.mac, &b.mac));
    memcpy(a.bytes + MAC_AT, b.mac.bytes, WR_HASH_SIZE);
    CHECK_STR("mac_mismatch", judge(text_of(&a), &key));
    CHECK_STR("fine", judge(text_of(&b), &key));
    drop_key(&key);
}

TEST_PLAIN(a_caveat_cannot_be_taken_away)
{
    struct wr_token_key key = key_of("k1", KEY);
    struct wr_token parent, child;
    CHECK_OK(wr_token_mint(&parent, &key, "t1"));
    CHECK_OK(wr_token_mint(&child, &key, "t1"));
    CHECK_OK(ADD(&child, &key, .kind = WR_CAVEAT_EXP, .number = 1));
    memcpy(parent.bytes + MAC_AT, child.mac.bytes, WR_HASH_SIZE);
    CHECK_STR("mac_mismatch", judge(text_of(&parent), &key));
    drop_key(&key);
}

TEST_PLAIN(without_the_key_nothing_is_added)
{
    struct wr_token_key key = key_of("k1", KEY);
    struct wr_token_key wrong = key_of("k1", "another key of thirty-two bytes.");
    struct wr_token_key other = key_of("k2", KEY);
    struct wr_token token;
    CHECK_OK(wr_token_mint(&token, &key, "t1"));
    CHECK_ERR(WR_DENIED, ADD(&token, &wrong, .kind = WR_CAVEAT_EXP, .number = 1));
    CHECK_ERR(WR_DENIED, ADD(&token, &other, .kind = WR_CAVEAT_EXP, .number = 1));
    CHECK_STR(BARE, text_of(&token));
    drop_key(&key);
    drop_key(&wrong);
    drop_key(&other);
}

/* ---- time ---- */

TEST_PLAIN(a_token_is_valid_up_to_a_minute_after_its_end)
{
    struct wr_token_key key = key_of("k1", KEY);
    struct wr_token_ask ask = asking();
    struct wr_token token;
    CHECK_OK(wr_token_mint(&token, &key, "t1"));
    CHECK_OK(ADD(&token, &key, .kind = WR_CAVEAT_EXP, .number = NOW));
    ask.now_s = NOW + 60;
    CHECK_STR("fine", judge_at(text_of(&token), &key, &ask));
    ask.now_s = NOW + 61;
    CHECK_STR("expired", judge_at(text_of(&token), &key, &ask));
    CHECK_EQ(401, verdict.status);
    drop_key(&key);
}

TEST_PLAIN(a_token_is_valid_from_a_minute_before_its_beginning)
{
    struct wr_token_key key = key_of("k1", KEY);
    struct wr_token_ask ask = asking();
    struct wr_token token;
    CHECK_OK(wr_token_mint(&token, &key, "t1"));
    CHECK_OK(ADD(&token, &key, .kind = WR_CAVEAT_NBF, .number = NOW));
    ask.now_s = NOW - 60;
    CHECK_STR("fine", judge_at(text_of(&token), &key, &ask));
    ask.now_s = NOW - 61;
    CHECK_STR("not_yet_valid", judge_at(text_of(&token), &key, &ask));
    CHECK_EQ(401, verdict.status);
    drop_key(&key);
}

/* A forged token must not be told from an expired one by trying. */
TEST_PLAIN(a_forged_token_is_forged_before_it_is_expired)
{
    struct wr_token_key key = key_of("k1", KEY);
    struct wr_token token;
    CHECK_OK(wr_token_mint(&token, &key, "t1"));
    CHECK_OK(ADD(&token, &key, .kind = WR_CAVEAT_EXP, .number = 1));
    token.bytes[MAC_AT] ^= 1;
    CHECK_STR("mac_mismatch", judge(text_of(&token), &key));
    drop_key(&key);
}

/* ---- bounds ---- */

TEST_PLAIN(a_token_has_at_most_64_caveats)
{
    struct wr_token_key key = key_of("k1", KEY);
    struct wr_token token;
    CHECK_OK(wr_token_mint(&token, &key, "t1"));
    for (int i = 0; i < WR_TOKEN_CAVEATS_MAX; i++)
        CHECK_OK(ADD(&token, &key, .kind = WR_CAVEAT_EXP, .number = 2L * NOW));
    CHECK_ERR(WR_NOMEM, ADD(&token, &key, .kind = WR_CAVEAT_EXP, .number = 2L * NOW));
    CHECK_STR("fine", judge(text_of(&token), &key));

    /* One more, put in by hand: the count is two bytes, 0x98 0x40, and becomes 0x41. */
    struct wr_cbor_span last = token.caveats[63].raw;
    unsigned char *count = memmem(token.bytes, token.size, "caveats\x98\x40", 9);
    REQUIRE(count != NULL);
    count[8] = 0x41;
    memcpy(token.bytes + token.size, last.at, last.len);
    token.size += last.len;
    CHECK_STR("bounds", judge(text_of(&token), &key));
    CHECK_EQ(401, verdict.status);
    drop_key(&key);
}

TEST_PLAIN(a_token_has_at_most_4096_bytes)
{
    struct wr_token_key key = key_of("k1", KEY);
    struct wr_token token;
    static char path[2500] = "/";
    memset(path + 1, 'a', sizeof(path) - 2);
    CHECK_OK(wr_token_mint(&token, &key, "t1"));
    CHECK_OK(ADD(&token, &key, .kind = WR_CAVEAT_PATH_PREFIX, TEXTS(path)));
    CHECK_ERR(WR_NOMEM, ADD(&token, &key, .kind = WR_CAVEAT_PATH_PREFIX, TEXTS(path)));
    CHECK_STR("denied", judge(text_of(&token), &key));

    static char long_text[WR_TOKEN_TEXT_MAX + 10];
    memset(long_text, 'A', sizeof(long_text) - 1);
    CHECK_STR("bounds", judge(long_text, &key));
    drop_key(&key);
}

TEST_PLAIN(names_and_keys_of_other_sizes_make_no_token)
{
    struct wr_token_key key = key_of("k1", KEY), nameless = { "", key.secret };
    struct wr_token token;
    char room[16] = "short", name[66];
    struct wr_secret *small = NULL;
    memset(name, 'n', 65);
    name[65] = '\0';
    CHECK_ERR(WR_INVALID, wr_token_mint(&token, &key, name));
    CHECK_ERR(WR_INVALID, wr_token_mint(&token, &key, ""));
    CHECK_ERR(WR_INVALID, wr_token_mint(&token, &nameless, "t1"));
    CHECK_OK(wr_secret_new(&small, room, sizeof(room)));
    CHECK_ERR(WR_INVALID, wr_token_mint(&token, &(struct wr_token_key){ "k1", small }, "t1"));
    CHECK_STR("mac_mismatch", judge(BARE, &(struct wr_token_key){ "k1", small }));
    wr_secret_unref(small);
    drop_key(&key);
}

/* ---- what the caller enforces ---- */

TEST_PLAIN(the_strictest_rate_counts_and_children_share_the_id)
{
    struct wr_token_key key = key_of("k1", KEY);
    struct wr_token token;
    unsigned char id[WR_TOKEN_ID_SIZE];
    CHECK_OK(wr_token_mint(&token, &key, "t1"));
    CHECK_STR("fine", judge(text_of(&token), &key));
    CHECK_EQ(0, verdict.rate.per_s);
    memcpy(id, verdict.id, sizeof(id));
    CHECK_OK(ADD(&token, &key, .kind = WR_CAVEAT_RATE, .rate = { 10, 50 }));
    CHECK_OK(ADD(&token, &key, .kind = WR_CAVEAT_RATE, .rate = { 100, 20 }));
    CHECK_STR("fine", judge(text_of(&token), &key));
    CHECK_EQ(10, verdict.rate.per_s);
    CHECK_EQ(20, verdict.rate.burst);
    CHECK(memcmp(id, verdict.id, sizeof(id)) == 0);
    CHECK_OK(wr_token_mint(&token, &key, "t2"));
    CHECK_STR("fine", judge(text_of(&token), &key));
    CHECK(memcmp(id, verdict.id, sizeof(id)) != 0);
    drop_key(&key);
}

TEST_PLAIN(a_wiped_token_holds_nothing)
{
    struct wr_token_key key = key_of("k1", KEY);
    struct wr_token token;
    CHECK_OK(wr_token_mint(&token, &key, "t1"));
    wr_token_wipe(&token);
    for (size_t i = 0; i < sizeof(token); i++)
        REQUIRE(((unsigned char *)&token)[i] == 0);
    drop_key(&key);
}

/* ---- attenuation only takes away ---- */

static struct wr_caveat_conf random_caveat(struct wr_rand *rand)
{
    static const char *const lists[][2] = {
        { "GET", "PUT" }, { "PUT", "POST" }, { "index.read", "index.pin" }, { "node", "x" },
        { "/v1", "/" }, { "10.0.0.0/8", "10.1.2.3" }, { "acme", "b3:00" }, { "b3:00", "/v" },
        { "192.168.0.0/16", "::/0" },
    };
    struct wr_caveat_conf conf = { .kind = (enum wr_caveat_kind)wr_rand_below(rand, 12) };
    conf.number = wr_rand_below(rand, 3) * NOW;
    conf.rate.per_s = 1 + wr_rand_below(rand, 9);
    conf.rate.burst = 1 + wr_rand_below(rand, 9);
    conf.truth = wr_rand_below(rand, 2);
    conf.texts = lists[wr_rand_below(rand, sizeof(lists) / sizeof(lists[0]))];
    conf.count = conf.kind == WR_CAVEAT_METHOD || conf.kind == WR_CAVEAT_CUSTOM
        ? wr_rand_below(rand, 3) : 1;
    return conf;
}

static struct wr_token_ask random_ask(struct wr_rand *rand)
{
    static const char *const methods[] = { NULL, "GET", "PUT" };
    static const char *const paths[] = { NULL, "/v1", "/v1/a", "/v2" };
    static const char *const scopes[] = { NULL, "index.read", "index.pin" };
    struct wr_token_ask ask = asking();
    ask.now_s += (int64_t)wr_rand_below(rand, 3) * NOW - NOW;
    ask.method = methods[wr_rand_below(rand, 3)];
    ask.path = paths[wr_rand_below(rand, 4)];
    ask.scope = scopes[wr_rand_below(rand, 3)];
    ask.size = (int64_t)wr_rand_below(rand, 3) - 1;
    ask.amnesia = wr_rand_below(rand, 2);
    if (wr_rand_below(rand, 4) == 0)
        ask.peer = NULL, ask.tenant = NULL, ask.aud = NULL;
    return ask;
}

TEST_PLAIN(a_child_never_may_more_than_its_parent)
{
    struct wr_token_key key = key_of("k1", KEY);
    struct wr_rand rand;
    unsigned allowed = 0, taken = 0;
    wr_rand_seed(&rand, 1);
    for (int round = 0; round < test_rounds(3000); round++) {
        struct wr_token token;
        CHECK_OK(wr_token_mint(&token, &key, "t1"));
        struct wr_token_ask ask = random_ask(&rand);
        bool before = true;
        struct wr_token_rate rate = { 0 };
        for (int i = 0; i < 4; i++) {
            struct wr_caveat_conf conf = random_caveat(&rand);
            wr_err err = wr_token_add(&token, &key, &conf);
            CHECK(err == WR_OK || err == WR_INVALID);
            bool fine = wr_token_verify(&token, &key, 1, &ask, &verdict);
            CHECK(before || !fine);
            CHECK(verdict.state != WR_TOKEN_MAC_MISMATCH);
            if (fine && rate.per_s)
                CHECK(verdict.rate.per_s <= rate.per_s && verdict.rate.burst <= rate.burst);
            allowed += fine;
            taken += before && !fine;
            before = fine;
            rate = verdict.rate;
        }
    }
    unsigned many = (unsigned)test_rounds(3000) / 30;
    CHECK(allowed > many && taken > many);
    drop_key(&key);
}

/* ---- what else it says ---- */

TEST_PLAIN(it_says_whether_it_is_bound_to_a_tenant)
{
    struct wr_token_key key = key_of("k1", KEY);
    struct wr_token token;
    CHECK_OK(wr_token_mint(&token, &key, "t1"));
    CHECK_STR("fine", judge(text_of(&token), &key));
    CHECK(!verdict.tenant_bound);
    CHECK_OK(ADD(&token, &key, .kind = WR_CAVEAT_TENANT, TEXTS("acme")));
    CHECK_STR("fine", judge(text_of(&token), &key));
    CHECK(verdict.tenant_bound);
    drop_key(&key);
}

TEST_PLAIN(its_scopes_are_those_that_every_list_has)
{
    struct wr_token_key key = key_of("k1", KEY);
    struct wr_token token;
    char scopes[WR_TOKEN_MAX] = "?";
    CHECK_OK(wr_token_mint(&token, &key, "t1"));
    CHECK(!wr_token_scopes(&token, scopes));
    CHECK_OK(ADD(&token, &key, .kind = WR_CAVEAT_AUD, TEXTS("node")));
    CHECK(!wr_token_scopes(&token, scopes));
    CHECK_OK(ADD(&token, &key, .kind = WR_CAVEAT_CUSTOM, TEXTS("a", "b", "x\ny", "c")));
    CHECK(wr_token_scopes(&token, scopes));
    CHECK_STR("a\nb\nc\n", scopes);
    CHECK_OK(ADD(&token, &key, .kind = WR_CAVEAT_CUSTOM, TEXTS("c", "a", "d")));
    CHECK(wr_token_scopes(&token, scopes));
    CHECK_STR("a\nc\n", scopes);
    CHECK_OK(ADD(&token, &key, .kind = WR_CAVEAT_CUSTOM, TEXTS("d")));
    CHECK(wr_token_scopes(&token, scopes));
    CHECK_STR("", scopes);
    drop_key(&key);
}
