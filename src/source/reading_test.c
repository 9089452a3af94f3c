#include "source/reading.h"

#include "testing/source_rig.h"

static const char *cleaned(const char *text)
{
    pose(&source_dblp, SOURCE_BY_TITLE, "x", NULL);
    const char *clean = reading_text(&rig_reading, text, strlen(text));
    return clean ? clean : "(none)";
}

TEST_PLAIN(text_is_without_markup)
{
    CHECK_STR("a b", cleaned("  a\t\n b  "));
    CHECK_STR("H2O & more", cleaned("H<sub>2</sub>O &amp;amp; <jats:p xml:lang=\"en\">more"));
    CHECK_STR("a < b and c > d", cleaned("a < b and c &gt; d"));
    CHECK_STR("x<3", cleaned("x<3"));
    CHECK_STR("é – é", cleaned("&#233; &ndash; &#xE9;"));
    CHECK_STR("&bogus; &#; &#x110000; &#xD800;", cleaned("&bogus; &#; &#x110000; &#xD800;"));
    CHECK_STR("(none)", cleaned(" <b> </b> "));
    CHECK_STR("(none)", cleaned(""));
    CHECK_STR("&", cleaned("&"));
    CHECK_STR("a&#", cleaned("a&#"));
}

TEST_PLAIN(a_text_that_is_too_long_ends_between_two_characters)
{
    static char text[20000];
    for (size_t i = 0; i + 4 < sizeof(text); i += 3)
        memcpy(text + i, "€", sizeof("€"));
    pose(&source_dblp, SOURCE_BY_TITLE, "x", NULL);
    const char *clean = reading_text(&rig_reading, text, strlen(text));
    REQUIRE(clean);
    CHECK(strlen(clean) > 8000 && strlen(clean) <= 8192);
    CHECK_EQ(0, strlen(clean) % 3);
}

static const char *authors(const char *name)
{
    static char buf[300];
    struct bib_record record = { 0 };
    struct wr_text text = WR_TEXT(buf);
    pose(&source_dblp, SOURCE_BY_TITLE, "x", NULL);
    reading_author_name(&rig_reading, &record, name);
    for (uint32_t i = 0; i < record.work.author_count; i++)
        wr_text_format(&text, "%s|%s", record.work.authors[i].family,
                       record.work.authors[i].given ? record.work.authors[i].given : "");
    return buf;
}

TEST_PLAIN(names_come_in_either_order)
{
    CHECK_STR("Doe|Jane Q.", authors("Jane Q. Doe"));
    CHECK_STR("Doe|Jane Q.", authors("Doe, Jane Q."));
    CHECK_STR("Guo|Wenbo", authors("Wenbo Guo 0001"));
    CHECK_STR("van der Berg|Jan", authors("Jan van der Berg"));
    CHECK_STR("Plato|", authors("Plato"));
    CHECK_STR("", authors("  "));
}

TEST_PLAIN(authors_beyond_the_bound_are_others)
{
    struct bib_record record = { 0 };
    pose(&source_dblp, SOURCE_BY_TITLE, "x", NULL);
    for (int i = 0; i < SOURCE_AUTHORS_MAX; i++)
        reading_author(&rig_reading, &record, "Doe", "J.");
    CHECK_EQ(SOURCE_AUTHORS_MAX, record.work.author_count);
    CHECK(!record.work.et_al);
    reading_author(&rig_reading, &record, "Doe", "J.");
    CHECK_EQ(SOURCE_AUTHORS_MAX, record.work.author_count);
    CHECK(record.work.et_al);
    CHECK_STR("Doe", record.work.authors[SOURCE_AUTHORS_MAX - 1].family);
}

TEST_PLAIN(years_are_found_in_dates)
{
    CHECK_EQ(1999, reading_year_of("June 1999"));
    CHECK_EQ(2023, reading_year_of("2023-08-14"));
    CHECK_EQ(0, reading_year_of("12345"));
    CHECK_EQ(2001, reading_year_of("12345 2001"));
    CHECK_EQ(0, reading_year_of(""));
    CHECK_EQ(0, reading_year_of(NULL));
}

static const char *doi(const char *text)
{
    pose(&source_dblp, SOURCE_BY_TITLE, "x", NULL);
    const char *found = reading_doi(&rig_reading, text);
    return found ? found : "(none)";
}

static const char *arxiv(const char *text)
{
    pose(&source_dblp, SOURCE_BY_TITLE, "x", NULL);
    const char *found = reading_arxiv_id(&rig_reading, text);
    return found ? found : "(none)";
}

TEST_PLAIN(identifiers_are_bare_and_in_lower_case)
{
    CHECK_STR("10.1000/abc", doi("https://doi.org/10.1000/ABC"));
    CHECK_STR("(none)", doi("10.1000"));
    CHECK_STR("(none)", doi("11.1000/x"));
    CHECK_STR("2403.00108", arxiv("http://arxiv.org/abs/2403.00108v2"));
    CHECK_STR("2403.00108", arxiv("2403.00108"));
    CHECK_STR("(none)", arxiv("hello"));
    CHECK_STR("(none)", arxiv(NULL));
}

TEST_PLAIN(json_that_nests_too_deep_or_has_too_much_is_not_read)
{
    static char text[READING_VALUES_MAX + 100];
    pose(&source_dblp, SOURCE_BY_TITLE, "x", NULL);
    memset(text, '[', READING_DEPTH_MAX + 1);
    CHECK(!reading_json(&rig_reading, text, READING_DEPTH_MAX + 1));
    CHECK_STR("DBLP: sent no JSON: it nests too deep", rig_reading.why);
    memset(text, ',', sizeof(text));
    CHECK(!reading_json(&rig_reading, text, sizeof(text)));
    CHECK_STR("DBLP: sent no JSON: it has too many values", rig_reading.why);
    const char *quoted = "{\"a\":\"\\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"}";
    json_t *json = reading_json(&rig_reading, quoted, strlen(quoted));
    CHECK(json);
    json_decref(json);
}

static const char *words(const char *title, unsigned max)
{
    static char buf[300];
    struct wr_text text = WR_TEXT(buf);
    request_words(&text, title, max, "+");
    return buf;
}

TEST_PLAIN(words_of_a_title_are_those_that_say_most)
{
    CHECK_STR("Quiet+Rivers+Water-borne+Don%27t+L1", words("The Quiet Rivers of "
                                                           "Water-borne Don't "
                                                           "in an L1", 6));
    CHECK_STR("Quiet+Rivers", words("Quiet Rivers of Water", 2));
    CHECK_STR("On+the+Go", words("On the Go", 6));
    CHECK_STR("M%C3%BCller+%E6%B0%B4+Rivers", words("Müller: 水 Rivers", 6));
    CHECK_STR("", words("--- ... !", 6));
    CHECK_STR("", words("", 6));
}
