/* explorer.h - the one who does the jobs of the queue: searches, fetches, reads, compares.
 *
 *     err = explorer_new(&explorer, sources);
 *     explorer_handlers(explorer, handlers);          (for the queue)
 *     explorer_set(explorer, conf, store);            (when the service is opened)
 *     ...in its task:
 *     err = explorer_start(explorer);
 *     ...
 *     explorer_stop(explorer);
 *
 * A query is searched for by search engines and in catalogues of papers, an address is fetched,
 * a DOI is looked up.  What is found is read, cut into fragments, and what these claim is kept
 * with where it comes from (store/evidence.h).  Then follow who cites whom, and what the
 * fragments of others say of each claim.
 */
#ifndef WR_QUEUE_EXPLORER_H
#define WR_QUEUE_EXPLORER_H

#include "conf/conf.h"
#include "source/sources.h"
#include "store/store.h"
#include "svc/queue/queue_work.h"

#define EXPLORER_ALLOW_MAX 16           /* internal ranges that pages may be fetched from */

struct explorer;
struct meaning;                         /* meaning.h */

/* The sources need not be there before it is started.  Errors: NOMEM. */
wr_err explorer_new(struct explorer **ret, struct sources *const *sources);
void explorer_free(struct explorer *explorer);

/* QUEUE_KINDS of them; of texts that become vectors only when there is a model for that. */
void explorer_handlers(struct explorer *explorer, struct queue_handler *ret);

/* What the configuration says of it; the conf and the models (NULL: none) must outlive it. */
void explorer_set(struct explorer *explorer, const struct wr_conf *conf, struct store *store,
                  const struct meaning *meaning);

/* In the scope of the caller, who must stop it before his task returns, when nobody does jobs
 * any more.  Errors: of crawl_open; NOMEM.  What search engines have found is remembered
 * meanwhile, for SERP_TTL. */
wr_err explorer_start(struct explorer *explorer);
void explorer_stop(struct explorer *explorer);

/* Somebody has done what this domain or engine asked a person for. */
void explorer_pardon(struct explorer *explorer, const char *domain);

#endif
