/* format_test.c - tests of format.c. */
#include "library/format.h"

#include "testing/test.h"

static struct format_header sample(void)
{
    struct format_header header = { .kind = "acl", .name = "ACL", .records = 3, .id_bits = 2,
                                    .bucket_bits = 8 };
    header.sections[FORMAT_PLACES] = (struct format_range){ .offset = 4096, .size = 24 };
    header.sections[FORMAT_BUCKETS] = (struct format_range){ .offset = 4160, .size = 1028 };
    header.sections[FORMAT_POSTINGS] = (struct format_range){ .offset = 6000, .size = 40 };
    return header;
}

/* What a file with this header is told. */
static const char *told(const struct format_header *header, uint64_t size)
{
    unsigned char page[FORMAT_HEADER];
    struct format_header back;
    format_write(header, page);
    return format_read(&back, page, size);
}

TEST_PLAIN(a_header_is_read_as_it_was_written)
{
    unsigned char page[FORMAT_HEADER];
    struct format_header header = sample(), back = { .records = 0 };
    format_write(&header, page);
    CHECK(!format_read(&back, page, 6040));
    CHECK(memcmp(&header, &back, sizeof(back)) == 0);
}

TEST_PLAIN(a_header_of_which_one_bit_is_another_is_refused)
{
    unsigned char page[FORMAT_HEADER];
    struct format_header header = sample(), back;
    format_write(&header, page);
    for (size_t i = 0; i < FORMAT_HEADER; i += 7) {
        page[i] ^= 4;
        CHECK(format_read(&back, page, 6040) != NULL);
        page[i] ^= 4;
    }
}

TEST_PLAIN(sections_that_do_not_lie_in_the_file_are_refused)
{
    struct format_header header = sample();
    CHECK(!told(&header, 6040));
    CHECK(told(&header, 6039) != NULL);
    CHECK(told(&header, 100) != NULL);
    header.sections[FORMAT_VENUES].offset = UINT64_MAX - 3;
    header.sections[FORMAT_VENUES].size = 8;
    CHECK(told(&header, 6040) != NULL);
}

TEST_PLAIN(sections_that_do_not_fit_what_is_counted_are_refused)
{
    struct format_header header = sample();
    header.records = 4;
    CHECK(told(&header, 6040) != NULL);
    header = sample();
    header.bucket_bits = 9;
    CHECK(told(&header, 6040) != NULL);
    header = sample();
    header.id_bits = 1;
    CHECK(told(&header, 6040) != NULL);
    header = sample();
    memset(header.name, 'x', sizeof(header.name));
    CHECK(told(&header, 6040) != NULL);
}

TEST_PLAIN(so_many_things_are_told_apart_by_so_many_bits)
{
    CHECK_EQ(1, format_bits(0));
    CHECK_EQ(1, format_bits(2));
    CHECK_EQ(2, format_bits(3));
    CHECK_EQ(23, format_bits(8000000));
    CHECK_EQ(23, format_bits(1 << 23));
}
