/* reader_rig.h - a reader fed with text, and what it made of it as lines, for tests.
 *
 *     struct reader_rig rig;
 *     reader_rig_read(&rig, &reader_dblp, "<dblp>...");
 *     CHECK_STR("[paper] 2003 \"Title\" Ames, A.; Burr | Venue id=k\n", rig.seen.at);
 *     CHECK_STR("1: some fault\n", rig.faults.at);
 *     reader_rig_close(&rig);
 */
#ifndef WR_TESTING_READER_RIG_H
#define WR_TESTING_READER_RIG_H

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "library/reader.h"
#include "testing/test.h"

struct reader_rig {
    struct wr_text seen, faults;
    wr_err err;
    size_t piece;                   /* bytes at a time; 0: all */
    uint64_t safe;                  /* at the end, ... */
    uint64_t from;                  /* ... and where to begin */
};

static inline void rig_field(struct wr_text *text, const char *name, const char *value)
{
    if (value)
        wr_text_format(text, " %s=%s", name, value);
}

static inline wr_err rig_record(void *to, const struct bib_record *record)
{
    static const char *const kinds[] = { "?", "article", "paper", "book", "thesis", "report",
                                         "preprint", "web" };
    struct wr_text *text = &((struct reader_rig *)to)->seen;
    const struct bib_work *work = &record->work;
    if (!work->title && !work->doi && !work->arxiv_id)
        return WR_INVALID;
    wr_text_format(text, "[%s] %d \"%s\"", kinds[work->kind], work->year,
                   work->title ? work->title : "");
    for (uint32_t i = 0; i < work->author_count; i++)
        wr_text_format(text, "%s %s%s%s", i ? ";" : "", work->authors[i].family,
                       work->authors[i].given ? ", " : "",
                       work->authors[i].given ? work->authors[i].given : "");
    if (work->venue)
        wr_text_format(text, " | %s", work->venue);
    rig_field(text, "doi", work->doi);
    rig_field(text, "arxiv", work->arxiv_id);
    rig_field(text, "id", record->id);
    rig_field(text, "retraction", record->retraction);
    wr_text_str(text, record->authors_partial ? " partial\n" : "\n");
    return WR_OK;
}

static inline void rig_fault(void *to, uint64_t line, const char *what)
{
    wr_text_format(&((struct reader_rig *)to)->faults, "%" PRIu64 ": %s\n", line, what);
}

/* Read a member; what was seen before is kept. */
static inline void reader_rig_feed(struct reader_rig *rig, const struct reader_kind *kind,
                                   const char *bytes, size_t len)
{
    struct reader_sink sink = { .arena = WR_ARENA(READER_ARENA_MAX), .record = rig_record,
                                .fault = rig_fault, .to = rig };
    void *reader = NULL;
    REQUIRE_OK(kind->open(&reader, &sink));
    size_t piece = rig->piece ? rig->piece : len;
    rig->err = kind->begin(reader, rig->from);
    for (size_t at = rig->from; !rig->err && at < len; at += piece)
        rig->err = kind->feed(reader, bytes + at, len - at < piece ? len - at : piece);
    if (!rig->err)
        rig->err = kind->end(reader);
    rig->safe = kind->safe(reader);
    kind->close(reader);
    CHECK_EQ(0, sink.arena.used);
    wr_arena_free(&sink.arena);
}

static inline void reader_rig_open(struct reader_rig *rig)
{
    *rig = (struct reader_rig){ .seen = wr_text_heap(1 << 20),
                                .faults = wr_text_heap(1 << 16) };
}

static inline void reader_rig_close(struct reader_rig *rig)
{
    wr_text_free(&rig->seen);
    wr_text_free(&rig->faults);
}

/* Read a text, and see that it makes no difference in which pieces it comes. */
static inline void reader_rig_read(struct reader_rig *rig, const struct reader_kind *kind,
                                   const char *text)
{
    struct reader_rig other;
    reader_rig_open(rig);
    reader_rig_feed(rig, kind, text, strlen(text));
    for (size_t piece = 1; piece < 40; piece += 6) {
        reader_rig_open(&other);
        other.piece = piece;
        reader_rig_feed(&other, kind, text, strlen(text));
        CHECK_EQ(rig->err, other.err);
        CHECK_STR(rig->seen.at, other.seen.at);
        CHECK_STR(rig->faults.at, other.faults.at);
        reader_rig_close(&other);
    }
}

#endif
