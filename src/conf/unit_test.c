/* unit_test.c - tests of unit.c. */
#include "conf/unit.h"

#include "testing/test.h"

static const char *printed(void (*print)(struct wr_text *, int64_t), int64_t value)
{
    static char buf[32];
    struct wr_text text = WR_TEXT(buf);
    print(&text, value);
    return buf;
}

TEST_PLAIN(a_duration_is_digits_and_a_unit)
{
    static const struct { const char *text; int64_t ns; } good[] = {
        { "0ms", 0 }, { "1ms", WR_MS(1) }, { "90s", WR_S(90) }, { "2m", WR_S(120) },
        { "1h", WR_S(3600) }, { "2562047h", WR_S(3600) * 2562047 },
    };
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        int64_t ns = -1;
        CHECK(wr_unit_duration(&ns, good[i].text));
        CHECK_EQ(good[i].ns, ns);
    }
    static const char *const bad[] = { "", "5", "s", "-1s", "+1s", "1.5s", " 1s", "1 s", "1S",
                                       "1sec", "2562048h", "99999999999999999999s", "1d" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        int64_t ns;
        CHECK(!wr_unit_duration(&ns, bad[i]));
    }
}

TEST_PLAIN(a_size_is_digits_with_or_without_a_unit)
{
    static const struct { const char *text; int64_t size; } good[] = {
        { "0", 0 }, { "7", 7 }, { "7B", 7 }, { "2KB", 2000 }, { "2KiB", 2048 },
        { "3MB", 3000000 }, { "3MiB", 3 << 20 }, { "1GB", 1000000000 }, { "1GiB", 1 << 30 },
        { "7EiB", 7ll << 60 }, { "9223372036854775807", INT64_MAX },
    };
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        int64_t size = -1;
        CHECK(wr_unit_size(&size, good[i].text));
        CHECK_EQ(good[i].size, size);
    }
    static const char *const bad[] = { "", "KiB", "-1", "1kb", "1K", "1.5MiB", "1 MiB", "8EiB",
                                       "9223372036854775808", "0x10" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        int64_t size;
        CHECK(!wr_unit_size(&size, bad[i]));
    }
}

TEST_PLAIN(permits_are_a_number_or_a_multiple_of_the_processors_of_at_least_two)
{
    int64_t permits = 0;
    CHECK(wr_unit_permits(&permits, "1", 8) && permits == 1);
    CHECK(wr_unit_permits(&permits, "4xCPU", 8) && permits == 32);
    CHECK(wr_unit_permits(&permits, "1xCPU", 1) && permits == 2);
    CHECK(wr_unit_permits(&permits, "2147483647", 1));
    static const char *const bad[] = { "", "0", "0xCPU", "xCPU", "CPU", "-1", "1xcpu",
                                       "1.5xCPU",
                                       "2147483648", "4611686018427387904xCPU" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        CHECK(!wr_unit_permits(&permits, bad[i], 4));
}

TEST_PLAIN(an_integer_is_decimal_and_fits)
{
    int64_t value = 0;
    CHECK(wr_unit_int(&value, "-12") && value == -12);
    CHECK(wr_unit_int(&value, "9223372036854775807") && value == INT64_MAX);
    static const char *const bad[] = { "", "-", "--1", "1a", " 1", "9223372036854775808" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        CHECK(!wr_unit_int(&value, bad[i]));
}

TEST_PLAIN(what_is_printed_has_the_largest_unit_without_a_rest)
{
    CHECK_STR("0ms", printed(wr_unit_print_duration, 0));
    CHECK_STR("1500ms", printed(wr_unit_print_duration, WR_MS(1500)));
    CHECK_STR("90s", printed(wr_unit_print_duration, WR_S(90)));
    CHECK_STR("2m", printed(wr_unit_print_duration, WR_S(120)));
    CHECK_STR("0B", printed(wr_unit_print_size, 0));
    CHECK_STR("1000B", printed(wr_unit_print_size, 1000));
    CHECK_STR("3KiB", printed(wr_unit_print_size, 3072));
    CHECK_STR("1EiB", printed(wr_unit_print_size, 1ll << 60));
}
