/* report_markdown.c - a report for a pull request, an issue or a wiki: GitHub's Markdown. */
#include <string.h>

#include "svc/check/cite.h"
#include "svc/check/glyph.h"
#include "svc/check/link.h"
#include "svc/check/report.h"
#include "svc/check/rule.h"

struct writer {
    struct wr_text *out;
    struct wr_text scratch;
};

/* What begins something in the middle of a line; nothing that is written here begins one. */
static void write_safe(struct wr_text *out, const char *text)
{
    while (text && *text) {
        struct check_glyph glyph = check_glyph_next(&text);
        if (glyph.code < 0x80 && strchr("\\`*_[]<>|~&#$!", (int)glyph.code))
            wr_text_str(out, "\\");
        wr_text_bytes(out, glyph.bytes, glyph.len);
    }
}

static void begin_scratch(struct writer *writer)
{
    wr_text_rewind(&writer->scratch, 0);
}

static void end_scratch(struct writer *writer)
{
    write_safe(writer->out, writer->scratch.at);
    writer->out->cut += writer->scratch.cut;
}

/* The address stands in the scratch text, with nothing in it that ends it. */
static void write_link(struct writer *writer, const char *name)
{
    wr_text_format(writer->out, "[%s](<", name);
    wr_text_bytes(writer->out, writer->scratch.at, writer->scratch.len);
    wr_text_str(writer->out, ">)");
    writer->out->cut += writer->scratch.cut;
}

/* ---- the table ---- */

/* "not as cited: title, year" */
static void write_verdict(struct wr_text *out, const struct check_finding *finding)
{
    const struct bib_verdict *verdict = &finding->verdict;
    wr_text_str(out, check_outcome_rule(verdict->outcome)->name);
    for (size_t i = 0; i < verdict->mismatch_count; i++) {
        wr_text_str(out, i > 0 ? ", " : ": ");
        write_safe(out, bib_field_word(verdict->mismatches[i].field));
    }
    for (unsigned flag = 0; flag < BIB_FLAG_COUNT; flag++)
        if (verdict->flags >> flag & 1)
            wr_text_format(out, "; **%s**", check_flag_rule((enum bib_flag)flag)->name);
}

static void write_row(struct writer *writer, const struct check_finding *finding, bool unjudged)
{
    const struct bib_reference *reference = finding->reference;
    wr_text_format(writer->out, "| %u | ", reference->number);
    write_safe(writer->out, reference->key);
    wr_text_str(writer->out, " | ");
    if (unjudged) {
        begin_scratch(writer);
        check_cite_work(&writer->scratch, &reference->work);
        end_scratch(writer);
    } else {
        write_safe(writer->out, check_cite_title(reference));
        wr_text_str(writer->out, " | ");
        write_verdict(writer->out, finding);
    }
    wr_text_str(writer->out, " |\n");
}

static void write_table(struct writer *writer, const struct check_report *report, bool fine)
{
    wr_text_str(writer->out, report->unjudged
                    ? "| number | key | reference |\n|---:|---|---|\n"
                    : "| number | key | title | verdict |\n|---:|---|---|---|\n");
    for (size_t i = 0; i < report->count; i++) {
        const struct check_finding *finding = &report->findings[i];
        if (report->unjudged || fine == (check_level(&finding->verdict) == CHECK_FINE))
            write_row(writer, finding, report->unjudged);
    }
    wr_text_str(writer->out, "\n");
}

/* ---- details ---- */

static void write_mismatches(struct wr_text *out, const struct bib_verdict *verdict)
{
    if (verdict->mismatch_count == 0)
        return;
    wr_text_str(out, "| field | cited | found |\n|---|---|---|\n");
    for (size_t i = 0; i < verdict->mismatch_count; i++) {
        const struct bib_mismatch *mismatch = &verdict->mismatches[i];
        wr_text_str(out, "| ");
        write_safe(out, bib_field_word(mismatch->field));
        wr_text_str(out, " | ");
        write_safe(out, mismatch->cited);
        wr_text_str(out, " | ");
        write_safe(out, mismatch->found);
        wr_text_str(out, " |\n");
    }
    wr_text_str(out, "\n");
}

static void write_rule(struct wr_text *out, const struct check_finding *finding,
                       const struct check_rule *rule)
{
    if (rule->level == CHECK_FINE)
        return;
    wr_text_format(out, "- **%s**: %s", rule->name, rule->what);
    if (rule == check_flag_rule(BIB_FLAG_DUPLICATE) && finding->duplicate_of)
        wr_text_format(out, " It is \\[%u\\].", finding->duplicate_of);
    wr_text_format(out, " %s\n", rule->help);
}

