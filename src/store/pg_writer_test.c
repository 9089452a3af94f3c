#include <stdatomic.h>
#include <string.h>

#include <weir/scope.h>

#include "store/job.h"
#include "store/pg.h"
#include "testing/settle.h"
#include "testing/store_rig.h"

#define SOON wr_after(WR_S(20))
#define NONE ((struct store_values){ 0 })

static const struct store_verb put = {
    .name = "test.put", .writes = true,
    .sqlite = { "insert into probe (id, at) values (?1, 0)" },
};
static const struct store_verb change = {
    .name = "test.change", .writes = true,
    .sqlite = { "update probe set at = at + 1 where id = ?1" },
};

struct putting { struct store *store; int64_t id; wr_err err; const struct store_verb *verb; };

static wr_err put_one(void *arg)
{
    struct putting *putting = arg;
    putting->err = store_do(putting->store, putting->verb, STORE_VALUES(STORE_INT(putting->id)),
                            NULL, SOON);
    return WR_OK;
}

/* Does all of them at once. */
static void put_all(struct store *store, struct putting *putting, int count)
{
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < count; i++) {
        putting[i].store = store;
        if (!putting[i].verb)
            putting[i].verb = &put;
        CHECK_OK(wr_scope_go(scope, "test.put", put_one, &putting[i]));
    }
    scope_done(scope);
}

SERVER_TEST(many_writers_share_a_transaction)
{
    struct putting putting[100] = { 0 };
    struct store_health health;
    for (int i = 0; i < 100; i++)
        putting[i].id = i;
    put_all(rig->store, putting, 100);
    for (int i = 0; i < 100; i++)
        CHECK_OK(putting[i].err);
    CHECK_EQ(100, rig_ask(rig, "select count(*) from probe"));
    store_health(rig->store, &health);
    CHECK_EQ(100, health.writes);
    CHECK(health.batches < 50);
}

SERVER_TEST(those_that_fail_by_their_own_fault_do_not_fail_the_others)
{
    struct putting putting[100] = { 0 };
    CHECK_OK(rig_say(rig, "insert into probe select i, 0 from generate_series(1000, 1020) i"));
    for (int i = 0; i < 100; i++)
        putting[i].id = i % 5 == 2 ? 1000 + i / 5 : i;      /* 20 of them are taken */
    put_all(rig->store, putting, 100);
    for (int i = 0; i < 100; i++)
        CHECK_ERR(i % 5 == 2 ? WR_EXISTS : WR_OK, putting[i].err);
    CHECK_EQ(80, rig_ask(rig, "select count(*) from probe where id < 1000"));
}

SERVER_TEST(who_waits_for_the_lock_of_another_session_is_told_and_the_others_go_on)
{
    struct putting putting[20] = { 0 };
    CHECK_OK(rig_say(rig, "insert into probe values (1000, 0)"));
    CHECK_OK(rig_say(rig, "begin; select 1 from probe where id = 1000 for update"));
    for (int i = 0; i < 20; i++)
        putting[i].id = i;
    putting[3] = (struct putting){ .id = 1000, .verb = &change };
    wr_time start = wr_now();
    put_all(rig->store, putting, 20);
    CHECK(wr_now() - start < WR_S(10));
    CHECK_OK(rig_say(rig, "rollback"));
    for (int i = 0; i < 20; i++)
        CHECK_ERR(i == 3 ? WR_TIMEOUT : WR_OK, putting[i].err);
    CHECK_EQ(19, rig_ask(rig, "select count(*) from probe where id < 1000"));
    CHECK_EQ(0, rig_ask(rig, "select at from probe where id = 1000"));
}

static wr_err change_two(void *arg)
{
    struct putting *putting = arg;
    for (int i = 0; i < 50 && !putting->err; i++)
        putting->err = store_do(putting->store, &change, STORE_VALUES(
            STORE_INT((putting->id + i) % 4)), NULL, SOON);
    return WR_OK;
}

SERVER_TEST(writers_that_stand_in_one_anothers_way_come_through)
{
    struct putting putting[16] = { 0 };
    struct wr_scope *scope = scope_open();
    CHECK_OK(rig_say(rig, "insert into probe select i, 0 from generate_series(0, 3) i"));
    for (int i = 0; i < 16; i++) {
        putting[i] = (struct putting){ .store = rig->store, .id = i };
        CHECK_OK(wr_scope_go(scope, "test.put", change_two, &putting[i]));
    }
    scope_done(scope);
    for (int i = 0; i < 16; i++)
        CHECK_OK(putting[i].err);
    CHECK_EQ(16 * 50, rig_ask(rig, "select sum(at)::bigint from probe"));
}

