/* fetch_client.c - the client: made in a scope, shared by fibers, closed in time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/fetch.h"

static struct wr_fetch_conf with_defaults(struct wr_fetch_conf conf)
{
    if (!conf.user_agent)
        conf.user_agent = "weir";
    if (!conf.redirects_max)
        conf.redirects_max = 5;
    if (!conf.body_max)
        conf.body_max = 1 << 20;
    if (!conf.ratio_max)
        conf.ratio_max = UNZIP_RATIO_MAX;
    if (!conf.requests_max)
        conf.requests_max = 1024;
    if (!conf.host_connections_max)
        conf.host_connections_max = 16;
    if (!conf.lookups_max)
        conf.lookups_max = 8;
    if (!conf.idle_max)
        conf.idle_max = WR_S(30);
    return conf;
}

static void check(const struct wr_fetch_conf *conf, const char *place)
{
    if (!conf->name)
        wr_panic_at(place, "a fetch client needs a name");
    for (size_t i = 0; i < conf->allow_count; i++) {
        const struct wr_fetch_range *range = &conf->allow[i];
        bool ip4 = range->ip.kind == WR_ADDR_IP4;
        if ((!ip4 && range->ip.kind != WR_ADDR_IP6) || range->bits > (ip4 ? 32 : 128))
            wr_panic_at(place, "range %zu of fetch client %s has %u bits, or is no address", i,
                        conf->name, range->bits);
    }
}

void fetch_client_unref(struct wr_fetch_client *client)
{
    if (atomic_fetch_sub(&client->refs, 1) > 1)
        return;
    client->ops->free(client);
    fetch_names_free(client);
    fetch_url_free(&client->proxy);
    wr_sem_free(client->slots);
    wr_once_free(client->stop);
    free(client);
}

static wr_err start(struct wr_fetch_client *client)
{
    const struct wr_fetch_conf *conf = &client->conf;
    const char *why;
    wr_err err = WR_OK;
    if (conf->proxy)
        err = fetch_url_parse(&client->proxy, conf->proxy, NULL, &why);
    if (!err && client->proxy.tls)
        err = WR_INVALID;
    if (!err)
        err = wr_sem_new(&client->slots, "fetch.requests", conf->requests_max);
    if (!err)
        err = wr_once_new(&client->stop, "fetch.stop", 0);
    if (!err)
        err = wr_scope_new(&client->scope, &(struct wr_scope_conf){
            .name = "fetch", .deadline = WR_NEVER, .independent = true });
    if (!err)
        err = fetch_names_start(client);
    return err ? err : client->ops->start(client);
}

wr_err (wr_fetch_client_new)(struct wr_fetch_client **ret, const struct wr_fetch_conf *conf,
                             const char *place)
{
    check(conf, place);
    struct wr_fetch_client *client = calloc(1, sizeof(*client));
    if (!client)
        return WR_NOMEM;
    client->conf = with_defaults(*conf);
    client->ops = conf->plain || fetch_simulated() ? &fetch_plain : &fetch_curl;
    atomic_init(&client->refs, 1);
    wr_err err = start(client);
    if (err) {
        (wr_fetch_client_close)(client, WR_NOW, place);
        return err;
    }
    *ret = client;
    return WR_OK;
}

void (wr_fetch_client_close)(struct wr_fetch_client *client, wr_time deadline,
                             const char *place)
{
    if (!client)
        return;
    atomic_store(&client->closed, true);
    if (client->slots && deadline != WR_NOW
        && !wr_sem_acquire_many(client->slots, client->conf.requests_max, deadline))
        wr_sem_release_many(client->slots, client->conf.requests_max);
    if (client->stop)
        (void)!wr_once_set(client->stop, NULL);
    if (client->scope) {
        wr_scope_cancel(client->scope);
        (void)!(wr_scope_close)(client->scope, place);
    }
    fetch_names_stop(client);
    fetch_client_unref(client);
}

struct wr_fetch_stat wr_fetch_client_stat(const struct wr_fetch_client *client)
{
    return (struct wr_fetch_stat){ .requests = wr_sem_stat(client->slots).taken,
                                   .connects = atomic_load(&client->connects) };
}
