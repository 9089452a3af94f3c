#include "store/sql_read.h"

#include "store/job.h"
#include "base/text.h"
#include "testing/evidence_rig.h"

#define ENDLESS "with recursive n(i) as (select 1 union all select i + 1 from n)"
#define FIVE_THOUSAND "with recursive n(i) as (select 1 union all select i + 1 from n" \
    " limit 5000)"

static struct store_why why;

static wr_err ask_all(struct store *store, const struct store_ask *ask,
                      struct store_answer *ret)
{
    return store_select(store, ask, ret, &why, wr_after(WR_S(30)));
}

static wr_err ask(struct store *store, const char *sql, struct store_answer *ret)
{
    return ask_all(store, &(struct store_ask){ .sql = sql, .rows_max = 50,
        .time_max = WR_S(2), .steps_max = 500000 }, ret);
}

/* What comes of it, when nothing is expected back. */
static wr_err attempt(struct store *store, const char *sql)
{
    struct store_answer answer;
    wr_err err = ask(store, sql, &answer);
    if (!err)
        printf("# %s\n", sql);
    CHECK_EQ(err ? 0 : 1, answer.names.count);
    store_answer_free(&answer);
    return err;
}

static int64_t number(struct store *store, const char *sql)
{
    struct store_answer answer;
    if (!CHECK_OK(ask(store, sql, &answer))) {
        printf("# %s: %s\n", sql, why.text);
        return -1;
    }
    int64_t value = answer.rows.count ? store_int(&answer.rows, 0, 0) : -1;
    store_answer_free(&answer);
    return value;
}

static void tea(struct store *store)
{
    rig_page(store, &(struct rig_page){ .url = "http://a.test/1", .task = "t",
        .title = "About; tea", .fragments = { "Tea is hot.", "Ice is cold." },
        .claims = { "Tea is hot" } });
}

LOCAL_TEST(an_answer_has_names_and_values_of_each_kind)
{
    struct store_answer answer;
    tea(store);
    CHECK_OK(ask(store, "select title, http_status as status, 0.5, null, x'00ff' from pages",
                 &answer));
    CHECK_EQ(1, answer.rows.count);
    CHECK_STR("title", store_text(&answer.names, 0, 0));
    CHECK_STR("status", store_text(&answer.names, 0, 1));
    CHECK_STR("About; tea", store_text(&answer.rows, 0, 0));
    CHECK_EQ(200, store_int(&answer.rows, 0, 1));
    CHECK(store_real(&answer.rows, 0, 2) == 0.5);
    CHECK_EQ(STORE_IS_NULL, store_value_at(&answer.rows, 0, 3).type);
    CHECK_STR("00ff", store_text(&answer.rows, 0, 4));
    CHECK(!answer.truncated);
    store_answer_free(&answer);
}

LOCAL_TEST(rows_beyond_the_limit_are_left_out_and_said_to_be)
{
    struct store_answer answer;
    struct store_ask two = { .rows_max = 2, .time_max = WR_S(1), .steps_max = 100000,
        .sql = "select value from json_each('[1,2,3]') limit 100" };
    CHECK_OK(ask_all(store, &two, &answer));
    CHECK_EQ(2, answer.rows.count);
    CHECK(answer.truncated);
    store_answer_free(&answer);
    two.rows_max = 3;
    CHECK_OK(ask_all(store, &two, &answer));
    CHECK_EQ(3, answer.rows.count);
    CHECK(!answer.truncated);
    store_answer_free(&answer);
}

LOCAL_TEST(an_answer_has_a_bound_of_bytes)
{
    struct store_answer answer;
    CHECK_OK(ask(store, "with recursive n(i) as (select 1 union all select i + 1 from n limit"
                 " 50) select hex(zeroblob(50000)) from n", &answer));
    CHECK_EQ(11, answer.rows.count);
    CHECK(answer.truncated);
    store_answer_free(&answer);
}

LOCAL_TEST(what_people_ask_is_answered)
{
    tea(store);
    CHECK_EQ(2, number(store, "select count(*) from fragments"));
    CHECK_EQ(1, number(store, "select count(*) from fragments_fts where fragments_fts match"
                       " 'tea OR nothing'"));
    CHECK_EQ(1, number(store, "select f.position from fragments_fts join fragments f on f.seq ="
                       " fragments_fts.rowid where fragments_fts match 'cold' order by rank"));
    CHECK_EQ(1, number(store, "with c as (select * from claims) select count(*) from c;"));
    CHECK_EQ(1, number(store, "-- a comment; with a semicolon\n select count(*) from edges"
                       " where relation = 'origin' /* ; */ ; -- end"));
    CHECK_EQ(3, number(store, "select length(replace('a;DROP', ';drop', '')) / 2"));
    CHECK_EQ(0, number(store, "select count(*) from tasks"));
    CHECK_EQ(5, number(store, "values (5)"));
}

