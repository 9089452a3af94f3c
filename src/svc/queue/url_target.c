/* url_target.c - an address as a target: the page, and nothing else. */
#include "svc/queue/errand.h"

wr_err explore_url(struct explorer *explorer, struct queue_work *work)
{
    struct errand errand;
    wr_err err = errand_begin(&errand, explorer, work);
    const char *url = err ? NULL : errand_text(&errand, "url");
    if (!err && !url)
        err = queue_work_fail(work, WR_INVALID, "INVALID_PARAMS", "the target has no url");
    if (!err)
        err = errand_visit(&errand, url, errand_reason(&errand),
                           (unsigned)errand_number(&errand, "depth", 0));
    return errand_end(&errand, err);
}
