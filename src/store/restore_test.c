/* restore_test.c - a copy in the place of a store. */
#include "testing/archive_rig.h"

#include <signal.h>
#include <sys/resource.h>

TEST(a_copy_brings_back_the_database_and_its_blobs)
{
    struct archive_info info;
    struct store_why why;
    char aside[ARCHIVE_PATH_MAX], *bytes;
    size_t len;
    enter();
    make();
    CHECK_EQ(1, parts());
    note("second");
    CHECK_OK(store_blob_remove(rig.store, cid, SOON));
    rig_shut(&rig);
    CHECK_ERR(WR_EXISTS, archive_restore(copy, rig.path, false, aside, &info, &why));
    CHECK(strstr(why.text, "there is a store already") && strstr(why.text, "--replace"));
    CHECK_OK(archive_restore(copy, rig.path, true, aside, &info, &why));
    CHECK(!archive_interrupted(rig.path));
    CHECK_OK(rig_open(&rig));
    CHECK_EQ(1, events());
    CHECK_OK(store_blob_get(rig.store, cid, &bytes, &len, SOON));
    CHECK_STR("some bytes", bytes);
    free(bytes);
    rig_shut(&rig);
    struct wr_text url = WR_TEXT(rig.url);      /* nothing is thrown away */
    wr_text_format(&url, "sqlite:%s/weir.db", aside);
    CHECK_OK(rig_open(&rig));
    CHECK_EQ(2, events());
    leave();
}

TEST(a_copy_is_restored_where_there_is_nothing)
{
    struct archive_info info;
    struct store_why why;
    char aside[ARCHIVE_PATH_MAX];
    enter();
    make();
    rig_shut(&rig);
    snprintf(rig.path, sizeof(rig.path), "%s/new.db", rig.folder);
    snprintf(rig.url, sizeof(rig.url), "sqlite:%s", rig.path);
    CHECK_OK(archive_restore(copy, rig.path, false, aside, &info, &why));
    CHECK_STR("", aside);
    CHECK_OK(rig_open(&rig));
    CHECK_EQ(1, events());
    leave();
}

TEST(a_store_that_is_open_is_not_restored_into)
{
    struct archive_info info;
    struct store_why why;
    char aside[ARCHIVE_PATH_MAX];
    enter();
    make();
    CHECK_ERR(WR_BUSY, archive_restore(copy, rig.path, true, aside, &info, &why));
    CHECK(strstr(why.text, "another process has "));
    CHECK_EQ(1, events());
    leave();
}

TEST(a_restore_that_was_broken_off_is_known_and_done_again)
{
    struct archive_info info;
    struct store_why why;
    char stage[100], gone[100], aside[ARCHIVE_PATH_MAX];
    enter();
    make();
    rig_shut(&rig);
    snprintf(stage, sizeof(stage), "%s-restoring", rig.path);
    snprintf(gone, sizeof(gone), "%s/gone", rig.folder);
    CHECK(!archive_interrupted(rig.path));
    CHECK_OK(wr_file_make_dir(stage, 0700, SOON));
    CHECK(!archive_interrupted(rig.path));      /* the old store is still there */
    CHECK_OK(wr_file_rename(rig.path, gone, SOON));
    CHECK(archive_interrupted(rig.path));
    CHECK_OK(archive_restore(copy, rig.path, true, aside, &info, &why));
    CHECK(!archive_interrupted(rig.path));
    CHECK_OK(rig_open(&rig));
    CHECK_EQ(1, events());
    leave();
}

/* As on a full disk: no file gets longer than a page. */
static wr_err restore_without_room(struct store_why *why)
{
    struct archive_info info;
    struct rlimit limit;
    char aside[ARCHIVE_PATH_MAX];
    CHECK_EQ(0, getrlimit(RLIMIT_FSIZE, &limit));
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    struct rlimit small = { .rlim_cur = 4096, .rlim_max = limit.rlim_max };
    CHECK_EQ(0, setrlimit(RLIMIT_FSIZE, &small));
    wr_err err = archive_restore(copy, rig.path, true, aside, &info, why);
    CHECK_EQ(0, setrlimit(RLIMIT_FSIZE, &limit));
    signal(SIGXFSZ, before);
    CHECK_STR("", aside);
    return err;
}

TEST(a_restore_that_fails_after_one_that_was_broken_off_leaves_that_known)
{
    struct store_why why;
    char stage[100], gone[100];
    enter();
    make();
    rig_shut(&rig);
    snprintf(stage, sizeof(stage), "%s-restoring", rig.path);
    snprintf(gone, sizeof(gone), "%s/gone", rig.folder);
    CHECK_ERR(WR_IO, restore_without_room(&why));       /* all is as it was */
    CHECK(strstr(why.text, "the disk is full, or fails"));
    struct wr_file_info info;
    CHECK_ERR(WR_NOTFOUND, wr_file_look(&info, stage, SOON));
    CHECK_OK(wr_file_make_dir(stage, 0700, SOON));
    CHECK_OK(wr_file_rename(rig.path, gone, SOON));
    CHECK_ERR(WR_IO, restore_without_room(&why));
    CHECK(archive_interrupted(rig.path));
    CHECK_OK(wr_file_rename(gone, rig.path, SOON));
    CHECK_OK(rig_open(&rig));
    leave();
}
