/* token.h - capability tokens: who holds one may do what it says.
 *
 * A token is a list of caveats under a MAC.  Each caveat takes something away: after
 * this moment, for another service, by another method, nothing.  A token without any
 * may do everything; adding one never allows more.
 *
 *     text   = base64url(map)
 *     map    = { kid, mac, tid, scope: { prefix?, methods, max_bytes? }, caveats }
 *     caveat = { "t": name, "v": value }
 *     t[0]   = B3(key, "RON-AUTHv1\0" || cbor([tid, kid, scope]))
 *     t[i+1] = B3(key, t[i] || cbor(caveat[i]))       mac = the last of them
 *
 * CBOR in its deterministic form (cbor.h), so that there is one text for one token.
 * The key is named by kid; every step takes it, so only who has it can add a caveat
 * (docs/design/0006-tokens.md).
 *
 *     struct wr_token token;
 *     struct wr_token_verdict verdict;
 *     if (wr_token_parse(&token, text, len, &verdict)
 *         && wr_token_verify(&token, keys, count, &ask, &verdict))
 *         ...also enforce verdict.rate, if it has one
 *     else
 *         answer verdict.status with verdict.why
 *     wr_token_wipe(&token);
 *
 * What a token asks of a request must be known of the request: a caveat about the
 * path denies a request without one, and a caveat nobody knows denies them all.
 *
 * Nothing allocates.  A token refers to itself: it is not to be copied.  Its bytes
 * are worth as much as what it allows: do not log it, and wipe it.
 */
#ifndef WR_BASE_TOKEN_H
#define WR_BASE_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/addr.h>
#include <weir/err.h>
#include <weir/secret.h>

#include "base/base64.h"
#include "base/cbor.h"
#include "base/hash.h"

#define WR_TOKEN_MAX 4096               /* bytes before they are text */
#define WR_TOKEN_TEXT_MAX WR_BASE64_TEXT(WR_TOKEN_MAX)
#define WR_TOKEN_CAVEATS_MAX 64
#define WR_TOKEN_NAME_MAX 64            /* of tid and kid */
#define WR_TOKEN_KEY_SIZE WR_HASH_SIZE
#define WR_TOKEN_SKEW_S 60              /* how far clocks may differ */
#define WR_TOKEN_ID_SIZE 16

/* X(name, the word on the wire) */
#define WR_CAVEAT_TABLE(X) \
    X(EXP, "Exp")                       /* not after, in seconds since 1970 */ \
    X(NBF, "Nbf")                       /* not before */ \
    X(AUD, "Aud")                       /* for this service */ \
    X(METHOD, "Method")                 /* by one of these */ \
    X(PATH_PREFIX, "PathPrefix")        /* below this path */ \
    X(IP_CIDR, "IpCidr")                /* from this network: 10.0.0.0/8 */ \
    X(BYTES_LE, "BytesLe")              /* a body of at most so many bytes */ \
    X(RATE, "Rate")                     /* {burst, per_s}: so often */ \
    X(TENANT, "Tenant")                 /* for this tenant */ \
    X(AMNESIA, "Amnesia")               /* where nothing is kept (true), or is (false) */ \
    X(GOV_POLICY_DIGEST, "GovPolicyDigest") /* under this policy */ \
    X(CUSTOM, "Custom")                 /* {ns, name, value}; ron scope: [what is asked] */

enum wr_caveat_kind {
#define X(name, word) WR_CAVEAT_##name,
    WR_CAVEAT_TABLE(X)
#undef X
    WR_CAVEAT_UNKNOWN,
};

struct wr_caveat {
    enum wr_caveat_kind kind;
    struct wr_cbor_span raw;            /* all of it, as the MAC takes it */
    struct wr_cbor_span name, value;    /* the word; the value, encoded */
};

struct wr_token {
    struct wr_cbor_span tid, kid;       /* text */
    struct wr_cbor_span scope;          /* encoded */
    struct wr_cbor_span prefix;         /* of the scope; at is NULL when it has none */
    struct wr_cbor_span methods;        /* encoded; none is any */
    uint64_t bytes_max;                 /* UINT64_MAX when it has none */
    struct wr_hash mac;
    size_t count;
    struct wr_caveat caveats[WR_TOKEN_CAVEATS_MAX];
    size_t size;
    unsigned char bytes[WR_TOKEN_MAX];
};

