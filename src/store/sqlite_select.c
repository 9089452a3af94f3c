/* sqlite_select.c - a stranger's statement on a SQLite store; see sql_read.h.
 *
 * The authorizer sees what the parser has understood: tables and columns that are read,
 * functions that are called, anything that would change something.  It allows what is on
 * its lists.  While the statement runs, FTS5 asks it too, for its own tables: so there are two
 * lists of tables.  A statement is never prepared anew behind our back while it runs
 * (sqlite3_prepare, not _v2): the list of that time is not for strangers.
 *
 * A file is read by a connection of its own, which is closed afterwards.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <weir/offload.h>

#include "store/sql_read.h"
#include "store/sqlite.h"
#include "store/sqlite_quota.h"

#define STEPS_PER_LOOK 1000
#define NAMES_MAX 8192              /* bytes of the names of all tables */
#define NUMBER_OF(array) (sizeof(array) / sizeof((array)[0]))

struct asking {
    struct store_act act;           /* first; of a store in memory */
    struct sqlite *self;
    const struct store_ask *ask;
    struct store_answer *ret;
    struct store_why *why;
    struct conn conn;               /* of a file */
    bool running;                   /* it was understood, and runs */
    bool refused;                   /* by the authorizer, which has said why */
    uint64_t steps;
    wr_time until;
    char tables[NAMES_MAX];         /* " name name " of those that are there */
    wr_err err;
};

/* ---- what may be read and called ---- */

static const char *const tables[] = {
    "pages", "task_pages", "resource_index", "fragments", "fragments_fts", "claims",
    "claims_fts", "edges", "nli_corrections", "works", "work_authors", "work_identifiers",
    "embeddings", "queries", "serp_items", "domain_override_rules", "tasks", "jobs",
    "intervention_queue", "json_each", "json_tree",
};

/* Of FTS5, and read by it alone. */
static const char *const shadows[] = {
    "fragments_fts_data", "fragments_fts_idx", "fragments_fts_docsize", "fragments_fts_config",
    "claims_fts_data", "claims_fts_idx", "claims_fts_docsize", "claims_fts_config",
};

/* What takes more time than its arguments have bytes is not among them, since no step is
 * counted while it runs: trim with a set of letters, json_patch, printf with a width.  instr
 * and replace stay: with values of this size they take some tenths of a second at worst. */
static const char *const functions[] = {
    "->", "->>", "abs", "avg", "bm25", "ceil", "char", "coalesce", "count", "cume_dist", "date",
    "datetime", "dense_rank", "exp", "first_value", "floor", "glob", "group_concat", "hex",
    "highlight", "ifnull", "iif", "instr", "json", "json_array", "json_array_length",
    "json_extract", "json_group_array", "json_group_object", "json_object", "json_quote",
    "json_type", "json_valid", "julianday", "lag", "last_value", "lead", "length", "like",
    "likelihood", "likely", "ln", "log", "log10", "log2", "lower", "match", "max", "min", "mod",
    "nth_value", "ntile", "now_ms", "nullif", "percent_rank", "pi", "pow", "power", "quote",
    "random", "randomblob", "rank", "replace", "round", "row_number", "sign", "snippet", "sqrt",
    "strftime", "substr", "substring", "sum", "time", "total", "typeof", "unicode", "unixepoch",
    "unlikely", "upper", "zeroblob",
};

static bool listed(const char *const *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(list[i], name) == 0)
            return true;
    return false;
}

static bool there(const struct asking *asking, const char *name)
{
    char word[128];
    snprintf(word, sizeof(word), " %s ", name);
    return strlen(name) > sizeof(word) - 3 || strcasestr(asking->tables, word);
}

/* A name of which no column is read may be that of a part of the statement (with x as ...). */
static bool may_count(const struct asking *asking, const char *table)
{
    return strncasecmp(table, "sqlite_", 7) != 0 && strncasecmp(table, "pragma_", 7) != 0
        && strcasecmp(table, "dbstat") != 0 && strcasecmp(table, "bytecode") != 0
        && strcasecmp(table, "tables_used") != 0 && !there(asking, table);
}

static bool may_read(const struct asking *asking, const char *table, const char *column,
                     const char *view)
{
    if (listed(tables, NUMBER_OF(tables), table))
        return true;
    if (view && strcmp(view, "jobs") == 0)
        return strcmp(table, "job") == 0 || strcmp(table, "job_done") == 0;
    if (asking->running && listed(shadows, NUMBER_OF(shadows), table))
        return true;
    return !*column && may_count(asking, table);
}

static int refuse(struct asking *asking, const char *what, const char *name)
{
    if (!asking->refused)
        store_say(asking->why, "%s %.60s is not allowed here: one select over the tables of "
                  "research, tasks and jobs, with functions that only compute", what, name);
    asking->refused = true;
    return SQLITE_DENY;
}

