/* nli.h - whether texts speak for statements or against them, by a model that somebody serves.
 *
 *     err = nli_new(&nli, &(struct nli_conf){
 *         .url = "http://127.0.0.1:8082", .model = "nli-deberta-v3-small" });
 *     err = wr_scope_go(scope, "queue.nli", nli_run, nli);
 *     ...
 *     struct nli_pair pairs[] = { { "Prices rose by 5 percent.", "Prices went up." } };
 *     struct nli_verdict verdicts[1];
 *     err = nli_judge(nli, pairs, 1, verdicts, why, deadline);
 *     if (!err) ...verdicts[0].stance == NLI_SUPPORTS, verdicts[0].confidence
 *
 * It speaks what Text Embeddings Inference speaks for a model that classifies pairs of texts:
 * POST /predict, with the premise before the hypothesis.  Each answer is a list of labels with
 * scores, and the label with the highest score is the verdict.  Labels are entailment,
 * contradiction and neutral, in any case (or begin with entail, support, contradict or refut).
 * Any other label is an error, and not neutral: it is the wrong model, and whoever set it up
 * should hear of that.  A tie between the highest is neutral.
 *
 * Of a text no more than NLI_TEXT_MAX bytes are sent, and the server is asked to cut what is
 * more than its model takes.
 */
#ifndef WR_SOURCE_NLI_H
#define WR_SOURCE_NLI_H

#include "source/model.h"

#define NLI_PAIRS_MAX 32                /* of one request */
#define NLI_TEXT_MAX 4000               /* bytes */

enum nli_stance { NLI_SUPPORTS, NLI_REFUTES, NLI_NEUTRAL };

struct nli;

/* What it points to must outlive it. */
struct nli_conf {
    const char *url, *model;
    struct wr_secret *key;          /* or NULL */
    bool plain;                     /* no TLS, for tests */
};

struct nli_pair { const char *premise, *hypothesis; };
struct nli_verdict { enum nli_stance stance; double confidence; };     /* 0..1 */

/* As model_new, model_run and model_free. */
wr_err nli_new(struct nli **ret, const struct nli_conf *conf);
wr_err nli_run(void *nli);
void nli_free(struct nli *nli, wr_time deadline);

/* What its verdicts are signed with. */
const char *nli_model(const struct nli *nli);

/* Verdicts on 1 to NLI_PAIRS_MAX pairs, in their order, or a sentence in
 * why[MODEL_WHY_MAX].
 * Errors: of model_post; IO (the answer is none, or has labels that are not known). */
wr_err nli_judge(struct nli *nli, const struct nli_pair *pairs, size_t count,
                 struct nli_verdict *ret, char *why, wr_time deadline);

/* What nli_judge makes of an answer to `count` pairs.  Errors: IO, with a sentence that begins
 * with "answered". */
wr_err nli_read(const struct wr_bytes *answer, size_t count, struct nli_verdict *ret,
                char *why);

#endif
