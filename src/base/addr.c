/* addr.c - addresses as text, and which of them are nobody else's business. */
#include <weir/addr.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define UNIX "unix:"

static wr_err parse_port(uint16_t *ret, const char *text)
{
    unsigned long port = 0;
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 5 || text[digits])
        return WR_INVALID;
    for (size_t i = 0; i < digits; i++)
        port = port * 10 + (unsigned long)(text[i] - '0');
    if (port > UINT16_MAX)
        return WR_INVALID;
    *ret = (uint16_t)port;
    return WR_OK;
}

wr_err wr_addr_parse_ip(struct wr_addr *ret, const char *text, uint16_t port)
{
    struct wr_addr addr = { .port = port };
    if (inet_pton(AF_INET, text, addr.ip) == 1)
        addr.kind = WR_ADDR_IP4;
    else if (inet_pton(AF_INET6, text, addr.ip) == 1)
        addr.kind = WR_ADDR_IP6;
    else
        return WR_INVALID;
    *ret = addr;
    return WR_OK;
}

static wr_err parse_unix(struct wr_addr *ret, const char *path)
{
    struct wr_addr addr = { .kind = WR_ADDR_UNIX };
    size_t len = strlen(path);
    if (len == 0 || len >= sizeof(addr.path))
        return WR_INVALID;
    memcpy(addr.path, path, len);
    *ret = addr;
    return WR_OK;
}

wr_err wr_addr_parse(struct wr_addr *ret, const char *text)
{
    if (strncmp(text, UNIX, strlen(UNIX)) == 0)
        return parse_unix(ret, text + strlen(UNIX));
    bool bracketed = text[0] == '[';
    const char *colon = strrchr(text, ':');
    const char *end = bracketed ? strchr(text, ']') : colon;
    char ip[INET6_ADDRSTRLEN];
    uint16_t port;
    if (!colon || !end || (bracketed && end + 1 != colon))
        return WR_INVALID;
    text += bracketed;
    size_t len = (size_t)(end - text);
    if (len >= sizeof(ip) || parse_port(&port, colon + 1))
        return WR_INVALID;
    memcpy(ip, text, len);
    ip[len] = '\0';
    struct wr_addr addr;
    wr_err err = wr_addr_parse_ip(&addr, ip, port);
    if (err || bracketed != (addr.kind == WR_ADDR_IP6))
        return WR_INVALID;
    *ret = addr;
    return WR_OK;
}

const char *wr_addr_print(const struct wr_addr *addr, char *buf)
{
    char ip[INET6_ADDRSTRLEN] = "?";
    switch (addr->kind) {
    case WR_ADDR_IP4:
        inet_ntop(AF_INET, addr->ip, ip, sizeof(ip));
        snprintf(buf, WR_ADDR_TEXT_MAX, "%s:%u", ip, addr->port);
        break;
    case WR_ADDR_IP6:
        inet_ntop(AF_INET6, addr->ip, ip, sizeof(ip));
        snprintf(buf, WR_ADDR_TEXT_MAX, "[%s]:%u", ip, addr->port);
        break;
    case WR_ADDR_UNIX: snprintf(buf, WR_ADDR_TEXT_MAX, UNIX "%s", addr->path); break;
    case WR_ADDR_NONE: snprintf(buf, WR_ADDR_TEXT_MAX, "-"); break;
    }
    return buf;
}

bool wr_addr_equal(const struct wr_addr *a, const struct wr_addr *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == WR_ADDR_UNIX)
        return strcmp(a->path, b->path) == 0;
    size_t len = a->kind == WR_ADDR_IP4 ? 4 : 16;
    return a->kind == WR_ADDR_NONE || (a->port == b->port && memcmp(a->ip, b->ip, len) == 0);
}

/* ---- ranges ---- */

struct range { unsigned char at[16]; unsigned bits; };

static bool in_range(const unsigned char *ip, const struct range *range)
{
    unsigned bytes = range->bits / 8, rest = range->bits % 8;
    if (memcmp(ip, range->at, bytes) != 0)
        return false;
    unsigned mask = 0xff00u >> rest & 0xff;
    return rest == 0 || (ip[bytes] & mask) == range->at[bytes];
}

