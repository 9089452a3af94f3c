/* html_text.h - the main text of a page, from the marks in its tree.
 *
 *     html_main_find(&found, &tree);
 *     err = html_text_read(&page, &tree, found.root, base, &arena);
 *
 * fills in main, paragraphs and links of the page (see html.h).
 *
 * Rows of a table become lines with " | " between their cells; rows, items of a list and terms
 * of a glossary are put together into paragraphs of up to EXTRACT_HTML_GROUP bytes; code keeps
 * its lines.  A heading that nothing stands under is left out.
 */
#ifndef WR_EXTRACT_HTML_TEXT_H
#define WR_EXTRACT_HTML_TEXT_H

#include "extract/html.h"
#include "extract/html_tree.h"

/* `base` is what relative links are relative to; or NULL.  Errors: NOMEM. */
wr_err html_text_read(struct extract_page *ret, const struct html_tree *tree, uint32_t root,
                      const char *base, struct wr_arena *arena);

#endif
