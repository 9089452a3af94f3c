/* err.h - what can go wrong, in one table.
 *
 * Every call that can fail returns wr_err, and the compiler insists that it is
 * looked at.  The table is the definition: the code, the name that people and
 * metrics see, the HTTP status a service answers with, whether trying again
 * can help, and a sentence.
 *
 * Programmer errors are not in it: those panic (panic.h).
 */
#ifndef WEIR_ERR_H
#define WEIR_ERR_H

#ifdef __cplusplus
#error "the headers of Weir are for C (gnu2x): C++ cannot include them"
#endif

#include <stdbool.h>
#include <stddef.h>

/* X(code, name, HTTP status, retryable, text) */
#define WR_ERR_TABLE(X) \
    X(OK,          "Ok",          200, false, "ok") \
    X(NOMEM,       "NoMemory",    503, true,  "out of memory") \
    X(NOFILE,      "NoFile",      503, true,  "out of file descriptors") \
    X(TIMEOUT,     "Timeout",     504, true,  "deadline passed") \
    X(CANCELED,    "Canceled",    503, false, "canceled by its owner") \
    X(CLOSED,      "Closed",      503, false, "closed") \
    X(BUSY,        "Busy",        429, true,  "queue full or limit reached") \
    X(SHED,        "Shed",        503, true,  "overloaded, takes no more for now") \
    X(DRAINING,    "Draining",    503, true,  "shutting down, takes no new work") \
    X(LAGGED,      "Lagging",     500, false, "fell behind a broadcast and missed values") \
    X(BROKENPIPE,  "BrokenPipe",  502, true,  "peer closed while being written to") \
    X(IO,          "Io",          502, true,  "input or output failed") \
    X(DEGRADED,    "Degraded",    503, false, "restarted too often, given up for now") \
    X(OPENCIRCUIT, "OpenCircuit", 503, true,  "circuit breaker is open") \
    X(QUARANTINE,  "Quarantine",  409, false, "set aside because a check failed") \
    X(PANIC,       "Panic",       500, false, "a task broke a rule and was ended") \
    X(EXISTS,      "Exists",      409, false, "already there") \
    X(NOTFOUND,    "NotFound",    404, false, "not there") \
    X(INVALID,     "Invalid",     400, false, "not a valid value") \
    X(DENIED,      "Denied",      403, false, "not allowed") \
    X(UNSUPPORTED, "Unsupported", 501, false, "not supported here")

/* Every function that returns wr_err must be checked; C23 lets the type say so. */
#if __STDC_VERSION__ > 201710L
#define WR_MUST_USE [[nodiscard]]
#else
#define WR_MUST_USE
#endif

typedef enum WR_MUST_USE wr_err {
#define X(code, name, http, retry, text) WR_##code,
    WR_ERR_TABLE(X)
#undef X
    WR_ERR_COUNT,
} wr_err;

/* The name of an error ("Busy"), as metrics and JSON carry it. */
const char *wr_err_name(wr_err err);

/* The sentence for a person ("queue full or limit reached"). */
const char *wr_err_text(wr_err err);

/* The HTTP status a service answers with (429). */
int wr_err_http(wr_err err);

/* Whether the same call may succeed later without anything being changed. */
bool wr_err_retryable(wr_err err);

/* The wr_err that stands for an errno value; what has no row of its own is IO. */
wr_err wr_err_errno(int number);

#endif
