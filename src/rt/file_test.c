/* file_test.c - tests of file.c, and of the driver's contract below it. */
#include <weir/file.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <weir/scope.h>
#include <weir/task.h>

#include "testing/test.h"

static char folder[64];

static const char *at(const char *name)
{
    static char paths[4][128];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

static bool enter(void)
{
    snprintf(folder, sizeof(folder), "/tmp/weir-file-XXXXXX");
    return CHECK(mkdtemp(folder) != NULL);
}

static void leave(void)
{
    static const char *const names[] = { "a", "b", "link", "..data", "1", "2" };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (unlink(at(names[i])) != 0)
            rmdir(at(names[i]));
    CHECK_EQ(0, rmdir(folder));      /* nothing else is left in it */
}

static void put(const char *name, const char *text)
{
    int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    REQUIRE(fd >= 0);
    CHECK_EQ(strlen(text), write(fd, text, strlen(text)));
    close(fd);
}

static void read_back(const char *name, const char *want)
{
    char *text = NULL;
    size_t len = 0;
    REQUIRE_OK(wr_file_read(&text, &len, at(name), 1000, wr_after(WR_S(1))));
    CHECK_EQ(strlen(want), len);
    CHECK_STR(want, text);
    free(text);
}

/* ---- copies, names and parts ---- */

TEST(a_copy_is_the_same_and_never_in_the_place_of_another)
{
    REQUIRE(enter());
    put("a", "some bytes");
    CHECK_OK(wr_file_copy(at("a"), at("b"), WR_NEVER));
    read_back("b", "some bytes");
    put("b", "others");
    CHECK_ERR(WR_EXISTS, wr_file_copy(at("a"), at("b"), WR_NEVER));
    read_back("b", "others");
    CHECK_ERR(WR_NOTFOUND, wr_file_copy(at("1"), at("2"), WR_NEVER));
    CHECK_ERR(WR_INVALID, wr_file_copy(folder, at("2"), WR_NEVER));
    CHECK_OK(wr_file_sync(folder, WR_NEVER));
    leave();
}

TEST(a_file_is_written_in_parts_and_gaps_are_zeros)
{
    char got[8];
    size_t len = 0;
    REQUIRE(enter());
    CHECK_OK(wr_file_write_part(at("a"), 5, "xyz", 3, WR_NEVER));
    CHECK_OK(wr_file_write_part(at("a"), 0, "ab", 2, WR_NEVER));
    CHECK_OK(wr_file_read_part(&len, got, sizeof(got), at("a"), 0, WR_NEVER));
    CHECK_EQ(8, len);
    CHECK(memcmp(got, "ab\0\0\0xyz", 8) == 0);
    CHECK_ERR(WR_NOTFOUND, wr_file_write_part(at("no/a"), 0, "x", 1, WR_NEVER));
    CHECK(wr_file_write_part(folder, 0, "x", 1, WR_NEVER) != WR_OK);
    leave();
}

TEST(a_file_takes_the_place_of_another_which_stays_with_who_has_it_mapped)
{
    struct wr_file_map map = { 0 };
    REQUIRE(enter());
    put("a", "new");
    put("b", "old one");
    REQUIRE_OK(wr_file_map(&map, at("b"), WR_NEVER));
    CHECK_OK(wr_file_replace(at("a"), at("b"), WR_NEVER));
    read_back("b", "new");
    CHECK_EQ(7, map.size);
    CHECK(memcmp(map.at, "old one", 7) == 0);
    wr_file_unmap(&map);
    CHECK(!map.at);
    CHECK_ERR(WR_NOTFOUND, wr_file_replace(at("a"), at("b"), WR_NEVER));
    leave();
}

TEST(an_empty_file_is_mapped_to_no_address_and_a_folder_not_at_all)
{
    struct wr_file_map map = { 0 };
    REQUIRE(enter());
    put("a", "");
    CHECK_OK(wr_file_map(&map, at("a"), WR_NEVER));
    CHECK(!map.at && map.size == 0);
    wr_file_unmap(&map);
    CHECK_ERR(WR_INVALID, wr_file_map(&map, folder, WR_NEVER));
    CHECK_ERR(WR_NOTFOUND, wr_file_map(&map, at("b"), WR_NEVER));
    leave();
}

TEST(a_new_name_is_never_that_of_something_else)
{
    REQUIRE(enter());
    put("a", "one");
    put("b", "two");
    CHECK_ERR(WR_EXISTS, wr_file_rename(at("a"), at("b"), WR_NEVER));
    read_back("b", "two");
    CHECK_OK(wr_file_rename(at("a"), at("1"), WR_NEVER));
    read_back("1", "one");
    CHECK_ERR(WR_NOTFOUND, wr_file_rename(at("a"), at("2"), WR_NEVER));
    CHECK_OK(wr_file_make_dir(at("2"), 0700, WR_NEVER));
    CHECK_OK(wr_file_make_dir(at("a"), 0700, WR_NEVER));
    CHECK_ERR(WR_EXISTS, wr_file_rename(at("2"), at("a"), WR_NEVER));
    leave();
}

TEST(a_part_of_a_file_ends_where_the_file_ends)
{
    char buf[4] = "";
    size_t len = 9;
    REQUIRE(enter());
    put("a", "123456");
    CHECK_OK(wr_file_read_part(&len, buf, 4, at("a"), 0, WR_NEVER));
    CHECK(len == 4 && memcmp(buf, "1234", 4) == 0);
    CHECK_OK(wr_file_read_part(&len, buf, 4, at("a"), 4, WR_NEVER));
    CHECK(len == 2 && memcmp(buf, "56", 2) == 0);
    CHECK_OK(wr_file_read_part(&len, buf, 4, at("a"), 7, WR_NEVER));
    CHECK_EQ(0, len);
    CHECK_ERR(WR_INVALID, wr_file_read_part(&len, buf, 4, folder, 0, WR_NEVER));
    leave();
}

TEST(a_folder_is_listed_within_its_bound_and_removed_when_it_is_empty)
{
    char *text;
    size_t len;
    REQUIRE(enter());
    CHECK_OK(wr_file_list(&text, &len, folder, 10, WR_NEVER));
    CHECK_EQ(0, len);
    free(text);
    put("a", "");
    put("b", "");
    CHECK_OK(wr_file_list(&text, &len, folder, 4, WR_NEVER));
    CHECK(len == 4 && (memcmp(text, "a\0b", 4) == 0 || memcmp(text, "b\0a", 4) == 0));
    free(text);
    CHECK_ERR(WR_INVALID, wr_file_list(&text, &len, folder, 3, WR_NEVER));
    CHECK_ERR(WR_INVALID, wr_file_list(&text, &len, at("a"), 100, WR_NEVER));
    CHECK_ERR(WR_NOTFOUND, wr_file_list(&text, &len, at("1"), 100, WR_NEVER));
    CHECK_ERR(WR_EXISTS, wr_file_remove_dir(folder, WR_NEVER));
    CHECK_OK(wr_file_make_dir(at("1"), 0700, WR_NEVER));
    CHECK_OK(wr_file_remove_dir(at("1"), WR_NEVER));
    CHECK_ERR(WR_NOTFOUND, wr_file_remove_dir(at("1"), WR_NEVER));
    leave();
}

/* ---- reading and writing ---- */

static void write_and_read(void)
{
    REQUIRE(enter());
    CHECK_OK(wr_file_write_atomic(at("a"), "one", 3, 0600, wr_after(WR_S(1))));
    read_back("a", "one");
    CHECK_OK(wr_file_write_atomic(at("a"), "", 0, 0640, wr_after(WR_S(1))));
    read_back("a", "");
    struct wr_file_info info;
    CHECK_OK(wr_file_look(&info, at("a"), wr_after(WR_S(1))));
    CHECK(info.regular && !info.directory && info.mode == 0640 && info.size == 0);
    CHECK_EQ(geteuid(), info.uid);
    leave();
}

TEST(what_was_written_is_read_by_a_fiber)
{
    write_and_read();
}

TEST_PLAIN(what_was_written_is_read_without_a_run)
{
    write_and_read();
}

TEST(a_file_larger_than_the_limit_is_refused)
{
    REQUIRE(enter());
    char *text;
    size_t len;
    put("a", "12345");
    CHECK_ERR(WR_INVALID, wr_file_read(&text, &len, at("a"), 4, WR_NEVER));
    CHECK_OK(wr_file_read(&text, &len, at("a"), 5, WR_NEVER));
    CHECK_EQ(5, len);
    free(text);
    leave();
}

/* The size of a file under /proc is 0, whatever it has. */
TEST(a_file_that_has_more_than_it_says_is_held_to_the_limit)
{
    char *text;
    size_t len;
    CHECK_ERR(WR_INVALID, wr_file_read(&text, &len, "/proc/self/status", 10, WR_NEVER));
    CHECK_OK(wr_file_read(&text, &len, "/proc/self/status", 100000, WR_NEVER));
    CHECK(len > 100 && text[len] == '\0');
    free(text);
}

TEST(only_regular_files_are_read)
{
    REQUIRE(enter());
    char *text;
    size_t len;
    CHECK_ERR(WR_NOTFOUND, wr_file_read(&text, &len, at("a"), 10, WR_NEVER));
    CHECK_ERR(WR_INVALID, wr_file_read(&text, &len, folder, 1000000, WR_NEVER));
    REQUIRE(mkfifo(at("a"), 0600) == 0);
    CHECK_ERR(WR_INVALID, wr_file_read(&text, &len, at("a"), 10, WR_NEVER));
    leave();
}

TEST(a_replaced_file_keeps_its_old_self_for_those_who_read_it)
{
    REQUIRE(enter());
    put("a", "old");
    int fd = open(at("a"), O_RDONLY | O_CLOEXEC);
    REQUIRE(fd >= 0);
    CHECK_OK(wr_file_write_atomic(at("a"), "new", 3, 0600, WR_NEVER));
    char text[4] = { 0 };
    CHECK_EQ(3, read(fd, text, 3));
    CHECK_STR("old", text);
    close(fd);
    read_back("a", "new");
    leave();
}

TEST(a_write_that_fails_leaves_nothing_behind)
{
    REQUIRE(enter());
    CHECK_ERR(WR_NOTFOUND, wr_file_write_atomic(at("none/a"), "x", 1, 0600, WR_NEVER));
    REQUIRE(mkdir(at("a"), 0700) == 0);
    CHECK(wr_file_write_atomic(at("a"), "x", 1, 0600, WR_NEVER) != WR_OK);
    leave();
}

TEST(folders_are_made_with_those_above_them)
{
    REQUIRE(enter());
    struct wr_file_info info;
    CHECK_OK(wr_file_make_dir(at("a/b"), 0700, WR_NEVER));
    CHECK_OK(wr_file_make_dir(at("a/b"), 0700, WR_NEVER));
    CHECK_OK(wr_file_look(&info, at("a/b"), WR_NEVER));
    CHECK(info.directory && info.mode == 0700);
    put("b", "x");
    CHECK_ERR(WR_EXISTS, wr_file_make_dir(at("b"), 0700, WR_NEVER));
    CHECK(wr_file_make_dir(at("b/c"), 0700, WR_NEVER) != WR_OK);
    rmdir(at("a/b"));
    leave();
}

TEST(a_removed_file_is_gone)
{
    REQUIRE(enter());
    struct wr_file_info info;
    put("a", "x");
    CHECK_OK(wr_file_remove(at("a"), WR_NEVER));
    CHECK_ERR(WR_NOTFOUND, wr_file_look(&info, at("a"), WR_NEVER));
    CHECK_ERR(WR_NOTFOUND, wr_file_remove(at("a"), WR_NEVER));
    leave();
}

TEST(memory_is_told_from_disks)
{
    struct wr_file_info info;
    REQUIRE_OK(wr_file_look(&info, "/proc/self", WR_NEVER));
    CHECK(!info.in_memory);
    if (wr_file_look(&info, "/dev/shm", WR_NEVER))
        SKIP("no /dev/shm here");
    CHECK(info.in_memory);
}

TEST(a_disk_has_a_size_and_no_more_left_than_that)
{
    struct wr_file_info info;
    REQUIRE_OK(wr_file_look(&info, "/", WR_NEVER));
    CHECK(info.disk_size > 0);
    CHECK(info.disk_left <= info.disk_size);
}

TEST(a_file_of_the_system_is_read_though_it_says_it_is_empty)
{
    char *text = NULL;
    size_t len = 0;
    REQUIRE_OK(wr_file_read(&text, &len, "/proc/self/smaps", (size_t)64 << 20, WR_NEVER));
    CHECK(len > 4096);
    free(text);
}

/* ---- forbidding ---- */

static void forbid(void)
{
    REQUIRE(enter());
    struct wr_file_writes before = wr_file_writes();
    CHECK_OK(wr_file_write_atomic(at("a"), "x", 1, 0600, WR_NEVER));
    CHECK_EQ(before.done + 1, wr_file_writes().done);
    wr_file_forbid_writes();
    CHECK_ERR(WR_DENIED, wr_file_write_atomic(at("a"), "y", 1, 0600, WR_NEVER));
    CHECK_ERR(WR_DENIED, wr_file_make_dir(at("b"), 0700, WR_NEVER));
    CHECK_EQ(before.done + 1, wr_file_writes().done);
    CHECK_ERR(WR_DENIED, wr_file_remove(at("a"), WR_NEVER));
    CHECK_EQ(before.forbidden + 3, wr_file_writes().forbidden);
    read_back("a", "x");
    leave();
    abort();        /* there is no way back: only a process of its own can forbid */
}

TEST_DIES(forbidden_writes_are_denied_counted_and_logged,
          "event=file.write.forbidden path=/tmp/weir-file-[A-Za-z0-9]*/a .*$")
{
    forbid();
}

/* ---- watching ---- */

static bool changed(struct wr_file_watch *watch)
{
    wr_err err = wr_file_watch_wait(watch, wr_after(WR_S(1)));
    CHECK(err == WR_OK || err == WR_TIMEOUT);
    return err == WR_OK;
}

static struct wr_file_watch *watch_a(void)
{
    struct wr_file_watch *watch = NULL;
    CHECK_OK(wr_file_watch_open(&watch, at("a")));
    return watch;
}

TEST(a_file_that_is_written_or_replaced_or_removed_has_changed)
{
    REQUIRE(enter());
    put("a", "1");
    struct wr_file_watch *watch = watch_a();
    REQUIRE(watch != NULL);
    CHECK(!changed(watch));
    put("a", "2");
    CHECK(changed(watch) && !changed(watch));
    CHECK_OK(wr_file_write_atomic(at("a"), "3", 1, 0600, WR_NEVER));
    CHECK(changed(watch) && !changed(watch));
    unlink(at("a"));
    CHECK(changed(watch) && !changed(watch));
    put("a", "4");
    CHECK(changed(watch) && !changed(watch));
    wr_file_watch_close(watch);
    leave();
}

TEST(other_files_of_the_folder_are_no_change)
{
    REQUIRE(enter());
    put("a", "1");
    struct wr_file_watch *watch = watch_a();
    REQUIRE(watch != NULL);
    put("b", "2");
    unlink(at("b"));
    CHECK(!changed(watch));
    wr_file_watch_close(watch);
    leave();
}

TEST(many_changes_while_nobody_waits_are_one)
{
    REQUIRE(enter());
    struct wr_file_watch *watch = watch_a();
    REQUIRE(watch != NULL);
    for (int i = 0; i < 100; i++)
        put("a", "x");
    CHECK(changed(watch));
    int more = 0;
    while (changed(watch))
        more++;
    CHECK(more < 3);
    wr_file_watch_close(watch);
    leave();
}

/* As cluster managers do it: a -> ..data/a, and ..data is turned to another folder. */
TEST(a_link_on_the_way_that_is_turned_is_a_change)
{
    REQUIRE(enter());
    REQUIRE(mkdir(at("1"), 0700) == 0 && mkdir(at("2"), 0700) == 0);
    put("1/a", "one");
    put("2/a", "two");
    REQUIRE(symlink("1", at("..data")) == 0 && symlink("..data/a", at("a")) == 0);
    struct wr_file_watch *watch = watch_a();
    REQUIRE(watch != NULL);
    REQUIRE(symlink("2", at("link")) == 0 && rename(at("link"), at("..data")) == 0);
    CHECK(changed(watch));
    read_back("a", "two");
    CHECK(!changed(watch));
    wr_file_watch_close(watch);
    unlink(at("1/a"));
    unlink(at("2/a"));
    leave();
}

static wr_err write_later(void *arg)
{
    (void)arg;
    return wr_file_write_atomic(at("a"), "later", 5, 0600, WR_NEVER);
}

TEST(a_waiting_fiber_is_woken_by_the_change)
{
    REQUIRE(enter());
    struct wr_file_watch *watch = watch_a();
    REQUIRE(watch != NULL);
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "test.writer", write_later, NULL));
    CHECK_OK(wr_file_watch_wait(watch, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
    wr_file_watch_close(watch);
    leave();
}

TEST(the_end_of_the_folder_ends_the_watch)
{
    REQUIRE(enter());
    struct wr_file_watch *watch = watch_a();
    REQUIRE(watch != NULL);
    leave();
    CHECK_ERR(WR_NOTFOUND, wr_file_watch_wait(watch, wr_after(WR_S(1))));
    wr_file_watch_close(watch);
}

TEST(a_path_without_a_folder_cannot_be_watched)
{
    struct wr_file_watch *watch = NULL;
    CHECK_ERR(WR_NOTFOUND, wr_file_watch_open(&watch, "/nowhere/at/all"));
    CHECK(watch == NULL);
    wr_file_watch_close(NULL);
}
