/* agent_rig.h - an agent at the other ends of two pipes, for the tests of who serves it.
 *
 *     static wr_err serve(struct wr_fd *in, struct wr_fd *out) { ... }
 *
 *     agent_open(serve);
 *     agent_say("{...}\n");
 *     CHECK(has(agent_hear(1), "result"));
 *     agent_close();
 */
#ifndef WR_TESTING_AGENT_RIG_H
#define WR_TESTING_AGENT_RIG_H

#include <string.h>
#include <unistd.h>

#include <weir/fd.h>

#include "testing/settle.h"
#include "testing/test.h"

#define RIG __attribute__((unused)) static

RIG struct agent {
    wr_err (*serve)(struct wr_fd *in, struct wr_fd *out);
    struct wr_fd *say, *hear;
    int ends[2];
    struct wr_scope *scope;
    wr_err result;
    char heard[1 << 16];
    size_t len;
} agent;

RIG wr_err agent_serve(void *arg)
{
    struct wr_fd *in = NULL, *out = NULL;
    int to[2] = { -1, -1 }, from[2] = { -1, -1 };
    (void)arg;
    REQUIRE(pipe(to) == 0 && pipe(from) == 0, WR_IO);
    CHECK_OK(wr_fd_open(&in, to[0]));
    CHECK_OK(wr_fd_open(&out, from[1]));
    agent.ends[0] = to[1];
    agent.ends[1] = from[0];
    agent.result = agent.serve(in, out);
    wr_fd_close(in);
    wr_fd_close(out);
    return WR_OK;
}

RIG void agent_open(wr_err (*serve)(struct wr_fd *in, struct wr_fd *out))
{
    memset(&agent, 0, sizeof(agent));
    agent.serve = serve;
    agent.scope = scope_open();
    go(agent.scope, agent_serve, NULL);
    CHECK_OK(wr_fd_open(&agent.say, agent.ends[0]));
    CHECK_OK(wr_fd_open(&agent.hear, agent.ends[1]));
}

RIG void agent_say(const char *text)
{
    size_t sent;
    CHECK_OK(wr_fd_write(agent.say, &sent, text, strlen(text), wr_after(WR_S(9))));
}

/* What comes until so many lines have, or nothing more does. */
RIG const char *agent_hear(unsigned lines)
{
    agent.len = 0;
    for (unsigned count = 0; count < lines && agent.len + 1 < sizeof(agent.heard);) {
        size_t got;
        if (wr_fd_read(agent.hear, &got, agent.heard + agent.len,
                       sizeof(agent.heard) - 1 - agent.len, wr_after(WR_S(100))) || !got)
            break;
        for (size_t i = 0; i < got; i++)
            count += agent.heard[agent.len + i] == '\n';
        agent.len += got;
    }
    agent.heard[agent.len] = '\0';
    return agent.heard;
}

RIG void agent_hang_up(void)
{
    wr_fd_close(agent.say);
    agent.say = NULL;
}

/* It has gone, and whoever served it has ended: agent.result. */
RIG void agent_close(void)
{
    if (agent.say)
        agent_hang_up();
    scope_done(agent.scope);
    wr_fd_close(agent.hear);
}

#endif
