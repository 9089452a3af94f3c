/* tex.c - bibliographies in TeX: where they are, item by item. */
#include "extract/tex.h"

#include <stdlib.h>
#include <string.h>

#include "base/forget.h"
#include "biblio/latex.h"
#include "extract/bibitem.h"

#define ADDRESS_MAX 4096            /* bytes of an address in which % begins no comment */
#define UNCLOSED_MAX 64             /* addresses without an end, until no more are looked for */
#define BLANK '\x01'                /* what is no part of the text any more */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_blank(char c)
{
    return c == ' ' || c == BLANK || (c >= '\t' && c <= '\r');
}

const char *extract_tex_find(const char *at, const char *end, const char *name)
{
    size_t len = strlen(name);
    for (; (at = memmem(at, (size_t)(end - at), name, len)); at += len)
        if (at + len == end || !is_letter(at[len]))
            return at;
    return NULL;
}

bool extract_tex_argument(const char *at, const char *end, struct extract_argument *ret)
{
    while (at < end && is_blank(*at))
        at++;
    *ret = (struct extract_argument){ .behind = at };
    if (at >= end || *at != '{')
        return false;
    ret->behind = bib_latex_group_end(at, end);
    if (ret->behind - at < 2 || ret->behind[-1] != '}')
        return false;
    ret->at = at + 1;
    ret->len = (size_t)(ret->behind - at) - 2;
    return true;
}

/* ---- comments ---- */

/* Behind an address that begins here, in which % means itself; NULL: none begins. */
static const char *address_end(const char *at, const char *end, unsigned *unclosed)
{
    static const char *const commands[] = { "\\url{", "\\path{", "\\href{", "\\nolinkurl{",
                                            "\\doi{" };
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        size_t len = strlen(commands[i]);
        if ((size_t)(end - at) <= len || memcmp(at, commands[i], len) != 0)
            continue;
        const char *limit = (size_t)(end - at) > ADDRESS_MAX ? at + ADDRESS_MAX : end;
        const char *behind = bib_latex_group_end(at + len - 1, limit);
        if (behind[-1] == '}')
            return behind;
        ++*unclosed;
    }
    return NULL;
}

/* A comment reaches over the end of its line to the first word of the next one. */
static char *blank_comment(char *at, char *end)
{
    while (at < end && *at != '\n')
        *at++ = BLANK;
    if (at < end)
        *at++ = BLANK;
    while (at < end && (*at == ' ' || *at == '\t'))
        *at++ = BLANK;
    return at;
}

static void blank_comments(char *text, size_t len)
{
    char *end = text + len;
    unsigned unclosed = 0;
    for (char *at = text; at < end;) {
        const char *behind = NULL;
        if (*at == '\\' && unclosed < UNCLOSED_MAX)
            behind = address_end(at, end, &unclosed);
        if (behind)
            at += behind - at;
        else if (*at == '\\')
            at += at + 1 < end ? 2 : 1;
        else if (*at == '%')
            at = blank_comment(at, end);
        else
            at++;
    }
}

/* ---- where it is ---- */

/* \bibliography{a,b} and \addbibresource{c.bib} */
static const char *files_named(const char *text, size_t len, struct wr_arena *arena)
{
    static const char *const commands[] = { "\\bibliography", "\\addbibresource" };
    const char *end = text + len;
    for (size_t i = 0; i < 2; i++) {
        const char *at = extract_tex_find(text, end, commands[i]);
        const char *open = at ? memchr(at, '{', (size_t)(end - at)) : NULL;
        struct extract_argument names;
        if (open && open - at < 64 && extract_tex_argument(open, end, &names) && names.len > 0
            && names.len < 256)
            return bib_latex_literal(arena, names.at, names.len);
    }
    return NULL;
}

struct items {
    struct extract_item *at;
    size_t count, room;
    struct wr_arena *arena;
    bool cut;
};

static bool add_item(struct items *items, const char *begin, const char *end)
{
    while (end > begin && is_blank(end[-1]))
        end--;
    if (items->count == EXTRACT_ITEMS_MAX) {
        items->cut = true;
        return false;
    }
    if (items->count == items->room) {
        size_t room = items->room ? 2 * items->room : 64;
        void *more = wr_arena_grow(items->arena, items->at, items->count, room,
                                   sizeof(items->at[0]));
        if (!more)
            return false;
        items->at = more;
        items->room = room;
    }
    items->at[items->count++] = (struct extract_item){ .begin = begin, .end = end };
    return true;
}

/* Every \bibitem up to the next one. */
static void split(struct items *items, const char *at, const char *end)
{
    const char *item = extract_tex_find(at, end, "\\bibitem");
    while (item) {
        const char *next = extract_tex_find(item + 1, end, "\\bibitem");
        if (!add_item(items, item, next ? next : end))
            return;
        item = next;
    }
}

/* All environments of the file; where there is none, a list without one. */
static void find_items(struct items *items, const char *text, size_t len)
{
    static const char begin[] = "\\begin{thebibliography}", close[] = "\\end{thebibliography}";
    const char *end = text + len, *at = memmem(text, len, begin, strlen(begin));
    if (!at) {
        split(items, text, end);
        return;
    }
    while (at && !items->cut) {
        const char *behind = memmem(at, (size_t)(end - at), close, strlen(close));
        split(items, at, behind ? behind : end);
        at = behind ? memmem(behind, (size_t)(end - behind), begin, strlen(begin)) : NULL;
    }
}

/* Lines are counted in the file itself: in the copy the ends of comments are none. */
static void number_lines(struct items *items, const char *text, const char *original)
{
    uint32_t line = 1;
    for (size_t i = 0, at = 0; i < items->count; i++) {
        struct extract_item *item = &items->at[i];
        for (; at < (size_t)(item->begin - text); at++)
            line += original[at] == '\n';
        item->line = line;
        for (; at < (size_t)(item->end - text); at++)
            line += original[at] == '\n';
        item->line_end = line;
    }
}

static wr_err read_items(const char *text, size_t len, const char *original,
                         struct wr_arena *arena, struct extract_tex *ret)
{
    struct items items = { .arena = arena };
    find_items(&items, text, len);
    number_lines(&items, text, original);
    ret->cut = items.cut;
    return arena->full ? WR_NOMEM
                       : extract_items(items.at, items.count, arena, &ret->references);
}

wr_err extract_tex(const char *text, size_t len, struct wr_arena *arena,
                   struct extract_tex *ret)
{
    *ret = (struct extract_tex){ 0 };
    char *copy = malloc(len + 1);
    if (!copy)
        return WR_NOMEM;
    memcpy(copy, text, len);
    copy[len] = '\0';
    blank_comments(copy, len);
    wr_err err;
    if (extract_tex_find(copy, copy + len, "\\entry") && memmem(copy, len, "\\endentry", 9)) {
        struct bibtex_file file;
        err = extract_biblatex(copy, text, len, arena, &file, &ret->cut);
        if (!err)
            err = bibtex_references(text, &file, arena, &ret->references);
    } else {
        err = read_items(copy, len, text, arena, ret);
        ret->elsewhere = files_named(copy, len, arena);
    }
    wr_forget_free(copy);
    return err;
}
