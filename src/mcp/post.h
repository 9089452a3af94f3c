/* post.h - messages to a server of the Model Context Protocol over HTTP, and those that come
 * back.
 *
 *     struct mcp_post post = { .addr = &addr, .method = "POST", .body = line, .len = len,
 *                              .headers = headers, .count = 2, .take = take, .arg = pipe };
 *     struct mcp_posted posted;
 *     err = mcp_post(&post, &posted);
 *     ...posted.status, posted.session; take was called for each message
 *
 * An answer is a message as JSON, or a stream of events that are one each.  Each request has a
 * connection of its own, so that what ends it ends nothing else.
 */
#ifndef WR_MCP_POST_H
#define WR_MCP_POST_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/addr.h>
#include <weir/err.h>
#include <weir/fetch.h>
#include <weir/time.h>

#define MCP_POSTED_SESSION 129

struct mcp_post {
    const struct wr_addr *addr;
    const char *method;
    const char *body;
    size_t len;
    const struct wr_fetch_header *headers;      /* besides those that each request has */
    size_t count;
    /* A message.  An error ends it. */
    wr_err (*take)(void *arg, const char *at, size_t len);
    void *arg;
};

struct mcp_posted {
    unsigned status;
    bool message;                       /* what came was JSON, or events */
    bool declined;                      /* nobody is there, or they leave: nothing was done */
    char session[MCP_POSTED_SESSION];   /* Mcp-Session-Id; empty: none */
    char why[300];                      /* what else came, or why nothing did */
};

/* Send it, and take what comes until the end of the answer, or of the calling fiber's scope.
 * Errors: IO (nobody answers, or not as they should), BROKENPIPE, CANCELED, TIMEOUT, NOMEM, and
 * those of `take`. */
wr_err mcp_post(const struct mcp_post *post, struct mcp_posted *ret);

#endif
