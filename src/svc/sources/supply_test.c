/* supply_test.c - the sources of a node, with a service that asks them. */
#include "svc/sources/supply.h"

#include "source/sources.h"
#include "svc/sources/supply_keys.h"
#include "testing/catalogue_rig.h"
#include "testing/node_rig.h"

#define NOTHING "{\"message\":{\"total-results\":0,\"items\":[]}}"

/* A service that asks Crossref: when it begins, and when it is told to end. */
static struct asker {
    struct sources *const *sources;
    struct sources *seen[2];
    unsigned runs;
    bool breaks;                    /* the first time, with a question under way */
    struct wr_gather *gather;
} asker;

static void ask(uint32_t slot)
{
    CHECK_OK(drainer_ask(sources_find(*asker.sources, &source_crossref), &(struct drainer_job){
        .question = { .by = SOURCE_BY_TITLE, .text = slot ? "Other rivers" : "Quiet rivers" },
        .gather = wr_gather_ref(asker.gather), .slot = slot,
        .deadline = wr_after(WR_S(20)) }, wr_after(WR_S(20))));
}

static wr_err run_asker(void *arg, struct wr_once *drain)
{
    (void)arg;
    asker.seen[asker.runs++ % 2] = *asker.sources;
    if (asker.runs == 1) {
        ask(0);
        if (asker.breaks)
            wr_panic("the test breaks down");
    }
    wr_err err = wr_once_wait(drain, NULL, WR_NEVER);
    if (!err)
        ask(1);
    return err ? err : wr_gather_wait(asker.gather, wr_after(WR_S(2)));
}

static const struct wr_child children[] = {
    { .name = "test.asker", .run = run_asker, .restart = WR_RESTART_ALWAYS },
};

static struct supply *supply;
static struct node_service rows[2];
static struct rig rig;

static void begin(const char *base)
{
    static char bases[100];
    snprintf(bases, sizeof(bases), "--check-bases=crossref=%s", base);
    CHECK_OK(supply_new(&supply));
    CHECK(!*supply_sources(supply));
    CHECK_OK(wr_gather_new(&asker.gather, &(struct wr_gather_conf){
        .name = "test.gather", .sources = 2, .size = sizeof(struct drainer_answer) }));
    asker.sources = supply_sources(supply);
    asker.runs = 0;
    rows[0] = *supply_row(supply);
    rows[1] = (struct node_service){ .name = "asker", .children = children, .child_count = 1 };
    rig_tables[1] = &supply_keys;
    rig_service = rows;
    rig_service_count = 2;
    rig_begin(&rig, (const char *const[]){ bases, NULL });
}

static void end(void)
{
    CHECK_OK(rig_end(&rig));
    CHECK(!*supply_sources(supply));
    supply_free(supply);
}

TEST(sources_answer_until_those_who_ask_are_gone)
{
    static struct catalogue crossref = { .body = NOTHING };
    catalogue_open(&crossref);
    begin(crossref.base);
    CHECK_OK(wr_sleep(wr_after(WR_S(5))));
    end();
    CHECK_ERR(WR_NOTFOUND, wr_gather_result(asker.gather, 0, NULL));
    CHECK_ERR(WR_NOTFOUND, wr_gather_result(asker.gather, 1, NULL));
    CHECK_EQ(2, crossref.asked);
    wr_gather_unref(asker.gather);
    catalogue_close(&crossref);
}

TEST(a_service_that_breaks_down_finds_the_same_sources_and_its_questions_are_answered)
{
    static struct catalogue crossref = { .body = NOTHING, .delay = WR_MS(500) };
    asker.breaks = true;
    catalogue_open(&crossref);
    begin(crossref.base);
    CHECK_OK(wr_sleep(wr_after(WR_S(5))));
    CHECK_EQ(2, asker.runs);
    CHECK(asker.seen[0] && asker.seen[0] == asker.seen[1]);
    CHECK_ERR(WR_NOTFOUND, wr_gather_result(asker.gather, 0, NULL));
    end();
    CHECK_ERR(WR_NOTFOUND, wr_gather_result(asker.gather, 1, NULL));
    wr_gather_unref(asker.gather);
    catalogue_close(&crossref);
    asker.breaks = false;
}

TEST(a_question_that_a_drain_finds_waiting_is_answered_with_canceled)
{
    static struct catalogue crossref = { .body = NOTHING, .delay = WR_S(60) };
    catalogue_open(&crossref);
    begin(crossref.base);
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    wr_time before = wr_now();
    rig_stop(&rig);
    (void)!wr_once_wait(rig.over, NULL, wr_after(WR_S(10)));
    CHECK(wr_now() - before <= WR_S(3));
    CHECK_OK(rig_end(&rig));
    CHECK_ERR(WR_CANCELED, wr_gather_result(asker.gather, 0, NULL));
    CHECK_ERR(WR_CANCELED, wr_gather_result(asker.gather, 1, NULL));
    supply_free(supply);
    wr_gather_unref(asker.gather);
    catalogue_close(&crossref);
}
