/* pg_schema.c - the tables on a server, by the same steps as in a file.
 *
 * `store_step` has one row: how many steps were taken.  Several nodes may start at once; a lock
 * that ends with the transaction lets one after the other in.
 */
#include <stdio.h>
#include <string.h>

#include "store/pg.h"
#include "store/schema.h"

#define LOCK_NUMBER "6300087"       /* any, as long as it is always the same */

/* The first schema of the path that was asked for, if it does not exist yet. */
static const char begin[] =
    "begin; select pg_advisory_xact_lock(" LOCK_NUMBER ");"
    "do $$ begin if current_schema() is null then"
                            " execute format('create schema %I', trim(both ' \"' from"
                            "  split_part(current_setting('search_path'), ',', 1)));"
                            " end if; end $$;";

/* What statements call the moment: when the server began with this one. */
static const char first[] =
    "create table store_step (taken bigint not null);"
    "insert into store_step (taken) values (0);"
    "create function now_ms() returns bigint language sql stable as"
    " 'select (extract(epoch from statement_timestamp()) * 1000)::bigint';";

static const struct store_verb exists = {
    .name = "store.exists",
    .postgres = "select 'weir_' || md5(current_schema()), to_regclass(quote_ident("
                "current_schema()) || '.store_step') is null",
};
static const struct store_verb taken = {
    .name = "store.taken", .postgres = "select taken from store_step",
};

/* One row, or an error. */
static wr_err ask(struct pg_conn *conn, const struct store_verb *verb, struct store_rows *ret,
                  wr_time deadline)
{
    size_t at;
    struct store_act act = { .verb = verb };
    wr_err err = pg_batch(conn, &(struct store_act *){ &act }, 1, &at, deadline);
    *ret = act.rows;
    return err ? err : ret->count == 1 ? WR_OK : WR_IO;
}

/* How many steps were taken; -1: there is nothing yet. */
static wr_err look(struct pg_conn *conn, char *channel, int64_t *ret, wr_time deadline)
{
    struct store_rows rows;
    wr_err err = ask(conn, &exists, &rows, deadline);
    bool none = false;
    if (!err) {
        snprintf(channel, PG_CHANNEL_MAX, "%s", store_text(&rows, 0, 0));
        none = *store_text(&rows, 0, 1);            /* a boolean is a byte */
    }
    store_rows_free(&rows);
    *ret = -1;
    if (err || none)
        return err;
    err = ask(conn, &taken, &rows, deadline);
    if (!err)
        *ret = store_int(&rows, 0, 0);
    store_rows_free(&rows);
    return err;
}

static wr_err take_steps(struct pg_conn *conn, int64_t from, wr_time deadline)
{
    char text[80];
    wr_err err = from < 0 ? pg_exec(conn, first, deadline) : WR_OK;
    for (size_t i = from < 0 ? 0 : (size_t)from; i < store_step_count && !err; i++)
        err = pg_exec(conn, store_steps[i]->postgres, deadline);
    snprintf(text, sizeof(text), "update store_step set taken = %zu", store_step_count);
    return err ? err : pg_exec(conn, text, deadline);
}

wr_err pg_schema(struct pg_conn *conn, char *ret_channel, struct store_why *why,
                 wr_time deadline)
{
    int64_t steps = 0;
    wr_err err = pg_exec(conn, begin, deadline);
    if (!err)
        err = look(conn, ret_channel, &steps, deadline);
    if (!err && steps > (int64_t)store_step_count) {
        store_say(why, "the tables on the server were made by a newer program: they are at "
                  "step %lld, this one knows %zu; use the newer program", (long long)steps,
                  store_step_count);
        return WR_INVALID;
    }
    if (!err && steps < (int64_t)store_step_count)
        err = take_steps(conn, steps, deadline);
    if (!err)
        err = pg_exec(conn, "commit", deadline);
    if (err == WR_DENIED)
        store_say(why, "cannot make the tables: %.120s; let the user of the url create in this "
                  "schema, or give another one (options=-csearch_path%%3DNAME)", pg_said(conn));
    else if (err)
        store_say(why, "cannot make the tables: %.160s", pg_said(conn));
    return err == WR_EXISTS || err == WR_BUSY ? WR_IO : err;
}
