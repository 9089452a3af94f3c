/* pg_select_test.c - strangers' statements on a server; what both engines do is in
 * sql_read_test.c. */
#include "base/text.h"
#include "store/pg.h"
#include "testing/evidence_rig.h"

#define NUMBER_OF(array) (sizeof(array) / sizeof((array)[0]))

static struct store_why why;

static wr_err ask_for(struct store *store, const char *sql, wr_time time,
                      struct store_answer *ret)
{
    return store_select(store, &(struct store_ask){ .sql = sql, .rows_max = 50,
        .time_max = time, .steps_max = 1000 }, ret, &why, wr_after(WR_S(30)));
}

static wr_err attempt(struct store *store, const char *sql)
{
    struct store_answer answer;
    wr_err err = ask_for(store, sql, WR_S(2), &answer);
    if (!err)
        printf("# answered: %s\n", sql);
    CHECK_EQ(err ? 0 : 1, answer.names.count);
    store_answer_free(&answer);
    return err;
}

static int64_t number(struct store *store, const char *sql)
{
    struct store_answer answer;
    if (!CHECK_OK(ask_for(store, sql, WR_S(2), &answer))) {
        printf("# %s: %s\n", sql, why.text);
        return -1;
    }
    int64_t value = answer.rows.count ? store_int(&answer.rows, 0, 0) : -1;
    store_answer_free(&answer);
    return value;
}

static void refuse_all(struct store *store, const char *const *tries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!CHECK_ERR(WR_INVALID, attempt(store, tries[i])))
            printf("# %s: %s\n", tries[i], why.text);
}

static void tea(struct store *store)
{
    rig_page(store, &(struct rig_page){ .url = "http://a.test/1", .task = "t",
        .title = "About; tea", .fragments = { "Tea is hot.", "Ice is cold." },
        .claims = { "Tea is hot" } });
}

SERVER_TEST(an_answer_has_names_and_values_of_each_kind)
{
    struct store_answer answer;
    tea(rig->store);
    CHECK_OK(ask_for(rig->store, "select title, http_status as status, 0.5, null,"
                     " '\\x00ff'::bytea, true, 7::smallint, sum(position), 0.1::float8,"
                     " 'NaN'::float8, 1e30, date '2020-02-03', title from pages, fragments"
                     " group by 1, 2", WR_S(2), &answer));
    CHECK_EQ(1, answer.rows.count);
    CHECK_STR("title", store_text(&answer.names, 0, 0));
    CHECK_STR("status", store_text(&answer.names, 0, 1));
    CHECK_STR("About; tea", store_text(&answer.rows, 0, 0));
    CHECK_EQ(200, store_int(&answer.rows, 0, 1));
    CHECK(store_real(&answer.rows, 0, 2) == 0.5);
    CHECK_EQ(STORE_IS_NULL, store_value_at(&answer.rows, 0, 3).type);
    CHECK_STR("00ff", store_text(&answer.rows, 0, 4));
    CHECK_EQ(1, store_int(&answer.rows, 0, 5));
    CHECK_EQ(7, store_int(&answer.rows, 0, 6));
    CHECK_EQ(STORE_IS_INT, store_value_at(&answer.rows, 0, 7).type);
    CHECK_EQ(1, store_int(&answer.rows, 0, 7));
    CHECK(store_real(&answer.rows, 0, 8) == 0.1);
    CHECK_EQ(STORE_IS_NULL, store_value_at(&answer.rows, 0, 9).type);
    CHECK(store_real(&answer.rows, 0, 10) == 1e30);
    CHECK_STR("2020-02-03", store_text(&answer.rows, 0, 11));
    CHECK_STR("title", store_text(&answer.names, 0, 12));
    CHECK(!answer.truncated);
    store_answer_free(&answer);
}

