#include "extract/identifier.h"

#include <string.h>

#include "testing/test.h"

static struct wr_arena arena;

static struct bib_work find(const char *text)
{
    struct bib_work work = { 0 };
    arena = WR_ARENA(1 << 16);
    extract_identifiers(&work, text, strlen(text), &arena);
    return work;
}

TEST_PLAIN(identifiers_and_addresses_are_found)
{
    struct bib_work work = find("A. Title. doi:10.1000/ABC.1, arXiv:1412.6980v2, "
                                "https://example.org/page");
    CHECK_STR("10.1000/abc.1", work.doi);
    CHECK_STR("1412.6980", work.arxiv_id);
    CHECK_EQ(1, work.url_count);
    wr_arena_free(&arena);
}

TEST_PLAIN(an_arxiv_number_that_was_torn_at_its_signs_is_found)
{
    CHECK_STR("1204.1691", find("Phys. Rev. D 85 (2012), arXiv :1204 .1691v2.").arxiv_id);
    wr_arena_free(&arena);
    CHECK_STR("hep-th/0610336", find("arXiv :hep -th/0610336").arxiv_id);
    wr_arena_free(&arena);
    CHECK_STR("hep-lat/0303003", find("220 [ hep-lat / 0303003].").arxiv_id);
    wr_arena_free(&arena);
    CHECK_STR("1601.04809", find("e-printarXiv :1601.04809").arxiv_id);
    wr_arena_free(&arena);
}

TEST_PLAIN(a_doi_that_was_torn_is_whole)
{
    CHECK_STR("10.1098/rsta.2011.0466", find("doi :10 .1098/rsta.2011.0466.").doi);
    wr_arena_free(&arena);
    CHECK_STR("10.1093/molbev/msu300", find("doi: 10.1093/molbev /msu300.").doi);
    wr_arena_free(&arena);
}

TEST_PLAIN(what_follows_a_doi_is_no_part_of_it)
{
    CHECK_STR("10.1111/ijpo.12228", find("doi: 10.1111/ijpo.12228. Epub 2017 Jul 20.").doi);
    wr_arena_free(&arena);
    CHECK_STR("10.1126/sc.11", find("doi:10.1126/sc.11.PMID:20847271.").doi);
    wr_arena_free(&arena);
}

TEST_PLAIN(a_text_without_any_has_none)
{
    struct bib_work work = find("J. Smith, A study of rivers, 1998 - 1999.");
    CHECK(!work.doi && !work.arxiv_id && work.url_count == 0);
    wr_arena_free(&arena);
}
