/* front.c - a listener with a server behind it: see front.h. */
#include "svc/node/front.h"

#include <stdio.h>
#include <stdlib.h>

#define PORTS_TRIED 20

struct front {
    struct wr_listener *listener;
    struct wr_http *http;
};

static wr_err listen_near(struct wr_listener **ret, const struct front_place *place)
{
    if (place->fd >= 0)
        return wr_listen_on(ret, place->fd);
    struct wr_addr near = *place->addr;
    wr_err err = wr_listen(ret, &near);
    for (int i = 1; place->may_move && err == WR_EXISTS && i < PORTS_TRIED; i++) {
        near.port = (uint16_t)(place->addr->port + i);
        err = wr_listen(ret, &near);
    }
    return err;
}

static const char *reason(wr_err err)
{
    switch (err) {
    case WR_EXISTS: return "something listens there already";
    case WR_DENIED: return "this user may not listen there";
    case WR_INVALID: return "this machine does not have that address";
    default: return wr_err_text(err);
    }
}

wr_err front_open(struct front **ret, const struct front_place *place,
                  const struct wr_http_conf *conf, char *why, size_t size)
{
    char text[WR_ADDR_TEXT_MAX];
    struct front *front = calloc(1, sizeof(*front));
    if (!front)
        return WR_NOMEM;
    wr_err err = wr_http_new(&front->http, conf);
    if (!err)
        err = listen_near(&front->listener, place);
    if (err) {
        wr_addr_print(place->addr, text);
        snprintf(why, size, "cannot listen on %s: %s", text, reason(err));
        front_close(front);
        return err;
    }
    *ret = front;
    return WR_OK;
}

const struct wr_addr *front_addr(const struct front *front)
{
    return wr_listener_addr(front->listener);
}

struct wr_http *front_http(const struct front *front)
{
    return front->http;
}

wr_err front_serve(struct front *front)
{
    return wr_http_serve(front->http, front->listener);
}

void front_close(struct front *front)
{
    if (!front)
        return;
    wr_listener_close(front->listener);
    wr_http_free(front->http);
    free(front);
}
