/* spool.c - bytes added to a file. */
#include "library/spool.h"

#include <stdlib.h>
#include <string.h>

#include <weir/file.h>

wr_err spool_open(struct spool *ret, const char *path, uint64_t start, size_t buffer)
{
    *ret = (struct spool){ .path = path ? strdup(path) : NULL, .start = start,
                           .buf = malloc(buffer), .cap = buffer };
    if (ret->buf && (ret->path || !path))
        return WR_OK;
    spool_close(ret);
    return WR_NOMEM;
}

void spool_close(struct spool *spool)
{
    free(spool->path);
    free(spool->buf);
    *spool = (struct spool){ 0 };
}

uint64_t spool_size(const struct spool *spool)
{
    return spool->flushed + spool->len;
}

static wr_err put(struct spool *spool, const void *bytes, size_t len)
{
    wr_err err = wr_file_write_part(spool->path, spool->start + spool->flushed, bytes, len,
                                    WR_NEVER);
    if (!err)
        spool->flushed += len;
    return err;
}

wr_err spool_flush(struct spool *spool)
{
    if (spool->len == 0 || !spool->path)
        return WR_OK;
    wr_err err = put(spool, spool->buf, spool->len);
    if (!err)
        spool->len = 0;
    return err;
}

static wr_err grow(struct spool *spool, size_t len)
{
    size_t room = 2 * (spool->len + len);
    if (spool->len + len > SPOOL_MEMORY_MAX)
        return WR_NOMEM;
    unsigned char *grown = realloc(spool->buf, room);
    if (!grown)
        return WR_NOMEM;
    spool->buf = grown;
    spool->cap = room;
    return WR_OK;
}

wr_err spool_add(struct spool *spool, const void *bytes, size_t len)
{
    if (len > spool->cap - spool->len && !spool->path) {
        wr_err err = grow(spool, len);
        if (err)
            return err;
    }
    if (len > spool->cap - spool->len) {
        wr_err err = spool_flush(spool);
        if (err)
            return err;
    }
    if (len > spool->cap)
        return put(spool, bytes, len);
    memcpy(spool->buf + spool->len, bytes, len);
    spool->len += len;
    return WR_OK;
}

wr_err spool_read(const struct spool *spool, uint64_t offset, void *ret, size_t len)
{
    size_t got = 0, in_file = 0;
    if (offset > spool_size(spool) || len > spool_size(spool) - offset)
        return WR_IO;
    if (offset < spool->flushed)
        in_file = len < spool->flushed - offset ? len : (size_t)(spool->flushed - offset);
    if (in_file > 0) {
        wr_err err = wr_file_read_part(&got, ret, in_file, spool->path, spool->start + offset,
                                       WR_NEVER);
        if (err)
            return err;
        if (got != in_file)
            return WR_IO;
    }
    if (len > in_file)
        memcpy((char *)ret + in_file, spool->buf + (offset + in_file - spool->flushed),
               len - in_file);
    return WR_OK;
}
