/* html_meta.h - what a page states about itself: in its head, and in marks on its text.
 *
 *     html_meta_read(&page, &tree, conf->url, base, &arena);
 *
 * fills in title, language, canonical, description, published, citation, noindex and nofollow
 * (see html.h), and says what links are relative to.
 */
#ifndef WR_EXTRACT_HTML_META_H
#define WR_EXTRACT_HTML_META_H

#include "extract/href.h"
#include "extract/html.h"
#include "extract/html_tree.h"

/* `base` becomes the address that links are relative to, and is empty if there is none.  What
 * is stated twice counts once: the first time.  A full arena is for the caller to see. */
void html_meta_read(struct extract_page *ret, const struct html_tree *tree, const char *url,
                    char base[EXTRACT_HREF_MAX], struct wr_arena *arena);

/* What of a date is sure: "2001-02-03T04:05Z" is "2001-02-03", "2001/2" is "2001-02"; false:
 * it is none. */
bool html_date(char ret[sizeof("2001-02-03")], const char *text);

/* The encoding that a page states in its first bytes: "shift_jis"; false: none. */
#define HTML_CHARSET_MAX 32
bool html_charset(char ret[HTML_CHARSET_MAX], const char *bytes, size_t size);

#endif
