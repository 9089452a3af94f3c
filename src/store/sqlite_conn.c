/* sqlite_conn.c - see sqlite_conn.h.
 *
 * Statements are prepared at their first use and kept.  The texts and blobs of a verb are
 * bound where they lie: who asked for it waits until it is done.
 */
#include "store/sqlite_conn.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"

#define BUSY_MS 2000                /* another process is just closing it */
#define LOOKASIDE_SIZE 1200         /* small memory that a connection keeps at hand */
#define LOOKASIDE_COUNT 400
#define PATH_LEN_MAX 8192           /* of a path as an address */
#define STEPS_PER_LOOK 2000         /* instructions between two looks at the clock */

wr_err conn_err(int code)
{
    switch (code) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE: return WR_OK;
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID: return WR_EXISTS;
    }
    switch (code & 0xff) {
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH: return WR_INVALID;
    case SQLITE_INTERRUPT: return WR_TIMEOUT;
    case SQLITE_NOMEM: return WR_NOMEM;
    case SQLITE_BUSY: return WR_BUSY;
    case SQLITE_PERM:
    case SQLITE_READONLY: return WR_DENIED;
    default: return WR_IO;
    }
}

/* The library says that it cannot open a file; the system's errno says why. */
static wr_err open_err(sqlite3 *db, int code)
{
    int number = db ? sqlite3_system_errno(db) : 0;
    if ((code & 0xff) != SQLITE_CANTOPEN || number == 0)
        return conn_err(code);
    if (number == ENOTDIR)
        return WR_NOTFOUND;
    wr_err err = wr_err_errno(number);
    return err == WR_NOTFOUND || err == WR_DENIED || err == WR_NOFILE ? err : WR_IO;
}

/* Why the system refused; 0 when it was not the system. */
static int system_error(struct conn *conn)
{
    if (!conn->db)
        return 0;
    int number = sqlite3_system_errno(conn->db);
    sqlite3_vfs *vfs = NULL;
    if (number == 0 && (sqlite3_extended_errcode(conn->db) & 0xff) == SQLITE_IOERR)
        (void)sqlite3_file_control(conn->db, "main", SQLITE_FCNTL_VFS_POINTER, &vfs);
    return vfs ? vfs->xGetLastError(vfs, 0, NULL) : number;
}

void conn_say(struct conn *conn, struct store_why *why, const char *doing, const char *path)
{
    int number = system_error(conn);
    store_say(why, "cannot %s %.120s: %.60s%s%.40s", doing, *path ? path : "(memory)",
              conn->db ? sqlite3_errmsg(conn->db) : "out of memory", number ? ": " : "",
              number ? strerror(number) : "");
}

/* ---- opening ---- */

static void now_ms(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    (void)values;
    sqlite3_result_int64(context, ((struct conn *)sqlite3_user_data(context))->now_ms);
}

static int look_at_the_clock(void *arg)
{
    struct conn *conn = arg;
    return wr_now() >= conn->give_up;
}

void conn_watch(struct conn *conn)
{
    sqlite3_progress_handler(conn->db, STEPS_PER_LOOK, look_at_the_clock, conn);
}

/* Whole pages in our own memory: a file that shrinks under a map is a signal.  Temporary
 * tables too, so that in amnesia nothing reaches a disk. */
static const char settings[] = "pragma temp_store = memory;"
                               "pragma mmap_size = 0;"
                               "pragma cache_size = -16384;"
                               "pragma trusted_schema = off;";

/* That a file is sealed can be said in an address alone. */
static int open_sealed(struct conn *conn, const struct conn_conf *conf, int flags)
{
    struct wr_text text = wr_text_heap(PATH_LEN_MAX);
    wr_text_str(&text, conf->path[0] == '/' ? "file://" : "file:");
    for (const char *at = conf->path; *at; at++)
        wr_text_format(&text, strchr("%?#", *at) ? "%%%02x" : "%c", (unsigned char)*at);
    wr_text_str(&text, "?immutable=1");
    int code = text.cut ? SQLITE_CANTOPEN
                        : sqlite3_open_v2(text.at, &conn->db, flags | SQLITE_OPEN_URI
                                          | SQLITE_OPEN_READONLY, conf->vfs);
    wr_text_free(&text);
    return code;
}

static int open_file(struct conn *conn, const struct conn_conf *conf)
{
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    if (conf->sealed)
        return open_sealed(conn, conf, flags);
    flags |= SQLITE_OPEN_READWRITE | (conf->create ? SQLITE_OPEN_CREATE : 0);
    const char *path = *conf->path ? conf->path : ":memory:";
    return sqlite3_open_v2(path, &conn->db, flags, conf->vfs);
}

