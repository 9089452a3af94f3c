/* report_html.c - a report as a page: one file, no script, nothing loaded from anywhere. */
#include <string.h>

#include "base/version.h"
#include "svc/check/cite.h"
#include "svc/check/diff.h"
#include "svc/check/glyph.h"
#include "svc/check/link.h"
#include "svc/check/report.h"
#include "svc/check/report_style.h"
#include "svc/check/rule.h"

struct writer {
    struct wr_text *out;
    struct wr_text scratch;
    size_t document;            /* from 1 */
};

/* ---- escaping ---- */

static void write_glyph(struct wr_text *out, struct check_glyph glyph)
{
    switch (glyph.code) {
    case '&': wr_text_str(out, "&amp;"); return;
    case '<': wr_text_str(out, "&lt;"); return;
    case '>': wr_text_str(out, "&gt;"); return;
    case '"': wr_text_str(out, "&quot;"); return;
    case '\'': wr_text_str(out, "&#39;"); return;
    }
    wr_text_bytes(out, glyph.bytes, glyph.len);
}

static void write_until(struct wr_text *out, const char *at, const char *end)
{
    while (at < end)
        write_glyph(out, check_glyph_next(&at));
}

/* Safe between tags and in attributes with double quotes. */
static void write_safe(struct wr_text *out, const char *text)
{
    if (text)
        write_until(out, text, text + strlen(text));
}

/* The same, apart from the direction of what stands around it. */
static void write_aside(struct wr_text *out, const char *text)
{
    wr_text_str(out, "<bdi>");
    write_safe(out, text);
    wr_text_str(out, "</bdi>");
}

static void begin_scratch(struct writer *writer)
{
    wr_text_rewind(&writer->scratch, 0);
}

static void end_scratch(struct writer *writer)
{
    write_aside(writer->out, writer->scratch.at);
    writer->out->cut += writer->scratch.cut;
}

/* The address stands in the scratch text. */
static void write_link(struct writer *writer, const char *name)
{
    wr_text_str(writer->out, "<a href=\"");
    write_safe(writer->out, writer->scratch.at);
    wr_text_str(writer->out, "\" target=\"_blank\" rel=\"noopener noreferrer\">");
    write_safe(writer->out, name);
    wr_text_str(writer->out, "</a>");
    writer->out->cut += writer->scratch.cut;
}

/* ---- what differs ---- */

/* The text, with a mark around each run of words that differ. */
static void write_marked(struct wr_text *out, const char *text, const struct check_words *words)
{
    bool marked = false;
    const char *at = text;
    wr_text_str(out, "<bdi>");
    for (size_t i = 0; i < words->count; i++) {
        const struct check_word *word = &words->at[i];
        if (marked && !word->differs)
            wr_text_str(out, "</mark>");
        write_until(out, at, word->at);
        if (!marked && word->differs)
            wr_text_str(out, "<mark>");
        marked = word->differs;
        at = word->at + word->len;
        write_until(out, word->at, at);
    }
    wr_text_str(out, marked ? "</mark>" : "");
    write_safe(out, at);
    wr_text_str(out, "</bdi>");
}

static void write_side(struct wr_text *out, const char *side, const char *text,
                       const struct check_words *words)
{
    wr_text_format(out, "<td data-side=\"%s\">", side);
    if (text && *text)
        write_marked(out, text, words);
    else
        wr_text_str(out, "<span class=\"soft\">(nothing)</span>");
    wr_text_str(out, "</td>");
}

static void write_mismatches(struct writer *writer, const struct bib_verdict *verdict)
{
    static const char *const names[] = { "Title", "Authors", "Year", "Venue", "DOI", "arXiv" };
    struct wr_text *out = writer->out;
    if (verdict->mismatch_count == 0)
        return;
    wr_text_str(out, "<table><caption>What differs; the words that do are marked</caption>"
                     "<thead><tr><th scope=\"col\">Field</th><th scope=\"col\">Cited</th>"
                     "<th scope=\"col\">Found</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < verdict->mismatch_count; i++) {
        const struct bib_mismatch *mismatch = &verdict->mismatches[i];
        struct wr_arena arena = WR_ARENA(CHECK_DIFF_ARENA);
        struct check_diff diff = check_diff(&arena, mismatch->cited, mismatch->found);
        wr_text_format(out, "<tr><th scope=\"row\">%s</th>", names[mismatch->field]);
        write_side(out, "cited", mismatch->cited, &diff.cited);
        write_side(out, "found", mismatch->found, &diff.found);
        wr_text_str(out, "</tr>\n");
        wr_arena_free(&arena);
    }
    wr_text_str(out, "</tbody></table>\n");
}

