/* title_run_test.c - what is done about labels that are wrong in known ways.
 *
 * A text is written with its labels: "{a}Smith J. {t}On words. {j}Nature {d}1999". */
#include "extract/title_run.h"

#include <stdio.h>
#include <string.h>

#include "testing/test.h"

static const struct { char letter; enum extract_field label; } marks[] = {
    { 'a', EXTRACT_AUTHOR }, { 't', EXTRACT_TITLE }, { 'b', EXTRACT_BOOK },
    { 'j', EXTRACT_JOURNAL }, { 'd', EXTRACT_DATE }, { 'v', EXTRACT_VOLUME },
    { 'p', EXTRACT_PUBLISHER }, { 'o', EXTRACT_OTHER }, { 'e', EXTRACT_EDITOR },
    { 'n', EXTRACT_NOTE }, { 'i', EXTRACT_INSTITUTION },
};

static char text[1024];
static struct extract_token tokens[256];
static uint8_t labels[256], of_byte[1024];

static enum extract_field label_of(char letter)
{
    for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
        if (marks[i].letter == letter)
            return marks[i].label;
    return EXTRACT_OTHER;
}

static struct extract_labelled labelled(const char *marked)
{
    struct extract_labelled it = { .text = text, .tokens = tokens, .labels = labels };
    enum extract_field label = EXTRACT_OTHER;
    size_t len = 0;
    for (; *marked; marked++) {
        if (marked[0] == '{' && marked[2] == '}') {
            label = label_of(marked[1]);
            marked += 2;
            continue;
        }
        of_byte[len] = (uint8_t)label;
        text[len++] = *marked;
    }
    text[len] = '\0';
    it.count = extract_field_tokens(tokens, 256, text, len);
    for (size_t i = 0; i < it.count; i++)
        labels[i] = of_byte[tokens[i].at];
    return it;
}

/* What is taken for the title. */
static void check_title(const char *marked, const char *want)
{
    struct extract_labelled it = labelled(marked);
    char got[1024] = "";
    bool is_book;
    extract_title_repair(&it);
    struct extract_span title = extract_title_run(&it, &is_book);
    if (title.to > title.from) {
        size_t from = tokens[title.from].at;
        size_t to = tokens[title.to - 1].at + tokens[title.to - 1].len;
        memcpy(got, text + from, to - from);
    }
    CHECK_STR(want, got);
}

TEST_PLAIN(what_is_quoted_is_the_title_and_nothing_else)
{
    check_title("{a}J. Smith, {t}\"Words: one {v}2, {t}and more?\" Nature News, {d}1999",
                "Words: one 2, and more?");
    check_title("{a}J. Smith ({t}Bell Labs). \"Words of old,\" {j}Nature {d}1999",
                "Words of old");
    check_title("{a}J. Smith. {t}Finding \"weak ties\" by counting words. {j}Nature {d}1999",
                "Finding \"weak ties\" by counting words");
}

TEST_PLAIN(a_title_is_one_whatever_its_numbers_look_like)
{
    check_title("{a}Smith J. {t}Of words {j}4, {v}13, {t}and 5 by their order. {j}Nature",
                "Of words 4, 13, and 5 by their order");
    check_title("{a}Smith J. {t}Words of donors {b}(in Italian). {j}Clin Ter {d}1996",
                "Words of donors (in Italian)");
}

TEST_PLAIN(a_title_does_not_end_inside_a_word_or_with_a_word_that_leads_on)
{
    check_title("{a}J. Smith, {t}The Words Re-{i}Formed, {p}Brill, {d}1996",
                "The Words Re-Formed");
    check_title("{a}Smith J. {t}Late words of {j}Dictyostelium. Development {d}1999",
                "Late words of Dictyostelium");
    check_title("{a}J. Smith. {t}Words {b}: a survey. {d}1999", "Words : a survey");
}

TEST_PLAIN(a_title_stops_where_more_is_told_about_the_work)
{
    check_title("{a}J. Smith. {t}On words. To appear in Nature. {d}1999", "On words");
    check_title("{a}J. Smith. {t}On words. Technical Report 12. {d}1999", "On words");
    check_title("{a}J. Smith. {t}On words. In Proc. of X, {d}1999", "On words");
    check_title("{a}J. Smith. {t}Old words technical report {d}1999",
                "Old words technical report");
}

TEST_PLAIN(what_stands_between_the_names_and_in_is_the_title)
{
    check_title("{a}J. Smith. {b}Aware words: {t}more of them. {o}In {e}Nature, {d}2025",
                "Aware words: more of them");
}

TEST_PLAIN(a_volume_without_a_journal_means_that_the_title_has_it)
{
    check_title("{a}Smith J, Yao W. {t}Models of words. Surg Infect. {d}2016; {v}17",
                "Models of words");
    check_title("{a}Smith J, Yao W. {t}Models of words. And more of them. {d}2016",
                "Models of words. And more of them");
}

TEST_PLAIN(what_a_publisher_brings_out_is_the_work)
{
    check_title("{a}J. Jackson, {j}Classical Words, {p}Wiley, {d}1998", "Classical Words");
    check_title("{a}A. Turing. {j}On Computable Numbers. {d}1936", "On Computable Numbers");
    check_title("{a}A. Turing. {j}Proc Lond Math Soc {v}42 {d}1936", "");
}
