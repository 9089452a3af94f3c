/* report_json.c - a report for programs: the contract of docs/check.md. */
#include <weir/time.h>

#include "base/json.h"
#include "svc/check/cite.h"
#include "svc/check/report.h"

/* ---- the document ---- */

static void write_summary(struct wr_json *json, const struct check_report *report)
{
    struct check_summary summary = check_summarise(report);
    wr_json_object(json, "summary");
    wr_json_u64(json, "total", summary.total);
    if (!report->unjudged) {
        for (unsigned i = 0; i < BIB_OUTCOME_COUNT; i++)
            wr_json_u64(json, bib_outcome_word((enum bib_outcome)i), summary.outcomes[i]);
        wr_json_u64(json, "detected", summary.detected);
        wr_json_object(json, "flags");
        for (unsigned i = 0; i < BIB_FLAG_COUNT; i++)
            wr_json_u64(json, bib_flag_word((enum bib_flag)i), summary.flags[i]);
        wr_json_end(json);
    }
    wr_json_end(json);
}

static void write_libraries(struct wr_json *json, const struct check_report *report)
{
    wr_json_array(json, "libraries");
    for (size_t i = 0; i < report->library_count; i++) {
        const struct check_library *library = &report->libraries[i];
        wr_json_object(json, NULL);
        wr_json_str(json, "name", library->name);
        wr_json_str(json, "kind", library->kind);
        wr_json_str(json, "version", library->version);
        wr_json_u64(json, "records", library->records);
        wr_json_end(json);
    }
    wr_json_end(json);
}

/* ---- works ---- */

static void write_number(struct wr_json *json, const char *key, int64_t value)
{
    if (value)
        wr_json_i64(json, key, value);
    else
        wr_json_null(json, key);
}

static void write_authors(struct wr_json *json, const struct bib_work *work,
                          struct wr_text *scratch)
{
    wr_json_array(json, "authors");
    for (uint32_t i = 0; i < work->author_count; i++) {
        wr_text_rewind(scratch, 0);
        check_cite_name(scratch, &work->authors[i]);
        wr_json_bytes(json, NULL, scratch->at, scratch->len);
        json->text->cut += scratch->cut;
    }
    wr_json_end(json);
    wr_json_bool(json, "et_al", work->et_al);
}

static void write_work(struct wr_json *json, const struct bib_work *work,
                       struct wr_text *scratch)
{
    wr_json_str(json, "title", work->title);
    write_authors(json, work, scratch);
    write_number(json, "year", work->year);
    wr_json_str(json, "venue", work->venue);
    wr_json_str(json, "volume", work->volume);
    wr_json_str(json, "pages", work->pages);
    wr_json_str(json, "doi", work->doi);
    wr_json_str(json, "arxiv_id", work->arxiv_id);
    wr_json_array(json, "urls");
    for (uint32_t i = 0; i < work->url_count; i++)
        wr_json_str(json, NULL, work->urls[i]);
    wr_json_end(json);
}

/* ---- what is said of a reference ---- */

static void write_mismatches(struct wr_json *json, const struct bib_verdict *verdict)
{
    wr_json_array(json, "mismatches");
    for (size_t i = 0; i < verdict->mismatch_count; i++) {
        const struct bib_mismatch *mismatch = &verdict->mismatches[i];
        wr_json_object(json, NULL);
        wr_json_str(json, "field", bib_field_word(mismatch->field));
        wr_json_str(json, "cited", mismatch->cited);
        wr_json_str(json, "found", mismatch->found);
        wr_json_end(json);
    }
    wr_json_end(json);
}

static void write_flags(struct wr_json *json, uint32_t flags)
{
    wr_json_array(json, "flags");
    for (unsigned flag = 0; flag < BIB_FLAG_COUNT; flag++)
        if (flags >> flag & 1)
            wr_json_str(json, NULL, bib_flag_word((enum bib_flag)flag));
    wr_json_end(json);
}

static void write_time(struct wr_json *json, const char *key, int64_t ms)
{
    char buf[64];
    struct wr_text when = WR_TEXT(buf);
    if (ms > 0 && ms < INT64_MAX / WR_MS(1))
        wr_text_rfc3339(&when, (struct wr_wall){ WR_MS(ms) });
    wr_json_str(json, key, when.len > 0 ? when.at : NULL);
}

