/* fetch_name.c - from a host to addresses that may be connected to.
 *
 * The system's resolver blocks, so it runs in the offload pool, for lookups_max tasks
 * of the client.  A call under way there cannot be stopped: who asked waits for the
 * answer beside it, and leaves when he must.  What was found is remembered for a
 * little while, so that requests to one host do not each ask.
 *
 * Every address is judged here, whether it was written, configured or found; the
 * transports judge again what they connect to.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <weir/chan.h>
#include <weir/lock.h>
#include <weir/offload.h>

#include "net/fetch.h"
#include "net/os_curl.h"
#include "rt/net_int.h"

#define NAME_MAX_LEN 256
#define CACHED_MAX 64
#define CACHED_FOR WR_S(30)
#define RANK_NAMES 610

struct cached {
    char name[NAME_MAX_LEN];
    struct fetch_addrs addrs;
    wr_time until;
};

struct fetch_names {
    struct wr_chan *asked;                  /* of struct lookup * */
    struct wr_mutex lock;
    struct cached cache[CACHED_MAX];
};

/* Held by who asked and by who answers; the last one frees it. */
struct lookup {
    atomic_uint refs;
    struct wr_once *done;
    char name[NAME_MAX_LEN];
    struct fetch_addrs found;
    wr_err err;
};

bool fetch_simulated(void)
{
    return wr_net != &wr_net_os;
}

/* ---- what was found before ---- */

static bool remembered(struct fetch_names *names, const char *name, struct fetch_addrs *ret)
{
    wr_time now = wr_now();
    bool found = false;
    wr_mutex_lock(&names->lock);
    for (int i = 0; i < CACHED_MAX && !found; i++)
        if (names->cache[i].until > now && strcmp(names->cache[i].name, name) == 0) {
            *ret = names->cache[i].addrs;
            found = true;
        }
    wr_mutex_unlock(&names->lock);
    return found;
}

/* In the place of what is forgotten first. */
static void remember(struct fetch_names *names, const char *name,
                     const struct fetch_addrs *addrs)
{
    wr_time until = wr_after(CACHED_FOR);
    wr_mutex_lock(&names->lock);
    struct cached *place = &names->cache[0];
    for (int i = 1; i < CACHED_MAX; i++)
        if (names->cache[i].until < place->until)
            place = &names->cache[i];
    memcpy(place->name, name, strlen(name) + 1);
    place->addrs = *addrs;
    place->until = until;
    wr_mutex_unlock(&names->lock);
}

/* ---- looking up ---- */

static void lookup_unref(struct lookup *lookup)
{
    if (atomic_fetch_sub(&lookup->refs, 1) > 1)
        return;
    wr_once_free(lookup->done);
    free(lookup);
}

static void answer(struct lookup *lookup, wr_err err)
{
    lookup->err = err;
    (void)!wr_once_set(lookup->done, NULL);
    lookup_unref(lookup);
}

static void drop_lookup(void *item)
{
    answer(*(struct lookup **)item, WR_CLOSED);
}

static void blocking(void *arg)
{
    struct lookup *lookup = arg;
    lookup->err = wr_os_lookup(lookup->found.list, &lookup->found.count, FETCH_ADDRS_MAX,
                               lookup->name);
}

static wr_err resolver(void *arg)
{
    struct fetch_names *names = arg;
    struct lookup *lookup;
    wr_err err;
    while (!(err = wr_chan_recv(names->asked, &lookup, WR_NEVER))) {
        if (remembered(names, lookup->name, &lookup->found)) {
            answer(lookup, WR_OK);
            continue;
        }
        wr_err failed = wr_offload(blocking, lookup, WR_NEVER);
        if (!failed)
            failed = lookup->err;
        if (!failed)
            remember(names, lookup->name, &lookup->found);
        answer(lookup, failed);
    }
    return err == WR_CLOSED ? WR_OK : err;
}

static wr_err look_up(struct fetch_names *names, const char *name, struct fetch_addrs *ret,
                      wr_time deadline)
{
    struct lookup *lookup = calloc(1, sizeof(*lookup));
    if (!lookup)
        return WR_NOMEM;
    memcpy(lookup->name, name, strlen(name) + 1);
    atomic_init(&lookup->refs, 2);
    wr_err err = wr_once_new(&lookup->done, "fetch.lookup", 0);
    if (err) {
        free(lookup);
        return err;
    }
    err = wr_chan_send(names->asked, &lookup, WR_NOW);
    if (err) {
        atomic_store(&lookup->refs, 1);
        lookup_unref(lookup);
        return err;
    }
    err = wr_once_wait(lookup->done, NULL, deadline);
    if (!err && !(err = lookup->err))
        *ret = lookup->found;
    lookup_unref(lookup);
    return err;
}

/* ---- judging ---- */

