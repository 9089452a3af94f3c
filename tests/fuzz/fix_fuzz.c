/* fix_fuzz.c - a .bib file is put right, whatever is in it.
 *
 * For any bytes: when nothing is wrong the file stays as it is, byte for byte; when everything
 * is, the fixed file has the same entries in the same order, and each of their fields says what
 * it said before or what was found.  All this of files without faults; of others, that it
 * ends.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "biblio/bibtex.h"
#include "svc/check/fix.h"

#define INPUT_MAX 65536
#define ARENA_MAX ((size_t)64 << 20)

#define TITLE "Qq & {Zz} 100% \"Xx\""
#define VENUE "Vv_Ww"
#define DOI "10.9999/fuzz"
#define ARXIV "0704.9999"

static const struct bib_name names[] = { { "Quux", "Zebedee" }, { "Zyzzyva", NULL } };
static const struct bib_work found = {
    .title = TITLE, .venue = VENUE, .year = 1789, .authors = names, .author_count = 2,
    .doi = DOI, .arxiv_id = ARXIV,
};

static const struct bib_mismatch mismatches[] = {
    { BIB_FIELD_TITLE, "w{\"@a{b", TITLE }, { BIB_FIELD_YEAR, "was", "1789" },
    { BIB_FIELD_VENUE, "was", VENUE },     { BIB_FIELD_DOI, "was", DOI },
    { BIB_FIELD_ARXIV_ID, "was", ARXIV },  { BIB_FIELD_AUTHORS, "was", "others" },
};

struct reading {
    struct wr_arena arena;
    struct bibtex_file file;
    struct bib_references references;
};

static bool read_file(struct reading *it, const char *bib, size_t len)
{
    *it = (struct reading){ .arena = WR_ARENA(ARENA_MAX) };
    return bibtex_parse(bib, len, &it->arena, &it->file) == WR_OK
        && bibtex_references(bib, &it->file, &it->arena, &it->references) == WR_OK;
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_either(const char *now, const char *before, const char *new)
{
    return same(now, before) || same(now, new);
}

/* What an entry takes over changes with the entry it is from. */
static bool takes_over(const struct bibtex_file *file)
{
    for (size_t i = 0; i < file->count; i++)
        if (bibtex_field(&file->entries[i], "crossref")
            || bibtex_field(&file->entries[i], "xdata"))
            return true;
    return false;
}

static void compare(const struct reading *before, const struct wr_text *fixed)
{
    struct reading now;
    bool read = read_file(&now, fixed->at, fixed->len);
    if (read) {
        WR_ASSERT(now.file.fault_count == 0);
        WR_ASSERT(now.file.count == before->file.count);
        WR_ASSERT(now.references.count == before->references.count);
    }
    for (size_t i = 0; read && i < now.references.count && !takes_over(&now.file); i++) {
        const struct bib_work *a = &before->references.at[i].work;
        const struct bib_work *b = &now.references.at[i].work;
        WR_ASSERT(same(before->references.at[i].key, now.references.at[i].key));
        WR_ASSERT(is_either(b->title, a->title, found.title));
        WR_ASSERT(is_either(b->venue, a->venue, found.venue));
        WR_ASSERT(b->year == a->year || b->year == found.year);
    }
    wr_arena_free(&now.arena);
}

static void fix_everything(struct reading *it, const char *bib, size_t len, bool wrong)
{
    struct check_evidence evidence = { .source = "fuzz", .similarity = 1000, .work = &found };
    struct check_finding *findings = calloc(it->references.count + 1, sizeof(*findings));
    WR_ASSERT(findings);
    for (size_t i = 0; i < it->references.count; i++) {
        findings[i] = (struct check_finding){ .reference = &it->references.at[i],
                                              .evidence = &evidence, .evidence_count = 1 };
        if (wrong)
            findings[i].verdict = (struct bib_verdict){
                .outcome = BIB_MISMATCH, .mismatches = mismatches,
                .mismatch_count = 5 + i % 2,
            };
    }
    struct check_report report = { .findings = findings, .count = it->references.count };
    struct wr_text fixed = wr_text_heap((size_t)16 * INPUT_MAX);
    struct check_fixed count;
    wr_err err = check_fix(&fixed, &report, bib, len, &count);
    if (!err && !wrong)
        WR_ASSERT(fixed.len == len && memcmp(fixed.at, bib, len) == 0 && count.left == 0);
    if (!err && it->file.fault_count == 0)
        compare(it, &fixed);
    wr_text_free(&fixed);
    free(findings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > INPUT_MAX)
        return -1;
    struct reading it;
    char *bib = malloc(size ? size : 1);     /* no byte behind it that could be read */
    WR_ASSERT(bib);
    memcpy(bib, data, size);
    if (read_file(&it, bib, size)) {
        fix_everything(&it, bib, size, false);
        fix_everything(&it, bib, size, true);
    }
    wr_arena_free(&it.arena);
    free(bib);
    return 0;
}
