/* cite.c - a work, and what was done about it, in a line. */
#include <weir/panic.h>

#include "svc/check/cite.h"

#define AUTHORS_SHOWN 8         /* of a work in one line */

static bool is_some(const char *text)
{
    return text && *text;
}

void check_cite_name(struct wr_text *ret, const struct bib_name *name)
{
    if (is_some(name->given)) {
        wr_text_str(ret, name->given);
        if (is_some(name->family))
            wr_text_str(ret, " ");
    }
    if (is_some(name->family))
        wr_text_str(ret, name->family);
}

void check_cite_authors(struct wr_text *ret, const struct bib_work *work, uint32_t max)
{
    uint32_t shown = work->author_count < max ? work->author_count : max;
    for (uint32_t i = 0; i < shown; i++) {
        if (i > 0)
            wr_text_str(ret, ", ");
        check_cite_name(ret, &work->authors[i]);
    }
    if (shown < work->author_count)
        wr_text_format(ret, ", and %u more", work->author_count - shown);
    else if (work->et_al)
        wr_text_str(ret, shown > 0 ? ", et al." : "et al.");
}

void check_cite_work(struct wr_text *ret, const struct bib_work *work)
{
    if (work->author_count > 0) {
        check_cite_authors(ret, work, AUTHORS_SHOWN);
        wr_text_str(ret, ": ");
    }
    wr_text_str(ret, is_some(work->title) ? work->title : "(no title)");
    if (is_some(work->venue)) {
        wr_text_str(ret, ". ");
        wr_text_str(ret, work->venue);
    }
    if (work->year)
        wr_text_format(ret, is_some(work->venue) ? ", %d" : ". %d", work->year);
    wr_text_str(ret, ".");
}

void check_cite_evidence(struct wr_text *ret, const struct check_evidence *evidence)
{
    wr_text_str(ret, is_some(evidence->source) ? evidence->source : "(no name)");
    if (is_some(evidence->id)) {
        wr_text_str(ret, " ");
        wr_text_str(ret, evidence->id);
    }
    if (is_some(evidence->version)) {
        wr_text_str(ret, ", version ");
        wr_text_str(ret, evidence->version);
    }
    if (evidence->similarity > 0) {
        wr_text_str(ret, ", title ");
        wr_text_decimal(ret, evidence->similarity, 1);
        wr_text_str(ret, " % alike");
    }
}

const char *check_cite_title(const struct bib_reference *reference)
{
    return is_some(reference->work.title) ? reference->work.title
        : is_some(reference->raw)         ? reference->raw
                                          : "(nothing)";
}

const char *check_cite_answer(enum check_answer answer)
{
    static const char *const words[] = {
        [CHECK_FOUND] = "found",
        [CHECK_UNKNOWN] = "unknown",
        [CHECK_FAILED] = "failed",
        [CHECK_NOT_ASKED] = "not asked",
    };
    WR_ASSERT(answer < CHECK_ANSWER_COUNT);
    return words[answer];
}
