/* latex.c - TeX, as bibliographies have it, read as plain text: one pass, no recursion. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "base/text.h"
#include "base/forget.h"
#include "biblio/latex.h"
#include "biblio/latex_table.h"

#define MARKS_MAX 3                 /* accents on one letter */
#define CLOSERS_MAX 16              /* groups in one another that end with a text */
#define OPTION_MAX 256              /* bytes between brackets */
#define LITERAL_MAX 4096            /* bytes between other signs than braces */

struct reader {
    const char *at, *end;
    struct wr_text out;
    bool space;                     /* one is due before the next character */
    bool math;
    uint32_t marks[MARKS_MAX];      /* accents that wait for a letter, the outermost first */
    unsigned mark_count;
    size_t depth;                   /* of braces */
    struct { size_t depth; const char *text; } closers[CLOSERS_MAX];
    unsigned closer_count;
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void pass_spaces(struct reader *reader)
{
    while (reader->at < reader->end && is_space(*reader->at))
        reader->at++;
}

const char *bib_latex_group_end(const char *at, const char *end)
{
    size_t depth = 0;
    for (; at < end; at++) {
        if (*at == '\\' && at + 1 < end)
            at++;
        else if (*at == '{')
            depth++;
        else if (*at == '}' && --depth == 0)
            return at + 1;
    }
    return end;
}

/* ---- writing ---- */

static void write_code(struct wr_text *out, int32_t code)
{
    utf8proc_uint8_t bytes[4];
    wr_text_bytes(out, (char *)bytes, (size_t)utf8proc_encode_char(code, bytes));
}

static void put_space(struct reader *reader)
{
    reader->space = reader->out.len > 0;
}

/* A character with the accents that wait for one. */
static void put(struct reader *reader, int32_t code)
{
    if (code < 0x20 || (code >= 0x7f && code < 0xa0))
        return;
    if (code == ' ' || code == 0xa0) {
        put_space(reader);
        return;
    }
    if (reader->space)
        wr_text_bytes(&reader->out, " ", 1);
    reader->space = false;
    if (reader->mark_count > 0 && (code == 0x131 || code == 0x237))
        code = code == 0x131 ? 'i' : 'j';
    write_code(&reader->out, code);
    while (reader->mark_count > 0)
        write_code(&reader->out, (int32_t)reader->marks[--reader->mark_count]);
}

/* Returns how many bytes of the input it was. */
static size_t put_next(struct reader *reader, const char *at, size_t len)
{
    utf8proc_int32_t code;
    utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)at,
                                             (utf8proc_ssize_t)len, &code);
    put(reader, used > 0 ? code : 0xfffd);
    return used > 0 ? (size_t)used : 1;
}

static void put_text(struct reader *reader, const char *text)
{
    for (size_t len = strlen(text), i = 0; i < len;)
        i += put_next(reader, text + i, len - i);
}

/* Accents without a letter: \~{} and \^{} are how these signs are written. */
static void drop_marks(struct reader *reader)
{
    uint32_t mark = reader->mark_count > 0 ? reader->marks[reader->mark_count - 1] : 0;
    reader->mark_count = 0;
    if (mark == 0x303 || mark == 0x302)
        put(reader, mark == 0x303 ? '~' : '^');
}

/* ---- arguments ---- */

static void pass_group(struct reader *reader)
{
    pass_spaces(reader);
    while (reader->at < reader->end && *reader->at == '[') {
        size_t left = (size_t)(reader->end - reader->at);
        const char *close = memchr(reader->at, ']', left < OPTION_MAX ? left : OPTION_MAX);
        if (!close)
            return;
        reader->at = close + 1;
        pass_spaces(reader);
    }
    if (reader->at < reader->end && *reader->at == '{')
        reader->at = bib_latex_group_end(reader->at, reader->end);
}

static bool pass_word(struct reader *reader, const char *word)
{
    size_t len = strlen(word);
    bool there = (size_t)(reader->end - reader->at) >= len
        && memcmp(reader->at, word, len) == 0;
    if (there)
        reader->at += len;
    return there;
}

/* 1em plus 0.5em minus 0.4em */
static void pass_length(struct reader *reader)
{
    static const char *const units[] = { "em", "ex", "pt", "mm", "cm", "in", "sp", "pc", "bp" };
    for (;;) {
        pass_spaces(reader);
        const char *begin = reader->at;
        if (pass_word(reader, "plus") || pass_word(reader, "minus"))
            pass_spaces(reader);
        const char *number = reader->at;
        while (reader->at < reader->end && *reader->at && strchr("+-.0123456789", *reader->at))
            reader->at++;
        if (reader->at == number) {
            reader->at = begin;
            return;
        }
        for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
            if (pass_word(reader, units[i]))
                break;
    }
}

