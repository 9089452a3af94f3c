/* fix_test.c - what is changed in a .bib file, and what is not. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/rand.h"
#include "biblio/bibtex.h"
#include "svc/check/fix.h"
#include "testing/test.h"

#define MISMATCHES(...) \
    (const struct bib_mismatch[]) \
    { \
        __VA_ARGS__ \
    }

static const struct bib_name lovelace[] = { { "Lovelace", "Ada" }, { "van der Berg", "Jan" } };

static const struct bib_work engine = {
    .title = "Notes on the Engine", .year = 1843, .venue = "Memoirs & Notes",
    .authors = lovelace, .author_count = 2, .doi = "10.1000/engine", .arxiv_id = "2403.00108",
};

/* A document, and what is said of it. */
struct bench {
    struct wr_arena arena;
    struct bibtex_file file;
    struct bib_references references;
    struct check_evidence evidence;
    struct check_finding findings[8];
    struct check_report report;
    struct check_fixed count;
    struct wr_text out;
};

/* All references are verified until a test says otherwise. */
static void open_bench(struct bench *it, const char *bib)
{
    *it = (struct bench){ .arena = WR_ARENA(1 << 24), .out = wr_text_heap(1 << 20) };
    it->evidence = (struct check_evidence){ .source = "Memoirs", .id = "m1", .work = &engine,
                                            .similarity = 950 };
    REQUIRE_OK(bibtex_parse(bib, strlen(bib), &it->arena, &it->file));
    REQUIRE_OK(bibtex_references(bib, &it->file, &it->arena, &it->references));
    REQUIRE(it->references.count <= 8);
    for (size_t i = 0; i < it->references.count; i++)
        it->findings[i] = (struct check_finding){
            .reference = &it->references.at[i], .evidence = &it->evidence, .evidence_count = 1,
        };
    it->report = (struct check_report){ .file = "a.bib", .findings = it->findings,
                                        .count = it->references.count };
}

static void close_bench(struct bench *it)
{
    wr_text_free(&it->out);
    wr_arena_free(&it->arena);
}

static void differ(struct bench *it, size_t i, const struct bib_mismatch *mismatches,
                   size_t count)
{
    it->findings[i].verdict.outcome = BIB_MISMATCH;
    it->findings[i].verdict.mismatches = mismatches;
    it->findings[i].verdict.mismatch_count = count;
}

static const struct bib_mismatch year_differs = { BIB_FIELD_YEAR, "1844", "1843" };

static void fix(struct bench *it, const char *bib)
{
    wr_text_rewind(&it->out, 0);
    CHECK_OK(check_fix(&it->out, &it->report, bib, strlen(bib), &it->count));
}

/* One entry that differs in these ways, as it is afterwards. */
static void check_fixed(const char *want, const char *bib,
                        const struct bib_mismatch *mismatches, size_t count)
{
    struct bench it;
    open_bench(&it, bib);
    differ(&it, 0, mismatches, count);
    fix(&it, bib);
    CHECK_STR(want, it.out.at);
    close_bench(&it);
}

/* ---- what is changed ---- */

TEST_PLAIN(fix_replaces_a_value_and_leaves_every_other_byte)
{
    check_fixed("% a comment\n@string{x = \"y\"}\n\n"
                "% weir: year was 1844; now as in Memoirs m1\n"
                "@Article{ engine ,\n  Title = {{Notes} on the Engine},\n\tauthor=\"Ada "
                "Lovelace and van der Berg, Jan\",\n  year   =   1843 ,   % odd\n  journal = x "
                "# \" z\"\n}\n\ntrailing",
                "% a comment\n@string{x = \"y\"}\n\n"
                "@Article{ engine ,\n  Title = {{Notes} on the Engine},\n\tauthor=\"Ada "
                "Lovelace and van der Berg, Jan\",\n  year   =   1844 ,   % odd\n  journal = x "
                "# \" z\"\n}\n\ntrailing",
                &year_differs, 1);
}

