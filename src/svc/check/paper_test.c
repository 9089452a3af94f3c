/* paper_test.c - a document while its references are checked, and afterwards. */
#include <string.h>

#include <weir/scope.h>

#include "svc/check/paper.h"
#include "testing/test.h"

#define COUNT 3

struct heard { size_t begun, done, last_done; };

static void hear(void *arg, const struct check_event *event)
{
    struct heard *heard = arg;
    if (event->kind == CHECK_EVENT_BEGUN) {
        heard->begun++;
        return;
    }
    CHECK_EQ(heard->done + 1, event->done);
    CHECK(event->finding);
    heard->done = event->done;
    heard->last_done = event->index;
}

static struct check_paper *paper_of(struct heard *heard, bool unjudged)
{
    struct wr_arena arena = WR_ARENA(1 << 20);
    struct bib_references references = {
        .at = wr_arena_alloc(&arena, COUNT * sizeof(struct bib_reference)), .count = COUNT };
    for (uint32_t i = 0; i < COUNT; i++)
        references.at[i] = (struct bib_reference){ .number = i + 1, .raw = "A reference" };
    struct check_paper *paper = NULL;
    CHECK_OK(check_paper_new(&paper, &(struct check_paper_conf){
        .file = "a.bib", .references = references, .unjudged = unjudged,
        .event = heard ? hear : NULL, .arg = heard }));
    wr_arena_free(&arena);              /* it has a copy */
    return paper;
}

static void put(struct check_paper *paper, size_t index, enum bib_outcome outcome)
{
    check_paper_put(paper, index, &(struct check_finding){ .verdict.outcome = outcome });
}

TEST(a_paper_ends_with_its_last_finding)
{
    struct heard heard = { 0 };
    struct check_paper *paper = paper_of(&heard, false);
    check_paper_begin(paper, 2);
    put(paper, 2, BIB_VERIFIED);
    put(paper, 0, BIB_NOT_FOUND);
    CHECK(!check_paper_ended(paper));
    CHECK_ERR(WR_TIMEOUT, check_paper_wait(paper, wr_after(WR_S(1))));
    put(paper, 1, BIB_MISMATCH);
    CHECK_OK(check_paper_wait(paper, WR_NEVER));
    const struct check_report *report = check_paper_report(paper);
    CHECK_EQ(BIB_NOT_FOUND, report->findings[0].verdict.outcome);
    CHECK_EQ(BIB_MISMATCH, report->findings[1].verdict.outcome);
    CHECK_EQ(BIB_VERIFIED, report->findings[2].verdict.outcome);
    CHECK_EQ(2, report->findings[1].reference->number);
    CHECK(!report->cut_short);
    CHECK_EQ(1, heard.begun);
    CHECK_EQ(3, heard.done);
    CHECK_EQ(1, heard.last_done);
    check_paper_unref(paper);
}

TEST(a_paper_that_is_ended_early_says_what_nobody_looked_at)
{
    struct heard heard = { 0 };
    struct check_paper *paper = paper_of(&heard, false);
    put(paper, 1, BIB_VERIFIED);
    check_paper_end(paper);
    check_paper_end(paper);
    put(paper, 0, BIB_NOT_FOUND);               /* too late */
    const struct check_report *report = check_paper_report(paper);
    CHECK(report->cut_short);
    CHECK_EQ(BIB_INCONCLUSIVE, report->findings[0].verdict.outcome);
    CHECK(strstr(report->findings[0].reason, "nobody had looked at it"));
    CHECK_EQ(BIB_VERIFIED, report->findings[1].verdict.outcome);
    CHECK_EQ(1, heard.done);
    check_paper_unref(paper);
}

TEST(a_paper_keeps_copies_of_what_was_found)
{
    struct check_paper *paper = paper_of(NULL, false);
    char cited[] = "2019", found[] = "2020", source[] = "CrossRef", id[] = "10.1/x";
    char why[] = "slow";
    struct bib_mismatch mismatch = { BIB_FIELD_YEAR, cited, found };
    struct check_evidence evidence = { .source = source, .id = id, .similarity = 990 };
    struct check_asked asked = { .source = source, .answer = CHECK_FAILED, .why = why };
    check_paper_put(paper, 0, &(struct check_finding){
        .verdict = { .outcome = BIB_MISMATCH, .mismatches = &mismatch, .mismatch_count = 1 },
        .evidence = &evidence, .evidence_count = 1, .asked = &asked, .asked_count = 1,
        .reason = why });
    cited[0] = found[0] = source[0] = id[0] = why[0] = '?';
    check_paper_end(paper);
    const struct check_finding *kept = &check_paper_report(paper)->findings[0];
    CHECK_STR("2019", kept->verdict.mismatches[0].cited);
    CHECK_STR("2020", kept->verdict.mismatches[0].found);
    CHECK_STR("CrossRef", kept->evidence[0].source);
    CHECK_STR("10.1/x", kept->evidence[0].id);
    CHECK_EQ(990, kept->evidence[0].similarity);
    CHECK_STR("slow", kept->asked[0].why);
    CHECK_STR("slow", kept->reason);
    check_paper_unref(paper);
}

TEST(a_paper_outlives_who_made_it)
{
    struct check_paper *paper = paper_of(NULL, false);
    struct check_paper *held = check_paper_ref(paper);
    check_paper_unref(paper);
    put(held, 0, BIB_VERIFIED);
    CHECK_EQ(COUNT, check_paper_count(held));
    check_paper_unref(held);
}

TEST(a_paper_that_is_not_judged_has_ended)
{
    struct check_paper *paper = paper_of(NULL, true);
    CHECK_OK(check_paper_wait(paper, WR_NEVER));
    CHECK(!check_paper_report(paper)->cut_short);
    CHECK(!check_paper_report(paper)->findings[0].reason);
    check_paper_unref(paper);
}

TEST(a_finding_that_finds_no_room_is_inconclusive)
{
    struct bib_reference reference = { .number = 1 };
    struct check_paper *paper = NULL;
    REQUIRE_OK(check_paper_new(&paper, &(struct check_paper_conf){
        .memory_max = 3000, .references = { &reference, 1 } }));
    char reason[4000];
    memset(reason, 'x', sizeof(reason) - 1);
    reason[sizeof(reason) - 1] = '\0';
    check_paper_put(paper, 0, &(struct check_finding){ .verdict.outcome = BIB_SKIPPED,
                                                       .reason = reason });
    const struct check_report *report = check_paper_report(paper);
    CHECK_EQ(BIB_INCONCLUSIVE, report->findings[0].verdict.outcome);
    CHECK(strstr(report->findings[0].reason, "no memory"));
    check_paper_unref(paper);
}

TEST(a_reference_that_is_verified_is_still_a_duplicate)
{
    struct bib_reference at[2];
    struct check_paper *paper;
    for (uint32_t i = 0; i < 2; i++)
        at[i] = (struct bib_reference){ .number = i + 1, .raw = "",
                                        .work.doi = "10.1000/engine" };
    REQUIRE_OK(check_paper_new(&paper, &(struct check_paper_conf){ .references = { at, 2 } }));
    put(paper, 1, BIB_VERIFIED);
    put(paper, 0, BIB_VERIFIED);
    const struct check_report *report = check_paper_report(paper);
    CHECK_EQ(0, report->findings[0].verdict.flags);
    CHECK_EQ(BIB_FLAG(DUPLICATE), report->findings[1].verdict.flags);
    CHECK_EQ(1, report->findings[1].duplicate_of);
    check_paper_unref(paper);
}
