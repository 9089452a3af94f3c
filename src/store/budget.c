#include "store/budget.h"

#include "store/schema.h"
#include "store/verb.h"

const struct store_step store_budget_tables = {
    .sqlite = "create table budget (name text primary key, free_us integer not null) strict;",
    .postgres = "create table budget (name text primary key, free_us bigint not null);",
};

/* In microseconds, of the millisecond that follows: no turn begins before it was asked for.
 * The row holds the moment of whichever is later, the end of the last turn or now. */
#define NOW_US "(now_ms() + 1) * 1000"

static const struct store_verb take = {
    .name = "budget.take", .writes = true,
    .sqlite = { "insert into budget (name, free_us) values (?1, " NOW_US " + ?2)"
                " on conflict (name) do update set free_us ="
                " case when budget.free_us > " NOW_US " then budget.free_us else " NOW_US " end"
                " + ?2 returning free_us - ?2 - " NOW_US },
};

wr_err store_budget_take(struct store *store, const char *name, wr_time interval,
                         uint32_t turns, wr_time spare, wr_time *ret_from, wr_time deadline)
{
    WR_ASSERT(interval >= WR_US(1) && turns > 0 && turns <= STORE_BUDGET_TURNS_MAX);
    struct store_rows rows;
    int64_t span_us = (interval * turns + spare + WR_US(1) - 1) / WR_US(1);
    wr_err err = store_do(store, &take, STORE_VALUES(STORE_TEXT(name), STORE_INT(span_us)),
                          &rows, deadline);
    if (err)
        return err;
    *ret_from = wr_after(WR_US(store_int(&rows, 0, 0)) + WR_MS(1));
    store_rows_free(&rows);
    return WR_OK;
}

static const struct store_verb pause_all = {
    .name = "budget.pause", .writes = true,
    .sqlite = { "insert into budget (name, free_us) values (?1, " NOW_US " + ?2)"
                " on conflict (name) do update set free_us = excluded.free_us"
                " where budget.free_us < excluded.free_us" },
};

wr_err store_budget_pause(struct store *store, const char *name, wr_time span, wr_time deadline)
{
    return store_do(store, &pause_all, STORE_VALUES(
        STORE_TEXT(name), STORE_INT(span / WR_US(1))), NULL, deadline);
}