TEST_PLAIN(fix_replaces_every_field_that_differs)
{
    check_fixed("% weir: title was Notes on the Motor; journal was Mem; year was "
                "1844; doi was 10.1000/motor; eprint was 2403.00109; now as in "
                "Memoirs m1\n"
                "@article{a, author={Ada Lovelace and Jan van der Berg}, title={Notes on the "
                "Engine}, journal={Memoirs \\& Notes}, year={1843}, doi={10.1000/engine}, "
                "eprint={2403.00108}}\n",
                "@article{a, author={Ada Lovelace and Jan van der Berg}, title={Notes on the "
                "Motor}, journal=mem, year={1844}, doi={https://doi.org/10.1000/motor}, "
                "eprint={2403.00109}}\n",
                MISMATCHES({ BIB_FIELD_DOI, "10.1000/motor", "10.1000/engine" },
                           { BIB_FIELD_TITLE, "Notes on the Motor", "Notes on the Engine" },
                           { BIB_FIELD_VENUE, "Mem", "Memoirs & Notes" },
                           { BIB_FIELD_ARXIV_ID, "2403.00109", "2403.00108" },
                           { BIB_FIELD_YEAR, "1844", "1843" }), 5);
}

TEST_PLAIN(fix_replaces_authors_where_the_doi_leads_to_the_work)
{
    check_fixed("% weir: author was E. Example; now as in Memoirs m1\n"
                "@article{a, title={Notes on the Engine}, doi={10.1000/engine}, "
                "author={Lovelace, Ada and van der Berg, Jan}}\n",
                "@article{a, title={Notes on the Engine}, doi={10.1000/engine}, "
                "author={Example, E.}}\n",
                MISMATCHES({ BIB_FIELD_AUTHORS, "E. Example", "Ada Lovelace" }), 1);
}

TEST_PLAIN(fix_keeps_quotes_and_dates_and_ends_of_lines)
{
    check_fixed("% weir: date was 1844; now as in Memoirs m1\r\n"
                "@article{a, title={Notes on the Engine}, author={A. Lovelace},\r\n"
                "date = \"1843\"}\r\n",
                "@article{a, title={Notes on the Engine}, author={A. Lovelace},\r\n"
                "date = \"1844-05-01\"}\r\n",
                &year_differs, 1);
}

TEST_PLAIN(fix_puts_its_line_before_an_entry_that_begins_none)
{
    const char *bib =
        "@book{b, title={B}} "
        "@article{a, title={Notes on the Engine}, author={A. Lovelace}, year=1844}";
    struct bench it;
    open_bench(&it, bib);
    differ(&it, 1, &year_differs, 1);
    fix(&it, bib);
    CHECK_STR("@book{b, title={B}} \n% weir: year was 1844; now as in Memoirs m1\n"
              "@article{a, title={Notes on the Engine}, author={A. Lovelace}, year=1843}",
              it.out.at);
    close_bench(&it);
}

/* ---- what is left ---- */

#define ENTRY "@article{a, title={Notes on the Engine}, author={A. Lovelace}, year=1844}\n"

static void check_left(const struct bench *it, const char *bib)
{
    CHECK_STR(bib, it->out.at);
    CHECK_EQ(0, it->count.fields);
    CHECK_EQ(0, it->count.entries);
}

TEST_PLAIN(fix_leaves_what_is_verified_not_found_or_undecided)
{
    static const enum bib_outcome outcomes[] = { BIB_VERIFIED, BIB_NOT_FOUND, BIB_INCONCLUSIVE,
                                                 BIB_SKIPPED };
    struct bench it;
    open_bench(&it, ENTRY);
    for (size_t i = 0; i < 4; i++) {
        differ(&it, 0, &year_differs, 1);
        it.findings[0].verdict.outcome = outcomes[i];
        fix(&it, ENTRY);
        check_left(&it, ENTRY);
    }
    close_bench(&it);
}

