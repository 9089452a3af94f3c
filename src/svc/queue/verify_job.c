/* verify_job.c - what fragments of others say of each claim of a task.
 *
 * Candidates are fragments of the task's pages, from other domains than the claim's own and not
 * judged before: those whose words are like the claim's and, where there is an embedding
 * endpoint, those whose vectors are near its own, in turns.  The judge is a model, if there is
 * an endpoint for it, else "lexical" (extract/stance.h); each judgement names its judge, and
 * where the model cannot be asked nobody else judges in its place: the job fails, and the
 * claims that are left stay due.
 */
#include <stdlib.h>
#include <string.h>

#include <weir/offload.h>
#include <weir/task.h>

#include "base/json.h"
#include "extract/stance.h"
#include "store/claim.h"
#include "store/edge.h"
#include "store/embedding.h"
#include "store/fragment.h"
#include "svc/queue/explorer_int.h"

#define CLAIMS_MAX 50                   /* that are read at a time */
#define PAIRS_MAX 20                    /* of one claim */
#define NEAR_MAX 30                     /* fragments that are near a claim, */
#define NEAR_MIN 0.55                   /* ... and how near they are */
#define SURE 0.6                        /* below which nothing is said for or against */
#define REST WR_MS(20)                  /* after each claim, while pages are read */
#define WITHIN WR_S(240)

_Static_assert(PAIRS_MAX <= NLI_PAIRS_MAX, "the pairs of a claim are one question");

struct verdict { enum store_relation relation; double confidence; };

/* A claim, and what is held against it. */
struct trial {
    struct explorer *explorer;
    struct queue_work *work;
    wr_time until;
    int64_t after;                      /* the number of the last claim */
    struct store_claim claim;
    struct store_fragments by_words, by_meaning[PAIRS_MAX];
    size_t meaning_count;
    struct store_fragment pairs[PAIRS_MAX];     /* texts lie in the above */
    struct verdict verdicts[PAIRS_MAX];
    size_t count;
    float vector[STORE_EMBEDDING_DIMENSION_MAX];
    struct store_near_one near[NEAR_MAX];
    uint64_t claims, edges, duplicates, without_vector;     /* of the job */
};

/* ---- candidates ---- */

static void take(struct trial *trial, struct store_fragment fragment)
{
    for (size_t i = 0; i < trial->count; i++)
        if (strcmp(trial->pairs[i].id, fragment.id) == 0)
            return;
    if (trial->count < PAIRS_MAX)
        trial->pairs[trial->count++] = fragment;
}

/* One that is near: it may have been found by its words too. */
static wr_err take_near(struct trial *trial, const char *id)
{
    struct store_fragments *one = &trial->by_meaning[trial->meaning_count];
    if (trial->count == PAIRS_MAX)
        return WR_OK;
    for (size_t i = 0; i < trial->by_words.count; i++) {
        struct store_fragment fragment = store_fragment_at(&trial->by_words, i);
        if (strcmp(fragment.id, id) == 0) {
            take(trial, fragment);
            return WR_OK;
        }
    }
    wr_err err = store_fragment_get(trial->explorer->store, id, one, trial->until);
    if (err)
        return err;
    trial->meaning_count++;
    take(trial, store_fragment_at(one, 0));
    return WR_OK;
}

/* How many are near the claim: none, if there is nobody to ask, or it has no vector. */
static wr_err find_near(struct trial *trial, size_t *ret)
{
    struct embedder *embedder = trial->explorer->meaning ? trial->explorer->meaning->embedder
                                                         : NULL;
    struct store_near query = { .type = "fragment", .task = queue_work_task(trial->work),
                                .claim = trial->claim.id, .vector = trial->vector,
                                .min = NEAR_MIN, .max = NEAR_MAX };
    size_t searched;
    *ret = 0;
    if (!embedder)
        return WR_OK;
    query.model = embedder_model(embedder);
    wr_err err = store_embedding_get(trial->explorer->store, (struct store_embedded){
        "claim", trial->claim.id }, query.model, trial->vector, &query.dimension, trial->until);
    if (err == WR_NOTFOUND) {
        trial->without_vector++;
        return WR_OK;
    }
    return err ? err : store_embedding_near(trial->explorer->store, &query, trial->near, ret,
                                            &searched, trial->until);
}

/* The best by words and the nearest in turns: words find names and numbers, and what has no
 * vector yet; vectors find what is said in other words. */
static wr_err find_pairs(struct trial *trial)
{
    size_t near = 0;
    wr_err err = store_fragment_search(trial->explorer->store, &(struct store_fragment_query){
        .sentence = trial->claim.text, .task = queue_work_task(trial->work),
        .claim = trial->claim.id, .max = PAIRS_MAX }, &trial->by_words, trial->until);
    if (!err)
        err = find_near(trial, &near);
    for (size_t i = 0; !err && (i < near || i < trial->by_words.count); i++) {
        if (i < near)
            err = take_near(trial, trial->near[i].id);
        if (i < trial->by_words.count)
            take(trial, store_fragment_at(&trial->by_words, i));
    }
    return err;
}

/* ---- judging ---- */

static void judge_by_words(void *arg)
{
    static const enum store_relation relations[] = {
        [EXTRACT_SUPPORTS] = STORE_SUPPORTS, [EXTRACT_REFUTES] = STORE_REFUTES,
        [EXTRACT_NEUTRAL] = STORE_NEUTRAL,
    };
    struct trial *trial = arg;
    for (size_t i = 0; i < trial->count; i++) {
        const char *text = trial->pairs[i].text;
        struct extract_stance stance = extract_stance(text, strlen(text), trial->claim.text);
        trial->verdicts[i] = (struct verdict){ relations[stance.relation],
                                               stance.confidence / 1000.0 };
    }
}

