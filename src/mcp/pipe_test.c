#include "mcp/pipe.h"

#include <string.h>
#include <unistd.h>

#include "mcp/message.h"
#include "testing/settle.h"
#include "testing/test.h"

static struct wr_fd *in, *out, *say, *hear;
static struct mcp_pipe *lines;

static void lines_open(void)
{
    int to[2] = { -1, -1 }, from[2] = { -1, -1 };
    REQUIRE(pipe(to) == 0 && pipe(from) == 0);
    CHECK_OK(wr_fd_open(&in, to[0]));
    CHECK_OK(wr_fd_open(&say, to[1]));
    CHECK_OK(wr_fd_open(&hear, from[0]));
    CHECK_OK(wr_fd_open(&out, from[1]));
    CHECK_OK(mcp_pipe_new(&lines, in, out));
}

static void lines_close(void)
{
    mcp_pipe_free(lines);
    wr_fd_close(in);
    wr_fd_close(out);
    wr_fd_close(hear);
    wr_fd_close(say);
}

static void said(const char *text)
{
    size_t sent;
    CHECK_OK(wr_fd_write(say, &sent, text, strlen(text), wr_after(WR_S(9))));
}

/* The next line; NULL: the end. */
static const char *next(void)
{
    static char copy[1000];
    const char *line;
    size_t len;
    CHECK_OK(mcp_pipe_read(lines, &line, &len));
    if (!line)
        return NULL;
    snprintf(copy, sizeof(copy), "%.*s", (int)len, line);
    return copy;
}

TEST(lines_come_one_by_one_and_blank_ones_not_at_all)
{
    lines_open();
    said("a\n\r\n \t\nb c\nlast");
    CHECK_STR("a", next());
    CHECK_STR("b c", next());
    wr_fd_close(say);
    say = NULL;
    CHECK_STR("last", next());
    CHECK(!next());
    CHECK(!next());
    lines_close();
}

static wr_err say_much(void *arg)
{
    static char block[1 << 16];
    (void)arg;
    memset(block, 'x', sizeof(block));
    for (size_t i = 0; i < 3 * MCP_MESSAGE_MAX / sizeof(block); i++) {
        size_t sent;
        CHECK_OK(wr_fd_write(say, &sent, block, sizeof(block), wr_after(WR_S(9))));
    }
    said("\nb\n");
    return WR_OK;
}

TEST(a_line_that_is_too_long_is_told_of_once)
{
    struct wr_scope *scope = scope_open();
    const char *line;
    size_t len;
    lines_open();
    CHECK_OK(wr_scope_go(scope, "test.much", say_much, NULL));
    CHECK_ERR(WR_DENIED, mcp_pipe_read(lines, &line, &len));
    CHECK_STR("b", next());
    scope_done(scope);
    lines_close();
}

TEST(who_does_not_read_has_thirty_seconds_and_ends_what_depends_on_it)
{
    static char block[1 << 16];
    struct wr_scope *scope = scope_open();
    wr_err err = WR_OK;
    lines_open();
    mcp_pipe_ends(lines, scope);
    wr_time start = wr_now();
    memset(block, 'x', sizeof(block));
    while (!err)
        err = mcp_pipe_write(lines, block, sizeof(block));
    CHECK_ERR(WR_TIMEOUT, err);
    CHECK_EQ(WR_S(30), wr_now() - start);
    CHECK_ERR(WR_TIMEOUT, mcp_pipe_broken(lines));
    CHECK_ERR(WR_TIMEOUT, mcp_pipe_write(lines, "x", 1));
    CHECK_ERR(WR_CANCELED, wr_scope_go(scope, "test.late", say_much, NULL));
    (void)!wr_scope_close(scope);
    lines_close();
}
