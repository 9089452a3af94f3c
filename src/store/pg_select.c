/* pg_select.c - a stranger's statement on a server; see sql_read.h.
 *
 * A server has no authorizer, and a read-only transaction does not keep a select from functions
 * that act.  But it has a parser that can be asked: the statement becomes the body of a
 * temporary function, which is parsed when it is made (begin atomic) and not run.  What was
 * understood is in the catalogue, every relation, function and type by its number (pg_tree.h);
 * these are held against lists.  Then the function itself is called, so that what runs is what
 * was looked at; in the same transaction, which can only read from there on and is rolled back.
 *
 * The server sends values as text, none that is too long and no more bytes than an answer may
 * have: it counts them itself.
 *
 * Each of a few connections has one statement at a time.  One whose statement was cut off is
 * not used before the server has said that it is over: a function that computes for long in
 * one go does not notice a cancel, and so there are never more of them than connections.
 */
#include <errno.h>
#include <libpq-fe.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/pg.h"
#include "store/pg_fault.h"
#include "store/pg_tree.h"

#define COLUMNS_MAX 100
#define TREE_MAX "4194304"          /* bytes of what was understood */
#define LIST_MAX 4096               /* bytes of PG_TREE_IDS_MAX numbers */
#define TEXT_MAX (64 << 10)         /* of statements of ours */
#define GRACE WR_MS(500)            /* for all that is done beside the statement */
#define SETTLE_MAX WR_S(1)

enum { BOOL = 16, BYTEA = 17, INT8 = 20, INT2 = 21, INT4 = 23, FLOAT4 = 700, FLOAT8 = 701,
       NUMERIC = 1700 };

struct asking {
    struct pg_conn *conn;
    const struct store_ask *ask;
    struct store_answer *ret;
    struct store_why *why;
    wr_time until;
    PGresult *names;                /* and types, of its columns */
    struct pg_tree *tree;
    char *columns;                  /* "c1 text, c2 bigint" */
};

/* ---- what may be read and called ---- */

/* A table that is read is ours; so is now_ms.  Functions are those of the server's own that
 * compute, and whatever stands behind its operators and casts.  Not among them, since they take
 * much more time or memory than their arguments have bytes: repeat, lpad, format, replace,
 * strpos, split_part, translate. */
#define TABLES "claims,domain_override_rules,edges,embeddings,fragments,intervention_queue," \
    "jobs,nli_corrections,pages,queries,resource_index,serp_items,task_pages,tasks," \
    "work_authors,work_identifiers,works"
#define FUNCTIONS \
    "abs,age,any_value,array_agg,array_append,array_cat,array_length," \
    "array_lower,array_position,array_prepend,array_remove,array_to_string,array_upper,ascii," \
    "avg,bool_and,bool_or,btrim,cardinality,ceil,ceiling,char_length,character_length,chr," \
    "clock_timestamp,concat,concat_ws,corr,count,cume_dist,date,date_bin,date_part,date_" \
    "trunc," \
    "decode,dense_rank,encode,every,exp,extract,first_value,floor,gcd,generate_series," \
    "initcap," \
    "json_agg,json_array_elements,json_array_elements_text,json_array_length," \
    "json_build_array,json_build_object,json_each,json_each_text,json_extract_path," \
    "json_extract_path_text,json_object_agg,json_object_keys,json_typeof,jsonb_agg," \
    "jsonb_array_elements,jsonb_array_elements_text,jsonb_array_length,jsonb_build_array," \
    "jsonb_build_object,jsonb_each,jsonb_each_text,jsonb_extract_path," \
    "jsonb_extract_path_text,jsonb_object_agg,jsonb_object_keys,jsonb_typeof,justify_days," \
    "justify_hours,justify_interval,lag,last_value,lead,left,length,ln,log,log10,lower,ltrim," \
    "make_date,make_interval,max,md5,min,mod,mode,now,nth_value,ntile,octet_length,overlay," \
    "percent_rank,percentile_cont,percentile_disc,phraseto_tsquery,pi,plainto_tsquery,pow," \
    "power,random,rank,regexp_count,regexp_instr,regexp_like,regexp_match,regexp_matches," \
    "regexp_replace,regexp_split_to_array,regexp_split_to_table,regexp_substr,reverse,right," \
    "round,row_number,row_to_json,rtrim,sign,sqrt,statement_timestamp,stddev,stddev_pop," \
    "stddev_samp,string_agg,string_to_array,substr,substring,sum,timezone,to_char,to_date," \
    "to_json,to_jsonb,to_number,to_timestamp,to_tsquery,to_tsvector,transaction_timestamp," \
    "trunc,ts_headline,ts_rank,ts_rank_cd,unnest,upper,var_pop,var_samp,variance," \
    "websearch_to_tsquery"
