/* cite_test.c - a work in a line. */
#include "svc/check/cite.h"
#include "testing/report_rig.h"
#include "testing/test.h"

static char buf[512];

TEST_PLAIN(cite_writes_names_as_people_say_them)
{
    struct wr_text out = WR_TEXT(buf);
    check_cite_name(&out, &sample_ada[1]);
    CHECK_STR("J. van der Berg", out.at);
    wr_text_rewind(&out, 0);
    check_cite_name(&out, &(struct bib_name){ .family = "OpenAI" });
    CHECK_STR("OpenAI", out.at);
    wr_text_rewind(&out, 0);
    check_cite_name(&out, &(struct bib_name){ .given = "Plato" });
    CHECK_STR("Plato", out.at);
}

TEST_PLAIN(cite_says_how_many_authors_it_leaves_out)
{
    struct wr_text out = WR_TEXT(buf);
    check_cite_authors(&out, &sample_engine, 1);
    CHECK_STR("Ada Lovelace, and 1 more", out.at);
}

TEST_PLAIN(cite_says_that_others_were_left_out_already)
{
    struct wr_text out = WR_TEXT(buf);
    check_cite_authors(&out, &sample_references[1].work, 8);
    CHECK_STR("Ada Lovelace, et al.", out.at);
}

TEST_PLAIN(cite_writes_what_is_known_of_a_work)
{
    struct wr_text out = WR_TEXT(buf);
    check_cite_work(&out, &sample_engine);
    CHECK_STR("Ada Lovelace, J. van der Berg: Notes on the Engine. Scientific Memoirs, 1843.",
              out.at);
    wr_text_rewind(&out, 0);
    check_cite_work(&out, &(struct bib_work){ .year = 1900 });
    CHECK_STR("(no title). 1900.", out.at);
}

TEST_PLAIN(cite_names_the_record_and_how_alike_it_is)
{
    struct wr_text out = WR_TEXT(buf);
    check_cite_evidence(&out, &sample_evidence[1]);
    CHECK_STR("Memoirs m1, version 2026-01, title 91.7 % alike", out.at);
}

TEST_PLAIN(cite_calls_a_reference_without_title_by_what_stands_there)
{
    CHECK_STR("Notes on the engine", check_cite_title(&sample_references[0]));
    CHECK_STR("Personal communication.", check_cite_title(&sample_references[4]));
    CHECK_STR("(nothing)", check_cite_title(&(struct bib_reference){ .number = 1 }));
}
