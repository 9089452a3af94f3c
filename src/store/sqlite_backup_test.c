#include <stdio.h>
#include <string.h>

#include <weir/file.h>
#include <weir/scope.h>

#include "store/job.h"
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
    uint64_t count = 0;
    CHECK_OK(store_job_cancel(store, task, NULL, true, &count, WR_NEVER));
    return count;
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
