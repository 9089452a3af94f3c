/* h2_fuzz.c - any bytes on a connection come to an end, and to nothing but answers.
 *
 * The bytes are a connection of a whole server, with handlers of every class: as they
 * are, or behind what HTTP/2 begins with.  The connection ends, nothing is left of it,
 * and what it wrote is HTTP/1 answers, or frames that are none too large.
 *
 * The first byte of an input: 1, behind the beginning of HTTP/2; 2, short calls are
 * submitted; the rest is the size of the pieces.
 */
#include <stdint.h>
#include <string.h>

#include <weir/once.h>
#include <weir/panic.h>
#include <weir/run.h>

#include "net/server.h"
#include "rt/net_int.h"

#define INPUT_MAX 8192
#define FRAME_MAX 16384

static const char beginning[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";

/* A stream whose peer has said all it will. */
struct tape {
    struct wr_stream stream;
    struct wr_once *ready;
    const char *at;
    size_t left, piece;
    unsigned char head[9];          /* of the frame that is being written */
    size_t head_len, frame_left;
    bool frames;
};

static wr_err tape_await(struct wr_stream *stream, wr_time deadline, const char *place)
{
    (void)stream, (void)deadline, (void)place;
    return WR_OK;
}

static wr_err tape_read(struct wr_stream *stream, size_t *ret, void *buf, size_t size,
                        wr_time deadline, const char *place)
{
    struct tape *tape = (struct tape *)stream;
    (void)deadline, (void)place;
    size = size < tape->piece ? size : tape->piece;
    size = size < tape->left ? size : tape->left;
    if (size)
        memcpy(buf, tape->at, size);
    tape->at += size;
    tape->left -= size;
    *ret = size;
    return WR_OK;
}

/* Frames have heads of nine bytes, which begin with their length. */
static void check_frames(struct tape *tape, const unsigned char *bytes, size_t len)
{
    while (len > 0) {
        size_t skip = tape->frame_left < len ? tape->frame_left : len;
        bytes += skip;
        len -= skip;
        tape->frame_left -= skip;
        for (; len > 0 && tape->head_len < 9; len--)
            tape->head[tape->head_len++] = *bytes++;
        if (tape->head_len < 9)
            return;
        tape->head_len = 0;
        tape->frame_left = (size_t)tape->head[0] << 16 | (size_t)tape->head[1] << 8
            | tape->head[2];
        WR_ASSERT(tape->frame_left <= FRAME_MAX && tape->head[3] <= 9);
    }
}

static wr_err tape_write(struct wr_stream *stream, size_t *ret, const struct wr_piece *pieces,
                         size_t count, wr_time deadline, const char *place)
{
    struct tape *tape = (struct tape *)stream;
    (void)deadline, (void)place;
    *ret = 0;
    for (size_t i = 0; i < count; i++) {
        if (tape->frames)
            check_frames(tape, pieces[i].at, pieces[i].len);
        *ret += pieces[i].len;
    }
    return WR_OK;
}

static void tape_shut(struct wr_stream *stream)
{
    (void)stream;
}

static struct wr_case tape_readable(struct wr_stream *stream)
{
    return (struct wr_case)WR_CASE_ONCE(((struct tape *)stream)->ready, NULL);
}

static const struct stream_ops tape_ops = {
    .await = tape_await, .read = tape_read, .write = tape_write, .shut = tape_shut,
    .readable = tape_readable,
};

/* ---- the server ---- */

static wr_err echo(struct wr_call *call)
{
    size_t len;
    const char *body = wr_call_body(call, &len);
    wr_call_write(call, body, len);
    wr_call_reply_header(call, "X-Path", "set");
    return WR_OK;
}

static wr_err stream(struct wr_call *call)
{
    wr_err err = wr_call_begin(call);
    for (int i = 0; i < 3 && !err; i++)
        err = wr_call_send(call, "0123456789", 10, wr_after(WR_S(1)));
    return err;
}

static wr_err wait_a_while(struct wr_call *call)
{
    size_t which;
    wr_err err = wr_call_select(call, &which, NULL, 0, wr_after(WR_S(1)));
    return err == WR_TIMEOUT ? WR_OK : err;
}

static const struct wr_route routes[] = {
    { .method = "GET", .path = "/", .handler = echo },
    { .method = "POST", .path = "/", .handler = echo, .body_max = 1000 },
    { .method = "GET", .path = "/p", .handler = echo, .class = WR_ROUTE_PRIORITY },
    { .method = "GET", .path = "/s", .handler = stream, .class = WR_ROUTE_STREAM },
    { .method = "GET", .path = "/w", .handler = wait_a_while, .class = WR_ROUTE_LONG },
};

static wr_err run_at_once(void *arg, struct wr_call *call)
{
    (void)arg;
    wr_call_run(call);
    return WR_OK;
}

struct input { const char *bytes; size_t size; unsigned mode; };

static wr_err serve(void *arg)
{
    const struct input *input = arg;
    struct tape tape = { .stream.ops = &tape_ops, .at = input->bytes, .left = input->size,
                         .piece = input->mode / 4 + 1, .frames = input->mode & 1 };
    struct wr_http *http;
    WR_ASSERT(!wr_once_new(&tape.ready, "fuzz.ready", 0));
    WR_ASSERT(!wr_once_set(tape.ready, NULL));
    WR_ASSERT(!wr_http_new(&http, &(struct wr_http_conf){
        .routes = routes, .count = 5, .submit = input->mode & 2 ? run_at_once : NULL }));
    conn_serve(&(struct visit){ .http = http, .stream = &tape.stream });
    WR_ASSERT(tape.frame_left == 0 && tape.head_len == 0);
    WR_ASSERT(!wr_http_finish(http, WR_NOW));
    wr_http_free(http);
    wr_once_free(tape.ready);
    return WR_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char bytes[INPUT_MAX + sizeof(beginning)];
    if (size < 1 || size > INPUT_MAX)
        return -1;
    struct input input = { .bytes = bytes, .mode = data[0] };
    if (input.mode & 1) {
        memcpy(bytes, beginning, sizeof(beginning) - 1);
        input.size = sizeof(beginning) - 1;
    }
    memcpy(bytes + input.size, data + 1, size - 1);
    input.size += size - 1;
    struct wr_run_conf conf = { .workers = 1, .virtual_clock = true };
    WR_ASSERT(!wr_run(&conf, serve, &input));
    return 0;
}
