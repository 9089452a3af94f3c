/* checkpoint.c - what a build has, so that another process can go on with it.
 *
 * A text file OUT.part/checkpoint of four lines: the hash of the plan, where the input was, the
 * number of records and the sizes of all spools, and the hash of these three lines.  What the
 * spools have behind those sizes is written again.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <weir/file.h>

#include "library/record.h"
#include "library/writer_int.h"

#define CHECKPOINT_MAX 16384

static void path_of(const struct library_writer *writer, char *ret)
{
    struct wr_text text = wr_text_over(ret, WRITER_PATH_MAX);
    wr_text_format(&text, "%s/checkpoint", writer->folder);
}

wr_err checkpoint_write(struct library_writer *writer)
{
    char path[WRITER_PATH_MAX], hex[WR_HASH_TEXT];
    struct wr_text text = wr_text_heap(CHECKPOINT_MAX);
    wr_text_format(&text, "%s\n%s\n%" PRIu64, wr_hash_print(&writer->plan, hex),
                   writer->position, writer->records);
    for (unsigned i = 0; i < WRITER_SPOOLS; i++)
        wr_text_format(&text, " %" PRIu64, spool_size(&writer->spools[i]));
    wr_text_str(&text, "\n");
    struct wr_hash hash = wr_hash_of(text.at, text.len);
    wr_text_format(&text, "%s\n", wr_hash_print(&hash, hex));
    path_of(writer, path);
    wr_err err = text.cut ? WR_NOMEM : wr_file_sync(writer->folder, WR_NEVER);
    if (!err)
        err = wr_file_write_atomic(path, text.at, text.len, 0600, WR_NEVER);
    wr_text_free(&text);
    return err;
}

/* ---- and back ---- */

/* The three lines before the last are as they were written: their end; else NULL. */
static char *checked_end(char *text, size_t len)
{
    char hex[WR_HASH_TEXT];
    if (len < WR_HASH_TEXT + 1 || text[len - 1] != '\n')
        return NULL;
    char *last = text + len - WR_HASH_TEXT;
    struct wr_hash hash = wr_hash_of(text, (size_t)(last - text));
    return memcmp(last, wr_hash_print(&hash, hex), WR_HASH_TEXT - 1) == 0 ? last : NULL;
}

static bool take_numbers(struct library_writer *writer, const char *at)
{
    char *next;
    writer->records = strtoull(at, &next, 10);
    for (unsigned i = 0; i < WRITER_SPOOLS; i++) {
        if (*next != ' ')
            return false;
        writer->spools[i].flushed = strtoull(next, &next, 10);
    }
    return *next == '\n';
}

static bool take(struct library_writer *writer, char *text, size_t len)
{
    char hex[WR_HASH_TEXT];
    wr_hash_print(&writer->plan, hex);
    char *end = checked_end(text, len), *line = strchr(text, '\n');
    if (!end || !line || (size_t)(line - text) != strlen(hex)
        || memcmp(text, hex, strlen(hex)) != 0)
        return false;
    const char *position = line + 1;
    size_t size = strcspn(position, "\n");
    if (size >= sizeof(writer->position) || position[size] != '\n')
        return false;
    memcpy(writer->position, position, size);
    writer->position[size] = '\0';
    return take_numbers(writer, position + size + 1);
}

/* Whether the files have all that they are said to have. */
static bool files_are_there(const struct library_writer *writer)
{
    for (unsigned i = 0; i < WRITER_SPOOLS; i++) {
        const struct spool *spool = &writer->spools[i];
        struct wr_file_info info = { 0 };
        if (spool->flushed > 0
            && (wr_file_look(&info, spool->path, WR_NEVER) != WR_OK
                || info.size < spool->start + spool->flushed))
            return false;
    }
    return true;
}

static wr_err load_venues(struct library_writer *writer)
{
    const struct spool *spool = &writer->spools[WRITER_VENUES];
    size_t size = (size_t)spool->flushed, len = 0;
    bool is_new;
    if (size > (size_t)2 * VENUES_BYTES_MAX)
        return WR_NOTFOUND;
    unsigned char *bytes = malloc(size + 1);
    struct wr_text name = wr_text_heap(RECORD_MAX);
    wr_err err = bytes ? wr_file_read_part(&len, bytes, size, spool->path, 0, WR_NEVER)
                       : WR_NOMEM;
    struct record_cursor cursor = { .at = bytes, .end = bytes + (err ? 0 : len) };
    while (!err && cursor.at < cursor.end) {
        struct record_text text = record_text(&cursor);
        wr_text_rewind(&name, 0);
        if (text.at)
            wr_text_bytes(&name, text.at, text.len);
        if (cursor.bad || !text.at
            || venues_number(&writer->venues, name.at, &is_new) == RECORD_NO_VENUE)
            err = WR_NOTFOUND;
    }
    wr_text_free(&name);
    free(bytes);
    return err;
}

static wr_err begin_anew(struct library_writer *writer)
{
    writer->records = 0;
    writer->position[0] = '\0';
    for (unsigned i = 0; i < WRITER_SPOOLS; i++)
        writer->spools[i].flushed = 0;
    venues_fini(&writer->venues);
    return venues_init(&writer->venues);
}

wr_err checkpoint_read(struct library_writer *writer)
{
    char path[WRITER_PATH_MAX], *text = NULL;
    size_t len = 0;
    path_of(writer, path);
    wr_err err = wr_file_read(&text, &len, path, CHECKPOINT_MAX, WR_NEVER);
    if (err)
        return WR_NOTFOUND;
    err = take(writer, text, len) && files_are_there(writer) ? WR_OK : WR_NOTFOUND;
    free(text);
    if (!err && writer->spools[WRITER_VENUES].flushed > 0)
        err = load_venues(writer);
    if (err && begin_anew(writer) != WR_OK)
        return WR_NOMEM;
    return err;
}
