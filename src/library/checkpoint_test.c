/* checkpoint_test.c - tests of checkpoint.c: what is not whole is not gone on with. */
#include <fcntl.h>
#include <sys/stat.h>

#include "testing/library_rig.h"

static const char *in_part(const struct library_rig *rig, const char *name)
{
    static char path[256];
    snprintf(path, sizeof(path), "%s.part/%s", rig->path, name);
    return path;
}

static void save_one(struct library_rig *rig)
{
    library_rig_open(rig);
    rig_add(rig, &(struct bib_record){ .work = { .title = "A title", .venue = "A venue" } });
    CHECK_OK(library_writer_save(rig->writer, "1"));
    library_writer_close(rig->writer);
    rig->writer = NULL;
}

static void begins_anew(struct library_rig *rig)
{
    REQUIRE(rig_write(rig));
    CHECK(!library_writer_position(rig->writer));
    CHECK_EQ(0, library_writer_count(rig->writer));
    rig_add(rig, &(struct bib_record){ .work = { .title = "B title", .venue = "A venue" } });
    rig_finish(rig);
    CHECK_EQ(1, library_info(rig->lib).records);
    library_rig_close(rig);
}

TEST(a_checkpoint_with_one_other_byte_is_none)
{
    struct library_rig rig;
    save_one(&rig);
    int fd = open(in_part(&rig, "checkpoint"), O_RDWR | O_CLOEXEC);
    CHECK_EQ(1, pwrite(fd, "9", 1, 65));
    close(fd);
    begins_anew(&rig);
}

TEST(a_checkpoint_whose_files_are_shorter_than_it_says_is_none)
{
    struct library_rig rig;
    save_one(&rig);
    CHECK_EQ(0, truncate(in_part(&rig, "places"), 7));
    begins_anew(&rig);
}

TEST(a_checkpoint_that_is_empty_is_none)
{
    struct library_rig rig;
    save_one(&rig);
    CHECK_EQ(0, truncate(in_part(&rig, "checkpoint"), 0));
    begins_anew(&rig);
}

TEST(a_checkpoint_whose_venues_are_damaged_is_none)
{
    struct library_rig rig;
    save_one(&rig);
    int fd = open(in_part(&rig, "venues"), O_RDWR | O_CLOEXEC);
    CHECK_EQ(1, pwrite(fd, "\x7f", 1, 0));
    close(fd);
    begins_anew(&rig);
}

TEST(venues_keep_their_numbers_when_a_build_goes_on)
{
    struct library_rig rig;
    struct wr_arena arena = WR_ARENA(4096);
    struct bib_record record;
    save_one(&rig);
    REQUIRE(rig_write(&rig));
    CHECK_STR("1", library_writer_position(rig.writer));
    rig_add(&rig, &(struct bib_record){ .work = { .title = "B title", .venue = "A venue" } });
    rig_add(&rig, &(struct bib_record){ .work = { .title = "C title", .venue = "C venue" } });
    rig_finish(&rig);
    static const char *const venues[] = { "A venue", "A venue", "C venue" };
    for (unsigned i = 0; i < 3; i++) {
        CHECK_OK(library_record(rig.lib, i, &arena, &record));
        CHECK_STR(venues[i], record.work.venue);
    }
    wr_arena_free(&arena);
    library_rig_close(&rig);
}
