/* pg_fault.h - what a server says is wrong, by its five signs, the same in every language.
 *
 *     err = pg_fault_of(PQresultErrorField(result, PG_DIAG_SQLSTATE));
 */
#ifndef WR_STORE_PG_FAULT_H
#define WR_STORE_PG_FAULT_H

#include "store/store.h"

/* Of a statement: EXISTS, INVALID, TIMEOUT, BUSY, DENIED; IO for all others, and for none. */
wr_err pg_fault_of(const char *state);

/* Of a connection that was refused, out of libpq's sentence with the signs in it: DENIED,
 * NOTFOUND, IO; with a sentence of ours. */
wr_err pg_fault_opening(const char *text, struct store_why *why);

#endif
