/* secret.c - bytes that are wiped when their last user lets go. */
#include <weir/secret.h>

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "base/secret.h"

struct wr_secret {
    _Atomic uint32_t refs;
    size_t size;
    unsigned char bytes[];
};

static void put_block(void *block, size_t size)
{
    (void)size;
    free(block);
}

const struct wr_secret_heap *wr_secret_heap =
    &(const struct wr_secret_heap){ .get = malloc, .put = put_block };

wr_err wr_secret_new(struct wr_secret **ret, void *bytes, size_t size)
{
    struct wr_secret *secret = NULL;
    if (size <= SIZE_MAX - sizeof(*secret))
        secret = wr_secret_heap->get(sizeof(*secret) + size);
    if (secret) {
        atomic_init(&secret->refs, 1);
        secret->size = size;
        memcpy(secret->bytes, bytes, size);
        *ret = secret;
    }
    explicit_bzero(bytes, size);
    return secret ? WR_OK : WR_NOMEM;
}

struct wr_secret *wr_secret_ref(struct wr_secret *secret)
{
    uint32_t before = atomic_fetch_add_explicit(&secret->refs, 1, memory_order_relaxed);
    WR_ASSERT(before > 0 && before < UINT32_MAX);
    return secret;
}

void wr_secret_unref(struct wr_secret *secret)
{
    if (!secret)
        return;
    /* Release: this user's looks at the bytes come before the wipe, whoever
     * does it.  Acquire: the wipe comes after everyone's. */
    uint32_t before = atomic_fetch_sub_explicit(&secret->refs, 1, memory_order_acq_rel);
    WR_ASSERT(before > 0);
    if (before > 1)
        return;
    size_t size = sizeof(*secret) + secret->size;
    explicit_bzero(secret, size);
    wr_secret_heap->put(secret, size);
}

size_t wr_secret_size(const struct wr_secret *secret)
{
    return secret->size;
}

const void *wr_secret_bytes(const struct wr_secret *secret)
{
    return secret->bytes;
}

/* Every byte is looked at, whatever came before; volatile, so that the
 * compiler cannot leave the loop early either. */
bool wr_secret_equal(const struct wr_secret *secret, const void *bytes, size_t size)
{
    if (size != secret->size)
        return false;
    const unsigned char *other = bytes;
    volatile unsigned char differ = 0;
    for (size_t i = 0; i < size; i++)
        differ = (unsigned char)(differ | (secret->bytes[i] ^ other[i]));
    return differ == 0;
}