static void write_evidence(struct writer *writer, const struct check_evidence *evidence)
{
    wr_text_str(writer->out, "- found in ");
    begin_scratch(writer);
    check_cite_evidence(&writer->scratch, evidence);
    end_scratch(writer);
    begin_scratch(writer);
    if (check_link_given(&writer->scratch, evidence->url)) {
        wr_text_str(writer->out, ", ");
        write_link(writer, "record");
    }
    if (evidence->work) {
        wr_text_str(writer->out, ": ");
        begin_scratch(writer);
        check_cite_work(&writer->scratch, evidence->work);
        end_scratch(writer);
    }
    if (evidence->retraction) {
        wr_text_str(writer->out, " **Retracted**, the notice: ");
        write_safe(writer->out, evidence->retraction);
    }
    wr_text_str(writer->out, "\n");
}

static void write_links(struct writer *writer, const struct bib_work *work)
{
    const char *between = "- look it up: ";
    for (unsigned i = 0; i < CHECK_LINK_COUNT; i++) {
        begin_scratch(writer);
        if (!check_link_to(&writer->scratch, (enum check_link)i, work))
            continue;
        wr_text_str(writer->out, between);
        write_link(writer, check_link_name((enum check_link)i));
        between = ", ";
    }
    wr_text_str(writer->out, between[0] == ',' ? "\n" : "");
}

static void write_finding(struct writer *writer, const struct check_finding *finding)
{
    const struct bib_verdict *verdict = &finding->verdict;
    wr_text_format(writer->out, "### \\[%u\\] ", finding->reference->number);
    write_safe(writer->out, check_cite_title(finding->reference));
    wr_text_str(writer->out, "\n\n");
    write_mismatches(writer->out, verdict);
    write_rule(writer->out, finding, check_outcome_rule(verdict->outcome));
    for (unsigned flag = 0; flag < BIB_FLAG_COUNT; flag++)
        if (verdict->flags >> flag & 1)
            write_rule(writer->out, finding, check_flag_rule((enum bib_flag)flag));
    if (finding->reason) {
        wr_text_str(writer->out, "- why: ");
        write_safe(writer->out, finding->reason);
        wr_text_str(writer->out, "\n");
    }
    wr_text_str(writer->out, "- cited as ");
    begin_scratch(writer);
    check_cite_work(&writer->scratch, &finding->reference->work);
    end_scratch(writer);
    wr_text_str(writer->out, "\n");
    for (size_t i = 0; i < finding->evidence_count; i++)
        write_evidence(writer, &finding->evidence[i]);
    write_links(writer, &finding->reference->work);
    wr_text_str(writer->out, "\n");
}

/* ---- the document ---- */

static void write_summary(struct wr_text *out, const struct check_report *report,
                          const struct check_summary *summary)
{
    wr_text_format(out, "%u reference%s", summary->total, summary->total == 1 ? "" : "s");
    for (unsigned i = 0; i < BIB_OUTCOME_COUNT; i++)
        if (summary->outcomes[i] > 0)
            wr_text_format(out, ", %u %s", summary->outcomes[i],
                           check_outcome_rule((enum bib_outcome)i)->name);
    if (report->unjudged)
        wr_text_str(out, ", extracted only.\n\n");
    else if (summary->attention > 0)
        wr_text_format(out, ". **%u need%s a look**: a reason to check, not a proof.\n\n",
                       summary->attention, summary->attention == 1 ? "s" : "");
    else
        wr_text_str(out, ". Nothing that could be decided needs a look.\n\n");
    if (report->cut_short)
        wr_text_str(out, "The check ended before it had judged all of them.\n\n");
    if (report->note) {
        wr_text_str(out, "Note: ");
        write_safe(out, report->note);
        wr_text_str(out, "\n\n");
    }
}

static void write_judged(struct writer *writer, const struct check_report *report)
{
    size_t fine = 0;
    for (size_t i = 0; i < report->count; i++)
        fine += check_level(&report->findings[i].verdict) == CHECK_FINE;
    if (fine < report->count)
        write_table(writer, report, false);
    for (size_t i = 0; i < report->count; i++)
        if (check_level(&report->findings[i].verdict) != CHECK_FINE)
            write_finding(writer, &report->findings[i]);
    if (fine > 0) {
        wr_text_format(writer->out, "<details><summary>%zu without a finding</summary>\n\n",
                       fine);
        write_table(writer, report, true);
        wr_text_str(writer->out, "</details>\n\n");
    }
}

void check_write_markdown(struct wr_text *ret, const struct check_report *const *reports,
                          size_t count)
{
    struct writer writer = { .out = ret, .scratch = wr_text_heap(CHECK_PAGE_MAX) };
    for (size_t i = 0; i < count; i++) {
        struct check_summary summary = check_summarise(reports[i]);
        wr_text_str(ret, "## References of ");
        write_safe(ret, reports[i]->file);
        wr_text_str(ret, "\n\n");
        write_summary(ret, reports[i], &summary);
        if (!reports[i]->unjudged)
            write_judged(&writer, reports[i]);
        else if (reports[i]->count > 0)
            write_table(&writer, reports[i], true);
    }
    wr_text_free(&writer.scratch);
}