/* One sign of what is taken literally; returns what to go on with. */
static const char *put_literal_sign(struct reader *reader, const char *at, const char *end)
{
    static const char *const tildes[] = { "$\\sim$", "\\textasciitilde", "\\sim", "\\~" };
    for (size_t i = 0; i < sizeof(tildes) / sizeof(tildes[0]); i++) {
        size_t len = strlen(tildes[i]);
        if ((size_t)(end - at) >= len && memcmp(at, tildes[i], len) == 0) {
            put(reader, '~');
            return at + len;
        }
    }
    if (*at == '\\') {
        const char *name = ++at;
        while (at < end && is_letter(*at))          /* \string_, \discretionary */
            at++;
        if (at - name == 14 && memcmp(name, "textunderscore", 14) == 0)
            put(reader, '_');
        else if (at == name && at < end && !is_space(*at))
            return at + put_next(reader, at, (size_t)(end - at));
        return at;
    }
    bool broken = *at == '%' && end - at > 1 && is_space(at[1]);
    if (broken || is_space(*at) || *at == '{' || *at == '}')
        return at + 1;
    return at + put_next(reader, at, (size_t)(end - at));
}

/* \url{...} and \url|...| */
static void put_literal(struct reader *reader)
{
    pass_spaces(reader);
    if (reader->at >= reader->end)
        return;
    const char *begin = reader->at, *close;
    if (*begin == '{') {
        reader->at = close = bib_latex_group_end(begin, reader->end);
    } else {
        size_t left = (size_t)(reader->end - begin - 1);
        close = memchr(begin + 1, *begin, left < LITERAL_MAX ? left : LITERAL_MAX);
        if (!close)
            return;
        reader->at = close + 1;
        begin++;
    }
    while (begin < close)
        begin = put_literal_sign(reader, begin, close);
}

/* ---- commands ---- */

static void add_closer(struct reader *reader, const char *text)
{
    pass_spaces(reader);
    if (reader->closer_count == CLOSERS_MAX || reader->at >= reader->end || *reader->at != '{')
        return;
    unsigned i = reader->closer_count++;
    reader->closers[i].depth = reader->depth + 1;
    reader->closers[i].text = text;
}

static void obey(struct reader *reader, const struct latex_command *command)
{
    if (command->text)
        put_text(reader, command->text);
    for (unsigned i = 0; i < command->passed; i++)
        pass_group(reader);
    if (command->glue) {
        put_space(reader);
        pass_length(reader);
    }
    if (command->close)
        add_closer(reader, command->close);
    if (command->literal)
        put_literal(reader);
}

/* A command of one sign: \& \, \\ */
static void read_sign(struct reader *reader, char sign)
{
    if (is_space(sign) || strchr(",;:\\>", sign))
        put_space(reader);
    else if (sign == '(' || sign == ')' || sign == '[' || sign == ']')
        reader->math = sign == '(' || sign == '[';
    else if (strchr("&%$#_{}|*", sign))
        put(reader, sign);
}

static void read_command(struct reader *reader)
{
    const char *name = ++reader->at;
    if (name == reader->end)
        return;
    while (reader->at < reader->end && is_letter(*reader->at))
        reader->at++;
    size_t len = (size_t)(reader->at - name);
    if (len == 0) {
        reader->at++;
        len = 1;
    }
    uint32_t mark = latex_accent(name, len);
    if (mark) {
        if (reader->mark_count < MARKS_MAX)
            reader->marks[reader->mark_count++] = mark;
        pass_spaces(reader);
        return;
    }
    if (!is_letter(*name)) {
        drop_marks(reader);
        read_sign(reader, *name);
        return;
    }
    const struct latex_command *command = latex_command(name, len);
    if (!reader->math && (!command || !command->literal))
        pass_spaces(reader);
    if (command)
        obey(reader, command);
}

/* ---- everything else ---- */

static void close_group(struct reader *reader)
{
    drop_marks(reader);
    unsigned i = reader->closer_count;
    if (i > 0 && reader->closers[i - 1].depth == reader->depth) {
        reader->closer_count--;
        put_text(reader, reader->closers[i - 1].text);
    }
    if (reader->depth > 0)
        reader->depth--;
}

/* A dollar sign is one of mathematics if another follows. */
static void read_dollar(struct reader *reader)
{
    reader->at++;
    if (reader->math)
        reader->math = false;
    else if (memchr(reader->at, '$', (size_t)(reader->end - reader->at)))
        reader->math = true;
    else
        put(reader, '$');
}

