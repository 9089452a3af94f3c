/* inquiry.c - what becomes of one reference, from the queue to its finding. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "biblio/judge.h"
#include "source/answer.h"
#include "svc/check/inquiry.h"
#include "svc/check/judgement.h"

#define ARENA_MAX ((size_t)256 << 10)       /* of the texts of questions */
#define NO_SLOT UINT32_MAX
#define AGAIN_WITHIN WR_S(2)                /* with less time left nobody is asked again */

/* A question, who it goes to, and what came of it. */
struct said {
    struct drainer *drainer;
    struct source_question question;
    struct wr_bytes *records;
    wr_err err;
    uint32_t slot;                  /* in the gather of this round */
    bool remembered;
};

struct inquiry {
    const struct inquiry_desk *desk;
    struct check_paper *paper;
    size_t index;
    wr_time deadline;
    enum { FIRST, AGAIN, FALLBACKS } stage;
    size_t fallback;                /* which is asked next */
    struct wr_arena arena;
    struct wr_gather *gather;       /* of this round; NULL: nobody is asked */
    struct said *said;
    size_t said_count;
};

wr_err inquiry_new(struct inquiry **ret, const struct inquiry_desk *desk,
                   struct check_paper *paper, size_t index, wr_time deadline)
{
    struct inquiry *inquiry = calloc(1, sizeof(*inquiry));
    if (!inquiry)
        return WR_NOMEM;
    *inquiry = (struct inquiry){ .desk = desk, .paper = check_paper_ref(paper), .index = index,
                                 .deadline = deadline, .arena = WR_ARENA(ARENA_MAX) };
    *ret = inquiry;
    return WR_OK;
}

static const struct bib_reference *reference_of(const struct inquiry *inquiry)
{
    return check_paper_reference(inquiry->paper, inquiry->index);
}

/* ---- judging ---- */

/* Everything that is known so far. */
static void gather_known(const struct inquiry *inquiry, struct judgement *judgement)
{
    for (size_t i = 0; i < inquiry->desk->library_count; i++)
        judgement_look(judgement, inquiry->desk->libraries[i]);
    for (size_t i = 0; i < inquiry->said_count; i++) {
        const struct said *said = &inquiry->said[i];
        judgement_hear(judgement, &(struct judgement_answer){
            .source = drainer_driver(said->drainer)->name, .err = said->err,
            .records = said->records, .remembered = said->remembered,
            .search = !said->question.always,
            .page = said->question.by == SOURCE_BY_URL });
    }
    judgement_decide(judgement, inquiry->desk->year);
}

static bool conclude(struct inquiry *inquiry, struct judgement *judgement)
{
    check_paper_put(inquiry->paper, inquiry->index, &judgement->finding);
    judgement_free(judgement);
    return true;
}

/* ---- asking ---- */

/* Whether nothing is left to be asked: the year and all authors, where they are cited, were
 * compared too.  Not every source tells them. */
static bool is_settled(const struct check_finding *finding)
{
    const struct bib_work *cited = &finding->reference->work;
    if (finding->verdict.outcome != BIB_VERIFIED)
        return false;
    const struct bib_record *best = finding->verdict.evidence[0];
    struct bib_comparison seen = bib_judge(cited, best);
    return !seen.unjudged && !seen.excused && (!cited->year || best->work.year);
}

/* One answer by itself. */
static bool settles(const void *answer)
{
    const struct drainer_answer *one = answer;
    const struct inquiry *inquiry = one->about;
    struct judgement judgement;
    judgement_begin(&judgement, reference_of(inquiry));
    judgement_hear(&judgement, &(struct judgement_answer){ .source = "", .err = WR_OK,
                                                           .records = one->records });
    judgement_decide(&judgement, inquiry->desk->year);
    bool settled = is_settled(&judgement.finding);
    judgement_free(&judgement);
    return settled;
}

static bool unwanted(const void *about)
{
    return check_paper_ended(((const struct inquiry *)about)->paper);
}