TEST_PLAIN(fix_leaves_a_work_that_is_less_alike)
{
    struct bench it;
    open_bench(&it, ENTRY);
    differ(&it, 0, &year_differs, 1);
    it.evidence.similarity = CHECK_FIX_ALIKE - 1;
    fix(&it, ENTRY);
    check_left(&it, ENTRY);
    CHECK_EQ(1, it.count.left);
    close_bench(&it);
}

TEST_PLAIN(fix_leaves_a_work_whose_authors_differ_and_no_identifier_leads_to)
{
    struct bench it;
    open_bench(&it, ENTRY);
    differ(&it, 0, MISMATCHES(year_differs, { BIB_FIELD_AUTHORS, "A. Lovelace", "x" }), 2);
    fix(&it, ENTRY);
    check_left(&it, ENTRY);
    CHECK_EQ(2, it.count.left);
    close_bench(&it);
}

TEST_PLAIN(fix_does_not_follow_an_identifier_of_another_work)
{
    const char *bib = "@article{a, title={Notes}, doi={10.1000/engine}, author={B. Other}, "
                      "year=1844}\n";
    struct bench it;
    open_bench(&it, bib);
    differ(&it, 0, MISMATCHES(year_differs, { BIB_FIELD_AUTHORS, "B. Other", "x" }), 2);
    it.findings[0].verdict.flags = BIB_FLAG(FOREIGN_IDENTIFIER);
    fix(&it, bib);
    check_left(&it, bib);
    close_bench(&it);
}

TEST_PLAIN(fix_leaves_a_file_that_the_report_is_not_of)
{
    const char *other = "@article{a, title={Notes on the Engine}, year=1900}\n";
    struct bench it;
    open_bench(&it, ENTRY);
    differ(&it, 0, &year_differs, 1);
    fix(&it, other);
    check_left(&it, other);
    fix(&it, "@article{b, title={Notes on the Engine}, year=1844}\n");
    CHECK_EQ(0, it.count.fields);
    fix(&it, "\n" ENTRY);
    CHECK_EQ(0, it.count.fields);
    close_bench(&it);
}

TEST_PLAIN(fix_adds_no_field_that_is_not_there)
{
    const char *bib = "@article{a, title={Notes on the Engine}, author={A. Lovelace}}\n";
    struct bench it;
    open_bench(&it, bib);
    differ(&it, 0, &year_differs, 1);
    fix(&it, bib);
    check_left(&it, bib);
    close_bench(&it);
}

TEST_PLAIN(fix_leaves_what_was_found_in_another_record_than_the_first)
{
    struct bench it;
    open_bench(&it, ENTRY);
    differ(&it, 0, MISMATCHES({ BIB_FIELD_YEAR, "1844", "1845" }), 1);
    fix(&it, ENTRY);
    check_left(&it, ENTRY);
    close_bench(&it);
}

TEST_PLAIN(fix_writes_only_ascii_into_a_file_that_is_no_utf8)
{
    const char *bib = "@article{a, title={Notes on the Engin\xe9}, author={A. Lovelace}, "
                      "year=1844}\n";
    struct bib_work accented = engine;
    accented.title = "Notes on the Engin\u00e9";
    struct bench it;
    open_bench(&it, bib);
    it.evidence.work = &accented;
    differ(&it, 0, MISMATCHES(year_differs, { BIB_FIELD_TITLE, "x", accented.title }), 2);
    fix(&it, bib);
    CHECK_STR("% weir: year was 1844; now as in Memoirs m1\n"
              "@article{a, title={Notes on the Engin\xe9}, author={A. Lovelace}, year=1843}\n",
              it.out.at);
    CHECK_EQ(1, it.count.left);
    close_bench(&it);
}

