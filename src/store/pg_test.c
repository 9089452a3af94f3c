#include "store/pg.h"

#include <string.h>

#include <weir/scope.h>

#include "store/job.h"
#include "testing/settle.h"
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

/* ---- several nodes claim at once ---- */

#define NODES 3
#define CLAIMERS 12
#define JOBS 600

struct race { int times[JOBS], turns[JOBS]; };
struct claimer { struct race *race; struct store *store; };

static int number_of(const char *id)
{
    return (int)strtol(id, NULL, 10);
}

static wr_err claim_all(void *arg)
{
    struct claimer *claimer = arg;
    for (bool any = true; any;) {
        struct store_jobs jobs;
        REQUIRE_OK(store_job_claim(claimer->store, &(struct store_job_claim){
            .slot = "net", .max = 1, .lease = WR_S(600) }, &jobs, SOON), WR_IO);
        any = jobs.count > 0;
        if (any) {
            int number = number_of(jobs.jobs[0].id);
            __atomic_fetch_add(&claimer->race->times[number], 1, __ATOMIC_RELAXED);
            claimer->race->turns[number] = (int)(jobs.jobs[0].started_at.ns / WR_MS(1));
        }
        store_jobs_free(&jobs);
    }
    return WR_OK;
}

/* How many were claimed before this one that should have come after it. */
static int overtaken(const struct race *race, int number)
{
    int count = 0;
    for (int later = number + 1; later < JOBS; later++)
        count += race->turns[later] < race->turns[number];
    return count;
}

/* The server numbers the claims, where they carry their time.  It does so a little after it has
 * locked the row, and a process may lose the processor in between: so a few may seem overtaken
 * by more. */
SERVER_TEST(claimers_of_several_nodes_take_each_job_once_and_in_order_but_for_themselves)
{
    static struct race all;
    struct race *race = &all;
    struct store *nodes[NODES] = { rig->store };
    struct claimer claimers[CLAIMERS];
    all = (struct race){ 0 };
    CHECK_OK(rig_say(rig, "insert into job (id, task, kind, slot, priority, state, attempt,"
                     " tries, attempts_max, queued_at) select lpad(i::text, 8, '0'), 't', 'k',"
                     " 'net', 0, 1, 0, 0, 2, i from generate_series(0, 599) i;"
                     "create sequence turn; create function number() returns trigger"
                     " language plpgsql as"
                     " 'begin new.started_at = nextval(''turn''); return new; end';"
                     "create trigger number before update on job for each row"
                     " execute function number()"));
    for (int i = 1; i < NODES; i++)
        CHECK_OK(store_open(&nodes[i], &(struct store_conf){ .url = rig->url }, &rig->why,
                            SOON));
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < CLAIMERS; i++) {
        claimers[i] = (struct claimer){ race, nodes[i % NODES] };
        CHECK_OK(wr_scope_go(scope, "test.claimer", claim_all, &claimers[i]));
    }
    scope_done(scope);
    int far = 0;
    for (int i = 0; i < JOBS; i++) {
        CHECK_EQ(1, race->times[i]);
        far += overtaken(race, i) > CLAIMERS;
    }
    CHECK(far <= JOBS / 50);
    for (int i = NODES - 1; i > 0; i--)
        store_close(nodes[i], WR_NEVER);
}
