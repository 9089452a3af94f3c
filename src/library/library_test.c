/* library_test.c - tests of library.c: what is opened, refused, verified and read. */
#include "library/library.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "library/format.h"
#include "testing/library_rig.h"
#include "testing/test.h"

TEST(a_library_says_what_it_is_and_gives_back_its_records)
{
    struct library_rig rig;
    struct wr_arena arena = WR_ARENA(1 << 16);
    struct bib_record record;
    library_rig_open(&rig);
    struct bib_name names[] = { { "Lovelace", "Ada" }, { "Acme Corp.", NULL } };
    rig_add(&rig, &(struct bib_record){ .id = "k1", .retraction = "10.1/notice",
        .authors_partial = true,
        .work = { .kind = BIB_ARTICLE, .year = 1843, .title = "Notes on the Engine",
                  .venue = "Taylor's Memoirs", .authors = names, .author_count = 2,
                  .et_al = true, .doi = "10.1/notes", .arxiv_id = "1234.56789" } });
    rig_add_title(&rig, "Another one");
    rig_finish(&rig);
    struct library_info info = library_info(rig.lib);
    CHECK_STR("Rig", info.name);
    CHECK_STR("jsonl", info.kind);
    CHECK_EQ(2, info.records);
    CHECK_EQ(64, strlen(info.version));
    REQUIRE_OK(library_record(rig.lib, 0, &arena, &record));
    CHECK_STR("Notes on the Engine", record.work.title);
    CHECK_STR("Taylor's Memoirs", record.work.venue);
    CHECK_STR("10.1/notes", record.work.doi);
    CHECK_STR("1234.56789", record.work.arxiv_id);
    CHECK_STR("k1", record.id);
    CHECK_STR("Rig", record.source);
    CHECK_STR("10.1/notice", record.retraction);
    CHECK_EQ(1843, record.work.year);
    CHECK_EQ(BIB_ARTICLE, record.work.kind);
    CHECK(record.work.et_al && record.authors_partial);
    REQUIRE(record.work.author_count == 2);
    CHECK_STR("Lovelace", record.work.authors[0].family);
    CHECK_STR("Ada", record.work.authors[0].given);
    CHECK_STR("Acme Corp.", record.work.authors[1].family);
    CHECK(!record.work.authors[1].given);
    CHECK_OK(library_record(rig.lib, 1, &arena, &record));
    CHECK(!record.work.venue && !record.id && !record.retraction && !record.work.doi);
    CHECK_ERR(WR_NOTFOUND, library_record(rig.lib, 2, &arena, &record));
    wr_arena_free(&arena);
    library_rig_close(&rig);
}

/* ---- files that are not what they should be ---- */

static void close_then(struct library_rig *rig)
{
    library_close(rig->lib);
    rig->lib = NULL;
}

TEST(what_is_no_library_is_refused_and_it_is_said_why)
{
    struct library_rig rig;
    library_rig_open(&rig);
    rig_finish(&rig);
    close_then(&rig);
    CHECK_EQ(0, truncate(rig.path, 100));
    CHECK_ERR(WR_INVALID, library_open(&rig.lib, rig.path, &rig.why));
    CHECK(strstr(rig.why.text, "it is no library") != NULL);
    CHECK(strstr(rig.why.text, rig.path) != NULL);
    CHECK_EQ(0, truncate(rig.path, 0));
    CHECK_ERR(WR_INVALID, library_open(&rig.lib, rig.path, &rig.why));
    CHECK_ERR(WR_NOTFOUND, library_open(&rig.lib, "/nowhere/at/all", &rig.why));
    CHECK(strstr(rig.why.text, "/nowhere/at/all") != NULL);
    library_rig_close(&rig);
}

TEST(a_library_that_lost_its_end_is_refused)
{
    struct library_rig rig;
    struct stat is;
    library_rig_open(&rig);
    rig_add_title(&rig, "One title");
    rig_finish(&rig);
    close_then(&rig);
    CHECK_EQ(0, stat(rig.path, &is));
    CHECK_EQ(0, truncate(rig.path, is.st_size - 1));
    CHECK_ERR(WR_INVALID, library_open(&rig.lib, rig.path, &rig.why));
    CHECK(strstr(rig.why.text, "its end is missing") != NULL);
    library_rig_close(&rig);
}

TEST(one_other_byte_anywhere_is_found_out)
{
    struct library_rig rig;
    struct stat is;
    library_rig_open(&rig);
    rig_add(&rig, &(struct bib_record){ .work = { .title = "One title", .venue = "V" } });
    rig_finish(&rig);
    close_then(&rig);
    CHECK_EQ(0, stat(rig.path, &is));
    int fd = open(rig.path, O_RDWR | O_CLOEXEC);
    for (off_t at = FORMAT_HEADER; at < is.st_size; at += 61) {
        unsigned char byte = 0;
        CHECK_EQ(1, pread(fd, &byte, 1, at));
        byte ^= 1;
        CHECK_EQ(1, pwrite(fd, &byte, 1, at));
        wr_err err = library_open(&rig.lib, rig.path, &rig.why);
        /* what lies between the sections is nothing */
        CHECK(err == WR_QUARANTINE || (at % FORMAT_ALIGN != 0 && !err));
        close_then(&rig);
        byte ^= 1;
        CHECK_EQ(1, pwrite(fd, &byte, 1, at));
    }
    close(fd);
    library_rig_close(&rig);
}
