/* On a real server: tests/postgres/run starts one and says where it is. */
#include "store/pg_conn.h"

#include <string.h>

#include <weir/run.h>

#include "base/world.h"
#include "testing/test.h"

#define SOON wr_after(WR_S(20))

static const struct store_verb put = {
    .name = "test.put", .writes = true,
    .sqlite = { "insert into t (id, name, bytes) values (?1, ?2, ?3)" },
};
static const struct store_verb get = {
    .name = "test.get", .sqlite = { "select id, name, bytes from t order by id" },
};
static const struct store_verb slow = {
    .name = "test.slow", .sqlite = { "select 1::bigint from pg_sleep(?1)" },
};

static const char *server(void)
{
    return wr_world->env("WEIR_TEST_POSTGRES");
}

/* Waiting for a real server takes real time. */
#define ON_A_SERVER(name) \
    static void name##_on(struct pg_conn *conn); \
    static wr_err name##_there(void *arg) \
    { \
        struct pg_conn *conn; \
        struct store_why why; \
        (void)arg; \
        REQUIRE_OK(pg_open(&conn, server(), &why, SOON), WR_IO); \
        CHECK_OK(pg_exec(conn, "drop table if exists t; create table t" \
                         " (id bigint primary key, name text, bytes bytea)", &why, SOON)); \
        name##_on(conn); \
        pg_close(conn); \
        return WR_OK; \
    } \
    TEST_PLAIN(name) \
    { \
        if (!server()) \
            SKIP("tests/postgres/run starts a server for this"); \
        CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, name##_there, NULL)); \
    } \
    static void name##_on(struct pg_conn *conn)

static struct store_act put_of(struct store_values values)
{
    return (struct store_act){ .verb = &put, .values = values };
}

static size_t rows_there(struct pg_conn *conn)
{
    size_t at, count;
    struct store_act act = { .verb = &get };
    CHECK_OK(pg_batch(conn, &(struct store_act *){ &act }, 1, &at, SOON));
    count = act.rows.count;
    store_rows_free(&act.rows);
    return count;
}

ON_A_SERVER(a_batch_is_written_in_one_transaction_and_read_as_it_was)
{
    size_t at;
    struct store_act one = put_of(STORE_VALUES(STORE_INT(-5), STORE_TEXT("grün"),
                                               STORE_BLOB("\0\xff", 2)));
    struct store_act two = put_of(STORE_VALUES(STORE_INT(1LL << 40), STORE_NULL, STORE_NULL));
    struct store_act all = { .verb = &get };
    CHECK_OK(pg_batch(conn, (struct store_act *[]){ &one, &two, &all }, 3, &at, SOON));
    CHECK_EQ(1, one.rows.changed);
    REQUIRE(all.rows.count == 2);
    CHECK_EQ(-5, store_int(&all.rows, 0, 0));
    CHECK_STR("grün", store_text(&all.rows, 0, 1));
    CHECK_EQ(2, store_value_at(&all.rows, 0, 2).len);
    CHECK_EQ(0, memcmp("\0\xff", store_value_at(&all.rows, 0, 2).bytes, 2));
    CHECK_EQ(1LL << 40, store_int(&all.rows, 1, 0));
    CHECK(!store_text(&all.rows, 1, 1));
    store_rows_free(&all.rows);
}

ON_A_SERVER(a_verb_that_fails_undoes_its_batch_and_is_named)
{
    size_t at = 99;
    struct store_act acts[4];
    struct store_act *list[4];
    for (int i = 0; i < 4; i++) {
        int64_t id = i == 2 ? 0 : i;            /* the third has the key of the first */
        static struct store_value values[4][3];
        values[i][0] = STORE_INT(id);
        values[i][1] = values[i][2] = STORE_NULL;
        acts[i] = put_of((struct store_values){ values[i], 3 });
        list[i] = &acts[i];
    }
    CHECK_ERR(WR_EXISTS, pg_batch(conn, list, 4, &at, SOON));
    CHECK_EQ(2, at);
    CHECK_EQ(0, rows_there(conn));
    CHECK_OK(pg_batch(conn, list, 2, &at, SOON));           /* and it goes on */
    CHECK_EQ(2, rows_there(conn));
}

ON_A_SERVER(a_batch_that_takes_too_long_is_cut_off)
{
    size_t at;
    struct store_act act = { .verb = &slow, .values = STORE_VALUES(STORE_INT(20)) };
    wr_time start = wr_now();
    CHECK_ERR(WR_TIMEOUT, pg_batch(conn, &(struct store_act *){ &act }, 1, &at,
                                   wr_after(WR_MS(50))));
    CHECK(wr_now() - start < WR_S(10));
}

ON_A_SERVER(a_statement_that_is_refused_is_said)
{
    struct store_why why = { "" };
    CHECK(pg_exec(conn, "select from nowhere", &why, SOON) != WR_OK);
    CHECK(strstr(why.text, "nowhere"));
}

static wr_err reach_nobody(void *arg)
{
    struct pg_conn *conn;
    struct store_why why = { "" };
    (void)arg;
    CHECK_ERR(WR_IO, pg_open(&conn, "host=/tmp/weir-no-such-folder user=x", &why, SOON));
    CHECK(strstr(why.text, "/tmp/weir-no-such-folder"));
    return WR_OK;
}

TEST_PLAIN(a_server_that_is_not_there_is_named)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, reach_nobody, NULL));
}
