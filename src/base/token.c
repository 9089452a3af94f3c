/* token.c - tokens: their bytes, their chain of MACs, their verdict. */
#include "base/token.h"

#include <string.h>

#include <weir/panic.h>

#include "base/caveat.h"

#define DOMAIN "RON-AUTHv1"             /* with its zero byte */

static const struct { unsigned status; const char *word; } states[] = {
#define X(name, status_, word_) { .status = status_, .word = word_ },
    WR_TOKEN_TABLE(X)
#undef X
};

const char *wr_token_state_word(enum wr_token_state state)
{
    return states[state].word;
}

static bool say(struct wr_token_verdict *verdict, enum wr_token_state state, const char *why)
{
    *verdict = (struct wr_token_verdict){ .state = state, .status = states[state].status,
                                          .why = why };
    return state == WR_TOKEN_FINE;
}

/* ---- reading ---- */

static bool read_name(struct wr_cbor *cbor, struct wr_cbor_span *ret)
{
    return wr_cbor_text(cbor, ret) && ret->len > 0 && ret->len <= WR_TOKEN_NAME_MAX
        && !memchr(ret->at, '\0', ret->len);
}

static bool read_methods(struct wr_token *token, struct wr_cbor *cbor)
{
    struct wr_cbor_span text;
    size_t count;
    if (!wr_cbor_key(cbor, "methods") || !wr_cbor_any(cbor, &token->methods))
        return false;
    struct wr_cbor list = wr_cbor_over(token->methods.at, token->methods.len);
    if (!wr_cbor_array(&list, &count))
        return false;
    while (count-- > 0)
        if (!wr_cbor_text(&list, &text))
            return false;
    return true;
}

/* {prefix?, methods, max_bytes?}, in the order of deterministic CBOR. */
static bool read_scope(struct wr_token *token, struct wr_cbor *outer)
{
    size_t pairs, found = 1;
    if (!wr_cbor_any(outer, &token->scope))
        return false;
    struct wr_cbor cbor = wr_cbor_over(token->scope.at, token->scope.len);
    if (!wr_cbor_map(&cbor, &pairs))
        return false;
    struct wr_cbor ahead = cbor;
    token->prefix = (struct wr_cbor_span){ 0 };
    token->bytes_max = UINT64_MAX;
    if (wr_cbor_key(&ahead, "prefix")) {
        found++;
        cbor = ahead;
        if (!wr_cbor_text(&cbor, &token->prefix) || token->prefix.len == 0)
            return false;
    }
    if (!read_methods(token, &cbor))
        return false;
    if (pairs > found) {
        found++;
        if (!wr_cbor_key(&cbor, "max_bytes") || !wr_cbor_uint(&cbor, &token->bytes_max))
            return false;
    }
    return pairs == found && wr_cbor_done(&cbor);
}

static enum wr_token_state read_caveats(struct wr_token *token, struct wr_cbor *cbor)
{
    if (!wr_cbor_key(cbor, "caveats") || !wr_cbor_array(cbor, &token->count))
        return WR_TOKEN_MALFORMED;
    if (token->count > WR_TOKEN_CAVEATS_MAX)
        return WR_TOKEN_BOUNDS;
    for (size_t i = 0; i < token->count; i++)
        if (!caveat_read(&token->caveats[i], cbor))
            return WR_TOKEN_MALFORMED;
    return WR_TOKEN_FINE;
}

static enum wr_token_state read_bytes(struct wr_token *token)
{
    struct wr_cbor cbor = wr_cbor_over(token->bytes, token->size);
    struct wr_cbor_span mac;
    size_t pairs;
    if (!wr_cbor_map(&cbor, &pairs) || pairs != 5
        || !wr_cbor_key(&cbor, "kid") || !read_name(&cbor, &token->kid)
        || !wr_cbor_key(&cbor, "mac") || !wr_cbor_bytes(&cbor, &mac)
        || mac.len != WR_HASH_SIZE
        || !wr_cbor_key(&cbor, "tid") || !read_name(&cbor, &token->tid)
        || !wr_cbor_key(&cbor, "scope") || !read_scope(token, &cbor))
        return WR_TOKEN_MALFORMED;
    memcpy(token->mac.bytes, mac.at, WR_HASH_SIZE);
    enum wr_token_state state = read_caveats(token, &cbor);
    return state || wr_cbor_done(&cbor) ? state : WR_TOKEN_MALFORMED;
}

