/* report_text.c - a report for a terminal, and for a person in a hurry. */
#include <string.h>

#include "svc/check/cite.h"
#include "svc/check/glyph.h"
#include "svc/check/link.h"
#include "svc/check/report.h"
#include "svc/check/rule.h"

#define UNDECIDED_SHOWN 10      /* unless all are asked for */

struct writer {
    struct wr_text *out;
    struct wr_text scratch;
    const struct check_text_options *options;
};

/* ---- ink ---- */

enum ink { PLAIN, GREEN, CYAN, YELLOW, RED, BOLD };

static const char *const inks[] = {
    [PLAIN] = "", [GREEN] = "\x1b[32m", [CYAN] = "\x1b[36m", [YELLOW] = "\x1b[33m",
    [RED] = "\x1b[1;31m", [BOLD] = "\x1b[1m",
};

static enum ink ink_of(enum check_level level)
{
    static const enum ink of[] = {
        [CHECK_FINE] = GREEN, [CHECK_NOTE] = CYAN, [CHECK_WARNING] = YELLOW,
        [CHECK_ERROR] = RED,
    };
    return of[level];
}

static void begin_ink(struct writer *writer, enum ink ink)
{
    if (writer->options->color)
        wr_text_str(writer->out, inks[ink]);
}

static void end_ink(struct writer *writer)
{
    if (writer->options->color)
        wr_text_str(writer->out, "\x1b[0m");
}

static void write_inked(struct writer *writer, enum ink ink, const char *text)
{
    begin_ink(writer, ink);
    check_glyphs(writer->out, text);
    end_ink(writer);
}

/* ---- one reference ---- */

static void begin_scratch(struct writer *writer)
{
    wr_text_rewind(&writer->scratch, 0);
}

static void end_scratch(struct writer *writer)
{
    check_glyphs(writer->out, writer->scratch.at);
    writer->out->cut += writer->scratch.cut;
}

static void write_work(struct writer *writer, const struct bib_work *work)
{
    begin_scratch(writer);
    check_cite_work(&writer->scratch, work);
    end_scratch(writer);
}

static void write_head(struct writer *writer, const struct bib_reference *reference)
{
    wr_text_format(writer->out, "[%u] ", reference->number);
    if (reference->key) {
        check_glyphs(writer->out, reference->key);
        wr_text_str(writer->out, ": ");
    }
    write_inked(writer, BOLD, check_cite_title(reference));
    if (reference->line)
        wr_text_format(writer->out, " (line %u)", reference->line);
    wr_text_str(writer->out, "\n");
}

/* "    not found: Everybody was asked, and nobody knows this work." */
static void write_rule(struct writer *writer, const struct check_rule *rule)
{
    wr_text_str(writer->out, "    ");
    write_inked(writer, ink_of(rule->level), rule->name);
    wr_text_str(writer->out, ": ");
    wr_text_str(writer->out, rule->what);
}

static void write_mismatch(struct writer *writer, const struct bib_mismatch *mismatch)
{
    static const char *const names[] = { "title", "authors", "year", "venue", "DOI", "arXiv" };
    wr_text_format(writer->out, "      %-7s cited  ", names[mismatch->field]);
    check_glyphs(writer->out, mismatch->cited ? mismatch->cited : "(nothing)");
    wr_text_str(writer->out, "\n              found  ");
    check_glyphs(writer->out, mismatch->found ? mismatch->found : "(nothing)");
    wr_text_str(writer->out, "\n");
}

static const char *notice_of(const struct check_finding *finding)
{
    for (size_t i = 0; i < finding->evidence_count; i++)
        if (finding->evidence[i].retraction)
            return finding->evidence[i].retraction;
    return NULL;
}

static void write_flag(struct writer *writer, const struct check_finding *finding,
                       enum bib_flag flag)
{
    write_rule(writer, check_flag_rule(flag));
    if (flag == BIB_FLAG_DUPLICATE && finding->duplicate_of)
        wr_text_format(writer->out, " It is [%u].", finding->duplicate_of);
    if (flag == BIB_FLAG_RETRACTED && notice_of(finding)) {
        wr_text_str(writer->out, " The notice: ");
        check_glyphs(writer->out, notice_of(finding));
    }
    wr_text_str(writer->out, "\n");
}

