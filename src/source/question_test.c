#include "testing/source_rig.h"

static const char *questions(const struct source_driver *driver, bool keyed,
                             const struct bib_work *work)
{
    static char buf[500];
    struct source_question list[SOURCE_QUESTIONS_MAX];
    struct wr_text text = WR_TEXT(buf);
    wr_arena_free(&rig_arena);
    size_t count = source_questions(driver, keyed, work, &rig_arena, list);
    for (size_t i = 0; i < count; i++)
        wr_text_format(&text, "%s%s %s%s", i ? ", " : "", source_by_name(list[i].by),
                       list[i].text, list[i].always ? " always" : "");
    return buf;
}

#define WORK(...) \
    &(const struct bib_work) \
    { \
        __VA_ARGS__ \
    }

TEST_PLAIN(defect_4_identifiers_are_asked_for_always_and_titles_until_found)
{
    CHECK_STR("doi 10.1000/x always, title T",
              questions(&source_crossref, false, WORK(.title = "T", .doi = "10.1000/x")));
    CHECK_STR("doi 10.1000/x always", questions(&source_doi, false, WORK(.doi = "10.1000/x")));
    CHECK_STR("arxiv_id 2403.00108 always, title T",
              questions(&source_arxiv, false, WORK(.title = "T", .arxiv_id = "2403.00108")));
    CHECK_STR("title T", questions(&source_crossref, false, WORK(.title = "T")));
    CHECK_STR("", questions(&source_doi, false, WORK(.title = "T")));
}

TEST_PLAIN(one_identifier_is_enough_where_none_must_be_asked_for)
{
    CHECK_STR("doi 10.1000/x, title T",
              questions(&source_semantic_scholar, false,
                        WORK(.title = "T", .doi = "10.1000/x", .arxiv_id = "2403.00108")));
    CHECK_STR("arxiv_id 2403.00108, title T",
              questions(&source_semantic_scholar, false,
                        WORK(.title = "T", .arxiv_id = "2403.00108")));
}

TEST_PLAIN(without_a_key_only_what_is_free_is_asked)
{
    CHECK_STR("doi 10.1000/x",
              questions(&source_openalex, false, WORK(.title = "T", .doi = "10.1000/x")));
    CHECK_STR("doi 10.1000/x, title T",
              questions(&source_openalex, true, WORK(.title = "T", .doi = "10.1000/x")));
}

#define URL(url) .urls = (const char *const[]){ url }, .url_count = 1

TEST_PLAIN(numbers_of_rfcs_are_found_where_they_stand)
{
    CHECK_STR("rfc 9110 always",
              questions(&source_rfc_editor, false, WORK(.title = "RFC 9110")));
    CHECK_STR("rfc 9110 always",
              questions(&source_rfc_editor, false, WORK(.venue = "RFC 9110")));
    CHECK_STR("rfc 9110 always",
              questions(&source_rfc_editor, false, WORK(.doi = "10.17487/rfc9110")));
    CHECK_STR("rfc 9110 always",
              questions(&source_rfc_editor, false,
                        WORK(URL("https://www.rfc-editor.org/rfc/rfc9110.html"))));
    CHECK_STR("", questions(&source_rfc_editor, false, WORK(.title = "Surfc 9110")));
}

TEST_PLAIN(numbers_of_eprints_are_found_where_they_stand)
{
    CHECK_STR("eprint 2023/1234 always",
              questions(&source_eprint, false, WORK(URL("https://eprint.iacr.org/2023/"
                                                        "1234.pdf"))));
    CHECK_STR("eprint 2023/1234 always",
              questions(&source_eprint, false,
                        WORK(.venue = "Cryptology ePrint Archive, Paper 2023/1234")));
    CHECK_STR("", questions(&source_eprint, false, WORK(URL("https://eprint.iacr.org/about"))));
}

TEST_PLAIN(ids_of_the_anthology_are_found_where_they_stand)
{
    CHECK_STR("acl 2020.acl-main.1",
              questions(&source_acl, false, WORK(.doi = "10.18653/v1/2020.acl-main.1")));
    CHECK_STR("acl 2020.acl-main.1",
              questions(&source_acl, false, WORK(URL("https://aclanthology.org/"
                                                     "2020.acl-main.1/"))));
}

TEST_PLAIN(a_forum_is_found_in_its_address)
{
    CHECK_STR("forum aB_c-9, title T",
              questions(&source_openreview, false,
                        WORK(.title = "T", URL("https://openreview.net/forum?id=aB_c-9"))));
}

TEST_PLAIN(each_address_of_a_page_is_asked_about)
{
    static const char *const urls[] = { "ftp://a.example/", "https://a.example/", "HTTP://b/",
                                        "http://c/", "http://d/" };
    CHECK_STR("url https://a.example/, url HTTP://b/, url http://c/",
              questions(&source_wayback, false, WORK(.title = "T", .urls = urls,
                                                     .url_count = 5)));
}

TEST_PLAIN(a_paper_is_not_looked_for_among_pages)
{
    CHECK_STR("", questions(&source_alive, false,
                            WORK(.kind = BIB_PAPER, URL("https://a.example/"))));
    CHECK_STR("", questions(&source_wayback, false,
                            WORK(.doi = "10.1000/x", URL("https://a.example/"))));
}
