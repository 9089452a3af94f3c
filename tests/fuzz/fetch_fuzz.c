/* fetch_fuzz.c - an answer is read the same, or refused the same, however it is cut.
 *
 * The first byte of an input seeds the sizes of the pieces, its lowest bit says that a
 * HEAD was asked; the rest is what the peer says until it closes.  Whatever that is:
 * no more body comes out than went in, a head keeps its limits, and one byte at a time
 * gives what all at once gives.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "net/fetch_parse.h"

#define INPUT_MAX 4096

struct outcome {
    enum answer_state state;
    wr_err err;
    bool keep_alive;
    unsigned status;
    size_t fields, text_len, body_len, used;
    char text[2 * INPUT_MAX], body[INPUT_MAX];
};

static void run(struct outcome *ret, const char *bytes, size_t len, bool no_body,
                uint32_t seed)
{
    struct fetch_head head = { 0 };
    struct answer answer;
    memset(ret, 0, sizeof(*ret));
    answer_open(&answer, &head, no_body);
    while (ret->used < len && answer.state < ANSWER_DONE) {
        char piece_body[INPUT_MAX];
        size_t left = len - ret->used, piece = left, got;
        if (seed) {
            seed = seed * 1664525u + 1013904223u;
            piece = 1 + (seed >> 24) % 7;
            piece = piece < left ? piece : left;
        }
        size_t used = answer_feed(&answer, bytes + ret->used, piece, piece_body, &got);
        WR_ASSERT(used <= piece && got <= piece);
        memcpy(ret->body + ret->body_len, piece_body, got);
        ret->body_len += got;
        ret->used += used;
    }
    answer_end(&answer);
    WR_ASSERT(answer.state == ANSWER_DONE || answer.state == ANSWER_BAD);
    WR_ASSERT(answer.state != ANSWER_BAD || (answer.err && answer.why));
    WR_ASSERT(head.count <= FETCH_FIELDS_MAX && head.len <= FETCH_HEAD_MAX);
    ret->state = answer.state;
    ret->err = answer.err;
    ret->keep_alive = answer.keep_alive;
    ret->status = head.status;
    if (answer.state == ANSWER_DONE) {
        WR_ASSERT(head.len <= sizeof(ret->text));
        ret->fields = head.count;
        ret->text_len = head.len;
        if (head.len > 0)
            memcpy(ret->text, head.text, head.len);
    }
    answer_close(&answer);
    fetch_head_free(&head);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct outcome whole, cut;
    if (size == 0 || size > INPUT_MAX)
        return -1;
    const char *bytes = (const char *)data + 1;
    bool no_body = data[0] & 1;
    run(&whole, bytes, size - 1, no_body, 0);
    run(&cut, bytes, size - 1, no_body, data[0] | 256u);
    WR_ASSERT(whole.state == cut.state && whole.err == cut.err);
    if (whole.state != ANSWER_DONE)
        return 0;
    WR_ASSERT(whole.status == cut.status && whole.keep_alive == cut.keep_alive);
    WR_ASSERT(whole.used == cut.used && whole.fields == cut.fields);
    WR_ASSERT(whole.text_len == cut.text_len);
    WR_ASSERT(memcmp(whole.text, cut.text, whole.text_len) == 0);
    WR_ASSERT(whole.body_len == cut.body_len);
    WR_ASSERT(memcmp(whole.body, cut.body, whole.body_len) == 0);
    return 0;
}
