/* report_sarif.c - a report for continuous integration: SARIF 2.1.0 (OASIS).
 *
 * One run, with the rules of rule.h; a result for each field that differs and for each other
 * thing a verdict says, at the lines of the reference where it has some.  What is verified or
 * skipped has none.
 */
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/version.h"
#include "svc/check/cite.h"
#include "svc/check/glyph.h"
#include "svc/check/link.h"
#include "svc/check/report.h"
#include "svc/check/rule.h"

#define SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/" \
               "sarif-schema-2.1.0.json"

struct writer {
    struct wr_json json;
    struct wr_text scratch;
    const struct check_report *report;
};

static const char *const levels[] = {
    [CHECK_FINE] = "none", [CHECK_NOTE] = "note", [CHECK_WARNING] = "warning",
    [CHECK_ERROR] = "error",
};

/* ---- rules ---- */

static void write_text(struct wr_json *json, const char *key, const char *text)
{
    wr_json_object(json, key);
    wr_json_str(json, "text", text);
    wr_json_end(json);
}

static void write_rules(struct wr_json *json)
{
    wr_json_array(json, "rules");
    for (size_t i = 0; i < CHECK_RULE_COUNT; i++) {
        const struct check_rule *rule = &check_rules[i];
        wr_json_object(json, NULL);
        wr_json_str(json, "id", rule->id);
        write_text(json, "shortDescription", rule->name);
        write_text(json, "fullDescription", rule->what);
        write_text(json, "help", rule->help);
        wr_json_object(json, "defaultConfiguration");
        wr_json_str(json, "level", levels[rule->level]);
        wr_json_end(json);
        wr_json_end(json);
    }
    wr_json_end(json);
}

/* ---- results ---- */

static void write_location(struct writer *writer, const struct bib_reference *reference)
{
    struct wr_json *json = &writer->json;
    wr_text_rewind(&writer->scratch, 0);
    check_link_file(&writer->scratch, writer->report->file);
    wr_json_array(json, "locations");
    wr_json_object(json, NULL);
    wr_json_object(json, "physicalLocation");
    wr_json_object(json, "artifactLocation");
    wr_json_bytes(json, "uri", writer->scratch.at, writer->scratch.len);
    wr_json_end(json);
    if (reference->line) {
        uint32_t end = reference->line_end;
        wr_json_object(json, "region");
        wr_json_u64(json, "startLine", reference->line);
        wr_json_u64(json, "endLine", end > reference->line ? end : reference->line);
        wr_json_end(json);
    }
    wr_json_end(json);
    wr_json_end(json);
    wr_json_end(json);
}

/* The same for the same reference in the next run, wherever it stands by then. */
static void write_fingerprint(struct writer *writer, const struct check_rule *rule,
                              const struct bib_reference *reference)
{
    char hex[WR_HASH_TEXT];
    const char *name = reference->key ? reference->key : check_cite_title(reference);
    struct wr_text *scratch = &writer->scratch;
    wr_text_rewind(scratch, 0);
    check_link_file(scratch, writer->report->file);
    wr_text_format(scratch, "\n%s\n", rule->id);
    wr_text_str(scratch, name);
    struct wr_hash hash = wr_hash_of(scratch->at, scratch->len);
    writer->json.text->cut += scratch->cut;
    wr_json_object(&writer->json, "partialFingerprints");
    wr_json_bytes(&writer->json, "reference/v1", wr_hash_print(&hash, hex), 32);
    wr_json_end(&writer->json);
}

/* The message stands in the scratch text. */
static void write_result(struct writer *writer, const struct check_rule *rule,
                         const struct bib_reference *reference)
{
    struct wr_json *json = &writer->json;
    wr_json_object(json, NULL);
    wr_json_str(json, "ruleId", rule->id);
    wr_json_u64(json, "ruleIndex", (uint64_t)(rule - check_rules));
    wr_json_str(json, "level", levels[rule->level]);
    wr_json_object(json, "message");
    wr_json_bytes(json, "text", writer->scratch.at, writer->scratch.len);
    json->text->cut += writer->scratch.cut;
    wr_json_end(json);
    write_location(writer, reference);
    write_fingerprint(writer, rule, reference);
    wr_json_end(json);
}

