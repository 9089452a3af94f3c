/* index.c - keys become buckets and postings, a 256th of them at a time. */
#include <stdlib.h>
#include <string.h>

#include <weir/file.h>

#include "library/key.h"
#include "library/record.h"
#include "library/writer_int.h"

#define PER_BUCKET 4                /* postings of a bucket, about */
#define BUCKET_BITS_MIN 8           /* a part is a number of whole buckets */
#define BUCKET_BITS_MAX 30

/* So many records may have a key of this kind; one that more have says too little about any
 * of them to be worth its place.  Identifiers and whole titles are always kept. */
static const uint32_t common[KEY_KINDS] = {
    [KEY_TITLE] = UINT32_MAX, [KEY_DOI] = UINT32_MAX, [KEY_ARXIV] = UINT32_MAX,
    [KEY_MAIN] = 256, [KEY_SEGMENT] = 256, [KEY_PAIR] = 256, [KEY_WORD] = 64,
};

/* A section that is being written, piece by piece. */
struct section {
    struct spool spool;
    struct wr_hash_state hash;
};

static wr_err put_u32(struct section *section, uint32_t value)
{
    unsigned char bytes[4];
    struct spool *spool = &section->spool;
    format_put_u32(bytes, value);
    if (spool->path && spool->len == spool->cap) {
        wr_hash_add(&section->hash, spool->buf, spool->len);
        wr_err err = spool_flush(spool);
        if (err)
            return err;
    }
    return spool_add(spool, bytes, sizeof(bytes));
}

static wr_err end_section(struct library_writer *writer, struct section *section,
                          enum format_section which)
{
    struct spool *spool = &section->spool;
    wr_hash_add(&section->hash, spool->buf, spool->len);
    writer->header.sections[which] =
        (struct format_range){ .offset = spool->start, .size = spool_size(spool),
                               .hash = wr_hash_end(&section->hash) };
    return spool->path ? spool_flush(spool)
                       : writer_put(writer, spool->start, spool->buf, spool->len);
}

struct index {
    struct library_writer *writer;
    uint32_t id_bits, bucket_bits;
    struct section buckets, postings;
    uint64_t *keys, *other;         /* of one part, and room to sort them */
    size_t room;
};

/* By the key alone: the records are in order already, and stay so. */
static void sort(struct index *index, size_t count)
{
    for (unsigned shift = 32; shift < 64; shift += 8) {
        size_t starts[257] = { 0 };
        for (size_t i = 0; i < count; i++)
            starts[(index->keys[i] >> shift & 0xff) + 1]++;
        for (size_t i = 0; i < 256; i++)
            starts[i + 1] += starts[i];
        for (size_t i = 0; i < count; i++)
            index->other[starts[index->keys[i] >> shift & 0xff]++] = index->keys[i];
        uint64_t *sorted = index->other;
        index->other = index->keys;
        index->keys = sorted;
    }
}

static wr_err load(struct index *index, unsigned part, size_t *ret_count)
{
    const struct spool *spool = &index->writer->spools[WRITER_KEYS + part];
    size_t count = (size_t)(spool_size(spool) / 8);
    *ret_count = count;
    if (count > index->room) {
        free(index->keys);
        free(index->other);
        index->room = count;
        index->keys = malloc(count * 8);
        index->other = malloc(count * 8);
        if (!index->keys || !index->other)
            return WR_NOMEM;
    }
    wr_err err = spool_read(spool, 0, index->keys, count * 8);
    for (size_t i = 0; !err && i < count; i++)
        index->keys[i] = le64toh(index->keys[i]);
    return err;
}

