/* choice.c - of many candidates the one that was meant, and what is to be said. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "biblio/author.h"
#include "biblio/ident.h"
#include "biblio/judge.h"
#include "biblio/title.h"

#define EVIDENCE_MAX 4
#define NAMES_MAX 400           /* bytes of a list of authors that are shown */
#define FIRM_WORDS 3

struct candidate {
    const struct bib_record *record;
    struct bib_comparison comparison;
    unsigned silent;        /* weight of the faults that others tell of and this one does not */
};

/* ---- the order of candidates: total, so that who answered first makes no difference */

static unsigned weight(size_t field)
{
    return field == BIB_FIELD_TITLE || field == BIB_FIELD_AUTHORS ? 3 : 2;
}

static unsigned faults(const struct candidate *candidate)
{
    unsigned sum = candidate->silent;
    for (size_t i = 0; i < BIB_FIELD_COUNT; i++)
        if (candidate->comparison.fields[i] == BIB_DIFFERS)
            sum += weight(i);
    return sum;
}

static unsigned agreements(const struct bib_comparison *comparison)
{
    unsigned sum = 0;
    for (size_t i = 0; i < BIB_FIELD_COUNT; i++)
        sum += comparison->fields[i] == BIB_AGREES;
    return sum;
}

static int by_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int by_number(unsigned first, unsigned second)
{
    return (first > second) - (first < second);
}

static int better(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    const struct bib_comparison *p = &x->comparison, *q = &y->comparison;
    const struct bib_work *v = &x->record->work, *w = &y->record->work;
    int by = by_number(q->meant, p->meant);
    by = by ? by : by_number(faults(x), faults(y));
    by = by ? by : by_number(x->silent, y->silent);
    by = by ? by : by_number(agreements(q), agreements(p));
    by = by ? by : by_number(q->alike, p->alike);
    by = by ? by : by_text(x->record->source, y->record->source);
    by = by ? by : by_text(x->record->id, y->record->id);
    by = by ? by : by_text(v->title, w->title);
    by = by ? by : by_text(v->venue, w->venue);
    by = by ? by : by_text(v->doi, w->doi);
    return by ? by : (v->year > w->year) - (v->year < w->year);
}

/* ---- who says nothing does not agree: a record without a year is no proof of one */

/* Nor is one that may lack authors proof of those that it lacks. */
static enum bib_agreement says(const struct candidate *candidate, size_t field)
{
    const struct bib_comparison *comparison = &candidate->comparison;
    return field == BIB_FIELD_AUTHORS && comparison->excused ? BIB_UNSAID
                                                             : comparison->fields[field];
}

/* Somebody says that the field is wrong, and nobody that it is right. */
static bool is_refuted(const struct candidate *candidates, size_t count, size_t field)
{
    bool refuted = false;
    for (size_t i = 0; i < count; i++) {
        if (!candidates[i].comparison.meant)
            continue;
        if (says(&candidates[i], field) == BIB_AGREES)
            return false;
        refuted |= says(&candidates[i], field) == BIB_DIFFERS;
    }
    return refuted;
}

/* Who says nothing of such a field has it against him like those who do; what they have against
 * them besides still decides, so another version of a work does not speak for this one. */
static void weigh_silence(struct candidate *candidates, size_t count)
{
    for (size_t field = 0; field < BIB_FIELD_COUNT; field++)
        if (is_refuted(candidates, count, field))
            for (size_t i = 0; i < count; i++)
                if (says(&candidates[i], field) == BIB_UNSAID)
                    candidates[i].silent += weight(field);
}

/* ---- what is said */

struct saying {
    struct bib_verdict *verdict;
    struct bib_mismatch *mismatches;
    const struct bib_record **evidence;
    struct wr_arena *arena;
};

static const char *names_of(struct wr_arena *arena, const struct bib_work *work)
{
    char buf[NAMES_MAX];
    struct wr_text text = WR_TEXT(buf);
    for (uint32_t i = 0; i < work->author_count; i++) {
        const struct bib_name *name = &work->authors[i];
        size_t before = text.len;
        wr_text_str(&text, i ? ", " : "");
        if (name->given) {
            wr_text_str(&text, name->given);
            wr_text_str(&text, " ");
        }
        wr_text_str(&text, name->family);
        if (text.cut || text.len > NAMES_MAX - sizeof(", et al.")) {
            wr_text_rewind(&text, before);
            wr_text_str(&text, ", et al.");
            return wr_arena_copy(arena, text.at, text.len);
        }
    }
    if (work->et_al)
        wr_text_str(&text, ", et al.");
    return wr_arena_copy(arena, text.at, text.len);
}

