/* net_host.c - machines of a simulation, and who can reach whom. */
#include "sim/net.h"

#include <inttypes.h>
#include <string.h>

/* A task is on the host of the innermost scope that has one. */
struct place {
    struct place *next;
    struct wr_scope *scope;
    unsigned host;
};

static bool same_ip(const struct wr_addr *a, const struct wr_addr *b)
{
    return a->kind == b->kind && memcmp(a->ip, b->ip, sizeof(a->ip)) == 0;
}

static unsigned host_with(const struct wr_addr *ip)
{
    unsigned host = 0;
    while (host < wr_sim_net.hosts && !same_ip(&wr_sim_net.addrs[host], ip))
        host++;
    return host;
}

/* The number of a host; one that has not been seen yet gets the next. */
static unsigned host_named(const char *ip)
{
    struct wr_addr addr;
    if (wr_addr_parse_ip(&addr, ip, 0) || wr_addr_loopback(&addr))
        wr_panic("\"%s\" is not the address of a host: give an IP address that is not "
                 "loopback", ip);
    unsigned host = host_with(&addr);
    if (host < wr_sim_net.hosts)
        return host;
    if (host == NET_HOSTS)
        wr_panic("host %s is one too many: a simulation has at most %d", ip, NET_HOSTS);
    wr_sim_net.addrs[host] = addr;
    wr_sim_net.hosts++;
    return host;
}

unsigned wr_host_here(void)
{
    const struct place *inner = NULL;
    for (const struct place *place = wr_sim_net.places; place; place = place->next)
        if (wr_scope_within(place->scope)
            && (!inner || place->scope->depth > inner->scope->depth))
            inner = place;
    return inner ? inner->host : 0;
}

unsigned wr_host_of(const struct wr_addr *addr, unsigned from)
{
    if (wr_addr_loopback(addr))
        return from;
    unsigned host = host_with(addr);
    return host < wr_sim_net.hosts ? host : NET_HOSTS;
}

struct wr_addr wr_host_addr(unsigned host, const struct wr_addr *to)
{
    if (!wr_addr_loopback(to))
        return wr_sim_net.addrs[host];
    struct wr_addr addr = *to;
    addr.port = 0;
    return addr;
}

/* ---- cuts ---- */

bool wr_host_cut(unsigned from, unsigned to, wr_time now)
{
    return from != to && wr_sim_net.cut[from][to] > now;
}

static void cut(unsigned from, unsigned to, wr_time until)
{
    if (wr_sim_net.cut[from][to] < until)
        wr_sim_net.cut[from][to] = until;
}

/* Now and then only one direction is cut. */
void wr_host_partition(struct wr_rand *rand, unsigned one, unsigned other)
{
    int64_t log = wr_rand_span(rand, 24, 33);       /* 16 milliseconds to 17 seconds */
    wr_time span = ((wr_time)1 << log) + (wr_time)wr_rand_below(rand, (uint64_t)1 << log);
    uint64_t apart = (wr_rand_next(rand) | (uint64_t)1 << one) & ~((uint64_t)1 << other);
    bool both = wr_rand_below(rand, 3) != 0;
    wr_time until = wr_after(span);
    for (unsigned from = 0; from < wr_sim_net.hosts; from++)
        for (unsigned to = 0; to < wr_sim_net.hosts; to++) {
            bool out = apart >> from & 1, in = apart >> to & 1;
            if (out != in && (both || out))
                cut(from, to, until);
        }
    wr_trace_format(&wr_sim.trace, "  cut %" PRIx64 " for %" PRId64 "%s",
                    apart & (((uint64_t)1 << wr_sim_net.hosts) - 1), span,
                    both ? "" : ", one way");
}

void wr_sim_cut(const char *one, const char *other, wr_time until)
{
    if (!wr_sim.running)
        wr_panic("wr_sim_cut outside a simulation");
    unsigned a = host_named(one), b = host_named(other);
    cut(a, b, until);
    cut(b, a, until);
    wr_trace_format(&wr_sim.trace, "  cut %s %s", one, other);
}

/* ---- hosts ---- */

static void leave_place(void *arg)
{
    struct place **at = &wr_sim_net.places;
    while (*at && *at != arg)
        at = &(*at)->next;
    if (*at)
        *at = (*at)->next;
}

wr_err wr_sim_host(const char *ip, wr_task_fn fn, void *arg)
{
    if (!wr_sim.running)
        wr_panic("host %s outside a simulation", ip);
    struct place place = { .host = host_named(ip) };
    wr_err err = wr_scope_new(&place.scope, &(struct wr_scope_conf){ .name = "sim.host",
                                                                     .deadline = WR_NEVER });
    if (err)
        return err;
    place.next = wr_sim_net.places;
    wr_sim_net.places = &place;
    struct wr_cleanup cleanup = { .fn = leave_place, .arg = &place };
    wr_cleanup_push(&cleanup);
    err = wr_scope_go(place.scope, "host", fn, arg);
    if (!err)
        err = wr_scope_join(place.scope, WR_NEVER);
    wr_err closed = wr_scope_close(place.scope);
    wr_cleanup_pop(&cleanup);
    leave_place(&place);
    return err ? err : closed;
}