/* The postings of one key, unless it is a common one. */
static wr_err put_run(struct index *index, size_t from, size_t to)
{
    uint64_t key = index->keys[from] >> 32;
    uint32_t print_bits = 32 - index->id_bits;
    uint32_t print = (uint32_t)(key << (24 + index->bucket_bits) >> (64 - print_bits));
    wr_err err = WR_OK;
    if (to - from > common[key & KEY_KIND_MASK])
        return WR_OK;
    for (size_t i = from; !err && i < to; i++) {
        uint32_t id = (uint32_t)index->keys[i];
        if (i > from && id == (uint32_t)index->keys[i - 1])
            continue;               /* a word that a title has twice */
        err = put_u32(&index->postings, print << index->id_bits | id);
    }
    return err;
}

static wr_err put_part(struct index *index, size_t count)
{
    uint64_t buckets = UINT64_C(1) << (index->bucket_bits - 8);
    unsigned shift = 32 + 32 - (index->bucket_bits - 8);
    size_t at = 0;
    wr_err err = WR_OK;
    for (uint64_t bucket = 0; !err && bucket < buckets; bucket++) {
        uint64_t begin = spool_size(&index->postings.spool) / 4;
        if (begin > FORMAT_POSTINGS_MAX)
            return WR_BUSY;
        err = put_u32(&index->buckets, (uint32_t)begin);
        while (!err && at < count
               && (shift < 64 ? index->keys[at] >> shift : 0) == bucket) {
            size_t end = at + 1;
            while (end < count && index->keys[end] >> 32 == index->keys[at] >> 32)
                end++;
            err = put_run(index, at, end);
            at = end;
        }
    }
    return err;
}

static wr_err put_all(struct index *index)
{
    wr_err err = WR_OK;
    for (unsigned part = 0; !err && part < WRITER_PARTS; part++) {
        size_t count = 0;
        err = load(index, part, &count);
        if (err)
            return err;
        sort(index, count);
        err = put_part(index, count);
    }
    uint64_t postings = spool_size(&index->postings.spool) / 4;
    if (!err)
        err = postings > FORMAT_POSTINGS_MAX ? WR_BUSY
                                             : put_u32(&index->buckets, (uint32_t)postings);
    if (!err)
        err = end_section(index->writer, &index->buckets, FORMAT_BUCKETS);
    if (!err)
        err = end_section(index->writer, &index->postings, FORMAT_POSTINGS);
    return err;
}

static uint32_t bits_of(const struct library_writer *writer)
{
    uint64_t keys = 0;
    for (unsigned part = 0; part < WRITER_PARTS; part++)
        keys += spool_size(&writer->spools[WRITER_KEYS + part]) / 8;
    uint32_t bits = format_bits(keys / PER_BUCKET);
    return bits < BUCKET_BITS_MIN ? BUCKET_BITS_MIN : bits > BUCKET_BITS_MAX ? BUCKET_BITS_MAX
                                                                             : bits;
}

static uint64_t aligned(uint64_t offset)
{
    return (offset + FORMAT_ALIGN - 1) / FORMAT_ALIGN * FORMAT_ALIGN;
}

wr_err index_write(struct library_writer *writer, uint64_t offset)
{
    const char *path = writer->spools[WRITER_RECORDS].path;
    struct index index = { .writer = writer, .bucket_bits = bits_of(writer) };
    uint64_t size = ((UINT64_C(1) << index.bucket_bits) + 1) * 4;
    uint32_t needed = format_bits(writer->records);
    uint32_t least = index.bucket_bits - BUCKET_BITS_MIN;   /* or a key were not long enough */
    index.id_bits = needed > least ? needed : least;
    wr_hash_begin(&index.buckets.hash);
    wr_hash_begin(&index.postings.hash);
    wr_err err = spool_open(&index.buckets.spool, path, offset, 1 << 20);
    if (!err)
        err = spool_open(&index.postings.spool, path, aligned(offset + size), 1 << 20);
    writer->header.id_bits = index.id_bits;
    writer->header.bucket_bits = index.bucket_bits;
    if (!err)
        err = put_all(&index);
    spool_close(&index.buckets.spool);
    spool_close(&index.postings.spool);
    free(index.keys);
    free(index.other);
    return err;
}
