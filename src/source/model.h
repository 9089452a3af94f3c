/* model.h - a model that somebody serves for us: JSON to it, JSON from it.
 *
 *     err = model_new(&endpoint, &(struct model_conf){
 *         .name = "embedding", .url = "http://127.0.0.1:8081", .key = key });
 *     err = wr_scope_go(scope, "queue.embedding", model_run, endpoint);
 *     ...
 *     struct wr_bytes *answer;
 *     err = model_post(endpoint, &(struct model_ask){ .path = "/v1/embeddings",
 *         .body = body.at, .len = body.len, .answer_max = 1 << 20 }, &answer, why, deadline);
 *     if (err) ...why is a sentence that names the endpoint
 *     else wr_bytes_unref(answer);
 *     ...
 *     (model_run has ended, and nobody asks)
 *     model_free(endpoint, deadline);
 *
 * Whoever runs the node has chosen the address, so it may be on this machine or in its network;
 * redirects are not followed.  A key is sent as a bearer token.
 *
 * A question to a model changes nothing, so one that fails for now (no answer, 5xx) is sent
 * again, up to three times.  When the endpoint says that it is asked too often (429, or 503
 * with a time) it is left alone for as long as it says, and asked once more.  One that fails
 * most of the time is not asked at all for a while.
 */
#ifndef WR_SOURCE_MODEL_H
#define WR_SOURCE_MODEL_H

#include <stdbool.h>

#include <weir/bytes.h>
#include <weir/err.h>
#include <weir/secret.h>
#include <weir/time.h>

#define MODEL_WHY_MAX 400
#define MODEL_WITHIN WR_S(60)        /* one request */
#define MODEL_AT_ONCE 4              /* requests; further ones wait */

struct model;

/* What it points to must outlive the endpoint. */
struct model_conf {
    const char *name;               /* a literal, for people and metrics: "embedding" */
    const char *url;                /* what paths are put behind; a slash at its end is not */
    struct wr_secret *key;          /* or NULL */
    bool plain;                     /* no TLS, for tests (fetch.h) */
};

struct model_ask {
    const char *path;               /* begins with a slash */
    const char *body;               /* JSON */
    size_t len;
    size_t answer_max;              /* bytes */
};

/* In the scope of the caller, who must free it before his task returns.
 * Errors: of wr_fetch_client_new; NOMEM. */
wr_err model_new(struct model **ret, const struct model_conf *conf);

/* Who notices when it fails too often, as a task: until it is canceled.  One at a time. */
wr_err model_run(void *endpoint);

/* NULL is allowed. */
void model_free(struct model *endpoint, wr_time deadline);

const char *model_url(const struct model *endpoint);

/* Ask.  *ret is set with OK alone, why[MODEL_WHY_MAX] with an error alone.
 * Errors: IO (no answer, or it failed), TIMEOUT, BUSY (asked too often), OPENCIRCUIT, SHED
 * (too many of us ask), DENIED (the key is not good enough, or the answer is too large),
 * INVALID (it does not understand us), UNSUPPORTED (there is no such path), CANCELED, NOMEM. */
wr_err model_post(struct model *endpoint, const struct model_ask *ask,
                     struct wr_bytes **ret, char *why, wr_time deadline);

/* Write into why that an answer is none: "the embedding endpoint http://... answered ...".
 * Returns err. */
wr_err model_fail(const struct model *endpoint, wr_err err, char *why, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));

#endif