/* "[2] motor: Notes on the Motor. The year ..." */
static void begin_message(struct writer *writer, const struct bib_reference *reference,
                          const struct check_rule *rule)
{
    struct wr_text *message = &writer->scratch;
    wr_text_rewind(message, 0);
    wr_text_format(message, "Reference %u, \"", reference->number);
    check_glyphs(message, check_cite_title(reference));
    wr_text_format(message, "\": %s", rule->what);
}

static void write_mismatch(struct writer *writer, const struct bib_reference *reference,
                           const struct bib_mismatch *mismatch)
{
    const struct check_rule *rule = check_field_rule(mismatch->field);
    begin_message(writer, reference, rule);
    wr_text_str(&writer->scratch, " Cited: ");
    check_glyphs(&writer->scratch, mismatch->cited ? mismatch->cited : "(nothing)");
    wr_text_str(&writer->scratch, " Found: ");
    check_glyphs(&writer->scratch, mismatch->found ? mismatch->found : "(nothing)");
    write_result(writer, rule, reference);
}

static void write_outcome(struct writer *writer, const struct check_finding *finding)
{
    const struct check_rule *rule = check_outcome_rule(finding->verdict.outcome);
    begin_message(writer, finding->reference, rule);
    if (finding->reason) {
        wr_text_str(&writer->scratch, " Why: ");
        check_glyphs(&writer->scratch, finding->reason);
    }
    write_result(writer, rule, finding->reference);
}

static void write_finding(struct writer *writer, const struct check_finding *finding)
{
    const struct bib_verdict *verdict = &finding->verdict;
    bool differs = verdict->outcome == BIB_MISMATCH && verdict->mismatch_count > 0;
    for (size_t i = 0; differs && i < verdict->mismatch_count; i++)
        write_mismatch(writer, finding->reference, &verdict->mismatches[i]);
    if (!differs && check_outcome_rule(verdict->outcome)->level != CHECK_FINE)
        write_outcome(writer, finding);
    for (unsigned flag = 0; flag < BIB_FLAG_COUNT; flag++) {
        if (verdict->flags >> flag & 1) {
            const struct check_rule *rule = check_flag_rule((enum bib_flag)flag);
            begin_message(writer, finding->reference, rule);
            write_result(writer, rule, finding->reference);
        }
    }
}

void check_write_sarif(struct wr_text *ret, const struct check_report *const *reports,
                       size_t count)
{
    struct writer writer = { .json = wr_json_to(ret), .scratch = wr_text_heap(CHECK_PAGE_MAX) };
    struct wr_json *json = &writer.json;
    wr_json_object(json, NULL);
    wr_json_str(json, "$schema", SCHEMA);
    wr_json_str(json, "version", "2.1.0");
    wr_json_array(json, "runs");
    wr_json_object(json, NULL);
    wr_json_object(json, "tool");
    wr_json_object(json, "driver");
    wr_json_str(json, "name", "weir");
    wr_json_str(json, "semanticVersion", wr_version.version);
    write_rules(json);
    wr_json_end(json);
    wr_json_end(json);
    wr_json_array(json, "results");
    for (size_t i = 0; i < count; i++) {
        writer.report = reports[i];
        for (size_t j = 0; !reports[i]->unjudged && j < reports[i]->count; j++)
            write_finding(&writer, &reports[i]->findings[j]);
    }
    wr_json_end(json);
    wr_json_end(json);
    wr_json_end(json);
    wr_json_end(json);
    wr_text_str(ret, "\n");
    wr_text_free(&writer.scratch);
}
