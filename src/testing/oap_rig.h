/* oap_rig.h - an OAP server on loopback with a table of odd verbs, and a client that
 * talks to it in frames and bytes, for the tests of the server's parts. */
#ifndef WR_TESTING_OAP_RIG_H
#define WR_TESTING_OAP_RIG_H

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/oap.h>

#include "net/oap.h"
#include "testing/site_rig.h"

/* ---- the server under test ---- */

enum { PING = 1, ECHO = 7, GATED = 16, STUBBORN = 17, CONFLICT = 18, PANIC = 19, LARGE = 20,
       SMALL = 21, PARTS = 22 };

RIG wr_err echo(struct wr_oap_call *call)
{
    size_t len;
    const void *payload = wr_oap_payload(call, &len);
    wr_oap_write(call, payload, len);
    return WR_OK;
}

RIG wr_err gated(struct wr_oap_call *call)
{
    wr_err err = wr_once_wait(gate, NULL, WR_NEVER);
    wr_oap_write(call, "through", 7);
    return err;
}

/* A handler that its deadline does not reach: it waits outside of it. */
RIG wr_err stubborn(struct wr_oap_call *call)
{
    wr_err err = wait_shielded(gate, WR_S(100));
    wr_oap_write(call, "far too late", 12);
    return err;
}

RIG wr_err conflict(struct wr_oap_call *call)
{
    return wr_oap_fail(call, WR_EXISTS, "there is a \"%s\" already", "thing");
}

RIG wr_err panicking(struct wr_oap_call *call)
{
    (void)call;
    wr_panic("as the test wants it");
}

/* As many bytes as the payload says; all at the end, or in parts. */
RIG wr_err large(struct wr_oap_call *call)
{
    size_t len;
    const char *payload = wr_oap_payload(call, &len);
    char text[16] = "", bytes[1000];
    memcpy(text, payload, len < 15 ? len : 15);
    memset(bytes, 'l', sizeof(bytes));
    for (size_t left = strtoul(text, NULL, 10); left > 0;) {
        size_t size = left < sizeof(bytes) ? left : sizeof(bytes);
        if (wr_oap_verb_of(call)->id == LARGE)
            wr_oap_write(call, bytes, size);
        else if (wr_oap_send(call, bytes, size, WR_NEVER))
            return WR_BROKENPIPE;
        left -= size;
    }
    return WR_OK;
}

RIG const struct wr_oap_verb verbs[] = {
    { .id = PING, .name = "PING", .handler = echo, .priority = true },
    { .id = ECHO, .name = "ECHO", .handler = echo },
    { .id = GATED, .name = "GATED", .handler = gated, .deadline = WR_S(50) },
    { .id = STUBBORN, .name = "STUBBORN", .handler = stubborn },
    { .id = CONFLICT, .name = "CONFLICT", .handler = conflict },
    { .id = PANIC, .name = "PANIC", .handler = panicking },
    { .id = LARGE, .name = "LARGE", .handler = large },
    { .id = PARTS, .name = "PARTS", .handler = large },
    { .id = SMALL, .name = "SMALL", .handler = echo, .payload_max = 100 },
};

RIG wr_err serve(void *arg)
{
    struct site *site = arg;
    return wr_oap_serve(site->oap, site->listener);
}

RIG wr_err submit(void *arg, struct wr_oap_call *call)
{
    struct site *site = arg;
    return wr_chan_send(site->work, &call, WR_NOW);
}

RIG void run_call(void *call)
{
    wr_oap_run(call);
}

RIG void drop_call(void *item)
{
    wr_oap_refuse(*(struct wr_oap_call **)item, WR_DRAINING);
}

/* With `workers`, calls are queued for so many of them; the queue has `cap` places. */
RIG void open_site_of(struct site *site, int workers, size_t cap, struct wr_oap_conf conf)
{
    site_prepare(site, ANYWHERE, workers ? cap : 0, run_call, drop_call);
    if (workers)
        conf.submit = submit;
    conf.arg = site;
    REQUIRE_OK(wr_oap_new(&site->oap, &conf));
    site_start(site, serve, workers);
}

RIG void open_site(struct site *site, int workers, size_t cap, struct wr_oap_conf conf)
{
    conf.verbs = verbs;
    conf.count = sizeof(verbs) / sizeof(verbs[0]);
    open_site_of(site, workers, cap, conf);
}

RIG void close_site(struct site *site)
{
    site_stop(site);
    CHECK_EQ(0, wr_oap_connections(site->oap));
    wr_oap_free(site->oap);
}

/* ---- the client ---- */

