/* explorer_int.h - what those who look at targets share. */
#ifndef WR_QUEUE_EXPLORER_INT_H
#define WR_QUEUE_EXPLORER_INT_H

#include <weir/lock.h>

#include "crawl/crawl.h"
#include "source/scholar.h"
#include "source/serp.h"
#include "store/store.h"
#include "svc/queue/explorer.h"
#include "svc/queue/meaning.h"
#include "svc/queue/queue_work.h"
#include "svc/queue/turns.h"

struct explorer {
    struct store *store;
    struct sources *const *sources;
    struct turns verifying;             /* tasks whose claims are looked at */
    const struct meaning *meaning;      /* or NULL: no models */
    struct crawl_conf crawl_conf;
    struct crawl_memory memory;
    struct wr_fetch_range allow[EXPLORER_ALLOW_MAX];
    struct wr_mutex lock;               /* of the next two, for who is no job of it */
    struct crawl *crawl;                /* while it runs, with all of the next */
    struct serp *serp;
    struct wr_cache *found;             /* by search engines */
    struct wr_scope *janitor;           /* of that */
};

/* Kinds of targets; each ends its errand. */
wr_err explore_url(struct explorer *explorer, struct queue_work *work);
wr_err explore_doi(struct explorer *explorer, struct queue_work *work);
wr_err explore_query(struct explorer *explorer, struct queue_work *work);

/* Handlers of the other kinds. */
wr_err follow_citations(void *explorer, struct queue_work *work);
wr_err verify_claims(void *explorer, struct queue_work *work);
wr_err embed_texts(void *explorer, struct queue_work *work);

#endif