static int authorize(void *arg, int action, const char *first, const char *second,
                     const char *database, const char *view)
{
    struct asking *asking = arg;
    (void)database;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_READ:
        return may_read(asking, first, second ? second : "", view)
            ? SQLITE_OK : refuse(asking, "reading", first);
    case SQLITE_FUNCTION:
        return listed(functions, NUMBER_OF(functions), second)
            ? SQLITE_OK : refuse(asking, "calling", second);
    case SQLITE_PRAGMA:
        if (asking->running && strcmp(first, "data_version") == 0)
            return SQLITE_OK;       /* FTS5 looks whether its tables have changed */
        return refuse(asking, "pragma", first);
    default: return refuse(asking, "changing", first ? first : "anything");
    }
}

/* ---- its bounds ---- */

static const struct { int name, value; } limits[] = {
    { SQLITE_LIMIT_LENGTH, STORE_ASK_VALUE_MAX },
    { SQLITE_LIMIT_SQL_LENGTH, STORE_ASK_SQL_MAX },
    { SQLITE_LIMIT_COLUMN, 100 }, { SQLITE_LIMIT_EXPR_DEPTH, 100 },
    { SQLITE_LIMIT_COMPOUND_SELECT, 50 }, { SQLITE_LIMIT_VDBE_OP, 50000 },
    { SQLITE_LIMIT_FUNCTION_ARG, 32 }, { SQLITE_LIMIT_ATTACHED, 0 },
    { SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 256 }, { SQLITE_LIMIT_VARIABLE_NUMBER, 8 },
    { SQLITE_LIMIT_WORKER_THREADS, 0 },
};

static int look(void *arg)
{
    struct asking *asking = arg;
    asking->steps += STEPS_PER_LOOK;
    return asking->steps >= asking->ask->steps_max || wr_now() >= asking->until;
}

/* ---- one statement ---- */

