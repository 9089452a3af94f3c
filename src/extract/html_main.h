/* html_main.h - where the main text of a page is, and what in there is none of it.
 *
 *     struct html_found found;
 *     err = html_main_find(&found, &tree);
 *     for (uint32_t i = found.root; i < tree.at[found.root].end;)
 *         if (tree.at[i].marks & HTML_OUT)
 *             i = tree.at[i].end;                      (and all that is in it)
 *
 * How it is found.  The page is cut into blocks: the text between two tags that begin or end a
 * line.  A block has a value: prose is worth its length and its stops, a line of links less
 * than nothing, a heading, a cell or a short item nothing.  An element is worth what the blocks
 * in it are worth together, so the one that is worth most has all of the text and little else;
 * from there it goes down, as long as one child has nearly all of it and no paragraphs, and no
 * other part of its own sort, stand beside that child.  In the end all is left out inside that
 * is worth less than nothing, but for tables and lists that say more than their links, and for
 * a few short parts that stand before prose of their own sort.  A few sentences between the
 * title and that element are part of the text.
 *
 * Before that, what a page says of itself counts: what is hidden, navigation, asides, footers,
 * forms without prose, and classes and ids of blocks with words like "sidebar", "cookie",
 * "comments"; but never what holds most of the prose of the page (comments may, if there is
 * another text), no id that is made from a heading or from the words of a row, and no words at
 * all if hardly any prose is left.  A page that has one main part, with nearly all of the prose
 * in it, is believed.
 *
 * Length is counted in letters of the Latin script: a sign of Chinese, Japanese or Korean is
 * two of them.
 */
#ifndef WR_EXTRACT_HTML_MAIN_H
#define WR_EXTRACT_HTML_MAIN_H

#include <stdbool.h>
#include <stdint.h>

#include <weir/err.h>

#include "extract/html_tree.h"

#define HTML_OUT 1u                 /* not shown, or no part of the main text */
#define HTML_BLOCK 2u               /* begins and ends a line */
#define HTML_IN_LINK 4u             /* is a link, or in one */

struct html_found {
    uint32_t root;                  /* the element that holds it */
    uint32_t length;                /* of what is left in there, in letters */
    uint32_t page_length;           /* of all that a reader of the page would see */
    int64_t value;                  /* of the main text; 0: there is no prose at all */
};

/* Marks the nodes.  Errors: NOMEM. */
wr_err html_main_find(struct html_found *ret, struct html_tree *tree);

struct html_count {
    uint32_t length;                /* in letters of the Latin script */
    uint32_t stops;                 /* signs between sentences and their parts */
};

/* Add a text to a count: white space counts once, however much of it there is. */
void html_count_add(struct html_count *count, const char *text, size_t len);

/* What words of a class or an id say of a part of a page. */
enum html_hint {
    HTML_HINT_NONE,
    HTML_HINT_AGAINST,              /* it is no part of the main text */
    HTML_HINT_COMMENTS,             /* nor this, which readers wrote below that */
    HTML_HINT_TEASER,               /* it leads to another text, or into this one */
};
enum html_hint html_hint_against(const char *words);

/* Whether they say that it is the main text. */
bool html_hint_for(const char *words);

#endif
