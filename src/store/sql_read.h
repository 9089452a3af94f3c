/* sql_read.h - questions of strangers, in SQL, about the evidence.
 *
 *     struct store_answer answer;
 *     err = store_select(store, &(struct store_ask){ .sql = sql, .rows_max = 50,
 *         .time_max = WR_MS(300), .steps_max = 500000 }, &answer, &why, deadline);
 *     for each row and column: store_value_at(&answer.rows, row, column),
 *         named store_text(&answer.names, 0, column)
 *     store_answer_free(&answer);
 *
 * One statement that reads, of the tables of research (evidence.h), tasks, jobs and
 * intervention_queue, and of no other.  What it says is not looked at as text: the engine's own
 * parser tells what it would read, call and change, and anything that is not on a list is
 * refused before it runs.  A question that runs is cut off by its time, its steps and its
 * memory; no writer waits for it, but in a store in memory, which has one connection.
 *
 * The language is that of the engine, SQLite's or PostgreSQL's.  A server counts no steps:
 * there the time alone cuts off, and what a server's function does in one go is not cut off but
 * keeps one of the few connections that there are for strangers.
 *
 * Values are whole and real numbers, texts and NULL; a blob comes as hex digits, in lower case,
 * and a server's boolean as 1 or 0.
 */
#ifndef WR_STORE_SQL_READ_H
#define WR_STORE_SQL_READ_H

#include <stdbool.h>

#include "store/store.h"
#include "store/verb.h"

#define STORE_ASK_ROWS_MAX 200
#define STORE_ASK_TIME_MAX WR_S(2)
#define STORE_ASK_STEPS_MAX 5000000
#define STORE_ASK_SQL_MAX (64 << 10)        /* bytes of the statement */
#define STORE_ASK_VALUE_MAX (128 << 10)     /* bytes of one value, also in between */
#define STORE_ASK_BYTES_MAX (1 << 20)       /* of an answer; what follows is left out */
#define STORE_ASK_MEMORY_MAX (64 << 20)     /* for sorting and collecting */
#define STORE_ASKS_MAX 4                    /* at a time; others wait, to their deadline */

struct store_ask {
    const char *sql;
    size_t rows_max;                /* 1..STORE_ASK_ROWS_MAX */
    wr_time time_max;               /* up to STORE_ASK_TIME_MAX */
    uint64_t steps_max;             /* of the engine; up to STORE_ASK_STEPS_MAX */
};

struct store_answer {
    struct store_rows names;        /* one row: of the columns */
    struct store_rows rows;
    bool truncated;                 /* there is more */
};

/* Errors: INVALID (it is wrong, or refused), TIMEOUT (cut off), BUSY (STORE_ASKS_MAX were being
 * answered until the deadline), IO, CANCELED; with a sentence in *why.  After an error the
 * answer is empty. */
wr_err store_select(struct store *store, const struct store_ask *ask, struct store_answer *ret,
                    struct store_why *why, wr_time deadline);

void store_answer_free(struct store_answer *answer);

#endif
