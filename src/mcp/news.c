/* news.c - that something has changed. */
#include "mcp/news.h"

#include <stdlib.h>
#include <string.h>

#define KEPT 256                    /* for listeners that are slow */

struct mcp_news { struct wr_bcast *told; };

wr_err mcp_news_new(struct mcp_news **ret)
{
    struct mcp_news *news = calloc(1, sizeof(*news));
    if (!news)
        return WR_NOMEM;
    wr_err err = wr_bcast_new(&news->told, &(struct wr_bcast_conf){
        .name = "mcp.news", .item_size = MCP_URI_MAX, .cap = KEPT });
    if (err)
        free(news);
    else
        *ret = news;
    return err;
}

void mcp_news_free(struct mcp_news *news)
{
    if (!news)
        return;
    wr_bcast_free(news->told);
    free(news);
}

void mcp_news_tell(struct mcp_news *news, const char *uri)
{
    char item[MCP_URI_MAX] = "";
    size_t len = strlen(uri);
    if (len >= sizeof(item))
        return;
    memcpy(item, uri, len + 1);
    (void)!wr_bcast_send(news->told, item);
}

struct wr_bcast_reader mcp_news_listen(struct mcp_news *news)
{
    return wr_bcast_reader(news->told);
}

wr_err mcp_news_hear(struct wr_bcast_reader *reader, char ret_uri[MCP_URI_MAX],
                     wr_time deadline)
{
    return wr_bcast_recv(reader, ret_uri, deadline);
}
