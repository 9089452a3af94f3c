/* link.h - where a person can look a work up.
 *
 * Addresses come from strangers.  What is written here is a URL of http or https in which
 * every byte that has a meaning to HTML, Markdown or a shell, or is no ASCII, is escaped by
 * percent signs; only an ampersand is left, which HTML escapes once more.
 */
#ifndef WR_CHECK_LINK_H
#define WR_CHECK_LINK_H

#include <stdbool.h>

#include "svc/check/report.h"

enum check_link { CHECK_LINK_DOI, CHECK_LINK_ARXIV, CHECK_LINK_SCHOLAR, CHECK_LINK_COUNT };

/* "DOI", "arXiv", "Google Scholar" */
const char *check_link_name(enum check_link link);

/* The address; false: this reference has none of the kind. */
bool check_link_to(struct wr_text *ret, enum check_link link, const struct bib_work *work);

/* An address that was given; false, and nothing is written: it is none of http or https. */
bool check_link_given(struct wr_text *ret, const char *url);

/* A file as a relative reference of a URI: the last part alone of an absolute path, and
 * "stdin" for "-". */
void check_link_file(struct wr_text *ret, const char *file);

#endif
