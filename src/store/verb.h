/* verb.h - one thing that a table can do, as data, and how it is asked for.
 *
 *     static const struct store_verb job_finish = {
 *         .name = "job.finish", .writes = true,
 *         .sqlite = { "insert into history ... where id = ?1 and attempt = ?2",
 *                     "delete from jobs where id = ?1 and attempt = ?2 returning id" },
 *         .postgres = "with gone as (delete from jobs where ... returning *) insert ...",
 *     };
 *
 *     struct store_rows rows;
 *     err = store_do(store, &job_finish, STORE_VALUES(STORE_TEXT(id), STORE_INT(attempt)),
 *                    &rows, deadline);
 *     ...rows.count, store_text(&rows, 0, 0)
 *     store_rows_free(&rows);
 *
 * For PostgreSQL a verb is one statement, so that many travel in one pipeline, and, where need
 * be, one before it that locks.  SQLite has no statement that changes two tables: there it is
 * up to nine, with the same parameters, in the one transaction of the batch; the rows are
 * those of the last one that returns any.  In both, now_ms() is the moment by the store's
 * clock, in milliseconds since 1970: the node's for a file, the server's for a server.
 *
 * Statements are prepared once on each connection.  Rows and bytes of a result are bounded.
 */
#ifndef WR_STORE_VERB_H
#define WR_STORE_VERB_H

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

#define STORE_STATEMENTS_MAX 9
#define STORE_VALUES_MAX 16
#define STORE_COLUMNS_MAX 24
#define STORE_ROWS_MAX 4096
#define STORE_RESULT_MAX (16 << 20)     /* bytes of one result */

struct store_verb {
    const char *name;               /* required: metrics, and the name of the statement */
    bool writes;                    /* goes to the writer; else a reader does it */
    bool undo;                      /* it can fail after it has changed something: because a
                                     * second statement does, a function refuses a text, or
                                     * its rows are too large */
    const char *sqlite[STORE_STATEMENTS_MAX];
    const char *postgres;
    const struct store_verb *first; /* on a server: done before it, in the same transaction,
                                     * with the first of its values.  A statement sees what was
                                     * there when it began: one that must see what others do
                                     * beside it takes hold of something here */
};

enum store_type {
    STORE_IS_NULL, STORE_IS_INT, STORE_IS_REAL, STORE_IS_TEXT, STORE_IS_BLOB,
};

struct store_value {
    enum store_type type;
    union {
        int64_t number;
        double real;                /* finite */
    };
    const void *bytes;              /* text: a zero byte follows it in results */
    size_t len;
};

#define STORE_NULL ((struct store_value){ .type = STORE_IS_NULL })
#define STORE_INT(n) ((struct store_value){ .type = STORE_IS_INT, .number = (n) })
#define STORE_REAL(x) ((struct store_value){ .type = STORE_IS_REAL, .real = (x) })
#define STORE_TEXT(s) store_text_value(s)
#define STORE_BLOB(b, n) \
    ((struct store_value){ .type = STORE_IS_BLOB, .bytes = (b), .len = (n) })

struct store_values { const struct store_value *values; size_t count; };
#define STORE_VALUES(...) ((struct store_values){ \
    (const struct store_value[]){ __VA_ARGS__ }, \
    sizeof((struct store_value[]){ __VA_ARGS__ }) / sizeof(struct store_value) })

struct store_rows {
    size_t count, columns;
    struct store_value *values;     /* count * columns */
    uint64_t changed;               /* rows that the last statement changed */
    void *memory;                   /* the bytes of all of them */
};

/* NULL is STORE_NULL. */
struct store_value store_text_value(const char *text);

/* Do it.  *ret may be NULL when no rows are expected; it is empty after an error.
 * Errors: EXISTS (a key is taken), INVALID (the result is larger than a result may be, or the
 * engine refuses a value), IO (see store.h), BUSY (queue_max are waiting), NOMEM, TIMEOUT,
 * CANCELED. */
wr_err store_do(struct store *store, const struct store_verb *verb, struct store_values values,
                struct store_rows *ret, wr_time deadline WR_AT);
#define store_do(...) store_do(__VA_ARGS__, WR_HERE)

/* Do one that changes something and returns no rows: how much it has changed; or whether it
 * has changed anything, NOTFOUND if not.  Errors: as store_do. */
wr_err store_change(struct store *store, const struct store_verb *verb,
                    struct store_values values, uint64_t *ret, wr_time deadline WR_AT);
#define store_change(...) store_change(__VA_ARGS__, WR_HERE)
wr_err store_change_one(struct store *store, const struct store_verb *verb,
                        struct store_values values, wr_time deadline WR_AT);
#define store_change_one(...) store_change_one(__VA_ARGS__, WR_HERE)

/* An empty one is fine. */
void store_rows_free(struct store_rows *rows);

/* A value of a result.  NULL reads as 0 and as NULL; a whole number can be read as a real one,
 * and a real one is cut to a whole one. */
int64_t store_int(const struct store_rows *rows, size_t row, size_t column);
double store_real(const struct store_rows *rows, size_t row, size_t column);
const char *store_text(const struct store_rows *rows, size_t row, size_t column);

/* A moment, of which milliseconds are stored; NULL is 0. */
struct wr_wall store_wall(const struct store_rows *rows, size_t row, size_t column);
struct store_value store_value_at(const struct store_rows *rows, size_t row, size_t column);

#endif
