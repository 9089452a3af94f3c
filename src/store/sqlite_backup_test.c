#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <weir/file.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "store/disk.h"
#include "store/task.h"
#include "store/sqlite.h"
#include "testing/settle.h"
#include "testing/store_rig.h"

#define JOBS 3000

static void add_jobs(struct store *store, const char *task, int from, int to)
{
    static const char input[] = "{\"text\":\"some hundred bytes, so that there are many pages: "
                                "one slice of the copy is 256 of them\"}";
    for (int i = from; i < to; i++) {
        char id[16];
        snprintf(id, sizeof(id), "job-%06d", i);
        CHECK_OK(store_job_add(store, &(struct store_job_new){
            .id = id, .task = task, .kind = "k", .slot = "s", .input = input }, WR_NEVER));
    }
}

static uint64_t jobs_of(struct store *store, const char *task)
{
    struct store_counts counts;
    CHECK_OK(store_task_stop(store, task, &(struct store_task_stop){
        .running = true, .reason = "done" }, &counts, WR_NEVER));
    return counts.count ? counts.counts[0].jobs[STORE_JOB_QUEUED]
                          + counts.counts[0].jobs[STORE_JOB_RUNNING] : 0;
}

/* The copy takes the place of the file. */
static uint64_t jobs_in_the_copy(struct store_rig *rig, const char *task)
{
    struct store_rig copy = *rig;
    struct store_why why;
    snprintf(copy.url, sizeof(copy.url), "sqlite:%s-copy", rig->path);
    REQUIRE_OK(rig_open(&copy), 0);
    CHECK_OK(store_check(copy.store, &why, WR_NEVER));
    uint64_t count = jobs_of(copy.store, task);
    rig_shut(&copy);
    return count;
}

static wr_err add_more(void *arg)
{
    add_jobs(arg, "more", JOBS, JOBS + 200);
    return WR_OK;
}

TEST(a_copy_made_while_others_write_is_whole)
{
    struct store_rig rig;
    struct store_why why = { "" };
    char path[96];
    rig_folder(&rig);
    CHECK_OK(rig_open(&rig));
    int jobs = test_rounds(JOBS);
    add_jobs(rig.store, "task", 0, jobs);
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.more", add_more, rig.store));
    snprintf(path, sizeof(path), "%s-copy", rig.path);
    CHECK_OK(store_backup(rig.store, path, &why, wr_after(WR_S(60))));
    scope_done(scope);
    CHECK_EQ(jobs, jobs_in_the_copy(&rig, "task"));
    CHECK_ERR(WR_EXISTS, store_backup(rig.store, path, &why, wr_after(WR_S(60))));
    CHECK(strstr(why.text, "is there already"));
    rig_shut(&rig);
    rig_remove(&rig);
}

TEST(a_copy_that_cannot_be_made_leaves_nothing_and_the_store_goes_on)
{
    struct store_rig rig;
    struct store_why why = { "" };
    struct wr_file_info info;
    rig_folder(&rig);
    CHECK_OK(rig_open(&rig));
    CHECK_ERR(WR_NOTFOUND, store_backup(rig.store, "/tmp/weir-no-such-folder/x.db", &why,
                                        wr_after(WR_S(60))));
    CHECK(strstr(why.text, "/tmp/weir-no-such-folder"));
    char path[96];
    snprintf(path, sizeof(path), "%s-copy", rig.path);
    struct wr_scope *scope = scope_open();
    wr_scope_enter(scope);
    wr_scope_cancel(scope);
    CHECK(store_backup(rig.store, path, &why, wr_after(WR_S(60))) != WR_OK);
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_close(scope));
    CHECK_ERR(WR_NOTFOUND, wr_file_look(&info, path, WR_NEVER));
    add_jobs(rig.store, "task", 0, 3);
    CHECK_EQ(3, jobs_of(rig.store, "task"));
    rig_shut(&rig);
    rig_remove(&rig);
}

TEST(a_store_in_memory_can_be_copied_too)
{
    struct store_rig rig, memory = { .url = "sqlite:" };
    struct store_why why = { "" };
    char path[96];
    rig_folder(&rig);
    CHECK_OK(rig_open(&memory));
    add_jobs(memory.store, "task", 0, 10);
    snprintf(path, sizeof(path), "%s-copy", rig.path);
    CHECK_OK(store_backup(memory.store, path, &why, wr_after(WR_S(60))));
    CHECK_EQ(10, jobs_in_the_copy(&rig, "task"));
    rig_shut(&memory);
    rig_remove(&rig);
}

