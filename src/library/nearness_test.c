/* nearness_test.c - tests of nearness.c. */
#include "library/nearness.h"

#include <string.h>

#include "testing/test.h"

static unsigned between(const char *one, const char *other)
{
    static struct nearness near;
    nearness_to(&near, one, strlen(one));
    return nearness_of(&near, other, strlen(other));
}

/* The same by the book. */
static unsigned slowly(const char *one, const char *other)
{
    static unsigned rows[2][600];
    size_t n = strlen(one), m = strlen(other);
    memset(rows, 0, sizeof(rows));
    for (size_t i = 1; i <= n; i++)
        for (size_t k = 1; k <= m; k++) {
            unsigned left = rows[i % 2][k - 1], above = rows[(i - 1) % 2][k];
            rows[i % 2][k] = one[i - 1] == other[k - 1] ? rows[(i - 1) % 2][k - 1] + 1
                : left > above ? left : above;
        }
    return (unsigned)(2 * rows[n % 2][m] * NEARNESS_SAME / (n + m));
}

TEST_PLAIN(the_same_text_is_nearest_and_another_alphabet_farthest)
{
    CHECK_EQ(10000, between("abc", "abc"));
    CHECK_EQ(0, between("abc", "xyz"));
    CHECK_EQ(10000, between("", ""));
    CHECK_EQ(0, between("abc", ""));
    CHECK_EQ(9333, between("novacek", "novaczek"));
}

TEST_PLAIN(it_is_what_it_would_be_by_the_book_at_every_length)
{
    static char one[513], other[513];
    for (size_t len = 1; len < 513; len += 13) {
        for (size_t i = 0; i < len; i++) {
            one[i] = (char)('a' + i * i % 7);
            other[i] = (char)('a' + i * 3 % 5);
        }
        one[len] = '\0';
        other[len / 2 + 1] = '\0';
        CHECK_EQ(slowly(one, other), between(one, other));
    }
}

TEST_PLAIN(of_longer_texts_the_beginnings_count)
{
    static char one[700], other[700];
    memset(one, 'a', 699);
    memset(other, 'a', 512);
    memset(other + 512, 'b', 187);
    CHECK_EQ(10000, between(one, other));
}
