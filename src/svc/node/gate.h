/* gate.h - who may do what: asked for every call, before anything is read or queued.
 *
 * On a loopback address no token is needed, but the call must come from this machine's
 * own programs and not from a web page they show: its Host is a loopback name, and its
 * Origin is absent or the same (403 otherwise).
 *
 * On any other address a token is needed for everything but health, readiness,
 * version and metrics.  Who administers the node needs the admin's token, where there
 * is one, or one that allows it.
 */
#ifndef WR_NODE_GATE_H
#define WR_NODE_GATE_H

#include <stdbool.h>

#include <weir/err.h>
#include <weir/http.h>
#include <weir/secret.h>

#define GATE_ADMIN "node.admin"     /* the scope of routes that change the node */

struct gate {
    bool open;                      /* the address is loopback */
    struct wr_secret *admin;        /* borrowed; NULL: there is none */
};

/* Errors: DENIED with 401 or 403, and why. */
wr_err gate_admit(const struct gate *gate, struct wr_call *call);

#endif
