/* sources.c - see sources.h. */
#include "source/sources.h"

#include <stdlib.h>

#include <weir/once.h>
#include <weir/scope.h>
#include <weir/sup.h>

#include "base/text.h"
#include "base/version.h"

#define DRAIN_WITHIN WR_S(2)            /* those who ask are canceled and gone at once */

struct sources {
    struct wr_fetch_client *client, *pages;
    struct wr_breakers *breakers;
    struct drainer *drainers[SOURCES_MAX];
    struct wr_child children[SOURCES_MAX + 1];      /* the tasks of all of these */
    size_t child_count;
    const char *names[SOURCES_MAX];
    char user_agent[200];
    struct wr_scope *scope;             /* of the task, if they were opened with one, */
    struct wr_once *over;               /* ... which ends when this is set */
};

const struct source_driver *sources_driver(size_t place)
{
    WR_ASSERT(place < SOURCES_MAX);
    return place < SOURCE_COUNT ? source_drivers[place]
                                : source_fallbacks[place - SOURCE_COUNT];
}

/* ---- what they share ---- */

static bool is_wanted(const struct sources_conf *conf, size_t place)
{
    const struct sources_setting *setting = &conf->settings[place];
    if (setting->off)
        return false;
    return place < SOURCE_COUNT
           || (setting->on && (setting->base || sources_driver(place)->base
                               || sources_driver(place)->ask));
}

static wr_err open_clients(struct sources *sources, const struct sources_conf *conf)
{
    struct wr_text agent = WR_TEXT(sources->user_agent);
    wr_text_format(&agent, "weir/%s", wr_version.version);
    if (conf->mailto)
        wr_text_format(&agent, " (+mailto:%s)", conf->mailto);
    struct wr_fetch_conf client = {
        .name = "source", .user_agent = sources->user_agent, .ca_file = conf->ca_file,
        .proxy = conf->proxy, .redirects = WR_REDIRECT_ANY, .allow = conf->allow,
        .allow_count = conf->allow_count, .body_max = SOURCE_BODY_MAX, .ratio_max = 50,
        .host_connections_max = 4, .plain = conf->plain, .fresh = true };
    wr_err err = wr_fetch_client_new(&sources->client, &client);
    if (err || !is_wanted(conf, SOURCES_ALIVE))
        return err;
    client.name = "source.pages";
    client.allow = conf->allow_pages;
    client.allow_count = conf->allow_pages_count;
    client.host_connections_max = 1;
    return wr_fetch_client_new(&sources->pages, &client);
}

/* ---- their tasks ---- */

static wr_err run_breakers(void *arg, struct wr_once *drain)
{
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "source.breakers",
                                                               .deadline = WR_NEVER });
    if (err)
        return err;
    err = wr_scope_go(scope, "source.janitor", wr_breakers_run, arg);
    if (!err) {
        wr_scope_enter(scope);
        err = wr_once_wait(drain, NULL, WR_NEVER);
        wr_scope_leave(scope);
    }
    wr_scope_cancel(scope);
    wr_err ended = wr_scope_close(scope);
    return ended ? ended : err;
}

static void add_child(struct sources *sources, const char *name, wr_child_fn run, void *arg)
{
    sources->children[sources->child_count++] = (struct wr_child){
        .name = name, .run = run, .arg = arg, .restart = WR_RESTART_ALWAYS };
}

struct ending { struct wr_sup *sup; struct wr_once *drain; };

static wr_err tell(void *arg)
{
    const struct ending *ending = arg;
    wr_err err = wr_once_wait(ending->drain, NULL, WR_NEVER);
    if (!err)
        wr_sup_stop(ending->sup);
    return err;
}

static wr_err supervise(struct wr_sup *sup, struct wr_once *drain)
{
    struct ending ending = { sup, drain };
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "source.ending",
                                                               .deadline = WR_NEVER });
    if (err)
        return err;
    err = wr_scope_go(scope, "source.ending", tell, &ending);
    if (!err)
        err = wr_sup_run(sup);
    wr_scope_cancel(scope);
    (void)!wr_scope_close(scope);
    return err;
}

