/* html_fuzz.c - a page of any bytes.
 *
 * The first byte says what encoding its server claims.  Whatever the page is, the text is
 * UTF-8, paragraphs lie in it one behind the other, links are absolute, and the tree is no
 * deeper than markup lets it be.  Claims are pieces of the text, and a text is never against
 * a claim that it makes itself.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include <weir/panic.h>

#include "extract/claims.h"
#include "extract/html.h"
#include "extract/html_tree.h"
#include "extract/stance.h"

#define DEEPEST (4 * EXTRACT_MARKUP_DEPTH)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_utf8(const char *text, size_t len)
{
    utf8proc_int32_t code;
    for (size_t i = 0; i < len;) {
        utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)text + i,
                                                 (utf8proc_ssize_t)(len - i), &code);
        if (used <= 0)
            wr_panic("byte %zu of the text is no UTF-8", i);
        i += (size_t)used;
    }
}

static void check_page(const struct extract_page *page)
{
    size_t at = 0;
    check_utf8(page->main, page->main_len);
    for (size_t i = 0; i < page->paragraph_count; i++) {
        const struct extract_paragraph *it = &page->paragraphs[i];
        if (it->offset < at || it->offset + it->len > page->main_len)
            wr_panic("paragraph %zu is at %zu of %zu", i, it->offset, page->main_len);
        if (it->text != page->main + it->offset || (it->path_len > 0) != (it->heading != NULL))
            wr_panic("paragraph %zu does not say where it is", i);
        at = it->offset + it->len;
    }
    for (size_t i = 0; i < page->link_count; i++) {
        const struct extract_link *link = &page->links[i];
        if (strncmp(link->url, "http", 4) != 0 || link->offset >= page->main_len)
            wr_panic("link %zu leads to %s", i, link->url);
    }
}

static void check_claims(const struct extract_page *page, struct wr_arena *arena)
{
    struct extract_claims claims;
    if (extract_claims(&claims, page->main, page->main_len, page->title, 5, arena))
        return;
    for (size_t i = 0; i < claims.count; i++) {
        const struct extract_claim *it = &claims.at[i];
        if (it->offset + it->len > page->main_len || it->relevance > 1000
            || it->confidence > 1000 || memcmp(it->text, page->main + it->offset, it->len) != 0)
            wr_panic("claim %zu is not in the text", i);
        struct extract_stance stance = extract_stance(it->text, it->len, it->text);
        if (stance.relation == EXTRACT_REFUTES || stance.confidence > EXTRACT_STANCE_SURE)
            wr_panic("claim %zu is against itself", i);
        (void)extract_stance(page->main, page->main_len, it->text);
    }
}

static void check_depth(const char *text, size_t len)
{
    struct extract_markup markup;
    struct html_tree tree;
    if (extract_markup(&markup, text, len))
        return;
    if (html_tree_build(&tree, &markup) == WR_OK) {
        for (uint32_t i = 0; i < tree.count; i++) {
            size_t deep = 0;
            for (uint32_t at = i; at != HTML_NONE && deep <= DEEPEST; at = tree.at[at].parent)
                deep++;
            if (deep > DEEPEST || tree.at[i].end <= i || tree.at[i].end > tree.count)
                wr_panic("node %u of %u is too deep, or ends at %u", i, tree.count,
                         tree.at[i].end);
        }
        html_tree_free(&tree);
    }
    extract_markup_free(&markup);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const charsets[] = { NULL, "utf-8", "shift_jis", "gb18030",
                                            "iso-2022-jp", "utf-16le", "big5-hkscs", "none" };
    struct wr_arena arena = WR_ARENA(EXTRACT_HTML_ARENA);
    struct extract_page page;
    if (size == 0)
        return 0;
    const char *bytes = (const char *)data + 1;
    struct extract_html_conf conf = {
        .url = data[0] & 8 ? NULL : "https://example.org/a/b?c",
        .charset = charsets[data[0] % 8] };
    if (extract_html(&page, bytes, size - 1, &conf, &arena) == WR_OK) {
        check_page(&page);
        check_claims(&page, &arena);
    }
    check_depth(bytes, size - 1);
    wr_arena_free(&arena);
    return 0;
}