SERVER_TEST(rows_beyond_the_limit_are_left_out_in_their_order)
{
    struct store_answer answer;
    CHECK_OK(ask_for(rig->store, "with recursive n (i) as (select 1 union all select i + 1 from"
                     " n) select i from n", WR_S(2), &answer));
    CHECK_EQ(50, answer.rows.count);
    CHECK_EQ(50, store_int(&answer.rows, 49, 0));
    CHECK(answer.truncated);
    store_answer_free(&answer);
    CHECK_OK(ask_for(rig->store, "select i from generate_series(1, 50) i order by -i",
                     WR_S(2), &answer));
    CHECK_EQ(50, answer.rows.count);
    CHECK_EQ(50, store_int(&answer.rows, 0, 0));
    CHECK(!answer.truncated);
    store_answer_free(&answer);
}

SERVER_TEST(values_and_answers_have_a_bound_of_bytes)
{
    struct store_answer answer;
    CHECK_OK(ask_for(rig->store, "select (select string_agg('0123456789', '') from"
                     " generate_series(1, 10000)), null from generate_series(1, 50)", WR_S(2),
                     &answer));
    CHECK_EQ(11, answer.rows.count);
    CHECK_EQ(100000, strlen(store_text(&answer.rows, 10, 0)));
    CHECK(answer.truncated);
    store_answer_free(&answer);
    CHECK_ERR(WR_INVALID, attempt(rig->store, "select string_agg('0123456789', '') from"
                                  " generate_series(1, 13108)"));
    CHECK_STR("a value has 131080 bytes, at most 131072 are allowed: cut it with left()",
              why.text);
}

SERVER_TEST(what_people_ask_is_answered)
{
    struct store *store = rig->store;
    tea(store);
    CHECK_EQ(2, number(store, "select count(*) from fragments"));
    CHECK_EQ(1, number(store, "with c as (select * from claims) select count(*) from c;"));
    CHECK_EQ(1, number(store, "-- a comment; with a semicolon\n select count(*) from edges"
                       " where relation = 'origin' /* ; */ ; -- end"));
    CHECK_EQ(0, number(store, "select count(*) from tasks"));
    CHECK_EQ(5, number(store, "values (5)"));
    CHECK_EQ(3, number(store, "with recursive n (i) as (select 1 union all select i + 1 from n"
                       " where i < 3) select max(i) from n"));
    CHECK_EQ(1, number(store, "select count(*) from pages p join fragments f on f.page_id ="
                       " p.id where f.text_content ilike '%ICE%' and p.title ~ '^A'"));
    CHECK_EQ(2, number(store, "select rank() over (order by text_content) from fragments order"
                       " by 1 desc"));
    CHECK_EQ(1, number(store, "select count(*) filter (where http_status in (200, 204)) from"
                       " pages having bool_and(coalesce(title, '') <> '')"));
    CHECK_EQ(9, number(store, "select ('{\"a\":[7,9]}'::jsonb -> 'a' ->> 1)::int"));
    CHECK_EQ(1, number(store, "select case when row(1, 2) < row(1, 3) then 1 else 0 end"));
    CHECK_EQ(4, number(store, "select 4 as \":funcid\" union select 5 order by 1 limit 1"));
    CHECK_EQ(50, number(store, "select round(avg(x) * 100.0 / 2) from (values (0), (2)) v"
                        " (x)"));
    CHECK_EQ(2, number(store, "select cardinality(array_agg(f)) from fragments f"));
    CHECK(number(store, "select now_ms()") == RIG_BEGIN_MS);
}

