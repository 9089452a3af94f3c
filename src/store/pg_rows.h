/* pg_rows.h - an answer of the server, as rows.
 *
 *     PGresult *result = ...in binary...
 *     err = pg_rows(result, &rows);
 *     ...
 *     store_rows_free(&rows);
 *
 * bigint and integer are whole numbers, double precision is a real one, bytea is a blob; any
 * other type comes as its bytes, which are the text for text alone: a statement casts what it
 * returns.
 */
#ifndef WR_STORE_PG_ROWS_H
#define WR_STORE_PG_ROWS_H

#include <libpq-fe.h>

#include "store/store_int.h"

/* Errors: INVALID (more than a result may have), NOMEM. */
wr_err pg_rows(const PGresult *result, struct store_rows *ret);

#endif
