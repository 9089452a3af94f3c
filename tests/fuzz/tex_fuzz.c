/* tex_fuzz.c - any bytes are a .bbl, a TEI or Word document, a layout, or some text.
 *
 * The first byte chooses.  Nothing is read beyond the bytes, every line of a reference is one
 * of the file, and no reading fails but for memory and XML that is none.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "extract/charset.h"
#include "extract/docx.h"
#include "extract/kind.h"
#include "extract/layout.h"
#include "extract/tei.h"
#include "extract/tex.h"

static struct wr_arena arena;

static void read_tex(const char *text, size_t size)
{
    struct extract_tex tex;
    uint32_t lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    if (extract_tex(text, size, &arena, &tex))
        return;
    for (size_t i = 0; i < tex.references.count; i++) {
        const struct bib_reference *reference = &tex.references.at[i];
        WR_ASSERT(reference->raw && reference->line >= 1 && reference->line_end <= lines);
        WR_ASSERT(reference->line <= reference->line_end);
    }
}

static void read_tei(const char *text, size_t size)
{
    struct bib_references references;
    uint32_t line;
    wr_err err = extract_tei(text, size, &arena, &references, &line);
    WR_ASSERT(!err || err == WR_INVALID || err == WR_NOMEM);
    for (size_t i = 0; i < references.count; i++)
        WR_ASSERT(references.at[i].raw && references.at[i].raw[0]);
}

static void read_docx(const char *text, size_t size)
{
    struct extract_lines lines = { 0 };
    wr_err err = extract_docx(text, size, &arena, &lines);
    WR_ASSERT(!err || err == WR_INVALID || err == WR_NOMEM);
    for (size_t i = 0; i < lines.count; i++)
        WR_ASSERT(!memchr(lines.at[i].text, '\n', lines.at[i].len));
}

static void read_layout(const char *text, size_t size)
{
    struct extract_lines lines = { 0 };
    (void)!extract_layout(text, size, 0, &arena, &lines);
    for (size_t i = 0; i < lines.count; i++)
        WR_ASSERT(lines.at[i].len > 0 && lines.at[i].number == i + 1);
}

static void read_charset(const char *bytes, size_t size)
{
    struct extract_text text;
    struct extract_lines lines = { 0 };
    if (extract_charset(bytes, size, &text))
        return;
    WR_ASSERT(text.at[text.len] == '\0');
    extract_kind_of(bytes, size);
    extract_text_kind(text.at, text.len, "a");
    size_t bytes_seen = 0;
    (void)!extract_lines_split(&lines, &arena, text.at, text.len);
    for (size_t i = 0; i < lines.count; i++)
        bytes_seen += lines.at[i].len;
    WR_ASSERT(bytes_seen <= text.len);
    free(text.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const readers[])(const char *bytes, size_t size) = {
        read_tex, read_tei, read_docx, read_layout, read_charset,
    };
    if (size == 0)
        return -1;
    arena = WR_ARENA((size_t)64 << 20);
    readers[data[0] % 5]((const char *)data + 1, size - 1);
    wr_arena_free(&arena);
    return 0;
}
