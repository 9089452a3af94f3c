/* pg_conn.c - see pg_conn.h.
 *
 * Parameters go as text, but for blobs; results come in binary, so that bytes need no
 * decoding.  Statements are those of SQLite, with $1 for ?1, where a verb has no own.
 */
#include "store/pg_conn.h"

#include <endian.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/fd.h>

#define VERBS_MAX 128
#define STATEMENT_MAX 4096
#define PG_BATCH_MAX 256

/* Types of the server that we know. */
enum { OID_BYTEA = 17, OID_INT8 = 20, OID_INT4 = 23, OID_TEXT = 25 };

struct pg_conn {
    PGconn *pg;
    struct wr_fd *fd;               /* borrowed: of the socket it has now */
    bool failed;
    size_t verb_count;
    const struct store_verb *verbs[VERBS_MAX];      /* prepared */
};

/* ---- waiting ---- */

/* While it connects it may change its socket. */
static wr_err await(struct pg_conn *conn, unsigned events, wr_time deadline)
{
    int number = PQsocket(conn->pg);
    if (number < 0)
        return WR_IO;
    if (conn->fd && wr_fd_number(conn->fd) != number) {
        wr_fd_close(conn->fd);
        conn->fd = NULL;
    }
    wr_err err = conn->fd ? WR_OK : wr_fd_borrow(&conn->fd, number);
    return err ? err : wr_fd_wait(conn->fd, events, deadline);
}

static wr_err flush(struct pg_conn *conn, wr_time deadline)
{
    for (;;) {
        int left = PQflush(conn->pg);
        if (left == 0)
            return WR_OK;
        if (left < 0)
            return WR_IO;
        wr_err err = await(conn, WR_READABLE | WR_WRITABLE, deadline);
        if (err)
            return err;
        if (!PQconsumeInput(conn->pg))
            return WR_IO;
    }
}

/* The next result; NULL between those of two statements. */
static wr_err receive(struct pg_conn *conn, PGresult **ret, wr_time deadline)
{
    while (PQisBusy(conn->pg)) {
        wr_err err = await(conn, WR_READABLE, deadline);
        if (err)
            return err;
        if (!PQconsumeInput(conn->pg))
            return WR_IO;
    }
    *ret = PQgetResult(conn->pg);
    return WR_OK;
}

/* ---- opening ---- */

/* libpq ends its sentences with a new line. */
static void say(struct store_why *why, const char *doing, const char *text)
{
    store_say(why, "%s: %.*s", doing, (int)strcspn(text, "\n"), text);
}

/* Notices are for people at a terminal; libpq would write them there. */
static void ignore(void *arg, const char *notice)
{
    (void)arg;
    (void)notice;
}

static wr_err connect_to(struct pg_conn *conn, wr_time deadline)
{
    for (;;) {
        PostgresPollingStatusType next = PQconnectPoll(conn->pg);
        if (next == PGRES_POLLING_OK)
            return PQsetnonblocking(conn->pg, 1) == 0 ? WR_OK : WR_IO;
        if (next == PGRES_POLLING_FAILED)
            return WR_IO;
        wr_err err = await(conn, next == PGRES_POLLING_READING ? WR_READABLE : WR_WRITABLE,
                           deadline);
        if (err)
            return err;
    }
}

wr_err pg_open(struct pg_conn **ret, const char *url, struct store_why *why, wr_time deadline)
{
    struct pg_conn *conn = calloc(1, sizeof(*conn));
    store_say(why, "out of memory");
    if (!conn)
        return WR_NOMEM;
    conn->pg = PQconnectStart(url);
    wr_err err = conn->pg ? WR_OK : WR_NOMEM;
    if (!err)
        PQsetNoticeProcessor(conn->pg, ignore, NULL);
    if (!err && PQstatus(conn->pg) == CONNECTION_BAD)
        err = WR_IO;
    /* The first look is for a socket that can be written: libpq asks for no less. */
    if (!err)
        err = await(conn, WR_WRITABLE, deadline);
    if (!err)
        err = connect_to(conn, deadline);
    if (err) {
        say(why, "cannot reach the server", err == WR_IO ? PQerrorMessage(conn->pg)
                                                         : wr_err_text(err));
        if (err == WR_IO && strstr(PQerrorMessage(conn->pg), "password"))
            err = WR_DENIED;
        if (err == WR_IO && strstr(PQerrorMessage(conn->pg), "does not exist"))
            err = WR_NOTFOUND;
        pg_close(conn);
        return err;
    }
    *ret = conn;
    return WR_OK;
}

