/* input_test.c - tests of input.c: the same bytes, however they are packed. */
#include "library/input.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "testing/test.h"

static char folder[64], path[128], other[128];

static bool enter(void)
{
    snprintf(folder, sizeof(folder), "/tmp/weir-input-XXXXXX");
    if (!CHECK(mkdtemp(folder)))
        return false;
    snprintf(path, sizeof(path), "%s/a", folder);
    snprintf(other, sizeof(other), "%s/b", folder);
    return true;
}

static void leave(void)
{
    unlink(path);
    unlink(other);
    CHECK_EQ(0, rmdir(folder));
}

static void put(const char *to, const char *text)
{
    FILE *file = fopen(to, "w");
    fputs(text, file);
    fclose(file);
}

/* Two members and a folder, or one file, in this format behind this filter. */
static void pack(const char *to, int format, int filter)
{
    static const char *const names[] = { "dir", "dir/one", "two" };
    struct archive *archive = archive_write_new();
    archive_write_set_format(archive, format);
    archive_write_add_filter(archive, filter);
    CHECK_EQ(ARCHIVE_OK, archive_write_open_filename(archive, to));
    for (int i = format == ARCHIVE_FORMAT_RAW ? 2 : 0; i < 3; i++) {
        struct archive_entry *entry = archive_entry_new();
        const char *text = i == 1 ? "first" : "second";
        archive_entry_set_pathname(entry, names[i]);
        archive_entry_set_filetype(entry, i == 0 ? AE_IFDIR : AE_IFREG);
        archive_entry_set_perm(entry, 0755);
        archive_entry_set_size(entry, i == 0 ? 0 : (la_int64_t)strlen(text));
        archive_write_header(archive, entry);
        if (i > 0)
            archive_write_data(archive, text, strlen(text));
        archive_entry_free(entry);
    }
    archive_write_close(archive);
    archive_write_free(archive);
}

/* Everything, as "name#number:bytes\n"; or the error. */
static wr_err read_all(const char *const *paths, size_t count, struct wr_text *ret)
{
    struct input *input = NULL;
    struct library_why why = { "" };
    const char *bytes;
    size_t len = 1;
    wr_err err = input_open(&input, paths, count, &why);
    while (!err && !(err = input_next(input, &why)) && input_member(input)) {
        const char *slash = strrchr(input_member(input), '/');
        wr_text_format(ret, "%s%s#%u:", input_in_archive(input) ? "in " : "",
                       slash ? slash + 1 : input_member(input),
                       (unsigned)input_member_number(input));
        for (len = 1; !err && len > 0;) {
            err = input_read(input, &bytes, &len, &why);
            if (!err)
                wr_text_bytes(ret, bytes, len);
        }
        wr_text_str(ret, "\n");
    }
    if (!err && input)
        CHECK_EQ(input_size(input), input_done(input));
    if (err)
        CHECK(why.text[0]);
    input_close(input);
    return err;
}

static void reads(const char *want)
{
    char buf[400];
    struct wr_text text = WR_TEXT(buf);
    const char *const paths[] = { path };
    CHECK_OK(read_all(paths, 1, &text));
    CHECK_STR(want, text.at);
}

TEST(a_file_is_a_member_plain_or_compressed)
{
    REQUIRE(enter());
    put(path, "second");
    reads("a#1:second\n");
    static const int filters[] = { ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_XZ,
                                   ARCHIVE_FILTER_ZSTD };
    for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++) {
        pack(path, ARCHIVE_FORMAT_RAW, filters[i]);
        reads("a#1:second\n");
    }
    put(path, "");
    reads("");
    leave();
}

TEST(the_files_in_an_archive_are_members)
{
    REQUIRE(enter());
    pack(path, ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_XZ);
    reads("in one#2:first\nin two#3:second\n");
    pack(path, ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE);
    reads("in one#2:first\nin two#3:second\n");
    leave();
}

TEST(several_files_follow_one_another_and_members_are_numbered_over_all)
{
    char buf[400];
    struct wr_text text = WR_TEXT(buf);
    REQUIRE(enter());
    pack(path, ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP);
    put(other, "third");
    const char *const paths[] = { path, other };
    CHECK_OK(read_all(paths, 2, &text));
    CHECK_STR("in one#2:first\nin two#3:second\nb#4:third\n", text.at);
    leave();
}

TEST(what_is_damaged_or_not_there_is_refused_with_a_sentence)
{
    char buf[400];
    struct wr_text text = WR_TEXT(buf);
    const char *const paths[] = { path };
    REQUIRE(enter());
    CHECK_ERR(WR_NOTFOUND, read_all(paths, 1, &text));
    pack(path, ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP);
    CHECK_EQ(0, truncate(path, 60));
    CHECK_ERR(WR_INVALID, read_all(paths, 1, &text));
    const char *const folders[] = { folder };
    CHECK_ERR(WR_INVALID, read_all(folders, 1, &text));
    leave();
}

TEST(files_that_changed_are_others)
{
    struct input *input = NULL;
    struct library_why why;
    char before[300];
    const char *const paths[] = { path };
    REQUIRE(enter());
    put(path, "x");
    REQUIRE_OK(input_open(&input, paths, 1, &why));
    snprintf(before, sizeof(before), "%s", input_identity(input));
    input_close(input);
    put(path, "xy");
    REQUIRE_OK(input_open(&input, paths, 1, &why));
    CHECK(strcmp(before, input_identity(input)) != 0);
    input_close(input);
    leave();
}
