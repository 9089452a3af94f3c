/* A real process on a real disk, ended by kill -9: what it had been told is done is there. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include <weir/run.h>
#include <weir/scope.h>

#include "store/job.h"
#include "testing/store_rig.h"

#define CLIENTS 8

static struct { struct store_rig rig; int pipe; } at;

/* Queue jobs for ever; each that is acknowledged is a number in the pipe. */
static wr_err queue_jobs(void *arg)
{
    for (uint32_t number = (uint32_t)(uintptr_t)arg;; number += CLIENTS) {
        char id[16];
        snprintf(id, sizeof(id), "%08u", number);
        wr_err err = store_job_add(at.rig.store, &(struct store_job_new){
            .id = id, .task = "t", .kind = "k", .slot = "s", .unique = id }, WR_NEVER);
        if (err == WR_OK && write(at.pipe, &number, sizeof(number)) != sizeof(number))
            return WR_IO;
        if (err && err != WR_EXISTS)        /* EXISTS: of an earlier life */
            return err;
    }
}

static wr_err live(void *arg)
{
    struct wr_scope *scope;
    (void)arg;
    if (rig_open(&at.rig)
        || wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "s", .deadline = WR_NEVER }))
        return WR_IO;
    for (uintptr_t i = 0; i < CLIENTS; i++)
        if (wr_scope_go(scope, "test.client", queue_jobs, (void *)i))
            return WR_IO;
    return wr_scope_join(scope, WR_NEVER);
}

static wr_err find_all(void *arg)
{
    const uint8_t *acknowledged = arg;
    struct store_why why;
    REQUIRE_OK(rig_open(&at.rig), WR_IO);
    CHECK_OK(store_check(at.rig.store, &why, WR_NEVER));
    for (uint32_t number = 0; number < 100000; number++) {
        char id[16];
        struct store_jobs jobs;
        if (!acknowledged[number])
            continue;
        snprintf(id, sizeof(id), "%08u", number);
        CHECK_OK(store_job_get(at.rig.store, id, &jobs, WR_NEVER));
        store_jobs_free(&jobs);
    }
    rig_shut(&at.rig);
    return WR_OK;
}

/* Kill it after so many acknowledgements. */
static void live_and_die(uint8_t *acknowledged, int count)
{
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        at.pipe = ends[1];
        _exit(wr_run(&(struct wr_run_conf){ 0 }, live, NULL) != WR_OK);
    }
    close(ends[1]);
    uint32_t number;
    int seen = 0, status;
    while (seen < count && read(ends[0], &number, sizeof(number)) == sizeof(number)) {
        seen++;
        acknowledged[number % 100000] = 1;
    }
    CHECK_EQ(count, seen);
    kill(child, SIGKILL);
    while (read(ends[0], &number, sizeof(number)) == sizeof(number))
        acknowledged[number % 100000] = 1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    close(ends[0]);
}

TEST_PLAIN(what_a_killed_process_was_told_is_done_is_there)
{
    static uint8_t acknowledged[100000];
    rig_folder(&at.rig);
    for (int i = 1; i <= test_rounds(10); i++) {
        live_and_die(acknowledged, i * 37);
        CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, find_all, acknowledged));
    }
    rig_remove(&at.rig);
}
