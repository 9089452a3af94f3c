/* index_settings.h - what of the configuration is looked at for each request: one snapshot.
 *
 *     const struct index_settings *settings = wr_cell_get(desk->settings);
 *     struct rank_rule rule = index_settings_rule(settings);
 *     ...
 *     wr_cell_put(desk->settings, settings);
 *
 * A request goes by one snapshot from beginning to end; a reload puts another in its place
 * (cell.h).
 */
#ifndef WR_INDEX_SETTINGS_H
#define WR_INDEX_SETTINGS_H

#include <weir/bucket.h>
#include <weir/cell.h>

#include "conf/conf.h"
#include "svc/index/rank.h"

struct index_settings {
    struct wr_conf *conf;               /* held */
    wr_time deadline;
    double bias;
    wr_time half_life;
    wr_time buckets[RANK_BUCKETS_MAX];
    size_t bucket_count;
    struct wr_rate resolves, providers; /* of a tenant; a burst of 0 is no limit */
    bool search, graph;
};

/* Holds the configuration until index_settings_drop. */
struct index_settings index_settings_of(struct wr_conf *conf);

/* For cells: `settings` points to one. */
void index_settings_drop(void *settings);

/* It points into the snapshot, and has no latency of its own. */
struct rank_rule index_settings_rule(const struct index_settings *settings);

#endif