SERVER_TEST(nothing_that_changes_anything_is_done)
{
    static const char *const tries[] = {
        "insert into pages (id, url, domain, created_at) values ('x', 'x', 'x', 1)",
        "update pages set title = 'x'", "delete from pages", "delete from pages returning id",
        "drop table pages", "create table x (y int)", "create temp table x (y int)",
        "alter table pages add column x int", "truncate pages", "vacuum", "begin", "commit",
        "rollback", "end", "savepoint x", "set work_mem = '1GB'", "show work_mem",
        "reset all", "copy pages to stdout", "copy pages to program 'true'", "listen x",
        "notify x", "lock table pages", "explain select 1", "explain analyze select 1",
        "do $$ begin end $$", "call x()", "prepare x as select 1", "execute x",
        "declare x cursor for select 1", "fetch 1 from x", "discard all", "checkpoint",
        "with x as (delete from pages returning id) select * from x",
        "with x as (update pages set title = 'x' returning 1) select count(*) from x",
        "select * into x from pages", "create table x as select 1",
        "select id from pages for update", "select id from pages for share",
        "select 1; end; delete from pages; begin atomic select 1", "return 1", "select $1",
        "select 1 \n;end" };
    tea(rig->store);
    refuse_all(rig->store, tries, NUMBER_OF(tries));
    CHECK_EQ(1, rig_ask(rig, "select count(*) from pages where title = 'About; tea'"));
    CHECK_EQ(0, rig_ask(rig, "select count(*) from pg_class where relname = 'x'"));
    CHECK_EQ(0, rig_ask(rig, "select count(*) from pg_proc where proname = 'weir_ask'"));
}

SERVER_TEST(nothing_else_is_read)
{
    static const char *const tries[] = {
        "select * from audit", "select count(*) from audit", "select 1 from once",
        "select * from job", "select * from job_done", "select * from cache_row",
        "select * from blob", "select (select max(number) from audit)",
        "select id from pages where exists (select 1 from audit)",
        "with pages as (select * from audit) select * from pages",
        "select id from pages union select type from audit",
        "select * from pg_class", "select * from pg_catalog.pg_authid",
        "select count(*) from pg_shadow", "select * from information_schema.tables",
        "select * from pg_stat_activity", "select * from clock", "table audit",
        "select 'audit'::regclass::text", "select tableoid from pages",
        "select ctid from pages",
        "select xmin from pages", "select 'x'::regrole", "select '<a/>'::xml",
        "select xmlelement(name a)", "select id from pages tablesample system (10)",
        "select * from xmltable('/a' passing '<a/>' columns x text)" };
    tea(rig->store);
    refuse_all(rig->store, tries, NUMBER_OF(tries));
}

SERVER_TEST(no_function_does_more_than_compute)
{
    static const char *const tries[] = {
        "select pg_sleep(1)", "select pg_read_file('/etc/passwd')",
        "select pg_ls_dir('/')", "select lo_import('/etc/passwd')", "select lo_create(0)",
        "select lo_get(1)", "select set_config('work_mem', '1GB', false)",
        "select current_setting('data_directory')", "select pg_terminate_backend(1)",
        "select pg_cancel_backend(1)",
        "select query_to_xml('delete from pages', true, true, '')",
        "select table_to_xml('audit', true, true, '')", "select nextval('x')",
        "select pg_advisory_lock(1)", "select pg_try_advisory_lock(1)",
        "select pg_notify('x', 'y')", "select txid_current()", "select version()",
        "select pg_backend_pid()", "select inet_server_addr()", "select pg_reload_conf()",
        "select pg_stat_file('/etc/passwd')", "select repeat('x', 1000000000)",
        "select lpad('x', 1000000000)", "select format('%1000000000s', 1)",
        "select * from pg_ls_logdir()", "select * from dblink('x', 'y') t (a int)",
        "select ts_stat('select * from audit')", "select pg_get_viewdef('jobs')",
        "select 1 from pages order by pg_sleep(1)", "select 1 limit pg_sleep(1)::text::int",
        "select sum(1) over (order by pg_sleep(1)::text)",
        "select cursor_to_xml('x', 1, true, true, '')",
        "select has_table_privilege('audit', 'select')",
        "select count(*) filter (where pg_sleep(1) is null) from pages",
        "select array(select pg_sleep(1)::text)", "select weir_ask()",
        "select * from pg_temp.weir_ask() as x (a int)" };
    refuse_all(rig->store, tries, NUMBER_OF(tries));
}

