/* bibliography_fuzz.c - a whole document of any lines.
 *
 * The first byte says whether each line is a reference and whether lines have places on a
 * page.  References come in the order of their lines, and each has lines of the document.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "extract/bibliography.h"

#define LINES_MAX 512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t split(struct extract_line *lines, const char *text, size_t len, bool layout)
{
    size_t count = 0;
    for (size_t at = 0; at < len && count < LINES_MAX; count++) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t line = end ? (size_t)(end - text) - at : len - at;
        lines[count] = (struct extract_line){ .text = text + at, .len = line,
                                              .number = (uint32_t)count + 1 };
        if (layout && line) {
            lines[count].page = 1 + (uint32_t)count / 20;
            lines[count].x0 = (float)((unsigned char)text[at] % 90);
            lines[count].x1 = lines[count].x0 + (float)line;
        }
        at += line + 1;
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct extract_line lines[LINES_MAX];
    struct wr_arena arena = WR_ARENA(16 << 20);
    struct bib_references found = { 0 };
    if (size == 0)
        return 0;
    struct extract_bibliography_conf conf = { .one_per_line = data[0] & 1 };
    size_t count = split(lines, (const char *)data + 1, size - 1, data[0] & 2);
    if (extract_bibliography(lines, count, &conf, &arena, &found) && !arena.full)
        wr_panic("%zu lines are not read", count);
    for (size_t i = 0; i < found.count; i++) {
        const struct bib_reference *it = &found.at[i];
        if (it->line == 0 || it->line_end < it->line || it->line_end > count || !it->raw[0])
            wr_panic("reference %zu is in lines %u to %u", i, it->line, it->line_end);
        if (i > 0 && it->line < found.at[i - 1].line)
            wr_panic("reference %zu stands before the one before", i);
    }
    wr_arena_free(&arena);
    return 0;
}