static void write_evidence(struct writer *writer, const struct check_evidence *evidence)
{
    wr_text_str(writer->out, "      seen in ");
    begin_scratch(writer);
    check_cite_evidence(&writer->scratch, evidence);
    end_scratch(writer);
    begin_scratch(writer);
    if (check_link_given(&writer->scratch, evidence->url))
        wr_text_str(writer->out, ", ");
    end_scratch(writer);
    wr_text_str(writer->out, "\n");
}

static void write_asked(struct writer *writer, const struct check_finding *finding)
{
    for (size_t i = 0; i < finding->asked_count; i++) {
        const struct check_asked *asked = &finding->asked[i];
        wr_text_str(writer->out, "      ");
        check_glyphs(writer->out, asked->source);
        wr_text_format(writer->out, ": %s", check_cite_answer(asked->answer));
        if (asked->why) {
            wr_text_str(writer->out, ", ");
            check_glyphs(writer->out, asked->why);
        }
        wr_text_str(writer->out, "\n");
    }
}

static void write_outcome(struct writer *writer, const struct check_finding *finding)
{
    const struct bib_verdict *verdict = &finding->verdict;
    if (verdict->outcome == BIB_VERIFIED && verdict->flags && !writer->options->verbose)
        return;
    write_rule(writer, check_outcome_rule(verdict->outcome));
    if (finding->reason) {
        wr_text_str(writer->out, " (");
        check_glyphs(writer->out, finding->reason);
        wr_text_str(writer->out, ")");
    }
    wr_text_str(writer->out, "\n");
    for (size_t i = 0; i < verdict->mismatch_count; i++)
        write_mismatch(writer, &verdict->mismatches[i]);
    if (verdict->outcome == BIB_NOT_FOUND) {
        wr_text_str(writer->out, "      cited as ");
        write_work(writer, &finding->reference->work);
        wr_text_str(writer->out, "\n");
    }
}

static void write_finding(struct writer *writer, const struct check_finding *finding)
{
    write_head(writer, finding->reference);
    write_outcome(writer, finding);
    for (unsigned flag = 0; flag < BIB_FLAG_COUNT; flag++)
        if (finding->verdict.flags >> flag & 1)
            write_flag(writer, finding, (enum bib_flag)flag);
    size_t shown = writer->options->verbose ? finding->evidence_count
        : finding->evidence_count > 0       ? 1
                                            : 0;
    for (size_t i = 0; i < shown; i++)
        write_evidence(writer, &finding->evidence[i]);
    if (writer->options->verbose)
        write_asked(writer, finding);
    wr_text_str(writer->out, "\n");
}

/* ---- the whole ---- */

/* One line each, since what is common to them is somebody who could not be asked. */
static void write_undecided(struct writer *writer, const struct check_report *report,
                            uint32_t count)
{
    uint32_t shown = 0;
    write_inked(writer, CYAN, "Could not be decided:");
    wr_text_str(writer->out, "\n");
    for (size_t i = 0; i < report->count && shown < UNDECIDED_SHOWN; i++) {
        const struct check_finding *finding = &report->findings[i];
        if (finding->verdict.outcome != BIB_INCONCLUSIVE
            || check_level(&finding->verdict) >= CHECK_WARNING)
            continue;
        shown++;
        wr_text_format(writer->out, "  [%u] ", finding->reference->number);
        check_glyphs(writer->out, check_cite_title(finding->reference));
        if (finding->reason) {
            wr_text_str(writer->out, " (");
            check_glyphs(writer->out, finding->reason);
            wr_text_str(writer->out, ")");
        }
        wr_text_str(writer->out, "\n");
    }
    if (shown < count)
        wr_text_format(writer->out, "  and %u more\n", count - shown);
    wr_text_str(writer->out, "\n");
}

