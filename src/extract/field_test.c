#include "extract/field.h"

#include <string.h>

#include "testing/test.h"

#define MAX 256

static struct extract_token tokens[MAX];
static uint8_t labels[MAX];

static size_t label(const char *text)
{
    struct extract_chain chain;
    size_t count = extract_tokens(tokens, MAX, text, strlen(text));
    extract_field_chain(&chain);
    CHECK_OK(extract_field_label(&chain, tokens, count, labels));
    return count;
}

/* The label of the token where `part` begins. */
static int label_of(const char *text, const char *part)
{
    size_t at = (size_t)(strstr(text, part) - text), count = label(text);
    for (size_t i = 0; i < count; i++) {
        if (tokens[i].at == at)
            return labels[i];
    }
    return -1;
}

static const char article[] = "J. Smith and A. Jones, \"A study of small rivers,\" Water "
                              "Resources Research, vol. 12, no. 3, pp. 45-67, 1998.";

TEST_PLAIN(the_parts_of_an_article_are_told_apart)
{
    CHECK_EQ(EXTRACT_AUTHOR, label_of(article, "Smith"));
    CHECK_EQ(EXTRACT_AUTHOR, label_of(article, "Jones"));
    CHECK_EQ(EXTRACT_TITLE, label_of(article, "study"));
    CHECK_EQ(EXTRACT_TITLE, label_of(article, "rivers"));
    CHECK_EQ(EXTRACT_JOURNAL, label_of(article, "Resources"));
    CHECK_EQ(EXTRACT_VOLUME, label_of(article, "12"));
    CHECK_EQ(EXTRACT_ISSUE, label_of(article, "3,"));
    CHECK_EQ(EXTRACT_PAGES, label_of(article, "45"));
    CHECK_EQ(EXTRACT_DATE, label_of(article, "1998"));
}

TEST_PLAIN(the_book_a_paper_is_in_is_not_its_title)
{
    static const char text[] = "Mary Poe. 2011. Counting sheep at scale. In Proceedings of the "
                               "12th Workshop on Animals, pages 1-9. ACM, New York.";
    CHECK_EQ(EXTRACT_TITLE, label_of(text, "sheep"));
    CHECK_EQ(EXTRACT_BOOK, label_of(text, "Workshop"));
    CHECK_EQ(EXTRACT_PUBLISHER, label_of(text, "ACM"));
}

TEST_PLAIN(a_text_of_no_tokens_has_no_labels)
{
    CHECK_EQ(0, label(""));
}

TEST_PLAIN(every_label_is_one_of_those_that_have_a_name)
{
    size_t count = label("]](( 12 ;; zzz \x80\xff 9999999 \"\" // et al");
    for (size_t i = 0; i < count; i++)
        CHECK(labels[i] < EXTRACT_FIELDS && extract_field_names[labels[i]]);
}