#define TYPES "bool,bpchar,bytea,char,date,float4,float8,int2,int4,int8,interval,json,jsonb," \
    "name,numeric,record,regconfig,text,time,timestamp,timestamptz,timetz,tsquery,tsvector," \
    "unknown,uuid,varchar"

/* The first thing that is not on a list, or NULL; and what to call the columns.  What is not
 * there any more is not on a list. */
static const char look[] =
    "select (select 'reading ' || coalesce(c.relname, 'what is gone')"
    " from unnest($1::oid[]) x left join pg_class c on c.oid = x"
    " where (c.relnamespace = current_schema()::regnamespace"
    "  and c.relname = any(string_to_array('" TABLES "', ','))) is not true limit 1),"
    "(select 'calling ' || coalesce(p.proname, 'what is gone')"
    " from unnest($2::oid[]) x left join pg_proc p on p.oid = x"
    " where (p.pronamespace = current_schema()::regnamespace and p.proname = 'now_ms')"
    "  is not true and (p.pronamespace = 'pg_catalog'::regnamespace"
    "  and (p.proname = any(string_to_array('" FUNCTIONS "', ','))"
    "   or exists (select from pg_cast where castfunc = x)"
    "   or (p.provolatile <> 'v' and exists (select from pg_operator where oprcode = x))))"
    "  is not true limit 1),"
    "(select 'a value of the type ' || coalesce(t.typname, 'that is gone')"
    " from unnest($3::oid[]) x left join pg_type t on t.oid = x"
    " left join pg_type e on e.oid = t.typelem and t.typlen = -1"
    " left join pg_class c on c.oid = greatest(t.typrelid, e.typrelid)"
    " where (t.typnamespace = 'pg_catalog'::regnamespace"
    "  and coalesce(e.typname, t.typname) = any(string_to_array('" TYPES "', ',')))"
    "  is not true and (c.relnamespace = current_schema()::regnamespace"
    "  and c.relname = any(string_to_array('" TABLES "', ','))) is not true limit 1),"
    "(select string_agg('c' || i || ' ' || format_type(x, -1), ', ' order by i)"
    " from unnest($4::oid[]) with ordinality u (x, i))";

/* ---- what the server says ---- */

static wr_err wrong(struct asking *asking, const char *text)
{
    store_say(asking->why, "%s", text);
    return WR_INVALID;
}

static wr_err cut_off(struct asking *asking)
{
    store_say(asking->why, "the query was interrupted: at most %lld ms are allowed; read fewer "
              "rows, or ask for more time", (long long)(asking->ask->time_max / WR_MS(1)));
    return WR_TIMEOUT;
}

/* It is not the statement's fault when the server goes away or has a fault of its own. */
static wr_err say_fault(struct asking *asking, const PGresult *result)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    wr_err err = pg_fault_of(state);
    if (err == WR_TIMEOUT)
        return cut_off(asking);
    store_say(asking->why, "%.200s", text ? text : "the server was lost");
    if (err == WR_BUSY)
        return err;
    bool own = !state || strncmp(state, "08", 2) == 0 || strncmp(state, "57", 2) == 0
        || strncmp(state, "58", 2) == 0 || strncmp(state, "XX", 2) == 0;
    return own ? WR_IO : WR_INVALID;
}

/* The connection's own failures, in words. */
static wr_err say_lost(struct asking *asking, wr_err err)
{
    if (err == WR_TIMEOUT)
        return cut_off(asking);
    store_say(asking->why, "%.200s", pg_said(asking->conn));
    return err;
}

/* One statement of ours; its rows are the caller's to clear. */
static wr_err do_one(struct asking *asking, const char *sql, const char *const *values,
                     int count, PGresult **ret)
{
    wr_err err = pg_query(asking->conn, sql, values, count, ret, asking->until);
    if (err)
        return say_lost(asking, err);
    ExecStatusType status = PQresultStatus(*ret);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
        return WR_OK;
    err = say_fault(asking, *ret);
    PQclear(*ret);
    *ret = NULL;
    return err;
}

