/* embed_job.c - vectors of what a task has found, by an endpoint.
 *
 * It comes between a target and what fragments say of claims, which finds more with vectors
 * and follows in any case: an endpoint that is down must not keep claims from being judged.
 */
#include <string.h>

#include "base/json.h"
#include "store/embedding.h"
#include "svc/queue/explorer_int.h"

#define LIST_MAX 256                    /* texts that are read at a time */
#define WITHIN WR_S(240)                /* then another job goes on */

_Static_assert(EMBEDDER_TEXTS_MAX <= STORE_EMBEDDING_PUT_MAX, "what is asked at once is kept");
_Static_assert(EMBEDDER_DIMENSION_MAX <= STORE_EMBEDDING_DIMENSION_MAX, "all is kept");

struct embedding {
    struct explorer *explorer;
    struct embedder *embedder;
    struct queue_work *work;
    uint64_t claims, fragments;
    wr_time until;
    bool refused;                       /* by the endpoint; */
    char why[MODEL_WHY_MAX];            /* ... so */
};

static wr_err embed_some(struct embedding *self, const struct store_lacking *lacking, size_t at,
                         size_t count)
{
    const char *texts[EMBEDDER_TEXTS_MAX];
    struct store_embedded targets[EMBEDDER_TEXTS_MAX];
    struct embedder_vectors vectors;
    for (size_t i = 0; i < count; i++) {
        struct store_lacking_one one = store_lacking_at(lacking, at + i);
        texts[i] = one.text;
        targets[i] = one.target;
    }
    wr_err err = embedder_ask(self->embedder, texts, count, &vectors, self->why, self->until);
    self->refused = err && err != WR_CANCELED;
    if (!err)
        err = store_embedding_put(self->explorer->store, embedder_model(self->embedder),
                                  targets, count, vectors.at, vectors.dimension, self->until);
    for (size_t i = 0; !err && i < count; i++) {
        bool is_claim = strcmp(targets[i].type, "claim") == 0;
        self->claims += is_claim;
        self->fragments += !is_claim;
    }
    embedder_vectors_free(&vectors);
    return err;
}

/* As many as are read at once; *more is whether there may be others. */
static wr_err embed_list(struct embedding *self, bool *more)
{
    struct store_lacking lacking;
    wr_err err = store_embedding_lacking(self->explorer->store, queue_work_task(self->work),
                                         embedder_model(self->embedder), LIST_MAX, &lacking,
                                         self->until);
    for (size_t at = 0; !err && at < lacking.count && wr_now() < self->until;) {
        size_t left = lacking.count - at;
        size_t count = left < EMBEDDER_TEXTS_MAX ? left : EMBEDDER_TEXTS_MAX;
        err = embed_some(self, &lacking, at, count);
        at += count;
    }
    *more = !err && (lacking.count == LIST_MAX || wr_now() >= self->until);
    store_lacking_free(&lacking);
    return err;
}

static void write_result(const struct embedding *self, bool more)
{
    struct wr_json json = wr_json_to(queue_work_output(self->work));
    wr_json_object(&json, NULL);
    wr_json_bool(&json, "ok", true);
    wr_json_str(&json, "status", more ? "continued" : "completed");
    wr_json_str(&json, "model", embedder_model(self->embedder));
    wr_json_u64(&json, "claims_embedded", self->claims);
    wr_json_u64(&json, "fragments_embedded", self->fragments);
    wr_json_end(&json);
}

wr_err embed_texts(void *arg, struct queue_work *work)
{
    struct explorer *explorer = arg;
    struct embedding self = { .explorer = explorer, .embedder = explorer->meaning->embedder,
                              .work = work, .until = wr_after(WITHIN) };
    bool more = true;
    wr_err err = WR_OK;
    while (!err && more && wr_now() < self.until)
        err = embed_list(&self, &more);
    if (err == WR_TIMEOUT && wr_now() >= self.until && self.claims + self.fragments) {
        err = WR_OK;                    /* its own time, and not the endpoint's, was over */
        more = true;
    }
    if (err && self.refused) {
        wr_err chained = queue_work_chain(work, QUEUE_VERIFY, NULL, NULL, wr_after(WR_S(10)));
        return chained ? chained : queue_work_fail(work, err, "EMBEDDING_FAILED", "%s",
                                                   self.why);
    }
    if (err)
        return err;
    write_result(&self, more);
    queue_work_then(work, more ? QUEUE_EMBED : QUEUE_VERIFY, NULL, NULL);
    return WR_OK;
}
