/* input.c - files and archives, through libarchive. */
#include "library/input.h"

#include <archive.h>
#include <archive_entry.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <weir/file.h>
#include <weir/panic.h>

#include "base/text.h"
#include "library/library_int.h"

#define BLOCK (256u << 10)
#define IDENTITY_MAX (1u << 20)

struct input {
    const char *const *paths;
    size_t count;
    size_t next;                    /* the file to be opened next */
    struct archive *archive;        /* of the file before that; NULL: none is open */
    const char *member;
    bool in_archive;
    uint64_t member_number;
    uint64_t offset;                /* in the file that is open */
    uint64_t passed, size;          /* bytes of the files before it, and of all */
    struct wr_text identity;
    unsigned char block[BLOCK];
    unsigned char out[BLOCK];
};

/* ---- opening ---- */

static wr_err look(struct input *input, struct library_why *why)
{
    for (size_t i = 0; i < input->count; i++) {
        struct wr_file_info info = { 0 };
        wr_err err = wr_file_look(&info, input->paths[i], WR_NEVER);
        if (err)
            return library_fail(why, err, "%s: %s", input->paths[i], wr_err_text(err));
        if (!info.regular)
            return library_fail(why, WR_INVALID, "%s: not a file but a folder or a device; "
                                "name the files in it", input->paths[i]);
        input->size += info.size;
        wr_text_format(&input->identity, "%s %" PRIu64 " %" PRId64 "\n", input->paths[i],
                       info.size, info.changed.ns);
    }
    return input->identity.cut ? library_fail(why, WR_INVALID, "%zu files are too many at once",
                                              input->count)
                               : WR_OK;
}

wr_err input_open(struct input **ret, const char *const *paths, size_t count,
                  struct library_why *why)
{
    struct input *input = calloc(1, sizeof(*input));
    if (!input)
        return library_fail(why, WR_NOMEM, "%s", wr_err_text(WR_NOMEM));
    input->paths = paths;
    input->count = count;
    input->identity = wr_text_heap(IDENTITY_MAX);
    wr_err err = look(input, why);
    if (err) {
        input_close(input);
        return err;
    }
    *ret = input;
    return WR_OK;
}

static void close_file(struct input *input)
{
    if (!input->archive)
        return;
    archive_read_free(input->archive);
    input->archive = NULL;
    input->member = NULL;
    input->passed += input->offset;
    input->offset = 0;
}

void input_close(struct input *input)
{
    if (!input)
        return;
    close_file(input);
    wr_text_free(&input->identity);
    free(input);
}

/* ---- what libarchive asks for ---- */

static la_ssize_t give_block(struct archive *archive, void *arg, const void **ret)
{
    struct input *input = arg;
    size_t len = 0;
    wr_err err = wr_file_read_part(&len, input->block, BLOCK, input->paths[input->next - 1],
                                   input->offset, WR_NEVER);
    if (err) {
        archive_set_error(archive, ARCHIVE_FATAL, "%s", wr_err_text(err));
        return ARCHIVE_FATAL;
    }
    input->offset += len;
    *ret = input->block;
    return (la_ssize_t)len;
}

static wr_err failed(const struct input *input, struct library_why *why)
{
    const char *said = archive_error_string(input->archive);
    return library_fail(why, WR_INVALID, "%s: cannot be unpacked: %s",
                        input->paths[input->next - 1], said ? said : "it is damaged");
}

static wr_err open_file(struct input *input, struct library_why *why)
{
    struct archive *archive = archive_read_new();
    if (!archive)
        return library_fail(why, WR_NOMEM, "%s", wr_err_text(WR_NOMEM));
    input->archive = archive;
    input->next++;
    archive_read_support_filter_all(archive);
    archive_read_support_format_tar(archive);
    archive_read_support_format_zip(archive);
    archive_read_support_format_raw(archive);
    archive_read_support_format_empty(archive);
    if (archive_read_open(archive, input, NULL, give_block, NULL) != ARCHIVE_OK)
        return failed(input, why);
    return WR_OK;
}

/* ---- members ---- */

static bool is_file(struct archive_entry *entry)
{
    return archive_entry_filetype(entry) == AE_IFREG;
}

wr_err input_next(struct input *input, struct library_why *why)
{
    input->member = NULL;
    for (;;) {
        struct archive_entry *entry;
        if (!input->archive) {
            if (input->next == input->count)
                return WR_OK;
            wr_err err = open_file(input, why);
            if (err)
                return err;
        }
        int got = archive_read_next_header(input->archive, &entry);
        if (got == ARCHIVE_EOF) {
            close_file(input);
            continue;
        }
        if (got != ARCHIVE_OK && got != ARCHIVE_WARN)
            return failed(input, why);
        input->in_archive = archive_format(input->archive) != ARCHIVE_FORMAT_RAW;
        input->member_number++;
        if (input->in_archive && !is_file(entry))
            continue;
        const char *name = input->in_archive ? archive_entry_pathname(entry) : NULL;
        input->member = name ? name : input->paths[input->next - 1];
        return WR_OK;
    }
}

wr_err input_read(struct input *input, const char **ret, size_t *ret_len,
                  struct library_why *why)
{
    WR_ASSERT(input->member);
    la_ssize_t len = archive_read_data(input->archive, input->out, BLOCK);
    if (len < 0)
        return failed(input, why);
    *ret = (const char *)input->out;
    *ret_len = (size_t)len;
    return WR_OK;
}

const char *input_member(const struct input *input)
{
    return input->member;
}

bool input_in_archive(const struct input *input)
{
    return input->in_archive;
}

uint64_t input_member_number(const struct input *input)
{
    return input->member_number;
}

const char *input_identity(const struct input *input)
{
    return input->identity.at;
}

uint64_t input_done(const struct input *input)
{
    return input->passed + input->offset;
}

uint64_t input_size(const struct input *input)
{
    return input->size;
}