static void finished(struct wr_gather *gather, void *arg)
{
    (void)gather;
    struct inquiry *inquiry = arg;
    inquiry->desk->settled(inquiry->desk->arg, inquiry);
}

/* What sources can be asked, with a slot each; of a work that is known only what is no search.
 * How many. */
static uint32_t find_questions(struct inquiry *inquiry, struct drainer *const *drainers,
                               size_t drainer_count, bool known)
{
    const struct bib_work *work = &reference_of(inquiry)->work;
    struct source_question questions[SOURCE_QUESTIONS_MAX];
    uint32_t slots = 0;
    size_t room = inquiry->said_count + drainer_count * SOURCE_QUESTIONS_MAX;
    struct said *said = wr_arena_grow(&inquiry->arena, inquiry->said, inquiry->said_count, room,
                                      sizeof(*said));
    if (!said)
        return 0;
    inquiry->said = said;
    for (size_t i = 0; i < drainer_count; i++) {
        size_t count = source_questions(drainer_driver(drainers[i]), drainer_keyed(drainers[i]),
                                        work, &inquiry->arena, questions);
        for (size_t j = 0; j < count; j++)
            if (!known || questions[j].always)
                said[inquiry->said_count++] = (struct said){
                    .drainer = drainers[i], .question = questions[j], .err = WR_BUSY,
                    .slot = slots++ };
    }
    return slots;
}

/* What is remembered is reported before anybody is asked, so that a source that settles the
 * question does not keep what others have said from being seen. */
static void recall(struct inquiry *inquiry)
{
    for (size_t i = 0; i < inquiry->said_count; i++) {
        struct said *said = &inquiry->said[i];
        struct drainer_answer answer = { .about = inquiry, .remembered = true };
        if (said->slot == NO_SLOT)
            continue;
        wr_err err = drainer_recall(said->drainer, &said->question, &answer.records,
                                    inquiry->deadline);
        if (err && err != WR_NOTFOUND)
            continue;
        said->remembered = true;
        wr_gather_report(inquiry->gather, said->slot, err, err ? NULL : &answer);
    }
}

static void ask(struct inquiry *inquiry, struct said *said)
{
    struct wr_gather *gather = inquiry->gather;
    if (wr_gather_settled(gather) && !said->question.always) {
        wr_gather_report(gather, said->slot, WR_CANCELED, NULL);
        return;
    }
    wr_time timeout = inquiry->stage == AGAIN ? 2 * drainer_driver(said->drainer)->timeout : 0;
    wr_err err = drainer_ask(said->drainer, &(struct drainer_job){
        .question = said->question, .gather = wr_gather_ref(gather), .slot = said->slot,
        .about = inquiry, .unwanted = unwanted, .deadline = inquiry->deadline,
        .timeout = timeout }, inquiry->deadline);
    if (err) {
        wr_gather_report(gather, said->slot, err, NULL);
        wr_gather_unref(gather);
    }
}

/* Ask all those that have a slot.  The inquiry may be over before this returns: the last
 * report may come at once, and another coordinator go on with it; so it is held here by a
 * gather of one slot more, which is reported last. */
static bool ask_all(struct inquiry *inquiry, uint32_t slots)
{
    struct wr_gather *gather;
    wr_err err = wr_gather_new(&gather, &(struct wr_gather_conf){
        .name = "check.inquiry", .sources = slots + 1, .size = sizeof(struct drainer_answer),
        .settles = settles, .finish = finished, .arg = inquiry });
    if (err)
        return false;
    inquiry->gather = wr_gather_ref(gather);
    recall(inquiry);
    for (size_t i = 0; i < inquiry->said_count; i++)
        if (inquiry->said[i].slot != NO_SLOT && !inquiry->said[i].remembered)
            ask(inquiry, &inquiry->said[i]);
    wr_gather_report(gather, slots, WR_NOTFOUND, NULL);
    wr_gather_unref(gather);
    return true;
}

