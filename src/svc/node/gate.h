/* gate.h - who may do what: asked for every call, before anything is read or queued.
 *
 * On a loopback address no token is needed, but the call must come from this machine's
 * own programs and not from a web page they show: its Host is a loopback name, and its
 * Origin is absent or the same (403 otherwise).
 *
 * On any other address a token is needed for everything but health, readiness,
 * version, metrics and the front page.  Who administers the node needs the admin's token,
 * where there is one, or a capability token (token.h) that allows it.
 *
 * A token that is given must be right, wherever it is given: genuine, of this time,
 * and allowed to do this.  Its rate is kept here, by its id, for it and all that were
 * made of it.  4096 of those are told apart at the same time: one is forgotten when it may
 * do all again that it ever might, and not before; until then one more is refused, as it
 * would be at its rate.
 *
 * What a token says of who has it is known of the call from then on (net/caller.h): whose share
 * he has, which token it was, and what else that allows.
 */
#ifndef WR_NODE_GATE_H
#define WR_NODE_GATE_H

#include <stdbool.h>

#include <weir/err.h>
#include <weir/http.h>
#include <weir/secret.h>

#include "base/token.h"
#include "net/caller.h"

#define GATE_READ "node.read"       /* what is not for everybody to see */
#define GATE_ADMIN "node.admin"     /* the scope of routes that change the node */
#define GATE_AUDIENCE "node"        /* what a token for us is for */

struct gate;

/* What is borrowed must outlive it. */
struct gate_conf {
    bool open;                      /* the address is loopback */
    char self[WR_ADDR_TEXT_MAX];    /* ... then, as most will call it; may be empty */
    bool amnesia;
    struct wr_secret *admin;        /* borrowed; NULL: there is none */
    const struct wr_token_key *keys;    /* borrowed */
    size_t key_count;
};

/* Errors: NOMEM. */
wr_err gate_new(struct gate **ret, const struct gate_conf *conf);
void gate_free(struct gate *gate);

/* The address is loopback from now on, or is not. */
void gate_set_open(struct gate *gate, bool open);

/* Errors: DENIED with 401 or 403, BUSY (the rate of the token); and why. */
wr_err gate_admit(struct gate *gate, struct wr_call *call);

/* Who comes otherwise than by HTTP, and with what. */
struct gate_ask {
    const struct wr_addr *peer;
    int64_t size;                   /* bytes to say; -1: not known */
    const void *cap;                /* the bytes of a token, or none */
    size_t cap_len;
    const char *scope, *tenant;     /* as of a route, and as in X-Tenant; may be NULL */
    bool open_to_all;               /* no token is needed, wherever who asks is; one that is
                                     * given must be right all the same */
    struct caller *caller;          /* what the token says of him is put here; may be NULL */
};

/* The same for him.  On an error *ret_why is a sentence.  Errors: INVALID (not a token we
 * know), DENIED, BUSY. */
wr_err gate_capability(struct gate *gate, const struct gate_ask *ask, const char **ret_why);

#endif
