/* verify_job.c - what fragments of others say of each claim of a task.
 *
 * Candidates are the fragments of the task's pages whose words are like the claim's, from other
 * domains than its own, and not judged before.  The judge is "lexical" (extract/stance.h), and
 * is named so with each judgement.
 */
#include <string.h>

#include <weir/offload.h>

#include "base/json.h"
#include "extract/stance.h"
#include "store/claim.h"
#include "store/edge.h"
#include "store/fragment.h"
#include "svc/queue/explorer_int.h"

#define CLAIMS_MAX 50                   /* that are read at a time */
#define PAIRS_MAX 20                    /* of one claim */
#define SURE 600                        /* thousandths, below which nothing is said for or
                                         * against */
#define WITHIN WR_S(240)

struct pairs {
    struct store_claim claim;
    struct store_fragments found;
    struct extract_stance stances[PAIRS_MAX];
};

static void judge(void *arg)
{
    struct pairs *pairs = arg;
    for (size_t i = 0; i < pairs->found.count && i < PAIRS_MAX; i++) {
        struct store_fragment fragment = store_fragment_at(&pairs->found, i);
        pairs->stances[i] = extract_stance(fragment.text, strlen(fragment.text),
                                           pairs->claim.text);
    }
}

/* What is to be written of it; *ret is how many. */
static void gather(const struct pairs *pairs, struct store_judgement *judgements, size_t *ret)
{
    static const enum store_relation relations[] = {
        [EXTRACT_SUPPORTS] = STORE_SUPPORTS, [EXTRACT_REFUTES] = STORE_REFUTES,
        [EXTRACT_NEUTRAL] = STORE_NEUTRAL,
    };
    *ret = 0;
    for (size_t i = 0; i < pairs->found.count && i < PAIRS_MAX; i++) {
        const struct extract_stance *stance = &pairs->stances[i];
        if (stance->relation != EXTRACT_NEUTRAL && stance->confidence < SURE)
            continue;
        judgements[(*ret)++] = (struct store_judgement){
            .fragment = store_fragment_at(&pairs->found, i).id, .claim = pairs->claim.id,
            .relation = relations[stance->relation],
            .confidence = stance->confidence / 1000.0, .by = EXTRACT_STANCE_METHOD };
    }
}

static wr_err verify_one(struct store *store, const char *task, struct store_claim claim,
                         uint64_t *edges, wr_time deadline)
{
    struct pairs pairs = { .claim = claim };
    struct store_judgement judgements[PAIRS_MAX];
    size_t count;
    uint64_t new = 0;
    wr_err err = store_fragment_search(store, &(struct store_fragment_query){
        .sentence = claim.text, .task = task, .claim = claim.id, .max = PAIRS_MAX },
        &pairs.found, deadline);
    if (!err && pairs.found.count)
        err = wr_offload(judge, &pairs, deadline);
    if (!err) {
        gather(&pairs, judgements, &count);
        err = count ? store_edge_judge(store, judgements, count, &new, deadline) : WR_OK;
    }
    store_fragments_free(&pairs.found);
    *edges += new;
    return err;
}

static wr_err verify_some(struct explorer *explorer, struct queue_work *work, uint64_t *claims,
                          uint64_t *edges, bool *more, wr_time deadline)
{
    const char *task = queue_work_task(work);
    struct store_claims due;
    wr_err err = store_claim_list(explorer->store, &(struct store_claim_query){
        .task = task, .due = true, .max = CLAIMS_MAX }, &due, deadline);
    for (size_t i = 0; !err && i < due.count; i++) {
        struct store_claim claim = store_claim_at(&due, i);
        err = verify_one(explorer->store, task, claim, edges, deadline);
        if (!err)
            err = store_claim_judged(explorer->store, claim.id, due.at, deadline);
        *claims += !err;
    }
    *more = !err && due.count == CLAIMS_MAX;
    store_claims_free(&due);
    return err;
}

wr_err verify_claims(void *arg, struct queue_work *work)
{
    uint64_t claims = 0, edges = 0;
    wr_time until = wr_after(WITHIN);
    bool more = true;
    wr_err err = WR_OK;
    while (!err && more && wr_now() < until)
        err = verify_some(arg, work, &claims, &edges, &more, until);
    if (err)
        return err;
    struct wr_json json = wr_json_to(queue_work_output(work));
    wr_json_object(&json, NULL);
    wr_json_bool(&json, "ok", true);
    wr_json_str(&json, "status", claims ? "completed" : "no_claims");
    wr_json_str(&json, "method", EXTRACT_STANCE_METHOD);
    wr_json_u64(&json, "claims_processed", claims);
    wr_json_u64(&json, "edges_created", edges);
    wr_json_end(&json);
    return WR_OK;
}
