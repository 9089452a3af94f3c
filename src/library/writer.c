/* writer.c - records and keys spooled, then put together. */
#include "library/writer.h"

#include <stdlib.h>
#include <string.h>

#include <weir/file.h>

#include "library/key.h"
#include "library/library_int.h"
#include "library/writer_int.h"

#define COPY_SIZE (1u << 20)

/* ---- opening and closing ---- */

static const struct { const char *file; uint64_t start; size_t buffer; } spool_table[] = {
    [WRITER_RECORDS] = { "library", FORMAT_HEADER, 1 << 20 },   /* where they will stay */
    [WRITER_PLACES] = { "places", 0, 64 << 10 },
    [WRITER_VENUES] = { "venues", 0, 64 << 10 },
    [WRITER_VENUE_PLACES] = { "venue-places", 0, 16 << 10 },
    [WRITER_KEYS] = { "keys", 0, 32 << 10 },                    /* and a number each */
};

static bool path_in(char *ret, const struct library_writer *writer, unsigned spool)
{
    struct wr_text text = wr_text_over(ret, WRITER_PATH_MAX);
    if (spool < WRITER_KEYS)
        wr_text_format(&text, "%s/%s", writer->folder, spool_table[spool].file);
    else
        wr_text_format(&text, "%s/keys-%02x", writer->folder, spool - WRITER_KEYS);
    return !text.cut;
}

#define IN_MEMORY_BUFFER 256        /* to begin with */

static wr_err open_spools(struct library_writer *writer)
{
    char path[WRITER_PATH_MAX];
    bool in_memory = !writer->out[0];
    for (unsigned i = 0; i < WRITER_SPOOLS; i++) {
        unsigned like = i < WRITER_KEYS ? i : WRITER_KEYS;
        wr_err err = !path_in(path, writer, i) ? WR_INVALID
            : spool_open(&writer->spools[i], in_memory ? NULL : path, spool_table[like].start,
                         in_memory ? IN_MEMORY_BUFFER : spool_table[like].buffer);
        if (err)
            return err;
    }
    return WR_OK;
}

static bool set_name(char *ret, size_t size, const char *name)
{
    struct wr_text text = wr_text_over(ret, size);
    wr_text_str(&text, name);
    return name[0] && !text.cut;
}

static struct wr_hash hash_plan(const struct library_plan *plan)
{
    const char *const parts[] = { "1", plan->kind, plan->name, plan->input };
    struct wr_hash_state state;
    wr_hash_begin(&state);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        wr_hash_add(&state, parts[i], strlen(parts[i]) + 1);
    return wr_hash_end(&state);
}

/* The folder with the files, and what an earlier run has left there. */
static wr_err start_folder(struct library_writer *writer, struct library_why *why)
{
    wr_err err = wr_file_make_dir(writer->folder, 0700, WR_NEVER);
    writer->made_folder = !err;
    if (!err)
        err = checkpoint_read(writer);
    if (err == WR_NOTFOUND)
        err = WR_OK;                        /* nothing to go on with */
    return err ? library_fail(why, err, "%s: %s", writer->folder, wr_err_text(err)) : WR_OK;
}

static wr_err start(struct library_writer *writer, const struct library_plan *plan,
                    struct library_why *why)
{
    struct wr_text out = WR_TEXT(writer->out), folder = WR_TEXT(writer->folder);
    wr_text_str(&out, plan->out ? plan->out : "");
    wr_text_format(&folder, "%s.part", writer->out);
    if (plan->out && (!plan->out[0] || out.cut || folder.len + 16 > WRITER_PATH_MAX))
        return library_fail(why, WR_INVALID, "the path of a library has 1 to %d bytes",
                            WRITER_PATH_MAX - 16);
    if (!set_name(writer->header.kind, sizeof(writer->header.kind), plan->kind)
        || !set_name(writer->header.name, sizeof(writer->header.name), plan->name))
        return library_fail(why, WR_INVALID, "the name of a library has 1 to 63 bytes, not "
                            "\"%.80s\"", plan->name);
    writer->plan = hash_plan(plan);
    writer->record = wr_text_heap((size_t)2 * RECORD_MAX);
    writer->keys = malloc(sizeof(*writer->keys));
    wr_err err = writer->keys ? venues_init(&writer->venues) : WR_NOMEM;
    if (!err)
        err = open_spools(writer);
    if (err)
        return library_fail(why, err, "%s", wr_err_text(err));
    return plan->out ? start_folder(writer, why) : WR_OK;
}

