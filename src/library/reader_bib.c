/* reader_bib.c - BibTeX files, each read as a whole: entries refer to one another. */
#include <stdlib.h>

#include "base/text.h"
#include "biblio/bibtex.h"
#include "library/reader.h"

#define FILE_MAX (256u << 20)
#define ARENA_MAX ((size_t)2 << 30)

struct bib {
    struct reader_sink *sink;
    struct wr_text text;
};

static wr_err open(void **ret, struct reader_sink *sink)
{
    struct bib *bib = calloc(1, sizeof(*bib));
    if (!bib)
        return WR_NOMEM;
    bib->sink = sink;
    bib->text = wr_text_heap(FILE_MAX);
    *ret = bib;
    return WR_OK;
}

static void close(void *self)
{
    struct bib *bib = self;
    wr_text_free(&bib->text);
    free(bib);
}

static wr_err begin(void *self, uint64_t offset)
{
    (void)offset;
    wr_text_rewind(&((struct bib *)self)->text, 0);
    return WR_OK;
}

static wr_err feed(void *self, const char *bytes, size_t len)
{
    struct bib *bib = self;
    wr_text_bytes(&bib->text, bytes, len);
    if (!bib->text.cut)
        return WR_OK;
    bib->sink->fault(bib->sink->to, 1, "the file has more than 256 MB, or there is no memory "
                     "for it; give it in parts");
    return WR_INVALID;
}

static wr_err give_all(struct bib *bib, const struct bibtex_file *file, struct wr_arena *arena)
{
    struct bib_references references = { 0 };
    wr_err err = bibtex_references(bib->text.at, file, arena, &references);
    for (size_t i = 0; !err && i < references.count; i++) {
        const struct bib_reference *one = &references.at[i];
        struct bib_record record = { .work = one->work, .id = one->key };
        err = reader_give(bib->sink, &record, one->line);
    }
    return err;
}

static wr_err end(void *self)
{
    struct bib *bib = self;
    struct wr_arena arena = WR_ARENA(ARENA_MAX);
    struct bibtex_file file = { 0 };
    struct reader_sink *sink = bib->sink;
    wr_err err = bibtex_parse(bib->text.at, bib->text.len, &arena, &file);
    for (size_t i = 0; !err && i < file.fault_count && i < BIBTEX_FAULTS_MAX; i++)
        sink->fault(sink->to, file.faults[i].line, file.faults[i].what);
    if (!err && file.count == 0)
        sink->fault(sink->to, 1, "there is no entry of BibTeX in it");
    if (!err)
        err = give_all(bib, &file, &arena);
    wr_arena_free(&arena);
    return err;
}

static uint64_t safe(void *self)
{
    (void)self;
    return 0;
}

const struct reader_kind reader_bib = {
    .kind = "bib", .reads = "BibTeX or BibLaTeX", .suffix = ".bib", .open = open,
    .begin = begin, .feed = feed, .end = end, .safe = safe, .close = close };
