#include "mcp/news.h"

#include <string.h>

#include "testing/settle.h"
#include "testing/test.h"

static struct mcp_news *news;
static char uri[MCP_URI_MAX];

TEST(a_listener_hears_what_is_told_after_it_came)
{
    CHECK_OK(mcp_news_new(&news));
    mcp_news_tell(news, "a:early");
    struct wr_bcast_reader reader = mcp_news_listen(news);
    mcp_news_tell(news, "a:late");
    CHECK_OK(mcp_news_hear(&reader, uri, WR_NOW));
    CHECK_STR("a:late", uri);
    CHECK_ERR(WR_TIMEOUT, mcp_news_hear(&reader, uri, WR_NOW));
    mcp_news_free(news);
}

TEST(what_is_too_long_is_not_told_of)
{
    static char longer[MCP_URI_MAX + 1];
    CHECK_OK(mcp_news_new(&news));
    struct wr_bcast_reader reader = mcp_news_listen(news);
    memset(longer, 'x', MCP_URI_MAX);
    mcp_news_tell(news, longer);
    CHECK_ERR(WR_TIMEOUT, mcp_news_hear(&reader, uri, WR_NOW));
    longer[MCP_URI_MAX - 1] = '\0';
    mcp_news_tell(news, longer);
    CHECK_OK(mcp_news_hear(&reader, uri, WR_NOW));
    CHECK_STR(longer, uri);
    mcp_news_free(news);
}

TEST(who_falls_behind_learns_so)
{
    CHECK_OK(mcp_news_new(&news));
    struct wr_bcast_reader reader = mcp_news_listen(news);
    for (int i = 0; i < 300; i++)
        mcp_news_tell(news, "a:b");
    CHECK_ERR(WR_LAGGED, mcp_news_hear(&reader, uri, WR_NOW));
    CHECK_OK(mcp_news_hear(&reader, uri, WR_NOW));
    mcp_news_free(news);
}
