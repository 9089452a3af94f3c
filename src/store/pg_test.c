#include "store/pg.h"

#include <string.h>

#include "store/job.h"
#include "testing/store_rig.h"

#define SOON wr_after(WR_S(20))

SERVER_TEST(a_store_is_copied_by_the_servers_own_tools)
{
    CHECK_ERR(WR_UNSUPPORTED, store_backup(rig->store, "/tmp/copy", &rig->why, SOON));
    CHECK(strstr(rig->why.text, "pg_dump"));
}

SERVER_TEST(what_does_not_fit_together_is_found)
{
    CHECK_OK(store_check(rig->store, &rig->why, SOON));
    CHECK_OK(store_job_add(rig->store, &(struct store_job_new){
        .id = "j1", .task = "t", .kind = "k", .slot = "net" }, SOON));
    CHECK_OK(store_check(rig->store, &rig->why, SOON));
    CHECK_OK(rig_say(rig, "insert into job_done (seq, id, task, kind, slot, priority, state,"
                     " attempt, queued_at, finished_at)"
                     " values (1, 'j1', 't', 'k', 'net', 0, 4, 1, 0, 0)"));
    CHECK_ERR(WR_IO, store_check(rig->store, &rig->why, SOON));
    CHECK(strstr(rig->why.text, "j1"));
}

SERVER_TEST(a_store_that_cannot_be_opened_says_why)
{
    struct store *store = NULL;
    CHECK_ERR(WR_IO, store_open(&store, &(struct store_conf){
        .url = "postgres:///x?host=/tmp/weir-no-such-folder" }, &rig->why, SOON));
    CHECK(strstr(rig->why.text, "weir-no-such-folder"));
    CHECK_ERR(WR_TIMEOUT, store_open(&store, &(struct store_conf){ .url = rig->url },
                                     &rig->why, WR_NOW));
}

SERVER_TEST(both_names_of_the_scheme_are_known)
{
    char url[300];
    struct store *store = NULL;
    snprintf(url, sizeof(url), "postgresql%s", strchr(rig->url, ':'));
    CHECK_OK(store_open(&store, &(struct store_conf){ .url = url }, &rig->why, SOON));
    store_close(store, WR_NEVER);
}
