/* href.h - where a link leads: an absolute address of http or https, in one form.
 *
 *     char url[EXTRACT_HREF_MAX];
 *     if (extract_href(url, "https://example.org/a/b", "../c?d#e"))
 *         ... "https://example.org/c?d"
 *
 * Read as browsers read it: white space around it and line ends in it go, "\" is "/", bytes
 * that an address must not have are escaped.  Scheme and host come in small letters, without
 * the port that goes without saying, and nothing is left of "." and ".." and of what is behind
 * a "#".  Whatever is not http or https (javascript:, data:, mailto:), has no host, a name and
 * password, or is longer than EXTRACT_HREF_MAX - 1 leads nowhere.
 */
#ifndef WR_EXTRACT_HREF_H
#define WR_EXTRACT_HREF_H

#include <stdbool.h>

#define EXTRACT_HREF_MAX 2048

/* `base` is absolute, or NULL: then only absolute ones lead anywhere. */
bool extract_href(char ret[EXTRACT_HREF_MAX], const char *base, const char *href);

#endif
