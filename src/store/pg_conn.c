/* pg_conn.c - see pg_conn.h.
 *
 * Parameters go as text, but for blobs; results come in binary, so that bytes need no
 * decoding.  Statements are those of SQLite, with $1 for ?1, where a verb has no own.
 *
 * What a pipeline has between two syncs is a transaction by itself: no begin, no commit, and
 * no rollback after a failure.  It is committed when the answer to the sync has come.
 */
#include "store/pg_conn.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/fd.h>
#include <weir/offload.h>
#include <weir/select.h>

#include "store/pg_fault.h"
#include "store/pg_rows.h"
#include "store/pg_url.h"

#define VERBS_MAX 256
#define STATEMENT_MAX 4096

#if !defined(LIBPQ_HAS_PIPELINING)
#error "libpq 14 or newer is required: older ones have no pipelines"
#endif

struct pg_conn {
    PGconn *pg;
    struct wr_fd *fd;               /* borrowed: of the socket it has now */
    bool failed, refused;
    struct store_why said;
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
    if (err || events != (WR_READABLE | WR_WRITABLE))
        return err ? err : wr_fd_wait(conn->fd, events, deadline);
    size_t which;
    struct wr_case cases[] = { WR_CASE_FD(conn->fd, WR_READABLE),
                               WR_CASE_FD(conn->fd, WR_WRITABLE) };
    return wr_select(&which, cases, 2, deadline);
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

/* libpq ends its sentences with a new line, and ours have an end. */
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

struct starting { struct pg_url url; PGconn *pg; };

/* Looks up the name of the host, which blocks. */
static void start_there(void *arg)
{
    struct starting *starting = arg;
    starting->pg = PQconnectStartParams(starting->url.words, starting->url.values, 0);
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

static wr_err connect_by(struct pg_conn *conn, struct starting *starting, wr_time deadline)
{
    wr_err err = wr_offload(start_there, starting, deadline);
    conn->pg = starting->pg;
    if (err)
        return err;
    if (!conn->pg)
        return WR_NOMEM;
    PQsetNoticeProcessor(conn->pg, ignore, NULL);
    if (PQstatus(conn->pg) == CONNECTION_BAD)
        return WR_IO;
    /* Sentences have the number of the fault then, which is the same in all languages. */
    PQsetErrorVerbosity(conn->pg, PQERRORS_VERBOSE);
    /* The first look is for a socket that can be written: libpq asks for no less. */
    err = await(conn, WR_WRITABLE, deadline);
    if (!err)
        err = connect_to(conn, deadline);
    PQsetErrorVerbosity(conn->pg, PQERRORS_DEFAULT);
    return err;
}

static wr_err judge(const struct pg_conn *conn, wr_err err, struct store_why *why)
{
    if (err == WR_IO)
        return pg_fault_opening(PQerrorMessage(conn->pg), why);
    say(why, "cannot reach the server", wr_err_text(err));
    return err;
}

wr_err pg_open(struct pg_conn **ret, const char *url, const struct pg_limits *limits,
               struct store_why *why, wr_time deadline)
{
    struct pg_conn *conn = calloc(1, sizeof(*conn));
    struct starting *starting = calloc(1, sizeof(*starting));
    wr_err err = conn && starting ? WR_OK : WR_NOMEM;
    store_say(why, "out of memory");
    if (!err)
        err = pg_url_read(&starting->url, url, limits, why);
    if (!err) {
        err = connect_by(conn, starting, deadline);
        if (err)
            err = judge(conn, err, why);
    }
    if (starting)
        pg_url_free(&starting->url);
    free(starting);
    if (err) {
        pg_close(conn);
        return err;
    }
    *ret = conn;
    return WR_OK;
}

void pg_rest(struct pg_conn *conn)
{
    wr_fd_close(conn->fd);
    conn->fd = NULL;
}

void pg_close(struct pg_conn *conn)
{
    if (!conn)
        return;
    pg_rest(conn);
    PQfinish(conn->pg);
    free(conn);
}

/* ---- its state ---- */

bool pg_failed(const struct pg_conn *conn)
{
    return conn->failed;
}

bool pg_refused(const struct pg_conn *conn)
{
    return conn->refused;
}

const char *pg_said(const struct pg_conn *conn)
{
    return conn->said.text;
}

/* The first look may find the server's last words, the second one that it has gone. */
bool pg_alive(struct pg_conn *conn)
{
    if (!conn->failed && PQconsumeInput(conn->pg) && PQconsumeInput(conn->pg)
        && PQstatus(conn->pg) == CONNECTION_OK)
        return true;
    say(&conn->said, "the connection was lost", PQerrorMessage(conn->pg));
    conn->failed = true;
    return false;
}

static void cancel_there(void *arg)
{
    char fault[64];
    (void)PQcancel(arg, fault, sizeof(fault));
}

void pg_cancel(struct pg_conn *conn, wr_time deadline)
{
    PGcancel *cancel = PQstatus(conn->pg) == CONNECTION_OK ? PQgetCancel(conn->pg) : NULL;
    if (!cancel)
        return;
    (void)!wr_offload(cancel_there, cancel, deadline);
    PQfreeCancel(cancel);
}

wr_err pg_fd(struct pg_conn *conn, struct wr_fd **ret)
{
    wr_err err = conn->fd ? WR_OK : wr_fd_borrow(&conn->fd, PQsocket(conn->pg));
    *ret = conn->fd;
    return err;
}

wr_err pg_heard(struct pg_conn *conn, char *ret, size_t size)
{
    if (!pg_alive(conn))
        return WR_IO;
    for (PGnotify *word; (word = PQnotifies(conn->pg));) {
        bool own = word->be_pid == PQbackendPID(conn->pg);
        snprintf(ret, size, "%s", word->extra);
        PQfreemem(word);
        if (!own)
            return WR_OK;
    }
    return WR_NOTFOUND;
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
    if (*verb->name)                /* without a name it is for once */
        conn->verbs[conn->verb_count++] = verb;
    *ret = true;
    return WR_OK;
}

/* How many parameters it has. */
static size_t values_of(const struct store_verb *verb)
{
    const char *sql = verb->postgres ? verb->postgres : verb->sqlite[0];
    size_t most = 0;
    for (const char *at = sql; (at = strchr(at, '?')); at++) {
        size_t number = strtoul(at + 1, NULL, 10);
        most = number > most ? number : most;
    }
    return most;
}

static wr_err send_verb(struct pg_conn *conn, const struct store_verb *verb,
                        struct store_values values)
{
    const char *at[STORE_VALUES_MAX];
    int lens[STORE_VALUES_MAX], formats[STORE_VALUES_MAX];
    char numbers[STORE_VALUES_MAX][32];
    for (size_t i = 0; i < values.count; i++) {
        const struct store_value *value = &values.values[i];
        at[i] = value->type == STORE_IS_NULL ? NULL : value->bytes ? value->bytes : "";
        lens[i] = (int)value->len;
        formats[i] = value->type == STORE_IS_BLOB;
        if (value->type == STORE_IS_INT)
            snprintf(numbers[i], sizeof(numbers[i]), "%lld", (long long)value->number);
        else if (value->type == STORE_IS_REAL)
            snprintf(numbers[i], sizeof(numbers[i]), "%.17g", value->real);
        else
            continue;
        at[i] = numbers[i];
    }
    return PQsendQueryPrepared(conn->pg, verb->name, (int)values.count, at, lens, formats, 1)
        ? WR_OK : WR_IO;
}

static bool send_plain(struct pg_conn *conn, const char *sql)
{
    return PQsendQueryParams(conn->pg, sql, 0, NULL, NULL, NULL, NULL, 1);
}

/* ---- what comes back ---- */

/* Whether the connection is sound after it, and all was rolled back. */
static bool harmless(wr_err err)
{
    return err == WR_EXISTS || err == WR_INVALID || err == WR_TIMEOUT || err == WR_BUSY;
}

static wr_err note_fault(struct pg_conn *conn, const PGresult *result)
{
    const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    say(&conn->said, text ? "the server refuses" : "the connection was lost",
        text ? text : PQerrorMessage(conn->pg));
    return pg_fault_of(PQresultErrorField(result, PG_DIAG_SQLSTATE));
}

/* The result of one statement, and the NULL behind it: *ret_fault is how it went; WR_CLOSED:
 * it was not done, because one before it had failed.  Errors: of the connection. */
static wr_err take_answer(struct pg_conn *conn, struct store_rows *ret, wr_err *ret_fault,
                          wr_time deadline)
{
    PGresult *result = NULL, *end = NULL;
    wr_err err = receive(conn, &result, deadline);
    if (err)
        return err;
    switch (PQresultStatus(result)) {
    case PGRES_TUPLES_OK:
    case PGRES_COMMAND_OK: *ret_fault = ret ? pg_rows(result, ret) : WR_OK; break;
    case PGRES_PIPELINE_ABORTED: *ret_fault = WR_CLOSED; break;
    default: *ret_fault = note_fault(conn, result);
    }
    PQclear(result);
    if (PQstatus(conn->pg) != CONNECTION_OK)
        return WR_IO;
    err = receive(conn, &end, deadline);
    PQclear(end);
    return err;
}

/* ---- a batch ---- */

/* What was sent for each act: whether it, and what comes first, had to be prepared, and how
 * many were before. */
struct sent { bool prepared, first_prepared; size_t verbs_before; };

struct batch {
    struct store_act *const *acts;
    size_t count;
    struct sent sent[PG_BATCH_MAX];
    bool held;                      /* some result may turn out too large: the transaction is
                                     * kept open until all of them were seen */
    size_t at;
    wr_err fault;                   /* of acts[at] */
};

static wr_err send_first(struct pg_conn *conn, const struct store_act *act, struct sent *sent)
{
    const struct store_verb *first = act->verb->first;
    wr_err err = send_prepare(conn, first, &sent->first_prepared);
    return err ? err : send_verb(conn, first, (struct store_values){ act->values.values,
                                                                    values_of(first) });
}

static wr_err send_all(struct pg_conn *conn, struct batch *batch)
{
    wr_err err = PQenterPipelineMode(conn->pg) ? WR_OK : WR_IO;
    if (!err && batch->held && !send_plain(conn, "begin"))
        err = WR_IO;
    for (size_t i = 0; i < batch->count && !err; i++) {
        struct sent *sent = &batch->sent[i];
        const struct store_act *act = batch->acts[i];
        sent->verbs_before = conn->verb_count;
        if (act->verb->first)
            err = send_first(conn, act, sent);
        if (!err)
            err = send_prepare(conn, act->verb, &sent->prepared);
        if (!err)
            err = send_verb(conn, act->verb, act->values);
    }
    return err ? err : PQpipelineSync(conn->pg) ? WR_OK : WR_IO;
}

/* The answer to the sync; a commit that fails says so before. */
static wr_err take_sync(struct pg_conn *conn, wr_err *ret_fault, wr_time deadline)
{
    for (;;) {
        PGresult *result = NULL;
        wr_err err = receive(conn, &result, deadline);
        ExecStatusType status = PQresultStatus(result);
        if (!err && result && status != PGRES_PIPELINE_SYNC && !*ret_fault)
            *ret_fault = note_fault(conn, result);
        PQclear(result);
        if (err)
            return err;
        if (status == PGRES_PIPELINE_SYNC)
            return WR_OK;
        if (PQstatus(conn->pg) != CONNECTION_OK)
            return WR_IO;
    }
}

/* All answers of an act.  What is prepared is not undone by a rollback, but what came after a
 * failure was not prepared at all. */
static wr_err take_act(struct pg_conn *conn, struct batch *batch, size_t i, wr_err *ret_fault,
                       wr_time deadline)
{
    const struct sent *sent = &batch->sent[i];
    enum { FIRST_PREPARED, FIRST, PREPARED, DONE, ANSWERS };
    const bool expected[ANSWERS] = { sent->first_prepared, batch->acts[i]->verb->first,
                                     sent->prepared, true };
    for (int which = 0; which < ANSWERS; which++) {
        wr_err fault = WR_OK;
        wr_err err = !expected[which] ? WR_OK
            : take_answer(conn, which == DONE ? &batch->acts[i]->rows : NULL, &fault, deadline);
        if (err)
            return err;
        bool unprepared = fault && (which == FIRST_PREPARED || which == PREPARED);
        if (unprepared && conn->verb_count > sent->verbs_before)
            conn->verb_count = sent->verbs_before;
        *ret_fault = *ret_fault ? *ret_fault : fault;
    }
    return WR_OK;
}

/* Errors: of the connection. */
static wr_err take_all(struct pg_conn *conn, struct batch *batch, wr_time deadline)
{
    wr_err err = WR_OK;
    if (batch->held)
        err = take_answer(conn, NULL, &batch->fault, deadline);
    for (size_t i = 0; i < batch->count && !err; i++) {
        wr_err fault = WR_OK;
        err = take_act(conn, batch, i, &fault, deadline);
        if (!fault || batch->fault)
            continue;
        batch->fault = fault;
        batch->at = i;
    }
    return err ? err : take_sync(conn, &batch->fault, deadline);
}

/* The end of a transaction that was kept open. */
static wr_err end_held(struct pg_conn *conn, struct batch *batch, wr_time deadline)
{
    wr_err fault = WR_OK;
    if (!send_plain(conn, batch->fault ? "rollback" : "commit") || !PQpipelineSync(conn->pg))
        return WR_IO;
    wr_err err = flush(conn, deadline);
    if (!err)
        err = take_answer(conn, NULL, &fault, deadline);
    if (!err)
        err = take_sync(conn, &fault, deadline);
    return err ? err : fault ? WR_IO : WR_OK;
}

static wr_err run_batch(struct pg_conn *conn, struct batch *batch, wr_time deadline)
{
    for (size_t i = 0; i < batch->count; i++)
        batch->held |= batch->acts[i]->verb->undo && batch->acts[i]->verb->writes;
    wr_err err = send_all(conn, batch);
    if (!err)
        err = flush(conn, deadline);
    if (!err)
        err = take_all(conn, batch, deadline);
    if (!err && batch->held)
        err = end_held(conn, batch, deadline);
    if (!err && !PQexitPipelineMode(conn->pg))
        err = WR_IO;
    return err;
}

wr_err pg_batch(struct pg_conn *conn, struct store_act *const *acts, size_t count,
                size_t *ret_at, wr_time deadline)
{
    struct batch batch = { .acts = acts, .count = count };
    WR_ASSERT(count <= PG_BATCH_MAX);
    WR_ASSERT(!conn->failed);
    conn->said.text[0] = '\0';
    wr_err err = run_batch(conn, &batch, deadline);
    if (err && !conn->said.text[0])
        say(&conn->said, "the connection was lost", err == WR_IO ? PQerrorMessage(conn->pg)
                                                                 : wr_err_text(err));
    conn->refused = !err && batch.fault && !harmless(batch.fault);
    conn->failed = err || conn->refused;
    err = err ? err : conn->refused ? WR_IO : batch.fault;
    for (size_t i = 0; i < count && err; i++)
        store_rows_free(&acts[i]->rows);
    *ret_at = batch.at;
    return err;
}

/* ---- one by one ---- */

static bool is_fault(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);
    return status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK;
}

/* Its first fault, or its last result; NULL after an error, which is of the connection. */
static wr_err collect(struct pg_conn *conn, PGresult **ret, wr_time deadline)
{
    wr_err err = flush(conn, deadline);
    *ret = NULL;
    for (PGresult *next = NULL; !err; next = NULL) {
        err = receive(conn, &next, deadline);
        if (err || !next)
            break;
        bool keep = !*ret || !is_fault(*ret);
        PQclear(keep ? *ret : next);
        *ret = keep ? next : *ret;
    }
    if (!err && !*ret)
        err = WR_IO;
    if (err) {
        say(&conn->said, "the connection was lost", err == WR_IO ? PQerrorMessage(conn->pg)
                                                                 : wr_err_text(err));
        PQclear(*ret);
        *ret = NULL;
    }
    conn->failed = err || PQstatus(conn->pg) != CONNECTION_OK;
    return err;
}

wr_err pg_exec(struct pg_conn *conn, const char *sql, wr_time deadline)
{
    PGresult *result = NULL;
    conn->failed = !PQsendQuery(conn->pg, sql);
    wr_err err = conn->failed ? WR_IO : collect(conn, &result, deadline);
    if (!err && is_fault(result))
        err = note_fault(conn, result);
    PQclear(result);
    return err;
}

wr_err pg_query(struct pg_conn *conn, const char *sql, const char *const *values, int count,
                PGresult **ret, wr_time deadline)
{
    *ret = NULL;
    conn->failed = !PQsendQueryParams(conn->pg, sql, count, NULL, values, NULL, NULL, 0);
    return conn->failed ? WR_IO : collect(conn, ret, deadline);
}

wr_err pg_describe(struct pg_conn *conn, const char *sql, PGresult **ret, wr_time deadline)
{
    *ret = NULL;
    conn->failed = !PQsendPrepare(conn->pg, "", sql, 0, NULL);
    wr_err err = conn->failed ? WR_IO : collect(conn, ret, deadline);
    if (err || is_fault(*ret))
        return err;
    PQclear(*ret);
    *ret = NULL;
    conn->failed = !PQsendDescribePrepared(conn->pg, "");
    return conn->failed ? WR_IO : collect(conn, ret, deadline);
}

wr_err pg_settle(struct pg_conn *conn, wr_time deadline)
{
    PGresult *last = NULL;
    wr_err err = collect(conn, &last, deadline);
    PQclear(last);
    return err;
}