void pg_close(struct pg_conn *conn)
{
    if (!conn)
        return;
    wr_fd_close(conn->fd);
    PQfinish(conn->pg);
    free(conn);
}

/* ---- sending ---- */

/* ?1 is $1 there.  No statement of ours has a question mark of its own. */
static void translate(const struct store_verb *verb, char *ret)
{
    const char *sql = verb->postgres ? verb->postgres : verb->sqlite[0];
    WR_ASSERT(strlen(sql) < STATEMENT_MAX);
    WR_ASSERT(verb->postgres || !verb->sqlite[1]);
    snprintf(ret, STATEMENT_MAX, "%s", sql);
    for (char *at = ret; (at = strchr(at, '?'));)
        *at = '$';
}

/* Whether another one was prepared: its answer comes before the verb's. */
static wr_err send_prepare(struct pg_conn *conn, const struct store_verb *verb, bool *ret)
{
    char sql[STATEMENT_MAX];
    *ret = false;
    for (size_t i = 0; i < conn->verb_count; i++)
        if (conn->verbs[i] == verb)
            return WR_OK;
    WR_ASSERT(conn->verb_count < VERBS_MAX);
    translate(verb, sql);
    if (!PQsendPrepare(conn->pg, verb->name, sql, 0, NULL))
        return WR_IO;
    conn->verbs[conn->verb_count++] = verb;
    *ret = true;
    return WR_OK;
}

static wr_err send_verb(struct pg_conn *conn, const struct store_act *act)
{
    const char *at[STORE_VALUES_MAX];
    int lens[STORE_VALUES_MAX], formats[STORE_VALUES_MAX];
    char numbers[STORE_VALUES_MAX][24];
    for (size_t i = 0; i < act->values.count; i++) {
        const struct store_value *value = &act->values.values[i];
        at[i] = value->type == STORE_IS_NULL ? NULL : value->bytes ? value->bytes : "";
        lens[i] = (int)value->len;
        formats[i] = value->type == STORE_IS_BLOB;
        if (value->type != STORE_IS_INT)
            continue;
        snprintf(numbers[i], sizeof(numbers[i]), "%lld", (long long)value->number);
        at[i] = numbers[i];
    }
    return PQsendQueryPrepared(conn->pg, act->verb->name, (int)act->values.count, at, lens,
                               formats, 1) ? WR_OK : WR_IO;
}

static bool send_plain(struct pg_conn *conn, const char *sql)
{
    return PQsendQueryParams(conn->pg, sql, 0, NULL, NULL, NULL, NULL, 1);
}

/* ---- what comes back ---- */

static wr_err error_of(const PGresult *result)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    if (!state)
        return WR_IO;
    if (strcmp(state, "23505") == 0)
        return WR_EXISTS;
    if (strncmp(state, "22", 2) == 0 || strncmp(state, "23", 2) == 0)
        return WR_INVALID;
    return strcmp(state, "57014") == 0 ? WR_TIMEOUT : WR_IO;
}

static void take_value(const PGresult *result, int row, int column, struct rows *rows)
{
    const char *bytes = PQgetvalue(result, row, column);
    int len = PQgetlength(result, row, column);
    int64_t wide;
    int32_t narrow;
    if (PQgetisnull(result, row, column)) {
        rows_null(rows);
    } else if (PQftype(result, column) == OID_INT8 && len == sizeof(wide)) {
        memcpy(&wide, bytes, sizeof(wide));
        rows_int(rows, (int64_t)be64toh((uint64_t)wide));
    } else if (PQftype(result, column) == OID_INT4 && len == sizeof(narrow)) {
        memcpy(&narrow, bytes, sizeof(narrow));
        rows_int(rows, (int32_t)be32toh((uint32_t)narrow));
    } else {
        rows_bytes(rows, PQftype(result, column) == OID_BYTEA ? STORE_IS_BLOB : STORE_IS_TEXT,
                   bytes, (size_t)len);
    }
}

static wr_err take_rows(const PGresult *result, struct store_rows *ret)
{
    struct rows rows = { 0 };
    int columns = PQnfields(result);
    for (int row = 0; row < PQntuples(result); row++)
        for (int column = 0; column < columns; column++)
            take_value(result, row, column, &rows);
    wr_err err = rows_done(&rows, (size_t)columns, ret);
    ret->changed = err ? 0 : strtoull(PQcmdTuples((PGresult *)(uintptr_t)result), NULL, 10);
    return err;
}

