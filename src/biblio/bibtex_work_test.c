/* bibtex_work_test.c - entries of a .bib file as works. */
#include <string.h>

#include "biblio/bibtex.h"
#include "testing/test.h"

static struct wr_arena arena = WR_ARENA((size_t)8 << 20);
static struct bib_references references;

static const struct bib_reference *reference(const char *text)
{
    static const struct bib_reference none;
    struct bibtex_file file;
    wr_arena_free(&arena);
    if (!CHECK_OK(bibtex_parse(text, strlen(text), &arena, &file))
        || !CHECK_OK(bibtex_references(text, &file, &arena, &references))
        || !CHECK(references.count > 0))
        return &none;
    return &references.at[0];
}

static const struct bib_work *work(const char *text)
{
    return &reference(text)->work;
}

TEST_PLAIN(an_article_is_read_whole)
{
    const struct bib_reference *ref =
        reference("\n@article{shannon48, author = {Shannon, Claude E.},\n title = {A "
                  "Mathematical Theory of "
                  "Communication},\n journal = {Bell System Technical Journal}, volume = 27,\n"
                  " pages = {379--423}, year = 1948, doi = "
                  "{https://doi.org/10.1002/J.1538-7305.1948.TB01338.X}}");
    CHECK_STR("shannon48", ref->key);
    CHECK_EQ(1, ref->number);
    CHECK_EQ(2, ref->line);
    CHECK_EQ(5, ref->line_end);
    CHECK_EQ(BIB_ARTICLE, ref->work.kind);
    CHECK_STR("A Mathematical Theory of Communication", ref->work.title);
    CHECK_STR("Bell System Technical Journal", ref->work.venue);
    CHECK_EQ(1, ref->work.author_count);
    CHECK_STR("Shannon", ref->work.authors[0].family);
    CHECK_EQ(1948, ref->work.year);
    CHECK_STR("27", ref->work.volume);
    CHECK_STR("379–423", ref->work.pages);
    CHECK_STR("10.1002/j.1538-7305.1948.tb01338.x", ref->work.doi);
    CHECK(strncmp(ref->raw, "@article{shannon48, author = {Shannon, Claude E.}, title =",
                  58) == 0);
    CHECK(!ref->skip);
}

TEST_PLAIN(a_file_without_entries_has_no_references)
{
    struct wr_arena empty = WR_ARENA((size_t)1 << 20);
    CHECK_OK(bibtex_references("", &(struct bibtex_file){ 0 }, &empty, &references));
    CHECK_EQ(0, references.count);
    wr_arena_free(&empty);
}

TEST_PLAIN(a_short_title_is_no_reason_to_skip)
{
    CHECK(!reference("@misc{k, title={GPT}}")->skip);
    CHECK(!reference("@misc{k, doi={10.1000/1}}")->skip);
    CHECK_STR("it has neither a title nor an identifier",
              reference("@misc{k, year=2000}")->skip);
}

TEST_PLAIN(an_arxiv_number_is_found_wherever_people_put_it)
{
    CHECK_STR("1706.03762",
              work("@misc{k, title={T}, eprint={1706.03762v5}, "
                   "archivePrefix={arXiv}}")
                  ->arxiv_id);
    CHECK_STR("1706.03762", work("@misc{k, title={T}, eprint={1706.03762}}")->arxiv_id);
    CHECK_STR("1706.03762",
              work("@article{k, journal={arXiv preprint arXiv:1706.03762}}")->arxiv_id);
    CHECK_STR("1706.03762",
              work("@article{k, journal={CoRR}, volume={abs/1706.03762}}")->arxiv_id);
    CHECK_STR("1706.03762",
              work("@misc{k, url={https://arxiv.org/pdf/1706.03762.pdf}}")->arxiv_id);
    CHECK_STR("1706.03762",
              work("@misc{k, "
                   "howpublished={\\url{http://arxiv.org/abs/1706.03762}}}")
                  ->arxiv_id);
    CHECK(!work("@misc{k, title={T}, eprint={12345}, eprinttype={jstor}}")->arxiv_id);
}

TEST_PLAIN(a_preprint_is_known_by_its_venue)
{
    CHECK_EQ(BIB_PREPRINT,
             work("@article{k, title={T}, journal={arXiv preprint arXiv:1706.03762}}")->kind);
    CHECK_EQ(BIB_PREPRINT, work("@misc{k, title={T}, eprint={1706.03762}}")->kind);
    CHECK_EQ(BIB_PAPER,
             work("@inproceedings{k, title={T}, booktitle={NIPS}, eprint={1706.03762}}")->kind);
}

