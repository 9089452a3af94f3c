/* check_cache.c - what sources have said, kept from one run to the next: see check_cache.h. */
#include "cmd/weir/check_cache.h"

#include <stdio.h>
#include <unistd.h>

#include <weir/file.h>

#include "cmd/weir/data.h"
#include "source/drainer.h"

#define WRITE_WITHIN WR_S(5)

/* ---- the store ---- */

/* Whether the folder of the store is ours now; else kept->why says why not. */
static bool take_data(struct check_cache *kept, const char *data)
{
    char said[DATA_WHY];
    const char *fix;
    bool usable = data_usable(data, said, sizeof(said), &fix);
    if (usable && !wr_file_make_dir(data, 0700, WR_NEVER))
        kept->lock = data_take(data, "weir check", said, sizeof(said));
    if (kept->lock < 0)
        snprintf(kept->why, sizeof(kept->why), "%.200s cannot be had (%.200s)", data, said);
    return kept->lock >= 0;
}

/* A store on a server is everybody's; one in a file has its folder to itself. */
static wr_err open_store(struct check_cache *kept, const struct wr_conf *conf)
{
    char url[DEPOT_URL_MAX];
    const char *path;
    if (depot_place(conf, url, &path))
        return WR_INVALID;
    if (path && !take_data(kept, wr_conf_text(conf, "data")))
        return WR_BUSY;
    return depot_open(&kept->depot, conf, kept->why);
}

static wr_err open_level(struct check_cache *kept)
{
    wr_err err = cache_level_new(&kept->level, &(struct cache_level_conf){
        .store = kept->depot.store });
    if (!err)
        err = wr_scope_new(&kept->scope, &(struct wr_scope_conf){ .name = "check.cache",
                                                                  .deadline = WR_NEVER });
    if (!err)
        err = wr_scope_go(kept->scope, "check.cache_level", cache_level_run, kept->level);
    return err;
}

/* ---- the whole ---- */

wr_err check_cache_open(struct check_cache *kept, const struct wr_conf *conf)
{
    *kept = (struct check_cache){ .lock = -1 };
    wr_err err = WR_OK;
    if (wr_conf_bool(conf, "check.cache") && !wr_conf_bool(conf, "security.amnesia")
        && !open_store(kept, conf))
        err = open_level(kept);
    if (!err)
        err = wr_cache_new(&kept->cache, &(struct wr_cache_conf){
            .name = "check.sources", .ttl = DRAINER_TTL, .ttl_nothing = DRAINER_TTL_NOTHING,
            .behind = kept->level ? cache_level_behind(kept->level) : NULL });
    if (err)
        check_cache_close(kept);
    return err;
}

void check_cache_close(struct check_cache *kept)
{
    wr_cache_free(kept->cache);
    if (kept->scope) {
        cache_level_stop(kept->level);
        (void)!wr_scope_join(kept->scope, wr_after(WRITE_WITHIN));
        wr_scope_cancel(kept->scope);
        (void)!wr_scope_close(kept->scope);
    }
    cache_level_free(kept->level);
    if (kept->depot.store)
        depot_close(&kept->depot);
    if (kept->lock > 0)
        close(kept->lock);
    *kept = (struct check_cache){ .lock = -1 };
}
