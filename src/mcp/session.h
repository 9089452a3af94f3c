/* session.h - a client of the Model Context Protocol, and what it is answered.
 *
 *     struct mcp_session *session;
 *     err = mcp_session_new(&session, &offer);
 *     ...for each message:
 *     mcp_session_answer(session, &message, &(struct mcp_peer){ .send = send, .arg = out });
 *     ...
 *     mcp_session_free(session);
 *
 * Two eras are spoken at once.  A request that names the version 2026-07-28 in its _meta is
 * answered by itself (modern).  Others belong to a session that has begun with `initialize`
 * (legacy: 2024-11-05 to 2025-11-25).
 *
 * What a message comes by and an answer goes by is not known here: stdio.h and endpoint.h.
 */
#ifndef WR_MCP_SESSION_H
#define WR_MCP_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/err.h>

#include "mcp/message.h"
#include "mcp/offer.h"

#define MCP_MODERN "2026-07-28"
#define MCP_CALLS_MAX 32                /* of a session, at a time */
#define MCP_LISTENS_MAX 64              /* resources a client is told of, and tasks */

struct mcp_request;
struct mcp_session;

/* A message to the client: JSON on one line, without its end. */
struct mcp_out {
    const char *at;
    size_t len;
    bool last;                      /* the answer: nothing follows for this request */
    bool refused;                   /* ... the message itself was wrong; nobody has seen it */
    enum mcp_code code;             /* ... an error */
};

/* Where messages go.  For each request its own, or one for all. */
struct mcp_peer {
    /* May wait.  An error ends what is being done for the client. */
    wr_err (*send)(void *arg, const struct mcp_out *out);
    void *arg;
    bool local;                     /* runs on this machine, as this user */
    bool modern;                    /* has said so elsewhere: `initialize` is not expected */
    const char *tenant;             /* for whom it asks; NULL: not said */
    const char *share;              /* whose share it is (net/caller.h); NULL: this machine's */
    /* Whether who asks is allowed to what has this scope.  NULL: to everything. */
    bool (*may)(void *arg, const char *scope);
};

/* Errors: NOMEM. */
wr_err mcp_session_new(struct mcp_session **ret, const struct mcp_offer *offer);

/* Nothing may be being answered any more.  NULL is allowed. */
void mcp_session_free(struct mcp_session *session);

/* Whether it has begun as a legacy one. */
bool mcp_session_begun(struct mcp_session *session);

/* Whether it names the modern version, or another that is meant to be one: in its _meta.  NULL:
 * it does not. */
const char *mcp_message_version(const struct mcp_message *message);

/* Whether a session knows this version of the legacy era. */
bool mcp_version_known(const char *version);

/* Whether it may come before a session has begun; what is told else, over pipes. */
bool mcp_message_early(const struct mcp_message *message);
extern const char mcp_session_first[];

/* Whether an answer may take its time; others come at once. */
bool mcp_message_waits(const struct mcp_message *message);

/* Answer a message in the calling fiber: with as many messages as it takes, one of them the
 * last; with none, if it is no request or was canceled meanwhile.  At most MCP_CALLS_MAX at a
 * time; one more is refused.  A handler that panics is answered with an error, and the panic
 * goes on. */
void mcp_session_answer(struct mcp_session *session, const struct mcp_message *message,
                        const struct mcp_peer *peer);

/* The same in two halves, for who has the second one done by another fiber: from the first on
 * the request can be canceled.  Message and peer must outlive it.  NULL: it is no request, or
 * there was no memory; all that there is to do was done.  The second half frees it. */
struct mcp_request *mcp_session_take(struct mcp_session *session,
                                     const struct mcp_message *message,
                                     const struct mcp_peer *peer);
void mcp_session_finish(struct mcp_request *request);

/* Say what a client of the legacy era wants to hear unasked, until the end of the calling
 * fiber's scope, or of who hears it.  Errors: CANCELED, TIMEOUT, and those of peer->send. */
wr_err mcp_session_speak(struct mcp_session *session, const struct mcp_peer *peer);

/* The right to do so, where several could: false, somebody has it. */
bool mcp_session_claim(struct mcp_session *session);
void mcp_session_unclaim(struct mcp_session *session);

/* Answer what could not be read.  `message` may have an id. */
void mcp_session_refuse(const struct mcp_message *message, const struct mcp_fault *fault,
                        const struct mcp_peer *peer);

#endif
