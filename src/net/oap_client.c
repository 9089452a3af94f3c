/* oap_client.c - the asking side of OAP: one request at a time. */
#include <weir/oap.h>

#include <stdlib.h>
#include <string.h>

#include <weir/tls.h>

#include "base/forget.h"
#include "base/json.h"
#include "net/oap_hello.h"
#include "net/oap.h"

#define READ_SIZE 8192
#define HELLO_MAX 4096
#define REFUSAL_MAX ((size_t)64 << 10)

struct wr_oap_client {
    struct wr_stream *stream;
    struct oap_decoder decoder;
    size_t frame_max;
    uint64_t corr;
    size_t at, len;                     /* of bytes: read and not yet decoded */
    unsigned char bytes[READ_SIZE];
};

static wr_err send_frame(struct wr_oap_client *client, const struct oap_frame *frame,
                         wr_time deadline)
{
    unsigned char head[OAP_HEAD];
    size_t size;
    oap_encode(head, frame);
    struct wr_piece pieces[3] = { { head, sizeof(head) } };
    size_t count = 1;
    if (frame->cap_len)
        pieces[count++] = (struct wr_piece){ frame->cap, frame->cap_len };
    if (frame->payload_len)
        pieces[count++] = (struct wr_piece){ frame->payload, frame->payload_len };
    return wr_stream_write(client->stream, &size, pieces, count, deadline);
}

/* The next frame, which is the caller's. */
static wr_err next_frame(struct wr_oap_client *client, struct oap_frame *ret, wr_time deadline)
{
    for (;;) {
        size_t used;
        enum oap_state state = oap_feed(&client->decoder, client->bytes + client->at,
                                        client->len - client->at, &used, ret);
        client->at += used;
        if (state != OAP_MORE)
            return state == OAP_FRAME ? WR_OK : WR_INVALID;
        client->at = client->len = 0;
        wr_err err = wr_stream_read(client->stream, &client->len, client->bytes,
                                    sizeof(client->bytes), deadline);
        if (err || client->len == 0)
            return err ? err : WR_CLOSED;
    }
}

/* ---- asking ---- */

/* In one frame, or in many when it is large.  The capability goes with the first. */
static wr_err send_request(struct wr_oap_client *client, const struct wr_oap_request *request,
                           wr_time deadline)
{
    size_t at = 0;
    const unsigned char *payload = request->payload_len ? request->payload : (const void *)"";
    if (request->cap_len > UINT16_MAX || OAP_HEAD + request->cap_len >= client->frame_max)
        return WR_INVALID;
    do {
        size_t cap_len = at == 0 ? request->cap_len : 0, left = request->payload_len - at;
        size_t most = client->frame_max - OAP_HEAD - cap_len;
        most = most < OAP_CHUNK ? most : OAP_CHUNK;
        struct oap_frame frame = {
            .flags = OAP_REQ, .proto = request->id, .corr = client->corr,
            .cap = request->cap, .cap_len = cap_len,
            .payload = payload + at,
            .payload_len = left < most ? left : most,
        };
        frame.flags |= (uint16_t)((at == 0 ? OAP_START : 0) | (left <= most ? OAP_END : 0));
        memcpy(frame.tenant, request->tenant, OAP_TENANT);
        wr_err err = send_frame(client, &frame, deadline);
        if (err)
            return err;
        at += frame.payload_len;
    } while (at < request->payload_len);
    return WR_OK;
}

/* Where an answer goes: a refusal to the text, and all else to the taker, if there is one. */
struct heard {
    struct wr_text text;
    const struct wr_oap_taker *taker;
    unsigned code;
};

static wr_err keep(struct heard *heard, const struct oap_frame *frame, bool refused)
{
    if (heard->taker && !refused)
        return frame->payload_len == 0 ? WR_OK
                                       : heard->taker->take(heard->taker->arg, frame->payload,
                                                            frame->payload_len);
    wr_text_bytes(&heard->text, (const char *)frame->payload, frame->payload_len);
    return heard->text.cut ? WR_INVALID : WR_OK;
}

/* Until when the next frame must be there. */
static wr_time next_until(const struct heard *heard, wr_time deadline)
{
    wr_time soon = heard->taker && heard->taker->within ? wr_after(heard->taker->within)
                                                        : deadline;
    return soon < deadline ? soon : deadline;
}