bool wr_token_parse(struct wr_token *ret, const char *text, size_t len,
                    struct wr_token_verdict *verdict)
{
    wr_err err = wr_base64_parse(&ret->size, ret->bytes, sizeof(ret->bytes), text, len);
    enum wr_token_state state = !err ? read_bytes(ret)
        : err == WR_NOMEM            ? WR_TOKEN_BOUNDS
                                     : WR_TOKEN_MALFORMED;
    return say(verdict, state,
               state == WR_TOKEN_BOUNDS      ? "The token is larger than tokens may be."
                   : state == WR_TOKEN_FINE ? "The token can be read."
                                            : "The token cannot be read.");
}

void wr_token_wipe(struct wr_token *token)
{
    explicit_bzero(token, sizeof(*token));
}

/* ---- the chain ---- */

static struct wr_hash first_link(const void *key, struct wr_cbor_span tid,
                                 struct wr_cbor_span kid, struct wr_cbor_span scope)
{
    unsigned char bytes[16 + 2 * WR_TOKEN_NAME_MAX];
    struct wr_cbor_out out = { .at = bytes, .cap = sizeof(bytes) };
    struct wr_hash_state state;
    wr_cbor_put_array(&out, 3);
    wr_cbor_put_text(&out, (const char *)tid.at, tid.len);
    wr_cbor_put_text(&out, (const char *)kid.at, kid.len);
    WR_ASSERT(!out.cut);
    wr_hash_begin_keyed(&state, key);
    wr_hash_add(&state, DOMAIN, sizeof(DOMAIN));
    wr_hash_add(&state, bytes, out.len);
    wr_hash_add(&state, scope.at, scope.len);
    struct wr_hash link = wr_hash_end(&state);
    wr_hash_wipe(&state);
    return link;
}

static struct wr_hash next_link(const void *key, const struct wr_hash *link,
                                struct wr_cbor_span caveat)
{
    struct wr_hash_state state;
    wr_hash_begin_keyed(&state, key);
    wr_hash_add(&state, link->bytes, WR_HASH_SIZE);
    wr_hash_add(&state, caveat.at, caveat.len);
    struct wr_hash next = wr_hash_end(&state);
    wr_hash_wipe(&state);
    return next;
}

static bool chain_holds(const struct wr_token *token, const struct wr_secret *secret)
{
    if (wr_secret_size(secret) != WR_TOKEN_KEY_SIZE)
        return false;
    const void *key = wr_secret_bytes(secret);
    struct wr_hash link = first_link(key, token->tid, token->kid, token->scope);
    for (size_t i = 0; i < token->count; i++)
        link = next_link(key, &link, token->caveats[i].raw);
    return wr_hash_equal(&link, &token->mac);
}

static const struct wr_secret *find_key(const struct wr_token *token,
                                        const struct wr_token_key *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(keys[i].kid) == token->kid.len
            && memcmp(keys[i].kid, token->kid.at, token->kid.len) == 0)
            return keys[i].secret;
    return NULL;
}

/* ---- the verdict ---- */

/* The lower of two, where zero is none. */
static uint64_t lower(uint64_t a, uint64_t b)
{
    return !a || b < a ? b : a;
}

/* The same for all that descend from one mint: tid and kid, and nothing else. */
static void identify(struct wr_token_verdict *verdict, const struct wr_token *token)
{
    struct wr_hash_state state;
    wr_hash_begin(&state);
    wr_hash_add(&state, token->tid.at, token->tid.len);
    wr_hash_add(&state, "", 1);
    wr_hash_add(&state, token->kid.at, token->kid.len);
    struct wr_hash hash = wr_hash_end(&state);
    memcpy(verdict->id, hash.bytes, WR_TOKEN_ID_SIZE);
}

