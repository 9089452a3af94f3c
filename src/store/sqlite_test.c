#include "store/sqlite.h"

#include <string.h>

#include <weir/run.h>
#include <weir/scope.h>

#include "testing/settle.h"
#include "testing/store_rig.h"

#define NONE ((struct store_values){ 0 })

static const struct store_verb put = {
    .name = "test.put", .writes = true,
    .sqlite = { "insert into probe (id, at) values (?1, ?1)" },
};
static const struct store_verb count = {
    .name = "test.count", .sqlite = { "select count(*) from probe" },
};
static const struct store_verb forever = {
    .name = "test.forever",
    .sqlite = { "with recursive n(i) as (select 1 union all select i + 1 from n)"
                " select max(i) from n" },
};

struct crowd { struct store *store; int64_t from; };

static wr_err write_and_read(void *arg)
{
    struct crowd *crowd = arg;
    for (int64_t i = 0; i < test_rounds(50); i++) {
        struct store_rows rows;
        CHECK_OK(store_do(crowd->store, &put, STORE_VALUES(STORE_INT(crowd->from + i)), NULL,
                          WR_NEVER));
        CHECK_OK(store_do(crowd->store, &count, NONE, &rows, WR_NEVER));
        CHECK(store_int(&rows, 0, 0) > i);          /* it sees at least its own */
        store_rows_free(&rows);
    }
    return WR_OK;
}

STORE_TEST(readers_see_what_was_acknowledged_while_others_write)
{
    struct crowd crowds[16];
    struct wr_scope *scope = scope_open();
    struct store_rows rows;
    for (int i = 0; i < 16; i++) {
        crowds[i] = (struct crowd){ store, (int64_t)i * 1000 };
        CHECK_OK(wr_scope_go(scope, "test.crowd", write_and_read, &crowds[i]));
    }
    scope_done(scope);
    CHECK_OK(store_do(store, &count, NONE, &rows, WR_NEVER));
    CHECK_EQ(16 * test_rounds(50), store_int(&rows, 0, 0));
    store_rows_free(&rows);
}

STORE_TEST(what_comes_together_is_written_together)
{
    struct crowd crowds[16];
    struct store_health health;
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 16; i++) {
        crowds[i] = (struct crowd){ store, (int64_t)i * 1000 };
        CHECK_OK(wr_scope_go(scope, "test.crowd", write_and_read, &crowds[i]));
    }
    scope_done(scope);
    store_health(store, &health);
    CHECK(health.batches < health.writes);
}

static wr_err read_too_long(void *arg)
{
    struct store_rig *rig = arg;
    struct store_rows rows;
    REQUIRE_OK(store_open(&rig->store, &(struct store_conf){
        .url = rig->url, .readers = 1, .read_max = WR_MS(20) }, &rig->why, WR_NEVER), WR_IO);
    wr_time start = wr_now();
    CHECK_ERR(WR_TIMEOUT, store_do(rig->store, &forever, NONE, &rows, WR_NEVER));
    CHECK(wr_now() - start >= WR_MS(20));
    CHECK_OK(store_do(rig->store, &count, NONE, &rows, WR_NEVER));
    store_rows_free(&rows);
    rig_shut(rig);
    return WR_OK;
}

TEST_PLAIN(a_read_that_takes_too_long_is_cut_off_and_the_reader_is_as_before)
{
    struct store_rig rig;
    rig_folder(&rig);
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, read_too_long, &rig));
    rig_remove(&rig);
}

TEST(in_memory_nothing_is_written_to_a_disk)
{
    struct store_rig rig = { .url = "sqlite:" };
    CHECK_OK(rig_open(&rig));
    CHECK_OK(store_do(rig.store, &put, STORE_VALUES(STORE_INT(1)), NULL, WR_NEVER));
    struct store_health health;
    store_health(rig.store, &health);
    CHECK_EQ(0, health.wal_bytes);
    rig_shut(&rig);
    CHECK_OK(rig_open(&rig));
    struct store_rows rows;
    CHECK_OK(store_do(rig.store, &count, NONE, &rows, WR_NEVER));
    CHECK_EQ(0, store_int(&rows, 0, 0));            /* and nothing is left of it */
    store_rows_free(&rows);
    rig_shut(&rig);
}