/* Frames up to END are one answer.  One that refuses may be about what could not even be
 * read, and then it is about nothing in particular. */
static wr_err collect(struct wr_oap_client *client, struct heard *heard, wr_time deadline)
{
    for (;;) {
        struct oap_frame frame;
        wr_err err = next_frame(client, &frame, next_until(heard, deadline));
        if (err)
            return err;
        bool end = frame.flags & OAP_END, refused = end && frame.code >= 400;
        bool ours = frame.flags & OAP_RESP && (frame.corr == client->corr || refused);
        enum oap_bad bad = ours ? oap_inflate(&frame) : OAP_BAD_ENVELOPE;
        if (refused)
            wr_text_rewind(&heard->text, 0);
        err = bad ? WR_INVALID : keep(heard, &frame, refused);
        heard->code = frame.code;
        oap_frame_free(&frame);
        if (err || end)
            return err;
    }
}

static wr_err ask(struct wr_oap_client *client, const struct wr_oap_request *request,
                  struct heard *heard, struct wr_oap_answer *ret, wr_time deadline)
{
    client->corr++;
    wr_err err = send_request(client, request, deadline);
    /* Whoever refuses a request may close before all of it is sent: hear why first. */
    if (!err || err == WR_BROKENPIPE) {
        wr_err said = collect(client, heard, deadline);
        err = said && err ? err : said;
    }
    const struct wr_text text = heard->text;
    char *payload = err ? NULL : calloc(1, text.len + 1);
    if (!err && !payload)
        err = WR_NOMEM;
    if (payload) {
        memcpy(payload, text.at, text.len);
        *ret = (struct wr_oap_answer){ .code = heard->code, .payload = payload,
                                       .len = text.len };
    }
    wr_text_free(&heard->text);
    return err;
}

wr_err wr_oap_ask(struct wr_oap_client *client, const struct wr_oap_request *request,
                  size_t max, struct wr_oap_answer *ret, wr_time deadline)
{
    struct heard heard = { .text = wr_text_heap(max + 1) };
    return ask(client, request, &heard, ret, deadline);
}

wr_err wr_oap_ask_parts(struct wr_oap_client *client, const struct wr_oap_request *request,
                        const struct wr_oap_taker *taker, struct wr_oap_answer *ret,
                        wr_time deadline)
{
    struct heard heard = { .text = wr_text_heap(REFUSAL_MAX), .taker = taker };
    return ask(client, request, &heard, ret, deadline);
}

/* ---- connecting ---- */

static wr_err greet(struct wr_oap_client *client, const char *ua, wr_time deadline)
{
    char buf[HELLO_MAX];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    wr_json_object(&json, NULL);
    wr_json_str(&json, "ua", ua);
    wr_json_end(&json);
    struct oap_frame frame = { .flags = OAP_REQ, .corr = client->corr,
                               .payload = (const unsigned char *)text.at,
                               .payload_len = text.len };
    wr_err err = text.cut ? WR_INVALID : send_frame(client, &frame, deadline);
    if (!err)
        err = next_frame(client, &frame, deadline);
    if (err)
        return err;
    bool good = frame.flags & OAP_RESP && frame.code == 200 && frame.proto == WR_OAP_HELLO
        && oap_hello_read_answer(&client->frame_max, frame.payload, frame.payload_len);
    oap_frame_free(&frame);
    return good ? WR_OK : WR_INVALID;
}

wr_err wr_oap_connect(struct wr_oap_client **ret, const struct wr_oap_server *server,
                      wr_time deadline)
{
    struct wr_oap_client *client = calloc(1, sizeof(*client));
    if (!client)
        return WR_NOMEM;
    oap_open(&client->decoder, OAP_FRAME_MAX);
    client->frame_max = OAP_FRAME_MAX;
    wr_err err = wr_connect(&client->stream, server->addr, deadline);
    if (!err && server->tls)
        err = wr_tls_connect(server->tls, &client->stream, server->host, deadline);
    if (!err)
        err = greet(client, server->ua, deadline);
    if (err)
        wr_oap_close(client);
    else
        *ret = client;
    return err;
}

void wr_oap_close(struct wr_oap_client *client)
{
    if (!client)
        return;
    oap_close(&client->decoder);
    wr_stream_close(client->stream);
    wr_forget_free(client);             /* the last bytes that came are in it */
}
