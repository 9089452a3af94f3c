#include "extract/bibliography.h"

#include <string.h>

#include "testing/test.h"

static struct wr_arena arena;
static struct bib_references found;

static void read(const char *text, bool one_per_line)
{
    struct extract_line lines[64];
    struct extract_bibliography_conf conf = { .one_per_line = one_per_line };
    size_t count = 0;
    for (const char *at = text; *at && count < 64;) {
        size_t len = strcspn(at, "\n");
        lines[count] = (struct extract_line){ .text = at, .len = len,
                                              .number = (uint32_t)count + 1 };
        count++;
        at += len + (at[len] == '\n');
    }
    wr_arena_free(&arena);
    arena = WR_ARENA(1 << 20);
    found = (struct bib_references){ 0 };
    CHECK_OK(extract_bibliography(lines, count, &conf, &arena, &found));
}

static const char paper[] =
    "Slow rivers\n"
    "We follow Lamport [1] and Knuth [2].\n"
    "\n"
    "References\n"
    "[1] Leslie Lamport. Time, clocks, and the ordering of events in a distributed\n"
    "system. Commun. ACM, 21(7):558-565, 1978.\n"
    "[2] Donald E. Knuth. Literate programming. The Computer Journal, 27(2):97-111,\n"
    "1984.\n"
    "[3] Edsger W. Dijkstra. Go to statement considered harmful. Commun. ACM, 11(3):147-148,\n"
    "1968.\n"
    "Acknowledgements\n"
    "We thank the rivers.\n";

TEST_PLAIN(the_references_of_a_paper_have_numbers_lines_and_fields)
{
    read(paper, false);
    REQUIRE(found.count == 3);
    CHECK_EQ(1, found.at[0].number);
    CHECK_EQ(5, found.at[0].line);
    CHECK_EQ(6, found.at[0].line_end);
    CHECK_STR("Time, clocks, and the ordering of events in a distributed system",
              found.at[0].work.title);
    CHECK_STR("Literate programming", found.at[1].work.title);
    CHECK_EQ(1984, found.at[1].work.year);
    CHECK_EQ(3, found.at[2].number);
    CHECK(strstr(found.at[2].raw, "thank") == NULL);
}

TEST_PLAIN(each_line_is_a_reference_where_that_is_said)
{
    read("K. He. Deep residual learning for image recognition. In CVPR, 2016.\n\n"
         "D. Kingma and J. Ba. Adam: A method for stochastic optimization. In ICLR, 2015.\n",
         true);
    REQUIRE(found.count == 2);
    CHECK_EQ(1, found.at[0].number);
    CHECK_EQ(2, found.at[1].number);
    CHECK_EQ(3, found.at[1].line);
    CHECK_STR("Adam: A method for stochastic optimization", found.at[1].work.title);
}

TEST_PLAIN(a_dash_stands_for_the_authors_before)
{
    read("Emanuel, K. A., 1986: An air-sea interaction theory for tropical cyclones. J. Atmos. "
         "Sci., 43, 585-604.\n"
         "——, 2007: Environmental factors affecting tropical cyclone power dissipation. J. "
         "Climate, 20, 5497-5509.\n", true);
    REQUIRE(found.count == 2);
    REQUIRE(found.at[1].work.author_count == 1);
    CHECK_STR("Emanuel", found.at[1].work.authors[0].family);
}

TEST_PLAIN(a_document_without_a_bibliography_has_no_references)
{
    read("The river was slow.\nIt was wide, too.\n", false);
    CHECK_EQ(0, found.count);
    read("", false);
    CHECK_EQ(0, found.count);
}

TEST_PLAIN(an_arena_that_is_too_small_is_told)
{
    struct wr_arena small = WR_ARENA(256);
    struct extract_line line = { .text = "K. He. Deep learning. 2016.", .len = 27 };
    struct extract_bibliography_conf conf = { .one_per_line = true };
    CHECK_ERR(WR_NOMEM, extract_bibliography(&line, 1, &conf, &small, &found));
    wr_arena_free(&small);
}