STORE_TEST(jobs_are_seen_open_and_finished_with_words_for_their_states)
{
    struct store_answer answer;
    struct store_jobs jobs;
    CHECK_OK(store_job_add(store, &(struct store_job_new){ .id = "j1", .task = "t",
        .kind = "k", .slot = "s" }, SOON));
    CHECK_OK(store_job_add(store, &(struct store_job_new){ .id = "j2", .task = "t",
        .kind = "k", .slot = "s" }, SOON));
    CHECK_OK(store_job_claim(store, &(struct store_job_claim){
        .slot = "s", .max = 1, .lease = WR_S(5) }, &jobs, SOON));
    CHECK_OK(store_job_finish(store, "j1", jobs.jobs[0].attempt, &(struct store_job_end){
        .state = STORE_JOB_FAILED, .error = "no" }, SOON));
    store_jobs_free(&jobs);
    CHECK_OK(ask(store, "select id, state, error_message from jobs where task_id = 't'"
                 " order by id", &answer));
    CHECK_EQ(2, answer.rows.count);
    CHECK_STR("failed", store_text(&answer.rows, 0, 1));
    CHECK_STR("no", store_text(&answer.rows, 0, 2));
    CHECK_STR("queued", store_text(&answer.rows, 1, 1));
    store_answer_free(&answer);
}

LOCAL_TEST(nothing_that_changes_anything_is_done)
{
    static const char *const tries[] = {
        "insert into pages (id, url, domain, created_at) values ('x', 'x', 'x', 1)",
        "update pages set title = 'x'", "delete from pages", "drop table pages",
        "create table x (y)", "create temp table x (y)", "create temp view x as select 1",
        "alter table pages add column x", "attach 'x.db' as x", "detach main", "vacuum",
        "vacuum into '/tmp/x'", "reindex", "analyze", "begin", "commit", "savepoint x",
        "pragma query_only = off", "pragma user_version", "pragma data_version",
        "with x as (select 1) delete from pages", "replace into pages (id) values ('x')",
        "with x as (select 1) insert into pages (id) select * from x",
        "insert into fragments_fts (fragments_fts) values ('rebuild')",
        "insert into fragments_fts (fragments_fts) values ('delete-all')",
        "explain select 1", "explain query plan select 1" };
    tea(store);
    for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++)
        CHECK_ERR(WR_INVALID, attempt(store, tries[i]));
    CHECK_EQ(1, number(store, "select count(*) from pages where title = 'About; tea'"));
    CHECK_EQ(2, number(store, "select count(*) from fragments_fts"));
    tea(store);
    rig_page(store, &(struct rig_page){ .url = "http://b.test/1" });
    CHECK_EQ(2, number(store, "select count(*) from pages"));
}

LOCAL_TEST(nothing_else_is_read)
{
    static const char *const tries[] = {
        "select * from audit", "select count(*) from audit", "select count(*) from AUDIT",
        "select * from once", "select 1 from cache_row", "select * from blob",
        "select * from job", "select * from job_done", "select * from sqlite_schema",
        "select * from sqlite_master", "select count(*) from sqlite_schema",
        "select count(*) from sqlite_temp_master", "select * from main.ledger",
        "select (select max(number) from audit)", "select * from pages join audit",
        "with pages as (select * from audit) select * from pages",
        "select * from pages where exists (select 1 from audit)",
        "select id from pages union select type from audit",
        "select * from fragments_fts_data", "select count(*) from claims_fts_config",
        "select * from pragma_table_info('audit')", "select count(*) from pragma_table_list",
        "select * from pragma_database_list", "select * from dbstat",
        "select * from sqlite_dbpage", "select count(*) from sqlite_dbpage",
        "select * from bytecode('select 1')", "select * from probe" };
    tea(store);
    for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++)
        CHECK_ERR(WR_INVALID, attempt(store, tries[i]));
}

LOCAL_TEST(no_function_does_more_than_compute)
{
    static const char *const tries[] = {
        "select load_extension('x')", "select readfile('/etc/passwd')",
        "select writefile('/tmp/x', 'y')", "select edit('x')", "select fts5()",
        "select sqlite_compileoption_get(1)", "select sqlite_version()",
        "select last_insert_rowid()", "select changes()", "select trim('a', 'b')",
        "select json_patch('{}', '{}')", "select fts3_tokenizer('x')",
        "select printf('%.*c', 900000000, 'x')", "select format('%.*c', 900000000, 'x')" };
    for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++)
        CHECK_ERR(WR_INVALID, attempt(store, tries[i]));
}

STORE_TEST(one_statement_is_enough)
{
    static const char *const tries[] = {
        "", " ", ";", "-- nothing", "/* nothing */", "values (1); values (2)",
        "select 1; select 2", "select 1; delete from pages", "select ';'; select 1", "select",
        "select 'open", "select 1 /* open */ from", "selec 1" };
    for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++)
        CHECK_ERR(WR_INVALID, attempt(store, tries[i]));
    CHECK_EQ(1, number(store, "select 1;"));
    CHECK_EQ(1, number(store, "select 1 where ';' = ';'; ; -- ;"));
}

