#include "store/sqlite.h"

#include <string.h>

#include <weir/task.h>

#include "store/disk.h"
#include "store/task.h"
#include "testing/metric_rig.h"
#include "testing/settle.h"
#include "testing/store_rig.h"

#define SOON wr_after(WR_S(5))

struct rig { struct disk *disk; struct store *store; int number; };

static wr_err open_on(struct rig *rig)
{
    struct store_why why;
    wr_err err = store_open(&rig->store, &(struct store_conf){
        .url = "sqlite:/weir.db", .disk = "test.disk", .readers = 1 }, &why, SOON);
    if (err)
        fprintf(stderr, "# %s\n", why.text);
    return err;
}

static void open_rig(struct rig *rig)
{
    *rig = (struct rig){ 0 };
    CHECK_OK(disk_new(&rig->disk, "test.disk", 1));
    CHECK_OK(open_on(rig));
}

static void close_rig(struct rig *rig)
{
    store_close(rig->store, SOON);
    disk_free(rig->disk);
}

static wr_err add(struct rig *rig)
{
    char id[16];
    snprintf(id, sizeof(id), "job-%05d", rig->number++);
    return store_job_add(rig->store, &(struct store_job_new){
        .id = id, .task = "task", .kind = "k", .slot = "s",
        .input = "what makes the file grow, after a while" }, SOON);
}

static uint64_t jobs_of(struct store *store)
{
    struct store_counts counts;
    CHECK_OK(store_task_stop(store, "task", &(struct store_task_stop){
        .running = true, .reason = "done" }, &counts, SOON));
    return counts.count ? counts.counts[0].jobs[STORE_JOB_QUEUED]
                          + counts.counts[0].jobs[STORE_JOB_RUNNING] : 0;
}

static struct store_health health_of(struct rig *rig)
{
    struct store_health health;
    store_health(rig->store, &health);
    return health;
}

/* Write until it fails, then see that it says why, that it goes on failing without harm, and
 * that it goes on by itself when the disk does. */
static void fail_and_recover(enum disk_fault fault, const char *said)
{
    struct rig rig;
    open_rig(&rig);
    int written = 0;
    CHECK_OK(add(&rig));
    disk_break(rig.disk, fault, 0);
    wr_err err = WR_OK;
    for (written = 1; written < 5000 && !(err = add(&rig)); written++)
        ;
    CHECK_ERR(WR_IO, err);
    CHECK_EQ(STORE_DEGRADED, health_of(&rig).state);
    CHECK_EQ(1, metric_value("store_degraded"));
    CHECK(strstr(health_of(&rig).why.text, said));
    CHECK(strstr(health_of(&rig).why.text, "/weir.db"));
    CHECK_ERR(WR_IO, add(&rig));
    if (fault != DISK_ERROR) {
        CHECK_OK(wr_sleep(wr_after(WR_S(2))));
        CHECK_ERR(WR_IO, add(&rig));                    /* it has looked, and still cannot */
        disk_mend(rig.disk);
    }
    CHECK_ERR(WR_IO, add(&rig));                        /* not looked again yet */
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_OK(add(&rig));
    CHECK_EQ(STORE_OK, health_of(&rig).state);
    CHECK_EQ(0, metric_value("store_degraded"));
    CHECK_EQ(written + 1, jobs_of(rig.store));          /* what was acknowledged, no more */
    close_rig(&rig);
}

TEST(a_full_disk_degrades_the_store_until_there_is_room)
{
    fail_and_recover(DISK_FULL, "make room on the disk");
}

TEST(a_disk_that_became_read_only_degrades_the_store_until_it_is_writable)
{
    fail_and_recover(DISK_DENIED, "Read-only file system");
}

static wr_err be_idle(void *engine, struct store_act *act)
{
    struct sqlite *self = engine;
    (void)act;
    self->wrote_at = wr_now() - WR_S(5);
    sqlite_idle(self);
    return WR_OK;
}

TEST(a_disk_that_nobody_writes_to_is_looked_at_too)
{
    struct rig rig;
    open_rig(&rig);
    struct sqlite *engine = rig.store->state;
    struct store_act act = { .alone = be_idle };
    CHECK_OK(wr_lane_do(engine->lane, &act.item, SOON));
    CHECK_EQ(STORE_OK, health_of(&rig).state);
    disk_break(rig.disk, DISK_DENIED, 0);
    CHECK_OK(wr_lane_do(engine->lane, &act.item, SOON));
    CHECK_EQ(STORE_DEGRADED, health_of(&rig).state);
    disk_mend(rig.disk);
    CHECK_OK(wr_sleep(wr_after(WR_S(2))));
    CHECK_OK(add(&rig));
    CHECK_EQ(STORE_OK, health_of(&rig).state);
    close_rig(&rig);
}

TEST(a_write_that_failed_is_not_acknowledged_and_the_next_second_all_is_well)
{
    fail_and_recover(DISK_ERROR, "disk I/O error");
}

