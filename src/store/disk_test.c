#include "store/disk_file.h"

#include <string.h>

#include "testing/test.h"

/* Put a file of 4 sectors, all of one letter, onto the disk and sync it. */
static struct disk_file *old_file(struct disk *disk)
{
    char bytes[2048];
    struct disk_file *file = disk_create(disk, "/f");
    memset(bytes, 'o', sizeof(bytes));
    CHECK_EQ(SQLITE_OK, disk_write(disk, file, bytes, sizeof(bytes), 0));
    CHECK_EQ(SQLITE_OK, disk_sync(disk, file));
    return file;
}

static void write_new(struct disk *disk, struct disk_file *file)
{
    char bytes[2048];
    memset(bytes, 'n', sizeof(bytes));
    CHECK_EQ(SQLITE_OK, disk_write(disk, file, bytes, sizeof(bytes), 0));
}

static size_t count_new(const struct disk_file *file)
{
    size_t count = 0;
    for (size_t i = 0; i < file->live.len; i++)
        count += file->live.at[i] == 'n';
    return count;
}

static void end(struct disk *disk, struct disk_file *file, enum disk_fault fault)
{
    disk_break(disk, fault, 0);
    CHECK(disk_sync(disk, file) != SQLITE_OK);
    CHECK(disk_write(disk, file, "x", 1, 0) != SQLITE_OK);
    disk_restart(disk);
}

TEST_PLAIN(what_was_synced_survives_a_power_cut)
{
    struct disk *disk;
    CHECK_OK(disk_new(&disk, "test.disk", 1));
    struct disk_file *file = old_file(disk);
    write_new(disk, file);
    CHECK_EQ(SQLITE_OK, disk_sync(disk, file));
    end(disk, file, DISK_POWER);
    CHECK_EQ(2048, count_new(file));
    disk_free(disk);
}

TEST_PLAIN(what_was_not_synced_is_lost_or_kept_sector_by_sector)
{
    size_t seen[5] = { 0 };
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct disk *disk;
        CHECK_OK(disk_new(&disk, "test.disk", seed));
        struct disk_file *file = old_file(disk);
        write_new(disk, file);
        end(disk, file, DISK_POWER);
        CHECK_EQ(0, count_new(file) % 512);
        seen[count_new(file) / 512]++;
        disk_free(disk);
    }
    for (size_t i = 0; i < 5; i++)
        CHECK(seen[i] > 0);
}

TEST_PLAIN(a_process_that_ends_leaves_all_it_wrote)
{
    struct disk *disk;
    CHECK_OK(disk_new(&disk, "test.disk", 1));
    struct disk_file *file = old_file(disk);
    write_new(disk, file);
    end(disk, file, DISK_KILL);
    CHECK_EQ(2048, count_new(file));
    disk_free(disk);
}

TEST_PLAIN(after_a_sync_that_failed_another_one_does_not_help)
{
    struct disk *disk;
    CHECK_OK(disk_new(&disk, "test.disk", 1));
    struct disk_file *file = old_file(disk);
    write_new(disk, file);
    disk_break(disk, DISK_ERROR, 0);
    CHECK_EQ(SQLITE_IOERR_FSYNC, disk_sync(disk, file));
    CHECK_EQ(SQLITE_OK, disk_sync(disk, file));
    end(disk, file, DISK_POWER);
    CHECK_EQ(0, count_new(file));
    disk_free(disk);
}

TEST_PLAIN(a_full_disk_takes_what_fits_into_a_file_and_no_more)
{
    struct disk *disk;
    CHECK_OK(disk_new(&disk, "test.disk", 1));
    struct disk_file *file = old_file(disk);
    disk_break(disk, DISK_FULL, 0);
    write_new(disk, file);
    CHECK_EQ(SQLITE_FULL, disk_write(disk, file, "more", 4, 2048));
    disk_mend(disk);
    CHECK_EQ(SQLITE_OK, disk_write(disk, file, "more", 4, 2048));
    CHECK_EQ(5, disk_changes(disk));
    disk_free(disk);
}