SERVER_TEST(a_full_queue_is_busy)
{
    struct store *store;
    struct putting putting[12] = { 0 };
    int refused = 0;
    REQUIRE_OK(store_open(&store, &(struct store_conf){ .url = rig->url, .queue_max = 2,
                                                        .writers = 1, .batch_max = 1 },
                          &rig->why, SOON));
    for (int i = 0; i < 12; i++)
        putting[i].id = i;
    CHECK_OK(rig_say(rig, "begin; lock table probe"));
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 12; i++) {
        putting[i].store = store;
        putting[i].verb = &put;
        CHECK_OK(wr_scope_go(scope, "test.put", put_one, &putting[i]));
        rig_settle();
    }
    CHECK_OK(rig_say(rig, "rollback"));
    scope_done(scope);
    for (int i = 0; i < 12; i++)
        refused += putting[i].err == WR_BUSY;
    CHECK(refused >= 8);
    store_close(store, WR_NEVER);
}

/* ---- lost connections ---- */

static void end_all(struct store_rig *rig)
{
    CHECK_OK(rig_say(rig, "select pg_terminate_backend(pid) from pg_stat_activity"
                     " where pid <> pg_backend_pid() and backend_type = 'client backend'"));
}

static enum store_state state_of(struct store_rig *rig)
{
    struct store_health health;
    store_health(rig->store, &health);
    return health.state;
}

SERVER_TEST(idle_connections_that_were_ended_are_opened_again_unseen)
{
    CHECK_OK(store_do(rig->store, &put, STORE_VALUES(STORE_INT(1)), NULL, SOON));
    end_all(rig);
    CHECK_OK(wr_sleep(wr_after(WR_MS(100))));
    for (int i = 2; i < 10; i++)
        CHECK_OK(store_do(rig->store, &put, STORE_VALUES(STORE_INT(i)), NULL, SOON));
    CHECK_EQ(STORE_OK, state_of(rig));
}

static wr_err put_job(void *arg)
{
    struct putting *putting = arg;
    putting->err = store_job_add(putting->store, &(struct store_job_new){
        .id = "j1", .task = "t", .kind = "k", .slot = "net" }, SOON);
    return WR_OK;
}

/* The other session holds it at its commit; then its connection is ended. */
SERVER_TEST(a_write_whose_answer_never_came_is_not_known_and_can_be_repeated)
{
    struct putting putting = { .store = rig->store };
    struct wr_scope *scope = scope_open();
    CHECK_OK(rig_say(rig, "begin; lock table job in share mode"));
    CHECK_OK(wr_scope_go(scope, "test.put", put_job, &putting));
    wr_time give_up = SOON;
    while (rig_ask(rig, "select count(*) from pg_locks where not granted") == 0
           && wr_now() < give_up)
        CHECK_OK(wr_yield());
    end_all(rig);
    scope_done(scope);
    CHECK_ERR(WR_IO, putting.err);
    CHECK_OK(rig_say(rig, "commit"));
    wr_err err;
    while ((err = put_job(&putting), putting.err) == WR_IO && wr_now() < give_up)
        ;
    CHECK_OK(err);
    CHECK(putting.err == WR_OK || putting.err == WR_EXISTS);
    CHECK_OK(put_job(&putting));
    CHECK_ERR(WR_EXISTS, putting.err);
    CHECK_EQ(1, rig_ask(rig, "select count(*) from job"));
}

SERVER_TEST(a_server_that_will_not_write_is_said_and_tried_until_it_does)
{
    struct store_health health;
    CHECK_OK(rig_say(rig, "create function no() returns trigger language plpgsql as"
                     " 'begin raise exception using errcode = ''disk_full'', message ="
                     " ''no space left''; end';"
                     "create trigger no before insert on probe execute function no()"));
    CHECK_ERR(WR_IO, store_do(rig->store, &put, STORE_VALUES(STORE_INT(1)), NULL, SOON));
    CHECK_ERR(WR_IO, store_do(rig->store, &put, STORE_VALUES(STORE_INT(1)), NULL, SOON));
    wr_time give_up = SOON;
    while (state_of(rig) == STORE_OK && wr_now() < give_up)
        (void)!store_do(rig->store, &put, STORE_VALUES(STORE_INT(1)), NULL, SOON);
    store_health(rig->store, &health);
    CHECK_EQ(STORE_DEGRADED, health.state);
    CHECK(strstr(health.why.text, "no space left"));
    wr_time start = wr_now();
    CHECK_ERR(WR_IO, store_do(rig->store, &put, STORE_VALUES(STORE_INT(1)), NULL, SOON));
    CHECK(wr_now() - start < WR_MS(100));           /* at once */
    CHECK_OK(rig_say(rig, "drop trigger no on probe"));
    while (state_of(rig) != STORE_OK && wr_now() < give_up)
        CHECK_OK(wr_sleep(wr_after(WR_MS(10))));
    CHECK_OK(store_do(rig->store, &put, STORE_VALUES(STORE_INT(1)), NULL, SOON));
}

TEST(pauses_grow_and_have_an_end)
{
    struct pg pg = { 0 };
    wr_rand_share_from_world(&pg.jitter);
    for (unsigned i = 1; i < 100; i++) {
        wr_time pause = pg_pause(&pg, i);
        CHECK(pause >= PG_PAUSE_MIN / 2 && pause <= PG_PAUSE_MAX);
        if (i > 10)
            CHECK(pause >= PG_PAUSE_MAX / 2);
    }
}
