/* index_quota.c - see index_quota.h. */
#include "svc/index/index_quota.h"

#include <string.h>

#include <weir/metric.h>

#include "base/hash.h"
#include "flow/roster.h"
#include "net/caller.h"

static struct wr_metric exhausted = {
    .name = "quota_exhaustions_total", .help = "Questions refused because a quota was used up.",
    .type = WR_COUNTER, .labels = { "dimension" }, .series_max = 4, .svc = "index" };

void index_quota_declare(void)
{
    wr_metric_declare(&exhausted);
}

/* Not before somebody wants to know: without quotas nobody does. */
static const char *share_of(const struct index_quota *quota)
{
    return quota->call  ? caller_of(quota->call)->share
           : quota->oap ? caller_of_oap(quota->oap)->share
                        : quota->share;
}

wr_err index_quota_take(struct index_quota *quota, struct index_desk *desk,
                        enum index_quota_of which)
{
    struct wr_guest *guest;
    const struct index_settings *settings = wr_cell_get(desk->settings);
    quota->rate = which == INDEX_QUOTA_PROVIDERS ? settings->providers : settings->resolves;
    wr_cell_put(desk->settings, settings);
    if (quota->rate.burst == 0)
        return WR_OK;
    quota->wait = WR_S(1);
    const char *share = share_of(quota);
    struct wr_hash key = wr_hash_of(share, strlen(share));
    wr_err err = roster_enter(desk->quotas, key.bytes, sizeof(key.bytes), UINT32_MAX, &guest);
    if (!err) {
        err = wr_bucket_take(&guest->buckets[which], &quota->rate, 1, &quota->wait);
        quota->left = wr_bucket_level(&guest->buckets[which], &quota->rate);
        roster_leave(desk->quotas, guest);
    }
    if (!err)
        return WR_OK;
    quota->is_used_up = true;
    wr_counter_add(wr_metric_counter(&exhausted, "rps"), 1);
    return WR_BUSY;
}
