/* On a real server: tests/postgres/run starts one and says where it is. */
#include "store/pg_conn.h"

#include <libpq-fe.h>
#include <string.h>

#include <weir/scope.h>

#include "testing/settle.h"
#include "testing/store_rig.h"

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

#define ON_A_SERVER(name) \
    static void name##_on(struct store_rig *rig, struct pg_conn *conn); \
    SERVER_TEST(name) \
    { \
        CHECK_OK(rig_say(rig, "create table t (id bigint primary key, name text," \
                         " bytes bytea)")); \
        name##_on(rig, rig->admin); \
    } \
    static void name##_on([[maybe_unused]] struct store_rig *rig, struct pg_conn *conn)

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

/* One for the test to break. */
static struct pg_conn *another(struct store_rig *rig)
{
    struct pg_conn *conn = NULL;
    CHECK_OK(pg_open(&conn, rig->url, &(struct pg_limits){ .lock = WR_MS(100) }, &rig->why,
                     SOON));
    return conn;
}

static int64_t sleepers(struct store_rig *rig)
{
    return rig_ask(rig, "select count(*) from pg_stat_activity where state = 'active'"
                   " and query like '%pg_sleep%' and pid <> pg_backend_pid()");
}

static void await_none(struct store_rig *rig)
{
    wr_time give_up = wr_after(WR_S(10));
    while (sleepers(rig) > 0 && wr_now() < give_up)
        CHECK_OK(wr_sleep(wr_after(WR_MS(5))));
    CHECK_EQ(0, sleepers(rig));
}

ON_A_SERVER(a_batch_that_takes_too_long_is_cut_off_and_the_server_can_be_told)
{
    size_t at;
    struct pg_conn *mine = another(rig);
    struct store_act act = { .verb = &slow, .values = STORE_VALUES(STORE_INT(20)) };
    wr_time start = wr_now();
    CHECK_ERR(WR_TIMEOUT, pg_batch(mine, &(struct store_act *){ &act }, 1, &at,
                                   wr_after(WR_MS(50))));
    CHECK(wr_now() - start < WR_S(5));
    CHECK(pg_failed(mine) && !pg_refused(mine));
    CHECK_EQ(1, sleepers(rig));
    pg_cancel(mine, SOON);
    await_none(rig);
    pg_close(mine);
    CHECK(!pg_failed(conn));
}

ON_A_SERVER(a_lock_of_another_is_waited_for_until_the_server_says_so)
{
    size_t at;
    static const struct store_verb change = {
        .name = "test.change", .writes = true, .sqlite = { "update t set name = 'x'" } };
    struct pg_conn *mine = another(rig);
    struct store_act act = { .verb = &change };
    CHECK_OK(rig_say(rig, "insert into t (id) values (1)"));
    CHECK_OK(rig_say(rig, "begin; select 1 from t for update"));
    CHECK_ERR(WR_TIMEOUT, pg_batch(mine, &(struct store_act *){ &act }, 1, &at, SOON));
    CHECK(!pg_failed(mine));
    CHECK_OK(pg_exec(conn, "rollback", SOON));
    CHECK_OK(pg_batch(mine, &(struct store_act *){ &act }, 1, &at, SOON));
    CHECK_EQ(1, act.rows.changed);
    store_rows_free(&act.rows);
    pg_close(mine);
}

ON_A_SERVER(a_connection_that_was_ended_is_seen_before_it_is_used)
{
    struct pg_conn *mine = another(rig);
    CHECK(pg_alive(mine));
    CHECK_OK(rig_say(rig, "select pg_terminate_backend(pid) from pg_stat_activity"
                     " where pid <> pg_backend_pid() and backend_type = 'client backend'"));
    CHECK_OK(wr_sleep(wr_after(WR_MS(100))));
    CHECK(!pg_alive(mine));
    CHECK(pg_failed(mine));
    pg_close(mine);
    CHECK(pg_alive(conn));
}

static const struct store_verb full = {
    .name = "test.full", .writes = true,
    .sqlite = { "insert into nowhere (id) values (1)" },
};

ON_A_SERVER(what_the_server_will_not_do_is_a_refusal_and_said)
{
    size_t at;
    struct pg_conn *mine = another(rig);
    struct store_act act = { .verb = &full };
    CHECK_ERR(WR_IO, pg_batch(mine, &(struct store_act *){ &act }, 1, &at, SOON));
    CHECK(pg_failed(mine) && pg_refused(mine));
    CHECK(strstr(pg_said(mine), "nowhere"));
    pg_close(mine);
    CHECK(pg_exec(conn, "select from nowhere", SOON) != WR_OK);
    CHECK(strstr(pg_said(conn), "nowhere"));
}

