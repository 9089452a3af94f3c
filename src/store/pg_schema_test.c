#include <string.h>

#include <weir/scope.h>

#include "store/pg.h"
#include "testing/settle.h"
#include "testing/store_rig.h"

#define SOON wr_after(WR_S(20))

SERVER_TEST(the_tables_are_made_once_and_kept)
{
    char channel[PG_CHANNEL_MAX];
    CHECK_OK(rig_say(rig, "insert into probe (id, at) values (7, 7)"));
    CHECK_OK(pg_schema(rig->admin, channel, &rig->why, SOON));
    CHECK_EQ(7, rig_ask(rig, "select at from probe"));
    CHECK_EQ(0, strncmp("weir_", channel, 5));
}

SERVER_TEST(tables_of_a_newer_program_are_refused)
{
    struct store *store = NULL;
    CHECK_OK(rig_say(rig, "update store_step set taken = 999"));
    CHECK_ERR(WR_INVALID, store_open(&store, &(struct store_conf){ .url = rig->url },
                                     &rig->why, SOON));
    CHECK(strstr(rig->why.text, "newer program"));
    CHECK(strstr(rig->why.text, "999"));
}

/* As at a start of several nodes: one makes the tables, the others find them. */
static wr_err open_and_close(void *arg)
{
    struct store *store = NULL;
    struct store_why why;
    CHECK_OK(store_open(&store, &(struct store_conf){ .url = arg }, &why, SOON));
    store_close(store, WR_NEVER);
    return WR_OK;
}

SERVER_TEST(several_nodes_may_start_at_once)
{
    char sql[80];
    rig_shut(rig);
    struct wr_scope *scope = scope_open();
    snprintf(sql, sizeof(sql), "drop schema %s cascade", rig->schema);
    CHECK_OK(rig_say(rig, sql));
    for (int i = 0; i < 4; i++)
        CHECK_OK(wr_scope_go(scope, "test.node", open_and_close, rig->url));
    scope_done(scope);
    CHECK_EQ(1, rig_ask(rig, "select count(*) from store_step"));
}

SERVER_TEST(who_may_not_make_tables_is_told)
{
    char url[300];
    struct store *store = NULL;
    CHECK_OK(rig_say(rig, "drop role if exists guest; create role guest login"));
    snprintf(url, sizeof(url), "postgres://guest@/postgres?host=%s&options="
             "-csearch_path%%3Dguests", getenv("WEIR_TEST_POSTGRES_FOLDER"));
    CHECK_ERR(WR_DENIED, store_open(&store, &(struct store_conf){ .url = url }, &rig->why,
                                    SOON));
    CHECK(strstr(rig->why.text, "permission denied"));
    CHECK_OK(rig_say(rig, "drop role guest"));
}
