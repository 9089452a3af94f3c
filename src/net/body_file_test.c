/* body_file_test.c - large bodies, by way of a file. */
#include "net/body_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/test.h"

#define STEPS 5

static char folder[64];

static void open_folder(void)
{
    snprintf(folder, sizeof(folder), "/tmp/weir-file-XXXXXX");
    REQUIRE(mkdtemp(folder));
}

static size_t names_in_folder(void)
{
    char *names;
    size_t len, count = 0;
    if (!CHECK_OK(wr_file_list(&names, &len, folder, 4096, wr_after(WR_S(1)))))
        return 99;
    for (const char *name = names; name < names + len; name += strlen(name) + 1)
        count += name[0] != '.';
    free(names);
    return count;
}

static void close_folder(void)
{
    CHECK_OK(body_file_prepare(folder, wr_after(WR_S(1))));
    CHECK_OK(wr_file_remove_dir(folder, wr_after(WR_S(1))));
}

TEST(what_was_added_is_mapped_in_its_order_and_has_no_name_then)
{
    struct body_file *file = NULL;
    struct wr_file_map map;
    char step[1000];
    open_folder();
    for (int i = 0; i < STEPS; i++) {
        memset(step, 'a' + i, sizeof(step));
        CHECK_OK(body_file_add(&file, folder, step, sizeof(step)));
    }
    CHECK_EQ(1, names_in_folder());
    CHECK_OK(body_file_map(file, &map));
    CHECK_EQ(0, names_in_folder());
    CHECK_EQ(STEPS * sizeof(step), map.size);
    size_t misplaced = 0;
    for (size_t i = 0; i < map.size; i++)
        misplaced += map.at[i] != 'a' + i / sizeof(step);
    CHECK_EQ(0, misplaced);
    body_file_free(file);
    CHECK_EQ('a', map.at[0]);           /* who has it mapped keeps it */
    wr_file_unmap(&map);
    close_folder();
}

TEST(what_is_given_up_leaves_no_file)
{
    struct body_file *file = NULL;
    open_folder();
    CHECK_OK(body_file_add(&file, folder, "x", 1));
    body_file_free(file);
    CHECK_EQ(0, names_in_folder());
    close_folder();
}

TEST(what_a_killed_process_left_is_removed_by_the_next)
{
    struct body_file *file = NULL;
    open_folder();
    CHECK_OK(body_file_add(&file, folder, "x", 1));
    CHECK_OK(body_file_prepare(folder, wr_after(WR_S(1))));
    CHECK_EQ(0, names_in_folder());
    body_file_free(file);
    close_folder();
}

TEST(a_folder_that_is_gone_is_said)
{
    struct body_file *file = NULL;
    CHECK_ERR(WR_NOTFOUND, body_file_add(&file, "/nonexistent", "x", 1));
    body_file_free(file);
}