LOCAL_TEST(a_refusal_names_what_was_refused)
{
    CHECK_ERR(WR_INVALID, attempt(store, "select * from audit"));
    CHECK(strstr(why.text, "reading audit"));
    CHECK_ERR(WR_INVALID, attempt(store, "select load_extension('x')"));
    CHECK(strstr(why.text, "load_extension"));
    CHECK_ERR(WR_INVALID, attempt(store, "select missing from pages"));
    CHECK(strstr(why.text, "no such column: missing"));
}

LOCAL_TEST(a_query_that_does_not_end_is_cut_off)
{
    static const char *const tries[] = {
        ENDLESS " select count(*) from n",
        ENDLESS " select i from n"
        " where i < 0",
        "with recursive n(i) as (select 1 union all select i + 1 from n"
        " limit 100000)"
        " select count(*) from n a, n b, n c" };
    for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
        CHECK_ERR(WR_TIMEOUT, attempt(store, tries[i]));
        CHECK(strstr(why.text, "interrupted"));
    }
    tea(store);
    CHECK_EQ(1, number(store, "select count(*) from pages"));
}

/* By the real clock: in the virtual one no time passes while a statement runs. */
static wr_err ask_in_a_hurry(void *arg)
{
    struct store_rig rig;
    struct store_answer answer;
    unsigned long long steps = 0;
    (void)arg;
    rig_folder(&rig);
    CHECK_OK(rig_open(&rig));
    CHECK_ERR(WR_TIMEOUT, ask_all(rig.store, &(struct store_ask){ .rows_max = 1,
        .time_max = WR_MS(1), .steps_max = STORE_ASK_STEPS_MAX,
        .sql = ENDLESS
               " select count(*) from n" }, &answer));
    CHECK_EQ(1, sscanf(why.text, "the query was interrupted after %llu", &steps));
    CHECK(steps > 0 && steps < STORE_ASK_STEPS_MAX);
    rig_shut(&rig);
    rig_remove(&rig);
    return WR_OK;
}

TEST_PLAIN(a_query_is_cut_off_by_the_clock_too)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, ask_in_a_hurry, NULL));
}

LOCAL_TEST(what_would_fill_the_memory_is_refused)
{
    static const char *const tries[] = {
        "select length(zeroblob(1000000000))", "select length(randomblob(1000000))",
        "select replace(hex(zeroblob(50000)), '0', 'xxxxxxxxxx')",
        FIVE_THOUSAND
        " select length(group_concat(hex(zeroblob(500)))) from n",
        FIVE_THOUSAND
        " select i from n order by randomblob(100000)",
        "with recursive n(x) as (select zeroblob(100000) union"
        " select randomblob(100000) from n)"
        " select count(*) from n" };
    for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++)
        CHECK_ERR(WR_INVALID, attempt(store, tries[i]));
    CHECK(strstr(why.text, "64 MB"));
    tea(store);
    CHECK_EQ(1, number(store, "select count(*) from pages"));
}

LOCAL_TEST(deep_and_long_statements_are_refused)
{
    static char sql[STORE_ASK_SQL_MAX + 10];
    struct wr_text text = WR_TEXT(sql);
    wr_text_str(&text, "select ");
    for (int i = 0; i < 500; i++)
        wr_text_str(&text, "(");
    wr_text_str(&text, "1");
    for (int i = 0; i < 500; i++)
        wr_text_str(&text, ")");
    CHECK_ERR(WR_INVALID, attempt(store, sql));
    memset(sql, ' ', sizeof(sql) - 1);
    sql[sizeof(sql) - 1] = '\0';
    CHECK_ERR(WR_INVALID, attempt(store, sql));
    CHECK(strstr(why.text, "bytes"));
}

/* Units are taken as by those who ask: nobody can tell when a statement is under way. */
STORE_TEST(no_more_are_answered_at_a_time_than_may)
{
    struct store_answer answer;
    CHECK_OK(wr_sem_acquire_many(store->asking, STORE_ASKS_MAX, WR_NOW));
    wr_time began = wr_now();
    struct store_ask one = { .sql = "select 1", .rows_max = 1, .time_max = WR_S(1),
                             .steps_max = 1000 };
    CHECK_ERR(WR_BUSY, store_select(store, &one, &answer, &why, wr_after(WR_MS(20))));
    CHECK(wr_now() - began >= WR_MS(20));
    CHECK(strstr(why.text, "4 statements are being answered"));
    wr_sem_release(store->asking);
    CHECK_EQ(1, number(store, "select 1"));
    CHECK_EQ(STORE_ASKS_MAX - 1, wr_sem_stat(store->asking).taken);
    CHECK_ERR(WR_INVALID, attempt(store, "select"));
    CHECK_EQ(STORE_ASKS_MAX - 1, wr_sem_stat(store->asking).taken);
    wr_sem_release_many(store->asking, STORE_ASKS_MAX - 1);
}