wr_err conn_open(struct conn *conn, const struct conn_conf *conf, struct store_why *why)
{
    *conn = (struct conn){ .give_up = WR_NEVER };
    int code = open_file(conn, conf);
    if (code == SQLITE_OK)
        code = sqlite3_db_config(conn->db, SQLITE_DBCONFIG_LOOKASIDE, NULL, LOOKASIDE_SIZE,
                                 LOOKASIDE_COUNT);
    if (code == SQLITE_OK)
        code = sqlite3_busy_timeout(conn->db, BUSY_MS);
    if (code == SQLITE_OK)
        code = sqlite3_create_function(conn->db, "now_ms", 0, SQLITE_UTF8, conn, now_ms, NULL,
                                       NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(conn->db, settings, NULL, NULL, NULL);
    if (code == SQLITE_OK)              /* the first look at the file itself */
        code = sqlite3_exec(conn->db, conf->read_only ? "pragma query_only = on"
                                                      : "select count(*) from sqlite_schema",
                            NULL, NULL, NULL);
    if (code == SQLITE_OK) {
        conn_watch(conn);
        return WR_OK;
    }
    wr_err err = open_err(conn->db, code);
    conn_say(conn, why, "open", conf->path);
    conn_close(conn);
    return err;
}

void conn_close(struct conn *conn)
{
    for (size_t i = 0; i < conn->verb_count; i++)
        for (size_t j = 0; j < STORE_STATEMENTS_MAX; j++)
            sqlite3_finalize(conn->verbs[i].statements[j]);
    for (size_t i = 0; i < CONN_STEPS; i++) {
        sqlite3_finalize(conn->steps[i]);
        conn->steps[i] = NULL;
    }
    sqlite3_close_v2(conn->db);
    conn->db = NULL;
    conn->verb_count = 0;
}

wr_err conn_exec(struct conn *conn, const char *sql)
{
    return conn_err(sqlite3_exec(conn->db, sql, NULL, NULL, NULL));
}

wr_err conn_ask(struct conn *conn, const char *sql, int64_t *ret)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(conn->db, sql, -1, &statement, NULL);
    *ret = 0;
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *ret = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return conn_err(code);
}

/* ---- transactions ---- */

wr_err conn_step(struct conn *conn, enum conn_step step)
{
    static const char *const texts[CONN_STEPS] = {
        [CONN_BEGIN] = "begin immediate", [CONN_COMMIT] = "commit",
        [CONN_ROLLBACK] = "rollback", [CONN_SAVE] = "savepoint verb",
        [CONN_UNDO] = "rollback to verb", [CONN_RELEASE] = "release verb",
    };
    int code = SQLITE_OK;
    if (!conn->steps[step])
        code = sqlite3_prepare_v3(conn->db, texts[step], -1, SQLITE_PREPARE_PERSISTENT,
                                  &conn->steps[step], NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_step(conn->steps[step]);
        sqlite3_reset(conn->steps[step]);
    }
    return conn_err(code);
}

bool conn_inside(const struct conn *conn)
{
    return !sqlite3_get_autocommit(conn->db);
}

/* ---- verbs ---- */

/* A verb that the engine does not understand is a fault of the program; one that it cannot
 * look at now, because the disk fails, is not.  NULL after an error, which is in the
 * connection. */
static struct conn_verb *prepare(struct conn *conn, const struct store_verb *verb)
{
    WR_ASSERT(conn->verb_count < CONN_VERBS_MAX);
    struct conn_verb *known = &conn->verbs[conn->verb_count];
    *known = (struct conn_verb){ .verb = verb };
    for (size_t i = 0; i < STORE_STATEMENTS_MAX && verb->sqlite[i]; i++) {
        int code = sqlite3_prepare_v3(conn->db, verb->sqlite[i], -1, SQLITE_PREPARE_PERSISTENT,
                                      &known->statements[i], NULL);
        if (code == SQLITE_OK)
            continue;
        if (code == SQLITE_ERROR)
            wr_panic("verb %s: %s", verb->name, sqlite3_errmsg(conn->db));
        while (i-- > 0)
            sqlite3_finalize(known->statements[i]);
        return NULL;
    }
    conn->verb_count++;
    return known;
}

static struct conn_verb *find(struct conn *conn, const struct store_verb *verb)
{
    for (size_t i = 0; i < conn->verb_count; i++)
        if (conn->verbs[i].verb == verb)
            return &conn->verbs[i];
    return prepare(conn, verb);
}

static int bind_one(sqlite3_stmt *statement, int at, const struct store_value *value)
{
    switch (value->type) {
    case STORE_IS_INT: return sqlite3_bind_int64(statement, at, value->number);
    case STORE_IS_REAL: return sqlite3_bind_double(statement, at, value->real);
    case STORE_IS_TEXT:
        return sqlite3_bind_text64(statement, at, value->bytes, value->len, SQLITE_STATIC,
                                   SQLITE_UTF8);
    case STORE_IS_BLOB:
        return sqlite3_bind_blob64(statement, at, value->bytes, value->len, SQLITE_STATIC);
    case STORE_IS_NULL: break;
    }
    return sqlite3_bind_null(statement, at);
}

