/* report_csv.c - a report for spreadsheets: RFC 4180, a row and a line for each reference. */
#include <string.h>

#include "svc/check/cite.h"
#include "svc/check/glyph.h"
#include "svc/check/report.h"

/* A spreadsheet runs what begins like a formula, also in the wide forms of these signs.  An
 * apostrophe says that it is text. */
static bool is_formula(int32_t code)
{
    return code == '=' || code == '+' || code == '-' || code == '@' || code == 0xff1d
        || code == 0xff0b || code == 0xff0d || code == 0xff20;
}

static int32_t first_visible(const char *text)
{
    int32_t code = 0;
    while (*text && (code == 0 || code == ' '))
        code = check_glyph_next(&text).code;
    return code;
}

static void write_inside(struct wr_text *ret, const char *text)
{
    while (*text) {
        struct check_glyph glyph = check_glyph_next(&text);
        wr_text_bytes(ret, glyph.bytes, glyph.len);
        if (glyph.code == '"')
            wr_text_str(ret, "\"");
    }
}

/* The first cell of a row. */
static void write_first(struct wr_text *ret, const char *text)
{
    text = text ? text : "";
    wr_text_str(ret, is_formula(first_visible(text)) ? "\"'" : "\"");
    write_inside(ret, text);
    wr_text_str(ret, "\"");
}

static void write_cell(struct wr_text *ret, const char *text)
{
    wr_text_str(ret, ",");
    write_first(ret, text);
}

static void write_number(struct wr_text *ret, int64_t value)
{
    wr_text_str(ret, ",");
    if (value)
        wr_text_i64(ret, value);
}

/* ---- cells made of several things ---- */

static void write_authors(struct wr_text *ret, const struct bib_work *work,
                          struct wr_text *scratch)
{
    wr_text_rewind(scratch, 0);
    for (uint32_t i = 0; work && i < work->author_count; i++) {
        wr_text_str(scratch, i > 0 ? "; " : "");
        check_cite_name(scratch, &work->authors[i]);
    }
    if (work && work->et_al)
        wr_text_str(scratch, work->author_count > 0 ? "; et al." : "et al.");
    write_cell(ret, scratch->at);
    ret->cut += scratch->cut;
}

static void write_urls(struct wr_text *ret, const struct bib_work *work,
                       struct wr_text *scratch)
{
    wr_text_rewind(scratch, 0);
    for (uint32_t i = 0; i < work->url_count; i++) {
        wr_text_str(scratch, i > 0 ? " " : "");
        wr_text_str(scratch, work->urls[i] ? work->urls[i] : "");
    }
    write_cell(ret, scratch->at);
    ret->cut += scratch->cut;
}

static void write_flags(struct wr_text *ret, uint32_t flags)
{
    const char *between = "";
    wr_text_str(ret, ",\"");
    for (unsigned flag = 0; flag < BIB_FLAG_COUNT; flag++) {
        if (flags >> flag & 1) {
            wr_text_str(ret, between);
            wr_text_str(ret, bib_flag_word((enum bib_flag)flag));
            between = " ";
        }
    }
    wr_text_str(ret, "\"");
}

static void write_mismatches(struct wr_text *ret, const struct bib_verdict *verdict)
{
    wr_text_str(ret, ",\"");
    for (size_t i = 0; i < verdict->mismatch_count; i++) {
        wr_text_str(ret, i > 0 ? " " : "");
        wr_text_str(ret, bib_field_word(verdict->mismatches[i].field));
    }
    wr_text_str(ret, "\"");
}

/* ---- rows ---- */

#define CITED "number,key,line,title,authors,year,venue,doi,arxiv_id,urls"
#define JUDGED "verdict,mismatches,flags,reason,found_title,found_authors,found_year," \
               "found_venue,found_doi,source,source_id,similarity,source_url,retraction"

static void write_cited(struct wr_text *ret, const struct bib_reference *reference,
                        struct wr_text *scratch)
{
    const struct bib_work *work = &reference->work;
    write_number(ret, reference->number);
    write_cell(ret, reference->key);
    write_number(ret, reference->line);
    write_cell(ret, work->title);
    write_authors(ret, work, scratch);
    write_number(ret, work->year);
    write_cell(ret, work->venue);
    write_cell(ret, work->doi);
    write_cell(ret, work->arxiv_id);
    write_urls(ret, work, scratch);
}

static void write_judged(struct wr_text *ret, const struct check_finding *finding,
                         struct wr_text *scratch)
{
    static const struct check_evidence nothing;
    const struct check_evidence *evidence = finding->evidence_count > 0 ? finding->evidence
                                                                        : &nothing;
    const struct bib_work *found = evidence->work;
    write_cell(ret, bib_outcome_word(finding->verdict.outcome));
    write_mismatches(ret, &finding->verdict);
    write_flags(ret, finding->verdict.flags);
    write_cell(ret, finding->reason);
    write_cell(ret, found ? found->title : NULL);
    write_authors(ret, found, scratch);
    write_number(ret, found ? found->year : 0);
    write_cell(ret, found ? found->venue : NULL);
    write_cell(ret, found ? found->doi : NULL);
    write_cell(ret, evidence->source);
    write_cell(ret, evidence->id);
    wr_text_str(ret, ",");
    if (evidence->similarity)
        wr_text_decimal(ret, evidence->similarity, 3);
    write_cell(ret, evidence->url);
    write_cell(ret, evidence->retraction);
}

void check_write_csv(struct wr_text *ret, const struct check_report *const *reports,
                     size_t count)
{
    struct wr_text scratch = wr_text_heap(CHECK_PAGE_MAX);
    bool judged = false;
    for (size_t i = 0; i < count; i++)
        judged = judged || !reports[i]->unjudged;
    wr_text_str(ret, judged ? "file," CITED "," JUDGED ",raw\r\n" : "file," CITED ",raw\r\n");
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < reports[i]->count; j++) {
            const struct check_finding *finding = &reports[i]->findings[j];
            write_first(ret, reports[i]->file);
            write_cited(ret, finding->reference, &scratch);
            if (judged)
                write_judged(ret, finding, &scratch);
            write_cell(ret, finding->reference->raw);
            wr_text_str(ret, "\r\n");
        }
    }
    wr_text_free(&scratch);
}
