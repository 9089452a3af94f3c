/* caveat.c - one kind of caveat after the other. */
#include "base/caveat.h"

#include <string.h>

#include <weir/panic.h>

static const char *const words[] = {
#define X(name, word) word,
    WR_CAVEAT_TABLE(X)
#undef X
};

const char *caveat_word(enum wr_caveat_kind kind)
{
    return kind < WR_CAVEAT_UNKNOWN ? words[kind] : "unknown";
}

/* ---- reading ---- */

static bool is_same(struct wr_cbor_span a, struct wr_cbor_span b)
{
    return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

static bool is_text(struct wr_cbor_span span, const char *text)
{
    return text && is_same(span, (struct wr_cbor_span){ .at = (const void *)text,
                                                        .len = strlen(text) });
}

static struct wr_cbor over(struct wr_cbor_span span)
{
    return wr_cbor_over(span.at, span.len);
}

struct network { struct wr_addr addr; unsigned bits; };

static bool digits(unsigned *ret, const char *at)
{
    size_t len = strlen(at);
    if (len < 1 || len > 3 || strspn(at, "0123456789") != len || (at[0] == '0' && len > 1))
        return false;
    for (*ret = 0; *at; at++)
        *ret = *ret * 10 + (unsigned)(*at - '0');
    return true;
}

/* 10.0.0.0/8, 2001:db8::/32; an address alone is a network of one. */
static bool read_network(struct network *ret, struct wr_cbor_span span)
{
    char text[64];
    if (span.len >= sizeof(text) || memchr(span.at, '\0', span.len))
        return false;
    memcpy(text, span.at, span.len);
    text[span.len] = '\0';
    char *slash = strchr(text, '/');
    if (slash)
        *slash = '\0';
    if (wr_addr_parse_ip(&ret->addr, text, 0))
        return false;
    unsigned most = ret->addr.kind == WR_ADDR_IP4 ? 32 : 128;
    ret->bits = most;
    return !slash || (digits(&ret->bits, slash + 1) && ret->bits <= most);
}

static bool read_rate(struct wr_token_rate *ret, struct wr_cbor *cbor)
{
    size_t pairs;
    return wr_cbor_map(cbor, &pairs) && pairs == 2 && wr_cbor_key(cbor, "burst")
        && wr_cbor_uint(cbor, &ret->burst) && wr_cbor_key(cbor, "per_s")
        && wr_cbor_uint(cbor, &ret->per_s) && ret->burst > 0 && ret->per_s > 0;
}

static bool is_list_of_texts(struct wr_cbor *cbor)
{
    struct wr_cbor_span text;
    size_t count;
    if (!wr_cbor_array(cbor, &count))
        return false;
    while (count-- > 0)
        if (!wr_cbor_text(cbor, &text))
            return false;
    return true;
}

/* Of a caveat {ns, name, value}; the value is any item. */
static bool read_custom(struct wr_cbor *cbor, struct wr_cbor_span *ns,
                        struct wr_cbor_span *name, struct wr_cbor_span *value)
{
    size_t pairs;
    return wr_cbor_map(cbor, &pairs) && pairs == 3 && wr_cbor_key(cbor, "ns")
        && wr_cbor_text(cbor, ns) && wr_cbor_key(cbor, "name") && wr_cbor_text(cbor, name)
        && wr_cbor_key(cbor, "value") && wr_cbor_any(cbor, value);
}

/* Whether it is the custom one that we know: ron scope, with a list of texts. */
bool caveat_scopes(const struct wr_caveat *caveat, struct wr_cbor_span *ret)
{
    struct wr_cbor cbor = over(caveat->value);
    struct wr_cbor_span ns, name;
    if (caveat->kind != WR_CAVEAT_CUSTOM)
        return false;
    if (!read_custom(&cbor, &ns, &name, ret) || !is_text(ns, "ron") || !is_text(name, "scope"))
        return false;
    cbor = over(*ret);
    return is_list_of_texts(&cbor);
}

static bool fits(const struct wr_caveat *caveat)
{
    struct wr_cbor cbor = over(caveat->value);
    struct wr_cbor_span span, name, value;
    struct network network;
    struct wr_token_rate rate;
    uint64_t number;
    bool truth;
    switch (caveat->kind) {
    case WR_CAVEAT_EXP:
    case WR_CAVEAT_NBF: return wr_cbor_uint(&cbor, &number) && number <= INT64_MAX / 2;
    case WR_CAVEAT_BYTES_LE: return wr_cbor_uint(&cbor, &number);
    case WR_CAVEAT_AUD:
    case WR_CAVEAT_TENANT:
    case WR_CAVEAT_GOV_POLICY_DIGEST: return wr_cbor_text(&cbor, &span);
    case WR_CAVEAT_PATH_PREFIX:
        return wr_cbor_text(&cbor, &span) && span.len > 0 && span.at[0] == '/';
    case WR_CAVEAT_IP_CIDR: return wr_cbor_text(&cbor, &span) && read_network(&network, span);
    case WR_CAVEAT_METHOD: return is_list_of_texts(&cbor);
    case WR_CAVEAT_RATE: return read_rate(&rate, &cbor);
    case WR_CAVEAT_AMNESIA: return wr_cbor_bool(&cbor, &truth);
    case WR_CAVEAT_CUSTOM: return read_custom(&cbor, &span, &name, &value);
    case WR_CAVEAT_UNKNOWN: return true;
    }
    return false;
}

bool caveat_read(struct wr_caveat *ret, struct wr_cbor *cbor)
{
    struct wr_cbor inside;
    size_t pairs;
    if (!wr_cbor_any(cbor, &ret->raw))
        return false;
    inside = over(ret->raw);
    if (!wr_cbor_map(&inside, &pairs) || pairs != 2 || !wr_cbor_key(&inside, "t")
        || !wr_cbor_text(&inside, &ret->name) || !wr_cbor_key(&inside, "v")
        || !wr_cbor_any(&inside, &ret->value))
        return false;
    ret->kind = 0;
    while (ret->kind < WR_CAVEAT_UNKNOWN && !is_text(ret->name, words[ret->kind]))
        ret->kind++;
    return fits(ret);
}

uint64_t caveat_number(const struct wr_caveat *caveat)
{
    struct wr_cbor cbor = over(caveat->value);
    uint64_t number = 0;
    (void)wr_cbor_uint(&cbor, &number);
    return number;
}

struct wr_token_rate caveat_rate(const struct wr_caveat *caveat)
{
    struct wr_cbor cbor = over(caveat->value);
    struct wr_token_rate rate = { 0 };
    (void)read_rate(&rate, &cbor);
    return rate;
}

/* ---- judging ---- */

bool caveat_lists(struct wr_cbor_span list, struct wr_cbor_span text)
{
    struct wr_cbor cbor = over(list);
    struct wr_cbor_span item;
    size_t count = 0;
    bool found = false;
    (void)wr_cbor_array(&cbor, &count);
    while (count-- > 0 && wr_cbor_text(&cbor, &item))
        found |= is_same(item, text);
    return found;
}

static bool is_one_of(struct wr_cbor_span list, const char *text)
{
    return text && caveat_lists(list, (struct wr_cbor_span){ .at = (const void *)text,
                                                             .len = strlen(text) });
}

/* "/a" holds "/a" and "/a/b", not "/ab"; and nothing that goes up again. */
static bool is_below(struct wr_cbor_span prefix, const char *path)
{
    if (!path || strlen(path) < prefix.len || memcmp(path, prefix.at, prefix.len) != 0)
        return false;
    for (const char *up = strstr(path, "/.."); up; up = strstr(up + 1, "/.."))
        if (up[3] == '/' || up[3] == '\0')
            return false;
    char next = path[prefix.len];
    return next == '\0' || next == '/' || prefix.at[prefix.len - 1] == '/';
}

/* An IPv4 address in the clothes of IPv6 is judged as what it is. */
static struct wr_addr bare(const struct wr_addr *addr)
{
    static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
    struct wr_addr ip = *addr;
    if (ip.kind == WR_ADDR_IP6 && memcmp(ip.ip, mapped, sizeof(mapped)) == 0) {
        ip.kind = WR_ADDR_IP4;
        memcpy(ip.ip, addr->ip + sizeof(mapped), 4);
    }
    return ip;
}

static bool is_within(struct wr_cbor_span text, const struct wr_addr *peer)
{
    struct network network;
    if (!peer || !read_network(&network, text))
        return false;
    struct wr_addr ip = bare(peer);
    if (ip.kind != network.addr.kind)
        return false;
    for (unsigned bit = 0; bit < network.bits; bit++)
        if ((ip.ip[bit / 8] ^ network.addr.ip[bit / 8]) >> (7 - bit % 8) & 1)
            return false;
    return true;
}

static const char *judge_text(const struct wr_caveat *caveat, const struct wr_token_ask *ask)
{
    struct wr_cbor cbor = over(caveat->value);
    struct wr_cbor_span text = { 0 };
    (void)wr_cbor_text(&cbor, &text);
    switch (caveat->kind) {
    case WR_CAVEAT_AUD:
        return is_text(text, ask->aud) ? NULL : "The token is for another service.";
    case WR_CAVEAT_TENANT:
        return is_text(text, ask->tenant) ? NULL : "The token is for another tenant.";
    case WR_CAVEAT_GOV_POLICY_DIGEST:
        return is_text(text, ask->policy) ? NULL : "The token is for another policy.";
    case WR_CAVEAT_PATH_PREFIX:
        return is_below(text, ask->path) ? NULL : "The token does not reach this path.";
    default:
        return is_within(text, ask->peer) ? NULL
                                          : "The token is not to be used from this address.";
    }
}

static const char *judge_size(uint64_t max, const struct wr_token_ask *ask)
{
    if (ask->size < 0)
        return "The token limits the size of a body, and this one's is not known beforehand.";
    return (uint64_t)ask->size <= max ? NULL : "The body is larger than the token allows.";
}

const char *caveat_judge(const struct wr_caveat *caveat, const struct wr_token_ask *ask)
{
    struct wr_cbor cbor = over(caveat->value);
    struct wr_cbor_span scopes;
    bool truth = false;
    switch (caveat->kind) {
    case WR_CAVEAT_EXP:
    case WR_CAVEAT_NBF:
    case WR_CAVEAT_RATE: return NULL;
    case WR_CAVEAT_METHOD:
        return is_one_of(caveat->value, ask->method) ? NULL
                                                     : "The token is not for this method.";
    case WR_CAVEAT_BYTES_LE: return judge_size(caveat_number(caveat), ask);
    case WR_CAVEAT_AMNESIA:
        (void)wr_cbor_bool(&cbor, &truth);
        return truth == ask->amnesia ? NULL : "The token is for the other amnesia mode.";
    case WR_CAVEAT_CUSTOM:
        if (!caveat_scopes(caveat, &scopes))
            return "The token has a custom caveat that is not known here.";
        return is_one_of(scopes, ask->scope) ? NULL : "The token does not have this scope.";
    case WR_CAVEAT_UNKNOWN: return "The token has a caveat that is not known here.";
    default: return judge_text(caveat, ask);
    }
}

const char *caveat_judge_scope(const struct wr_token *token, const struct wr_token_ask *ask)
{
    struct wr_cbor cbor = over(token->methods);
    size_t count = 0;
    (void)wr_cbor_array(&cbor, &count);
    if (token->prefix.at && !is_below(token->prefix, ask->path))
        return "The scope of the token does not reach this path.";
    if (count > 0 && !is_one_of(token->methods, ask->method))
        return "The scope of the token does not have this method.";
    return token->bytes_max < UINT64_MAX ? judge_size(token->bytes_max, ask) : NULL;
}

/* ---- writing ---- */

static void write_text(struct wr_cbor_out *out, const char *text)
{
    wr_cbor_put_text(out, text, strlen(text));
}

static void write_list(struct wr_cbor_out *out, const struct wr_caveat_conf *conf)
{
    wr_cbor_put_array(out, conf->count);
    for (size_t i = 0; i < conf->count; i++)
        write_text(out, conf->texts[i]);
}

static void write_value(struct wr_cbor_out *out, const struct wr_caveat_conf *conf)
{
    switch (conf->kind) {
    case WR_CAVEAT_EXP:
    case WR_CAVEAT_NBF:
    case WR_CAVEAT_BYTES_LE: wr_cbor_put_uint(out, conf->number); break;
    case WR_CAVEAT_METHOD: write_list(out, conf); break;
    case WR_CAVEAT_RATE:
        wr_cbor_put_map(out, 2);
        wr_cbor_put_key(out, "burst");
        wr_cbor_put_uint(out, conf->rate.burst);
        wr_cbor_put_key(out, "per_s");
        wr_cbor_put_uint(out, conf->rate.per_s);
        break;
    case WR_CAVEAT_AMNESIA: wr_cbor_put_bool(out, conf->truth); break;
    case WR_CAVEAT_CUSTOM:
        wr_cbor_put_map(out, 3);
        wr_cbor_put_key(out, "ns");
        wr_cbor_put_key(out, "ron");
        wr_cbor_put_key(out, "name");
        wr_cbor_put_key(out, "scope");
        wr_cbor_put_key(out, "value");
        write_list(out, conf);
        break;
    default:
        WR_ASSERT(conf->kind < WR_CAVEAT_UNKNOWN && conf->count == 1);
        write_text(out, conf->texts[0]);
    }
}

void caveat_write(struct wr_cbor_out *out, const struct wr_caveat_conf *conf)
{
    wr_cbor_put_map(out, 2);
    wr_cbor_put_key(out, "t");
    wr_cbor_put_key(out, caveat_word(conf->kind));
    wr_cbor_put_key(out, "v");
    write_value(out, conf);
}
