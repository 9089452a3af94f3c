/* caller.c - see caller.h. */
#include "net/caller.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "net/call.h"
#include "net/oap_server.h"

void caller_at(struct caller *caller, const struct wr_addr *peer)
{
    static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
    struct wr_addr addr = *peer;
    char text[WR_ADDR_TEXT_MAX];
    if (addr.kind == WR_ADDR_UNIX) {
        snprintf(caller->share, sizeof(caller->share), "%s", CALLER_LOCAL);
        return;
    }
    if (addr.kind == WR_ADDR_IP6 && memcmp(addr.ip, mapped, sizeof(mapped)) == 0) {
        addr.kind = WR_ADDR_IP4;
        memmove(addr.ip, addr.ip + sizeof(mapped), 4);
    } else if (addr.kind == WR_ADDR_IP6) {
        memset(addr.ip + 8, 0, 8);
    }
    addr.port = 0;
    snprintf(caller->share, sizeof(caller->share), "ip:%.60s", wr_addr_print(&addr, text));
}

void caller_for(struct caller *caller, const char *tenant)
{
    char text[WR_HASH_TEXT];
    struct wr_hash hash = wr_hash_of(tenant, strlen(tenant));
    snprintf(caller->share, sizeof(caller->share), "tenant:%s", wr_hash_print(&hash, text));
}

void caller_has(struct caller *caller, const struct wr_token_verdict *verdict,
                const char *tenant)
{
    for (size_t i = 0; i < WR_TOKEN_ID_SIZE; i++)
        snprintf(caller->token + 2 * i, 3, "%02x", verdict->id[i]);
    if (verdict->tenant_bound)
        caller_for(caller, tenant);
}

bool caller_may(const struct caller *caller, const char *scope)
{
    size_t len = strlen(scope);
    const char *at = caller->scopes;
    while (at && *at && (strncmp(at, scope, len) != 0 || at[len] != '\n'))
        at = strchr(at, '\n') + 1;
    return !at || *at;
}

/* ---- of a call ---- */

static const struct caller nobody = { .share = "nobody", .scopes = "" };

struct caller *caller_make(struct wr_call *call)
{
    if (call->caller)
        return call->caller;
    struct caller *caller = wr_call_alloc(call, sizeof(*caller));
    if (!caller)
        return NULL;
    *caller = (struct caller){ 0 };
    caller_at(caller, &call->peer);
    return call->caller = caller;
}

const struct caller *caller_of(struct wr_call *call)
{
    const struct caller *caller = caller_make(call);
    return caller ? caller : &nobody;
}

struct caller *caller_make_oap(struct wr_oap_call *call)
{
    if (!call->caller.share[0])
        caller_at(&call->caller, &call->peer);
    return &call->caller;
}

const struct caller *caller_of_oap(struct wr_oap_call *call)
{
    return caller_make_oap(call);
}