static bool in_any(const unsigned char *ip, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (in_range(ip, &ranges[i]))
            return true;
    return false;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What IANA lists as not globally reachable (special-purpose registries). */
static const struct range internal4[] = {
    { { 0 }, 8 },                   /* this network */
    { { 10 }, 8 },                  /* private */
    { { 100, 64 }, 10 },            /* shared, behind a carrier's NAT */
    { { 127 }, 8 },                 /* loopback */
    { { 169, 254 }, 16 },           /* link-local; clouds keep their secrets here */
    { { 172, 16 }, 12 },            /* private */
    { { 192, 0, 0 }, 24 },          /* protocol assignments */
    { { 192, 0, 2 }, 24 },          /* documentation */
    { { 192, 88, 99 }, 24 },        /* 6to4 relays, gone */
    { { 192, 168 }, 16 },           /* private */
    { { 198, 18 }, 15 },            /* benchmarks */
    { { 198, 51, 100 }, 24 },       /* documentation */
    { { 203, 0, 113 }, 24 },        /* documentation */
    { { 224 }, 4 },                 /* multicast */
    { { 240 }, 4 },                 /* reserved, broadcast */
};

static const struct range internal6[] = {
    { { 0 }, 96 },                          /* unspecified, loopback, IPv4-compatible */
    { { 0x00, 0x64, 0xff, 0x9b, 0, 1 }, 48 },   /* NAT64, local use */
    { { 0x01 }, 64 },                       /* discard */
    { { 0x20, 0x01, 0x0d, 0xb8 }, 32 },     /* documentation */
    { { 0x3f, 0xff }, 20 },                 /* documentation */
    { { 0x5f }, 16 },                       /* segment routing */
    { { 0xfc }, 7 },                        /* unique local */
    { { 0xfe, 0x80 }, 10 },                 /* link-local */
    { { 0xfe, 0xc0 }, 10 },                 /* site-local, gone */
    { { 0xff }, 8 },                        /* multicast */
};

/* IPv6 ranges that carry an IPv4 address, and where; `not` is what it is xored with. */
static const struct carrier {
    struct range range;
    unsigned at;
    unsigned char not ;
} carriers[] = {
    { { { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff }, 96 }, 12, 0 }, /* mapped */
    { { { 0x00, 0x64, 0xff, 0x9b }, 96 }, 12, 0 },                   /* NAT64 */
    { { { 0x20, 0x02 }, 16 }, 2, 0 },                                /* 6to4 */
    { { { 0x20, 0x01, 0x00, 0x00 }, 32 }, 12, 0xff },                /* Teredo */
};

/* The IPv4 address inside an IPv6 one. */
static bool carried(const unsigned char *ip, unsigned char *ret)
{
    for (size_t i = 0; i < COUNT(carriers); i++)
        if (in_range(ip, &carriers[i].range)) {
            for (size_t byte = 0; byte < 4; byte++)
                ret[byte] = ip[carriers[i].at + byte] ^ carriers[i].not ;
            return true;
        }
    return false;
}

bool wr_addr_loopback(const struct wr_addr *addr)
{
    static const unsigned char one[16] = { [15] = 1 };
    unsigned char inner[4];
    switch (addr->kind) {
    case WR_ADDR_IP4: return addr->ip[0] == 127;
    case WR_ADDR_IP6:
        return memcmp(addr->ip, one, sizeof(one)) == 0
            || (in_range(addr->ip, &carriers[0].range) && carried(addr->ip, inner)
                && inner[0] == 127);
    case WR_ADDR_UNIX: return true;
    case WR_ADDR_NONE: break;
    }
    return false;
}

bool wr_addr_internal(const struct wr_addr *addr)
{
    unsigned char inner[4];
    switch (addr->kind) {
    case WR_ADDR_IP4: return in_any(addr->ip, internal4, COUNT(internal4));
    case WR_ADDR_IP6:
        if (carried(addr->ip, inner))
            return in_any(inner, internal4, COUNT(internal4));
        return in_any(addr->ip, internal6, COUNT(internal6));
    case WR_ADDR_UNIX:
    case WR_ADDR_NONE: break;
    }
    return true;
}
