#include "base/cbor.h"

#include <stdio.h>
#include <string.h>

#include "testing/test.h"

static unsigned char bytes[256];

static size_t unhex(const char *hex)
{
    size_t len = 0;
    for (; hex[2 * len]; len++) {
        unsigned value;
        sscanf(hex + 2 * len, "%2x", &value);
        bytes[len] = (unsigned char)value;
    }
    return len;
}

/* Whether the reader takes it as one whole item. */
static bool takes(const char *hex)
{
    struct wr_cbor cbor = wr_cbor_over(bytes, unhex(hex));
    struct wr_cbor_span span;
    bool took = wr_cbor_any(&cbor, &span) && wr_cbor_done(&cbor);
    CHECK(took || cbor.bad || cbor.at < cbor.end);
    return took;
}

/* ---- the examples of RFC 8949, appendix A ---- */

TEST_PLAIN(numbers_are_written_and_read_in_their_shortest_form)
{
    static const struct { uint64_t value; const char *hex; } numbers[] = {
        { 0, "00" }, { 1, "01" }, { 23, "17" }, { 24, "1818" }, { 255, "18ff" },
        { 256, "190100" }, { 1000, "1903e8" }, { 65535, "19ffff" }, { 65536, "1a00010000" },
        { 1000000, "1a000f4240" }, { UINT32_MAX, "1affffffff" },
        { (uint64_t)UINT32_MAX + 1, "1b0000000100000000" },
        { 1000000000000, "1b000000e8d4a51000" }, { UINT64_MAX, "1bffffffffffffffff" },
    };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        unsigned char buf[16];
        struct wr_cbor_out out = { .at = buf, .cap = sizeof(buf) };
        wr_cbor_put_uint(&out, numbers[i].value);
        size_t len = unhex(numbers[i].hex);
        CHECK_EQ(len, out.len);
        CHECK(memcmp(bytes, buf, len) == 0);
        struct wr_cbor cbor = wr_cbor_over(bytes, len);
        uint64_t value = 0;
        CHECK(wr_cbor_uint(&cbor, &value) && wr_cbor_done(&cbor));
        CHECK(value == numbers[i].value);
    }
}

TEST_PLAIN(what_has_one_form_is_taken)
{
    static const char *const good[] = {
        "20", "3863", "3903e7", "f4", "f5", "f6", "40", "4401020304", "60", "6161",
        "6449455446", "62c3bc", "63e6b0b4", "64f0908591", "80", "83010203",
        "8301820203820405", "a0", "a201020304", "a26161016162820203",
    };
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        CHECK(takes(good[i]));
    CHECK(!takes("8080"));              /* two of them */
}

TEST_PLAIN(longer_forms_are_refused)
{
    static const char *const wrong[] = {
        "1817", "1900ff", "1a0000ffff", "1b00000000ffffffff", "5800", "780161", "980101",
        "b801", "3817",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        CHECK(!takes(wrong[i]));
}

TEST_PLAIN(lengths_that_come_afterwards_tags_and_floats_are_refused)
{
    static const char *const wrong[] = {
        "5f42010243030405ff", "7f657374726561646d696e67ff", "9fff", "bfff", "c074", "d81845",
        "f90000", "fa47c35000", "fb3ff199999999999a", "f7", "f0", "f818", "ff", "1c", "1f",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        CHECK(!takes(wrong[i]));
}

TEST_PLAIN(keys_out_of_order_or_twice_are_refused)
{
    CHECK(takes("a2616101616202"));
    CHECK(!takes("a2616201616102"));
    CHECK(!takes("a2616101616102"));
    CHECK(takes("a261620162616102"));       /* the shorter key first */
    CHECK(!takes("a262616102616201"));
}

TEST_PLAIN(what_ends_too_early_is_refused)
{
    static const char *const wrong[] = {
        "", "18", "19ff", "1a000f42", "41", "6261", "8201", "a101", "a1", "9affffffff",
        "5bffffffffffffffff", "9bffffffffffffffff",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        CHECK(!takes(wrong[i]));
}

TEST_PLAIN(text_that_is_not_utf8_is_refused)
{
    static const char *const wrong[] = {
        "6180", "61ff", "62c080", "62c1bf", "61c3", "63e08080", "63eda080", "64f0808080",
        "64f4908080", "64f5808080", "63e6b0", "62c320",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        CHECK(!takes(wrong[i]));
    CHECK(takes("41ff"));               /* as bytes it may be anything */
    CHECK(takes("63ed9fbf"));
    CHECK(takes("64f48fbfbf"));
}

TEST_PLAIN(what_lies_too_deep_is_refused)
{
    CHECK(takes("8181818181818101"));
    CHECK(!takes("818181818181818101"));
}

/* ---- typed reading ---- */

TEST_PLAIN(an_item_of_another_kind_makes_the_rest_bad)
{
    uint64_t number;
    struct wr_cbor cbor = wr_cbor_over(bytes, unhex("616101"));
    CHECK(!wr_cbor_uint(&cbor, &number));
    CHECK(cbor.bad);
    CHECK(!wr_cbor_uint(&cbor, &number));
    CHECK(!wr_cbor_done(&cbor));
}

TEST_PLAIN(a_map_is_written_and_read_key_by_key)
{
    struct wr_cbor_out out = { .at = bytes, .cap = sizeof(bytes) };
    struct wr_cbor_span text, raw;
    size_t count;
    bool truth = false;
    wr_cbor_put_map(&out, 3);
    wr_cbor_put_key(&out, "a");
    wr_cbor_put_bool(&out, true);
    wr_cbor_put_key(&out, "b");
    wr_cbor_put_bytes(&out, "xyz", 3);
    wr_cbor_put_key(&out, "c");
    wr_cbor_put_array(&out, 1);
    wr_cbor_put_text(&out, "t", 1);
    struct wr_cbor cbor = wr_cbor_over(bytes, out.len);
    CHECK(wr_cbor_map(&cbor, &count) && count == 3);
    CHECK(wr_cbor_key(&cbor, "a") && wr_cbor_bool(&cbor, &truth) && truth);
    CHECK(wr_cbor_key(&cbor, "b") && wr_cbor_bytes(&cbor, &text) && text.len == 3);
    CHECK(wr_cbor_is(&cbor, 3) && !wr_cbor_is(&cbor, 4));
    CHECK(wr_cbor_key(&cbor, "c") && wr_cbor_any(&cbor, &raw) && raw.len == 3);
    CHECK(wr_cbor_done(&cbor));
    cbor = wr_cbor_over(bytes, out.len);
    CHECK(wr_cbor_any(&cbor, &raw) && wr_cbor_done(&cbor));
    cbor = wr_cbor_over(bytes, out.len);
    CHECK(wr_cbor_map(&cbor, &count) && !wr_cbor_key(&cbor, "b") && cbor.bad);
}

TEST_PLAIN(what_does_not_fit_is_left_out_and_said)
{
    unsigned char small[4];
    struct wr_cbor_out out = { .at = small, .cap = sizeof(small) };
    wr_cbor_put_text(&out, "abc", 3);
    CHECK(!out.cut);
    wr_cbor_put_uint(&out, 1);
    CHECK(out.cut);
    CHECK_EQ(4, out.len);
}
