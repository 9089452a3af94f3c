#include "extract/labelled.h"

#include <string.h>

#include "testing/test.h"

static struct extract_token tokens[64];
static uint8_t labels[64];

static struct extract_labelled cut(const char *text)
{
    struct extract_labelled it = { .text = text, .tokens = tokens, .labels = labels };
    it.count = extract_field_tokens(tokens, 64, text, strlen(text));
    memset(labels, EXTRACT_OTHER, sizeof(labels));
    return it;
}

TEST_PLAIN(a_run_is_the_next_stretch_of_a_label)
{
    struct extract_labelled it = cut("A. Smith. On words. 1999.");
    extract_relabel(&it, (struct extract_span){ 4, 7 }, EXTRACT_TITLE);
    struct extract_span title = extract_run(&it, EXTRACT_TITLE, 0);
    CHECK_EQ(4, title.from);
    CHECK_EQ(7, title.to);
    CHECK_EQ(2, extract_words_in(&it, title));
    struct extract_span none = extract_run(&it, EXTRACT_TITLE, 7);
    CHECK_EQ(none.from, none.to);
}

TEST_PLAIN(signs_around_a_span_are_left_out_but_for_those_that_belong_to_it)
{
    struct extract_labelled it = cut("\"Why so (late)?\", ");
    struct extract_span span = extract_trim(&it, (struct extract_span){ 0, it.count });
    CHECK_EQ(1, span.from);
    CHECK_EQ(7, span.to);
}

TEST_PLAIN(a_word_is_known_in_any_case_and_not_behind_the_end)
{
    struct extract_labelled it = cut("In Proc");
    CHECK(extract_is(&it, 0, "in"));
    CHECK(!extract_is(&it, 1, "in"));
    CHECK(!extract_is(&it, 2, "in"));
}