/* What several signs together stand for; false: these do not. */
static bool read_ligature(struct reader *reader)
{
    static const struct { const char *signs, *text; } ligatures[] = {
        { "---", "—" }, { "--", "–" }, { "``", "“" }, { "''", "”" }, { "`", "‘" },
    };
    for (size_t i = 0; !reader->math && i < sizeof(ligatures) / sizeof(ligatures[0]); i++) {
        if (pass_word(reader, ligatures[i].signs)) {
            put_text(reader, ligatures[i].text);
            return true;
        }
    }
    return false;
}

/* What exports of other formats leave behind, &amp; and also \&amp;: the sign that an entity
 * stands for.  False: it is none. */
static bool read_entity(struct reader *reader)
{
    static const struct { const char *name, *text; } entities[] = {
        { "&amp;", "&" }, { "&lt;", "<" }, { "&gt;", ">" }, { "&quot;", "\"" },
        { "&apos;", "'" }, { "&#39;", "'" }, { "&nbsp;", " " }, { "\\&amp;", "&" },
        { "\\&lt;", "<" }, { "\\&gt;", ">" },
    };
    for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++) {
        if (pass_word(reader, entities[i].name)) {
            put_text(reader, entities[i].text);
            return true;
        }
    }
    return false;
}

/* ... and tags: <i>, </sub>.  They go, what they mark stays. */
static bool pass_tag(struct reader *reader)
{
    static const char *const names[] = { "i>", "b>", "em>", "sub>", "sup>", "strong>", "scp>",
                                         "tt>", "u>", "inf>" };
    const char *begin = reader->at;
    if (!pass_word(reader, "</") && !pass_word(reader, "<"))
        return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (pass_word(reader, names[i]))
            return true;
    reader->at = begin;
    return false;
}

static void read_one(struct reader *reader)
{
    char c = *reader->at;
    if (((c == '\\' || c == '&') && read_entity(reader)) || (c == '<' && pass_tag(reader)))
        return;
    if (c == '\\') {
        read_command(reader);
    } else if (c == '{') {
        reader->depth++;
        reader->at++;
    } else if (c == '}') {
        close_group(reader);
        reader->at++;
    } else if (c == '$') {
        read_dollar(reader);
    } else if (is_space(c) || c == '~') {
        put_space(reader);
        reader->at++;
    } else if (c == '%' && reader->end - reader->at > 1 && reader->at[1] == '\n') {
        reader->at++;                   /* the line was too long for who wrote it */
        pass_spaces(reader);
    } else if (reader->math && (c == '^' || c == '_')) {
        reader->at++;
    } else if (!read_ligature(reader)) {
        reader->at += put_next(reader, reader->at, (size_t)(reader->end - reader->at));
    }
}

/* Letters and the accents after them become one character where there is one. */
static char *composed(struct wr_arena *arena, const struct wr_text *text)
{
    if (text->cut)
        return NULL;
    bool plain = true;
    for (size_t i = 0; i < text->len; i++)
        plain = plain && (unsigned char)text->at[i] < 0x80;
    if (plain)
        return wr_arena_copy(arena, text->at, text->len);
    utf8proc_uint8_t *bytes = NULL;
    utf8proc_ssize_t len = utf8proc_map((const utf8proc_uint8_t *)text->at,
                                        (utf8proc_ssize_t)text->len, &bytes,
                                        UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    char *copy = len < 0 ? NULL : wr_arena_copy(arena, (char *)bytes, (size_t)len);
    wr_forget_free(bytes);
    return copy;
}

/* No input makes more than three bytes of one. */
static size_t room_for(size_t len)
{
    return len < SIZE_MAX / 4 ? 3 * len + 16 : SIZE_MAX;
}

char *bib_latex(struct wr_arena *arena, const char *tex, size_t len)
{
    struct reader reader = { .at = tex, .end = tex + len, .out = wr_text_heap(room_for(len)) };
    while (reader.at < reader.end)
        read_one(&reader);
    drop_marks(&reader);
    char *text = composed(arena, &reader.out);
    wr_text_free(&reader.out);
    return text;
}

char *bib_latex_literal(struct wr_arena *arena, const char *tex, size_t len)
{
    struct reader reader = { .out = wr_text_heap(room_for(len)) };
    for (const char *at = tex, *end = tex + len; at < end;)
        at = put_literal_sign(&reader, at, end);
    char *text = composed(arena, &reader.out);
    wr_text_free(&reader.out);
    return text;
}
