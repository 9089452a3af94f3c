/* answer.c - see answer.h.
 *
 * A version, the number of records, then each: numbers with their low byte first, texts with
 * their length before and a zero byte behind them.  A pass without a buffer measures, a second
 * one writes.
 */
#include "source/answer.h"

#include <stdint.h>
#include <string.h>

#include <weir/panic.h>

#define VERSION 1
#define NO_TEXT 0xffffu

enum { ET_AL = 1, PARTIAL = 2 };

/* ---- packing ---- */

struct packer { unsigned char *at; size_t len; };

static void put(struct packer *packer, const void *bytes, size_t size)
{
    if (packer->at)
        memcpy(packer->at + packer->len, bytes, size);
    packer->len += size;
}

static void put_u16(struct packer *packer, unsigned value)
{
    put(packer, (unsigned char[]){ (unsigned char)value, (unsigned char)(value >> 8) }, 2);
}

static void put_text(struct packer *packer, const char *text)
{
    size_t len = text ? strlen(text) : NO_TEXT;
    put_u16(packer, len < NO_TEXT ? (unsigned)len : NO_TEXT);
    if (len < NO_TEXT)
        put(packer, text, len + 1);
}

static void put_record(struct packer *packer, const struct bib_record *record)
{
    const struct bib_work *work = &record->work;
    unsigned authors = work->author_count < NO_TEXT ? work->author_count : NO_TEXT;
    unsigned urls = work->url_count < 255 ? work->url_count : 255;
    put_u16(packer, (unsigned)work->kind);
    put_u16(packer, (unsigned)work->year);
    put_u16(packer, (work->et_al ? ET_AL : 0u) | (record->authors_partial ? PARTIAL : 0u));
    const char *const texts[] = { record->source, record->id, record->retraction, work->title,
                                  work->venue, work->volume, work->pages, work->doi,
                                  work->arxiv_id };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        put_text(packer, texts[i]);
    put_u16(packer, authors);
    for (unsigned i = 0; i < authors; i++) {
        put_text(packer, work->authors[i].family);
        put_text(packer, work->authors[i].given);
    }
    put_u16(packer, urls);
    for (unsigned i = 0; i < urls; i++)
        put_text(packer, work->urls[i]);
}

static void put_all(struct packer *packer, const struct bib_record *records, size_t count)
{
    put_u16(packer, VERSION);
    put_u16(packer, (unsigned)count);
    for (size_t i = 0; i < count; i++)
        put_record(packer, &records[i]);
}

wr_err answer_pack(struct wr_bytes **ret, const struct bib_record *records, size_t count)
{
    struct packer packer = { 0 };
    WR_ASSERT(count < NO_TEXT);
    put_all(&packer, records, count);
    struct wr_bytes *bytes;
    wr_err err = wr_bytes_new(&bytes, packer.len);
    if (err)
        return err;
    packer = (struct packer){ .at = bytes->data };
    put_all(&packer, records, count);
    *ret = bytes;
    return WR_OK;
}

/* ---- unpacking ---- */

struct unpacker { const unsigned char *at, *end; bool bad; struct wr_arena *arena; };

static unsigned get_u16(struct unpacker *in)
{
    if (in->bad || in->end - in->at < 2) {
        in->bad = true;
        return 0;
    }
    unsigned value = in->at[0] | (unsigned)in->at[1] << 8;
    in->at += 2;
    return value;
}

static const char *get_text(struct unpacker *in)
{
    unsigned len = get_u16(in);
    if (in->bad || len == NO_TEXT)
        return NULL;
    if (in->end - in->at <= (ptrdiff_t)len || in->at[len] != '\0') {
        in->bad = true;
        return NULL;
    }
    const char *text = (const char *)in->at;
    in->at += len + 1;
    return text;
}

/* Room for so many, each of which takes at least two bytes of what is left. */
static void *get_room(struct unpacker *in, unsigned count, size_t size)
{
    if (in->bad || count > (size_t)(in->end - in->at) / 2) {
        in->bad = true;
        return NULL;
    }
    return count ? wr_arena_alloc(in->arena, count * size) : NULL;
}

static void get_record(struct unpacker *in, struct bib_record *record)
{
    struct bib_work *work = &record->work;
    work->kind = get_u16(in);
    work->year = (int)get_u16(in);
    unsigned flags = get_u16(in);
    work->et_al = flags & ET_AL;
    record->authors_partial = flags & PARTIAL;
    const char **const texts[] = { &record->source, &record->id, &record->retraction,
                                   &work->title, &work->venue, &work->volume, &work->pages,
                                   &work->doi, &work->arxiv_id };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        *texts[i] = get_text(in);
    in->bad |= work->kind > BIB_WEB;
    unsigned count = get_u16(in);
    struct bib_name *authors = get_room(in, count, sizeof(*authors));
    for (unsigned i = 0; authors && i < count; i++) {
        authors[i].family = get_text(in);
        authors[i].given = get_text(in);
        in->bad |= !authors[i].family;
    }
    work->authors = authors;
    work->author_count = authors ? count : 0;
    count = get_u16(in);
    const char **urls = get_room(in, count, sizeof(*urls));
    for (unsigned i = 0; urls && i < count; i++) {
        urls[i] = get_text(in);
        in->bad |= !urls[i];
    }
    work->urls = urls;
    work->url_count = urls ? count : 0;
}

wr_err answer_unpack(const struct wr_bytes *bytes, struct wr_arena *arena,
                     struct bib_record **ret, size_t *ret_count)
{
    struct unpacker in = { .at = bytes->data, .end = bytes->data + bytes->len, .arena = arena };
    in.bad = get_u16(&in) != VERSION;
    unsigned count = get_u16(&in);
    struct bib_record *records = get_room(&in, count, sizeof(*records));
    for (unsigned i = 0; records && i < count && !in.bad; i++)
        get_record(&in, &records[i]);
    if (arena->full)
        return WR_NOMEM;
    if (in.bad || in.at != in.end)
        return WR_INVALID;
    *ret = records;
    *ret_count = count;
    return WR_OK;
}