static const char *year_of(struct wr_arena *arena, const struct bib_work *work)
{
    char buf[24];
    struct wr_text text = WR_TEXT(buf);
    wr_text_i64(&text, work->year);
    return wr_arena_copy(arena, text.at, text.len);
}

static const char *text_of(struct wr_arena *arena, const struct bib_work *work,
                           enum bib_field field)
{
    switch (field) {
    case BIB_FIELD_TITLE: return work->title;
    case BIB_FIELD_AUTHORS: return names_of(arena, work);
    case BIB_FIELD_YEAR: return year_of(arena, work);
    case BIB_FIELD_VENUE: return work->venue ? work->venue : "none: it is a preprint";
    case BIB_FIELD_DOI: return work->doi ? work->doi : "no DOI: none are given there";
    case BIB_FIELD_ARXIV_ID:
        return work->arxiv_id ? work->arxiv_id
               : work->doi    ? bib_ident_doi_arxiv(work->doi)
                              : NULL;
    case BIB_FIELD_COUNT: break;
    }
    return NULL;
}

static void say_mismatch(struct saying *saying, enum bib_field field, const char *cited,
                         const char *found)
{
    struct bib_verdict *verdict = saying->verdict;
    for (size_t i = 0; i < verdict->mismatch_count; i++)
        if (saying->mismatches[i].field == field)
            return;
    saying->mismatches[verdict->mismatch_count++] =
        (struct bib_mismatch){ field, cited ? cited : "", found ? found : "" };
    verdict->outcome = BIB_MISMATCH;
}

static bool is_same_record(const struct bib_record *a, const struct bib_record *b)
{
    return a == b || (by_text(a->source, b->source) == 0 && by_text(a->id, b->id) == 0);
}

static void add_evidence(struct saying *saying, const struct bib_record *record)
{
    struct bib_verdict *verdict = saying->verdict;
    for (size_t i = 0; i < verdict->evidence_count; i++)
        if (is_same_record(saying->evidence[i], record))
            return;
    if (verdict->evidence_count < EVIDENCE_MAX)
        saying->evidence[verdict->evidence_count++] = record;
}

/* ---- flags */

static bool has_placeholder(const struct bib_work *work)
{
    for (uint32_t i = 0; i < work->author_count && i < BIB_AUTHORS_MAX; i++)
        if (bib_author_is_placeholder(&work->authors[i]))
            return true;
    return false;
}

static uint32_t flags_of(const struct bib_reference *reference, int year)
{
    uint32_t flags = 0;
    if (year && reference->work.year > year + 1)
        flags |= BIB_FLAG(FUTURE_DATE);
    if (has_placeholder(&reference->work))
        flags |= BIB_FLAG(PLACEHOLDER_AUTHORS);
    if (reference->truncated)
        flags |= BIB_FLAG(TRUNCATED);
    return flags;
}

/* ---- deciding */

/* The same work too, by another record of it. */
static bool stands_beside(const struct bib_comparison *comparison)
{
    return comparison->meant && comparison->fields[BIB_FIELD_TITLE] != BIB_DIFFERS &&
           comparison->fields[BIB_FIELD_AUTHORS] != BIB_DIFFERS;
}

static void say_chosen(struct saying *saying, const struct bib_work *cited,
                       const struct candidate *chosen, int year)
{
    struct bib_verdict *verdict = saying->verdict;
    const struct bib_work *found = &chosen->record->work;
    verdict->outcome = BIB_VERIFIED;
    verdict->similarity = (uint16_t)chosen->comparison.alike;
    add_evidence(saying, chosen->record);
    for (size_t i = 0; i < BIB_FIELD_COUNT; i++) {
        enum bib_field field = (enum bib_field)i;
        if (chosen->comparison.fields[i] == BIB_DIFFERS)
            say_mismatch(saying, field, text_of(saying->arena, cited, field),
                         text_of(saying->arena, found, field));
    }
    if (year && cited->arxiv_id && !bib_ident_arxiv_possible(cited->arxiv_id, year, 12))
        say_mismatch(saying, BIB_FIELD_ARXIV_ID, cited->arxiv_id,
                     found->arxiv_id ? found->arxiv_id : "arXiv has no such number");
    if (chosen->comparison.unjudged)
        verdict->flags |= BIB_FLAG(AUTHORS_UNJUDGED);
}

