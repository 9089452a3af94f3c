/* hash.c - BLAKE3 behind plain values. */
#include "base/hash.h"

#include <stdint.h>
#include <string.h>

#include <blake3.h>

_Static_assert(sizeof(blake3_hasher) <= sizeof(struct wr_hash_state), "the state has room");
_Static_assert(_Alignof(blake3_hasher) <= _Alignof(struct wr_hash_state), "alignment");
_Static_assert(sizeof(struct wr_hash) == BLAKE3_OUT_LEN, "the library's size");

static blake3_hasher *inner(struct wr_hash_state *state)
{
    return (blake3_hasher *)(void *)state->opaque;
}

/* The library looks up what the processor can do when it is first used, and keeps
 * it in a plain variable.  This is that first use, before there are threads. */
__attribute__((constructor)) static void look_up_processor(void)
{
    (void)wr_hash_of("", 0);
}

void wr_hash_begin(struct wr_hash_state *state)
{
    blake3_hasher_init(inner(state));
}

void wr_hash_begin_keyed(struct wr_hash_state *state, const void *key)
{
    blake3_hasher_init_keyed(inner(state), key);
}

void wr_hash_add(struct wr_hash_state *state, const void *bytes, size_t size)
{
    if (size > 0)
        blake3_hasher_update(inner(state), bytes, size);
}

struct wr_hash wr_hash_end(const struct wr_hash_state *state)
{
    struct wr_hash hash;
    blake3_hasher_finalize((const blake3_hasher *)(const void *)state->opaque, hash.bytes,
                           sizeof(hash.bytes));
    return hash;
}

void wr_hash_wipe(struct wr_hash_state *state)
{
    explicit_bzero(state, sizeof(*state));
}

struct wr_hash wr_hash_of(const void *bytes, size_t size)
{
    struct wr_hash_state state;
    wr_hash_begin(&state);
    wr_hash_add(&state, bytes, size);
    return wr_hash_end(&state);
}

struct wr_hash wr_hash_keyed(const void *key, const void *bytes, size_t size)
{
    struct wr_hash_state state;
    wr_hash_begin_keyed(&state, key);
    wr_hash_add(&state, bytes, size);
    struct wr_hash hash = wr_hash_end(&state);
    wr_hash_wipe(&state);
    return hash;
}

bool wr_hash_equal(const struct wr_hash *a, const struct wr_hash *b)
{
    volatile unsigned char differ = 0;
    for (size_t i = 0; i < WR_HASH_SIZE; i++)
        differ = (unsigned char)(differ | (a->bytes[i] ^ b->bytes[i]));
    return differ == 0;
}

/* ---- text ---- */

const char *wr_hash_print(const struct wr_hash *hash, char *buf)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < WR_HASH_SIZE; i++) {
        buf[2 * i] = digits[hash->bytes[i] >> 4];
        buf[2 * i + 1] = digits[hash->bytes[i] & 15];
    }
    buf[WR_HASH_TEXT - 1] = '\0';
    return buf;
}

const char *wr_hash_print_cid(const struct wr_hash *hash, char *buf)
{
    buf[0] = 'b';
    buf[1] = '3';
    buf[2] = ':';
    wr_hash_print(hash, buf + 3);
    return buf;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

wr_err wr_hash_parse(struct wr_hash *ret, const char *text, size_t len)
{
    struct wr_hash hash;
    if (len != WR_HASH_TEXT - 1)
        return WR_INVALID;
    for (size_t i = 0; i < WR_HASH_SIZE; i++) {
        int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return WR_INVALID;
        hash.bytes[i] = (unsigned char)(high << 4 | low);
    }
    *ret = hash;
    return WR_OK;
}

wr_err wr_hash_parse_cid(struct wr_hash *ret, const char *text, size_t len)
{
    if (len != WR_CID_TEXT - 1 || memcmp(text, "b3:", 3) != 0)
        return WR_INVALID;
    return wr_hash_parse(ret, text + 3, len - 3);
}
