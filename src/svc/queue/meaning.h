/* meaning.h - the models that the queue may ask: what texts mean, and what they say of others.
 *
 *     struct meaning meaning;
 *     err = meaning_open(&meaning, &(struct meaning_conf){ ... });
 *     err = meaning_start(&meaning, scope);        (in a task that is supervised)
 *     ...
 *     if (meaning.embedder) ...
 *     meaning_close(&meaning);
 *
 * Each is there if the configuration has its address (queue.embedding.url, queue.nli.url).
 * Without them fragments are found by their words, and judged by "lexical" (extract/stance.h).
 */
#ifndef WR_QUEUE_MEANING_H
#define WR_QUEUE_MEANING_H

#include <weir/scope.h>

#include "conf/conf.h"
#include "source/embedder.h"
#include "source/nli.h"

struct meaning {
    struct embedder *embedder;          /* or NULL */
    struct nli *nli;                    /* or NULL */
};

/* Of one without an address there is none. */
struct meaning_conf { struct embedder_conf embedding; struct nli_conf nli; };

/* What the configuration says; it must outlive who is opened with it. */
struct meaning_conf meaning_conf_of(const struct wr_conf *conf);

/* In the scope of the caller, who must close it before his task returns.  Errors: of
 * embedder_new and nli_new; *ret is empty then. */
wr_err meaning_open(struct meaning *ret, const struct meaning_conf *conf);

/* Their tasks: until the scope is canceled.  Once at a time.  Errors: of wr_scope_go. */
wr_err meaning_start(const struct meaning *meaning, struct wr_scope *scope);

/* Nobody may be asking, and their tasks must have ended.  An empty one is fine. */
void meaning_close(struct meaning *meaning);

#endif
