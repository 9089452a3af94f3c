#include "svc/queue/novelty.h"

#include <stdio.h>
#include <string.h>

#include "testing/test.h"

#define TIDES "The tides of the sea are caused by the gravity of the moon."

static int add(struct novelty *novelty, const char *text)
{
    return novelty_add(novelty, text, strlen(text));
}

TEST_PLAIN(what_nobody_has_said_is_new_and_then_it_is_not)
{
    struct novelty *novelty = novelty_new();
    CHECK_EQ(1000, add(novelty, TIDES));
    CHECK_EQ(0, add(novelty, TIDES));
    CHECK_EQ(500, novelty_share(novelty));
    novelty_free(novelty);
}

TEST_PLAIN(case_and_punctuation_make_nothing_new)
{
    struct novelty *novelty = novelty_new();
    CHECK_EQ(1000, add(novelty, TIDES));
    CHECK_EQ(0, add(novelty, "the TIDES of the sea, are caused (by the gravity) of the moon"));
    novelty_free(novelty);
}

TEST_PLAIN(another_order_is_new)
{
    struct novelty *novelty = novelty_new();
    CHECK_EQ(1000, add(novelty, "one two three four five"));
    CHECK_EQ(1000, add(novelty, "five four three two one"));
    CHECK_EQ(500, add(novelty, "one two three four five six"));
    novelty_free(novelty);
}

TEST_PLAIN(a_text_of_less_than_five_words_says_nothing)
{
    struct novelty *novelty = novelty_new();
    CHECK_EQ(-1, add(novelty, "one two three four"));
    CHECK_EQ(-1, add(novelty, ""));
    CHECK_EQ(-1, novelty_share(novelty));
    novelty_free(novelty);
}

TEST_PLAIN(after_a_hundred_thousand_runs_what_is_new_is_still_seen)
{
    static char text[NOVELTY_WORDS_MAX * 8];
    struct novelty *novelty = novelty_new();
    int share = 0;
    for (size_t page = 0; page < 26; page++) {
        size_t len = 0;
        for (size_t i = 0; i < NOVELTY_WORDS_MAX; i++)
            len += (size_t)snprintf(text + len, sizeof(text) - len, "w%zu ",
                                    page * NOVELTY_WORDS_MAX + i);
        share = novelty_add(novelty, text, len);
    }
    CHECK(share > 880);
    CHECK_EQ(0, novelty_add(novelty, text, strlen(text)));
    novelty_free(novelty);
}