struct peer {
    struct wr_stream *stream;
    struct oap_decoder decoder;
    unsigned char bytes[4096];
    size_t at, len;
};

RIG void say_bytes(struct peer *peer, const void *bytes, size_t len)
{
    size_t size;
    CHECK_OK(wr_stream_write(peer->stream, &size, &(struct wr_piece){ bytes, len }, 1,
                             WR_NEVER));
}

RIG size_t encode(unsigned char *buf, unsigned flags, uint16_t proto, uint64_t corr,
                  const char *cap, const char *payload)
{
    struct oap_frame frame = { .flags = (uint16_t)flags, .proto = proto, .corr = corr,
                               .cap_len = strlen(cap), .payload_len = strlen(payload) };
    oap_encode(buf, &frame);
    memcpy(buf + OAP_HEAD, cap, frame.cap_len);
    memcpy(buf + OAP_HEAD + frame.cap_len, payload, frame.payload_len);
    return OAP_HEAD + frame.cap_len + frame.payload_len;
}

RIG void say_as(struct peer *peer, unsigned flags, uint16_t proto, uint64_t corr,
                const char *cap, const char *payload)
{
    unsigned char *buf = malloc(OAP_HEAD + strlen(cap) + strlen(payload));
    say_bytes(peer, buf, encode(buf, flags, proto, corr, cap, payload));
    free(buf);
}

RIG void say(struct peer *peer, uint16_t proto, uint64_t corr, const char *payload)
{
    say_as(peer, OAP_REQ, proto, corr, "", payload);
}

/* The next frame, to be freed; false when there is none. */
RIG bool hear_frame(struct peer *peer, struct oap_frame *ret)
{
    size_t used;
    for (;;) {
        enum oap_state state = oap_feed(&peer->decoder, peer->bytes + peer->at,
                                        peer->len - peer->at, &used, ret);
        peer->at += used;
        if (state == OAP_FRAME)
            return true;
        peer->at = peer->len = 0;
        if (wr_stream_read(peer->stream, &peer->len, peer->bytes, sizeof(peer->bytes), WR_NEVER)
            || peer->len == 0)
            return false;
    }
}

/* The next frame as "code flags proto corr payload", or "closed". */
RIG const char *hear(struct peer *peer)
{
    static char line[3000];
    struct oap_frame frame;
    if (!peer->stream || !hear_frame(peer, &frame))
        return "closed";
    snprintf(line, sizeof(line), "%u %u %u %llu %.*s", frame.code, frame.flags, frame.proto,
             (unsigned long long)frame.corr, (int)frame.payload_len,
             (const char *)frame.payload);
    if (frame.payload_len > 1000)
        snprintf(line, sizeof(line), "%u %u %u %llu (%zu)", frame.code, frame.flags,
                 frame.proto, (unsigned long long)frame.corr, frame.payload_len);
    oap_frame_free(&frame);
    return line;
}

RIG void dial(struct site *site, struct peer *peer)
{
    memset(peer, 0, sizeof(*peer));
    oap_open(&peer->decoder, OAP_FRAME_MAX);
    CHECK_OK(wr_connect(&peer->stream, wr_listener_addr(site->listener), WR_NEVER));
}

/* The same for who is to be sent away: that may be before he is through. */
RIG void dial_in_vain(struct site *site, struct peer *peer)
{
    memset(peer, 0, sizeof(*peer));
    oap_open(&peer->decoder, OAP_FRAME_MAX);
    wr_err err = wr_connect(&peer->stream, wr_listener_addr(site->listener), WR_NEVER);
    CHECK(!err || err == WR_BROKENPIPE);
}

RIG void greet(struct site *site, struct peer *peer)
{
    dial(site, peer);
    say(peer, 0, 1, "{\"ua\":null}");
    CHECK(strncmp(hear(peer), "200 2 0 1 {\"max_frame\":", 23) == 0);
}

RIG void hang_up(struct peer *peer)
{
    oap_close(&peer->decoder);
    wr_stream_close(peer->stream);
}

/* Most tests need one of each. */
RIG void meet(struct site *site, struct peer *peer, int workers, size_t cap,
              struct wr_oap_conf conf)
{
    open_site(site, workers, cap, conf);
    greet(site, peer);
}

RIG void leave(struct site *site, struct peer *peer)
{
    hang_up(peer);
    close_site(site);
}

/* Whether an answer begins so. */
#define CHECK_BEGINS(want, got_) do { \
    const char *said_ = got_; \
    if (!CHECK(strncmp(want, said_, strlen(want)) == 0)) \
        printf("# it is: %s\n", said_); \
} while (0)

#endif
