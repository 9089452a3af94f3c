/* mcp_int.h - a request from inside: what sessions, methods and handlers share of it. */
#ifndef WR_MCP_INT_H
#define WR_MCP_INT_H

#include <weir/lock.h>
#include <weir/scope.h>

#include "base/json.h"
#include "mcp/message.h"
#include "mcp/offer.h"
#include "mcp/request.h"
#include "mcp/session.h"

#define META "io.modelcontextprotocol/"
#define WHY_MAX 600

struct mcp_request {
    struct mcp_session *session;
    const struct mcp_offer *offer;
    const struct mcp_message *message;
    const struct mcp_peer *peer;
    bool modern;

    const json_t *arguments;            /* an object, or NULL */
    void *arg;
    const char *uri, *rest;

    struct wr_text text, structured;    /* of the handler */
    char why[WHY_MAX];                  /* ... or of whoever refused it */
    enum mcp_code code;                 /* it is answered with an error */
    bool refused;
    const char *requested;              /* ... because of this version */
    struct wr_text out;                 /* the answer; */
    struct wr_json json;                /* ... its result is open */

    char token[MCP_ID_MAX];             /* of progress, as JSON; empty: none is wanted */
    struct wr_mutex lock;               /* of what follows */
    uint32_t done, total;
    char note[160];
    bool spoke;                         /* there is something that was not sent yet */

    struct wr_scope *scope;             /* under the lock of the session */
    struct mcp_request *next;
    bool canceled;
};

/* It is answered with an error; the first one stays. */
void mcp_request_refuse(struct mcp_request *request, enum mcp_code code, const char *format,
                        ...) __attribute__((format(printf, 3, 4)));

/* Run a handler so that it can be canceled, with progress.  It refuses the request if there are
 * too many.  Errors: its own; NOMEM, BUSY, CANCELED, TIMEOUT. */
wr_err mcp_request_run(struct mcp_request *request, wr_err (*handler)(struct mcp_request *),
                       wr_time within);

/* Among those of its session that can be canceled.  False: there are too many. */
bool mcp_session_enter(struct mcp_request *request, struct wr_scope *scope);
void mcp_session_leave(struct mcp_request *request);

/* The session begins, with this version. */
void mcp_session_begin(struct mcp_session *session, const char *version);

/* ---- methods ---- */

enum mcp_era { MCP_LEGACY = 1, MCP_NOW = 2, MCP_EVER = 3 };

struct mcp_method {
    const char *name;
    enum mcp_era eras;
    bool early;                         /* before `initialize`, too */
    bool waits;
    long keep_ms;                       /* the answer may be kept so long; -1: not at all */
    size_t (*there)(const struct mcp_offer *offer);     /* NULL: always */
    /* Writes members of the result, or refuses. */
    void (*answer)(struct mcp_request *request);
};

/* NULL: there is none. */
const struct mcp_method *mcp_method(const char *name);

/* ... "supportedVersions", what a client may ask for, the latest first. */
void mcp_versions_write(struct wr_json *json, const char *key);

#endif
