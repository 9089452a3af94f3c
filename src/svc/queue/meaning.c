/* meaning.c - see meaning.h. */
#include "svc/queue/meaning.h"

#define CLOSE_WITHIN WR_S(2)

struct meaning_conf meaning_conf_of(const struct wr_conf *conf)
{
    return (struct meaning_conf){
        .embedding = { .url = wr_conf_text(conf, "queue.embedding.url"),
                       .model = wr_conf_text(conf, "queue.embedding.model"),
                       .key = wr_conf_secret(conf, "queue.embedding.key") },
        .nli = { .url = wr_conf_text(conf, "queue.nli.url"),
                 .model = wr_conf_text(conf, "queue.nli.model"),
                 .key = wr_conf_secret(conf, "queue.nli.key") } };
}

wr_err meaning_open(struct meaning *ret, const struct meaning_conf *conf)
{
    wr_err err = WR_OK;
    *ret = (struct meaning){ 0 };
    if (conf->embedding.url)
        err = embedder_new(&ret->embedder, &conf->embedding);
    if (!err && conf->nli.url)
        err = nli_new(&ret->nli, &conf->nli);
    if (err)
        meaning_close(ret);
    return err;
}

wr_err meaning_start(const struct meaning *meaning, struct wr_scope *scope)
{
    wr_err err = WR_OK;
    if (meaning->embedder)
        err = wr_scope_go(scope, "queue.embedding", embedder_run, meaning->embedder);
    if (!err && meaning->nli)
        err = wr_scope_go(scope, "queue.nli", nli_run, meaning->nli);
    return err;
}

/* The last that was opened first, as with scopes. */
void meaning_close(struct meaning *meaning)
{
    nli_free(meaning->nli, wr_after(CLOSE_WITHIN));
    embedder_free(meaning->embedder, wr_after(CLOSE_WITHIN));
    *meaning = (struct meaning){ 0 };
}
