/* csl.h - an item as Crossref writes it, which is nearly CSL: two sources send such.
 *
 * Names of members and types are taken from both forms.  Reviews are passed over: a review has
 * the title of what it reviews.
 */
#ifndef WR_SOURCE_CSL_H
#define WR_SOURCE_CSL_H

#include "source/reading.h"

/* As the `item` of a driver. */
bool csl_item(struct source_reading *reading, const json_t *item, struct bib_record *ret);

#endif
