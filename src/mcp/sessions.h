/* sessions.h - sessions that go on from one request to the next, by the id they were given.
 *
 *     char id[MCP_SESSION_ID];
 *     err = mcp_sessions_open(sessions, &session, id);
 *     ...
 *     mcp_sessions_release(sessions, session);
 *     ...with the next request:
 *     session = mcp_sessions_hold(sessions, id);
 *
 * There is room for a number of them.  When it is taken, a new one takes the place of the one
 * that nobody holds and that was held longest ago.
 */
#ifndef WR_MCP_SESSIONS_H
#define WR_MCP_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/err.h>

#include "mcp/session.h"

#define MCP_SESSION_ID 33               /* with the zero byte */

struct mcp_sessions;

/* Errors: NOMEM. */
wr_err mcp_sessions_new(struct mcp_sessions **ret, const struct mcp_offer *offer, size_t max);

/* Nobody may hold any.  NULL is allowed. */
void mcp_sessions_free(struct mcp_sessions *sessions);

/* A new one, held, with an id that nobody can guess.  Errors: NOMEM, BUSY (all are held). */
wr_err mcp_sessions_open(struct mcp_sessions *sessions, struct mcp_session **ret,
                         char ret_id[MCP_SESSION_ID]);

/* NULL: there is none of this id, or none any more. */
struct mcp_session *mcp_sessions_hold(struct mcp_sessions *sessions, const char *id);
void mcp_sessions_release(struct mcp_sessions *sessions, struct mcp_session *session);

/* It is not found any more, and goes with the last who holds it.  False: there is none. */
bool mcp_sessions_end(struct mcp_sessions *sessions, const char *id);

#endif