static void write_evidence(struct wr_json *json, const struct check_finding *finding,
                           struct wr_text *scratch)
{
    wr_json_array(json, "evidence");
    for (size_t i = 0; i < finding->evidence_count; i++) {
        const struct check_evidence *evidence = &finding->evidence[i];
        wr_json_object(json, NULL);
        wr_json_str(json, "source", evidence->source);
        wr_json_str(json, "id", evidence->id);
        if (evidence->similarity)
            wr_json_decimal(json, "similarity", evidence->similarity, 3);
        else
            wr_json_null(json, "similarity");
        wr_json_str(json, "url", evidence->url);
        wr_json_str(json, "version", evidence->version);
        write_time(json, "time", evidence->asked_ms);
        wr_json_str(json, "retraction", evidence->retraction);
        if (evidence->work) {
            wr_json_object(json, "work");
            write_work(json, evidence->work, scratch);
            wr_json_end(json);
        } else {
            wr_json_null(json, "work");
        }
        wr_json_end(json);
    }
    wr_json_end(json);
}

static void write_asked(struct wr_json *json, const struct check_finding *finding)
{
    static const char *const words[] = {
        [CHECK_FOUND] = "found",
        [CHECK_UNKNOWN] = "unknown",
        [CHECK_FAILED] = "failed",
        [CHECK_NOT_ASKED] = "not_asked",
    };
    wr_json_array(json, "asked");
    for (size_t i = 0; i < finding->asked_count; i++) {
        wr_json_object(json, NULL);
        wr_json_str(json, "source", finding->asked[i].source);
        wr_json_str(json, "answer", words[finding->asked[i].answer]);
        wr_json_str(json, "why", finding->asked[i].why);
        wr_json_end(json);
    }
    wr_json_end(json);
}

static void write_finding(struct wr_json *json, const struct check_finding *finding,
                          bool unjudged, struct wr_text *scratch)
{
    const struct bib_reference *reference = finding->reference;
    wr_json_object(json, NULL);
    wr_json_str(json, "key", reference->key);
    wr_json_u64(json, "number", reference->number);
    wr_json_str(json, "raw", reference->raw);
    write_work(json, &reference->work, scratch);
    write_number(json, "line", reference->line);
    write_number(json, "line_end", reference->line_end);
    if (unjudged) {
        wr_json_str(json, "skip", reference->skip);
        wr_json_bool(json, "truncated", reference->truncated);
    } else {
        wr_json_str(json, "verdict", bib_outcome_word(finding->verdict.outcome));
        wr_json_str(json, "reason", finding->reason);
        write_mismatches(json, &finding->verdict);
        write_flags(json, finding->verdict.flags);
        write_number(json, "duplicate_of", finding->duplicate_of);
        write_evidence(json, finding, scratch);
        write_asked(json, finding);
    }
    wr_json_end(json);
}

static void write_report(struct wr_json *json, const struct check_report *report,
                         struct wr_text *scratch)
{
    wr_json_object(json, NULL);
    wr_json_u64(json, "version", CHECK_JSON_VERSION);
    wr_json_str(json, "file", report->file);
    wr_json_str(json, "note", report->note);
    wr_json_bool(json, "complete", !report->cut_short);
    write_summary(json, report);
    write_libraries(json, report);
    wr_json_array(json, "references");
    for (size_t i = 0; i < report->count; i++)
        write_finding(json, &report->findings[i], report->unjudged, scratch);
    wr_json_end(json);
    wr_json_end(json);
}

void check_write_json(struct wr_text *ret, const struct check_report *const *reports,
                      size_t count)
{
    struct wr_json json = wr_json_to(ret);
    struct wr_text scratch = wr_text_heap(CHECK_PAGE_MAX);
    if (count != 1)
        wr_json_array(&json, NULL);
    for (size_t i = 0; i < count; i++)
        write_report(&json, reports[i], &scratch);
    if (count != 1)
        wr_json_end(&json);
    wr_text_str(ret, "\n");
    wr_text_free(&scratch);
}
