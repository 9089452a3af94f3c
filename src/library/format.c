/* format.c - the header of a library, written and read. */
#include "library/format.h"

#include <stdbool.h>

static const unsigned char magic[] = { 'w', 'e', 'i', 'r', 'l', 'i', 'b', '\n' };

/* Where things are in the header. */
enum {
    AT_VERSION = 8, AT_RECORDS = 16, AT_ID_BITS = 24, AT_BUCKET_BITS = 28, AT_KIND = 32,
    AT_NAME = 64, AT_SECTIONS = 128, SECTION_SIZE = 16 + WR_HASH_SIZE
};

void format_write(const struct format_header *header, unsigned char *page)
{
    memset(page, 0, FORMAT_HEADER);
    memcpy(page, magic, sizeof(magic));
    format_put_u32(page + AT_VERSION, FORMAT_VERSION);
    format_put_u64(page + AT_RECORDS, header->records);
    format_put_u32(page + AT_ID_BITS, header->id_bits);
    format_put_u32(page + AT_BUCKET_BITS, header->bucket_bits);
    memcpy(page + AT_KIND, header->kind, sizeof(header->kind));
    memcpy(page + AT_NAME, header->name, sizeof(header->name));
    for (size_t i = 0; i < FORMAT_SECTIONS; i++) {
        unsigned char *at = page + AT_SECTIONS + i * SECTION_SIZE;
        bool empty = header->sections[i].size == 0;     /* and nowhere */
        format_put_u64(at, empty ? 0 : header->sections[i].offset);
        format_put_u64(at + 8, header->sections[i].size);
        memcpy(at + 16, &header->sections[i].hash, WR_HASH_SIZE);
    }
    struct wr_hash hash = wr_hash_of(page, FORMAT_HASHED);
    memcpy(page + FORMAT_HASHED, &hash, sizeof(hash));
}

static bool is_text(const char *text, size_t size)
{
    return text[0] && text[size - 1] == '\0';
}

/* Whether the sections have the sizes that follow from what the header counts. */
static bool fits(const struct format_header *header)
{
    const struct format_range *at = header->sections;
    return header->records <= FORMAT_RECORDS_MAX && header->id_bits <= 28
        && header->records <= UINT64_C(1) << header->id_bits
        && header->bucket_bits <= 32
        && header->bucket_bits + 32 - header->id_bits <= FORMAT_KEY_BITS
        && at[FORMAT_PLACES].size == header->records * 8
        && at[FORMAT_VENUE_PLACES].size % 8 == 0
        && at[FORMAT_BUCKETS].size == ((UINT64_C(1) << header->bucket_bits) + 1) * 4
        && at[FORMAT_POSTINGS].size % 4 == 0
        && at[FORMAT_POSTINGS].size / 4 <= FORMAT_POSTINGS_MAX;
}

const char *format_read(struct format_header *ret, const unsigned char *page, uint64_t size)
{
    if (size < FORMAT_HEADER || memcmp(page, magic, sizeof(magic)) != 0)
        return "it is no library: it does not begin as one";
    if (format_u32(page + AT_VERSION) != FORMAT_VERSION)
        return "it was built by another version of this program; build it again";
    struct wr_hash hash = wr_hash_of(page, FORMAT_HASHED);
    if (memcmp(page + FORMAT_HASHED, &hash, sizeof(hash)) != 0)
        return "its header is damaged; build it again";
    *ret = (struct format_header){ .records = format_u64(page + AT_RECORDS),
                                   .id_bits = format_u32(page + AT_ID_BITS),
                                   .bucket_bits = format_u32(page + AT_BUCKET_BITS) };
    memcpy(ret->kind, page + AT_KIND, sizeof(ret->kind));
    memcpy(ret->name, page + AT_NAME, sizeof(ret->name));
    for (size_t i = 0; i < FORMAT_SECTIONS; i++) {
        const unsigned char *at = page + AT_SECTIONS + i * SECTION_SIZE;
        struct format_range *range = &ret->sections[i];
        range->offset = format_u64(at);
        range->size = format_u64(at + 8);
        memcpy(&range->hash, at + 16, WR_HASH_SIZE);
        if (range->offset > size || range->size > size - range->offset)
            return "its end is missing; copy or build it again";
    }
    if (!is_text(ret->kind, sizeof(ret->kind)) || !is_text(ret->name, sizeof(ret->name))
        || !fits(ret))
        return "its header says what cannot be; build it again";
    return NULL;
}

uint32_t format_bits(uint64_t count)
{
    uint32_t bits = 1;
    while (bits < 63 && (UINT64_C(1) << bits) < count)
        bits++;
    return bits;
}