/* The result of one statement, and the NULL behind it.  WR_CLOSED: it was not done, because one
 * before it had failed. */
static wr_err take_answer(struct pg_conn *conn, struct store_rows *ret, wr_time deadline)
{
    PGresult *result = NULL, *end = NULL;
    wr_err err = receive(conn, &result, deadline);
    if (err)
        return err;
    switch (PQresultStatus(result)) {
    case PGRES_TUPLES_OK:
    case PGRES_COMMAND_OK: err = ret ? take_rows(result, ret) : WR_OK; break;
    case PGRES_PIPELINE_ABORTED: err = WR_CLOSED; break;
    default: err = error_of(result);
    }
    PQclear(result);
    wr_err over = receive(conn, &end, deadline);
    PQclear(end);
    return over ? over : err;
}

/* ---- a batch ---- */

/* What was sent for each act: whether it had to be prepared, and how many were before. */
struct sent { bool prepared; size_t verbs_before; };

static wr_err send_all(struct pg_conn *conn, struct store_act *const *acts, size_t count,
                       struct sent *sent)
{
    wr_err err = PQenterPipelineMode(conn->pg) && send_plain(conn, "begin") ? WR_OK : WR_IO;
    for (size_t i = 0; i < count && !err; i++) {
        sent[i].verbs_before = conn->verb_count;
        err = send_prepare(conn, acts[i]->verb, &sent[i].prepared);
        if (!err)
            err = send_verb(conn, acts[i]);
    }
    if (!err && !(send_plain(conn, "commit") && PQpipelineSync(conn->pg)))
        err = WR_IO;
    return err;
}

static bool own_fault(wr_err err)
{
    return err == WR_EXISTS || err == WR_INVALID;
}

/* Everything up to the end of the pipeline is read, whatever failed; what is prepared is not
 * undone by a rollback, but what came after the failure was not prepared at all. */
static wr_err take_all(struct pg_conn *conn, struct store_act *const *acts, size_t count,
                       const struct sent *sent, size_t *ret_at, wr_time deadline)
{
    wr_err first = take_answer(conn, NULL, deadline);
    for (size_t i = 0; i < count; i++) {
        wr_err err = sent[i].prepared ? take_answer(conn, NULL, deadline) : WR_OK;
        size_t verbs = sent[i].verbs_before + (sent[i].prepared && !err);
        wr_err done = take_answer(conn, &acts[i]->rows, deadline);
        err = err ? err : done;
        if (err && err != WR_CLOSED && !own_fault(err))
            return err;
        if (!err || first)
            continue;
        first = err;
        *ret_at = i;
        conn->verb_count = verbs;
    }
    wr_err committed = take_answer(conn, NULL, deadline);
    PGresult *sync = NULL;
    wr_err err = receive(conn, &sync, deadline);
    PQclear(sync);
    if (!PQexitPipelineMode(conn->pg))
        err = WR_IO;
    return err ? err : first ? first : committed;
}

wr_err pg_batch(struct pg_conn *conn, struct store_act *const *acts, size_t count,
                size_t *ret_at, wr_time deadline)
{
    struct sent sent[PG_BATCH_MAX] = { 0 };
    struct store_why why;
    WR_ASSERT(count <= PG_BATCH_MAX);
    WR_ASSERT(!conn->failed);
    wr_err err = send_all(conn, acts, count, sent);
    if (!err)
        err = flush(conn, deadline);
    if (!err)
        err = take_all(conn, acts, count, sent, ret_at, deadline);
    for (size_t i = 0; i < count && err; i++)
        store_rows_free(&acts[i]->rows);
    if (own_fault(err) && !pg_exec(conn, "rollback", &why, deadline))
        return err;
    conn->failed = err != WR_OK;
    return own_fault(err) ? WR_IO : err;
}

wr_err pg_exec(struct pg_conn *conn, const char *sql, struct store_why *why, wr_time deadline)
{
    wr_err err = PQsendQuery(conn->pg, sql) ? flush(conn, deadline) : WR_IO;
    while (!err) {
        PGresult *result = NULL;
        err = receive(conn, &result, deadline);
        if (!err && !result)
            return WR_OK;
        ExecStatusType status = PQresultStatus(result);
        if (!err && status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
            err = error_of(result);
        PQclear(result);
    }
    say(why, "the server refuses", PQerrorMessage(conn->pg));
    PGresult *rest = NULL;
    while (own_fault(err) && !receive(conn, &rest, deadline) && rest)
        PQclear(rest);
    conn->failed = !own_fault(err);
    return err;
}
