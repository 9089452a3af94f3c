/* pg_conn.h - one connection to a PostgreSQL server, for one fiber at a time.
 *
 * It belongs to the worker of the fiber that opens it.  A batch of verbs is one transaction
 * that travels in one pipeline: begin, every verb, commit, one answer to wait for.  Statements
 * are prepared on their first use, in the same pipeline.
 *
 * A connection that has failed, or whose batch was cut off by its deadline, is good for
 * pg_close only.
 */
#ifndef WR_STORE_PG_CONN_H
#define WR_STORE_PG_CONN_H

#include "store/store_int.h"

struct pg_conn;

/* Errors: DENIED (the password), NOTFOUND (the database), IO (it cannot be reached), NOMEM,
 * TIMEOUT, CANCELED; with a sentence in *why. */
wr_err pg_open(struct pg_conn **ret, const char *url, struct store_why *why, wr_time deadline);
void pg_close(struct pg_conn *conn);

/* Do them all in one transaction, or none.  WR_OK: it is committed, and each act has its rows.
 * EXISTS, INVALID: it was rolled back, because of *ret_at, and the others can be tried again
 * without that one.  IO, TIMEOUT, CANCELED: the connection is of no more use, and whether it
 * was committed is not known. */
wr_err pg_batch(struct pg_conn *conn, struct store_act *const *acts, size_t count,
                size_t *ret_at, wr_time deadline);

/* Run one or more statements without parameters or results.  Errors: as pg_batch. */
wr_err pg_exec(struct pg_conn *conn, const char *sql, struct store_why *why, wr_time deadline);

#endif
