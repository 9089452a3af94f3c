/* source_fuzz.c - any bytes as an answer of any source: read, refused, or nothing found.
 *
 * The first byte chooses the driver, the second what it is asked by, the step and the status;
 * the rest is the answer.  Whatever it is: nothing is read out of it that is not whole, every
 * error is explained, and what was read comes out of a packed answer as it went in.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "source/answer.h"
#include "source/sources.h"

#define INPUT_MAX 16384

static void check_text(const char *text)
{
    if (text)
        WR_ASSERT(strlen(text) <= INPUT_MAX);
}

static void check_record(const struct bib_record *record)
{
    const struct bib_work *work = &record->work;
    check_text(work->title);
    check_text(work->venue);
    check_text(work->volume);
    check_text(work->pages);
    check_text(work->doi);
    check_text(work->arxiv_id);
    check_text(record->id);
    check_text(record->retraction);
    WR_ASSERT(record->source && work->kind <= BIB_WEB);
    WR_ASSERT(work->year >= 0 && work->year < 10000);
    WR_ASSERT(work->author_count <= SOURCE_AUTHORS_MAX);
    for (uint32_t i = 0; i < work->author_count; i++)
        WR_ASSERT(work->authors[i].family && *work->authors[i].family);
    for (uint32_t i = 0; i < work->url_count; i++)
        check_text(work->urls[i]);
}

static void check_packed(const struct source_reading *reading)
{
    struct wr_arena arena = WR_ARENA(16 << 20);
    struct wr_bytes *bytes, *again;
    struct bib_record *records;
    size_t count;
    WR_ASSERT(!answer_pack(&bytes, reading->records, reading->count));
    WR_ASSERT(!answer_unpack(bytes, &arena, &records, &count) && count == reading->count);
    WR_ASSERT(!answer_pack(&again, records, count));
    WR_ASSERT(again->len == bytes->len && memcmp(again->data, bytes->data, bytes->len) == 0);
    wr_bytes_unref(again);
    wr_bytes_unref(bytes);
    wr_arena_free(&arena);
}

static enum source_by choose_by(const struct source_driver *driver, unsigned wish)
{
    for (unsigned i = 0;; i++) {
        enum source_by by = (wish + i) % SOURCE_BY_COUNT;
        if (driver->asks & SOURCE_BIT(by))
            return by;
    }
}

static void read_answer(const uint8_t *data, size_t size)
{
    static const unsigned statuses[] = { 200, 200, 200, 200, 200, 200, 404, 429 };
    const struct source_driver *driver = sources_driver(data[0] % SOURCES_MAX);
    if (driver->ask)
        return;                     /* a page is not read */
    struct wr_arena arena = WR_ARENA(1 << 20);
    struct source_question question = { .by = choose_by(driver, data[1] & 7),
                                        .text = "2403.00108",
                                        .title = data[1] & 8 ? "Quiet Rivers" : NULL };
    struct source_reading reading = { .driver = driver, .question = &question,
                                      .arena = &arena, .step = data[1] >> 7 };
    wr_err err = source_read(&reading, &(struct source_reply){
        .status = statuses[data[1] >> 4 & 7], .bytes = (const char *)data + 2,
        .len = size - 2 });
    WR_ASSERT(!err || err == WR_NOTFOUND || reading.why[0]);
    WR_ASSERT(reading.count <= SOURCE_RECORDS_MAX);
    for (size_t i = 0; i < reading.count; i++)
        check_record(&reading.records[i]);
    if (!err && reading.count)
        check_packed(&reading);
    wr_arena_free(&arena);
}

/* The same bytes as a packed answer out of a store that was damaged. */
static void unpack(const uint8_t *data, size_t size)
{
    struct wr_arena arena = WR_ARENA(1 << 20);
    struct wr_bytes *bytes;
    struct bib_record *records;
    size_t count;
    WR_ASSERT(!wr_bytes_copy(&bytes, data, size));
    if (!answer_unpack(bytes, &arena, &records, &count))
        for (size_t i = 0; i < count; i++)
            WR_ASSERT(records[i].work.kind <= BIB_WEB);
    wr_bytes_unref(bytes);
    wr_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > INPUT_MAX)
        return -1;
    read_answer(data, size);
    unpack(data, size);
    return 0;
}
