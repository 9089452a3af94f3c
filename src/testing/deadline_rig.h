/* deadline_rig.h - every route of a node keeps its deadline, whichever they are: the table is
 * gone through, so that a new route is held to it too. */
#ifndef WR_TESTING_DEADLINE_RIG_H
#define WR_TESTING_DEADLINE_RIG_H

#include <weir/task.h>

#include "svc/node/node_int.h"
#include "testing/node_rig.h"
#include "testing/settle.h"

#define WITHIN WR_MS(5)             /* of its deadline an answer is in time */
#define STAYS WR_S(100000)          /* longer than all of them may take */

static struct answer deadline_answer;

/* Nothing reaches it before the end of the test. */
static struct wr_once *enough;

RIG wr_err ignore_all(struct wr_call *call)
{
    (void)call;
    return wait_shielded(enough, STAYS);
}

RIG const struct wr_route stay_routes[] = {
    { .method = "GET", .path = "/t/stay", .handler = ignore_all },
};

/* "/a/{b}" as somebody would ask for it. */
RIG const char *target_of(const struct wr_route *route)
{
    static char target[200];
    size_t len = 0;
    for (const char *at = route->path; *at && len < sizeof(target) - 1; at++) {
        target[len++] = (char)(*at == '{' ? 'x' : *at);
        if (*at == '{')
            at = strchr(at, '}');
    }
    target[len] = '\0';
    return target;
}

RIG struct wr_stream *ask_route(struct rig *rig, const struct wr_route *route)
{
    char text[400];
    struct wr_stream *stream = rig_dial(rig);
    const char *length = strcmp(route->method, "GET") == 0 ? "" : "Content-Length: 0\r\n";
    snprintf(text, sizeof(text), "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
             "%s\r\n", route->method, target_of(route), length);
    rig_say(stream, text);
    return stream;
}

/* The answer to the route, or the end of its stream. */
RIG int hear(struct wr_stream *stream, const struct wr_route *route)
{
    char bytes[4096];
    size_t size = 1;
    int status = 200;
    if (route->class != WR_ROUTE_STREAM)
        status = rig_hear(stream, &deadline_answer);
    else
        while (size > 0 && !wr_stream_read(stream, &size, bytes, sizeof(bytes), WR_NEVER))
            ;
    wr_stream_close(stream);
    return status;
}

/* What has priority is answered at once; what is queued behind workers that do not come
 * back, at its deadline; what waits by itself, by the end of its wait. */
RIG void check_route(const struct wr_route *route, int status, wr_time took)
{
    wr_time deadline = route->deadline                   ? route->deadline
                       : route->class == WR_ROUTE_LONG   ? WR_S(300)
                       : route->class == WR_ROUTE_STREAM ? WR_S(3600)
                                                         : WR_S(2);
    bool good = status != 0 && took <= deadline + WITHIN;
    if (route->class == WR_ROUTE_PRIORITY)
        good &= took < WR_MS(1);
    if (route->class == WR_ROUTE_SHORT)
        good &= status == 504 && took >= deadline;
    if (!CHECK(good))
        printf("# %s %s: %d after %lld ms\n", route->method, route->path, status,
               (long long)(took / WR_MS(1)));
}

RIG bool ends_it(const struct wr_route *route)
{
    return strcmp(route->path, "/api/v1/shutdown") == 0;
}

/* Of the node, and of a service that it has; its stay is the last of their routes. */
RIG void check_deadlines(const struct node_service *service)
{
    struct rig rig;
    struct wr_stream *stay;
    static struct wr_stream *queued[64];
    size_t tried = 0;
    CHECK_OK(wr_once_new(&enough, "test.enough", 0));
    rig_service = service;
    rig_begin(&rig, (const char *const[]){ "--workers-count", "1", "--graceful-timeout", "5s",
                                           "--facets-index", "64", "--facets-graph", "64",
                                           "--facets-search", "64", NULL });
    stay = rig_dial(&rig);
    rig_say(stay, "GET /t/stay HTTP/1.1\r\nHost: localhost\r\n\r\n");
    settle();
    const struct wr_route *every = rig.node->routes;
    size_t count = rig.node->route_count;
    REQUIRE(count <= 64);
    for (size_t i = 0; i < count; i++)
        if (!ends_it(&every[i]) && every[i].class != WR_ROUTE_SHORT) {
            wr_time before = wr_now();
            int status = hear(ask_route(&rig, &every[i]), &every[i]);
            check_route(&every[i], status, wr_now() - before);
            tried++;
        }
    wr_time before = wr_now();          /* all at once: later ones would be turned away */
    for (size_t i = 0; i < count; i++)
        if (!ends_it(&every[i]) && every[i].class == WR_ROUTE_SHORT)
            queued[i] = ask_route(&rig, &every[i]);
    for (int longer = 0; longer < 2; longer++)      /* who has a deadline of his own is last */
        for (size_t i = 0; i < count; i++)
            if (queued[i] && (every[i].deadline != 0) == longer) {
                int status = hear(queued[i], &every[i]);
                check_route(&every[i], status, wr_now() - before);
                tried++;
            }
    CHECK(tried >= 16);
    CHECK_OK(wr_once_set(enough, NULL));
    wr_stream_close(stay);
    CHECK_EQ(202, rig_post(&rig, "/api/v1/shutdown", &deadline_answer));
    rig.stopped = true;
    CHECK_OK(rig_end(&rig));
    wr_once_free(enough);
}

#endif
