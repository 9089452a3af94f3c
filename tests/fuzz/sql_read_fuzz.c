/* sql_read_fuzz.c - any bytes as a stranger's statement: an answer, or a sentence why not.
 *
 * Whatever it is: no row and no table is changed, the steps stay within the budget, an answer
 * has its bounds, and the store works afterwards.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>
#include <weir/run.h>

#include "store/sql_read.h"
#include "store/sqlite.h"
#include "store/webpage.h"

#define INPUT_MAX 4096
#define STEPS_MAX 20000
#define ROWS_MAX 20

struct input { char sql[INPUT_MAX + 1]; };

static void fill(struct store *store)
{
    struct store_page_put put;
    struct store_fragment_new fragments[] = { { .text = "Tea is hot." },
                                              { .text = "Ice is cold.", .position = 1 } };
    struct store_claim_new claim = { .text = "Tea is hot", .type = "fact", .confidence = 0.5 };
    WR_ASSERT(!store_page_put(store, &(struct store_page_new){
        .page = { .url = "http://a.test/1", .domain = "a.test", .title = "About tea" },
        .task = "t", .reason = "serp", .fragments = fragments, .fragment_count = 2,
        .claims = &claim, .claim_count = 1 }, &put, WR_NEVER));
}

/* What changes with every change of the schema. */
static int schema_version(sqlite3 *db)
{
    sqlite3_stmt *statement;
    WR_ASSERT(sqlite3_prepare_v2(db, "pragma schema_version", -1, &statement, NULL)
              == SQLITE_OK);
    WR_ASSERT(sqlite3_step(statement) == SQLITE_ROW);
    int version = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return version;
}

static void check_answer(const struct store_answer *answer)
{
    WR_ASSERT(answer->names.count == 1 && answer->names.columns == answer->rows.columns);
    WR_ASSERT(answer->rows.count <= ROWS_MAX);
    for (size_t i = 0; i < answer->rows.count * answer->rows.columns; i++)
        WR_ASSERT(answer->rows.values[i].len <= 2 * STORE_ASK_VALUE_MAX);
}

static void check_refusal(wr_err err, const struct store_why *why)
{
    unsigned long long steps = 0;
    WR_ASSERT(err == WR_INVALID || err == WR_TIMEOUT);
    WR_ASSERT(why->text[0]);
    if (sscanf(why->text, "the query was interrupted after %llu steps", &steps) == 1)
        WR_ASSERT(steps <= STEPS_MAX + 1000);
}

static void ask(struct store *store, const char *sql)
{
    struct store_answer answer;
    struct store_why why = { 0 };
    wr_err err = store_select(store, &(struct store_ask){ .sql = sql, .rows_max = ROWS_MAX,
        .time_max = WR_S(2), .steps_max = STEPS_MAX }, &answer, &why, WR_NEVER);
    if (err)
        check_refusal(err, &why);
    else
        check_answer(&answer);
    store_answer_free(&answer);
}

static wr_err run(void *arg)
{
    struct input *input = arg;
    struct store *store;
    struct store_why why;
    WR_ASSERT(!store_open(&store, &(struct store_conf){ .url = "sqlite:" }, &why, WR_NEVER));
    fill(store);
    sqlite3 *db = ((struct sqlite *)store->state)->writer.db;
    int64_t changes = sqlite3_total_changes64(db);
    int version = schema_version(db);
    ask(store, input->sql);
    WR_ASSERT(sqlite3_total_changes64(db) == changes);
    WR_ASSERT(schema_version(db) == version);
    fill(store);
    store_close(store, WR_NEVER);
    return WR_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct input input;
    if (size > INPUT_MAX)
        return 0;
    memcpy(input.sql, data, size);
    input.sql[size] = '\0';
    WR_ASSERT(!wr_run(&(struct wr_run_conf){ .workers = 1, .virtual_clock = true }, run,
                      &input));
    return 0;
}