wr_err sources_run(struct sources *sources, struct wr_once *drain)
{
    struct wr_sup *sup;
    wr_err err = wr_sup_new(&sup, &(struct wr_sup_conf){
        .name = "source", .children = sources->children, .count = sources->child_count,
        .drain_within = DRAIN_WITHIN, .quiet = true });
    if (err)
        return err;
    err = supervise(sup, drain);
    wr_sup_free(sup);
    for (size_t i = 0; wr_once_done(drain) && i < SOURCES_MAX; i++)
        if (sources->drainers[i])
            drainer_stop(sources->drainers[i]);
    return err;
}

/* ---- making and freeing ---- */

static wr_err open_breakers(struct sources *sources)
{
    for (size_t i = 0; i < SOURCES_MAX; i++)
        sources->names[i] = sources_driver(i)->slug;
    wr_err err = wr_breakers_new(&sources->breakers, &(struct wr_breakers_conf){
        .name = "source", .targets = SOURCES_MAX, .names = sources->names });
    if (!err)
        add_child(sources, "source.breakers", run_breakers, sources->breakers);
    return err;
}

static wr_err open_drainers(struct sources *sources, const struct sources_conf *conf)
{
    wr_err err = WR_OK;
    for (size_t i = 0; i < SOURCES_MAX && !err; i++) {
        const struct sources_setting *setting = &conf->settings[i];
        if (!is_wanted(conf, i))
            continue;
        err = drainer_new(&sources->drainers[i], &(struct drainer_conf){
            .driver = sources_driver(i), .cache = conf->cache,
            .client = i == SOURCES_ALIVE ? sources->pages : sources->client,
            .breakers = sources->breakers, .target = (uint32_t)i, .share = conf->share,
            .base = setting->base, .mailto = conf->mailto, .key = setting->key,
            .interval = setting->interval, .timeout = setting->timeout });
        if (!err)
            add_child(sources, "source.drainer", drainer_run, sources->drainers[i]);
    }
    return err;
}

wr_err sources_new(struct sources **ret, const struct sources_conf *conf)
{
    struct sources *sources = calloc(1, sizeof(*sources));
    if (!sources)
        return WR_NOMEM;
    wr_err err = open_clients(sources, conf);
    if (!err)
        err = open_breakers(sources);
    if (!err)
        err = open_drainers(sources, conf);
    if (err)
        sources_free(sources, WR_NOW);
    else
        *ret = sources;
    return err;
}

void sources_free(struct sources *sources, wr_time deadline)
{
    if (!sources)
        return;
    for (size_t i = SOURCES_MAX; i-- > 0;)
        drainer_free(sources->drainers[i]);
    wr_breakers_free(sources->breakers);
    wr_fetch_client_close(sources->pages, deadline);
    wr_fetch_client_close(sources->client, deadline);
    free(sources);
}

/* ---- with a task of their own ---- */

static wr_err run_opened(void *arg)
{
    struct sources *sources = arg;
    return sources_run(sources, sources->over);
}

wr_err sources_open(struct sources **ret, const struct sources_conf *conf)
{
    struct sources *sources;
    wr_err err = sources_new(&sources, conf);
    if (err)
        return err;
    err = wr_once_new(&sources->over, "source.over", 0);
    if (!err)
        err = wr_scope_new(&sources->scope, &(struct wr_scope_conf){ .name = "source.all",
                                                                     .deadline = WR_NEVER });
    if (!err)
        err = wr_scope_go(sources->scope, "source.all", run_opened, sources);
    if (err)
        sources_close(sources, WR_NOW);
    else
        *ret = sources;
    return err;
}

void sources_close(struct sources *sources, wr_time deadline)
{
    if (!sources)
        return;
    struct wr_once *over = sources->over;
    if (sources->scope) {
        (void)!wr_once_set(over, NULL);
        (void)!wr_scope_join(sources->scope, WR_NEVER);
        (void)!wr_scope_close(sources->scope);
    }
    sources_free(sources, deadline);
    wr_once_free(over);
}

struct drainer *sources_drainer(const struct sources *sources, size_t place)
{
    WR_ASSERT(place < SOURCES_MAX);
    return sources->drainers[place];
}

struct drainer *sources_find(const struct sources *sources, const struct source_driver *driver)
{
    size_t place = 0;
    while (sources_driver(place) != driver)
        place++;
    return sources->drainers[place];
}