bool wr_token_genuine(const struct wr_token *token, const struct wr_token_key *keys,
                      size_t count, int64_t now_s, struct wr_token_verdict *verdict)
{
    const struct wr_secret *secret = find_key(token, keys, count);
    struct wr_token_rate rate = { 0 };
    if (!secret)
        return say(verdict, WR_TOKEN_UNKNOWN_KID, "The token names a key that is not here.");
    if (!chain_holds(token, secret))
        return say(verdict, WR_TOKEN_MAC_MISMATCH, "The token was not made with our key, or "
                   "was changed.");
    for (size_t i = 0; i < token->count; i++) {
        const struct wr_caveat *caveat = &token->caveats[i];
        if (caveat->kind == WR_CAVEAT_EXP
            && now_s - WR_TOKEN_SKEW_S > (int64_t)caveat_number(caveat))
            return say(verdict, WR_TOKEN_EXPIRED, "The token has expired.");
        if (caveat->kind == WR_CAVEAT_NBF
            && now_s + WR_TOKEN_SKEW_S < (int64_t)caveat_number(caveat))
            return say(verdict, WR_TOKEN_NOT_YET_VALID, "The token is not valid yet.");
        if (caveat->kind == WR_CAVEAT_RATE) {
            struct wr_token_rate one = caveat_rate(caveat);
            rate.per_s = lower(rate.per_s, one.per_s);
            rate.burst = lower(rate.burst, one.burst);
        }
    }
    say(verdict, WR_TOKEN_FINE, "The token is valid.");
    identify(verdict, token);
    verdict->rate = rate;
    return true;
}

static void deny(struct wr_token_verdict *verdict, const char *caveat, const char *why)
{
    if (verdict->state == WR_TOKEN_DENIED)
        return;
    verdict->state = WR_TOKEN_DENIED;
    verdict->status = states[WR_TOKEN_DENIED].status;
    verdict->caveat = caveat;
    verdict->why = why;
}

bool wr_token_verify(const struct wr_token *token, const struct wr_token_key *keys,
                     size_t count, const struct wr_token_ask *ask,
                     struct wr_token_verdict *verdict)
{
    if (!wr_token_genuine(token, keys, count, ask->now_s, verdict))
        return false;
    const char *why = caveat_judge_scope(token, ask);
    if (why) {
        verdict->scope_denied = true;
        deny(verdict, "scope", why);
    }
    for (size_t i = 0; i < token->count; i++) {
        verdict->tenant_bound |= token->caveats[i].kind == WR_CAVEAT_TENANT;
        why = caveat_judge(&token->caveats[i], ask);
        if (why) {
            verdict->denied |= (uint64_t)1 << i;
            deny(verdict, caveat_word(token->caveats[i].kind), why);
        }
    }
    return verdict->state == WR_TOKEN_FINE;
}

/* Whether every list of scopes has this one. */
static bool is_allowed(const struct wr_token *token, struct wr_cbor_span scope)
{
    struct wr_cbor_span list;
    for (size_t i = 0; i < token->count; i++)
        if (caveat_scopes(&token->caveats[i], &list) && !caveat_lists(list, scope))
            return false;
    return !memchr(scope.at, '\n', scope.len) && !memchr(scope.at, '\0', scope.len);
}

bool wr_token_scopes(const struct wr_token *token, char *ret)
{
    struct wr_cbor_span list, scope;
    size_t count = 0, len = 0, first = 0;
    while (first < token->count && !caveat_scopes(&token->caveats[first], &list))
        first++;
    if (first == token->count)
        return false;
    struct wr_cbor cbor = wr_cbor_over(list.at, list.len);
    (void)wr_cbor_array(&cbor, &count);
    while (count-- > 0 && wr_cbor_text(&cbor, &scope)) {
        if (!is_allowed(token, scope))
            continue;
        memcpy(ret + len, scope.at, scope.len);     /* each was longer in the token by a byte */
        len += scope.len;
        ret[len++] = '\n';
    }
    ret[len] = '\0';
    return true;
}