wr_err library_writer_open(struct library_writer **ret, const struct library_plan *plan,
                           struct library_why *why)
{
    struct library_writer *writer = calloc(1, sizeof(*writer));
    if (!writer)
        return library_fail(why, WR_NOMEM, "%s", wr_err_text(WR_NOMEM));
    wr_err err = start(writer, plan, why);
    if (err) {
        library_writer_close(writer);
        return err;
    }
    *ret = writer;
    return WR_OK;
}

/* Files that were never flushed to are not there; nothing else can be done about any. */
static void clean_up(struct library_writer *writer)
{
    char path[WRITER_PATH_MAX];
    struct wr_text text = WR_TEXT(path);
    for (unsigned i = 0; i < WRITER_SPOOLS; i++)
        if (writer->spools[i].path)
            (void)!wr_file_remove(writer->spools[i].path, WR_NEVER);
    wr_text_format(&text, "%s/checkpoint", writer->folder);
    (void)!wr_file_remove(path, WR_NEVER);
    (void)!wr_file_remove_dir(writer->folder, WR_NEVER);
}

void library_writer_close(struct library_writer *writer)
{
    if (!writer)
        return;
    if (!writer->position[0] && writer->made_folder)
        clean_up(writer);               /* there is nothing to go on with */
    for (unsigned i = 0; i < WRITER_SPOOLS; i++)
        spool_close(&writer->spools[i]);
    venues_fini(&writer->venues);
    wr_text_free(&writer->record);
    free(writer->keys);
    free(writer->image);
    free(writer);
}

const char *library_writer_position(const struct library_writer *writer)
{
    return writer->position[0] ? writer->position : NULL;
}

uint64_t library_writer_count(const struct library_writer *writer)
{
    return writer->records;
}

/* ---- adding ---- */

static wr_err add_place(struct library_writer *writer, unsigned places, unsigned of)
{
    unsigned char bytes[8];
    format_put_u64(bytes, spool_size(&writer->spools[of]));
    return spool_add(&writer->spools[places], bytes, sizeof(bytes));
}

static wr_err add_venue(struct library_writer *writer, const char *name, uint32_t *ret)
{
    bool is_new;
    *ret = name ? venues_number(&writer->venues, name, &is_new) : RECORD_NO_VENUE;
    if (*ret == RECORD_NO_VENUE || !is_new)
        return WR_OK;
    wr_err err = add_place(writer, WRITER_VENUE_PLACES, WRITER_VENUES);
    if (err)
        return err;
    wr_text_rewind(&writer->record, 0);
    record_put_text(&writer->record, name);
    return spool_add(&writer->spools[WRITER_VENUES], writer->record.at, writer->record.len);
}

static wr_err add_keys(struct library_writer *writer, const struct bib_work *work)
{
    wr_err err = WR_OK;
    key_of_work(writer->keys, work);
    for (size_t i = 0; !err && i < writer->keys->count; i++) {
        unsigned char bytes[8];
        uint64_t key = writer->keys->at[i];
        format_put_u64(bytes, key << 32 | writer->records);
        err = spool_add(&writer->spools[WRITER_KEYS + (key >> 32)], bytes, sizeof(bytes));
    }
    return err;
}

wr_err library_writer_add(struct library_writer *writer, const struct bib_record *record)
{
    uint32_t venue = RECORD_NO_VENUE;
    if (writer->records == FORMAT_RECORDS_MAX)
        return WR_BUSY;
    if (!record_can_be_kept(record))
        return WR_INVALID;
    wr_err err = add_venue(writer, record->work.venue, &venue);
    if (err)
        return err;
    wr_text_rewind(&writer->record, 0);
    err = record_write(&writer->record, record, venue);
    if (!err)
        err = add_place(writer, WRITER_PLACES, WRITER_RECORDS);
    if (!err)
        err = spool_add(&writer->spools[WRITER_RECORDS], writer->record.at, writer->record.len);
    if (!err)
        err = add_keys(writer, &record->work);
    if (!err)
        writer->records++;
    return err;
}

wr_err library_writer_save(struct library_writer *writer, const char *position)
{
    struct wr_text text = WR_TEXT(writer->position);
    wr_text_str(&text, position);
    WR_ASSERT(writer->out[0] && !text.cut && !strchr(position, '\n'));
    for (unsigned i = 0; i < WRITER_SPOOLS; i++) {
        wr_err err = spool_flush(&writer->spools[i]);
        if (err)
            return err;
    }
    return checkpoint_write(writer);
}

