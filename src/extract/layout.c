/* layout.c - what pdftotext -bbox-layout writes, as lines with where they stand. */
#include "extract/layout.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define LINE_MAX ((size_t)64 << 10)     /* bytes of the words of one line */

wr_err extract_lines_add(struct extract_lines *lines, struct wr_arena *arena,
                         const struct extract_line *line)
{
    if (lines->count == EXTRACT_LINES_MAX)
        return WR_OK;
    if (lines->count == lines->room) {
        size_t room = lines->room ? 2 * lines->room : 256;
        void *more = wr_arena_grow(arena, lines->at, lines->count, room, sizeof(*line));
        if (!more)
            return WR_NOMEM;
        lines->at = more;
        lines->room = room;
    }
    lines->at[lines->count++] = *line;
    return WR_OK;
}

/* A line ends with LF, CR LF or CR; a form feed ends one too, and the page with it. */
wr_err extract_lines_split(struct extract_lines *lines, struct wr_arena *arena,
                           const char *text, size_t len)
{
    bool paged = memchr(text, '\f', len);
    uint32_t number = 1, page = paged ? 1 : 0;
    wr_err err = WR_OK;
    for (size_t at = 0; !err && at < len;) {
        size_t end = at;
        while (end < len && text[end] != '\n' && text[end] != '\r' && text[end] != '\f')
            end++;
        err = extract_lines_add(lines, arena, &(struct extract_line){
            .text = text + at, .len = end - at, .number = number, .page = page });
        bool feed = end < len && text[end] == '\f';
        bool two = end + 1 < len && text[end] == '\r' && text[end + 1] == '\n';
        page += feed;
        number += !feed;
        at = end + (two ? 2 : 1);
    }
    return err;
}

/* ---- the layout ---- */

struct reader {
    struct wr_arena *arena;
    struct extract_lines *lines;
    struct extract_line line;           /* that is being read */
    bool open;
    uint32_t page, block, number;
    struct wr_text words;
};

/* The number behind xMin=" and the like; 0 when there is none. */
static float number_of(const char *at, const char *end, const char *name)
{
    size_t len = strlen(name);
    const char *found = memmem(at, (size_t)(end - at), name, len);
    if (!found)
        return 0;
    double value = 0, scale = 1;
    bool fraction = false, negative = false;
    for (at = found + len; at < end; at++) {
        if (*at == '-')
            negative = true;
        else if (*at == '.')
            fraction = true;
        else if (*at < '0' || *at > '9')
            break;
        else if (fraction)
            value += (*at - '0') * (scale /= 10);
        else
            value = value < 1e6 ? value * 10 + (*at - '0') : value;
    }
    return (float)(negative ? -value : value);
}

static void put_word(struct wr_text *words, const char *at, const char *end)
{
    static const struct { const char *name, *text; } entities[] = {
        { "&amp;", "&" }, { "&lt;", "<" }, { "&gt;", ">" }, { "&quot;", "\"" },
        { "&apos;", "'" },
    };
    if (words->len > 0)
        wr_text_bytes(words, " ", 1);
    while (at < end) {
        const char *sign = memchr(at, '&', (size_t)(end - at));
        wr_text_bytes(words, at, (size_t)((sign ? sign : end) - at));
        if (!sign)
            return;
        at = sign + 1;
        const char *text = "&";
        for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++) {
            size_t len = strlen(entities[i].name);
            if ((size_t)(end - sign) >= len && memcmp(sign, entities[i].name, len) == 0) {
                text = entities[i].text;
                at = sign + len;
            }
        }
        wr_text_str(words, text);
    }
}

static void read_word(struct reader *reader, const char *at, const char *end)
{
    const char *text = memchr(at, '>', (size_t)(end - at));
    const char *close = text ? memmem(text, (size_t)(end - text), "</word>", 7) : NULL;
    if (reader->open && close)
        put_word(&reader->words, text + 1, close);
}

static void begin_line(struct reader *reader, const char *at, const char *end)
{
    reader->line = (struct extract_line){
        .page = reader->page, .block = reader->block,
        .x0 = number_of(at, end, "xMin=\""), .y0 = number_of(at, end, "yMin=\""),
        .x1 = number_of(at, end, "xMax=\""), .y1 = number_of(at, end, "yMax=\""),
    };
    wr_text_rewind(&reader->words, 0);
    reader->open = true;
}

static wr_err end_line(struct reader *reader)
{
    bool any = reader->open && reader->words.len > 0;
    reader->open = false;
    if (!any)
        return WR_OK;
    reader->line.text = wr_arena_copy(reader->arena, reader->words.at, reader->words.len);
    reader->line.len = reader->words.len;
    reader->line.number = ++reader->number;
    return reader->line.text ? extract_lines_add(reader->lines, reader->arena, &reader->line)
                             : WR_NOMEM;
}

static wr_err read_tag(struct reader *reader, const char *at, const char *end)
{
    static const struct { const char *text; char tag; } tags[] = {
        { "<word ", 'w' }, { "<line ", 'l' }, { "</line>", 'e' }, { "<block ", 'b' },
        { "<page ", 'p' },
    };
    while (at < end && *at == ' ')
        at++;
    char tag = '\0';
    for (size_t i = 0; !tag && i < sizeof(tags) / sizeof(tags[0]); i++) {
        size_t len = strlen(tags[i].text);
        if ((size_t)(end - at) >= len && memcmp(at, tags[i].text, len) == 0)
            tag = tags[i].tag;
    }
    if (tag == 'w')
        read_word(reader, at, end);
    else if (tag == 'l')
        begin_line(reader, at, end);
    else if (tag == 'e')
        return end_line(reader);
    else if (tag == 'b')
        reader->block++;
    else if (tag == 'p')
        reader->page++;
    return WR_OK;
}

wr_err extract_layout(const char *xhtml, size_t len, uint32_t pages, struct wr_arena *arena,
                      struct extract_lines *lines)
{
    struct reader reader = { .arena = arena, .lines = lines, .page = pages,
                             .words = wr_text_heap(LINE_MAX) };
    if (lines->count > 0) {
        reader.number = lines->at[lines->count - 1].number;
        reader.block = lines->at[lines->count - 1].block;
    }
    wr_err err = WR_OK;
    for (const char *at = xhtml, *end = xhtml + len; !err && at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        err = read_tag(&reader, at, newline ? newline : end);
        at = newline ? newline + 1 : end;
    }
    wr_text_free(&reader.words);
    return err;
}