static wr_err do_plain(struct asking *asking, const char *sql)
{
    PGresult *result = NULL;
    wr_err err = do_one(asking, sql, NULL, 0, &result);
    PQclear(result);
    return err;
}

/* ---- what it would do ---- */

static wr_err begin(struct asking *asking)
{
    char sql[500];
    long long limit = asking->ask->time_max / WR_MS(1);
    snprintf(sql, sizeof(sql), "begin; set local statement_timeout = %lld;"
             " set local lock_timeout = %lld; set local work_mem = '%dkB';"
             " set local jit = off; set local max_parallel_workers_per_gather = 0;"
             " set local bytea_output = 'hex'; set local extra_float_digits = 1;"
             " set local datestyle = 'ISO'; set local timezone = 'UTC'",
             limit ? limit : 1, limit ? limit : 1, STORE_ASK_MEMORY_MAX >> 12);
    wr_err err = pg_exec(asking->conn, sql, asking->until);
    return err ? say_lost(asking, err) : WR_OK;
}

static wr_err describe(struct asking *asking)
{
    PGresult *names = NULL;
    wr_err err = pg_describe(asking->conn, asking->ask->sql, &names, asking->until);
    asking->names = names;
    if (err)
        return say_lost(asking, err);
    if (PQresultStatus(names) != PGRES_COMMAND_OK)
        return say_fault(asking, names);
    if (PQnfields(names) == 0)
        return wrong(asking, "the statement is no select: write one select");
    if (PQnfields(names) > COLUMNS_MAX)
        return wrong(asking, "the statement has more than 100 columns: ask for fewer");
    return WR_OK;
}

/* Have it parsed as the body of a function, and read what was understood. */
static wr_err understand(struct asking *asking)
{
    static const char read[] =
        "select prosqlbody::text from pg_proc where proname = 'weir_ask' and pronamespace ="
        " pg_my_temp_schema() and octet_length(prosqlbody::text) <= " TREE_MAX;
    struct wr_text sql = wr_text_heap(STORE_ASK_SQL_MAX + 200);
    PGresult *tree = NULL;
    wr_text_str(&sql, "create function pg_temp.weir_ask() returns setof record language sql "
                "stable begin atomic\n");
    wr_text_str(&sql, asking->ask->sql);
    wr_text_str(&sql, "\n;end");
    wr_err err = sql.cut ? WR_NOMEM : do_plain(asking, sql.at);
    if (!err)
        err = do_one(asking, read, NULL, 0, &tree);
    if (!err && PQntuples(tree) == 0)
        err = wrong(asking, "the statement is too long: write a shorter one");
    if (!err)
        err = pg_tree_read(&asking->tree, PQgetvalue(tree, 0, 0), asking->why);
    PQclear(tree);
    wr_text_free(&sql);
    return err;
}

static void write_ids(struct wr_text *text, const struct pg_ids *ids)
{
    wr_text_str(text, "{");
    for (size_t i = 0; i < ids->count; i++)
        wr_text_format(text, "%s%u", i ? "," : "", ids->ids[i]);
    wr_text_str(text, "}");
}

/* Hold it against the lists. */
static wr_err allow(struct asking *asking)
{
    const struct pg_tree *tree = asking->tree;
    struct pg_ids columns = { .count = (size_t)PQnfields(asking->names) };
    struct wr_text lists[4];
    const char *values[4];
    PGresult *result = NULL;
    for (size_t i = 0; i < columns.count; i++)
        columns.ids[i] = PQftype(asking->names, (int)i);
    const struct pg_ids *ids[] = { &tree->relations, &tree->functions, &tree->types, &columns };
    wr_err err = WR_OK;
    for (size_t i = 0; i < 4; i++) {
        lists[i] = wr_text_heap(LIST_MAX);
        write_ids(&lists[i], ids[i]);
        values[i] = lists[i].at;
        err = lists[i].cut ? WR_NOMEM : err;
    }
    if (!err)
        err = do_one(asking, look, values, 4, &result);
    for (int i = 0; i < 3 && !err; i++)
        if (!PQgetisnull(result, 0, i)) {
            store_say(asking->why, "%.80s is not allowed here: one select over the tables of "
                      "research, tasks and jobs, with functions that only compute",
                      PQgetvalue(result, 0, i));
            err = WR_INVALID;
        }
    if (!err) {
        asking->columns = strdup(PQgetvalue(result, 0, 3));
        err = asking->columns ? WR_OK : WR_NOMEM;
    }
    PQclear(result);
    for (size_t i = 0; i < 4; i++)
        wr_text_free(&lists[i]);
    return err;
}

