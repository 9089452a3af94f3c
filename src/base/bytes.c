/* bytes.c - shared bytes with a count of their holders. */
#include <weir/bytes.h>

#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "base/forget.h"

wr_err wr_bytes_new(struct wr_bytes **ret, size_t len)
{
    size_t size;
    if (__builtin_add_overflow(sizeof(struct wr_bytes) + 1, len, &size))
        return WR_NOMEM;
    struct wr_bytes *bytes = malloc(size);
    if (!bytes)
        return WR_NOMEM;
    atomic_init(&bytes->refs, 1);
    bytes->len = len;
    bytes->data[len] = 0;
    *ret = bytes;
    return WR_OK;
}

wr_err wr_bytes_copy(struct wr_bytes **ret, const void *data, size_t len)
{
    wr_err err = wr_bytes_new(ret, len);
    if (!err && len)
        memcpy((*ret)->data, data, len);
    return err;
}

struct wr_bytes *wr_bytes_ref(struct wr_bytes *bytes)
{
    if (bytes) {
        size_t before = atomic_fetch_add_explicit(&bytes->refs, 1, memory_order_relaxed);
        WR_ASSERT(before > 0);
    }
    return bytes;
}

void wr_bytes_unref(struct wr_bytes *bytes)
{
    if (!bytes)
        return;
    size_t before = atomic_fetch_sub_explicit(&bytes->refs, 1, memory_order_acq_rel);
    WR_ASSERT(before > 0);
    if (before == 1)
        wr_forget_free(bytes);
}
