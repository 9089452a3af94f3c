#include "base/base64.h"

#include <string.h>

#include "base/rand.h"
#include "testing/test.h"

static const char *print(const char *bytes, size_t size)
{
    static char buf[64];
    CHECK_EQ(WR_BASE64_TEXT(size) - 1, wr_base64_print(buf, bytes, size));
    return buf;
}

/* The examples of RFC 4648 section 10, without their padding. */
TEST_PLAIN(texts_are_those_of_the_standard)
{
    CHECK_STR("", print("", 0));
    CHECK_STR("Zg", print("f", 1));
    CHECK_STR("Zm8", print("fo", 2));
    CHECK_STR("Zm9v", print("foo", 3));
    CHECK_STR("Zm9vYg", print("foob", 4));
    CHECK_STR("Zm9vYmE", print("fooba", 5));
    CHECK_STR("Zm9vYmFy", print("foobar", 6));
    CHECK_STR("-_-_", print("\xfb\xff\xbf", 3));
}

TEST_PLAIN(what_was_written_is_read_again)
{
    struct wr_rand rand;
    unsigned char bytes[100], back[100];
    char text[WR_BASE64_TEXT(100)];
    wr_rand_seed(&rand, 1);
    for (int round = 0; round < 1000; round++) {
        size_t size = wr_rand_below(&rand, 101), got;
        for (size_t i = 0; i < size; i++)
            bytes[i] = (unsigned char)wr_rand_next(&rand);
        size_t len = wr_base64_print(text, bytes, size);
        REQUIRE_OK(wr_base64_parse(&got, back, size, text, len));
        CHECK_EQ(size, got);
        CHECK(memcmp(bytes, back, size) == 0);
    }
}

TEST_PLAIN(another_text_of_the_same_bytes_is_refused)
{
    static const char *const wrong[] = {
        "Z", "Zg==", "Zh", "Zm9", "Zm9vY", "Zm 9v", "Zm9v\n", "+/+/", "Zm.v",
        "\xff\xff\xff\xff",
    };
    unsigned char bytes[16];
    size_t size;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        CHECK_ERR(WR_INVALID, wr_base64_parse(&size, bytes, 16, wrong[i], strlen(wrong[i])));
}

TEST_PLAIN(more_than_fits_is_refused_before_it_is_read)
{
    unsigned char bytes[3] = { 1, 2, 3 };
    size_t size;
    CHECK_ERR(WR_NOMEM, wr_base64_parse(&size, bytes, 2, "Zm9v", 4));
    CHECK_EQ(1, bytes[0]);
    CHECK_OK(wr_base64_parse(&size, bytes, 3, "Zm9v", 4));
}
