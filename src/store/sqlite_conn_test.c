#include "store/sqlite_conn.h"

#include <string.h>

#include "testing/store_rig.h"

static const struct store_verb table = {
    .name = "test.table", .sqlite = { "create table if not exists t (id integer primary key)" },
};
static const struct store_verb put = {
    .name = "test.put", .sqlite = { "insert into t (id) values (?1)" },
};
static const struct store_verb forever = {
    .name = "test.forever",
    .sqlite = { "with recursive n(i) as (select 1 union all select i + 1 from n)"
                " select max(i) from n" },
};
static const struct store_verb clock_of_it = {
    .name = "test.clock", .sqlite = { "select now_ms()" },
};

#define NONE ((struct store_values){ 0 })

static struct conn *open_in_memory(void)
{
    static struct conn conn;
    struct store_why why;
    struct store_rows rows = { 0 };
    CHECK_OK(conn_open(&conn, &(struct conn_conf){ .path = "" }, &why));
    CHECK_OK(conn_do(&conn, &table, NONE, &rows));
    return &conn;
}

TEST_PLAIN(the_error_of_a_code_says_what_a_caller_can_do)
{
    CHECK_OK(conn_err(SQLITE_DONE));
    CHECK_ERR(WR_EXISTS, conn_err(SQLITE_CONSTRAINT_UNIQUE));
    CHECK_ERR(WR_EXISTS, conn_err(SQLITE_CONSTRAINT_PRIMARYKEY));
    CHECK_ERR(WR_INVALID, conn_err(SQLITE_CONSTRAINT_NOTNULL));
    CHECK_ERR(WR_INVALID, conn_err(SQLITE_TOOBIG));
    CHECK_ERR(WR_TIMEOUT, conn_err(SQLITE_INTERRUPT));
    CHECK_ERR(WR_BUSY, conn_err(SQLITE_BUSY));
    CHECK_ERR(WR_DENIED, conn_err(SQLITE_READONLY));
    CHECK_ERR(WR_IO, conn_err(SQLITE_IOERR_FSYNC));
    CHECK_ERR(WR_IO, conn_err(SQLITE_FULL));
}

TEST(a_statement_is_prepared_once)
{
    struct conn *conn = open_in_memory();
    struct store_rows rows = { 0 };
    for (int i = 0; i < 10; i++)
        CHECK_OK(conn_do(conn, &put, STORE_VALUES(STORE_INT(i)), &rows));
    CHECK_EQ(2, conn->verb_count);
    conn_close(conn);
    conn_close(conn);
}

TEST(now_ms_is_what_the_connection_was_told)
{
    struct conn *conn = open_in_memory();
    struct store_rows rows = { 0 };
    conn->now_ms = 12345;
    CHECK_OK(conn_do(conn, &clock_of_it, NONE, &rows));
    CHECK_EQ(12345, store_int(&rows, 0, 0));
    store_rows_free(&rows);
    conn_close(conn);
}

TEST(a_statement_that_takes_too_long_is_interrupted)
{
    struct conn *conn = open_in_memory();
    struct store_rows rows = { 0 };
    conn->give_up = wr_now();
    CHECK_ERR(WR_TIMEOUT, conn_do(conn, &forever, NONE, &rows));
    conn->give_up = WR_NEVER;
    CHECK_OK(conn_do(conn, &put, STORE_VALUES(STORE_INT(1)), &rows));
    conn_close(conn);
}

TEST(a_transaction_is_begun_and_ended_by_its_steps)
{
    struct conn *conn = open_in_memory();
    struct store_rows rows = { 0 };
    int64_t count;
    CHECK(!conn_inside(conn));
    CHECK_OK(conn_step(conn, CONN_BEGIN));
    CHECK(conn_inside(conn));
    CHECK_OK(conn_do(conn, &put, STORE_VALUES(STORE_INT(1)), &rows));
    CHECK_OK(conn_step(conn, CONN_ROLLBACK));
    CHECK(!conn_inside(conn));
    CHECK_OK(conn_ask(conn, "select count(*) from t", &count));
    CHECK_EQ(0, count);
    conn_close(conn);
}

TEST(a_connection_that_only_reads_cannot_write)
{
    static struct conn writer, reader;
    struct store_rig rig;
    struct store_why why;
    struct store_rows rows = { 0 };
    rig_folder(&rig);
    CHECK_ERR(WR_NOTFOUND, conn_open(&reader, &(struct conn_conf){ .path = rig.path }, &why));
    CHECK(strstr(why.text, rig.path));
    CHECK_OK(conn_open(&writer, &(struct conn_conf){ .path = rig.path, .create = true }, &why));
    CHECK_OK(conn_do(&writer, &table, NONE, &rows));
    CHECK_OK(conn_open(&reader, &(struct conn_conf){ .path = rig.path, .read_only = true },
                       &why));
    CHECK_ERR(WR_DENIED, conn_do(&reader, &put, STORE_VALUES(STORE_INT(1)), &rows));
    conn_close(&reader);
    conn_close(&writer);
    rig_remove(&rig);
}

TEST_PLAIN(a_sealed_file_is_read_without_what_lies_beside_it)
{
    struct store_rig rig;
    struct store_why why;
    char path[96], wal[104];
    int64_t count = -1;
    struct conn *one = calloc(1, sizeof(*one)), *two = calloc(1, sizeof(*two));
    rig_folder(&rig);
    snprintf(path, sizeof(path), "%s/a b%%41?c#d", rig.folder);
    snprintf(wal, sizeof(wal), "%s-wal", path);
    CHECK_OK(conn_open(one, &(struct conn_conf){ .path = path, .create = true }, &why));
    CHECK_OK(conn_exec(one, "create table t (x); insert into t values (1);"
                       "pragma journal_mode = wal; insert into t values (2)"));
    CHECK_EQ(0, access(wal, F_OK));
    CHECK_OK(conn_open(two, &(struct conn_conf){ .path = path, .read_only = true,
                                                 .sealed = true }, &why));
    CHECK_OK(conn_ask(two, "select count(*) from t", &count));
    CHECK_EQ(1, count);
    CHECK_ERR(WR_DENIED, conn_exec(two, "insert into t values (3)"));
    conn_close(two);
    conn_close(one);
    CHECK_EQ(0, unlink(path));
    free(one);
    free(two);
    rig_remove(&rig);
}

TEST(a_verb_that_ends_its_transaction_leaves_the_reason_in_the_connection)
{
    static const struct store_verb undone = {
        .name = "test.undone", .undo = true,
        .sqlite = { "with recursive n(i) as (select 1 union all select i + 1 from n)"
                    " select max(i) from n" },
    };
    struct conn *conn = open_in_memory();
    struct store_rows rows = { 0 };
    struct store_why why = { "" };
    CHECK_OK(conn_step(conn, CONN_BEGIN));
    conn->give_up = wr_now();
    CHECK_ERR(WR_TIMEOUT, conn_do(conn, &undone, NONE, &rows));
    conn->give_up = WR_NEVER;
    conn_say(conn, &why, "write", "");
    CHECK(strstr(why.text, "interrupted"));
    conn_close(conn);
}
