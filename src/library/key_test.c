/* key_test.c - tests of key.c. */
#include "library/key.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "testing/test.h"

static size_t count_of(const struct key_list *keys, enum key_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < keys->count; i++)
        count += key_kind(keys->at[i]) == kind;
    return count;
}

/* How many keys of a kind the question has in common with the work. */
static size_t shared(const char *title, const char *question, enum key_kind kind)
{
    static struct key_list has, wants;
    size_t count = 0;
    key_of_work(&has, &(struct bib_work){ .title = title });
    key_of_question(&wants, &(struct bib_work){ .title = question });
    for (size_t i = 0; i < has.count; i++)
        for (size_t k = 0; k < wants.count && key_kind(has.at[i]) == kind; k++)
            if (has.at[i] == wants.at[k]) {
                count++;
                break;
            }
    return count;
}

#define TITLE "Structured fibers and the cost of waiting for others"

TEST_PLAIN(a_title_is_found_by_itself_in_any_dress)
{
    CHECK_EQ(1, shared(TITLE, "STRUCTURED FIBERS: and the cost of (waiting) for others!",
                       KEY_TITLE));
    CHECK_EQ(6, shared(TITLE, TITLE, KEY_SEGMENT));
    CHECK_EQ(0, shared(TITLE, "Structured fibers and the cost of waiting for all", KEY_TITLE));
}

TEST_PLAIN(a_typo_costs_one_segment_wherever_it_is)
{
    for (size_t at = 0; at < strlen(TITLE); at++) {
        char changed[160], longer[160], shorter[160];
        snprintf(changed, sizeof(changed), "%s", TITLE);
        changed[at] = 'q';
        snprintf(longer, sizeof(longer), "%.*sq%s", (int)at, TITLE, &TITLE[at]);
        snprintf(shorter, sizeof(shorter), "%.*s%s", (int)at, TITLE, &TITLE[at + 1]);
        CHECK(shared(TITLE, changed, KEY_SEGMENT) >= 5);
        CHECK(shared(TITLE, longer, KEY_SEGMENT) >= 5);
        CHECK(shared(TITLE, shorter, KEY_SEGMENT) >= 5);
    }
}

TEST_PLAIN(three_letters_lost_in_front_leave_the_segments_behind)
{
    CHECK_EQ(5, shared(TITLE, &TITLE[3], KEY_SEGMENT));
    CHECK_EQ(0, shared(TITLE, &TITLE[4], KEY_SEGMENT));
}

TEST_PLAIN(a_short_title_has_fewer_segments_and_a_long_one_more)
{
    static const struct { const char *title; size_t segments; } table[] = {
        { "abc", 1 }, { "preface", 2 }, { "advertisements", 3 }, { "Letter to the editors", 4 },
        { TITLE, 6 }, { TITLE " " TITLE " " TITLE, 8 } };
    static struct key_list keys;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        key_of_work(&keys, &(struct bib_work){ .title = table[i].title });
        CHECK_EQ(table[i].segments, count_of(&keys, KEY_SEGMENT));
    }
}

TEST_PLAIN(a_subtitle_may_be_missing_on_either_side)
{
    CHECK_EQ(1, shared("Weir: a runtime", "Weir", KEY_MAIN));
    CHECK_EQ(1, shared("Weir", "Weir: a runtime", KEY_TITLE));
    CHECK_EQ(1, shared("Weir: a runtime", "Weir - fibers and all", KEY_MAIN));
    CHECK_EQ(0, shared("Weir: a runtime", "Dam", KEY_MAIN));
}

TEST_PLAIN(words_that_say_nothing_make_no_pairs)
{
    CHECK_EQ(3, shared("fibers of the river in spring", "spring, river and fibers", KEY_WORD));
    CHECK_EQ(1, shared("cost of waiting fibers", "fibers: waiting", KEY_PAIR));
    static struct key_list keys;
    key_of_work(&keys, &(struct bib_work){ .title = TITLE });
    CHECK_EQ(5, count_of(&keys, KEY_WORD));
    CHECK_EQ(4 + 3, count_of(&keys, KEY_PAIR));
}

TEST_PLAIN(identifiers_are_keys_and_a_work_without_a_title_has_no_other)
{
    static struct key_list keys;
    key_of_work(&keys, &(struct bib_work){ .doi = "10.1/x", .arxiv_id = "10.1/x" });
    CHECK_EQ(2, keys.count);
    CHECK_EQ(KEY_DOI, key_kind(keys.at[0]));
    CHECK_EQ(KEY_ARXIV, key_kind(keys.at[1]));
    CHECK(keys.at[0] >> 3 != keys.at[1] >> 3);
    key_of_question(&keys, &(struct bib_work){ .title = "?!" });
    CHECK_EQ(0, keys.count);
}

TEST_PLAIN(no_title_has_more_keys_than_there_is_room_for)
{
    static char title[20000];
    static struct key_list keys;
    for (size_t i = 0; i + 1 < sizeof(title); i++)
        title[i] = (char)(i % 3 == 2 ? ' ' : 'a' + i % 26);
    key_of_question(&keys, &(struct bib_work){ .title = title });
    CHECK(keys.count > 200 && keys.count < KEYS_MAX);
    for (size_t i = 0; i < keys.count; i++)
        CHECK(keys.at[i] >> 40 == 0);
}
