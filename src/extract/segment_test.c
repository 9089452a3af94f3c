#include "extract/segment.h"

#include <string.h>

#include "extract/boundary.h"
#include "testing/test.h"

static struct wr_arena arena;
static struct extract_segments found;

static void cut(const char *const *texts, size_t count)
{
    struct extract_line lines[32];
    struct extract_chain chain;
    for (size_t i = 0; i < count; i++)
        lines[i] = (struct extract_line){ .text = texts[i], .len = strlen(texts[i]) };
    wr_arena_free(&arena);
    arena = WR_ARENA(1 << 20);
    found = (struct extract_segments){ 0 };
    extract_boundary_chain(&chain);
    CHECK_OK(extract_segments(&chain, lines, count, &arena, &found));
}

#define CUT(...) \
    cut((const char *const[]){ __VA_ARGS__ }, \
        sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

TEST_PLAIN(labels_in_order_begin_references)
{
    CUT("[1] A. Vaswani et al. Attention is all you need. In NeurIPS,", "2017.",
        "[2] K. He and J. Sun. Deep residual learning. In CVPR, 2016.",
        "[3] D. Kingma and J. Ba. Adam. In ICLR, 2015.");
    REQUIRE(found.count == 3);
    CHECK_STR("[1] A. Vaswani et al. Attention is all you need. In NeurIPS,\n2017.",
              found.at[0].text);
    CHECK_EQ(0, found.at[0].line);
    CHECK_EQ(1, found.at[0].line_end);
    CHECK_EQ(3, found.at[2].line);
}

TEST_PLAIN(references_without_labels_begin_with_their_authors)
{
    CUT("Kahneman, D., & Tversky, A. (1979). Prospect theory: An analysis of decision under",
        "risk. Econometrica, 47(2), 263-291.",
        "Lakatos, I. (1976). Proofs and refutations: The logic of mathematical discovery.",
        "Cambridge: Cambridge University Press.",
        "Simon, H. A. (1955). A behavioral model of rational choice. The Quarterly Journal of",
        "Economics, 69(1), 99-118.");
    REQUIRE(found.count == 3);
    CHECK(strncmp(found.at[1].text, "Lakatos", 7) == 0);
    CHECK(strncmp(found.at[2].text, "Simon", 5) == 0);
}

TEST_PLAIN(one_label_may_have_several_references)
{
    CUT("[1] N. Isgur and D. Scora, Phys. Rev. D 39, 799 (1989).",
        "[2] M. Wirbel, B. Stech, and M. Bauer, Z. Phys. C 29, 637",
        "(1985); J. G. Koerner and G. A. Schuler, Z. Phys. C 38, 511 (1988).",
        "[3] D. Scora and N. Isgur, Phys. Rev. D 52, 2783 (1995).");
    REQUIRE(found.count == 4);
    CHECK(strncmp(found.at[2].text, "J. G. Koerner", 13) == 0);
}

TEST_PLAIN(nothing_is_cut_out_of_nothing)
{
    CUT("");
    CHECK_EQ(0, found.count);
}

TEST_PLAIN(a_full_arena_is_told)
{
    struct wr_arena small = WR_ARENA(16);
    struct extract_chain chain;
    struct extract_line line = { .text = "[1] A. Smith, Rivers, 1999.", .len = 27 };
    extract_boundary_chain(&chain);
    CHECK_ERR(WR_NOMEM, extract_segments(&chain, &line, 1, &small, &found));
    wr_arena_free(&small);
}

TEST_PLAIN(a_journal_behind_a_year_begins_no_reference)
{
    CUT("[1] Smith S, 2006 J. Cosmol. Astropart. Phys. 11 003",
        "[2] Lee T, 2008 Gen. Rel. Grav. 40 467",
        "[3] Yao W, 2004 J. Cosmol. Astropart. Phys. 11 010");
    CHECK_EQ(3, found.count);
}

TEST_PLAIN(ibid_on_a_line_of_its_own_is_a_reference)
{
    CUT("Lakatos, I. (1976). Proofs and refutations: The logic of mathematical discovery.",
        "Cambridge: Cambridge University Press.", "Ibid., p. 12.",
        "Simon, H. A. (1955). A behavioral model of rational choice. The Quarterly Journal of",
        "Economics, 69(1), 99-118.");
    REQUIRE(found.count == 3);
    CHECK_STR("Ibid., p. 12.", found.at[1].text);
}
