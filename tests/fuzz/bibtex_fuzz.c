/* bibtex_fuzz.c - any bytes are a .bib file, and what is read of it stands in it.
 *
 * Every span lies in the file and in its entry, lines rise, and what comes out of TeX is UTF-8
 * without control characters, whatever went in.  Reading never fails but for memory.
 */
#include <stdint.h>
#include <string.h>

#include <utf8proc.h>

#include <weir/panic.h>

#include "biblio/bibtex.h"
#include "biblio/latex.h"

static void check_text(const char *text)
{
    for (size_t len = text ? strlen(text) : 0, at = 0; at < len;) {
        utf8proc_int32_t code;
        utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)text + at,
                                                 (utf8proc_ssize_t)(len - at), &code);
        WR_ASSERT(used > 0 && code >= 0x20 && code != 0x7f);
        WR_ASSERT(code != ' ' || (at > 0 && text[at - 1] != ' ' && at + 1 < len));
        at += (size_t)used;
    }
}

static void check_entry(const struct bibtex_entry *entry, size_t size)
{
    WR_ASSERT(entry->at.begin < entry->at.end && entry->at.end <= size);
    WR_ASSERT(entry->at.line <= entry->at.line_end);
    for (size_t i = 0; i < entry->field_count; i++) {
        const struct bibtex_field *field = &entry->fields[i];
        WR_ASSERT(field->at.begin <= field->at.end && field->at.end <= entry->at.end);
        WR_ASSERT(field->at.begin > entry->at.begin && field->at.line >= entry->at.line);
        WR_ASSERT(field->at.line_end <= entry->at.line_end && strlen(field->name) > 0);
    }
}

static void check_reference(const struct bib_reference *reference)
{
    check_text(reference->work.title);
    check_text(reference->work.venue);
    for (uint32_t i = 0; i < reference->work.author_count; i++) {
        WR_ASSERT(reference->work.authors[i].family);
        check_text(reference->work.authors[i].family);
        check_text(reference->work.authors[i].given);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct wr_arena arena = WR_ARENA((size_t)64 << 20);
    struct bibtex_file file;
    struct bib_references references;
    if (!bibtex_parse(text, size, &arena, &file)) {
        for (size_t i = 0; i < file.count; i++) {
            check_entry(&file.entries[i], size);
            WR_ASSERT(i == 0 || file.entries[i - 1].at.end <= file.entries[i].at.begin);
        }
        if (!bibtex_references(text, &file, &arena, &references))
            for (size_t i = 0; i < references.count; i++)
                check_reference(&references.at[i]);
    }
    wr_arena_free(&arena);
    check_text(bib_latex(&arena, text, size));
    const char *literal = bib_latex_literal(&arena, text, size);
    WR_ASSERT(!literal || !strchr(literal, ' '));
    wr_arena_free(&arena);
    return 0;
}