ON_A_SERVER(what_another_session_says_is_heard)
{
    char name[16];
    struct pg_conn *mine = another(rig);
    CHECK_OK(pg_exec(mine, "listen c; notify c, 'own'", SOON));
    CHECK_ERR(WR_NOTFOUND, pg_heard(mine, name, sizeof(name)));
    CHECK_OK(pg_exec(conn, "notify c, 'net'", SOON));
    CHECK_OK(pg_exec(mine, "select 1", SOON));
    CHECK_OK(pg_heard(mine, name, sizeof(name)));
    CHECK_STR("net", name);
    CHECK_ERR(WR_NOTFOUND, pg_heard(mine, name, sizeof(name)));
    pg_close(mine);
}

/* ---- opening ---- */

static wr_err open_by(const char *url, struct store_why *why)
{
    struct pg_conn *conn;
    return pg_open(&conn, url, &(struct pg_limits){ 0 }, why, SOON);
}

SERVER_TEST(what_keeps_us_out_is_said_with_what_to_do)
{
    char url[300];
    struct store_why why = { "" };
    const char *host = getenv("WEIR_TEST_POSTGRES_FOLDER");
    CHECK_OK(rig_say(rig, "drop role if exists locked; create role locked login password 'x'"));
    snprintf(url, sizeof(url), "postgres://weir@/nothing_here?host=%s", host);
    CHECK_ERR(WR_NOTFOUND, open_by(url, &why));
    CHECK(strstr(why.text, "nothing_here") && strstr(why.text, "createdb"));
    snprintf(url, sizeof(url), "postgres://locked:wrong@/postgres?host=%s", host);
    CHECK_ERR(WR_DENIED, open_by(url, &why));
    CHECK(strstr(why.text, "password"));
    CHECK(!strstr(why.text, "wrong"));
    snprintf(url, sizeof(url), "postgres://nobody_here@/postgres?host=%s", host);
    CHECK_ERR(WR_DENIED, open_by(url, &why));
    CHECK(strstr(why.text, "nobody_here"));
    CHECK_OK(rig_say(rig, "drop role locked"));
}

static wr_err reach_nobody(void *arg)
{
    struct store_why why = { "" };
    (void)arg;
    CHECK_ERR(WR_IO, open_by("host=/tmp/weir-no-such-folder user=x", &why));
    CHECK(strstr(why.text, "/tmp/weir-no-such-folder"));
    CHECK_ERR(WR_INVALID, open_by("postgres://x?nonsense=1", &why));
    CHECK(strstr(why.text, "nonsense"));
    return WR_OK;
}

TEST_PLAIN(a_server_that_is_not_there_is_named)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, reach_nobody, NULL));
}

ON_A_SERVER(one_statement_is_asked_with_text_for_values)
{
    PGresult *found;
    CHECK_OK(pg_query(conn, "select $1::int + 1, 'x' as name", &(const char *){ "41" }, 1,
                      &found, SOON));
    CHECK_STR("42", PQgetvalue(found, 0, 0));
    CHECK_STR("name", PQfname(found, 1));
    PQclear(found);
    CHECK_OK(pg_query(conn, "select 1; select 2", NULL, 0, &found, SOON));
    CHECK_STR("42601", PQresultErrorField(found, PG_DIAG_SQLSTATE));
    PQclear(found);
    CHECK(!pg_failed(conn));
}

ON_A_SERVER(columns_are_told_of_what_is_not_run)
{
    PGresult *found;
    CHECK_OK(pg_describe(conn, "delete from t returning id, name", &found, SOON));
    CHECK_EQ(2, PQnfields(found));
    CHECK_EQ(20, PQftype(found, 0));
    PQclear(found);
    CHECK_OK(pg_describe(conn, "selec", &found, SOON));
    CHECK_EQ(PGRES_FATAL_ERROR, PQresultStatus(found));
    PQclear(found);
}

ON_A_SERVER(what_was_cut_off_can_be_waited_for)
{
    PGresult *found;
    CHECK_ERR(WR_TIMEOUT, pg_query(conn, "select pg_sleep(60)", NULL, 0, &found,
                                   wr_after(WR_MS(20))));
    CHECK(!found);
    CHECK(pg_failed(conn));
    CHECK_ERR(WR_TIMEOUT, pg_settle(conn, wr_after(WR_MS(1))));
    pg_cancel(conn, SOON);
    CHECK_OK(pg_settle(conn, SOON));
    CHECK(!pg_failed(conn));
    CHECK_EQ(0, rows_there(conn));
}
