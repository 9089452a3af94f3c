/* record.c - records, written and read. */
#include "library/record.h"

#include <string.h>

enum { ET_AL = 1, AUTHORS_PARTIAL = 2 };
enum { VENUE_NONE, VENUE_HERE, VENUE_SHARED };      /* and those after it: its number */

#define TEXT_MAX 4000

/* ---- writing ---- */

static size_t encode(unsigned char *ret, uint64_t value)
{
    size_t len = 0;
    for (; value >= 0x80; value >>= 7)
        ret[len++] = (unsigned char)(value | 0x80);
    ret[len++] = (unsigned char)value;
    return len;
}

static void put_number(struct wr_text *text, uint64_t value)
{
    unsigned char buf[10];
    wr_text_bytes(text, (const char *)buf, encode(buf, value));
}

/* One more than the length, so that nothing can be told from an empty text. */
void record_put_text(struct wr_text *text, const char *value)
{
    put_number(text, value ? strlen(value) + 1 : 0);
    if (value)
        wr_text_str(text, value);
}

static bool too_long(const char *text)
{
    return text && strnlen(text, TEXT_MAX + 1) > TEXT_MAX;
}

bool record_can_be_kept(const struct bib_record *record)
{
    const struct bib_work *work = &record->work;
    bool named = (work->title && work->title[0]) || work->doi || work->arxiv_id;
    bool fits = !too_long(work->title) && !too_long(work->venue) && !too_long(work->doi)
        && !too_long(work->arxiv_id) && !too_long(record->id) && !too_long(record->retraction)
        && work->author_count <= RECORD_AUTHORS_MAX;
    for (uint32_t i = 0; fits && i < work->author_count; i++)
        fits = !too_long(work->authors[i].family) && !too_long(work->authors[i].given);
    return named && fits;
}

static void put_venue(struct wr_text *text, const char *name, uint32_t number)
{
    if (number != RECORD_NO_VENUE) {
        put_number(text, (uint64_t)VENUE_SHARED + number);
        return;
    }
    put_number(text, name ? VENUE_HERE : VENUE_NONE);
    if (name)
        record_put_text(text, name);
}

static void put_body(struct wr_text *text, const struct bib_record *record, uint32_t venue)
{
    const struct bib_work *work = &record->work;
    bool dated = work->year > 0;
    put_number(text, work->kind);
    put_number(text, dated ? (uint64_t)work->year : 0);
    put_number(text, (work->et_al ? ET_AL : 0u)
                         | (record->authors_partial ? AUTHORS_PARTIAL : 0u));
    record_put_text(text, work->title);
    put_venue(text, work->venue, venue);
    put_number(text, work->author_count);
    for (uint32_t i = 0; i < work->author_count; i++) {
        record_put_text(text, work->authors[i].family);
        record_put_text(text, work->authors[i].given);
    }
    record_put_text(text, work->doi);
    record_put_text(text, work->arxiv_id);
    record_put_text(text, record->id);
    record_put_text(text, record->retraction);
}

/* The length is known when the body is: it is written behind where it will stand, and moved. */
wr_err record_write(struct wr_text *ret, const struct bib_record *record, uint32_t venue)
{
    unsigned char length[10];
    size_t before = ret->len;
    if (!record_can_be_kept(record))
        return WR_INVALID;
    put_body(ret, record, venue);
    size_t body = ret->len - before, len = encode(length, body);
    wr_text_bytes(ret, (const char *)length, len);
    if (ret->cut || body > RECORD_MAX) {
        wr_text_rewind(ret, before);
        return WR_INVALID;
    }
    memmove(ret->at + before + len, ret->at + before, body);
    memcpy(ret->at + before, length, len);
    return WR_OK;
}

/* ---- reading ---- */

uint64_t record_number(struct record_cursor *cursor)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 63 && cursor->at < cursor->end; shift += 7) {
        unsigned char byte = *cursor->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    cursor->bad = true;
    cursor->at = cursor->end;
    return 0;
}

struct record_text record_text(struct record_cursor *cursor)
{
    uint64_t len = record_number(cursor);
    if (cursor->bad || len == 0)
        return (struct record_text){ 0 };
    if (len - 1 > (uint64_t)(cursor->end - cursor->at) || len - 1 > TEXT_MAX) {
        cursor->bad = true;
        cursor->at = cursor->end;
        return (struct record_text){ 0 };
    }
    struct record_text text = { (const char *)cursor->at, (uint32_t)(len - 1) };
    cursor->at += text.len;
    return text;
}

bool record_open(struct record_cursor *ret, const unsigned char *at, const unsigned char *end)
{
    *ret = (struct record_cursor){ .at = at, .end = end };
    uint64_t len = record_number(ret);
    if (ret->bad || len > RECORD_MAX || len > (uint64_t)(end - ret->at))
        return false;
    ret->end = ret->at + len;
    return true;
}

bool record_read_head(struct record_cursor *cursor, struct record_head *ret)
{
    uint64_t kind = record_number(cursor), year = record_number(cursor);
    ret->kind = kind <= BIB_WEB ? (enum bib_kind)kind : BIB_UNKNOWN;
    ret->year = year <= 9999 ? (int)year : 0;
    ret->flags = (uint32_t)record_number(cursor);
    ret->title = record_text(cursor);
    return !cursor->bad;
}

static const char *copy(struct record_cursor *cursor, struct wr_arena *arena)
{
    struct record_text text = record_text(cursor);
    return text.at ? wr_arena_copy(arena, text.at, text.len) : NULL;
}

static void read_authors(struct record_cursor *cursor, struct wr_arena *arena,
                         struct bib_work *ret)
{
    uint64_t count = record_number(cursor);
    if (count > RECORD_AUTHORS_MAX || count > (uint64_t)(cursor->end - cursor->at)) {
        cursor->bad = true;
        return;
    }
    struct bib_name *names = wr_arena_alloc(arena, count * sizeof(*names));
    for (uint64_t i = 0; names && i < count; i++) {
        const char *family = copy(cursor, arena);
        names[i] = (struct bib_name){ family ? family : "", copy(cursor, arena) };
    }
    ret->authors = names;
    ret->author_count = names ? (uint32_t)count : 0;
}

bool record_read_rest(struct record_cursor *cursor, const struct record_head *head,
                      struct wr_arena *arena, struct bib_record *ret, uint32_t *venue)
{
    struct bib_work *work = &ret->work;
    *ret = (struct bib_record){ .authors_partial = head->flags & AUTHORS_PARTIAL };
    work->kind = head->kind;
    work->year = head->year;
    work->et_al = head->flags & ET_AL;
    work->title =
        head->title.at ? wr_arena_copy(arena, head->title.at, head->title.len) : NULL;
    uint64_t number = record_number(cursor);
    *venue = number >= VENUE_SHARED && number - VENUE_SHARED < RECORD_NO_VENUE
        ? (uint32_t)(number - VENUE_SHARED) : RECORD_NO_VENUE;
    if (number == VENUE_HERE)
        work->venue = copy(cursor, arena);
    read_authors(cursor, arena, work);
    work->doi = copy(cursor, arena);
    work->arxiv_id = copy(cursor, arena);
    ret->id = copy(cursor, arena);
    ret->retraction = copy(cursor, arena);
    return !cursor->bad && !arena->full;
}
