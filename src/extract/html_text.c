/* html_text.c - lines of the main text, put together into paragraphs under their headings. */
#include "extract/html_text.h"

#include <string.h>

#include "base/text.h"
#include "extract/html_link.h"
#include "extract/html_main.h"

#define TEXT_MAX ((size_t)16 << 20)
#define LEVELS 6
#define ENOUGH ((size_t)8 * EXTRACT_HTML_SHORTEST)  /* bytes that tell its length */

struct reading {
    struct extract_page *ret;
    const struct html_tree *tree;
    struct wr_arena *arena;
    struct html_links links;

    struct wr_text main, line;
    uint32_t owner;                 /* the block that the line is of */
    bool space;                     /* is wanted before the next word */

    const char *above[LEVELS];      /* headings */
    bool pending[LEVELS];           /* that are not in the text yet */
    const char *const *path;        /* of them; NULL: it changed */
    uint32_t path_len;

    struct extract_paragraph paragraph;     /* the one that may go on */
    uint32_t group, row;            /* what its last line was of; HTML_NONE */
    size_t room;                    /* for paragraphs */
};

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* How many bytes of white space there are: the sort that does not break, and the wide one of
 * Chinese, count too. */
static size_t space_at(const char *at, size_t len)
{
    if ((unsigned char)*at < 0x80)
        return is_space(*at);
    return len >= 2 && at[0] == '\xc2' && at[1] == '\xa0'     ? 2
        : len >= 3 && memcmp(at, "\xe3\x80\x80", 3) == 0 ? 3
                                                           : 0;
}

/* Bytes that begin no white space: nearly all. */
static bool is_inside_word(char c)
{
    return (unsigned char)c > ' ' && c != '\xc2' && c != '\xe3';
}

static uint32_t ancestor(const struct html_tree *tree, uint32_t at, uint16_t a, uint16_t b,
                         uint16_t c)
{
    for (; at != HTML_NONE; at = tree->at[at].parent)
        if (tree->at[at].tag == a || tree->at[at].tag == b || tree->at[at].tag == c)
            return at;
    return HTML_NONE;
}

/* ---- paragraphs ---- */

static void path_renew(struct reading *reading)
{
    const char *all[LEVELS];
    uint32_t count = 0;
    for (size_t i = 0; i < LEVELS; i++)
        if (reading->above[i])
            all[count++] = reading->above[i];
    const char **path = wr_arena_alloc(reading->arena, (count + 1) * sizeof(*path));
    if (path)
        memcpy(path, all, count * sizeof(*path));
    reading->path = path;
    reading->path_len = path ? count : 0;
}

static void end_paragraph(struct reading *reading)
{
    struct extract_page *page = reading->ret;
    struct extract_paragraph *it = &reading->paragraph;
    struct html_count count = { 0 };
    html_count_add(&count, reading->main.at + it->offset, it->len < ENOUGH ? it->len : ENOUGH);
    if (it->len > 0 && count.length >= EXTRACT_HTML_SHORTEST) {
        if (page->paragraph_count == EXTRACT_HTML_PARAGRAPHS) {
            page->cut = true;
        } else {
            if (page->paragraph_count == reading->room) {
                size_t room = reading->room ? 2 * reading->room : 32;
                void *more = wr_arena_grow(reading->arena, page->paragraphs,
                                           page->paragraph_count, room,
                                           sizeof(page->paragraphs[0]));
                if (!more)
                    return;
                page->paragraphs = more;
                reading->room = room;
            }
            page->paragraphs[page->paragraph_count++] = *it;
        }
    }
    *it = (struct extract_paragraph){ 0 };
    reading->group = reading->row = HTML_NONE;
}

static void part(struct reading *reading)
{
    if (reading->main.len > 0)
        wr_text_str(&reading->main, "\n\n");
}

static void begin_paragraph(struct reading *reading)
{
    end_paragraph(reading);
    for (size_t i = 0; i < LEVELS; i++) {
        if (reading->pending[i]) {
            part(reading);
            wr_text_str(&reading->main, reading->above[i]);
        }
        reading->pending[i] = false;
    }
    part(reading);
    if (!reading->path)
        path_renew(reading);
    reading->paragraph = (struct extract_paragraph){
        .offset = reading->main.len,
        .path = reading->path, .path_len = reading->path_len,
        .heading = reading->path_len > 0 ? reading->path[reading->path_len - 1] : NULL };
}

