#include "extract/author_run.h"

#include <string.h>

#include "testing/test.h"

static struct extract_token tokens[128];
static uint8_t labels[128];

/* The text up to `bar` is of names, the rest is the title; where it should be instead. */
static void check_names(const char *text, const char *title, const char *want)
{
    struct extract_labelled it = { .text = text, .tokens = tokens, .labels = labels };
    size_t bar = (size_t)(strstr(text, title) - text);
    it.count = extract_field_tokens(tokens, 128, text, strlen(text));
    for (size_t i = 0; i < it.count; i++)
        labels[i] = tokens[i].at < bar ? EXTRACT_AUTHOR : EXTRACT_TITLE;
    extract_author_surname(&it);
    extract_author_repair(&it);
    size_t from = extract_run(&it, EXTRACT_TITLE, 0).from;
    CHECK_STR(want, text + tokens[from].at);
}

TEST_PLAIN(where_initials_have_no_stops_one_ends_the_names)
{
    check_names("Zhang C, Zhao D. Extract, Integrate, Compete", "Compete",
                "Extract, Integrate, Compete");
    check_names("Salvi G. Matching words of old: a study", "a study",
                "Matching words of old: a study");
}

TEST_PLAIN(a_surname_with_a_stop_or_a_colon_ends_the_names)
{
    check_names("J. Smith and B. Plank. Socially aware words", "aware words",
                "Socially aware words");
    check_names("Atiyah, M., Segal, G.: Twisted words of old", "of old",
                "Twisted words of old");
}

TEST_PLAIN(initials_in_the_middle_of_names_end_nothing)
{
    check_names("Diederik P. Kingma and Jimmy Ba. Adam: A method", "Adam", "Adam: A method");
    check_names("Kathleen F. McCoy, K. Shanker and G. Yang. A word", "A word", "A word");
}

TEST_PLAIN(a_word_behind_the_last_initial_is_of_the_title)
{
    check_names("Smith, J., Yao, W. Cluster analysis of words", "analysis",
                "Cluster analysis of words");
    check_names("R. Kashaev, The Yang-Baxter relation of words", "relation",
                "The Yang-Baxter relation of words");
}

TEST_PLAIN(a_surname_belongs_to_its_initials)
{
    check_names("I. Antoniadis, K. S. Narain Moduli of words", "Narain", "Moduli of words");
    check_names("R. Rivest, Adleman L. A method of words", "A method", "A method of words");
}

TEST_PLAIN(more_names_in_the_title_are_names)
{
    check_names("Ann Lee, Bo Li, Eryawan Yulian and Akmal Hanif. Words at work",
                "Eryawan", "Words at work");
    check_names("Lee MR, Smith MS, O'Leary DS: Application of words", "O'Leary",
                "Application of words");
}

TEST_PLAIN(a_body_that_signs_a_work_is_its_author)
{
    check_names("The X Study Group. Continued use of words", "The X",
                "Continued use of words");
}

TEST_PLAIN(one_name_and_its_initials_are_all_names_there_are)
{
    check_names("de Weir C. Heads of, and what they carry", "and what",
                "Heads of, and what they carry");
    check_names("Weir S. SEXTANT: Words of old books", "Words", "SEXTANT: Words of old books");
    check_names("John S. Weir and Jane Doe. Words of old", "Words", "Words of old");
}

TEST_PLAIN(a_title_like_a_name_with_initials_stays_a_title)
{
    check_names("Gan Y, Zhang Q. Natural SQL: Words of old", "Natural",
                "Natural SQL: Words of old");
}

TEST_PLAIN(names_go_on_behind_and_up_to_their_stop)
{
    check_names("Reem Weir and Ayed Doe Salman. On words of old", "Ayed", "On words of old");
    check_names("Ying Hao Lim and Suet Yan Liew. On words of old", "Ying", "On words of old");
    check_names("Sense and Sensibility. A novel of words", "Sense",
                "Sense and Sensibility. A novel of words");
}