static int bind(sqlite3_stmt *statement, struct store_values values)
{
    int count = sqlite3_bind_parameter_count(statement), code = SQLITE_OK;
    WR_ASSERT((size_t)count <= values.count);
    for (int i = 0; i < count && code == SQLITE_OK; i++)
        code = bind_one(statement, i + 1, &values.values[i]);
    return code;
}

static void take_row(sqlite3_stmt *statement, struct rows *rows, int columns)
{
    for (int i = 0; i < columns; i++) {
        int type = sqlite3_column_type(statement, i);
        if (type == SQLITE_NULL) {
            rows_null(rows);
        } else if (type == SQLITE_INTEGER) {
            rows_int(rows, sqlite3_column_int64(statement, i));
        } else if (type == SQLITE_FLOAT) {
            rows_real(rows, sqlite3_column_double(statement, i));
        } else {
            const void *bytes = type == SQLITE_TEXT ? sqlite3_column_text(statement, i)
                                                    : sqlite3_column_blob(statement, i);
            rows_bytes(rows, type == SQLITE_TEXT ? STORE_IS_TEXT : STORE_IS_BLOB, bytes,
                       (size_t)sqlite3_column_bytes(statement, i));
        }
    }
}

static wr_err run(struct conn *conn, sqlite3_stmt *statement, struct store_values values,
                  struct store_rows *ret)
{
    struct rows rows = { 0 };
    int columns = sqlite3_column_count(statement);
    int code = bind(statement, values);
    if (code == SQLITE_OK)
        while ((code = sqlite3_step(statement)) == SQLITE_ROW && !rows.err)
            take_row(statement, &rows, columns);
    /* What a function refuses, such as a text that is no JSON, is the fault of who gave it. */
    wr_err err = code == SQLITE_ERROR ? WR_INVALID : conn_err(code);
    sqlite3_reset(statement);
    if (err && !rows.err)
        rows.err = err;
    if (columns == 0 && !rows.err) {
        ret->changed = (uint64_t)sqlite3_changes64(conn->db);
        return WR_OK;
    }
    uint64_t changed = (uint64_t)sqlite3_changes64(conn->db);
    store_rows_free(ret);
    err = rows_done(&rows, (size_t)columns, ret);
    ret->changed = err ? 0 : changed;
    return err;
}

static wr_err run_all(struct conn *conn, const struct conn_verb *known,
                      struct store_values values, struct store_rows *ret)
{
    wr_err err = WR_OK;
    for (size_t i = 0; i < STORE_STATEMENTS_MAX && known->statements[i] && !err; i++)
        err = run(conn, known->statements[i], values, ret);
    return err;
}

/* What it has changed before it failed is taken back, so that the others of its
 * transaction can be committed. */
static wr_err run_or_undo(struct conn *conn, const struct conn_verb *known,
                          struct store_values values, struct store_rows *ret)
{
    wr_err err = conn_step(conn, CONN_SAVE);
    if (err)
        return err;
    err = run_all(conn, known, values, ret);
    if (!conn_inside(conn) || (err && err != WR_EXISTS && err != WR_INVALID))
        return err;                 /* the transaction is over, and the connection says why */
    wr_err undone = err ? conn_step(conn, CONN_UNDO) : WR_OK;
    wr_err released = conn_step(conn, CONN_RELEASE);
    return undone ? undone : released ? released : err;
}

wr_err conn_do(struct conn *conn, const struct store_verb *verb, struct store_values values,
               struct store_rows *ret)
{
    const struct conn_verb *known = find(conn, verb);
    if (!known)
        return conn_err(sqlite3_extended_errcode(conn->db));
    return verb->undo ? run_or_undo(conn, known, values, ret)
                      : run_all(conn, known, values, ret);
}

static const struct store_verb check_all = {
    .name = "store.check",
    .sqlite = { "select integrity_check from pragma_integrity_check(1)" },
};

wr_err conn_check(struct conn *conn, const char *path, struct store_why *why)
{
    struct store_rows rows = { 0 };
    wr_err err = conn_do(conn, &check_all, (struct store_values){ 0 }, &rows);
    const char *said = err || !rows.count ? NULL : store_text(&rows, 0, 0);
    if (err)
        conn_say(conn, why, "check", path);
    else if (!said || strcmp(said, "ok") != 0) {
        store_say(why, "%.120s is damaged: %.100s; restore a backup (weir restore)", path,
                  said ? said : "it says nothing");
        err = WR_IO;
    }
    store_rows_free(&rows);
    return err;
}
