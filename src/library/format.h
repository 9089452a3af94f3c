/* format.h - how a library lies in its file (docs/library.md has it in words).
 *
 *     header        one page: what it is, where the sections are, and their hashes
 *     records       one after the other, each behind its length (record.h)
 *     places        8 bytes a record: where in `records` it begins
 *     venues        names that many records share, each behind its length
 *     venue places  8 bytes a name
 *     buckets       4 bytes each: where in `postings` it begins; one more at the end
 *     postings      4 bytes each: a fingerprint above, the number of a record below
 *
 * All numbers are little endian.  The hash at the end of the header is over the header, which
 * has the hashes of the sections: it is the version of the whole.
 *
 * A key (key.h) is a number of 40 bits.  Its first `bucket_bits` say which bucket it is in, the
 * next 32 - id_bits are the fingerprint.  A bucket is ordered by fingerprint, then by record.
 * What is found by a key is looked at before it is believed, so fingerprints need not be long.
 */
#ifndef WR_LIBRARY_FORMAT_H
#define WR_LIBRARY_FORMAT_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"

#define FORMAT_VERSION 1
#define FORMAT_HEADER 4096
#define FORMAT_HASHED (FORMAT_HEADER - WR_HASH_SIZE)
#define FORMAT_KEY_BITS 40
#define FORMAT_ALIGN 64                     /* of sections, in the file */

/* As many records as an id can tell apart beside a fingerprint worth having. */
#define FORMAT_RECORDS_MAX (1u << 28)
#define FORMAT_POSTINGS_MAX UINT32_MAX

enum format_section {
    FORMAT_RECORDS, FORMAT_PLACES, FORMAT_VENUES, FORMAT_VENUE_PLACES, FORMAT_BUCKETS,
    FORMAT_POSTINGS, FORMAT_SECTIONS
};

struct format_range {
    uint64_t offset, size;
    struct wr_hash hash;
};

struct format_header {
    char kind[24], name[64];                /* text, zeros behind it */
    uint64_t records;
    uint32_t id_bits, bucket_bits;
    struct format_range sections[FORMAT_SECTIONS];
};

static inline uint32_t format_u32(const unsigned char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return le32toh(value);
}

static inline uint64_t format_u64(const unsigned char *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof(value));
    return le64toh(value);
}

static inline void format_put_u32(unsigned char *at, uint32_t value)
{
    value = htole32(value);
    memcpy(at, &value, sizeof(value));
}

static inline void format_put_u64(unsigned char *at, uint64_t value)
{
    value = htole64(value);
    memcpy(at, &value, sizeof(value));
}

/* The header as bytes, with its hash; `page` has FORMAT_HEADER bytes. */
void format_write(const struct format_header *header, unsigned char *page);

/* And back.  NULL: it is one, and all its sections lie in a file of `size` bytes and fit
 * one another; else what is wrong with it. */
const char *format_read(struct format_header *ret, const unsigned char *page, uint64_t size);

/* How many bits it takes to tell `count` things apart. */
uint32_t format_bits(uint64_t count);

#endif
