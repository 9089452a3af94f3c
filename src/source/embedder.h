/* embedder.h - what texts mean, as vectors, by a model that somebody serves.
 *
 *     err = embedder_new(&embedder, &(struct embedder_conf){
 *         .url = "http://127.0.0.1:8081", .model = "bge-m3", .key = key });
 *     err = wr_scope_go(scope, "queue.embedding", embedder_run, embedder);
 *     ...
 *     struct embedder_vectors vectors;
 *     err = embedder_ask(embedder, texts, 3, &vectors, why, deadline);
 *     if (!err) ...embedder_vector(&vectors, 2)[0 .. vectors.dimension)
 *     embedder_vectors_free(&vectors);
 *
 * It speaks what OpenAI, Text Embeddings Inference, llama.cpp, vLLM and Ollama speak alike:
 * POST /v1/embeddings.  Of a text no more than EMBEDDER_TEXT_MAX bytes are sent, whole
 * characters: small models know some 512 tokens, and many servers refuse what is longer.
 *
 * An answer is taken if it has a vector for each text, all of one dimension, which is also that
 * of every answer before, of finite numbers that are not all zero.  Anything else could not be
 * compared with what there is.
 */
#ifndef WR_SOURCE_EMBEDDER_H
#define WR_SOURCE_EMBEDDER_H

#include "source/model.h"

#define EMBEDDER_TEXTS_MAX 32           /* of one request */
#define EMBEDDER_TEXT_MAX 2000          /* bytes */
#define EMBEDDER_DIMENSION_MAX 4096

struct embedder;

/* What it points to must outlive the embedder. */
struct embedder_conf {
    const char *url, *model;
    struct wr_secret *key;          /* or NULL */
    bool plain;                     /* no TLS, for tests */
};

struct embedder_vectors { size_t count, dimension; float *at; };

/* As model_new, model_run and model_free. */
wr_err embedder_new(struct embedder **ret, const struct embedder_conf *conf);
wr_err embedder_run(void *embedder);
void embedder_free(struct embedder *embedder, wr_time deadline);

const char *embedder_model(const struct embedder *embedder);

/* Vectors of 1 to EMBEDDER_TEXTS_MAX texts, in their order.  *ret is empty after an error, and
 * why[MODEL_WHY_MAX] a sentence.
 * Errors: of model_post; IO (the answer is none, see above). */
wr_err embedder_ask(struct embedder *embedder, const char *const *texts, size_t count,
                    struct embedder_vectors *ret, char *why, wr_time deadline);

/* What embedder_ask makes of an answer to `count` texts, when vectors had `before` numbers (0:
 * there was none).  Errors: IO, with a sentence as above that begins with "answered". */
wr_err embedder_read(const struct wr_bytes *answer, size_t count, size_t before,
                     struct embedder_vectors *ret, char *why);

const float *embedder_vector(const struct embedder_vectors *vectors, size_t i);

/* Empty ones are fine. */
void embedder_vectors_free(struct embedder_vectors *vectors);

#endif
