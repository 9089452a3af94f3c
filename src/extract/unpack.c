/* unpack.c - the files in an archive, by libarchive, from memory to memory. */
#include "extract/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/forget.h"
#include "extract/refusal.h"

#define PIECE ((size_t)65536)
#define NAME_MAX_BYTES 512

struct reader {
    struct archive *archive;
    size_t packed, unpacked;        /* bytes */
    size_t seen;
    struct extract_pack *pack;
    char *why;
};

static wr_err refuse(struct reader *reader, wr_err err, const char *what)
{
    snprintf(reader->why, EXTRACT_WHY, "the archive is not read: %s", what);
    return err;
}

/* Hidden, a Mac's, or leading elsewhere. */
static bool is_odd(const char *name)
{
    if (name[0] == '/' || strstr(name, "__MACOSX") || strlen(name) >= NAME_MAX_BYTES)
        return true;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (*part == '.' && !(part[1] == '/' && part == name))
            return true;
    }
    return false;
}

static bool in_limits(const struct reader *reader, size_t more)
{
    size_t all = reader->unpacked + more;
    return all <= EXTRACT_PACK_BYTES_MAX
        && (all <= EXTRACT_PACK_RATIO_FREE || all / EXTRACT_PACK_RATIO_MAX <= reader->packed);
}

/* Read the entry that is open, into memory that grows with it; its size may be a lie. */
static wr_err read_bytes(struct reader *reader, struct extract_packed *file)
{
    size_t room = 0;
    for (;;) {
        if (room - file->len < PIECE) {
            room = room ? 2 * room : 2 * PIECE;
            char *more = realloc(file->bytes, room + 1);
            if (!more)
                return refuse(reader, WR_NOMEM, "out of memory");
            file->bytes = more;
        }
        la_ssize_t n = archive_read_data(reader->archive, file->bytes + file->len, PIECE);
        if (n < 0)
            return refuse(reader, WR_INVALID, archive_error_string(reader->archive)
                              ? archive_error_string(reader->archive) : "it is damaged");
        file->bytes[file->len + (size_t)n] = '\0';
        if (n == 0)
            break;
        file->len += (size_t)n;
        if (file->len > EXTRACT_PACK_FILE_MAX || !in_limits(reader, file->len))
            return refuse(reader, WR_DENIED, "what is in it is too large when unpacked");
    }
    reader->unpacked += file->len;
    return WR_OK;
}

static wr_err take(struct reader *reader, const char *name)
{
    struct extract_pack *pack = reader->pack;
    if (pack->count == EXTRACT_PACK_FILES_MAX)
        return refuse(reader, WR_DENIED, "there are too many files in it");
    struct extract_packed *file = &pack->at[pack->count++];
    *file = (struct extract_packed){ .name = strdup(name) };
    return file->name ? read_bytes(reader, file) : refuse(reader, WR_NOMEM, "out of memory");
}

static wr_err read_entry(struct reader *reader, struct archive_entry *entry,
                         bool (*wanted)(const char *name))
{
    if (++reader->seen > EXTRACT_PACK_SEEN_MAX)
        return refuse(reader, WR_DENIED, "there are too many files in it");
    bool single = archive_format(reader->archive) == ARCHIVE_FORMAT_RAW;
    const char *name = single ? "" : archive_entry_pathname_utf8(entry);
    if (!name)
        name = archive_entry_pathname(entry);
    bool plain = single || archive_entry_filetype(entry) == AE_IFREG
        || archive_entry_filetype(entry) == 0;
    if (!name || !plain || (!single && (is_odd(name) || !wanted(name))))
        return WR_OK;
    if (archive_entry_is_encrypted(entry))
        return refuse(reader, WR_DENIED, "it is encrypted: unpack it first");
    return take(reader, name);
}

static wr_err read_entries(struct reader *reader, bool (*wanted)(const char *name))
{
    struct archive_entry *entry;
    wr_err err = WR_OK;
    while (!err) {
        int got = archive_read_next_header(reader->archive, &entry);
        if (got == ARCHIVE_EOF)
            break;
        if (got != ARCHIVE_OK && got != ARCHIVE_WARN)
            return refuse(reader, WR_INVALID, archive_error_string(reader->archive)
                              ? archive_error_string(reader->archive) : "it is damaged");
        err = read_entry(reader, entry, wanted);
    }
    return err;
}

void extract_unpack_free(struct extract_pack *pack)
{
    for (size_t i = 0; i < pack->count; i++) {
        wr_forget_free(pack->at[i].name);
        wr_forget_free(pack->at[i].bytes);
    }
    free(pack->at);
    *pack = (struct extract_pack){ 0 };
}

wr_err extract_unpack(const char *bytes, size_t size, bool (*wanted)(const char *name),
                      struct extract_pack *ret, char *why)
{
    struct reader reader = { .archive = archive_read_new(), .packed = size, .pack = ret,
                             .why = why };
    *ret = (struct extract_pack){ .at = calloc(EXTRACT_PACK_FILES_MAX, sizeof(ret->at[0])) };
    wr_err err;
    if (!reader.archive || !ret->at) {
        err = refuse(&reader, WR_NOMEM, "out of memory");
    } else {
        archive_read_support_filter_gzip(reader.archive);
        archive_read_support_format_zip(reader.archive);
        archive_read_support_format_tar(reader.archive);
        archive_read_support_format_raw(reader.archive);
        err = archive_read_open_memory(reader.archive, bytes, size) == ARCHIVE_OK
            ? read_entries(&reader, wanted)
            : refuse(&reader, WR_INVALID, "it is damaged");
    }
    archive_read_free(reader.archive);
    if (err)
        extract_unpack_free(ret);
    return err;
}
