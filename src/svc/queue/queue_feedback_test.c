/* queue_feedback_test.c - what a person says of what was found. */
#include "svc/queue/queue_feedback.h"

#include <stdio.h>

#include "store/claim.h"
#include "store/domain_rule.h"
#include "store/edge.h"
#include "store/webpage.h"
#include "testing/queue_rig.h"

static struct queue_rig jobs;
static struct queue_desk desk;
static struct queue_why why;
static char buf[2000], claim[STORE_EVIDENCE_ID], edge[STORE_EVIDENCE_ID + 8];

static const json_t *of_json(const void *from, const char *name)
{
    return json_object_get(from, name);
}

/* %s stands for an id. */
static wr_err say(const char *arguments, const char *id)
{
    char said[1000];
    struct wr_text text = WR_TEXT(buf);
    snprintf(said, sizeof(said), arguments, id);
    json_t *json = json_loads(said, 0, NULL);
    CHECK(json);
    why = (struct queue_why){ 0 };
    wr_err err = queue_feedback(&desk, &(struct queue_said){ of_json, json }, &text, &why,
                                QUEUE_RIG_SOON);
    json_decref(json);
    return err;
}

/* A claim of one page, and a judgement about it by another. */
static void begin(struct store *store)
{
    struct store_page_put put;
    struct store_fragment_new first = { .text = "All wine is red." };
    struct store_fragment_new second = { .text = "Some wine is white." };
    struct store_claim_new new = { .text = "wine is red", .confidence = -1 };
    struct store_edges edges;
    char origin[STORE_EVIDENCE_ID], other[STORE_EVIDENCE_ID];
    uint64_t fresh;
    memset(&jobs, 0, sizeof(jobs));
    queue_rig_start(&jobs, store);
    desk.queue = jobs.queue;
    const char *task = queue_rig_task(&jobs);
    CHECK_OK(store_page_put(store, &(struct store_page_new){
        .page = { .url = "https://a.example/", .domain = "a.example" }, .task = task,
        .reason = "serp", .fragments = &first, .fragment_count = 1, .claims = &new,
        .claim_count = 1 }, &put, WR_NEVER));
    store_claim_id(claim, task, store_fragment_id(origin, put.id, first.text), new.text);
    CHECK_OK(store_page_put(store, &(struct store_page_new){
        .page = { .url = "https://b.example/", .domain = "b.example" }, .task = task,
        .reason = "serp", .fragments = &second, .fragment_count = 1 }, &put, WR_NEVER));
    struct store_judgement judgement = {
        .fragment = store_fragment_id(other, put.id, second.text), .claim = claim,
        .relation = STORE_SUPPORTS, .confidence = 0.7 };
    CHECK_OK(store_edge_judge(store, &judgement, 1, &fresh, WR_NEVER));
    REQUIRE_OK(store_edge_list(store, claim, 10, &edges, WR_NEVER));
    REQUIRE(edges.count == 2);
    snprintf(edge, sizeof(edge), "%s", store_edge_at(&edges, 1).id);
    store_edges_free(&edges);
}

LOCAL_TEST(a_domain_is_blocked_wanted_again_and_forgotten)
{
    enum store_domain_rule rule;
    begin(store);
    CHECK_OK(say("{\"action\":\"domain_block\",\"domain_pattern\":\"*.spam.example\","
                 "\"reason\":\"%s\"}", "made up"));
    CHECK(strstr(buf, "{\"ok\":true,\"action\":\"domain_block\",\"domain_pattern\":"
                      "\"*.spam.example\",\"rule_id\":\"rule_"));
    CHECK_OK(store_domain_rule_find(store, "www.spam.example", &rule, WR_NEVER));
    CHECK_EQ(STORE_DOMAIN_BLOCK, rule);
    CHECK_OK(say("{\"action\":\"domain_unblock\",\"domain_pattern\":\"*.spam.example\","
                 "\"reason\":\"%s\"}", "after all"));
    CHECK_OK(store_domain_rule_find(store, "www.spam.example", &rule, WR_NEVER));
    CHECK_EQ(STORE_DOMAIN_UNBLOCK, rule);
    CHECK_OK(say("{\"action\":\"domain_clear_override\",\"domain_pattern\":\"%s\"}",
                 "*.spam.example"));
    CHECK(strstr(buf, "\"cleared_rules\":1}"));
    CHECK_OK(say("{\"action\":\"domain_clear_override\",\"domain_pattern\":\"%s\"}",
                 "*.spam.example"));
    CHECK(strstr(buf, "\"cleared_rules\":0}"));
    queue_rig_stop(&jobs);
}

