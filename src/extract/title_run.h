/* title_run.h - which tokens of a labelled reference are its title.
 *
 *     extract_title_repair(it);
 *     struct extract_span title = extract_title_run(it, &is_book);
 *
 * What the chain labelled is nearly that.  A few things it cannot see: that what is quoted is
 * one whole, that a title is one, that a name has a surname; these are repaired first.
 */
#ifndef WR_EXTRACT_TITLE_RUN_H
#define WR_EXTRACT_TITLE_RUN_H

#include "extract/labelled.h"

/* Write other labels where the chain is known to be misled. */
void extract_title_repair(const struct extract_labelled *it);

/* The title without the signs around it; empty when there is none.  `ret_is_book`: the chain
 * saw no title, and the book is the work itself. */
struct extract_span extract_title_run(const struct extract_labelled *it, bool *ret_is_book);

#endif
