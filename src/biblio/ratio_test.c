/* ratio_test.c - against the plain table of the textbook. */
#include "biblio/ratio.h"

#include <stdlib.h>
#include <string.h>

#include "testing/test.h"

#define LEN_MAX 200

static size_t longest(const char *a, size_t a_len, const char *b, size_t b_len)
{
    static size_t table[LEN_MAX + 1][LEN_MAX + 1];
    for (size_t i = 1; i <= a_len; i++)
        for (size_t j = 1; j <= b_len; j++) {
            size_t skip = table[i - 1][j] > table[i][j - 1] ? table[i - 1][j] : table[i][j - 1];
            table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1 : skip;
        }
    return table[a_len][b_len];
}

static unsigned long long state = 88172645463325252ull;

static unsigned dice(unsigned sides)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % sides;
}

static size_t random_text(char *text)
{
    size_t len = dice(LEN_MAX + 1);
    for (size_t i = 0; i < len; i++)
        text[i] = (char)('a' + dice(4));
    return len;
}

TEST_PLAIN(the_ratio_is_that_of_the_longest_common_subsequence)
{
    char a[LEN_MAX], b[LEN_MAX];
    for (int round = 0; round < test_rounds(2000); round++) {
        size_t a_len = random_text(a), b_len = random_text(b);
        if (a_len + b_len == 0)
            continue;
        size_t want = 2000 * longest(a, a_len, b, b_len) / (a_len + b_len);
        if (!CHECK_EQ(want, bib_ratio(a, a_len, b, b_len)))
            return;
    }
}

TEST_PLAIN(equal_strings_are_wholly_alike_and_disjoint_ones_not_at_all)
{
    CHECK_EQ(1000, bib_ratio("abc", 3, "abc", 3));
    CHECK_EQ(1000, bib_ratio("", 0, "", 0));
    CHECK_EQ(0, bib_ratio("abc", 3, "xyz", 3));
    CHECK_EQ(0, bib_ratio("abc", 3, "", 0));
    CHECK_EQ(933, bib_ratio("novacek", 7, "novaczek", 8));
}

TEST_PLAIN(what_is_too_long_is_compared_by_its_beginning)
{
    static char a[BIB_RATIO_MAX + 500], b[BIB_RATIO_MAX + 500];
    size_t len = sizeof(a);
    memset(a, 'x', len);
    memset(b, 'x', len);
    memset(b + BIB_RATIO_MAX, 'y', 500);
    CHECK_EQ(1000, bib_ratio(a, len, b, len));
}

static unsigned slips(const char *a, const char *b)
{
    return bib_slips(a, strlen(a), b, strlen(b), 3);
}

TEST_PLAIN(slips_are_letters_changed_added_lost_or_exchanged)
{
    CHECK_EQ(0, slips("learning", "learning"));
    CHECK_EQ(1, slips("learning", "leaning"));
    CHECK_EQ(1, slips("learning", "learrning"));
    CHECK_EQ(1, slips("learning", "laerning"));
    CHECK_EQ(1, slips("learning", "learnimg"));
    CHECK_EQ(3, slips("training", "learning"));
    CHECK_EQ(3, slips("abc", ""));
    CHECK_EQ(0, slips("", ""));
}

TEST_PLAIN(more_slips_than_asked_for_are_one_more)
{
    CHECK_EQ(2, bib_slips("training", 8, "learning", 8, 1));
    CHECK_EQ(1, bib_slips("ab", 2, "xy", 2, 0));
    CHECK_EQ(4, slips("abcd", "wxyz"));
    CHECK_EQ(4, slips("neural", "learned"));
}