/* ---- what comes of it ---- */

/* Every column, with this before, after and between them. */
static void write_each(struct wr_text *sql, int count, const char *between, const char *before,
                       const char *after)
{
    for (int i = 1; i <= count; i++)
        wr_text_format(sql, "%s%sc%d%s", i > 1 ? between : "", before, i, after);
}

/* Values as text, their longest, and whether they fit in: what does not is left out by the
 * server. */
static wr_err declare(struct asking *asking)
{
    struct wr_text sql = wr_text_heap(TEXT_MAX);
    int count = PQnfields(asking->names);
    wr_text_str(&sql, "declare weir_rows no scroll cursor for select longest, fits, ");
    write_each(&sql, count, ", ", "case when fits then ", " end");
    wr_text_format(&sql, " from (select *, longest <= %d and sum(bytes) over (rows unbounded "
                   "preceding) - bytes <= %d as fits from (select *, coalesce(greatest(",
                   STORE_ASK_VALUE_MAX, STORE_ASK_BYTES_MAX);
    write_each(&sql, count, ", ", "octet_length(", ")");
    wr_text_str(&sql, "), 0) as longest, ");
    write_each(&sql, count, " + ", "coalesce(octet_length(", "), 0)");
    wr_text_str(&sql, " as bytes from (select ");
    for (int i = 1; i <= count; i++)
        wr_text_format(&sql, "%sc%d::text", i > 1 ? ", " : "", i);
    wr_text_format(&sql, " from pg_temp.weir_ask() as asked (%s)) texts) sizes) sums",
                   asking->columns);
    wr_err err = sql.cut ? WR_NOMEM : do_plain(asking, sql.at);
    wr_text_free(&sql);
    return err;
}

static void take_real(const char *text, struct rows *rows)
{
    double real = strtod(text, NULL);
    if (isfinite(real))
        rows_real(rows, real);
    else
        rows_null(rows);
}

static void take_number(const char *text, struct rows *rows)
{
    char *end;
    errno = 0;
    long long whole = strtoll(text, &end, 10);
    if (!*end && end > text && !errno)
        rows_int(rows, whole);
    else
        take_real(text, rows);
}

static void take_value(Oid type, const char *text, size_t len, struct rows *rows)
{
    switch (type) {
    case BOOL: rows_int(rows, *text == 't'); break;
    case INT2:
    case INT4:
    case INT8:
    case NUMERIC: take_number(text, rows); break;
    case FLOAT4:
    case FLOAT8: take_real(text, rows); break;
    case BYTEA: rows_bytes(rows, STORE_IS_TEXT, text + 2, len - 2); break;
    default: rows_bytes(rows, STORE_IS_TEXT, text, len); break;
    }
}

static wr_err take_rows(struct asking *asking, const PGresult *found)
{
    struct rows rows = { 0 };
    struct store_answer *ret = asking->ret;
    int columns = PQnfields(asking->names);
    for (int row = 0; row < PQntuples(found) && !ret->truncated; row++) {
        bool fits = *PQgetvalue(found, row, 1) == 't';
        if (!fits && atoll(PQgetvalue(found, row, 0)) > STORE_ASK_VALUE_MAX) {
            rows.err = WR_INVALID;
            store_say(asking->why, "a value has %s bytes, at most %d are allowed: cut it with "
                      "left()", PQgetvalue(found, row, 0), STORE_ASK_VALUE_MAX);
            break;
        }
        ret->truncated = !fits || (size_t)row == asking->ask->rows_max;
        for (int i = 0; i < columns && !ret->truncated; i++)
            if (PQgetisnull(found, row, i + 2))
                rows_null(&rows);
            else
                take_value(PQftype(asking->names, i), PQgetvalue(found, row, i + 2),
                           (size_t)PQgetlength(found, row, i + 2), &rows);
    }
    return rows_done(&rows, (size_t)columns, &ret->rows);
}