/* ---- putting together ---- */

static uint64_t aligned(uint64_t offset)
{
    return (offset + FORMAT_ALIGN - 1) / FORMAT_ALIGN * FORMAT_ALIGN;
}

static wr_err put_in_memory(struct library_writer *writer, uint64_t offset, const void *bytes,
                            size_t len)
{
    if (offset + len > SPOOL_MEMORY_MAX)
        return WR_NOMEM;
    size_t size = (size_t)offset + len;
    if (size > writer->image_size) {
        unsigned char *grown = realloc(writer->image, size);
        if (!grown)
            return WR_NOMEM;
        memset(grown + writer->image_size, 0, size - writer->image_size);
        writer->image = grown;
        writer->image_size = size;
    }
    memcpy(writer->image + offset, bytes, len);
    return WR_OK;
}

wr_err writer_put(struct library_writer *writer, uint64_t offset, const void *bytes,
                  size_t len)
{
    const char *path = writer->spools[WRITER_RECORDS].path;
    return path ? wr_file_write_part(path, offset, bytes, len, WR_NEVER)
                : put_in_memory(writer, offset, bytes, len);
}

/* Hash a spool, and put it at `offset` unless it is there already. */
static wr_err place_section(struct library_writer *writer, enum format_section section,
                            unsigned from, uint64_t offset)
{
    const struct spool *spool = &writer->spools[from];
    bool in_place = from == WRITER_RECORDS && spool->path;
    struct wr_hash_state state;
    unsigned char *buf = malloc(COPY_SIZE);
    wr_err err = buf ? WR_OK : WR_NOMEM;
    uint64_t size = spool_size(spool), done = 0;
    wr_hash_begin(&state);
    while (!err && done < size) {
        size_t len = size - done < COPY_SIZE ? (size_t)(size - done) : COPY_SIZE;
        err = spool_read(spool, done, buf, len);
        if (!err && !in_place)
            err = writer_put(writer, offset + done, buf, len);
        wr_hash_add(&state, buf, len);
        done += len;
    }
    free(buf);
    writer->header.sections[section] =
        (struct format_range){ .offset = offset, .size = size, .hash = wr_hash_end(&state) };
    return err;
}

static wr_err put_together(struct library_writer *writer)
{
    static const struct { enum format_section section; unsigned spool; } parts[] = {
        { FORMAT_RECORDS, WRITER_RECORDS }, { FORMAT_PLACES, WRITER_PLACES },
        { FORMAT_VENUES, WRITER_VENUES }, { FORMAT_VENUE_PLACES, WRITER_VENUE_PLACES } };
    uint64_t offset = FORMAT_HEADER;
    unsigned char page[FORMAT_HEADER];
    wr_err err = spool_flush(&writer->spools[WRITER_RECORDS]);
    for (size_t i = 0; !err && i < sizeof(parts) / sizeof(*parts); i++) {
        err = place_section(writer, parts[i].section, parts[i].spool, offset);
        offset = aligned(offset + spool_size(&writer->spools[parts[i].spool]));
    }
    writer->header.records = writer->records;
    if (!err)
        err = index_write(writer, offset);
    if (err)
        return err;
    format_write(&writer->header, page);
    return writer_put(writer, 0, page, sizeof(page));
}

wr_err library_writer_finish(struct library_writer *writer, struct library_why *why)
{
    const char *path = writer->spools[WRITER_RECORDS].path;
    WR_ASSERT(path);
    wr_err err = put_together(writer);
    if (!err)
        err = wr_file_sync(path, WR_NEVER);
    if (!err)
        err = wr_file_replace(path, writer->out, WR_NEVER);
    if (err)
        return library_fail(why, err, "%s: %s", path, wr_err_text(err));
    writer->position[0] = '\0';          /* nothing of it is wanted any more */
    return WR_OK;
}

wr_err library_writer_finish_bytes(struct library_writer *writer, void **ret, size_t *ret_size,
                                   struct library_why *why)
{
    WR_ASSERT(!writer->out[0]);
    wr_err err = put_together(writer);
    if (err)
        return library_fail(why, err, "%s", wr_err_text(err));
    *ret = writer->image;
    *ret_size = writer->image_size;
    writer->image = NULL;
    return WR_OK;
}
