/* pg_conn.h - one connection to a PostgreSQL server, for one fiber at a time.
 *
 * A batch of verbs is one transaction that travels in one pipeline: every verb, then one
 * answer to wait for.  Statements are prepared on their first use, in the same pipeline.
 *
 * While it waits it belongs to the worker of the fiber that uses it.  pg_rest lets a fiber of
 * another worker have it next.
 *
 * One that has failed, or whose batch was cut off by its deadline, is good for pg_cancel and
 * pg_close only.
 */
#ifndef WR_STORE_PG_CONN_H
#define WR_STORE_PG_CONN_H

#include "store/store_int.h"

#define PG_BATCH_MAX 256

struct pg_conn;
struct pg_result;                   /* PGresult, of libpq */
struct wr_fd;

/* What the server cuts off by itself; 0: nothing.  The url may say otherwise, in `options`. */
struct pg_limits { wr_time statement, lock; };

/* Errors: INVALID (the url), DENIED (the password, or no right), NOTFOUND (the database), IO
 * (it cannot be reached, or is read only), NOMEM, TIMEOUT, CANCELED; with a sentence in *why.
 * A name is looked up on a thread, which its deadline does not cut short. */
wr_err pg_open(struct pg_conn **ret, const char *url, const struct pg_limits *limits,
               struct store_why *why, wr_time deadline);
void pg_close(struct pg_conn *conn);

/* Do them all in one transaction, or none.  WR_OK: it is committed, and each act has its rows.
 * With any other result, none has.
 * EXISTS, INVALID (also of a statement that the server does not understand), TIMEOUT: it was
 * rolled back because of *ret_at, and the others can be tried
 * again without that one (TIMEOUT: a lock, or the statement itself, took too long).
 * BUSY: it was rolled back, because it stood in another's way; it can be tried again.
 * If pg_failed, whatever the result: whether it was committed is not known. */
wr_err pg_batch(struct pg_conn *conn, struct store_act *const *acts, size_t count,
                size_t *ret_at, wr_time deadline);

/* Run one or more statements without parameters or results.  Errors: EXISTS, INVALID, DENIED,
 * BUSY; IO, TIMEOUT, CANCELED. */
wr_err pg_exec(struct pg_conn *conn, const char *sql, wr_time deadline);

/* One statement, which may be a stranger's, as two are refused; with parameters as text, and
 * rows as text.  *ret is to be cleared (PQclear), and may be the server's refusal.
 * Errors: of the connection; then there is nothing in *ret. */
wr_err pg_query(struct pg_conn *conn, const char *sql, const char *const *values, int count,
                struct pg_result **ret, wr_time deadline);

/* What columns it would have; it is not run.  As pg_query. */
wr_err pg_describe(struct pg_conn *conn, const char *sql, struct pg_result **ret,
                   wr_time deadline);

/* After a pg_exec, pg_query or pg_describe that its deadline or a cancel has cut off: wait for
 * its end, with which the connection is sound again.  Errors: TIMEOUT, CANCELED (it goes on),
 * IO. */
wr_err pg_settle(struct pg_conn *conn, wr_time deadline);

/* Whether it is of no more use; and whether that is because the server refused something
 * (a full disk, a missing right), not because it was lost. */
bool pg_failed(const struct pg_conn *conn);
bool pg_refused(const struct pg_conn *conn);

/* The last failure, as a sentence. */
const char *pg_said(const struct pg_conn *conn);

/* Whether it is still there, as far as can be seen without asking.  It must be idle. */
bool pg_alive(struct pg_conn *conn);

/* Let go of the worker. */
void pg_rest(struct pg_conn *conn);

/* Have the server give up what it is doing for this connection, if it is still there.  Takes a
 * connection of its own, on a thread; a request that cannot be made is left out. */
void pg_cancel(struct pg_conn *conn, wr_time deadline);

/* Its socket, to wait on with others; it is idle. */
wr_err pg_fd(struct pg_conn *conn, struct wr_fd **ret);

/* The next word that another session has given (NOTIFY), of those that have come.
 * Errors: NOTFOUND, IO. */
wr_err pg_heard(struct pg_conn *conn, char *ret, size_t size);

#endif
