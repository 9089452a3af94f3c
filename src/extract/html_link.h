/* html_link.h - links in the main text of a page, while that is read and after it.
 *
 *     html_links_enter(&links, node, at);      the text from here on is in the link `node`, or
 *     html_links_begin(&links, at);            HTML_NONE; and its first word begins here
 *     html_links_end(&links, at);              the line ends
 *     html_links_place(&links, offset);        and begins here in the main text; or
 *     html_links_drop(&links);                 is no part of it
 *     ...
 *     err = html_links_read(&links, &page, &tree, base, &arena);
 *     html_links_free(&links);
 *
 * Places are first in the line and, when that is put somewhere, in the text.
 */
#ifndef WR_EXTRACT_HTML_LINK_H
#define WR_EXTRACT_HTML_LINK_H

#include "extract/html.h"
#include "extract/html_tree.h"

struct html_anchor {
    uint32_t node;
    size_t from, to;
};

/* Zero, but for .node = HTML_NONE, is one without any. */
struct html_links {
    struct html_anchor *at;
    size_t count, room;
    size_t placed;              /* those that have their place in the text */
    uint32_t node;              /* of the one that is open */
    size_t from;
    bool begun;
    bool cut;                   /* there were more, or no memory */
};

void html_links_enter(struct html_links *links, uint32_t node, size_t at);
void html_links_begin(struct html_links *links, size_t at);
void html_links_end(struct html_links *links, size_t at);
void html_links_place(struct html_links *links, size_t offset);
void html_links_drop(struct html_links *links);

/* Where they lead, into page->links.  Errors: NOMEM. */
wr_err html_links_read(const struct html_links *links, struct extract_page *page,
                       const struct html_tree *tree, const char *base, struct wr_arena *arena);
void html_links_free(struct html_links *links);

#endif