/* ---- what it stands on ---- */

static void write_evidence(struct writer *writer, const struct check_evidence *evidence)
{
    struct wr_text *out = writer->out;
    wr_text_str(out, "<li>");
    begin_scratch(writer);
    check_cite_evidence(&writer->scratch, evidence);
    end_scratch(writer);
    begin_scratch(writer);
    if (check_link_given(&writer->scratch, evidence->url)) {
        wr_text_str(out, " (");
        write_link(writer, "see the record");
        wr_text_str(out, ")");
    }
    if (evidence->work) {
        wr_text_str(out, "<br>");
        begin_scratch(writer);
        check_cite_work(&writer->scratch, evidence->work);
        end_scratch(writer);
    }
    if (evidence->retraction) {
        wr_text_str(out, "<br><strong>Retracted</strong>, the notice: ");
        write_aside(out, evidence->retraction);
    }
    wr_text_str(out, "</li>\n");
}

static void write_sources(struct writer *writer, const struct check_finding *finding)
{
    struct wr_text *out = writer->out;
    if (finding->evidence_count > 0) {
        wr_text_str(out, "<p class=\"soft\">Found in</p><ul>\n");
        for (size_t i = 0; i < finding->evidence_count; i++)
            write_evidence(writer, &finding->evidence[i]);
        wr_text_str(out, "</ul>\n");
    }
    if (finding->asked_count == 0)
        return;
    wr_text_str(out, "<details><summary>Who was asked</summary><ul>\n");
    for (size_t i = 0; i < finding->asked_count; i++) {
        const struct check_asked *asked = &finding->asked[i];
        wr_text_str(out, "<li>");
        write_aside(out, asked->source);
        wr_text_format(out, ": %s", check_cite_answer(asked->answer));
        if (asked->why) {
            wr_text_str(out, ", ");
            write_aside(out, asked->why);
        }
        wr_text_str(out, "</li>\n");
    }
    wr_text_str(out, "</ul></details>\n");
}

static void write_links(struct writer *writer, const struct bib_work *work)
{
    const char *between = "<p class=\"links\">Look it up: ";
    for (unsigned i = 0; i < CHECK_LINK_COUNT; i++) {
        begin_scratch(writer);
        if (!check_link_to(&writer->scratch, (enum check_link)i, work))
            continue;
        wr_text_str(writer->out, between);
        write_link(writer, check_link_name((enum check_link)i));
        between = " · ";
    }
    for (uint32_t i = 0; i < work->url_count; i++) {
        begin_scratch(writer);
        if (!check_link_given(&writer->scratch, work->urls[i]))
            continue;
        wr_text_str(writer->out, between);
        write_link(writer, "its address");
        between = " · ";
    }
    wr_text_str(writer->out, between[0] == '<' ? "" : "</p>\n");
}

/* ---- one reference ---- */

static const struct { const char *class, *sign; } looks[] = {
    [CHECK_FINE] = { "fine", "✓" },
    [CHECK_NOTE] = { "note", "i" },
    [CHECK_WARNING] = { "warning", "!" },
    [CHECK_ERROR] = { "error", "✗" },
};

static void write_badge(struct writer *writer, const struct check_rule *rule)
{
    wr_text_format(writer->out,
                   "<span class=\"badge %s\"><span aria-hidden=\"true\">%s</span> %s</span>",
                   looks[rule->level].class, looks[rule->level].sign, rule->name);
}

static void write_rule(struct writer *writer, const struct check_finding *finding,
                       const struct check_rule *rule)
{
    if (rule->level == CHECK_FINE)
        return;
    wr_text_format(writer->out, "<p>%s", rule->what);
    if (rule == check_flag_rule(BIB_FLAG_DUPLICATE) && finding->duplicate_of)
        wr_text_format(writer->out, " It is [%u].", finding->duplicate_of);
    wr_text_format(writer->out, " <span class=\"soft\">%s</span></p>\n", rule->help);
}

