/* news.h - that something has changed, for clients who have asked to be told.
 *
 *     struct mcp_news *news;
 *     err = mcp_news_new(&news);
 *     static struct mcp_offer offer = { ..., .news = news };
 *     ...
 *     mcp_news_tell(news, "weir://task/7");
 *
 * Who tells does not wait and need not know whether anybody listens.  A listener that falls
 * behind is told of everything it has asked about: it reads again what it need not have, and
 * misses nothing.
 */
#ifndef WR_MCP_NEWS_H
#define WR_MCP_NEWS_H

#include <stdbool.h>

#include <weir/bcast.h>
#include <weir/err.h>
#include <weir/time.h>

#define MCP_URI_MAX 256             /* bytes of a URI that can be told of, with the zero byte */

struct mcp_news;

/* Errors: NOMEM. */
wr_err mcp_news_new(struct mcp_news **ret);

/* Nobody may be listening any more.  NULL is allowed. */
void mcp_news_free(struct mcp_news *news);

/* The resource of this URI is not what it was.  One that is too long is not told of.  Any
 * fiber; does not wait. */
void mcp_news_tell(struct mcp_news *news, const char *uri);

/* A listener hears what is told from now on. */
struct wr_bcast_reader mcp_news_listen(struct mcp_news *news);

/* The next one.  Errors: LAGGED (some were missed), TIMEOUT, CANCELED. */
wr_err mcp_news_hear(struct wr_bcast_reader *reader, char ret_uri[MCP_URI_MAX],
                     wr_time deadline);

#endif
