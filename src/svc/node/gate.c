/* gate.c - who may do what: see gate.h. */
#include "svc/node/gate.h"

#include <string.h>

/* ---- names of this machine ---- */

/* The host in "host", "host:port", "[v6]" or "[v6]:port"; its length. */
static size_t host_len(const char *text)
{
    if (text[0] == '[') {
        const char *end = strchr(text, ']');
        return end ? (size_t)(end - text) + 1 : 0;
    }
    return strcspn(text, ":");
}

static bool port_follows(const char *text)
{
    return !*text || (*text == ':' && text[1] && !text[1 + strspn(text + 1, "0123456789")]);
}

static bool loopback_name(const char *host)
{
    char name[64];
    struct wr_addr addr;
    size_t len = host_len(host);
    if (len == 0 || len >= sizeof(name) || !port_follows(host + len))
        return false;
    bool bare = host[0] == '[';
    memcpy(name, host + bare, len - 2 * bare);
    name[len - 2 * bare] = '\0';
    if (strcasecmp(name, "localhost") == 0)
        return true;
    return !wr_addr_parse_ip(&addr, name, 0) && wr_addr_loopback(&addr);
}

/* A page may call the place it came from. */
static bool own_origin(const char *origin, const char *host)
{
    const char *rest = strncmp(origin, "http://", 7) == 0    ? origin + 7
                       : strncmp(origin, "https://", 8) == 0 ? origin + 8
                                                             : NULL;
    return rest && strcasecmp(rest, host) == 0;
}

/* ---- tokens ---- */

static wr_err refuse(struct wr_call *call, unsigned status, const char *why)
{
    wr_call_status(call, status);
    if (status == 401)
        wr_call_reply_header(call, "WWW-Authenticate", "Bearer");
    return wr_call_fail(call, WR_DENIED, "%s", why);
}

/* NULL: there is none.  Empty: there is something else. */
static const char *bearer(const struct wr_call *call)
{
    const char *value = wr_call_header(call, "authorization");
    if (!value)
        return NULL;
    if (strncasecmp(value, "bearer ", 7) != 0)
        return "";
    return value + 7 + strspn(value + 7, " ");
}

static bool needs_token(const struct gate *gate, const struct wr_call *call)
{
    const struct wr_route *route = wr_call_route(call);
    if (route->scope && strcmp(route->scope, GATE_ADMIN) == 0)
        return gate->admin || !gate->open || !wr_addr_loopback(wr_call_peer(call));
    return !gate->open && (route->class != WR_ROUTE_PRIORITY || route->scope);
}

wr_err gate_admit(const struct gate *gate, struct wr_call *call)
{
    const char *token = bearer(call);
    if (token) {
        if (gate->admin && wr_secret_equal(gate->admin, token, strlen(token)))
            return WR_OK;
        return refuse(call, 401, "the token is not one that this node knows");
    }
    if (needs_token(gate, call))
        return gate->admin ? refuse(call, 401, "this needs a token: Authorization: Bearer ...")
                           : refuse(call, 403, "this can be asked for on a loopback address "
                                               "only, as the node has no admin token");
    const char *host = wr_call_header(call, "host"), *origin = wr_call_header(call, "origin");
    if (!gate->open || !host)
        return WR_OK;
    if (!loopback_name(host))
        return refuse(call, 403, "without a token the host must be a loopback name");
    if (origin && !own_origin(origin, host))
        return refuse(call, 403, "without a token no other origin may call");
    return WR_OK;
}
