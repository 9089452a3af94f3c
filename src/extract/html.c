/* html.c - a page, from its bytes to its paragraphs. */
#include "extract/html.h"

#include <string.h>

#include "base/forget.h"
#include "extract/charset.h"
#include "extract/html_main.h"
#include "extract/html_meta.h"
#include "extract/html_text.h"
#include "extract/markup.h"

#define FEW 200                     /* letters that are next to no text */
#define MANY_SCRIPTS 3
#define LONG_SCRIPT 2000            /* bytes */

/* Whether there is a place that scripts write to, by one of its usual names. */
static bool has_place_for_scripts(const struct html_tree *tree)
{
    static const char *const ids[] = { "root", "app", "__next", "__nuxt", "react-root",
                                       "app-root", "main-app" };
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct html_node *node = &tree->at[i];
        const char *id = node->tag == HTML_TEXT ? NULL : html_attribute(node, "id");
        for (size_t k = 0; id && k < sizeof(ids) / sizeof(ids[0]); k++)
            if (strcmp(id, ids[k]) == 0)
                return true;
    }
    return false;
}

static wr_err read_tree(struct extract_page *ret, struct html_tree *tree,
                        const struct extract_markup *markup,
                        const struct extract_html_conf *conf, struct wr_arena *arena)
{
    char base[EXTRACT_HREF_MAX];
    struct html_found found;
    ret->published = markup->published[0] ? markup->published : NULL;
    html_meta_read(ret, tree, conf->url, base, arena);
    wr_err err = html_main_find(&found, tree);
    if (!err)
        err = html_text_read(ret, tree, found.root, base[0] ? base : NULL, arena);
    if (err)
        return err;
    ret->needs_scripts = found.page_length < FEW && markup->scripts > 0
        && (markup->scripts >= MANY_SCRIPTS || markup->script_len >= LONG_SCRIPT
            || markup->asks_for_scripts || has_place_for_scripts(tree));
    return WR_OK;
}

static wr_err read_markup(struct extract_page *ret, struct extract_markup *markup,
                          const struct extract_html_conf *conf, struct wr_arena *arena)
{
    struct html_tree tree;
    wr_err err = html_tree_build(&tree, markup);
    if (err)
        return err;
    ret->cut |= markup->cut;
    err = read_tree(ret, &tree, markup, conf, arena);
    html_tree_free(&tree);
    return err;
}

wr_err extract_html(struct extract_page *ret, const char *bytes, size_t size,
                    const struct extract_html_conf *conf, struct wr_arena *arena)
{
    char stated[HTML_CHARSET_MAX];
    const char *label = conf->charset;
    struct extract_text text;
    struct extract_markup markup;
    *ret = (struct extract_page){ .cut = size > EXTRACT_HTML_MAX };
    size = size > EXTRACT_HTML_MAX ? EXTRACT_HTML_MAX : size;
    if (!label && html_charset(stated, bytes, size))
        label = stated;
    wr_err err = extract_charset_as(bytes, size, label, &text);
    if (err)
        return err;
    err = extract_markup(&markup, text.at, text.len);
    if (!err) {
        ret->charset = wr_arena_str(arena, text.charset);
        err = read_markup(ret, &markup, conf, arena);
        extract_markup_free(&markup);
    }
    wr_forget_free(text.at);
    return err ? err : arena->full ? WR_NOMEM : WR_OK;
}