/* X(name, HTTP status, the word for metrics) */
#define WR_TOKEN_TABLE(X) \
    X(FINE, 200, "fine") \
    X(MALFORMED, 401, "malformed") \
    X(BOUNDS, 401, "bounds") \
    X(UNKNOWN_KID, 401, "unknown_kid") \
    X(MAC_MISMATCH, 401, "mac_mismatch") \
    X(EXPIRED, 401, "expired") \
    X(NOT_YET_VALID, 401, "not_yet_valid") \
    X(DENIED, 403, "denied")

enum wr_token_state {
#define X(name, status, word) WR_TOKEN_##name,
    WR_TOKEN_TABLE(X)
#undef X
    WR_TOKEN_STATES,
};

struct wr_token_rate { uint64_t per_s, burst; };    /* 0 and 0: none was asked for */

struct wr_token_verdict {
    enum wr_token_state state;
    unsigned status;                    /* 200, 401 or 403 */
    const char *caveat;                 /* DENIED: the word of the first that denied */
    uint64_t denied;                    /* a bit for each caveat that denied */
    bool scope_denied;                  /* ... and the token's own scope */
    const char *why;                    /* one sentence; nothing of the token is in it */
    struct wr_token_rate rate;          /* the strictest of its rates: to be enforced */
    unsigned char id[WR_TOKEN_ID_SIZE]; /* by this: its children share it */
    bool tenant_bound;                  /* it is for one tenant: that which was asked for */
};

/* The word of a state ("expired"), as metrics carry it. */
const char *wr_token_state_word(enum wr_token_state state);

/* A key and its name. */
struct wr_token_key {
    const char *kid;
    const struct wr_secret *secret;     /* WR_TOKEN_KEY_SIZE bytes */
};

/* What is known of a request; NULL, and a size below zero, is not known. */
struct wr_token_ask {
    int64_t now_s;                      /* since 1970 */
    const char *aud;                    /* the service that is asked: "node" */
    const char *scope;                  /* what the route needs: "index.read" */
    const char *method, *path, *tenant, *policy;
    const struct wr_addr *peer;
    int64_t size;                       /* of the body */
    bool amnesia;
};

/* Read a token, within its bounds; false says why not, as MALFORMED or BOUNDS. */
bool wr_token_parse(struct wr_token *ret, const char *text, size_t len,
                    struct wr_token_verdict *verdict);

/* Whether the holder may do this, now. */
bool wr_token_verify(const struct wr_token *token, const struct wr_token_key *keys,
                     size_t count, const struct wr_token_ask *ask,
                     struct wr_token_verdict *verdict);

/* The same without a request: whether it is genuine, and of this time. */
bool wr_token_genuine(const struct wr_token *token, const struct wr_token_key *keys,
                      size_t count, int64_t now_s, struct wr_token_verdict *verdict);

/* What it allows: the scopes that are in each of its lists of scopes, with '\n' behind each;
 * `ret` has token->size bytes.  False: it has no such list, and allows all. */
bool wr_token_scopes(const struct wr_token *token, char *ret);

/* Nothing of it is left in memory. */
void wr_token_wipe(struct wr_token *token);

/* ---- making ---- */

/* A caveat to add: the fields that its kind needs. */
struct wr_caveat_conf {
    enum wr_caveat_kind kind;
    uint64_t number;                    /* EXP, NBF, BYTES_LE */
    struct wr_token_rate rate;          /* RATE */
    bool truth;                         /* AMNESIA */
    const char *const *texts;           /* METHOD, CUSTOM (ron scope): `count` of them */
    size_t count;                       /* the others: one */
};

/* A token that may do everything.  The names have 1 to WR_TOKEN_NAME_MAX bytes.
 * Errors: INVALID (a name, or the size of the key). */
wr_err wr_token_mint(struct wr_token *ret, const struct wr_token_key *key, const char *tid);

/* The token with one more caveat.  Errors: DENIED (the key is not the token's), NOMEM
 * (it would be out of bounds), INVALID (a caveat that could not be read again). */
wr_err wr_token_add(struct wr_token *token, const struct wr_token_key *key,
                    const struct wr_caveat_conf *caveat);

/* Its text; buf has WR_TOKEN_TEXT_MAX bytes.  Returns the length. */
size_t wr_token_print(const struct wr_token *token, char *buf);

#endif