LOCAL_TEST(most_of_the_web_cannot_be_blocked)
{
    static const char *const wide[] = { "*", "**", "*.com", "*.org", "*.co.jp" };
    begin(store);
    for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++) {
        CHECK_ERR(WR_INVALID, say("{\"action\":\"domain_block\",\"domain_pattern\":\"%s\","
                                  "\"reason\":\"r\"}", wide[i]));
        CHECK_STR("domain_pattern", why.param);
    }
    queue_rig_stop(&jobs);
}

LOCAL_TEST(a_claim_is_rejected_and_restored)
{
    struct store_claims claims;
    begin(store);
    CHECK_OK(say("{\"action\":\"claim_reject\",\"claim_id\":\"%s\",\"reason\":\"no\"}", claim));
    REQUIRE_OK(store_claim_get(store, claim, &claims, WR_NEVER));
    CHECK(!store_claim_at(&claims, 0).adopted);
    store_claims_free(&claims);
    CHECK_OK(say("{\"action\":\"claim_restore\",\"claim_id\":\"%s\"}", claim));
    REQUIRE_OK(store_claim_get(store, claim, &claims, WR_NEVER));
    CHECK(store_claim_at(&claims, 0).adopted);
    store_claims_free(&claims);
    CHECK_ERR(WR_NOTFOUND, say("{\"action\":\"claim_restore\",\"claim_id\":\"%s\"}", "c_0"));
    CHECK_STR("RESOURCE_NOT_FOUND", why.code);
    CHECK_STR("there is no claim \"c_0\"", why.text);
    queue_rig_stop(&jobs);
}

LOCAL_TEST(a_judgement_is_corrected_and_the_old_one_kept)
{
    begin(store);
    CHECK_OK(say("{\"action\":\"edge_correct\",\"edge_id\":\"%s\",\"correct_relation\":"
                 "\"refutes\"}", edge));
    CHECK(strstr(buf, "\"previous_relation\":\"supports\",\"new_relation\":\"refutes\","
                      "\"sample_id\":\"nc_"));
    CHECK_OK(say("{\"action\":\"edge_correct\",\"edge_id\":\"%s\",\"correct_relation\":"
                 "\"refutes\"}", edge));
    CHECK(!strstr(buf, "sample_id"));               /* it was seen, and nothing is new */
    CHECK_ERR(WR_NOTFOUND, say("{\"action\":\"edge_correct\",\"edge_id\":\"%s\","
                               "\"correct_relation\":\"neutral\"}", "e_0"));
    CHECK_ERR(WR_INVALID, say("{\"action\":\"edge_correct\",\"edge_id\":\"%s\","
                              "\"correct_relation\":\"cites\"}", edge));
    CHECK_STR("correct_relation is \"cites\"; allowed are supports, refutes, neutral",
              why.text);
    queue_rig_stop(&jobs);
}

LOCAL_TEST(what_is_not_said_is_asked_for)
{
    begin(store);
    CHECK_ERR(WR_INVALID, say("{\"action\":\"%s\"}", "like"));
    CHECK_STR("action", why.param);
    CHECK_ERR(WR_INVALID, say("{\"action\":\"%s\"}", "domain_block"));
    CHECK_STR("domain_pattern is missing, or no text", why.text);
    CHECK_ERR(WR_INVALID, say("{\"action\":\"domain_block\",\"domain_pattern\":\"%s\"}",
                              "a.example"));
    CHECK_STR("reason", why.param);
    CHECK_ERR(WR_INVALID, say("{\"action\":\"claim_reject\",\"claim_id\":\"%s\"}", claim));
    CHECK_STR("reason", why.param);
    CHECK_ERR(WR_INVALID, say("{\"action\":\"edge_correct\",\"edge_id\":\"%s\"}", edge));
    CHECK_STR("correct_relation", why.param);
    queue_rig_stop(&jobs);
}