TEST_PLAIN(fix_begins_no_entry_in_its_line)
{
    const char *bib = "@article{a, title={@misc{x} of y}, author={A. Lovelace}}\n";
    struct bench it;
    open_bench(&it, bib);
    differ(&it, 0,
           MISMATCHES({ BIB_FIELD_TITLE, "@misc{x} \n@of \"y\"", "Notes on the Engine" }), 1);
    fix(&it, bib);
    CHECK_STR("% weir: title was (at)misc(x)  (at)of 'y'; now as in Memoirs m1\n"
              "@article{a, title={Notes on the Engine}, author={A. Lovelace}}\n", it.out.at);
    close_bench(&it);
}

TEST_PLAIN(fix_writes_no_line_into_an_entry_that_nobody_closed)
{
    const char *bib = "@book{b, title={B},\n  year = 1990\n" ENTRY;
    struct bench it;
    open_bench(&it, bib);
    REQUIRE(it.report.count == 2);
    differ(&it, 1, &year_differs, 1);
    fix(&it, bib);
    CHECK_STR("@book{b, title={B},\n  year = 1990\n"
              "@article{a, title={Notes on the Engine}, author={A. Lovelace}, year=1843}\n",
              it.out.at);
    close_bench(&it);
}

TEST_PLAIN(fix_leaves_a_title_that_has_a_subtitle)
{
    const char *bib = "@article{a, title={Notes: on}, subtitle={on}, author={A. Lovelace}}\n";
    struct bench it;
    open_bench(&it, bib);
    differ(&it, 0, MISMATCHES({ BIB_FIELD_TITLE, "Notes: on", "Notes on the Engine" }), 1);
    fix(&it, bib);
    check_left(&it, bib);
    close_bench(&it);
}

TEST_PLAIN(fix_leaves_a_venue_that_is_read_as_the_title_too)
{
    const char *bib = "@inproceedings{a, booktitle={Notes}, author={A. Lovelace}}\n";
    struct bench it;
    open_bench(&it, bib);
    differ(&it, 0, MISMATCHES({ BIB_FIELD_VENUE, "Notes", "Memoirs & Notes" }), 1);
    fix(&it, bib);
    check_left(&it, bib);
    close_bench(&it);
}

TEST_PLAIN(fix_that_does_not_fit_fails)
{
    struct bench it;
    open_bench(&it, ENTRY);
    char buf[16];
    struct wr_text small = WR_TEXT(buf);
    CHECK_ERR(WR_NOMEM, check_fix(&small, &it.report, ENTRY, strlen(ENTRY), &it.count));
    close_bench(&it);
}

/* ---- any work ---- */

static const char *random_text(struct wr_arena *arena, struct wr_rand *rand)
{
    static const char *const parts[] = {
        "Notes", "on", "BERT", "iPhone", "a_b", "50%", "C&A", "#1", "$x$", "~", "^", "\\",
        "`q'", "''", "--", "---", "{", "}", "\"", "@x", "Über", "naïve", "深度学习", "O'Brien",
        "x,y", "and", "=", "|", "<i>", "α", "-", ":", "?",
    };
    char buf[512];
    struct wr_text text = WR_TEXT(buf);
    size_t words = 1 + wr_rand_below(rand, 8);
    for (size_t i = 0; i < words; i++) {
        wr_text_str(&text, i > 0 && wr_rand_below(rand, 4) ? " " : "");
        wr_text_str(&text, parts[wr_rand_below(rand, sizeof(parts) / sizeof(parts[0]))]);
    }
    return wr_arena_str(arena, text.at);
}

static struct bib_work random_work(struct wr_arena *arena, struct wr_rand *rand)
{
    struct bib_name *names = wr_arena_alloc(arena, 3 * sizeof(*names));
    uint32_t count = (uint32_t)wr_rand_span(rand, 1, 3);
    for (uint32_t i = 0; names && i < count; i++) {
        names[i].family = random_text(arena, rand);
        names[i].given = wr_rand_below(rand, 3) ? random_text(arena, rand) : NULL;
    }
    return (struct bib_work){
        .title = random_text(arena, rand), .venue = random_text(arena, rand),
        .year = (int)wr_rand_span(rand, 1500, 2100), .authors = names, .author_count = count,
        .doi = "10.1000/engine",
    };
}