/* ---- what fails half way ---- */

#define SOON wr_after(WR_S(30))
#define LARGE 900000

struct large { struct store_rig rig; struct disk *disk; struct store *store; char path[96];
               wr_err err; struct store_why why; };

static wr_err add_large(struct large *large, const char *id)
{
    static char input[LARGE];
    memset(input, 'x', sizeof(input) - 1);
    return store_job_add(large->store, &(struct store_job_new){
        .id = id, .task = "task", .kind = "k", .slot = "s", .input = input }, SOON);
}

/* A store on a disk of its own, of some thirty slices. */
static void large_open(struct large *large)
{
    *large = (struct large){ 0 };
    rig_folder(&large->rig);
    snprintf(large->path, sizeof(large->path), "%s-copy", large->rig.path);
    CHECK_OK(disk_new(&large->disk, "copy.disk", 1));
    CHECK_OK(store_open(&large->store, &(struct store_conf){
        .url = "sqlite:/weir.db", .disk = "copy.disk", .readers = 1 }, &large->why, SOON));
    for (int i = 0; i < 30; i++) {
        char id[16];
        snprintf(id, sizeof(id), "large-%d", i);
        CHECK_OK(add_large(large, id));
    }
}

/* Nothing is left of the copy: rig_remove sees that the folder is empty. */
static void large_close(struct large *large)
{
    struct wr_file_info info;
    CHECK_ERR(WR_NOTFOUND, wr_file_look(&info, large->path, WR_NEVER));
    store_close(large->store, SOON);
    disk_free(large->disk);
    rig_remove(&large->rig);
}

static int open_files(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int count = 0;
    REQUIRE(dir, 0);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static enum store_state state_of(struct store *store)
{
    struct store_health health;
    store_health(store, &health);
    return health.state;
}

TEST(a_copy_onto_a_full_disk_leaves_nothing_and_the_store_as_it_was)
{
    struct large large;
    struct rlimit limit, small;
    large_open(&large);
    CHECK_EQ(0, getrlimit(RLIMIT_FSIZE, &limit));
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    small = (struct rlimit){ .rlim_cur = 2 << 20, .rlim_max = limit.rlim_max };
    int files = open_files();
    CHECK_EQ(0, setrlimit(RLIMIT_FSIZE, &small));
    CHECK_ERR(WR_IO, store_backup(large.store, large.path, &large.why, SOON));
    CHECK_EQ(0, setrlimit(RLIMIT_FSIZE, &limit));
    signal(SIGXFSZ, before);
    CHECK(strstr(large.why.text, large.path));
    CHECK(!strstr(large.why.text, "not an error"));
    CHECK_EQ(files, open_files());
    CHECK_EQ(STORE_OK, state_of(large.store));
    CHECK_OK(add_large(&large, "after"));
    CHECK_EQ(31, jobs_of(large.store, "task"));
    large_close(&large);
}

static wr_err copy_large(void *arg)
{
    struct large *large = arg;
    large->err = store_backup(large->store, large->path, &large->why, SOON);
    return WR_OK;
}

/* WR_EXISTS: there is a copy under way. */
static wr_err look_for_copies(void *engine, struct store_act *act)
{
    (void)act;
    return ((struct sqlite *)engine)->copies ? WR_EXISTS : WR_OK;
}

TEST(a_transaction_that_fails_during_a_copy_ends_the_copy_and_not_the_store)
{
    struct large large;
    struct store_act act = { .alone = look_for_copies };
    large_open(&large);
    struct sqlite *engine = large.store->state;
    int files = open_files();
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.copy", copy_large, &large));
    while (wr_lane_do(engine->lane, &act.item, SOON) != WR_EXISTS)
        CHECK_OK(wr_yield());
    disk_break(large.disk, DISK_ERROR, 0);
    CHECK_ERR(WR_IO, add_large(&large, "lost"));
    scope_done(scope);
    CHECK_ERR(WR_IO, large.err);
    CHECK(strstr(large.why.text, "disk I/O error"));
    CHECK_EQ(files, open_files());
    CHECK_ERR(WR_IO, store_backup(large.store, large.path, &large.why, SOON));
    CHECK(strstr(large.why.text, "disk I/O error"));
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_OK(add_large(&large, "after"));
    CHECK_EQ(STORE_OK, state_of(large.store));
    CHECK_OK(store_backup(large.store, large.path, &large.why, SOON));
    CHECK_EQ(31, jobs_in_the_copy(&large.rig, "task"));
    CHECK_EQ(0, unlink(large.path));
    large_close(&large);
}
