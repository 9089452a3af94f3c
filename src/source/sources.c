/* sources.c - see sources.h. */
#include "source/sources.h"

#include <stdlib.h>

#include <weir/scope.h>

#include "base/text.h"
#include "base/version.h"

struct sources {
    struct wr_fetch_client *client, *pages;
    struct wr_breakers *breakers;
    struct wr_scope *scope;             /* of the breakers' janitor */
    struct drainer *drainers[SOURCES_MAX];
    const char *names[SOURCES_MAX];
    char user_agent[200];
};

const struct source_driver *sources_driver(size_t place)
{
    WR_ASSERT(place < SOURCES_MAX);
    return place < SOURCE_COUNT ? source_drivers[place]
                                : source_fallbacks[place - SOURCE_COUNT];
}

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

static wr_err open_breakers(struct sources *sources)
{
    for (size_t i = 0; i < SOURCES_MAX; i++)
        sources->names[i] = sources_driver(i)->slug;
    wr_err err = wr_breakers_new(&sources->breakers, &(struct wr_breakers_conf){
        .name = "source", .targets = SOURCES_MAX, .names = sources->names });
    if (!err)
        err = wr_scope_new(&sources->scope, &(struct wr_scope_conf){
            .name = "source.breakers", .deadline = WR_NEVER });
    if (!err)
        err = wr_scope_go(sources->scope, "source.breakers", wr_breakers_run,
                          sources->breakers);
    return err;
}

static wr_err open_drainers(struct sources *sources, const struct sources_conf *conf)
{
    wr_err err = WR_OK;
    for (size_t i = 0; i < SOURCES_MAX && !err; i++) {
        const struct sources_setting *setting = &conf->settings[i];
        if (!is_wanted(conf, i))
            continue;
        err = drainer_open(&sources->drainers[i], &(struct drainer_conf){
            .driver = sources_driver(i), .cache = conf->cache,
            .client = i == SOURCES_ALIVE ? sources->pages : sources->client,
            .breakers = sources->breakers, .target = (uint32_t)i, .share = conf->share,
            .base = setting->base, .mailto = conf->mailto, .key = setting->key,
            .interval = setting->interval, .timeout = setting->timeout });
    }
    return err;
}

wr_err sources_open(struct sources **ret, const struct sources_conf *conf)
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
        sources_close(sources, WR_NOW);
    else
        *ret = sources;
    return err;
}

void sources_stop(struct sources *sources)
{
    for (size_t i = 0; sources && i < SOURCES_MAX; i++)
        if (sources->drainers[i])
            drainer_stop(sources->drainers[i]);
}

void sources_close(struct sources *sources, wr_time deadline)
{
    if (!sources)
        return;
    for (size_t i = SOURCES_MAX; i-- > 0;)
        drainer_close(sources->drainers[i]);
    if (sources->scope)
        wr_scope_cancel(sources->scope);
    (void)!wr_scope_close(sources->scope);
    wr_breakers_free(sources->breakers);
    wr_fetch_client_close(sources->pages, deadline);
    wr_fetch_client_close(sources->client, deadline);
    free(sources);
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