/* ---- making ---- */

static void write_token(struct wr_cbor_out *out, const struct wr_token *token,
                        const struct wr_hash *mac, struct wr_cbor_span more)
{
    wr_cbor_put_map(out, 5);
    wr_cbor_put_key(out, "kid");
    wr_cbor_put_text(out, (const char *)token->kid.at, token->kid.len);
    wr_cbor_put_key(out, "mac");
    wr_cbor_put_bytes(out, mac->bytes, WR_HASH_SIZE);
    wr_cbor_put_key(out, "tid");
    wr_cbor_put_text(out, (const char *)token->tid.at, token->tid.len);
    wr_cbor_put_key(out, "scope");
    wr_cbor_put_raw(out, token->scope);
    wr_cbor_put_key(out, "caveats");
    wr_cbor_put_array(out, token->count + (more.len > 0));
    for (size_t i = 0; i < token->count; i++)
        wr_cbor_put_raw(out, token->caveats[i].raw);
    wr_cbor_put_raw(out, more);
}

/* Write it with this MAC and one caveat more, and read it again: what is made is
 * what will be read. */
static wr_err rewrite(struct wr_token *token, const struct wr_hash *mac,
                      struct wr_cbor_span more)
{
    unsigned char bytes[WR_TOKEN_MAX];
    struct wr_cbor_out out = { .at = bytes, .cap = sizeof(bytes) };
    write_token(&out, token, mac, more);
    if (out.cut)
        return WR_NOMEM;
    memcpy(token->bytes, bytes, out.len);
    explicit_bzero(bytes, out.len);
    token->size = out.len;
    return read_bytes(token) == WR_TOKEN_FINE ? WR_OK : WR_INVALID;
}

wr_err wr_token_mint(struct wr_token *ret, const struct wr_token_key *key, const char *tid)
{
    unsigned char scope[16];
    struct wr_cbor_out out = { .at = scope, .cap = sizeof(scope) };
    if (wr_secret_size(key->secret) != WR_TOKEN_KEY_SIZE || strlen(tid) > WR_TOKEN_NAME_MAX
        || strlen(key->kid) > WR_TOKEN_NAME_MAX)
        return WR_INVALID;
    wr_cbor_put_map(&out, 1);
    wr_cbor_put_key(&out, "methods");
    wr_cbor_put_array(&out, 0);
    ret->tid = (struct wr_cbor_span){ (const unsigned char *)tid, strlen(tid) };
    ret->kid = (struct wr_cbor_span){ (const unsigned char *)key->kid, strlen(key->kid) };
    ret->scope = (struct wr_cbor_span){ scope, out.len };
    ret->count = 0;
    struct wr_hash mac = first_link(wr_secret_bytes(key->secret), ret->tid, ret->kid,
                                    ret->scope);
    return rewrite(ret, &mac, (struct wr_cbor_span){ 0 });
}

wr_err wr_token_add(struct wr_token *token, const struct wr_token_key *key,
                    const struct wr_caveat_conf *caveat)
{
    unsigned char bytes[WR_TOKEN_MAX];
    struct wr_cbor_out out = { .at = bytes, .cap = sizeof(bytes) };
    struct wr_caveat read;
    if (!find_key(token, key, 1) || !chain_holds(token, key->secret))
        return WR_DENIED;
    caveat_write(&out, caveat);
    if (out.cut || token->count == WR_TOKEN_CAVEATS_MAX)
        return WR_NOMEM;
    struct wr_cbor_span raw = { bytes, out.len };
    struct wr_cbor cbor = wr_cbor_over(bytes, out.len);
    if (!caveat_read(&read, &cbor))
        return WR_INVALID;
    struct wr_hash mac = next_link(wr_secret_bytes(key->secret), &token->mac, raw);
    return rewrite(token, &mac, raw);
}

size_t wr_token_print(const struct wr_token *token, char *buf)
{
    return wr_base64_print(buf, token->bytes, token->size);
}