/* An identifier that leads to another work. */
static void say_foreign(struct saying *saying, const struct bib_work *cited,
                        const struct candidate *other)
{
    struct bib_verdict *verdict = saying->verdict;
    bool by_doi = other->comparison.fields[BIB_FIELD_DOI] == BIB_AGREES;
    verdict->flags |= BIB_FLAG(FOREIGN_IDENTIFIER);
    add_evidence(saying, other->record);
    if (verdict->outcome == BIB_NOT_FOUND)
        return;
    say_mismatch(saying, by_doi ? BIB_FIELD_DOI : BIB_FIELD_ARXIV_ID,
                 by_doi ? cited->doi : text_of(saying->arena, cited, BIB_FIELD_ARXIV_ID),
                 other->record->work.title);
}

static void say_all(struct saying *saying, const struct bib_reference *reference,
                    const struct candidate *candidates, size_t count, int year)
{
    struct bib_verdict *verdict = saying->verdict;
    const struct bib_work *cited = &reference->work;
    bool chosen = count > 0 && candidates[0].comparison.meant;
    verdict->flags = flags_of(reference, year);
    verdict->outcome = BIB_NOT_FOUND;
    verdict->firm = !reference->truncated && cited->title &&
                    bib_title_words(cited->title) >= FIRM_WORDS;
    if (chosen)
        say_chosen(saying, cited, &candidates[0], year);
    /* The first is the best one, so it is never foreign to itself. */
    bool confirmed = chosen && candidates[0].comparison.identified;
    for (size_t i = 0; i < count; i++) {
        const struct candidate *other = &candidates[i];
        if (other->comparison.identified && !other->comparison.meant && !confirmed)
            say_foreign(saying, cited, other);
        if (!chosen || !stands_beside(&other->comparison))
            continue;
        add_evidence(saying, other->record);
        if (other->record->retraction)
            verdict->flags |= BIB_FLAG(RETRACTED);
        if (other->comparison.preprint)
            verdict->flags |= BIB_FLAG(PREPRINT_OF_PUBLISHED);
    }
    if (chosen && candidates[0].record->retraction)
        verdict->flags |= BIB_FLAG(RETRACTED);
}

wr_err bib_decide(const struct bib_reference *reference, const struct bib_record *records,
                  size_t count, int year, struct bib_verdict *ret, struct wr_arena *arena)
{
    count = count < BIB_CANDIDATES_MAX ? count : BIB_CANDIDATES_MAX;
    struct candidate *candidates = wr_arena_alloc(arena, (count + 1) * sizeof(*candidates));
    struct saying saying = { .verdict = ret, .arena = arena };
    saying.mismatches = wr_arena_alloc(arena, BIB_FIELD_COUNT * sizeof(struct bib_mismatch));
    saying.evidence = wr_arena_alloc(arena, EVIDENCE_MAX * sizeof(void *));
    *ret = (struct bib_verdict){ .outcome = BIB_NOT_FOUND };
    if (!candidates || !saying.mismatches || !saying.evidence)
        return WR_NOMEM;
    struct bib_work cited = reference->work;
    cited.et_al = cited.et_al || reference->truncated;      /* the rest may be missing */
    for (size_t i = 0; i < count; i++)
        candidates[i] = (struct candidate){ &records[i], bib_judge(&cited, &records[i]), 0 };
    weigh_silence(candidates, count);
    qsort(candidates, count, sizeof(*candidates), better);
    ret->mismatches = saying.mismatches;
    ret->evidence = saying.evidence;
    say_all(&saying, reference, candidates, count, year);
    return arena->full ? WR_NOMEM : WR_OK;
}