/* A function of the schema is not the server's own, whatever it is called. */
SERVER_TEST(no_function_and_no_operator_of_others_is_called)
{
    CHECK_OK(rig_say(rig, "create function sneak(bigint) returns bigint language sql as 'select"
                     " $1'; create operator !!! (rightarg = bigint, function = sneak);"
                     "create function lower(bigint) returns text language sql as 'select 1';"
                     "create table private (pages text)"));
    CHECK_ERR(WR_INVALID, attempt(rig->store, "select sneak(1)"));
    CHECK(strstr(why.text, "calling sneak is not allowed here"));
    CHECK_ERR(WR_INVALID, attempt(rig->store, "select !!! 1::bigint"));
    CHECK_ERR(WR_INVALID, attempt(rig->store, "select lower(1::bigint)"));
    CHECK_ERR(WR_INVALID, attempt(rig->store, "select null::private"));
    CHECK(strstr(why.text, "a value of the type private"));
}

SERVER_TEST(a_refusal_names_what_was_refused)
{
    CHECK_ERR(WR_INVALID, attempt(rig->store, "select * from audit"));
    CHECK(strstr(why.text, "reading audit is not allowed here"));
    CHECK_ERR(WR_INVALID, attempt(rig->store, "select pg_sleep(1)"));
    CHECK(strstr(why.text, "calling pg_sleep is not"));
    CHECK_ERR(WR_INVALID, attempt(rig->store, "select missing from pages"));
    CHECK_STR("column \"missing\" does not exist", why.text);
}

SERVER_TEST(a_query_is_cut_off_by_its_time)
{
    static const char *const tries[] = {
        "select count(*) from generate_series(1, 100000) a, generate_series(1, 100000) b",
        "with recursive n (i) as (select 1 union all select i + 1 from n) select count(*) from "
        "n",
        "with recursive n (i) as (select 1 union all select i + 1 from n) select i from n where"
        " i < 0"
    };
    for (size_t i = 0; i < NUMBER_OF(tries); i++) {
        struct store_answer answer;
        wr_time began = wr_now();
        CHECK_ERR(WR_TIMEOUT, ask_for(rig->store, tries[i], WR_MS(50), &answer));
        CHECK(wr_now() - began >= WR_MS(50) && wr_now() - began < WR_S(5));
        CHECK(strstr(why.text, "interrupted: at most 50 ms"));
    }
    CHECK_EQ(1, number(rig->store, "select 1"));
}

/* By the caller's own deadline, which the server does not know. */
SERVER_TEST(what_is_cut_off_by_us_is_cancelled_there)
{
    struct store_answer answer;
    struct store_ask ask = { .rows_max = 1, .time_max = WR_S(2), .steps_max = 1,
        .sql = "select count(*) from generate_series(1, 100000) a,"
               " generate_series(1, 100000) b" };
    CHECK_ERR(WR_TIMEOUT, store_select(rig->store, &ask, &answer, &why, wr_after(WR_MS(100))));
    CHECK_EQ(1, number(rig->store, "select 1"));
    CHECK_EQ(0, rig_ask(rig, "select count(*) from pg_stat_activity where state = 'active' and"
                        " query like 'fetch%'"));
}

SERVER_TEST(a_connection_that_was_lost_is_opened_anew)
{
    CHECK_EQ(1, number(rig->store, "select 1"));
    CHECK(rig_ask(rig, "select count(pg_terminate_backend(pid)) from pg_stat_activity"
                  " where query = 'rollback'") >= 1);
    rig_settle();
    CHECK_EQ(1, number(rig->store, "select 1"));
}

SERVER_TEST(many_columns_and_long_statements_are_refused)
{
    static char sql[STORE_ASK_SQL_MAX + 10];
    struct wr_text text = WR_TEXT(sql);
    wr_text_str(&text, "select 1");
    for (int i = 1; i < 100; i++)
        wr_text_str(&text, ",1");
    CHECK_EQ(1, number(rig->store, sql));
    wr_text_str(&text, ",1");
    CHECK_ERR(WR_INVALID, attempt(rig->store, sql));
    CHECK(strstr(why.text, "more than 100 columns"));
    memset(sql, ' ', sizeof(sql) - 1);
    CHECK_ERR(WR_INVALID, attempt(rig->store, sql));
    CHECK(strstr(why.text, "bytes"));
}