/* A failed sync makes the kernel forget the pages: what was not acknowledged may be lost, what
 * is acknowledged afterwards may not. */
TEST(after_a_sync_that_failed_what_is_acknowledged_survives_a_power_cut)
{
    for (uint64_t at = 0; at < 6; at++) {
        struct rig rig;
        open_rig(&rig);
        int acknowledged = 0;
        for (int i = 0; i < 3; i++)
            acknowledged += add(&rig) == WR_OK;
        disk_break(rig.disk, DISK_ERROR, at);
        for (int i = 0; i < 3; i++)
            acknowledged += add(&rig) == WR_OK;
        CHECK_OK(wr_sleep(wr_after(WR_S(1))));
        for (int i = 0; i < 3; i++)
            acknowledged += add(&rig) == WR_OK;
        disk_break(rig.disk, DISK_POWER, 0);
        CHECK_ERR(WR_IO, add(&rig));
        store_close(rig.store, SOON);
        disk_restart(rig.disk);
        CHECK_OK(open_on(&rig));
        uint64_t found = jobs_of(rig.store);
        CHECK(found >= (uint64_t)acknowledged);
        CHECK(found <= (uint64_t)rig.number);
        close_rig(&rig);
    }
}

TEST(the_log_starts_over_instead_of_growing)
{
    struct rig rig;
    uint64_t most = 0;
    open_rig(&rig);
    for (int i = 0; i < test_rounds(2000); i++) {
        CHECK_OK(add(&rig));
        uint64_t wal = health_of(&rig).wal_bytes;
        most = wal > most ? wal : most;
    }
    CHECK(most > 0);
    CHECK(most < 6 << 20);
    CHECK_EQ(health_of(&rig).wal_bytes, metric_value("store_wal_bytes"));
    CHECK(metric_value("store_writes_total") >= test_rounds(2000));
    CHECK(metric_value("store_batch_seconds_count") >= test_rounds(2000));
    close_rig(&rig);
}

/* ---- a file that goes away ---- */

static void check_gone(struct rig *rig)
{
    CHECK_EQ(STORE_DEGRADED, health_of(rig).state);
    CHECK(strstr(health_of(rig).why.text, "weir.db was moved or removed while it was open"));
}

TEST(a_file_that_was_moved_is_not_written_until_it_is_back)
{
    struct store_rig file;
    char away[80];
    rig_folder(&file);
    snprintf(away, sizeof(away), "%s/away", file.folder);
    CHECK_OK(rig_open(&file));
    struct rig rig = { .store = file.store };
    CHECK_OK(add(&rig));
    CHECK_EQ(0, rename(file.path, away));
    CHECK_ERR(WR_IO, add(&rig));
    check_gone(&rig);
    CHECK_OK(wr_sleep(wr_after(WR_S(3))));
    CHECK_ERR(WR_IO, add(&rig));
    CHECK(access(file.path, F_OK) != 0);        /* it was not made anew */
    check_gone(&rig);
    CHECK_EQ(0, rename(away, file.path));
    CHECK_OK(wr_sleep(wr_after(WR_S(3))));
    CHECK_OK(add(&rig));
    CHECK_EQ(STORE_OK, health_of(&rig).state);
    CHECK_EQ(2, jobs_of(rig.store));
    rig_shut(&file);
    rig_remove(&file);
}

static wr_err remove_and_be_idle(void *engine, struct store_act *act)
{
    struct sqlite *self = engine;
    CHECK_EQ(0, unlink(self->path));
    return be_idle(engine, act);
}

TEST(a_file_that_was_removed_is_found_out_though_nobody_writes)
{
    struct store_rig file;
    rig_folder(&file);
    CHECK_OK(rig_open(&file));
    struct rig rig = { .store = file.store };
    struct sqlite *engine = rig.store->state;
    struct store_act act = { .alone = remove_and_be_idle };
    CHECK_OK(wr_lane_do(engine->lane, &act.item, SOON));
    check_gone(&rig);
    rig_shut(&file);
    rig_remove(&file);
}

/* ---- in memory ---- */

/* Ends the transaction, so that it cannot be committed. */
static const struct store_verb spoil = {
    .name = "test.spoil", .writes = true, .sqlite = { "rollback" },
};

TEST(a_store_in_memory_outlives_a_transaction_that_fails)
{
    struct rig rig = { 0 };
    struct store_why why;
    CHECK_OK(store_open(&rig.store, &(struct store_conf){ .url = "sqlite:" }, &why, SOON));
    CHECK_OK(add(&rig));
    CHECK_ERR(WR_IO, store_do(rig.store, &spoil, (struct store_values){ 0 }, NULL, SOON));
    CHECK_OK(add(&rig));
    CHECK_EQ(STORE_OK, health_of(&rig).state);
    CHECK_EQ(2, jobs_of(rig.store));
    store_close(rig.store, SOON);
}
