/* html_tree.h - the elements and texts of a page in the order in which they stand.
 *
 *     struct html_tree tree;
 *     err = html_tree_build(&tree, &markup);
 *     for (uint32_t i = 0; i < tree.count; i++)
 *         ... tree.at[i].tag, tree.at[i].text
 *     html_tree_free(&tree);
 *
 * What is in an element lies behind it, up to its `end`, so that everything that is asked of a
 * page is a loop over one array, and no page is too deep for that.
 *
 * The markup must have come through extract_markup: that is what bounds time and memory here,
 * and it must stay until the tree is freed.
 */
#ifndef WR_EXTRACT_HTML_TREE_H
#define WR_EXTRACT_HTML_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gumbo.h>

#include <weir/err.h>

#include "extract/markup.h"

#define HTML_TEXT ((uint16_t)GUMBO_TAG_LAST)    /* the tag of a text */
#define HTML_NONE UINT32_MAX

struct html_node {
    uint32_t parent;            /* HTML_NONE: it has none */
    uint32_t end;               /* the first behind all that is in it */
    uint16_t tag;               /* a GumboTag, or HTML_TEXT */
    uint16_t marks;             /* for whoever judges it */
    const char *text;           /* of a text: UTF-8, entities replaced; no zero byte */
    size_t len;
    const GumboVector *attributes;      /* of an element: what has entities in it, */
    const struct markup_attribute *own; /* and what has none */
    size_t own_count;
};

struct html_block;

struct html_tree {
    struct html_node *at;
    uint32_t count;
    struct html_block *memory;  /* of the parser */
};

/* Errors: NOMEM. */
wr_err html_tree_build(struct html_tree *ret, struct extract_markup *markup);
void html_tree_free(struct html_tree *tree);

/* The value of an attribute; NULL: there is none. */
const char *html_attribute(const struct html_node *node, const char *name);

/* Whether a word is one of those in a value, as "nofollow" in rel; case makes no difference. */
bool html_has_word(const char *value, const char *word);

#endif
