#include "base/ulid.h"

#include <string.h>

#include "base/world.h"
#include "testing/test.h"

static int64_t wall;

static int64_t read_wall(void)
{
    return wall;
}

static void at(int64_t ns)
{
    static struct wr_world world;
    world = *wr_world;
    world.wall = read_wall;
    wall = ns;
    wr_world = &world;
}

TEST_PLAIN(the_first_ten_characters_are_the_time)
{
    const struct wr_world *before = wr_world;
    struct wr_rand rand;
    char text[WR_ULID_TEXT];
    wr_rand_seed(&rand, 1);
    static const struct { int64_t ns; const char *want; } times[] = {
        { 0, "0000000000" },
        { 999999, "0000000000" },
        { 1000000, "0000000001" },
        { 1469922850259000000, "01ARZ3NDEK" },
        { -5, "0000000000" },
    };
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        at(times[i].ns);
        wr_ulid_make(&rand, text);
        CHECK_EQ(26, strlen(text));
        CHECK_EQ(26, strspn(text, "0123456789ABCDEFGHJKMNPQRSTVWXYZ"));
        text[10] = '\0';
        CHECK_STR(times[i].want, text);
    }
    wr_world = before;
}

TEST_PLAIN(later_ones_sort_behind)
{
    const struct wr_world *before = wr_world;
    struct wr_rand rand;
    char last[WR_ULID_TEXT] = "", text[WR_ULID_TEXT];
    wr_rand_seed(&rand, 2);
    for (int64_t ms = 1; ms < 1000; ms++) {
        at(ms * ms * ms * 1000000);
        CHECK(strcmp(last, wr_ulid_make(&rand, text)) < 0);
        memcpy(last, text, sizeof(last));
    }
    wr_world = before;
}

TEST_PLAIN(every_random_character_takes_every_value)
{
    struct wr_rand rand;
    char text[WR_ULID_TEXT];
    uint32_t seen[26] = { 0 };
    static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    wr_rand_seed(&rand, 3);
    for (int i = 0; i < 1000; i++) {
        wr_ulid_make(&rand, text);
        for (int place = 10; place < 26; place++)
            seen[place] |= 1u << (strchr(digits, text[place]) - digits);
    }
    for (int place = 10; place < 26; place++)
        CHECK_EQ(UINT32_MAX, seen[place]);
}

TEST_PLAIN(the_same_seed_gives_the_same_name)
{
    const struct wr_world *before = wr_world;
    struct wr_rand rand;
    char a[WR_ULID_TEXT], b[WR_ULID_TEXT];
    at(1469922850259000000);
    wr_rand_seed(&rand, 4);
    wr_ulid_make(&rand, a);
    wr_rand_seed(&rand, 4);
    CHECK_STR(a, wr_ulid_make(&rand, b));
    CHECK(strcmp(a, wr_ulid_make(&rand, b)) != 0);
    wr_world = before;
}