static void write_judgement(struct writer *writer, const struct check_finding *finding)
{
    const struct bib_verdict *verdict = &finding->verdict;
    wr_text_str(writer->out, "<p>");
    write_badge(writer, check_outcome_rule(verdict->outcome));
    for (unsigned flag = 0; flag < BIB_FLAG_COUNT; flag++)
        if (verdict->flags >> flag & 1)
            write_badge(writer, check_flag_rule((enum bib_flag)flag));
    wr_text_str(writer->out, "</p>\n");
    write_rule(writer, finding, check_outcome_rule(verdict->outcome));
    for (unsigned flag = 0; flag < BIB_FLAG_COUNT; flag++)
        if (verdict->flags >> flag & 1)
            write_rule(writer, finding, check_flag_rule((enum bib_flag)flag));
    if (finding->reason) {
        wr_text_str(writer->out, "<p>Why: ");
        write_aside(writer->out, finding->reason);
        wr_text_str(writer->out, "</p>\n");
    }
    write_mismatches(writer, verdict);
    write_sources(writer, finding);
}

static void write_title(struct writer *writer, const struct bib_reference *reference)
{
    wr_text_format(writer->out, "<h3><span class=\"soft\">[%u]</span> ", reference->number);
    write_aside(writer->out, check_cite_title(reference));
    wr_text_str(writer->out, "</h3>\n<p class=\"soft\">");
    begin_scratch(writer);
    check_cite_work(&writer->scratch, &reference->work);
    end_scratch(writer);
    if (reference->key) {
        wr_text_str(writer->out, " <code>");
        write_safe(writer->out, reference->key);
        wr_text_str(writer->out, "</code>");
    }
    if (reference->line)
        wr_text_format(writer->out, " line %u", reference->line);
    wr_text_str(writer->out, "</p>\n");
}

static void write_finding(struct writer *writer, const struct check_finding *finding,
                          bool unjudged, size_t place)
{
    const struct bib_reference *reference = finding->reference;
    enum check_level level = unjudged ? CHECK_NOTE : check_level(&finding->verdict);
    bool undecided = !unjudged && finding->verdict.outcome == BIB_INCONCLUSIVE;
    wr_text_format(writer->out, "<article class=\"card %s%s%s\" id=\"r%zu-%zu\">\n",
                   looks[level].class, level >= CHECK_WARNING ? " look" : "",
                   undecided ? " undecided" : "", writer->document, place);
    write_title(writer, reference);
    if (!unjudged)
        write_judgement(writer, finding);
    write_links(writer, &reference->work);
    if (reference->raw) {
        wr_text_str(writer->out, "<details><summary>As it stands in the document</summary>"
                                 "<p class=\"raw\">");
        write_aside(writer->out, reference->raw);
        wr_text_str(writer->out, "</p></details>\n");
    }
    wr_text_str(writer->out, "</article>\n");
}

/* ---- the document ---- */

static void write_tile(struct wr_text *out, uint32_t count, const char *name)
{
    if (count > 0)
        wr_text_format(out, "<li><b>%u</b> %s</li>\n", count, name);
}

static void write_tiles(struct wr_text *out, const struct check_summary *summary)
{
    wr_text_str(out, "<ul class=\"tiles\">\n");
    write_tile(out, summary->total, summary->total == 1 ? "reference" : "references");
    for (unsigned i = 0; i < BIB_OUTCOME_COUNT; i++)
        write_tile(out, summary->outcomes[i], check_outcome_rule((enum bib_outcome)i)->name);
    for (unsigned i = 0; i < BIB_FLAG_COUNT; i++)
        write_tile(out, summary->flags[i], check_flag_rule((enum bib_flag)i)->name);
    wr_text_str(out, "</ul>\n");
}

static void write_conclusion(struct wr_text *out, const struct check_report *report,
                             const struct check_summary *summary)
{
    wr_text_str(out, "<p class=\"big\">");
    if (summary->total == 0)
        wr_text_str(out, "No references were found.");
    else if (report->unjudged)
        wr_text_str(out, "Extracted only: nothing was checked.");
    else if (summary->attention > 0)
        wr_text_format(out, "%u of %u %s a look.", summary->attention, summary->total,
                       summary->attention == 1 ? "needs" : "need");
    else if (summary->outcomes[BIB_VERIFIED] == summary->total)
        wr_text_str(out, "All works exist, as cited.");
    else
        wr_text_str(out, "Nothing that could be decided needs a look.");
    wr_text_str(out, "</p>\n");
    if (report->cut_short)
        wr_text_str(out, "<p><strong>The check ended before it had judged all of them.</strong>"
                         "</p>\n");
    if (report->note) {
        wr_text_str(out, "<p>");
        write_aside(out, report->note);
        wr_text_str(out, "</p>\n");
    }
}

