#include "store/reward.h"

#include <string.h>

#include "store/schema.h"

const struct store_step store_reward_tables = {
    .sqlite =
        "create table run (key text primary key, epoch text not null, state integer not null,"
        "  manifest text, opened_at integer not null, sealed_at integer) strict;"
        "create unique index run_open on run (epoch) where state = 1;"
        "create table intent (seq integer primary key, key text not null unique,"
        "  run text not null, payee text not null, amount text not null, receipt text,"
        "  done_at integer) strict;"
        "create index intent_open on intent (run) where done_at is null;"
        "create table ledger (seq integer primary key, key text not null unique,"
        "  payee text not null, amount text not null, at integer not null) strict;",
    .postgres =
        "create table run (key text primary key, epoch text not null, state bigint not null,"
        "  manifest text, opened_at bigint not null, sealed_at bigint);"
        "create unique index run_open on run (epoch) where state = 1;"
        "create table intent (seq bigint generated always as identity primary key,"
        "  key text not null unique, run text not null, payee text not null,"
        "  amount text not null, receipt text, done_at bigint);"
        "create index intent_open on intent (run) where done_at is null;"
        "create table ledger (seq bigint generated always as identity primary key,"
        "  key text not null unique, payee text not null, amount text not null,"
        "  at bigint not null);",
};

/* An open run of the epoch under another key leaves the row out; the same key is a conflict. */
static const struct store_verb open_run = {
    .name = "run.open", .writes = true,
    .sqlite = { "insert into run (key, epoch, state, opened_at) select ?1, ?2, 1, now_ms()"
                " where not exists (select 1 from run where epoch = ?2 and state = 1"
                " and key <> ?1)" },
    .postgres = "insert into run (key, epoch, state, opened_at)"
                " select ?1::text, ?2::text, 1, now_ms() where not exists (select 1 from run"
                " where epoch = ?2 and state = 1 and key <> ?1)",
};

wr_err store_run_open(struct store *store, const char *key, const char *epoch,
                      wr_time deadline)
{
    wr_err err = store_change_one(store, &open_run, STORE_VALUES(STORE_TEXT(key),
                                                                 STORE_TEXT(epoch)), deadline);
    return err == WR_NOTFOUND ? WR_BUSY : err;
}

static const struct store_verb get = {
    .name = "run.get", .sqlite = { "select state, epoch, manifest from run where key = ?1" },
};

wr_err store_run_get(struct store *store, const char *key, struct store_run *ret,
                     wr_time deadline)
{
    *ret = (struct store_run){ 0 };
    wr_err err = store_do(store, &get, STORE_VALUES(STORE_TEXT(key)), &ret->rows, deadline);
    if (err)
        return err;
    if (ret->rows.count == 0)
        return WR_NOTFOUND;
    ret->state = (enum store_run_state)store_int(&ret->rows, 0, 0);
    ret->epoch = store_text(&ret->rows, 0, 1);
    ret->manifest = store_text(&ret->rows, 0, 2);
    return WR_OK;
}

void store_run_free(struct store_run *run)
{
    store_rows_free(&run->rows);
}

/* The intents first: only those of a run that is open. */
static const struct store_verb seal = {
    .name = "run.seal", .writes = true, .undo = true,
    .sqlite = { "insert into intent (key, run, payee, amount)"
                " select value ->> 'key', ?1, value ->> 'to', value ->> 'amount'"
                " from json_each(?4) where exists (select 1 from run where key = ?1"
                " and state = 1)",
                "update run set state = ?2, manifest = ?3, sealed_at = now_ms()"
                " where key = ?1 and state = 1" },
    .postgres = "with sealed as (update run set state = ?2, manifest = ?3,"
                "  sealed_at = now_ms() where key = ?1 and state = 1 returning key),"
                " wanted as (insert into intent (key, run, payee, amount)"
                "  select one.value ->> 'key', sealed.key, one.value ->> 'to',"
                "  one.value ->> 'amount' from sealed,"
                "  jsonb_array_elements(?4::jsonb) with ordinality as one (value, place)"
                "  order by one.place)"
                " select key from sealed",
};

wr_err store_run_seal(struct store *store, const char *key, enum store_run_state state,
                      const char *manifest, const char *intents, wr_time deadline)
{
    WR_ASSERT(state != STORE_RUN_OPEN);
    if (strlen(manifest) > STORE_RUN_MANIFEST_MAX
        || (intents && strlen(intents) > STORE_RUN_MANIFEST_MAX))
        return WR_INVALID;
    return store_change_one(store, &seal, STORE_VALUES(
        STORE_TEXT(key), STORE_INT(state), STORE_TEXT(manifest),
        STORE_TEXT(intents ? intents : "[]")), deadline);
}

static const struct store_verb list = {
    .name = "intent.list",
    .sqlite = { "select key, payee, amount from intent where run = ?1 and done_at is null"
                " order by seq limit ?2" },
};

wr_err store_intent_list(struct store *store, const char *run, size_t max,
                         struct store_intents *ret, wr_time deadline)
{
    WR_ASSERT(max > 0 && max <= STORE_INTENT_LIST_MAX);
    wr_err err = store_do(store, &list, STORE_VALUES(STORE_TEXT(run), STORE_INT((int64_t)max)),
                          &ret->rows, deadline);
    ret->count = ret->rows.count;
    return err;
}

struct store_intent store_intent_at(const struct store_intents *intents, size_t i)
{
    return (struct store_intent){ .key = store_text(&intents->rows, i, 0),
                                  .to = store_text(&intents->rows, i, 1),
                                  .amount = store_text(&intents->rows, i, 2) };
}

void store_intents_free(struct store_intents *intents)
{
    store_rows_free(&intents->rows);
    intents->count = 0;
}

static const struct store_verb done = {
    .name = "intent.done", .writes = true,
    .sqlite = { "update intent set receipt = ?2, done_at = now_ms()"
                " where key = ?1 and done_at is null" },
};

wr_err store_intent_done(struct store *store, const char *key, const char *receipt,
                         wr_time deadline)
{
    return store_change_one(store, &done, STORE_VALUES(STORE_TEXT(key), STORE_TEXT(receipt)),
                            deadline);
}

static const struct store_verb enter = {
    .name = "ledger.add", .writes = true,
    .sqlite = { "insert into ledger (key, payee, amount, at) values (?1, ?2, ?3, now_ms())" },
};

wr_err store_ledger_add(struct store *store, const struct store_intent *intent,
                        wr_time deadline)
{
    return store_do(store, &enter, STORE_VALUES(
        STORE_TEXT(intent->key), STORE_TEXT(intent->to), STORE_TEXT(intent->amount)), NULL,
        deadline);
}