/* What the line is one of several of: a table or a list. */
static uint32_t group_of(const struct reading *reading)
{
    uint16_t tag = reading->tree->at[reading->owner].tag;
    if (tag == GUMBO_TAG_TD || tag == GUMBO_TAG_TH)
        return ancestor(reading->tree, reading->owner, GUMBO_TAG_TABLE, GUMBO_TAG_TABLE,
                        GUMBO_TAG_TABLE);
    if (tag == GUMBO_TAG_LI || tag == GUMBO_TAG_DT || tag == GUMBO_TAG_DD)
        return ancestor(reading->tree, reading->owner, GUMBO_TAG_UL, GUMBO_TAG_OL,
                        GUMBO_TAG_DL);
    return HTML_NONE;
}

static void put_heading(struct reading *reading, size_t level)
{
    size_t len = reading->line.len;
    while (len > EXTRACT_HTML_HEADING
           || (len > 0 && len < reading->line.len && (reading->line.at[len] & 0xc0) == 0x80))
        len--;
    end_paragraph(reading);
    for (size_t i = level; i < LEVELS; i++) {
        reading->above[i] = NULL;
        reading->pending[i] = false;
    }
    reading->above[level] = wr_arena_copy(reading->arena, reading->line.at, len);
    reading->pending[level] = reading->above[level] != NULL;
    reading->path = NULL;
    html_links_drop(&reading->links);
}

static void put_line(struct reading *reading)
{
    uint32_t group = group_of(reading), row = HTML_NONE;
    if (group != HTML_NONE)
        row = ancestor(reading->tree, reading->owner, GUMBO_TAG_TR, GUMBO_TAG_TR, GUMBO_TAG_TR);
    bool more = group != HTML_NONE && group == reading->group
        && ((row != HTML_NONE && row == reading->row)
            || reading->paragraph.len < EXTRACT_HTML_GROUP);
    if (!more)
        begin_paragraph(reading);
    else
        wr_text_str(&reading->main, row != HTML_NONE && row == reading->row ? " | " : "\n");
    html_links_place(&reading->links, reading->main.len);
    wr_text_bytes(&reading->main, reading->line.at, reading->line.len);
    reading->paragraph.len = reading->main.len - reading->paragraph.offset;
    reading->group = group;
    reading->row = row;
}

/* The line is whole.  What is too long for a heading is a paragraph, whatever its tag says. */
static void end_line(struct reading *reading)
{
    struct wr_text *line = &reading->line;
    size_t len = line->len;
    while (len > 0 && is_space(line->at[len - 1]))
        len--;
    wr_text_rewind(line, len);
    html_links_end(&reading->links, len);
    if (len > 0) {
        uint16_t tag = reading->tree->at[reading->owner].tag;
        if (tag >= GUMBO_TAG_H1 && tag <= GUMBO_TAG_H6 && len <= EXTRACT_HTML_HEADING)
            put_heading(reading, (size_t)(tag - GUMBO_TAG_H1));
        else
            put_line(reading);
    } else {
        html_links_drop(&reading->links);
    }
    wr_text_rewind(line, 0);
    reading->space = false;
}

/* ---- words ---- */

static void put_words(struct reading *reading, const struct html_node *node)
{
    struct wr_text *line = &reading->line;
    const char *end = node->text + node->len;
    for (const char *at = node->text; at < end;) {
        size_t len = 0, blank;
        while (at + len < end && (is_inside_word(at[len])
                                  || !space_at(at + len, (size_t)(end - at) - len)))
            len++;
        if (len > 0) {
            if (reading->space && line->len > 0 && line->at[line->len - 1] != '\n')
                wr_text_str(line, " ");
            html_links_begin(&reading->links, line->len);
            wr_text_bytes(line, at, len);
            reading->space = false;
        }
        for (at += len; at < end && (blank = space_at(at, (size_t)(end - at))); at += blank)
            reading->space = true;
    }
}

