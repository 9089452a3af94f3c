/* docx.c - the paragraphs of a Word document, as lines. */
#include "extract/docx.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/forget.h"
#include "base/text.h"
#include "extract/xml.h"

#define PARAGRAPH_MAX ((size_t)64 << 10)
#define LISTS_MAX 64                    /* that are counted */
#define NUMBERED_MIN 30                 /* bytes: what is shorter is no reference */

struct reader {
    struct wr_arena *arena;
    struct extract_lines *lines;
    wr_err err;
    unsigned in_text;                   /* inside w:t */
    bool heading, numbered;
    unsigned list;                      /* which, of the paragraph */
    struct { unsigned id, count; } lists[LISTS_MAX];
    size_t list_count;
    struct wr_text paragraph;
};

bool extract_docx_wanted(const char *name)
{
    return strcmp(name, EXTRACT_DOCX_BODY) == 0 || strcmp(name, EXTRACT_DOCX_FOOTNOTES) == 0
        || strcmp(name, EXTRACT_DOCX_ENDNOTES) == 0;
}

static unsigned next_number(struct reader *reader)
{
    size_t i = 0;
    while (i < reader->list_count && reader->lists[i].id != reader->list)
        i++;
    if (i == LISTS_MAX)
        return 0;
    if (i == reader->list_count)
        reader->lists[reader->list_count++].id = reader->list;
    return ++reader->lists[i].count;
}

static void add_line(struct reader *reader, const char *at, size_t len)
{
    struct extract_line line = { .text = wr_arena_copy(reader->arena, at, len), .len = len,
                                 .number = (uint32_t)reader->lines->count + 1 };
    if (!reader->err)
        reader->err = line.text ? extract_lines_add(reader->lines, reader->arena, &line)
                                : WR_NOMEM;
}

/* Names of the styles of headings, whatever the language begins with a word like these. */
static bool is_heading(const char *style)
{
    static const char *const words[] = { "heading", "title", "berschrift", "titre", "ttulo",
                                         NULL };
    for (const char *const *word = words; style && *word; word++)
        if (strcasestr(style, *word))
            return true;
    return false;
}

static void on_start(void *arg, const char *name, const char *const *attributes)
{
    struct reader *reader = arg;
    const char *value = extract_xml_attribute(attributes, "val");
    if (strcmp(name, "t") == 0) {
        reader->in_text++;
    } else if (strcmp(name, "tab") == 0 && reader->paragraph.len > 0) {
        wr_text_bytes(&reader->paragraph, " ", 1);
    } else if (strcmp(name, "br") == 0 || strcmp(name, "cr") == 0) {
        wr_text_bytes(&reader->paragraph, "\n", 1);
    } else if (strcmp(name, "noBreakHyphen") == 0) {
        wr_text_bytes(&reader->paragraph, "-", 1);
    } else if (strcmp(name, "pStyle") == 0) {
        reader->heading = is_heading(value);
    } else if (strcmp(name, "numId") == 0 && value) {
        reader->list = (unsigned)strtoul(value, NULL, 10);
        reader->numbered = reader->list > 0;
    }
}

/* Where a line is broken by hand, the parts are lines. */
static void end_paragraph(struct reader *reader)
{
    struct wr_text *text = &reader->paragraph;
    char number[16] = "";
    if (reader->numbered && !reader->heading && text->len >= NUMBERED_MIN) {
        struct wr_text mark = WR_TEXT(number);
        wr_text_format(&mark, "[%u] ", next_number(reader));
    }
    if (number[0]) {
        char *whole = wr_arena_copy(reader->arena, text->at, text->len);
        wr_text_rewind(text, 0);
        wr_text_str(text, number);
        wr_text_str(text, whole ? whole : "");
    }
    for (const char *at = text->at, *end = text->at + text->len; at <= end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        add_line(reader, at, (size_t)((newline ? newline : end) - at));
        at = (newline ? newline : end) + 1;
    }
    wr_text_rewind(text, 0);
    reader->heading = reader->numbered = false;
}

static void on_end(void *arg, const char *name)
{
    struct reader *reader = arg;
    if (strcmp(name, "t") == 0 && reader->in_text > 0)
        reader->in_text--;
    else if (strcmp(name, "p") == 0)
        end_paragraph(reader);
}

static void on_text(void *arg, const char *bytes, size_t len)
{
    struct reader *reader = arg;
    if (reader->in_text)
        wr_text_bytes(&reader->paragraph, bytes, len);
}

wr_err extract_docx(const char *xml, size_t size, struct wr_arena *arena,
                    struct extract_lines *lines)
{
    static const struct extract_xml handlers = { on_start, on_end, on_text };
    uint32_t line;
    struct reader *reader = calloc(1, sizeof(*reader));
    if (!reader)
        return WR_NOMEM;
    reader->arena = arena;
    reader->lines = lines;
    reader->paragraph = wr_text_heap(PARAGRAPH_MAX);
    wr_err err = extract_xml(xml, size, &handlers, reader, &line);
    if (reader->err)
        err = reader->err;
    wr_text_free(&reader->paragraph);
    wr_forget_free(reader);
    return err;
}