/* Take what was reported in this round. */
static void collect(struct inquiry *inquiry)
{
    for (size_t i = 0; i < inquiry->said_count; i++) {
        struct said *said = &inquiry->said[i];
        struct drainer_answer answer;
        if (said->slot == NO_SLOT)
            continue;
        said->err = wr_gather_result(inquiry->gather, said->slot, &answer);
        if (!said->err) {
            said->records = answer.records;
            said->remembered = answer.remembered;
        }
        said->slot = NO_SLOT;
    }
    wr_gather_unref(inquiry->gather);
    inquiry->gather = NULL;
}

static bool passing(wr_err err)
{
    return err == WR_TIMEOUT || err == WR_IO || err == WR_BUSY || err == WR_SHED;
}

/* Those that failed, and may not the next time. */
static uint32_t find_failed(struct inquiry *inquiry)
{
    uint32_t slots = 0;
    if (wr_now() + AGAIN_WITHIN > inquiry->deadline)
        return 0;
    for (size_t i = 0; i < inquiry->said_count; i++)
        if (passing(inquiry->said[i].err))
            inquiry->said[i].slot = slots++;
    return slots;
}

/* Who is asked next about a work that is not verified yet; 0: there is nobody left.  Pages tell
 * nothing of authors or years, so they say nothing against a record that differs. */
static uint32_t find_next(struct inquiry *inquiry, enum bib_outcome outcome)
{
    const struct inquiry_desk *desk = inquiry->desk;
    uint32_t slots = 0;
    if (inquiry->stage == FIRST) {
        inquiry->stage = AGAIN;
        slots = find_failed(inquiry);
    }
    while (!slots && outcome != BIB_MISMATCH && inquiry->fallback < desk->fallback_count) {
        inquiry->stage = FALLBACKS;
        slots = find_questions(inquiry, &desk->fallbacks[inquiry->fallback++], 1, false);
    }
    return slots;
}

/* ---- one step after the other ---- */

void inquiry_free(struct inquiry *inquiry)
{
    if (!inquiry)
        return;
    if (inquiry->gather)
        collect(inquiry);
    for (size_t i = 0; i < inquiry->said_count; i++)
        wr_bytes_unref(inquiry->said[i].records);
    wr_arena_free(&inquiry->arena);
    check_paper_unref(inquiry->paper);
    free(inquiry);
}

static void skip(struct inquiry *inquiry)
{
    check_paper_put(inquiry->paper, inquiry->index, &(struct check_finding){
        .reference = reference_of(inquiry), .verdict.outcome = BIB_SKIPPED,
        .reason = reference_of(inquiry)->skip });
}

bool inquiry_begin(struct inquiry *inquiry)
{
    struct judgement judgement;
    check_paper_begin(inquiry->paper, inquiry->index);
    if (reference_of(inquiry)->skip) {
        skip(inquiry);
        return true;
    }
    judgement_begin(&judgement, reference_of(inquiry));
    gather_known(inquiry, &judgement);
    enum bib_outcome outcome = judgement.finding.verdict.outcome;
    bool known = outcome == BIB_VERIFIED;
    uint32_t slots = find_questions(inquiry, inquiry->desk->drainers,
                                    inquiry->desk->drainer_count, known);
    if (!slots && !known)               /* an address alone is no question to a catalogue */
        slots = find_next(inquiry, outcome);
    if (slots && !check_paper_ended(inquiry->paper) && ask_all(inquiry, slots)) {
        judgement_free(&judgement);
        return false;
    }
    return conclude(inquiry, &judgement);
}

bool inquiry_go_on(struct inquiry *inquiry)
{
    struct judgement judgement;
    collect(inquiry);
    judgement_begin(&judgement, reference_of(inquiry));
    gather_known(inquiry, &judgement);
    enum bib_outcome outcome = judgement.finding.verdict.outcome;
    bool through = outcome == BIB_VERIFIED || check_paper_ended(inquiry->paper);
    uint32_t slots = through ? 0 : find_next(inquiry, outcome);
    if (slots && ask_all(inquiry, slots)) {
        judgement_free(&judgement);
        return false;
    }
    return conclude(inquiry, &judgement);
}