static wr_err judge_by_model(struct trial *trial, struct nli *nli)
{
    static const enum store_relation relations[] = {
        [NLI_SUPPORTS] = STORE_SUPPORTS, [NLI_REFUTES] = STORE_REFUTES,
        [NLI_NEUTRAL] = STORE_NEUTRAL,
    };
    struct nli_pair pairs[PAIRS_MAX];
    struct nli_verdict verdicts[PAIRS_MAX];
    char why[MODEL_WHY_MAX];
    for (size_t i = 0; i < trial->count; i++)
        pairs[i] = (struct nli_pair){ trial->pairs[i].text, trial->claim.text };
    wr_err err = nli_judge(nli, pairs, trial->count, verdicts, why, trial->until);
    if (err && err != WR_CANCELED)
        return queue_work_fail(trial->work, err, "NLI_FAILED", "%s", why);
    for (size_t i = 0; !err && i < trial->count; i++)
        trial->verdicts[i] = (struct verdict){ relations[verdicts[i].stance],
                                               verdicts[i].confidence };
    return err;
}

static struct nli *judge_of(const struct explorer *explorer)
{
    return explorer->meaning ? explorer->meaning->nli : NULL;
}

static const char *judge_name(const struct explorer *explorer)
{
    struct nli *nli = judge_of(explorer);
    return nli ? nli_model(nli) : EXTRACT_STANCE_METHOD;
}

/* What is sure enough to be said. */
static wr_err keep(struct trial *trial)
{
    struct store_judgement judgements[PAIRS_MAX];
    size_t count = 0;
    uint64_t fresh = 0;
    for (size_t i = 0; i < trial->count; i++) {
        struct verdict verdict = trial->verdicts[i];
        if (verdict.relation != STORE_NEUTRAL && verdict.confidence < SURE)
            continue;
        judgements[count++] = (struct store_judgement){
            .fragment = trial->pairs[i].id, .claim = trial->claim.id,
            .relation = verdict.relation, .confidence = verdict.confidence,
            .by = judge_name(trial->explorer) };
    }
    wr_err err = count ? store_edge_judge(trial->explorer->store, judgements, count, &fresh,
                                          trial->until) : WR_OK;
    trial->edges += fresh;
    trial->duplicates += err ? 0 : count - fresh;
    return err;
}

static wr_err try_claim(struct trial *trial)
{
    struct nli *nli = judge_of(trial->explorer);
    trial->count = trial->meaning_count = 0;
    trial->by_words = (struct store_fragments){ 0 };
    wr_err err = find_pairs(trial);
    if (!err && trial->count)
        err = nli ? judge_by_model(trial, nli)
                  : wr_offload(judge_by_words, trial, trial->until);
    if (!err)
        err = keep(trial);
    store_fragments_free(&trial->by_words);
    for (size_t i = 0; i < trial->meaning_count; i++)
        store_fragments_free(&trial->by_meaning[i]);
    return err;
}

/* ---- the job ---- */

/* Each page that is read may bear on every claim, so that as long as some are read there is
 * always something to judge: without a rest that would take a whole core, and most of it would
 * be to look at the same claims again.  When none is read any more nothing is waited for. */
static wr_err rest(const struct trial *trial)
{
    return queue_work_beside(trial->work, QUEUE_NETWORK) ? wr_sleep(wr_after(REST)) : WR_OK;
}

/* Each claim once in a job, whatever the clock says of when it was judged. */
static wr_err verify_some(struct trial *trial, bool *more)
{
    struct store *store = trial->explorer->store;
    struct store_claims due;
    wr_err err = store_claim_list(store, &(struct store_claim_query){
        .task = queue_work_task(trial->work), .due = true,
        .after = trial->after, .max = CLAIMS_MAX }, &due, trial->until);
    for (size_t i = 0; !err && i < due.count; i++) {
        trial->claim = store_claim_at(&due, i);
        trial->after = trial->claim.number;
        err = try_claim(trial);
        if (!err)
            err = store_claim_judged(store, trial->claim.id, due.at, trial->until);
        trial->claims += !err;
        if (!err)
            err = rest(trial);
    }
    *more = !err && due.count == CLAIMS_MAX;
    store_claims_free(&due);
    return err;
}

static void write_result(const struct trial *trial)
{
    const struct meaning *meaning = trial->explorer->meaning;
    bool vectors = meaning && meaning->embedder;
    struct wr_json json = wr_json_to(queue_work_output(trial->work));
    wr_json_object(&json, NULL);
    wr_json_bool(&json, "ok", true);
    wr_json_str(&json, "status", trial->claims ? "completed" : "no_claims");
    wr_json_str(&json, "method", judge_name(trial->explorer));
    wr_json_str(&json, "candidates_by", vectors ? "words and vectors" : "words");
    wr_json_u64(&json, "claims_processed", trial->claims);
    wr_json_u64(&json, "edges_created", trial->edges);
    wr_json_u64(&json, "edges_skipped_duplicate", trial->duplicates);
    if (vectors)
        wr_json_u64(&json, "claims_without_vector", trial->without_vector);
    wr_json_end(&json);
}

wr_err verify_claims(void *arg, struct queue_work *work)
{
    struct trial *trial = calloc(1, sizeof(*trial));
    bool more = true;
    wr_err err = WR_OK;
    if (!trial)
        return WR_NOMEM;
    trial->explorer = arg;
    trial->work = work;
    trial->until = wr_after(WITHIN);
    while (!err && more && wr_now() < trial->until)
        err = verify_some(trial, &more);
    if (!err)
        write_result(trial);
    free(trial);
    return err;
}
