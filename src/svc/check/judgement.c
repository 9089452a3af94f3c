/* judgement.c - all that is known about one reference, and what follows from it. */
#include <string.h>

#include <weir/time.h>

#include "biblio/judge.h"
#include "library/sample.h"
#include "source/answer.h"
#include "svc/check/judgement.h"

#define LIBRARY_RECORDS 16          /* candidates of one library */
#define URL_MAX 2100

void judgement_begin(struct judgement *judgement, const struct bib_reference *reference)
{
    *judgement = (struct judgement){ .finding.reference = reference,
                                     .arena = WR_ARENA(JUDGEMENT_ARENA_MAX) };
}

void judgement_free(struct judgement *judgement)
{
    wr_arena_free(&judgement->arena);
}

/* Room for so many records more.  False: there is none. */
static bool make_room(struct judgement *judgement, size_t more)
{
    struct wr_arena *arena = &judgement->arena;
    if (judgement->count + more <= judgement->room)
        return true;
    size_t room = 2 * judgement->room + more;
    struct bib_record *records = wr_arena_grow(arena, judgement->records, judgement->count,
                                               room, sizeof(*records));
    const struct library **from = wr_arena_grow(arena, judgement->from, judgement->count, room,
                                                sizeof(void *));
    bool *remembered = wr_arena_grow(arena, judgement->remembered, judgement->count, room,
                                     sizeof(*remembered));
    if (!records || !from || !remembered)
        return false;
    judgement->records = records;
    judgement->from = from;
    judgement->remembered = remembered;
    judgement->room = room;
    return true;
}

void judgement_look(struct judgement *judgement, const struct library *library)
{
    const struct bib_work *cited = &judgement->finding.reference->work;
    if (!make_room(judgement, LIBRARY_RECORDS))
        return;
    size_t found = library_find(library, cited, &judgement->arena,
                                judgement->records + judgement->count, LIBRARY_RECORDS);
    for (size_t i = 0; i < found; i++)
        judgement->from[judgement->count + i] = library;
    judgement->count += found;
    judgement->searched |= strcmp(library_info(library).kind, LIBRARY_SAMPLE) != 0;
    const char *notice = library_retraction(library, cited, &judgement->arena);
    if (notice && !judgement->retraction) {
        judgement->retraction = notice;
        judgement->retraction_from = library;
    }
}

/* ---- what sources said ---- */

static enum check_answer answer_of(wr_err err)
{
    switch (err) {
    case WR_OK: return CHECK_FOUND;
    case WR_NOTFOUND: return CHECK_UNKNOWN;
    case WR_CANCELED: return CHECK_NOT_ASKED;
    default: return CHECK_FAILED;
    }
}

static const char *why_of(wr_err err)
{
    switch (err) {
    case WR_OK:
    case WR_NOTFOUND: return NULL;
    case WR_CANCELED: return "another source had settled it";
    case WR_TIMEOUT: return "it did not answer in time";
    case WR_BUSY: return "it said that it was asked too often";
    case WR_OPENCIRCUIT: return "it has failed too often of late";
    case WR_DENIED: return "it does not let us in; a key may help";
    default: return wr_err_text(err);
    }
}

static void note(struct judgement *judgement, const struct judgement_answer *answer)
{
    if (judgement->asked_count == judgement->asked_room) {
        size_t room = 2 * judgement->asked_room + 16;
        struct check_asked *asked = wr_arena_grow(&judgement->arena, judgement->asked,
                                                  judgement->asked_count, room, sizeof(*asked));
        if (!asked)
            return;
        judgement->asked = asked;
        judgement->asked_room = room;
    }
    judgement->asked[judgement->asked_count++] = (struct check_asked){
        .source = answer->source, .answer = answer_of(answer->err),
        .why = why_of(answer->err) };
}

void judgement_hear(struct judgement *judgement, const struct judgement_answer *answer)
{
    struct bib_record *records = NULL;
    size_t count = 0;
    struct judgement_answer heard = *answer;
    if (!heard.err)
        heard.err = answer_unpack(answer->records, &judgement->arena, &records, &count);
    note(judgement, &heard);
    enum check_answer said = answer_of(heard.err);
    judgement->silent |= said == CHECK_FAILED || said == CHECK_NOT_ASKED;
    judgement->searched |= answer->search && said == CHECK_UNKNOWN;
    judgement->paged |= answer->page;
    if (heard.err || !make_room(judgement, count))
        return;
    for (size_t i = 0; i < count; i++) {
        judgement->records[judgement->count] = records[i];
        judgement->remembered[judgement->count++] = answer->remembered;
    }
}

