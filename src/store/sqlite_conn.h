/* sqlite_conn.h - one connection to a SQLite file, with its prepared statements.
 *
 * One thread uses it at a time; which one may change.  All of it blocks.
 */
#ifndef WR_STORE_SQLITE_CONN_H
#define WR_STORE_SQLITE_CONN_H

#include <sqlite3.h>
#include <stdbool.h>

#include "store/store_int.h"

#define CONN_VERBS_MAX 256

/* Steps of a transaction. */
enum conn_step {
    CONN_BEGIN, CONN_COMMIT, CONN_ROLLBACK, CONN_SAVE, CONN_UNDO, CONN_RELEASE, CONN_STEPS,
};

struct conn {
    sqlite3 *db;
    sqlite3_stmt *steps[CONN_STEPS];
    int64_t now_ms;                 /* what now_ms() says in a statement */
    wr_time give_up;                /* statements are interrupted then; WR_NEVER: never */
    size_t verb_count;
    struct conn_verb {
        const struct store_verb *verb;
        sqlite3_stmt *statements[STORE_STATEMENTS_MAX];
    } verbs[CONN_VERBS_MAX];
};

struct conn_conf {
    const char *path;               /* "" is a database in memory */
    const char *vfs;                /* NULL: the default one */
    bool create;
    bool read_only;                 /* the connection; the file need not be */
    bool sealed;                    /* the file alone, which nobody changes: what lies beside
                                     * it, a log or a journal, is none of its own */
};

/* Errors: NOTFOUND (the folder, or without create the file), DENIED, BUSY (locked by another
 * process), IO (not a database, damaged), NOMEM; with a sentence in *why. */
wr_err conn_open(struct conn *conn, const struct conn_conf *conf, struct store_why *why);

/* Look at the clock while statements run: give_up holds. */
void conn_watch(struct conn *conn);

/* One that was never opened, or is closed, is fine. */
void conn_close(struct conn *conn);

/* Run one or more statements without results.  Errors: as conn_err. */
wr_err conn_exec(struct conn *conn, const char *sql);

/* The first value of the first row; 0 when there is none. */
wr_err conn_ask(struct conn *conn, const char *sql, int64_t *ret);

/* Errors: as conn_err. */
wr_err conn_step(struct conn *conn, enum conn_step step);

/* Whether a transaction is open: some failures end it. */
bool conn_inside(const struct conn *conn);

/* Do a verb, in whatever transaction there is.  Errors: EXISTS, INVALID (too large, a
 * constraint, a text that a function refuses), TIMEOUT (interrupted), NOMEM, IO. */
wr_err conn_do(struct conn *conn, const struct store_verb *verb, struct store_values values,
               struct store_rows *ret);

/* Read all of it, and see that it is whole.  Errors: IO (damaged), or as conn_do; with a
 * sentence in *why, in which it is called `path`. */
wr_err conn_check(struct conn *conn, const char *path, struct store_why *why);

/* The error of a result code of the library, and a sentence for the last one. */
wr_err conn_err(int code);
void conn_say(struct conn *conn, struct store_why *why, const char *doing, const char *path);

#endif
