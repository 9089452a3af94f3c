/* The server is ended with kill -9 while two nodes work, and started again. */
#include <spawn.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>

#include <weir/offload.h>
#include <weir/scope.h>

#include "store/job.h"
#include "testing/settle.h"
#include "testing/store_rig.h"

#define SOON wr_after(WR_S(20))
#define CLIENTS 12
#define JOBS_MAX 100000

/* What clients were told. */
struct history {
    struct store *nodes[2];
    atomic_bool over;
    atomic_int next, unknown;
    struct { atomic_bool added; atomic_int finished; } jobs[JOBS_MAX];
};

struct client { struct history *history; struct store *store; };

/* Whether it is not known what became of it: then it can be asked again, a little later. */
static bool not_known(struct history *history, wr_err err)
{
    if (err != WR_IO)
        return false;
    atomic_fetch_add(&history->unknown, 1);
    CHECK_OK(wr_sleep(wr_after(WR_MS(10))));
    return true;
}

static void add(struct client *client, int number)
{
    char id[16];
    wr_err err;
    snprintf(id, sizeof(id), "%08d", number);
    do
        err = store_job_add(client->store, &(struct store_job_new){
            .id = id, .task = "t", .kind = "k", .slot = "net", .unique = id }, SOON);
    while (not_known(client->history, err));
    CHECK(err == WR_OK || err == WR_EXISTS);
    atomic_store(&client->history->jobs[number].added, true);
}

/* One that has been finished by a call whose answer was lost says NOTFOUND. */
static void finish(struct client *client, const struct store_job *job)
{
    int number = (int)strtol(job->id, NULL, 10);
    wr_err err;
    do
        err = store_job_finish(client->store, job->id, job->attempt, &(struct store_job_end){
            .state = STORE_JOB_COMPLETED }, SOON);
    while (not_known(client->history, err));
    CHECK(err == WR_OK || err == WR_NOTFOUND);
    if (!err)
        atomic_fetch_add(&client->history->jobs[number].finished, 1);
}

static wr_err work(void *arg)
{
    struct client *client = arg;
    struct history *history = client->history;
    int number;
    while (!history->over && (number = atomic_fetch_add(&history->next, 1)) < JOBS_MAX) {
        struct store_jobs jobs;
        add(client, number);
        wr_err err = store_job_claim(client->store, &(struct store_job_claim){
            .slot = "net", .max = 1, .lease = WR_S(3600) }, &jobs, SOON);
        if (!err && jobs.count)
            finish(client, &jobs.jobs[0]);
        (void)not_known(history, err);
        store_jobs_free(&jobs);
    }
    return WR_OK;
}

/* What the folder of the server has for this: `kill`, `start`. */
struct command { const char *name; int failed; };

static void command_there(void *arg)
{
    struct command *command = arg;
    char path[200];
    pid_t pid;
    snprintf(path, sizeof(path), "%s/%s", getenv("WEIR_TEST_POSTGRES_FOLDER"), command->name);
    command->failed = posix_spawn(&pid, path, NULL, NULL, (char *[]){ path, NULL }, environ);
    if (!command->failed && waitpid(pid, &command->failed, 0) < 0)
        command->failed = -1;
}

static void order(const char *name)
{
    struct command command = { .name = name };
    CHECK_OK(wr_offload(command_there, &command, WR_NEVER));
    CHECK_EQ(0, command.failed);
}

static void await_ok(struct store *store)
{
    struct store_health health;
    wr_time give_up = wr_after(WR_S(15));
    do {
        CHECK_OK(wr_sleep(wr_after(WR_MS(10))));
        store_health(store, &health);
    } while (health.state != STORE_OK && wr_now() < give_up);
    CHECK_EQ(STORE_OK, health.state);
}

static void judge(struct history *history)
{
    int count = history->next < JOBS_MAX ? history->next : JOBS_MAX, finished = 0;
    for (int i = 0; i < count; i++) {
        struct store_jobs jobs;
        char id[16];
        snprintf(id, sizeof(id), "%08d", i);
        wr_err err = store_job_get(history->nodes[i % 2], id, &jobs, SOON);
        if (history->jobs[i].added)
            CHECK_OK(err);
        if (history->jobs[i].finished)
            CHECK_EQ(STORE_JOB_COMPLETED, err ? 0 : jobs.jobs[0].state);
        CHECK(history->jobs[i].finished <= 1);
        finished += history->jobs[i].finished;
        store_jobs_free(&jobs);
    }
    CHECK(finished > 100);
    printf("# %d jobs, %d finished, %d answers lost\n", count, finished, history->unknown);
}

static void reach_again(struct store_rig *rig)
{
    pg_close(rig->admin);
    rig->admin = NULL;
    CHECK_OK(pg_open(&rig->admin, rig->url, &(struct pg_limits){ 0 }, &rig->why, SOON));
}

SERVER_TEST(nothing_acknowledged_is_lost_and_nothing_finished_twice_when_the_server_is_killed)
{
    static struct history history;
    struct client clients[CLIENTS];
    history.nodes[0] = rig->store;
    REQUIRE_OK(store_open(&history.nodes[1], &(struct store_conf){ .url = rig->url }, &rig->why,
                          SOON));
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = (struct client){ &history, history.nodes[i % 2] };
        CHECK_OK(wr_scope_go(scope, "test.client", work, &clients[i]));
    }
    for (int i = 0; i < 2; i++) {
        CHECK_OK(wr_sleep(wr_after(WR_MS(400))));
        order("kill");
        order("start");
        await_ok(history.nodes[0]);
        await_ok(history.nodes[1]);
    }
    CHECK_OK(wr_sleep(wr_after(WR_MS(400))));
    history.over = true;
    scope_done(scope);
    CHECK(history.unknown > 0);
    judge(&history);
    CHECK_OK(store_check(rig->store, &rig->why, SOON));
    store_close(history.nodes[1], WR_NEVER);
    reach_again(rig);
}

SERVER_TEST(without_a_server_writes_fail_at_once_with_a_sentence_and_go_on_when_it_is_back)
{
    struct store_health health;
    struct store_job_new job = { .id = "j1", .task = "t", .kind = "k", .slot = "net" };
    wr_time give_up = wr_after(WR_S(15));
    order("kill");
    do
        store_health(rig->store, &health);
    while (health.state == STORE_OK && wr_now() < give_up
           && store_job_add(rig->store, &job, SOON) != WR_BUSY && !wr_yield());
    CHECK_EQ(STORE_DEGRADED, health.state);
    CHECK(strstr(health.why.text, "server"));
    wr_time start = wr_now();
    job.id = "j2";
    CHECK_ERR(WR_IO, store_job_add(rig->store, &job, SOON));
    CHECK(wr_now() - start < WR_MS(100));
    order("start");
    await_ok(rig->store);
    CHECK_OK(store_job_add(rig->store, &job, SOON));
    reach_again(rig);
}
