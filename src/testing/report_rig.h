/* report_rig.h - reports for the tests of the writers: one with a reference of each kind,
 * one in which every text is what somebody chose, and a long one. */
#ifndef WR_TESTING_REPORT_RIG_H
#define WR_TESTING_REPORT_RIG_H

#include <stdlib.h>

#include "svc/check/report.h"

#define SAMPLE_COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct bib_name sample_ada[] = { { "Lovelace", "Ada" }, { "van der Berg", "J." } };
static const struct bib_name sample_eve[] = { { "Example", "Eve" } };

static const struct bib_work sample_engine = {
    .kind = BIB_ARTICLE, .year = 1843, .title = "Notes on the Engine",
    .venue = "Scientific Memoirs", .authors = sample_ada, .author_count = 2,
    .doi = "10.1000/engine",
};

static const struct bib_reference sample_references[] = {
    { .number = 1, .key = "engine", .raw = "@article{engine}", .line = 1, .line_end = 5,
      .work = { .kind = BIB_ARTICLE, .year = 1843, .title = "Notes on the engine",
                .authors = sample_ada, .author_count = 2, .doi = "10.1000/engine" } },
    { .number = 2, .key = "motor", .raw = "@article{motor}", .line = 7, .line_end = 11,
      .work = { .kind = BIB_ARTICLE, .year = 1844, .title = "Notes on the Motor",
                .authors = sample_ada, .author_count = 1, .et_al = true } },
    { .number = 3, .raw = "E. Example. A work nobody wrote. 2031.",
      .work = { .year = 2031, .title = "A work nobody wrote", .authors = sample_eve,
                .author_count = 1, .arxiv_id = "2403.00108" } },
    { .number = 4, .raw = "A work nobody could be asked about.",
      .work = { .title = "A work nobody could be asked about" } },
    { .number = 5, .raw = "Personal communication.", .skip = "it names no work" },
    { .number = 6, .key = "again", .raw = "@article{again}", .line = 20, .line_end = 24,
      .work = { .year = 1843, .title = "Notes on the Engine" } },
};

static const struct check_evidence sample_evidence[] = {
    { .source = "Memoirs", .id = "m1", .version = "2026-01", .similarity = 1000,
      .url = "https://example.org/m1", .work = &sample_engine },
    { .source = "Memoirs", .id = "m1", .version = "2026-01", .similarity = 917,
      .work = &sample_engine },
    { .source = "CrossRef", .id = "10.1000/engine", .similarity = 1000,
      .asked_ms = 1000000000000, .retraction = "10.1000/notice", .work = &sample_engine },
};

static const struct bib_mismatch sample_mismatches[] = {
    { BIB_FIELD_TITLE, "Notes on the Motor", "Notes on the Engine" },
    { BIB_FIELD_YEAR, "1844", "1843" },
};

static const struct check_asked sample_asked[] = {
    { "CrossRef", CHECK_UNKNOWN, NULL },
    { "arXiv", CHECK_FAILED, "it did not answer in 10 s" },
};

static struct check_finding sample_findings[] = {
    { .reference = &sample_references[0], .evidence = &sample_evidence[0],
      .evidence_count = 1 },
    { .reference = &sample_references[1],
      .verdict = { .outcome = BIB_MISMATCH, .mismatches = sample_mismatches,
                   .mismatch_count = 2, .similarity = 917 },
      .evidence = &sample_evidence[1], .evidence_count = 1 },
    { .reference = &sample_references[2],
      .verdict = { .outcome = BIB_NOT_FOUND, .flags = BIB_FLAG(FUTURE_DATE) } },
    { .reference = &sample_references[3], .verdict = { .outcome = BIB_INCONCLUSIVE },
      .asked = sample_asked, .asked_count = 2, .reason = "arXiv could not be asked" },
    { .reference = &sample_references[4], .verdict = { .outcome = BIB_SKIPPED },
      .reason = "it names no work" },
    { .reference = &sample_references[5],
      .verdict = { .outcome = BIB_VERIFIED,
                   .flags = BIB_FLAG(RETRACTED) | BIB_FLAG(DUPLICATE) },
      .evidence = &sample_evidence[2], .evidence_count = 1, .duplicate_of = 1 },
};

