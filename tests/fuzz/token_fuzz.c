/* token_fuzz.c - whatever is given as a token, it is read in one way or not at all.
 *
 * For any text: a token that can be read is written as the same text; no such text
 * verifies but one that was made with the key.  The bytes are also taken as what the
 * text stands for, so that the reader of CBOR is reached at once; and those as an item
 * of CBOR alone, whose parts must lie inside.
 */
#include <stdint.h>
#include <string.h>

#include <weir/panic.h>

#include "base/caveat.h"
#include "base/token.h"

#define INPUT_MAX ((size_t)2 * WR_TOKEN_MAX)

static struct wr_secret *secret;

static void check(const char *text, size_t len)
{
    static struct wr_token token;
    static char back[WR_TOKEN_TEXT_MAX];
    struct wr_token_verdict verdict;
    struct wr_addr peer = { .kind = WR_ADDR_IP4, .ip = { 10, 0, 0, 1 } };
    struct wr_token_ask ask = { .now_s = 1000, .aud = "node", .scope = "index.read",
                                .method = "GET", .path = "/v1", .tenant = "t",
                                .policy = "p", .peer = &peer, .size = 1 };
    struct wr_token_key key = { "k1", secret };
    if (!wr_token_parse(&token, text, len, &verdict)) {
        WR_ASSERT(verdict.status == 401);
        return;
    }
    WR_ASSERT(token.count <= WR_TOKEN_CAVEATS_MAX && token.size <= WR_TOKEN_MAX);
    WR_ASSERT(wr_token_print(&token, back) == len && memcmp(text, back, len) == 0);
    WR_ASSERT(!wr_token_verify(&token, &key, 1, &ask, &verdict));
    WR_ASSERT(verdict.state == WR_TOKEN_MAC_MISMATCH || verdict.state == WR_TOKEN_UNKNOWN_KID);
    (void)caveat_judge_scope(&token, &ask);
    for (size_t i = 0; i < token.count; i++) {
        (void)caveat_judge(&token.caveats[i], &ask);
        (void)caveat_rate(&token.caveats[i]);
    }
}

static void check_item(const uint8_t *data, size_t size)
{
    struct wr_cbor cbor = wr_cbor_over(data, size);
    struct wr_cbor_span span;
    if (wr_cbor_any(&cbor, &span))
        WR_ASSERT(span.at == data && span.len > 0 && span.len <= size && !cbor.bad);
    else
        WR_ASSERT(cbor.bad);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[WR_BASE64_TEXT(INPUT_MAX)];
    if (!secret) {
        char bytes[] = "a key that no input was made of.";
        WR_ASSERT(wr_secret_new(&secret, bytes, WR_TOKEN_KEY_SIZE) == WR_OK);
    }
    if (size > INPUT_MAX)
        return -1;
    check((const char *)data, size);
    check_item(data, size);
    check(text, wr_base64_print(text, data, size));
    return 0;
}