/* As it is, but for the line ends of other systems. */
static void put_code(struct reading *reading, const struct html_node *node)
{
    for (size_t i = 0; i < node->len; i++) {
        size_t from = i;
        while (i < node->len && node->text[i] != '\r')
            i++;
        wr_text_bytes(&reading->line, node->text + from, i - from);
    }
}

static void put_text(struct reading *reading, uint32_t at)
{
    const struct html_tree *tree = reading->tree;
    const struct html_node *node = &tree->at[at];
    uint32_t owner = node->parent;
    while (owner != HTML_NONE && !(tree->at[owner].marks & HTML_BLOCK))
        owner = tree->at[owner].parent;
    if (owner == HTML_NONE)
        return;
    if (owner != reading->owner)
        end_line(reading);
    reading->owner = owner;
    uint32_t link = node->marks & HTML_IN_LINK
        ? ancestor(tree, node->parent, GUMBO_TAG_A, GUMBO_TAG_A, GUMBO_TAG_A) : HTML_NONE;
    html_links_enter(&reading->links, link, reading->line.len);
    if (tree->at[owner].tag == GUMBO_TAG_PRE) {
        html_links_begin(&reading->links, reading->line.len);
        put_code(reading, node);
    } else {
        put_words(reading, node);
    }
}

/* One is a line end, two in a row are the end of a paragraph. */
static void put_break(struct reading *reading)
{
    struct wr_text *line = &reading->line;
    if (line->len > 0 && line->at[line->len - 1] == '\n')
        end_line(reading);
    else if (line->len > 0)
        wr_text_str(line, "\n");
    reading->space = false;
}

static void read_nodes(struct reading *reading, uint32_t root)
{
    const struct html_tree *tree = reading->tree;
    for (uint32_t i = root; i < tree->at[root].end;) {
        const struct html_node *node = &tree->at[i];
        if (node->marks & HTML_BLOCK)
            end_line(reading);
        if (node->marks & HTML_OUT) {
            reading->space = true;
            i = node->end;
            continue;
        }
        if (node->tag == HTML_TEXT)
            put_text(reading, i);
        else if (node->tag == GUMBO_TAG_BR)
            put_break(reading);
        i++;
    }
    end_line(reading);
    end_paragraph(reading);
}

/* The heading of a page often stands before its text. */
static void find_title(struct reading *reading, uint32_t root)
{
    const struct html_tree *tree = reading->tree;
    uint32_t title = HTML_NONE;
    for (uint32_t i = 0; i < root; i++)
        if (tree->at[i].tag == GUMBO_TAG_H1)
            title = i;
    for (uint32_t i = title; title != HTML_NONE && i < tree->at[title].end; i++)
        if (tree->at[i].tag == HTML_TEXT)
            put_words(reading, &tree->at[i]);
    if (reading->line.len > 0) {
        put_heading(reading, 0);
        reading->pending[0] = false;
        wr_text_rewind(&reading->line, 0);
        reading->space = false;
    }
}

wr_err html_text_read(struct extract_page *ret, const struct html_tree *tree, uint32_t root,
                      const char *base, struct wr_arena *arena)
{
    struct reading reading = {
        .ret = ret, .tree = tree, .arena = arena, .owner = root, .group = HTML_NONE,
        .row = HTML_NONE, .links = { .node = HTML_NONE },
        .main = wr_text_heap(TEXT_MAX), .line = wr_text_heap(TEXT_MAX) };
    find_title(&reading, root);
    read_nodes(&reading, root);
    ret->cut |= reading.main.cut > 0 || reading.line.cut > 0;
    ret->main = wr_arena_copy(arena, reading.main.at, reading.main.len);
    ret->main_len = reading.main.len;
    for (size_t i = 0; ret->main && i < ret->paragraph_count; i++)
        ret->paragraphs[i].text = ret->main + ret->paragraphs[i].offset;
    wr_err err = ret->main ? html_links_read(&reading.links, ret, tree, base, arena) : WR_NOMEM;
    html_links_free(&reading.links);
    wr_text_free(&reading.main);
    wr_text_free(&reading.line);
    return err || arena->full ? WR_NOMEM : WR_OK;
}
