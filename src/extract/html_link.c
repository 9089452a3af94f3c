/* html_link.c - links of the main text: where they lead, and the sentence that says why. */
#include "extract/html_link.h"

#include <stdlib.h>
#include <string.h>

#include "base/forget.h"
#include "extract/href.h"
#include "extract/sentence.h"

#define ANCHORS_MAX ((size_t)4 * EXTRACT_HTML_LINKS)    /* with those that lead nowhere */
#define TABLE ((size_t)4 * EXTRACT_HTML_LINKS)

static void close_anchor(struct html_links *links, size_t at)
{
    if (links->node == HTML_NONE || !links->begun || at <= links->from)
        return;
    if (links->count == links->room) {
        size_t room = links->room ? 2 * links->room : 64;
        struct html_anchor *more = links->count < ANCHORS_MAX
            ? wr_forget_realloc(links->at, room * sizeof(*more)) : NULL;
        if (!more) {
            links->cut = true;
            return;
        }
        links->at = more;
        links->room = room;
    }
    links->at[links->count++] = (struct html_anchor){ links->node, links->from, at };
}

void html_links_enter(struct html_links *links, uint32_t node, size_t at)
{
    if (node == links->node)
        return;
    close_anchor(links, at);
    links->node = node;
    links->begun = false;
}

void html_links_begin(struct html_links *links, size_t at)
{
    if (!links->begun)
        links->from = at;
    links->begun = true;
}

void html_links_end(struct html_links *links, size_t at)
{
    close_anchor(links, at);
    links->node = HTML_NONE;
    links->begun = false;
}

void html_links_place(struct html_links *links, size_t offset)
{
    for (; links->placed < links->count; links->placed++) {
        links->at[links->placed].from += offset;
        links->at[links->placed].to += offset;
    }
}

void html_links_drop(struct html_links *links)
{
    links->count = links->placed;
}

void html_links_free(struct html_links *links)
{
    wr_forget_free(links->at);
    *links = (struct html_links){ .node = HTML_NONE };
}

/* ---- reading ---- */

/* Whole characters around a place, if a sentence is longer than that. */
static char *cut_around(const char *text, size_t from, size_t to, size_t at,
                        struct wr_arena *arena)
{
    if (to - from > EXTRACT_HTML_CONTEXT) {
        if (at > from + EXTRACT_HTML_CONTEXT / 2)
            from = at - EXTRACT_HTML_CONTEXT / 2;
        while (from < to && ((unsigned char)text[from] & 0xc0) == 0x80)
            from++;
        if (to - from > EXTRACT_HTML_CONTEXT)
            to = from + EXTRACT_HTML_CONTEXT;
        while (to > from && ((unsigned char)text[to] & 0xc0) == 0x80)
            to--;
    }
    return wr_arena_copy(arena, text + from, to - from);
}

/* The sentence of the main text in which a place is; places come in order. */
static void sentence_at(struct extract_sentence *sentence, size_t *next,
                        const struct extract_page *page, size_t place)
{
    while (sentence->at + sentence->len <= place
           && extract_sentence_next(sentence, page->main, page->main_len, next))
        ;
}

/* Whether an address is there for the first time. */
static bool is_new(uint32_t table[TABLE], const struct extract_page *page, const char *url)
{
    uint64_t hash = 0xcbf29ce484222325;         /* FNV-1a; the table is small in any case */
    for (const char *at = url; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001b3;
    size_t slot = hash % TABLE;
    for (; table[slot]; slot = (slot + 1) % TABLE)
        if (strcmp(page->links[table[slot] - 1].url, url) == 0)
            return false;
    table[slot] = (uint32_t)page->link_count + 1;
    return true;
}

static bool add_link(struct extract_page *page, size_t *room, struct extract_link link,
                     struct wr_arena *arena)
{
    if (page->link_count == *room) {
        size_t more = *room ? 2 * *room : 16;
        void *longer = wr_arena_grow(arena, page->links, page->link_count, more,
                                     sizeof(page->links[0]));
        if (!longer)
            return false;
        page->links = longer;
        *room = more;
    }
    page->links[page->link_count++] = link;
    return true;
}

wr_err html_links_read(const struct html_links *links, struct extract_page *page,
                       const struct html_tree *tree, const char *base, struct wr_arena *arena)
{
    struct extract_sentence sentence = { 0 };
    char url[EXTRACT_HREF_MAX], self[EXTRACT_HREF_MAX];
    size_t next = 0, room = 0;
    uint32_t *table = calloc(TABLE, sizeof(*table));
    if (!table)
        return WR_NOMEM;
    if (!base || !extract_href(self, base, ""))
        self[0] = '\0';
    page->cut |= links->cut;
    for (size_t i = 0; i < links->placed; i++) {
        const struct html_anchor *anchor = &links->at[i];
        const char *href = html_attribute(&tree->at[anchor->node], "href");
        if (!href || !extract_href(url, base, href) || strcmp(url, self) == 0)
            continue;
        if (page->link_count == EXTRACT_HTML_LINKS) {
            page->cut = true;
            break;
        }
        if (anchor->to > page->main_len || !is_new(table, page, url))
            continue;
        sentence_at(&sentence, &next, page, anchor->from);
        struct extract_link link = {
            .url = wr_arena_str(arena, url), .offset = anchor->from,
            .text = wr_arena_copy(arena, page->main + anchor->from, anchor->to - anchor->from),
            .context = cut_around(page->main, sentence.at, sentence.at + sentence.len,
                                  anchor->from, arena) };
        if (!link.url || !link.text || !link.context || !add_link(page, &room, link, arena))
            break;
    }
    wr_forget_free(table);
    return arena->full ? WR_NOMEM : WR_OK;
}