TEST_PLAIN(a_doi_in_another_field_is_found)
{
    CHECK_STR("10.1145/1.2", work("@misc{k, url={https://dl.acm.org/doi/10.1145/1.2}}")->doi);
    CHECK_STR("10.1145/1_2", work("@misc{k, doi={10.1145/1\\_2}}")->doi);
    CHECK_STR("10.1145/1.2", work("@misc{k, note={doi: 10.1145/1.2}}")->doi);
}

TEST_PLAIN(addresses_are_kept_once)
{
    const struct bib_work *web = work("@misc{k, title={T}, url={http://a.b/~c_d}, "
                                      "howpublished={\\url{http://a.b/~c_d}}}");
    CHECK_EQ(1, web->url_count);
    CHECK_STR("http://a.b/~c_d", web->urls[0]);
    CHECK_EQ(BIB_WEB, web->kind);
    CHECK(!web->venue);
}

TEST_PLAIN(the_venue_depends_on_what_it_is)
{
    CHECK_STR("MIT", work("@phdthesis{k, title={T}, school={MIT}}")->venue);
    CHECK_STR("Springer", work("@book{k, title={T}, publisher={Springer}}")->venue);
    CHECK_STR("STOC",
              work("@inproceedings{k, title={T}, booktitle={STOC}, publisher={ACM}}")->venue);
    CHECK_STR("J. X",
              work("@article{k, title={T}, journaltitle={J. X}, publisher={ACM}}")->venue);
    CHECK_STR("CERN", work("@techreport{k, title={T}, institution={CERN}}")->venue);
    CHECK_STR("Blog", work("@misc{k, title={T}, howpublished={Blog}}")->venue);
}

TEST_PLAIN(a_year_is_found_in_what_people_write)
{
    CHECK_EQ(2019, work("@misc{k, date={2019-05-01}}")->year);
    CHECK_EQ(1987, work("@misc{k, year={c. 1987}}")->year);
    CHECK_EQ(2020, work("@misc{k, year={2020a}}")->year);
    CHECK_EQ(2012, work("@misc{k, year={2012/2013}}")->year);
    CHECK_EQ(0, work("@misc{k, year={to appear}}")->year);
    CHECK_EQ(0, work("@misc{k, year={12345}}")->year);
}

TEST_PLAIN(an_entry_takes_over_from_the_one_it_refers_to)
{
    const struct bib_work *paper =
        work("@inproceedings{p, title={Paper}, author={A B}, crossref={Proc}}\n"
             "@proceedings{proc, title={Proceedings of X}, year=1999, editor={C D}, "
             "publisher={P}, doi={10.1000/9}}");
    CHECK_STR("Paper", paper->title);
    CHECK_STR("Proceedings of X", paper->venue);
    CHECK_EQ(1999, paper->year);
    CHECK(!paper->doi);
    REQUIRE(references.count == 2);
    CHECK_STR("D", references.at[1].work.authors[0].family);
    CHECK_EQ(2, references.at[1].number);
}

TEST_PLAIN(entries_that_refer_to_each_other_do_not_go_round_for_ever)
{
    CHECK_STR("A", work("@misc{a, title={A}, crossref={b}} @misc{b, crossref={a}}")->title);
    CHECK_STR("A", work("@misc{a, title={A}, crossref={a}}")->title);
    CHECK_STR("A", work("@misc{a, title={A}, crossref={none}}")->title);
}

TEST_PLAIN(a_subtitle_belongs_to_the_title)
{
    CHECK_STR("Main: Sub", work("@book{k, title={Main}, subtitle={Sub}}")->title);
    CHECK_STR("The Book", work("@book{k, booktitle={The Book}}")->title);
}

TEST_PLAIN(the_editors_of_a_book_stand_for_authors)
{
    CHECK_EQ(1, work("@book{k, title={T}, editor={A B}}")->author_count);
    CHECK_EQ(0, work("@inproceedings{k, title={T}, editor={A B}}")->author_count);
}

TEST_PLAIN(a_long_entry_is_kept_in_part)
{
    static char text[40000] = "@misc{k, title={T}, abstract={";
    size_t len = strlen(text);
    while (len < sizeof(text) - 4)
        len += (size_t)(stpcpy(text + len, "é") - (text + len));
    memcpy(text + len, "}}", 3);
    const char *raw = reference(text)->raw;
    size_t kept = strlen(raw);
    CHECK(kept > 8180 && kept <= 8192);
    CHECK_STR("é", raw + kept - 2);
}
