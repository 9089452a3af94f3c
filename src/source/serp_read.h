/* serp_read.h - what a SearxNG answers, read.
 *
 *     struct source_reading reading = { .driver = &source_web_search, .question = &question,
 *                                       .arena = &arena };
 *     err = serp_read(&found, &reading, &reply);
 *
 * Any bytes may come in: a result that has no address or no title is none, an engine that is
 * none of ours has no troubles.
 */
#ifndef WR_SOURCE_SERP_READ_H
#define WR_SOURCE_SERP_READ_H

#include "source/serp.h"

/* Results and troubles are put in *ret.  Must not run on a fiber where bytes are many.
 * Errors: those of reading_status; IO (no answer that can be read), NOMEM. */
wr_err serp_read(struct serp_found *ret, struct source_reading *reading,
                 const struct source_reply *reply);

/* What kind of trouble such words mean. */
enum serp_kind serp_read_kind(const char *text);

#endif
