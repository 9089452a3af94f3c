/* library.c - libraries opened, described, verified, read. */
#include "library/library.h"

#include <stdarg.h>
#include <stdlib.h>

#include <weir/time.h>

#include "library/library_int.h"

wr_err library_fail(struct library_why *why, wr_err err, const char *format, ...)
{
    struct wr_text text = WR_TEXT(why->text);
    va_list args;
    va_start(args, format);
    wr_text_vformat(&text, format, args);
    va_end(args);
    return err;
}

/* ---- opening ---- */

static const char *const section_names[FORMAT_SECTIONS] = {
    "records", "places of records", "venues", "places of venues", "buckets", "postings" };

wr_err library_verify(const struct library *lib, struct library_why *why)
{
    for (unsigned i = 0; i < FORMAT_SECTIONS; i++) {
        const struct format_range *range = &lib->header.sections[i];
        struct wr_hash hash = wr_hash_of(lib->bytes + range->offset, range->size);
        if (!wr_hash_equal(&hash, &range->hash))
            return library_fail(why, WR_QUARANTINE, "its %s are not as they were written: the "
                                "file is damaged; copy or build it again", section_names[i]);
    }
    return WR_OK;
}

static wr_err check(struct library *lib, struct library_why *why)
{
    const char *wrong = format_read(&lib->header, lib->bytes, lib->size);
    if (wrong)
        return library_fail(why, WR_INVALID, "%s", wrong);
    return lib->size <= LIBRARY_CHECKED_MAX ? library_verify(lib, why) : WR_OK;
}

wr_err library_open_bytes(struct library **ret, const void *bytes, size_t size,
                          struct library_why *why)
{
    struct library *lib = calloc(1, sizeof(*lib));
    if (!lib)
        return library_fail(why, WR_NOMEM, "%s", wr_err_text(WR_NOMEM));
    lib->bytes = bytes;
    lib->size = size;
    wr_err err = check(lib, why);
    if (err) {
        library_close(lib);
        return err;
    }
    *ret = lib;
    return WR_OK;
}

wr_err library_open(struct library **ret, const char *path, struct library_why *why)
{
    struct wr_file_map map = { 0 };
    struct library *lib = NULL;
    wr_err err = wr_file_map(&map, path, WR_NEVER);
    if (err)
        return library_fail(why, err, "%s: %s", path, wr_err_text(err));
    struct library_why inner = { "" };
    err = library_open_bytes(&lib, map.at, map.size, &inner);
    if (!lib) {
        wr_file_unmap(&map);
        return library_fail(why, err, "%s: %s", path, inner.text);
    }
    lib->map = map;
    *ret = lib;
    return WR_OK;
}

void library_close(struct library *lib)
{
    if (!lib)
        return;
    wr_file_unmap(&lib->map);
    free(lib->owned);
    free(lib);
}

struct library_info library_info(const struct library *lib)
{
    struct library_info info = { .name = lib->header.name, .kind = lib->header.kind,
                                 .records = lib->header.records, .bytes = lib->size };
    struct wr_hash hash;
    memcpy(&hash, lib->bytes + FORMAT_HASHED, sizeof(hash));
    wr_hash_print(&hash, info.version);
    return info;
}

/* ---- records ---- */

bool library_cursor(const struct library *lib, uint64_t number, struct record_cursor *ret)
{
    const struct format_range *range = &lib->header.sections[FORMAT_RECORDS];
    if (number >= lib->header.records)
        return false;
    uint64_t place = format_u64(library_section(lib, FORMAT_PLACES) + number * 8);
    if (place >= range->size)
        return false;
    const unsigned char *records = library_section(lib, FORMAT_RECORDS);
    return record_open(ret, records + place, records + range->size);
}

/* The name of a shared venue; NULL: there is none, or it is damaged. */
static const char *venue_of(const struct library *lib, uint32_t number, struct wr_arena *arena)
{
    const struct format_range *range = &lib->header.sections[FORMAT_VENUES];
    if (number >= lib->header.sections[FORMAT_VENUE_PLACES].size / 8)
        return NULL;
    uint64_t place =
        format_u64(library_section(lib, FORMAT_VENUE_PLACES) + (uint64_t)number * 8);
    if (place >= range->size)
        return NULL;
    const unsigned char *at = library_section(lib, FORMAT_VENUES);
    struct record_cursor cursor = { .at = at + place, .end = at + range->size };
    struct record_text text = record_text(&cursor);
    return text.at ? wr_arena_copy(arena, text.at, text.len) : NULL;
}

wr_err library_record(const struct library *lib, uint64_t number, struct wr_arena *arena,
                      struct bib_record *ret)
{
    struct record_cursor cursor;
    struct record_head head;
    struct bib_record record;
    uint32_t venue;
    if (number >= lib->header.records)
        return WR_NOTFOUND;
    if (!library_cursor(lib, number, &cursor) || !record_read_head(&cursor, &head))
        return WR_QUARANTINE;
    if (!record_read_rest(&cursor, &head, arena, &record, &venue))
        return arena->full ? WR_NOMEM : WR_QUARANTINE;
    if (venue != RECORD_NO_VENUE)
        record.work.venue = venue_of(lib, venue, arena);
    record.source = lib->header.name;
    if (arena->full)
        return WR_NOMEM;
    *ret = record;
    return WR_OK;
}