/* "2 verified, 1 not found" */
static void write_counts(struct writer *writer, const struct check_summary *summary)
{
    const char *between = "";
    for (unsigned i = 0; i < BIB_OUTCOME_COUNT; i++) {
        if (summary->outcomes[i] == 0)
            continue;
        const struct check_rule *rule = check_outcome_rule((enum bib_outcome)i);
        wr_text_str(writer->out, between);
        begin_ink(writer, i == BIB_SKIPPED ? PLAIN : ink_of(rule->level));
        wr_text_format(writer->out, "%u %s", summary->outcomes[i], rule->name);
        end_ink(writer);
        between = ", ";
    }
    if (summary->flags[BIB_FLAG_RETRACTED] > 0) {
        wr_text_str(writer->out, between);
        begin_ink(writer, RED);
        wr_text_format(writer->out, "%u retracted", summary->flags[BIB_FLAG_RETRACTED]);
        end_ink(writer);
    }
}

static void write_conclusion(struct writer *writer, const struct check_report *report,
                             const struct check_summary *summary)
{
    if (summary->attention > 0)
        wr_text_format(writer->out, "%u of %u %s a look: a reason to check, not a proof.\n",
                       summary->attention, summary->total,
                       summary->attention == 1 ? "needs" : "need");
    else if (summary->outcomes[BIB_INCONCLUSIVE] > 0)
        wr_text_str(writer->out, "Nothing that could be decided needs a look.\n");
    else if (summary->outcomes[BIB_VERIFIED] == summary->total)
        wr_text_str(writer->out, "All of them exist, as cited.\n");
    else
        wr_text_str(writer->out, "Nothing needs a look.\n");
    if (report->cut_short)
        wr_text_str(writer->out, "The check ended before it had judged all of them.\n");
}

static void write_summary(struct writer *writer, const struct check_report *report)
{
    struct check_summary summary = check_summarise(report);
    check_glyphs(writer->out, report->file);
    wr_text_format(writer->out, ": %u reference%s", summary.total,
                   summary.total == 1 ? "" : "s");
    if (!report->unjudged && summary.total > 0) {
        wr_text_str(writer->out, ": ");
        write_counts(writer, &summary);
    }
    wr_text_str(writer->out, "\n");
    if (report->note) {
        check_glyphs(writer->out, report->note);
        wr_text_str(writer->out, "\n");
    }
    if (!report->unjudged && summary.total > 0)
        write_conclusion(writer, report, &summary);
}

static void write_extracted(struct writer *writer, const struct check_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct bib_reference *reference = report->findings[i].reference;
        write_head(writer, reference);
        wr_text_str(writer->out, "    ");
        write_work(writer, &reference->work);
        wr_text_str(writer->out, "\n");
    }
}

static bool is_shown(const struct writer *writer, const struct check_finding *finding)
{
    enum check_level level = check_level(&finding->verdict);
    return writer->options->verbose || level >= CHECK_WARNING
        || (level == CHECK_NOTE && finding->verdict.outcome != BIB_INCONCLUSIVE);
}

static void write_report(struct writer *writer, const struct check_report *report)
{
    uint32_t undecided = 0;
    if (report->unjudged) {
        write_extracted(writer, report);
    } else {
        for (size_t i = 0; i < report->count; i++) {
            const struct check_finding *finding = &report->findings[i];
            if (is_shown(writer, finding))
                write_finding(writer, finding);
            else
                undecided += finding->verdict.outcome == BIB_INCONCLUSIVE;
        }
        if (undecided > 0)
            write_undecided(writer, report, undecided);
    }
    write_summary(writer, report);
}

void check_write_text(struct wr_text *ret, const struct check_report *const *reports,
                      size_t count, const struct check_text_options *options)
{
    struct writer writer = {
        .out = ret, .scratch = wr_text_heap(CHECK_PAGE_MAX), .options = options,
    };
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            wr_text_str(ret, "\n");
        write_report(&writer, reports[i]);
    }
    wr_text_free(&writer.scratch);
}