static void write_libraries(struct wr_text *out, const struct check_report *report)
{
    if (report->library_count == 0)
        return;
    wr_text_str(out, "<details><summary>Libraries that were looked into</summary><ul>\n");
    for (size_t i = 0; i < report->library_count; i++) {
        const struct check_library *library = &report->libraries[i];
        wr_text_str(out, "<li>");
        write_aside(out, library->name);
        wr_text_str(out, ", version ");
        write_aside(out, library->version);
        wr_text_format(out, ", %llu records</li>\n", (unsigned long long)library->records);
    }
    wr_text_str(out, "</ul></details>\n");
}

static void write_report(struct writer *writer, const struct check_report *report)
{
    struct wr_text *out = writer->out;
    struct check_summary summary = check_summarise(report);
    wr_text_format(out, "<section aria-labelledby=\"d%zu\">\n<h2 id=\"d%zu\">",
                   writer->document, writer->document);
    write_aside(out, report->file);
    wr_text_str(out, "</h2>\n");
    write_conclusion(out, report, &summary);
    write_tiles(out, &summary);
    write_libraries(out, report);
    for (size_t i = 0; i < report->count; i++)
        write_finding(writer, &report->findings[i], report->unjudged, i + 1);
    wr_text_str(out, "</section>\n");
}

static void write_choice(struct wr_text *out, const char *id, const char *name, uint32_t count,
                         bool chosen)
{
    wr_text_format(out, "<input type=\"radio\" name=\"show\" id=\"show-%s\"%s>"
                        "<label for=\"show-%s\">%s (%u)</label>\n",
                   id, chosen ? " checked" : "", id, name, count);
}

/* Which references are shown; without a script, so these stand before all of them. */
static void write_choices(struct wr_text *out, const struct check_report *const *reports,
                          size_t count)
{
    uint32_t total = 0, attention = 0, undecided = 0;
    for (size_t i = 0; i < count; i++) {
        struct check_summary summary = check_summarise(reports[i]);
        total += summary.total;
        attention += summary.attention;
        undecided += summary.outcomes[BIB_INCONCLUSIVE];
    }
    wr_text_str(out, "<p class=\"show soft\">Show</p>\n");
    write_choice(out, "all", "All", total, attention == 0);
    write_choice(out, "look", "Need a look", attention, attention > 0);
    write_choice(out, "undecided", "Undecided", undecided, false);
}

static void write_head(struct wr_text *out, const struct check_report *const *reports,
                       size_t count)
{
    wr_text_str(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                     "<meta name=\"color-scheme\" content=\"light dark\">\n"
                     "<meta name=\"referrer\" content=\"no-referrer\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                     "'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action "
                     "'none'\">\n<title>References");
    if (count == 1) {
        wr_text_str(out, " of ");
        write_safe(out, reports[0]->file);
    }
    wr_text_str(out, "</title>\n<style>");
    wr_text_str(out, check_report_style);
    wr_text_str(out, "</style>\n</head>\n<body>\n<main>\n"
                     "<h1>Does every work cited here exist, as cited?</h1>\n"
                     "<p class=\"soft\">A finding is a reason to look, not a proof. Sources "
                     "are not complete, and documents are not always read rightly.</p>\n");
}

void check_write_html(struct wr_text *ret, const struct check_report *const *reports,
                      size_t count)
{
    struct writer writer = { .out = ret, .scratch = wr_text_heap(CHECK_PAGE_MAX) };
    write_head(ret, reports, count);
    write_choices(ret, reports, count);
    for (size_t i = 0; i < count; i++) {
        writer.document = i + 1;
        write_report(&writer, reports[i]);
    }
    wr_text_format(ret, "<footer>weir %s</footer>\n</main>\n</body>\n</html>\n",
                   wr_version.version);
    wr_text_free(&writer.scratch);
}
