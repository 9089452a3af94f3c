/* flat.h - errors as one flat object, in the words of the index.
 *
 *     {"code":"over_capacity","message":"512 wait already",
 *      "corr_id":"01J0Z3NDEKTSV4RRFFQ69G5FAV","retryable":true,"retry_after":1}
 *
 * The code goes by the status, and 503 by what was behind it; retry_after stands in those that
 * have a Retry-After, with the same seconds.  Which paths answer so is said once, for all that
 * is below them (http.h, `flats`), as it is for problems (problem.h).
 */
#ifndef WR_NET_FLAT_H
#define WR_NET_FLAT_H

#include "net/call.h"

/* The code of an answer: "not_found". */
const char *flat_code(unsigned status, wr_err err);

/* Write the body of an answer whose status and headers are set. */
void flat_write(struct wr_text *text, const struct wr_call *call, wr_err err, const char *why);

#endif