static const struct check_library sample_libraries[] = {
    { "Memoirs", "bib", "2026-01", 12 },
};

static const struct check_report sample_report = {
    .file = "paper.bib", .findings = sample_findings, .count = SAMPLE_COUNT(sample_findings),
    .libraries = sample_libraries, .library_count = 1,
};

/* One reference and one finding in which every text is the same. */
struct sample_hostile {
    struct bib_name name;
    struct bib_work work;
    const char *urls[1];
    struct bib_reference reference;
    struct bib_mismatch mismatches[BIB_FIELD_COUNT];
    struct check_evidence evidence;
    struct check_asked asked;
    struct check_library library;
    struct check_finding finding;
    struct check_report report;
};

[[maybe_unused]] static const struct check_report *sample_make_hostile(
    struct sample_hostile *it, const char *text, enum bib_outcome outcome)
{
    *it = (struct sample_hostile){ .name = { text, text }, .urls = { text } };
    it->work = (struct bib_work){
        .title = text, .venue = text, .authors = &it->name, .author_count = 1, .volume = text,
        .pages = text, .doi = text, .arxiv_id = text, .urls = it->urls, .url_count = 1,
        .year = 2001,
    };
    it->reference = (struct bib_reference){ .work = it->work, .key = text, .raw = text,
                                            .number = 1, .line = 3, .line_end = 4 };
    for (unsigned i = 0; i < BIB_FIELD_COUNT; i++)
        it->mismatches[i] = (struct bib_mismatch){ (enum bib_field)i, text, text };
    it->evidence = (struct check_evidence){ text, text, text, text, text, 1, 999, &it->work };
    it->asked = (struct check_asked){ text, CHECK_FAILED, text };
    it->library = (struct check_library){ text, text, text, 1 };
    it->finding = (struct check_finding){
        .reference = &it->reference,
        .verdict = { .outcome = outcome, .flags = (1u << BIB_FLAG_COUNT) - 1,
                     .mismatches = it->mismatches, .mismatch_count = BIB_FIELD_COUNT },
        .evidence = &it->evidence, .evidence_count = 1, .asked = &it->asked, .asked_count = 1,
        .reason = text, .duplicate_of = 1,
    };
    it->report = (struct check_report){ .file = text, .note = text, .findings = &it->finding,
                                        .count = 1, .libraries = &it->library,
                                        .library_count = 1 };
    return &it->report;
}

/* What people put into titles who want more than to be read. */
[[maybe_unused]] static const char *const sample_attacks[] = {
    "</script><script>alert(1)</script>", "\"onload=\"alert(1)", "' onload='alert(1)",
    "<img src=x onerror=alert(1)>", "javascript:alert(1)", "data:text/html,<b>x", "]]>", "-->",
    "a,b\r\n\"c\",d", "=HYPERLINK(\"http://example.org\")", "@SUM(1)", "+1", "-1",
    "| a | b |\n|---|---|", "[x](javascript:alert(1))", "&lt;b&gt;&amp;", "\x1b[2Jx\x07",
    "\xff\xfe\xc3(", "\xe2\x80\xaeXcod.exe", "\xe2\x81\xa6x", "", " ", "{\"a\":", "\\",
    "C:\\x\\y", "/etc/passwd", "../../x", "%00%2e", "</style>", "\xc2\x9b[31m", "`x` *y* _z_",
};

/* The sample's second finding, so often. */
[[maybe_unused]] static struct check_report sample_make_long(size_t count)
{
    struct check_finding *findings = calloc(count, sizeof(*findings));
    for (size_t i = 0; findings && i < count; i++)
        findings[i] = sample_findings[i % SAMPLE_COUNT(sample_findings)];
    return (struct check_report){ .file = "long.bib", .findings = findings,
                                  .count = findings ? count : 0 };
}

#endif
