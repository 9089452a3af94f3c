/* supply.c - the sources of the node, for all of its services. */
#include "svc/sources/supply.h"

#include <stdio.h>
#include <stdlib.h>

#include <weir/scope.h>

#include "store/cache_level.h"
#include "svc/sources/supply_conf.h"

#define CLOSE_WITHIN WR_S(2)

struct supply {
    struct wr_conf *conf;
    struct supply_conf settings;
    struct cache_level *level;
    struct wr_cache *cache;
    struct sources *sources;
    struct node_service row;
    struct wr_child child;
};

/* ---- the task ---- */

static wr_err start_memory(struct supply *self, struct wr_scope *scope)
{
    wr_err err = wr_scope_go(scope, "check.cache_janitor", wr_cache_run, self->cache);
    if (!err && self->level)
        err = wr_scope_go(scope, "check.cache_level", cache_level_run, self->level);
    return err;
}

static wr_err run(void *arg, struct wr_once *drain)
{
    struct supply *self = arg;
    struct wr_scope *memory;
    wr_err err = wr_scope_new(&memory, &(struct wr_scope_conf){ .name = "check.cache",
                                                                 .deadline = WR_NEVER });
    if (err)
        return err;
    err = start_memory(self, memory);
    if (!err)
        err = sources_run(self->sources, drain);
    wr_scope_cancel(memory);
    wr_err ended = wr_scope_close(memory);
    return err ? err : ended;
}

/* ---- opening and closing ---- */

static wr_err open_memory(struct supply *self, struct store *store)
{
    bool keeps = store && wr_conf_bool(self->conf, "check.cache")
                 && !wr_conf_bool(self->conf, "security.amnesia");
    wr_err err = WR_OK;
    if (keeps)
        err = cache_level_new(&self->level, &(struct cache_level_conf){ .store = store });
    if (!err)
        err = wr_cache_new(&self->cache, &(struct wr_cache_conf){
            .name = "check.sources", .ttl = DRAINER_TTL, .ttl_nothing = DRAINER_TTL_NOTHING,
            .behind = self->level ? cache_level_behind(self->level) : NULL });
    return err;
}

static void close_all(void *arg)
{
    struct supply *self = arg;
    sources_free(self->sources, wr_after(CLOSE_WITHIN));
    wr_cache_free(self->cache);
    cache_level_free(self->level);
    wr_conf_unref(self->conf);
    self->sources = NULL;
    self->cache = NULL;
    self->level = NULL;
    self->conf = NULL;
}

static wr_err open_all(void *arg, const struct wr_conf *conf, struct store *store, char *why)
{
    struct supply *self = arg;
    self->conf = wr_conf_ref((struct wr_conf *)(uintptr_t)conf);
    wr_err err = open_memory(self, store);
    if (!err) {
        supply_conf_read(&self->settings, self->conf);
        self->settings.sources.cache = self->cache;
        err = sources_new(&self->sources, &self->settings.sources);
    }
    if (err) {
        snprintf(why, NODE_WHY_MAX, "the sources cannot be asked: %s", wr_err_text(err));
        close_all(self);
    }
    return err;
}

/* ---- the row ---- */

wr_err supply_new(struct supply **ret)
{
    struct supply *self = calloc(1, sizeof(*self));
    if (!self)
        return WR_NOMEM;
    self->child = (struct wr_child){ .name = "sources.service", .run = run, .arg = self,
                                     .restart = WR_RESTART_ALWAYS, .group = NODE_BELOW };
    self->row = (struct node_service){
        .name = "sources", .open = open_all, .close = close_all, .arg = self,
        .children = &self->child, .child_count = 1 };
    *ret = self;
    return WR_OK;
}

const struct node_service *supply_row(const struct supply *supply)
{
    return &supply->row;
}

struct sources *const *supply_sources(const struct supply *supply)
{
    return &supply->sources;
}

void supply_free(struct supply *supply)
{
    free(supply);
}