static wr_err say_fault(struct asking *asking, struct conn *conn, int code)
{
    const struct store_ask *ask = asking->ask;
    if (asking->refused)
        return WR_INVALID;
    if ((code & 0xff) == SQLITE_INTERRUPT) {
        store_say(asking->why, "the query was interrupted after %llu steps: at most %llu and "
                  "%lld ms are allowed; read fewer rows, or ask for more of them",
                  (unsigned long long)asking->steps, (unsigned long long)ask->steps_max,
                  (long long)(ask->time_max / WR_MS(1)));
        return WR_TIMEOUT;
    }
    if ((code & 0xff) == SQLITE_NOMEM) {
        store_say(asking->why, "the query needs more than %d MB of memory: sort or collect "
                  "fewer rows", STORE_ASK_MEMORY_MAX >> 20);
        return WR_INVALID;
    }
    store_say(asking->why, "%.200s", sqlite3_errmsg(conn->db));
    bool disk = (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CORRUPT;
    return disk ? WR_IO : WR_INVALID;
}

static void take_hex(struct rows *rows, const unsigned char *bytes, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    char *text = malloc(2 * len + 1);
    for (size_t i = 0; text && i < len; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    if (text)
        rows_bytes(rows, STORE_IS_TEXT, text, 2 * len);
    else
        rows->err = WR_NOMEM;
    free(text);
}

static void take_value(sqlite3_stmt *statement, int column, struct rows *rows)
{
    size_t len = 0;
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL: rows_null(rows); break;
    case SQLITE_INTEGER: rows_int(rows, sqlite3_column_int64(statement, column)); break;
    case SQLITE_FLOAT: rows_real(rows, sqlite3_column_double(statement, column)); break;
    case SQLITE_BLOB: {
        const void *bytes = sqlite3_column_blob(statement, column);
        take_hex(rows, bytes, (size_t)sqlite3_column_bytes(statement, column));
        break;
    }
    default: {
        const unsigned char *text = sqlite3_column_text(statement, column);
        len = (size_t)sqlite3_column_bytes(statement, column);
        rows_bytes(rows, STORE_IS_TEXT, text ? (const char *)text : "", text ? len : 0);
    }
    }
}

static wr_err take_names(struct asking *asking, sqlite3_stmt *statement, int columns)
{
    struct rows rows = { 0 };
    for (int i = 0; i < columns; i++) {
        const char *name = sqlite3_column_name(statement, i);
        rows_bytes(&rows, STORE_IS_TEXT, name ? name : "", name ? strlen(name) : 0);
    }
    return rows_done(&rows, (size_t)columns, &asking->ret->names);
}

static wr_err run(struct asking *asking, struct conn *conn, sqlite3_stmt *statement)
{
    struct rows rows = { 0 };
    struct store_answer *ret = asking->ret;
    int columns = sqlite3_column_count(statement), code;
    size_t count = 0;
    wr_err err = take_names(asking, statement, columns);
    if (err)
        return err;
    asking->running = true;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (count == asking->ask->rows_max || rows.len > STORE_ASK_BYTES_MAX) {
            ret->truncated = true;
            break;
        }
        for (int i = 0; i < columns; i++)
            take_value(statement, i, &rows);
        count++;
    }
    /* A statement of the older kind says what it was when it is reset. */
    int fault = sqlite3_reset(statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        rows.err = say_fault(asking, conn, fault ? fault : code);
    return rows_done(&rows, (size_t)columns, &ret->rows);
}

static wr_err wrong(struct asking *asking, const char *text)
{
    store_say(asking->why, "%s", text);
    return WR_INVALID;
}

static wr_err prepare_and_run(struct asking *asking, struct conn *conn)
{
    sqlite3_stmt *statement = NULL, *second = NULL;
    const char *rest = NULL;
    wr_err err = WR_OK;
    int code = sqlite3_prepare(conn->db, asking->ask->sql, -1, &statement, &rest);
    if (code == SQLITE_OK && statement)
        code = sqlite3_prepare(conn->db, rest, -1, &second, NULL);
    if (code != SQLITE_OK)
        err = say_fault(asking, conn, code);
    else if (!statement)
        err = wrong(asking, "there is no statement: write one select");
    else if (second)
        err = wrong(asking, "there are two statements: write one select");
    else if (!sqlite3_stmt_readonly(statement) || sqlite3_stmt_isexplain(statement)
             || sqlite3_column_count(statement) == 0)
        err = wrong(asking, "the statement is no select: write one select");
    else
        err = run(asking, conn, statement);
    sqlite3_finalize(second);
    sqlite3_finalize(statement);
    return err;
}

/* ---- where it runs ---- */

/* The names of all tables; and those that are virtual are opened, which declares them and reads
 * tables of theirs. */
static wr_err learn(struct asking *asking, struct conn *conn)
{
    static const char sql[] = "select ' ' || group_concat(name, ' ') || ' ' from sqlite_schema"
                              " where type in ('table', 'view')";
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(conn->db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        snprintf(asking->tables, sizeof(asking->tables), "%s",
                 (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    WR_ASSERT(strlen(asking->tables) + 1 < sizeof(asking->tables));
    if (code != SQLITE_ROW)
        return conn_err(code);
    return conn_exec(conn, "select rowid from fragments_fts limit 0;"
                     "select rowid from claims_fts limit 0;"
                     "select key from json_each('[]'); select key from json_tree('[]')");
}

static wr_err answer(struct asking *asking, struct conn *conn)
{
    int before[NUMBER_OF(limits)];
    wr_err err = learn(asking, conn);
    if (!err)
        err = conn_exec(conn, "pragma query_only = on");
    if (err) {
        conn_say(conn, asking->why, "read", asking->self->path);
        return err;
    }
    for (size_t i = 0; i < NUMBER_OF(limits); i++)
        before[i] = sqlite3_limit(conn->db, limits[i].name, limits[i].value);
    conn->now_ms = wr_wall().ns / WR_MS(1);
    asking->until = wr_now() + asking->ask->time_max;
    sqlite3_set_authorizer(conn->db, authorize, asking);
    sqlite3_progress_handler(conn->db, STEPS_PER_LOOK, look, asking);
    sqlite_quota_begin(STORE_ASK_MEMORY_MAX);
    err = prepare_and_run(asking, conn);
    (void)sqlite_quota_end();
    sqlite3_set_authorizer(conn->db, NULL, NULL);
    conn_watch(conn);
    for (size_t i = 0; i < NUMBER_OF(limits); i++)
        (void)sqlite3_limit(conn->db, limits[i].name, before[i]);
    return err;
}

static void answer_there(void *arg)
{
    struct asking *asking = arg;
    struct sqlite *self = asking->self;
    asking->err = conn_open(&asking->conn, &(struct conn_conf){
        .path = self->path, .vfs = self->vfs, .read_only = true }, asking->why);
    if (asking->err)
        return;
    asking->err = answer(asking, &asking->conn);
    conn_close(&asking->conn);
}

/* On the writer's connection: there is no other. */
static wr_err answer_here(void *engine, struct store_act *act)
{
    struct sqlite *self = engine;
    wr_err err = answer((struct asking *)act, &self->writer);
    wr_err back = conn_exec(&self->writer, "pragma query_only = off");
    return err ? err : back;
}

wr_err sqlite_select(void *engine, const struct store_ask *ask, struct store_answer *ret,
                     struct store_why *why, wr_time deadline)
{
    struct sqlite *self = engine;
    struct asking *asking = calloc(1, sizeof(*asking));
    if (!asking)
        return WR_NOMEM;
    *asking = (struct asking){ .act.alone = answer_here, .self = self, .ask = ask, .ret = ret,
                               .why = why };
    wr_err err;
    if (*self->path) {
        err = wr_offload(answer_there, asking, deadline);
        err = err ? err : asking->err;
    } else {
        err = wr_lane_do(self->lane, &asking->act.item, deadline);
    }
    free(asking);
    return err;
}
