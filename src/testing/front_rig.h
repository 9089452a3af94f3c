/* front_rig.h - fronts that answer with a word of their own, and a client for them. */
#ifndef WR_TESTING_FRONT_RIG_H
#define WR_TESTING_FRONT_RIG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/task.h>

#include "svc/node/front.h"
#include "testing/settle.h"
#include "testing/test.h"

#define RIG __attribute__((unused)) static

RIG wr_err answer_word(struct wr_call *call)
{
    wr_call_print(call, "%s", (const char *)wr_call_arg(call));
    return WR_OK;
}

RIG wr_err answer_slowly(struct wr_call *call)
{
    wr_call_print(call, "slow");
    return wr_sleep(wr_after(WR_MS(500)));
}

/* A front at this address, or without a listener; GET / answers the word. */
RIG struct front *front_at(const char *place, const char *word)
{
    struct wr_addr addr;
    struct front *front = NULL;
    const struct wr_route routes[] = {
        { .method = "GET", .path = "/", .handler = answer_word,
          .arg = (void *)(uintptr_t)word },
        { .method = "GET", .path = "/slow", .handler = answer_slowly },
    };
    if (place)
        CHECK_OK(wr_addr_parse(&addr, place));
    CHECK_OK(front_listen(&front, &(struct front_place){ .fd = -1,
                                                         .addr = place ? &addr : NULL }));
    CHECK_OK(front_http(front, &(struct wr_http_conf){ .routes = routes, .count = 2 }));
    return front;
}

RIG struct wr_stream *dial_front(const struct wr_addr *addr)
{
    struct wr_stream *stream = NULL;
    CHECK_OK(wr_connect(&stream, addr, wr_after(WR_S(1))));
    return stream;
}

RIG void rig_front_say(struct wr_stream *stream, const char *path)
{
    char text[100];
    size_t size;
    int len = snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
    CHECK_OK(wr_stream_write(stream, &size, &(struct wr_piece){ text, (size_t)len }, 1,
                             wr_after(WR_S(1))));
}

/* The body of the answer; the code of an error; "closed". */
RIG const char *hear_front(struct wr_stream *stream)
{
    static char text[2000];
    size_t len = 0, size = 1, want = 0;
    char *body = NULL;
    while (!body || len < want) {
        if (wr_stream_read(stream, &size, text + len, sizeof(text) - 1 - len,
                           wr_after(WR_S(10))) || size == 0)
            return "closed";
        len += size;
        text[len] = '\0';
        const char *length = strstr(text, "Content-Length: ");
        if (!body && (body = strstr(text, "\r\n\r\n")))
            want = (size_t)((body += 4) - text) + (length ? strtoul(length + 16, NULL, 10) : 0);
    }
    return strstr(body, "Draining") ? "Draining" : body;
}

RIG const char *ask_stream(struct wr_stream *stream)
{
    rig_front_say(stream, "/");
    return hear_front(stream);
}

/* The same on a connection of its own; "refused". */
RIG const char *ask_front(const struct wr_addr *addr)
{
    struct wr_stream *stream = NULL;
    if (wr_connect(&stream, addr, wr_after(WR_S(1))))
        return "refused";
    const char *heard = ask_stream(stream);
    wr_stream_close(stream);
    return heard;
}

#endif