static bool within(const struct wr_addr *addr, const struct wr_fetch_range *range)
{
    unsigned bytes = range->bits / 8, rest = range->bits % 8;
    if (addr->kind != range->ip.kind || memcmp(addr->ip, range->ip.ip, bytes) != 0)
        return false;
    unsigned mask = 0xff00u >> rest & 0xff;
    return rest == 0 || ((addr->ip[bytes] ^ range->ip.ip[bytes]) & mask) == 0;
}

bool fetch_may_reach(const struct wr_fetch_client *client, const struct wr_addr *addr)
{
    const struct wr_fetch_conf *conf = &client->conf;
    if (conf->internal || !wr_addr_internal(addr))
        return true;
    for (size_t i = 0; i < conf->allow_count; i++)
        if (within(addr, &conf->allow[i]))
            return true;
    return false;
}

/* Keep those that may be reached; without any, the first is named. */
static wr_err judge(const struct wr_fetch_client *client, struct fetch_addrs *addrs,
                    const struct fetch_url *url, char *why)
{
    char text[WR_ADDR_TEXT_MAX];
    size_t kept = 0;
    wr_addr_print(&addrs->list[0], text);
    for (size_t i = 0; i < addrs->count; i++)
        if (fetch_may_reach(client, &addrs->list[i]))
            addrs->list[kept++] = addrs->list[i];
    addrs->count = kept;
    if (kept > 0)
        return WR_OK;
    return fetch_why(why, WR_DENIED, "%s is at %s, an internal address, where this client does "
                     "not go unless it is told to", url->host, text);
}

static const struct wr_addr *configured(const struct wr_fetch_client *client, const char *name)
{
    for (size_t i = 0; i < client->conf.host_count; i++)
        if (strcasecmp(client->conf.hosts[i].name, name) == 0)
            return &client->conf.hosts[i].ip;
    return NULL;
}

/* Whether a name ends in .invalid: such a name exists nowhere (RFC 6761). */
static bool never_exists(const char *name)
{
    static const char ending[] = ".invalid";
    size_t len = strlen(name), end = sizeof(ending) - 1;
    return len >= end && strcmp(name + len - end, ending) == 0;
}

static wr_err find(struct wr_fetch_client *client, struct fetch_addrs *ret,
                   const struct fetch_url *url, wr_time deadline)
{
    const struct wr_addr *fixed = url->ip.kind ? &url->ip : configured(client, url->host);
    if (fixed) {
        *ret = (struct fetch_addrs){ .list = { *fixed }, .count = 1 };
        return WR_OK;
    }
    if (never_exists(url->host) || !client->names)
        return WR_NOTFOUND;
    if (remembered(client->names, url->host, ret))
        return WR_OK;
    return look_up(client->names, url->host, ret, deadline);
}

wr_err fetch_names_find(struct wr_fetch_client *client, struct fetch_addrs *ret,
                        const struct fetch_url *url, char *why, wr_time deadline)
{
    wr_err err = find(client, ret, url, deadline);
    switch (err) {
    case WR_OK: break;
    case WR_NOTFOUND: return fetch_why(why, err, "the name %s has no address", url->host);
    case WR_IO:
        return fetch_why(why, err, "the name %s cannot be looked up at present", url->host);
    case WR_BUSY:
        return fetch_why(why, err, "too many names are being looked up, %s was not", url->host);
    default: return err;
    }
    for (size_t i = 0; i < ret->count; i++)
        ret->list[i].port = url->port;
    return url == &client->proxy ? WR_OK : judge(client, ret, url, why);
}

/* ---- starting ---- */

wr_err fetch_names_start(struct wr_fetch_client *client)
{
    if (fetch_simulated())
        return WR_OK;               /* there names are configured, or have no address */
    struct fetch_names *names = calloc(1, sizeof(*names));
    if (!names)
        return WR_NOMEM;
    names->lock = (struct wr_mutex)WR_MUTEX("fetch.names", RANK_NAMES);
    client->names = names;
    wr_err err = wr_chan_new(&names->asked, &(struct wr_chan_conf){
        .name = "fetch.lookups", .item_size = sizeof(struct lookup *),
        .cap = client->conf.requests_max, .policy = WR_REJECT, .drop = drop_lookup });
    for (unsigned i = 0; i < client->conf.lookups_max && !err; i++)
        err = wr_scope_go(client->scope, "fetch.resolver", resolver, names);
    return err;
}

/* Nobody answers any more; who still waits is told. */
void fetch_names_stop(struct wr_fetch_client *client)
{
    struct lookup *lookup;
    if (!client->names || !client->names->asked)
        return;
    wr_chan_close(client->names->asked);
    while (!wr_chan_recv(client->names->asked, &lookup, WR_NOW))
        answer(lookup, WR_CLOSED);
}

void fetch_names_free(struct wr_fetch_client *client)
{
    struct fetch_names *names = client->names;
    if (!names)
        return;
    wr_chan_free(names->asked);
    wr_mutex_fini(&names->lock);
    free(names);
    client->names = NULL;
}
