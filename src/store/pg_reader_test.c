#include <string.h>

#include <weir/scope.h>

#include "store/pg.h"
#include "testing/settle.h"
#include "testing/store_rig.h"

#define SOON wr_after(WR_S(20))
#define NONE ((struct store_values){ 0 })

static const struct store_verb slow = {
    .name = "test.slow", .sqlite = { "select 1::bigint from pg_sleep(30)" },
};
static const struct store_verb one = { .name = "test.one", .sqlite = { "select 1::bigint" } };

static int64_t busy(struct store_rig *rig)
{
    return rig_ask(rig, "select count(*) from pg_stat_activity where state = 'active'"
                   " and query like '%pg_sleep%' and pid <> pg_backend_pid()");
}

/* What the server does for nobody ends soon. */
static void await_idle(struct store_rig *rig)
{
    wr_time give_up = wr_after(WR_S(3));            /* a statement would last 5 s */
    while (busy(rig) > 0 && wr_now() < give_up)
        CHECK_OK(wr_sleep(wr_after(WR_MS(5))));
    CHECK_EQ(0, busy(rig));
}

/* More often than there are readers. */
static void read_on(struct store_rig *rig)
{
    for (int i = 0; i < 10; i++) {
        struct store_rows rows;
        CHECK_OK(store_do(rig->store, &one, NONE, &rows, SOON));
        store_rows_free(&rows);
    }
}

SERVER_TEST(a_read_ends_by_its_deadline_and_the_server_gives_it_up)
{
    for (int i = 0; i < 6; i++) {
        wr_time start = wr_now();
        CHECK_ERR(WR_TIMEOUT, store_do(rig->store, &slow, NONE, NULL, wr_after(WR_MS(50))));
        CHECK(wr_now() - start < WR_MS(500));
    }
    await_idle(rig);
    read_on(rig);
}

static wr_err read_long(void *arg)
{
    struct store_rig *rig = arg;
    return store_do(rig->store, &slow, NONE, NULL, WR_NEVER);
}

SERVER_TEST(a_read_that_is_canceled_ends_at_once_and_the_server_gives_it_up)
{
    struct wr_scope *scope = scope_open();
    wr_time give_up = SOON;
    CHECK_OK(wr_scope_go(scope, "test.reader", read_long, rig));
    while (busy(rig) == 0 && wr_now() < give_up)
        CHECK_OK(wr_yield());
    wr_time start = wr_now();
    wr_scope_cancel(scope);
    CHECK_OK(wr_scope_close(scope));
    CHECK(wr_now() - start < WR_MS(500));
    await_idle(rig);
    read_on(rig);
}

SERVER_TEST(a_read_without_end_is_cut_off_by_the_server)
{
    struct store *store;
    wr_time start = wr_now();
    REQUIRE_OK(store_open(&store, &(struct store_conf){ .url = rig->url, .readers = 1,
                                                        .read_max = WR_MS(100) },
                          &rig->why, SOON));
    CHECK_ERR(WR_TIMEOUT, store_do(store, &slow, NONE, NULL, SOON));
    CHECK(wr_now() - start < WR_S(5));
    CHECK_OK(store_do(store, &one, NONE, NULL, SOON));
    store_close(store, WR_NEVER);
}

SERVER_TEST(readers_whose_connections_were_ended_are_replaced_unseen)
{
    read_on(rig);
    CHECK_OK(rig_say(rig, "select pg_terminate_backend(pid) from pg_stat_activity"
                     " where pid <> pg_backend_pid() and backend_type = 'client backend'"));
    CHECK_OK(wr_sleep(wr_after(WR_MS(100))));
    read_on(rig);
}