/* ---- evidence ---- */

/* Where a person can look at it. */
static const char *address_of(struct judgement *judgement, const struct bib_work *work)
{
    char buf[URL_MAX];
    struct wr_text text = WR_TEXT(buf);
    if (work->doi)
        wr_text_format(&text, "https://doi.org/%s", work->doi);
    else if (work->arxiv_id)
        wr_text_format(&text, "https://arxiv.org/abs/%s", work->arxiv_id);
    else if (work->url_count)
        wr_text_str(&text, work->urls[0]);
    return text.len && !text.cut ? wr_arena_str(&judgement->arena, text.at) : NULL;
}

static struct check_evidence evidence_of(struct judgement *judgement,
                                         const struct bib_record *record, uint16_t similarity)
{
    size_t place = (size_t)(record - judgement->records);
    const struct library *from = judgement->from[place];
    struct check_evidence evidence = {
        .source = record->source, .id = record->id, .work = &record->work,
        .retraction = record->retraction,
        .url = address_of(judgement, &record->work), .similarity = similarity };
    if (from)
        evidence.version = wr_arena_str(&judgement->arena, library_info(from).version);
    else if (!judgement->remembered[place])
        evidence.asked_ms = wr_wall().ns / WR_MS(1);
    return evidence;
}

static void add_evidence(struct judgement *judgement)
{
    struct check_finding *finding = &judgement->finding;
    const struct bib_verdict *verdict = &finding->verdict;
    size_t count = 0;
    struct check_evidence *all = wr_arena_alloc(
        &judgement->arena, (verdict->evidence_count + 1) * sizeof(*all));
    for (size_t i = 0; all && i < verdict->evidence_count; i++)
        all[count++] = evidence_of(judgement, verdict->evidence[i],
                                   i ? 0 : verdict->similarity);
    if (all && judgement->retraction) {
        struct library_info info = library_info(judgement->retraction_from);
        all[count++] = (struct check_evidence){
            .source = info.name, .id = judgement->retraction,
            .retraction = judgement->retraction,
            .version = wr_arena_str(&judgement->arena, info.version) };
    }
    finding->evidence = all;
    finding->evidence_count = count;
}

/* Who did not answer, each once, in a sentence.  Nobody has settled it: whoever was not asked
 * had no time left for it. */
static const char *name_silent(struct judgement *judgement)
{
    char buf[400];
    struct wr_text text = WR_TEXT(buf);
    wr_text_str(&text, "could not be asked: ");
    const char *last = NULL;
    for (size_t i = 0; i < judgement->asked_count; i++) {
        struct check_asked *asked = &judgement->asked[i];
        if (asked->answer == CHECK_NOT_ASKED)
            asked->why = "the check was ended before";
        if (!asked->why || (last && strcmp(last, asked->source) == 0))
            continue;
        wr_text_format(&text, "%s%s (%s)", last ? ", " : "", asked->source, asked->why);
        last = asked->source;
    }
    return wr_arena_str(&judgement->arena, text.at);
}

void judgement_decide(struct judgement *judgement, int year)
{
    struct check_finding *finding = &judgement->finding;
    struct bib_verdict *verdict = &finding->verdict;
    wr_err err = bib_decide(finding->reference, judgement->records, judgement->count,
                            year, verdict, &judgement->arena);
    if (judgement->retraction)
        verdict->flags |= BIB_FLAG(RETRACTED);
    add_evidence(judgement);
    finding->asked = judgement->asked;
    finding->asked_count = judgement->asked_count;
    if (err || judgement->arena.full) {
        *verdict = (struct bib_verdict){ .outcome = BIB_INCONCLUSIVE };
        finding->evidence_count = finding->asked_count = 0;
        finding->reason = "there was no memory to judge it";
    } else if (verdict->outcome == BIB_NOT_FOUND && judgement->silent) {
        verdict->outcome = BIB_INCONCLUSIVE;
        finding->reason = name_silent(judgement);
    } else if (verdict->outcome == BIB_NOT_FOUND && !judgement->paged
               && bib_work_is_page(&finding->reference->work)) {
        verdict->outcome = BIB_SKIPPED;
        finding->reason = "it is a page, and pages are not looked at";
    } else if (verdict->outcome == BIB_NOT_FOUND && !judgement->searched) {
        verdict->outcome = BIB_INCONCLUSIVE;
        finding->reason = "only the built-in sample was looked into; name a library, or ask "
                          "the sources outside";
    }
}
