/* problem.h - errors as RFC 7807 wants them: application/problem+json.
 *
 *     {"type":"urn:weir:problem:Busy","title":"queue full or limit reached","status":429,
 *      "detail":"a run is under way","instance":"urn:weir:call:01J0Z3NDEKTSV4RRFFQ69G5FAV",
 *      "retryable":true}
 *
 * The type is the name of the error (err.h), the instance the id of the request.  Which
 * paths answer so is said once, for all that is below them (http.h, `problems`); so a path
 * that leads nowhere has a shape too.
 */
#ifndef WR_NET_PROBLEM_H
#define WR_NET_PROBLEM_H

#include <stdbool.h>

#include "net/call.h"

#define PROBLEM_TYPE "application/problem+json"

/* Whether a path is one of these or below it; the last of them is NULL. */
bool problem_path(const char *const *roots, const char *path);

/* Write the body of an answer whose status is set. */
void problem_write(struct wr_text *text, const struct wr_call *call, wr_err err,
                   const char *why);

#endif