static wr_err take_names(struct asking *asking)
{
    struct rows rows = { 0 };
    int columns = PQnfields(asking->names);
    for (int i = 0; i < columns; i++) {
        const char *name = PQfname(asking->names, i);
        rows_bytes(&rows, STORE_IS_TEXT, name, strlen(name));
    }
    return rows_done(&rows, (size_t)columns, &asking->ret->names);
}

static wr_err fetch(struct asking *asking)
{
    char sql[60];
    PGresult *found = NULL;
    snprintf(sql, sizeof(sql), "fetch %zu from weir_rows", asking->ask->rows_max + 1);
    wr_err err = do_one(asking, sql, NULL, 0, &found);
    if (!err)
        err = take_names(asking);
    if (!err)
        err = take_rows(asking, found);
    PQclear(found);
    return err;
}

static wr_err answer(struct asking *asking)
{
    wr_err err = begin(asking);
    if (!err)
        err = describe(asking);
    if (!err)
        err = understand(asking);
    if (!err)
        err = allow(asking);
    if (!err)
        err = do_plain(asking, "set transaction read only");
    if (!err)
        err = declare(asking);
    if (!err)
        err = fetch(asking);
    PQclear(asking->names);
    free(asking->tree);
    free(asking->columns);
    return err;
}

/* ---- by what connection ---- */

static struct pg_asker *take(struct pg *self)
{
    struct pg_asker *found = NULL;
    wr_mutex_lock(&self->guard);
    for (size_t i = 0; i < STORE_ASKS_MAX; i++) {
        struct pg_asker *one = &self->askers[i];
        if (!one->taken && (!found || (one->conn && !pg_failed(one->conn))))
            found = one;
    }
    WR_ASSERT(found);
    found->taken = true;
    wr_mutex_unlock(&self->guard);
    return found;
}

static void give(struct pg *self, struct pg_asker *asker)
{
    if (asker->conn)
        pg_rest(asker->conn);
    wr_mutex_lock(&self->guard);
    asker->taken = false;
    wr_mutex_unlock(&self->guard);
}

/* What was cut off is over, or goes on and is left to it.  Errors: TIMEOUT, CANCELED. */
static wr_err settle(struct pg_asker *asker, wr_time deadline)
{
    wr_time soon = wr_after(SETTLE_MAX);
    wr_time until = deadline < soon ? deadline : soon;
    pg_cancel(asker->conn, until);
    wr_err err = pg_settle(asker->conn, until);
    if (err == WR_TIMEOUT || err == WR_CANCELED)
        return err;
    if (err || pg_exec(asker->conn, "rollback", until)) {
        pg_close(asker->conn);
        asker->conn = NULL;
    }
    return WR_OK;
}

static wr_err make_ready(struct pg *self, struct pg_asker *asker, struct store_why *why,
                         wr_time deadline)
{
    if (asker->conn && pg_failed(asker->conn) && settle(asker, deadline)) {
        store_say(why, "the server is still at work on earlier statements, which were cut off: "
                  "ask again later");
        return WR_BUSY;
    }
    if (asker->conn && !pg_alive(asker->conn)) {
        pg_close(asker->conn);
        asker->conn = NULL;
    }
    return asker->conn ? WR_OK : pg_open(&asker->conn, self->url, &(struct pg_limits){ 0 }, why,
                                         deadline);
}

wr_err pg_select(void *engine, const struct store_ask *ask, struct store_answer *ret,
                 struct store_why *why, wr_time deadline)
{
    struct pg *self = engine;
    struct pg_asker *asker = take(self);
    wr_err err = make_ready(self, asker, why, deadline);
    if (!err) {
        wr_time limit = wr_after(ask->time_max + GRACE);
        struct asking asking = { .conn = asker->conn, .ask = ask, .ret = ret, .why = why,
                                 .until = limit < deadline ? limit : deadline };
        err = answer(&asking);
        if (pg_failed(asker->conn) || pg_exec(asker->conn, "rollback", wr_after(SETTLE_MAX)))
            (void)!settle(asker, WR_NEVER);
    }
    give(self, asker);
    return err;
}
