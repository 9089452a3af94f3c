/* writer_test.c - tests of writer.c: what is kept, in which order, and what is left behind. */
#include "library/writer.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "testing/library_rig.h"

static struct wr_hash hash_of_file(const char *path)
{
    static char bytes[4 << 20];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = read(fd, bytes, sizeof(bytes));
    close(fd);
    return wr_hash_of(bytes, (size_t)size);
}

static void add_many(struct library_rig *rig, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++) {
        char title[80], venue[32], doi[32];
        snprintf(title, sizeof(title), "Work %u about subject %u of field %u", i, i * 7,
                 i % 13);
        snprintf(venue, sizeof(venue), "Venue %u", i % 5);
        snprintf(doi, sizeof(doi), "10.1000/%u", i);
        rig_add(rig, &(struct bib_record){ .work = { .title = title, .venue = venue,
                                                     .doi = doi, .year = 2000 } });
    }
}

TEST(the_same_records_make_the_same_bytes)
{
    struct library_rig one, other;
    library_rig_open(&one);
    library_rig_open(&other);
    add_many(&one, 0, 500);
    add_many(&other, 0, 500);
    rig_finish(&one);
    rig_finish(&other);
    struct wr_hash a = hash_of_file(one.path), b = hash_of_file(other.path);
    CHECK(wr_hash_equal(&a, &b));
    CHECK_STR(library_info(one.lib).version, library_info(other.lib).version);
    library_rig_close(&one);
    library_rig_close(&other);
}

TEST(another_record_makes_another_version)
{
    struct library_rig one, other;
    library_rig_open(&one);
    library_rig_open(&other);
    add_many(&one, 0, 10);
    add_many(&other, 1, 11);
    rig_finish(&one);
    rig_finish(&other);
    CHECK(strcmp(library_info(one.lib).version, library_info(other.lib).version) != 0);
    library_rig_close(&one);
    library_rig_close(&other);
}

TEST(what_cannot_be_kept_is_refused_and_costs_nothing)
{
    struct library_rig rig;
    library_rig_open(&rig);
    CHECK_ERR(WR_INVALID, library_writer_add(rig.writer, &(struct bib_record){ .id = "x" }));
    rig_add_title(&rig, "Something");
    CHECK_EQ(1, library_writer_count(rig.writer));
    rig_finish(&rig);
    CHECK_EQ(1, library_info(rig.lib).records);
    library_rig_close(&rig);
}

TEST(an_empty_library_is_one)
{
    struct library_rig rig;
    struct wr_arena arena = WR_ARENA(4096);
    struct bib_record found;
    library_rig_open(&rig);
    rig_finish(&rig);
    CHECK_EQ(0, library_info(rig.lib).records);
    CHECK_EQ(0, library_find(rig.lib, &(struct bib_work){ .title = "Anything at all" }, &arena,
                             &found, 1));
    wr_arena_free(&arena);
    library_rig_close(&rig);
}

TEST(a_new_library_takes_the_place_of_the_old_one_which_stays_with_who_has_it_open)
{
    struct library_rig rig;
    library_rig_open(&rig);
    add_many(&rig, 0, 3);
    rig_finish(&rig);
    struct library *old = rig.lib;
    rig.lib = NULL;
    rig_write(&rig);
    add_many(&rig, 0, 9);
    rig_finish(&rig);
    CHECK_EQ(3, library_info(old).records);
    CHECK_EQ(9, library_info(rig.lib).records);
    CHECK_OK(library_verify(old, &rig.why));
    library_close(old);
    library_rig_close(&rig);
}

TEST(a_name_or_a_path_that_cannot_be_is_refused_with_a_sentence)
{
    struct library_writer *writer = NULL;
    struct library_why why = { "" };
    struct library_plan plan =
        { .out = "/nowhere/lib", .kind = "bib", .name = "", .input = "" };
    CHECK_ERR(WR_INVALID, library_writer_open(&writer, &plan, &why));
    CHECK(strstr(why.text, "1 to 63 bytes") != NULL);
    plan.name = "x";
    plan.out = "";
    CHECK_ERR(WR_INVALID, library_writer_open(&writer, &plan, &why));
    CHECK(strstr(why.text, "path") != NULL);
}

TEST_PLAIN(a_library_made_in_memory_has_the_bytes_of_one_made_in_a_file)
{
    struct library_rig rig;
    struct library_why why = { "" };
    void *bytes = NULL;
    size_t size = 0;
    library_rig_open(&rig);
    add_many(&rig, 0, 300);
    rig_finish(&rig);
    struct library_plan plan = rig_plan(&rig);
    plan.out = NULL;
    REQUIRE_OK(library_writer_open(&rig.writer, &plan, &why));
    add_many(&rig, 0, 300);
    REQUIRE_OK(library_writer_finish_bytes(rig.writer, &bytes, &size, &why));
    struct wr_hash a = hash_of_file(rig.path), b = wr_hash_of(bytes, size);
    CHECK(wr_hash_equal(&a, &b));
    free(bytes);
    library_rig_close(&rig);
}

/* ---- going on after an interruption ---- */

TEST(a_build_goes_on_where_it_was_saved_and_makes_the_same_bytes)
{
    struct library_rig whole, parts;
    library_rig_open(&whole);
    add_many(&whole, 0, 800);
    rig_finish(&whole);
    library_rig_open(&parts);
    CHECK(!library_writer_position(parts.writer));
    add_many(&parts, 0, 300);
    CHECK_OK(library_writer_save(parts.writer, "after 300"));
    add_many(&parts, 300, 400);                 /* these are lost */
    library_writer_close(parts.writer);
    REQUIRE(rig_write(&parts));
    CHECK_STR("after 300", library_writer_position(parts.writer));
    CHECK_EQ(300, library_writer_count(parts.writer));
    add_many(&parts, 300, 800);
    rig_finish(&parts);
    CHECK_STR(library_info(whole.lib).version, library_info(parts.lib).version);
    library_rig_close(&whole);
    library_rig_close(&parts);
}

TEST(another_plan_begins_anew)
{
    struct library_rig rig;
    library_rig_open(&rig);
    add_many(&rig, 0, 30);
    CHECK_OK(library_writer_save(rig.writer, "after 30"));
    library_writer_close(rig.writer);
    struct library_plan plan = rig_plan(&rig);
    plan.input = "other input";
    REQUIRE_OK(library_writer_open(&rig.writer, &plan, &rig.why));
    CHECK(!library_writer_position(rig.writer));
    CHECK_EQ(0, library_writer_count(rig.writer));
    add_many(&rig, 0, 2);
    rig_finish(&rig);
    CHECK_EQ(2, library_info(rig.lib).records);
    library_rig_close(&rig);
}
