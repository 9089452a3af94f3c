/* queue_feedback.c - see queue_feedback.h. */
#include "svc/queue/queue_feedback.h"

#include <string.h>

#include "base/json.h"
#include "store/claim.h"
#include "store/domain_rule.h"
#include "store/edge.h"

enum action {
    DOMAIN_BLOCK, DOMAIN_UNBLOCK, DOMAIN_CLEAR, CLAIM_REJECT, CLAIM_RESTORE, EDGE_CORRECT,
};

const char *const queue_feedback_actions[] = {
    [DOMAIN_BLOCK] = "domain_block", [DOMAIN_UNBLOCK] = "domain_unblock",
    [DOMAIN_CLEAR] = "domain_clear_override", [CLAIM_REJECT] = "claim_reject",
    [CLAIM_RESTORE] = "claim_restore", [EDGE_CORRECT] = "edge_correct", NULL,
};
const char *const queue_feedback_relations[] = { "supports", "refutes", "neutral", NULL };

#define refuse(why, param, ...) \
    queue_why_say(why, WR_INVALID, "INVALID_PARAMS", param, __VA_ARGS__)

struct feedback {
    struct queue_desk *desk;
    const struct queue_said *said;
    struct wr_json json;
    struct queue_why *why;
    wr_time deadline;
};

/* A text that must be there. */
static wr_err need(const struct feedback *feedback, const char *name, const char **ret)
{
    const json_t *value = feedback->said->get(feedback->said->from, name);
    *ret = json_string_value(value);
    if (*ret && **ret)
        return WR_OK;
    return refuse(feedback->why, name, "%s is missing, or no text", name);
}

static wr_err missing(const struct feedback *feedback, wr_err err, const char *name,
                      const char *what, const char *id)
{
    if (err != WR_NOTFOUND)
        return err;
    return queue_why_say(feedback->why, err, "RESOURCE_NOT_FOUND", name, "there is no %s "
                         "\"%.80s\"", what, id);
}

/* ---- domains ---- */

static wr_err set_domain(struct feedback *feedback, enum action action)
{
    const char *pattern, *reason;
    char id[QUEUE_ID];
    struct store *store = queue_store(feedback->desk->queue);
    wr_err err = need(feedback, "domain_pattern", &pattern);
    if (!err)
        err = need(feedback, "reason", &reason);
    if (err)
        return err;
    if (!store_domain_pattern(pattern))
        return refuse(feedback->why, "domain_pattern", "domain_pattern is \"%.80s\"; allowed "
                      "are a host, such as www.example.org, or *. and a domain that is "
                      "somebody's, such as *.example.org", pattern);
    err = store_domain_rule_set(store, queue_id(id, "rule_"), pattern,
                                action == DOMAIN_BLOCK ? STORE_DOMAIN_BLOCK
                                                       : STORE_DOMAIN_UNBLOCK,
                                reason, feedback->deadline);
    if (err == WR_INVALID)
        return refuse(feedback->why, "reason", "reason has more than %d bytes",
                      STORE_DOMAIN_REASON_MAX);
    wr_json_str(&feedback->json, "domain_pattern", pattern);
    wr_json_str(&feedback->json, "rule_id", id);
    return err;
}

static wr_err clear_domain(struct feedback *feedback)
{
    const char *pattern;
    wr_err err = need(feedback, "domain_pattern", &pattern);
    if (err)
        return err;
    err = store_domain_rule_clear(queue_store(feedback->desk->queue), pattern,
                                  feedback->deadline);
    if (err && err != WR_NOTFOUND)
        return err;
    wr_json_str(&feedback->json, "domain_pattern", pattern);
    wr_json_u64(&feedback->json, "cleared_rules", err ? 0 : 1);
    return WR_OK;
}

/* ---- claims and judgements ---- */

static wr_err judge_claim(struct feedback *feedback, enum action action)
{
    const char *claim, *reason = NULL;
    struct store *store = queue_store(feedback->desk->queue);
    wr_err err = need(feedback, "claim_id", &claim);
    if (!err && action == CLAIM_REJECT)
        err = need(feedback, "reason", &reason);
    if (err)
        return err;
    err = action == CLAIM_REJECT
        ? store_claim_reject(store, claim, reason, feedback->deadline)
        : store_claim_restore(store, claim, feedback->deadline);
    if (err == WR_INVALID)
        return refuse(feedback->why, "reason", "reason has more than %d bytes",
                      STORE_CLAIM_REASON_MAX);
    wr_json_str(&feedback->json, "claim_id", claim);
    return missing(feedback, err, "claim_id", "claim", claim);
}

static wr_err correct_edge(struct feedback *feedback)
{
    const char *edge, *word, *reason = json_string_value(
        feedback->said->get(feedback->said->from, "reason"));
    char sample[QUEUE_ID];
    enum store_relation before;
    wr_err err = need(feedback, "edge_id", &edge);
    if (!err)
        err = need(feedback, "correct_relation", &word);
    if (err)
        return err;
    enum store_relation relation = store_relation_of(word);
    if (relation != STORE_SUPPORTS && relation != STORE_REFUTES && relation != STORE_NEUTRAL)
        return refuse(feedback->why, "correct_relation", "correct_relation is \"%.40s\"; "
                      "allowed are supports, refutes, neutral", word);
    err = store_edge_correct(queue_store(feedback->desk->queue), edge, relation, reason,
                             queue_id(sample, "nc_"), &before, feedback->deadline);
    if (err == WR_INVALID)
        return refuse(feedback->why, "reason", "reason has more than %d bytes",
                      STORE_EDGE_REASON_MAX);
    if (err)
        return missing(feedback, err, "edge_id", "judgement", edge);
    wr_json_str(&feedback->json, "edge_id", edge);
    wr_json_str(&feedback->json, "previous_relation", store_relation_text(before));
    wr_json_str(&feedback->json, "new_relation", word);
    if (before != relation)
        wr_json_str(&feedback->json, "sample_id", sample);
    return WR_OK;
}

static int action_of(const char *word)
{
    for (int i = 0; word && queue_feedback_actions[i]; i++)
        if (strcmp(queue_feedback_actions[i], word) == 0)
            return i;
    return -1;
}

wr_err queue_feedback(struct queue_desk *desk, const struct queue_said *said,
                      struct wr_text *text, struct queue_why *why, wr_time deadline)
{
    const char *word = json_string_value(said->get(said->from, "action"));
    int action = action_of(word);
    struct feedback feedback = { desk, said, wr_json_to(text), why, deadline };
    wr_err err;
    if (action < 0)
        return refuse(why, "action", "action is \"%.40s\"; allowed are domain_block, "
                      "domain_unblock, domain_clear_override, claim_reject, claim_restore, "
                      "edge_correct", word ? word : "");
    wr_json_object(&feedback.json, NULL);
    wr_json_bool(&feedback.json, "ok", true);
    wr_json_str(&feedback.json, "action", word);
    switch ((enum action)action) {
    case DOMAIN_BLOCK:
    case DOMAIN_UNBLOCK: err = set_domain(&feedback, (enum action)action); break;
    case DOMAIN_CLEAR: err = clear_domain(&feedback); break;
    case CLAIM_REJECT:
    case CLAIM_RESTORE: err = judge_claim(&feedback, (enum action)action); break;
    default: err = correct_edge(&feedback); break;
    }
    wr_json_end(&feedback.json);
    return err;
}