static bool same_authors(const struct bib_work *a, const struct bib_work *b)
{
    bool same = a->author_count == b->author_count;
    for (uint32_t i = 0; same && i < a->author_count; i++) {
        const char *one = a->authors[i].given, *other = b->authors[i].given;
        same = strcmp(a->authors[i].family, b->authors[i].family) == 0
            && strcmp(one ? one : "", other ? other : "") == 0;
    }
    return same;
}

/* How many of the fields say what was found; the others say what was cited. */
static uint32_t count_right(const struct bib_work *now, const struct bib_work *cited,
                            const struct bib_work *found)
{
    bool title = strcmp(now->title, found->title) == 0;
    bool venue = strcmp(now->venue, found->venue) == 0;
    bool year = now->year == found->year, authors = same_authors(now, found);
    CHECK(title || strcmp(now->title, cited->title) == 0);
    CHECK(venue || strcmp(now->venue, cited->venue) == 0);
    CHECK(year || now->year == cited->year);
    CHECK(authors || same_authors(now, cited));
    return (uint32_t)title + venue + year + authors;
}

static const char *const shapes[] = {
    "@article{a,\n  title = {Zz},\n  author = {Zed Zz},\n  journal = {Zy},\n  year = 1400,\n"
    "  doi = {10.1000/engine}\n}\n@misc{b, title={Next}}\n",
    "@ARTICLE(a, title=\"{Zz}\", author=\"Zed Zz\", journal=\"Zy\", year=\"1400\", "
    "doi=\"10.1000/engine\")\n@misc{b, title={Next}}\n",
    "@string{zy = \"Zy\"} @article{a, year={1400}, journal=zy, author={Zz, Zed}, title={{Zz}}, "
    "doi={10.1000/ENGINE},}\n@misc{b, title={Next}}\n",
};

/* Fix one entry; how many of its four fields are right then. */
static uint32_t fix_at_random(struct wr_rand *rand)
{
    struct bench it;
    const char *bib = shapes[wr_rand_below(rand, 3)];
    open_bench(&it, bib);
    struct bib_work found = random_work(&it.arena, rand);
    char year[16];
    snprintf(year, sizeof(year), "%d", found.year);
    it.evidence.work = &found;
    differ(&it, 0, MISMATCHES({ BIB_FIELD_TITLE, "Zz", found.title },
                              { BIB_FIELD_VENUE, "Zy", found.venue },
                              { BIB_FIELD_YEAR, "1400", year },
                              { BIB_FIELD_AUTHORS, "Zed Zz", "others" }), 4);
    fix(&it, bib);
    struct bibtex_file file;
    struct bib_references now;
    uint32_t right = 0;
    if (CHECK_OK(bibtex_parse(it.out.at, it.out.len, &it.arena, &file))
        && CHECK_OK(bibtex_references(it.out.at, &file, &it.arena, &now))
        && CHECK_EQ(2, now.count)) {
        CHECK_EQ(0, file.fault_count);
        CHECK_STR("Next", now.at[1].work.title);
        right = count_right(&now.at[0].work, &it.references.at[0].work, &found);
        CHECK_EQ(right, it.count.fields);
        CHECK_EQ(4 - right, it.count.left);
    }
    close_bench(&it);
    return right;
}

TEST_PLAIN(fix_makes_a_file_that_reads_as_what_was_found)
{
    struct wr_rand rand;
    int rounds = test_rounds(3000);
    uint32_t right = 0;
    wr_rand_seed(&rand, 5);
    for (int i = 0; i < rounds; i++)
        right += fix_at_random(&rand);
    CHECK(right > 2 * (uint32_t)rounds);
}
