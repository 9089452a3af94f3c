/* archive_test.c - copies of a store, sound and damaged. */
#include "testing/archive_rig.h"

TEST(nothing_is_overwritten_by_a_copy)
{
    struct archive_info info;
    struct store_why why;
    enter();
    make();
    CHECK_ERR(WR_EXISTS, archive_make(rig.store, copy, &info, &why, SOON));
    CHECK(strstr(why.text, "is there already: give the path of a new folder"));
    CHECK_ERR(WR_INVALID, archive_make(rig.store, "", &info, &why, SOON));
    CHECK_ERR(WR_INVALID, archive_make(rig.store, "/x/", &info, &why, SOON));
    CHECK_EQ(1, parts());
    leave();
}

static wr_err keep_writing(void *arg)
{
    bool *enough = arg;
    for (int i = 0; i < 200 && !*enough; i++)
        note("more");
    return WR_OK;
}

TEST(a_copy_made_while_others_write_is_sound_and_has_what_was_there_before)
{
    struct archive_info info;
    struct store_why why;
    bool enough = false;
    char aside[ARCHIVE_PATH_MAX];
    enter();
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.writer", keep_writing, &enough));
    make();
    enough = true;
    CHECK_OK(wr_scope_join(scope, SOON));
    CHECK_OK(wr_scope_close(scope));
    uint64_t all = events();
    CHECK_OK(archive_check(copy, &info, &why));
    rig_shut(&rig);
    CHECK_OK(archive_restore(copy, rig.path, true, aside, &info, &why));
    CHECK_OK(rig_open(&rig));
    CHECK(events() >= 1 && events() <= all);
    leave();
}

/* Turn a bit of a file. */
static void damage(const char *path, off_t at)
{
    char byte = 0;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    REQUIRE(fd >= 0);
    CHECK_EQ(1, pread(fd, &byte, 1, at));
    byte ^= 1;
    CHECK_EQ(1, pwrite(fd, &byte, 1, at));
    close(fd);
}

static void blob_path(char *ret, size_t size, const char *database)
{
    snprintf(ret, size, "%s-blobs/%.2s/%s", database, cid + 3, cid + 5);
}

TEST(one_bit_that_is_wrong_is_found_wherever_it_is)
{
    struct archive_info info;
    struct store_why why;
    char path[300], file[100], aside[ARCHIVE_PATH_MAX];
    enter();
    make();
    rig_shut(&rig);
    snprintf(file, sizeof(file), "%s/weir.db", copy);
    for (off_t at = 100; at < 30000; at += 9001) {
        damage(file, at);
        CHECK_ERR(WR_QUARANTINE, archive_check(copy, &info, &why));
        CHECK(strstr(why.text, "is not what was copied: it is damaged"));
        damage(file, at);
    }
    blob_path(path, sizeof(path), file);
    damage(path, 3);
    CHECK_ERR(WR_QUARANTINE, archive_restore(copy, rig.path, true, aside, &info, &why));
    damage(path, 3);
    CHECK_OK(archive_check(copy, &info, &why));
    CHECK_EQ(0, unlink(path));
    CHECK_ERR(WR_QUARANTINE, archive_check(copy, &info, &why));
    CHECK_OK(rig_open(&rig));               /* the store is as it was */
    CHECK_EQ(1, events());
    leave();
}

TEST(what_was_put_beside_a_copy_is_no_part_of_it)
{
    static const char *const names[] = { "weir.db-wal", "weir.db-journal", "weir.db-shm", "x" };
    struct archive_info info;
    struct store_why why;
    char path[100], aside[ARCHIVE_PATH_MAX];
    enter();
    make();
    rig_shut(&rig);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", copy, names[i]);
        CHECK_OK(wr_file_write_atomic(path, "x", 1, 0600, SOON));
        CHECK_ERR(WR_QUARANTINE, archive_restore(copy, rig.path, true, aside, &info, &why));
        CHECK(strstr(why.text, "was put into it") && strstr(why.text, names[i]));
        CHECK_EQ(0, unlink(path));
    }
    CHECK_OK(archive_check(copy, &info, &why));
    CHECK_OK(rig_open(&rig));
    leave();
}

TEST(what_is_no_copy_is_refused_with_a_sentence)
{
    struct archive_info info;
    struct store_why why;
    char path[100];
    enter();
    CHECK_ERR(WR_NOTFOUND, archive_check("/nowhere", &info, &why));
    CHECK(strstr(why.text, "/nowhere is no backup: its file \"manifest\" cannot be read"));
    make();
    snprintf(path, sizeof(path), "%s/manifest", copy);
    CHECK_OK(wr_file_write_atomic(path, "weir backup 2\n", 14, 0600, SOON));
    CHECK_ERR(WR_INVALID, archive_check(copy, &info, &why));
    CHECK(strstr(why.text, "or one of a newer program"));
    leave();
}

TEST(a_damaged_blob_ends_the_copy_and_leaves_nothing)
{
    struct archive_info info;
    struct store_why why;
    char path[300];
    enter();
    blob_path(path, sizeof(path), rig.path);
    damage(path, 0);
    CHECK_ERR(WR_QUARANTINE, archive_make(rig.store, copy, &info, &why, SOON));
    CHECK(strstr(why.text, "is damaged") && strstr(why.text, "put it again, or remove it"));
    CHECK_EQ(0, parts());
    leave();
}

TEST(a_look_reads_every_page_and_changes_nothing)
{
    struct archive_info info;
    struct store_why why;
    enter();
    CHECK_OK(archive_look(rig.path, &info, &why));      /* while it is open */
    CHECK(info.steps > 5 && info.wal_bytes > 0);
    rig_shut(&rig);
    CHECK_OK(archive_look(rig.path, &info, &why));
    CHECK_ERR(WR_NOTFOUND, archive_look("/nowhere/weir.db", &info, &why));
    int fd = open(rig.path, O_RDWR | O_CLOEXEC);
    static const char zeros[3000];
    CHECK_EQ(3000, pwrite(fd, zeros, 3000, 12288));
    close(fd);
    CHECK_ERR(WR_IO, archive_look(rig.path, &info, &why));
    CHECK(strstr(why.text, "is damaged: "));
    CHECK_OK(rig_open(&rig));
    leave();
}
