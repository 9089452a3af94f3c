#include "store/reward.h"

#include <string.h>

#include "testing/store_rig.h"

#define SOON wr_after(WR_S(5))

static const char three[] = "[{\"key\":\"k1\",\"to\":\"a\",\"amount\":\"10\"},"
                            "{\"key\":\"k2\",\"to\":\"b\",\"amount\":\"20\"},"
                            "{\"key\":\"k3\",\"to\":\"c\",\"amount\":"
                            "\"340282366920938463463374607431768211455\"}]";

static enum store_run_state state_of(struct store *store, const char *key)
{
    struct store_run run;
    wr_err err = store_run_get(store, key, &run, SOON);
    enum store_run_state state = err ? 0 : run.state;
    store_run_free(&run);
    return state;
}

static size_t open_intents(struct store *store, const char *run)
{
    struct store_intents intents;
    CHECK_OK(store_intent_list(store, run, 10, &intents, SOON));
    size_t count = intents.count;
    store_intents_free(&intents);
    return count;
}

STORE_TEST(an_epoch_has_one_run_that_is_not_over)
{
    CHECK_OK(store_run_open(store, "r1", "e1", SOON));
    CHECK_ERR(WR_EXISTS, store_run_open(store, "r1", "e1", SOON));
    CHECK_ERR(WR_BUSY, store_run_open(store, "r2", "e1", SOON));
    CHECK_OK(store_run_open(store, "r3", "e2", SOON));
    CHECK_OK(store_run_seal(store, "r1", STORE_RUN_QUARANTINED, "{}", NULL, SOON));
    CHECK_ERR(WR_EXISTS, store_run_open(store, "r1", "e1", SOON));
    CHECK_OK(store_run_open(store, "r2", "e1", SOON));
    CHECK_EQ(STORE_RUN_QUARANTINED, state_of(store, "r1"));
    CHECK_EQ(STORE_RUN_OPEN, state_of(store, "r2"));
}

STORE_TEST(a_sealed_run_has_its_manifest_and_intents_and_never_changes)
{
    struct store_run run;
    struct store_intents intents;
    CHECK_OK(store_run_open(store, "r1", "e1", SOON));
    CHECK_OK(store_run_seal(store, "r1", STORE_RUN_OK, "{\"pool\":1}", three, SOON));
    CHECK_ERR(WR_NOTFOUND, store_run_seal(store, "r1", STORE_RUN_FAILED, "{}", NULL, SOON));
    CHECK_OK(store_run_get(store, "r1", &run, SOON));
    CHECK_EQ(STORE_RUN_OK, run.state);
    CHECK_STR("{\"pool\":1}", run.manifest);
    CHECK_STR("e1", run.epoch);
    store_run_free(&run);
    CHECK_OK(store_intent_list(store, "r1", 10, &intents, SOON));
    REQUIRE(intents.count == 3);
    CHECK_STR("k1", store_intent_at(&intents, 0).key);
    CHECK_STR("c", store_intent_at(&intents, 2).to);
    CHECK_STR("340282366920938463463374607431768211455", store_intent_at(&intents, 2).amount);
    store_intents_free(&intents);
}

STORE_TEST(a_run_is_sealed_whole_or_not_at_all)
{
    CHECK_OK(store_run_open(store, "r1", "e1", SOON));
    CHECK_OK(store_run_seal(store, "r1", STORE_RUN_OK, "{}", three, SOON));
    CHECK_OK(store_run_open(store, "r2", "e2", SOON));
    CHECK_ERR(WR_EXISTS, store_run_seal(store, "r2", STORE_RUN_OK, "{}",
        "[{\"key\":\"new\",\"to\":\"a\",\"amount\":\"1\"},"
        "{\"key\":\"k1\",\"to\":\"a\",\"amount\":\"1\"}]", SOON));
    CHECK_EQ(STORE_RUN_OPEN, state_of(store, "r2"));
    CHECK_EQ(0, open_intents(store, "r2"));
    CHECK_ERR(WR_NOTFOUND, store_run_seal(store, "none", STORE_RUN_OK, "{}", three, SOON));
}

STORE_TEST(a_list_of_intents_that_cannot_be_read_is_its_own_fault)
{
    static const char *const bad[] = {
        "not json", "[{\"key\":\"new\",\"to\":\"a\",\"amount\":\"1\"},\"abc\"]",
        "[{\"key\":\"new\",\"to\":\"a\",\"amount\":\"1\"},{}]" };
    struct store_health health;
    CHECK_OK(store_run_open(store, "r1", "e1", SOON));
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        CHECK_ERR(WR_INVALID, store_run_seal(store, "r1", STORE_RUN_OK, "{}", bad[i], SOON));
        CHECK_EQ(STORE_RUN_OPEN, state_of(store, "r1"));
        CHECK_EQ(0, open_intents(store, "r1"));
    }
    store_health(store, &health);
    CHECK_EQ(STORE_OK, health.state);
    CHECK_OK(store_run_seal(store, "r1", STORE_RUN_OK, "{}", three, SOON));
    CHECK_EQ(3, open_intents(store, "r1"));
}

STORE_TEST(an_intent_is_done_once_and_then_no_longer_listed)
{
    CHECK_OK(store_run_open(store, "r1", "e1", SOON));
    CHECK_OK(store_run_seal(store, "r1", STORE_RUN_OK, "{}", three, SOON));
    CHECK_OK(store_intent_done(store, "k2", "receipt", SOON));
    CHECK_ERR(WR_NOTFOUND, store_intent_done(store, "k2", "receipt", SOON));
    CHECK_EQ(2, open_intents(store, "r1"));
}

STORE_TEST(the_ledger_takes_a_key_once)
{
    struct store_intent intent = { .key = "k1", .to = "a", .amount = "10" };
    CHECK_OK(store_ledger_add(store, &intent, SOON));
    CHECK_ERR(WR_EXISTS, store_ledger_add(store, &intent, SOON));
}
