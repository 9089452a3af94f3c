/* duplicate.h - the same work cited twice. */
#ifndef WR_CHECK_DUPLICATE_H
#define WR_CHECK_DUPLICATE_H

#include "base/arena.h"
#include "svc/check/report.h"

/* Flag each finding whose work an earlier one cites too: the same DOI, the same arXiv id, or
 * the same title, where neither identifiers nor first authors nor years contradict it.  When
 * the arena is full none is flagged. */
void check_find_duplicates(struct check_report *report, struct wr_arena *arena);

#endif
