/* duplicate_test.c - the same work cited twice. */
#include "svc/check/duplicate.h"
#include "testing/test.h"

static const struct bib_name lovelace = { "Lovelace", "Ada" }, turing = { "Turing", "A. M." };

static uint32_t second_of(struct bib_work first, struct bib_work second)
{
    struct wr_arena arena = WR_ARENA(1 << 20);
    struct bib_reference references[] = { { .work = first, .number = 7 },
                                          { .work = second, .number = 9 } };
    struct check_finding findings[] = { { .reference = &references[0] },
                                        { .reference = &references[1] } };
    struct check_report report = { .findings = findings, .count = 2 };
    check_find_duplicates(&report, &arena);
    wr_arena_free(&arena);
    CHECK(!findings[0].verdict.flags);
    CHECK_EQ(findings[1].duplicate_of != 0, findings[1].verdict.flags == BIB_FLAG(DUPLICATE));
    return findings[1].duplicate_of;
}

TEST_PLAIN(the_same_title_by_the_same_author_is_a_duplicate)
{
    CHECK_EQ(7, second_of(
        (struct bib_work){ .title = "Notes on the Engine", .authors = &lovelace,
                           .author_count = 1, .year = 1843 },
        (struct bib_work){ .title = "Notes on the engine.", .authors = &lovelace,
                           .author_count = 1 }));
}

TEST_PLAIN(the_same_title_by_another_author_is_none)
{
    CHECK_EQ(0, second_of(
        (struct bib_work){ .title = "Notes on the Engine", .authors = &lovelace,
                           .author_count = 1 },
        (struct bib_work){ .title = "Notes on the Engine", .authors = &turing,
                           .author_count = 1 }));
}

TEST_PLAIN(the_same_title_in_another_year_is_none)
{
    CHECK_EQ(0, second_of((struct bib_work){ .title = "Report on engines", .year = 2001 },
                          (struct bib_work){ .title = "Report on engines", .year = 2002 }));
}

TEST_PLAIN(one_identifier_is_enough_for_a_duplicate)
{
    CHECK_EQ(7, second_of((struct bib_work){ .title = "A", .doi = "10.1000/1" },
                          (struct bib_work){ .title = "B", .doi = "10.1000/1" }));
    CHECK_EQ(7, second_of((struct bib_work){ .arxiv_id = "2403.00108" },
                          (struct bib_work){ .arxiv_id = "2403.00108" }));
    CHECK_EQ(0, second_of((struct bib_work){ .doi = "10.1000/1" },
                          (struct bib_work){ .doi = "10.1000/2" }));
}

TEST_PLAIN(short_titles_say_nothing)
{
    CHECK_EQ(0, second_of((struct bib_work){ .title = "Preface" },
                          (struct bib_work){ .title = "Preface" }));
}
