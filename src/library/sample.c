/* sample.c - the built-in library: a text in the program, made a library when it is wanted. */
#include "library/sample.h"

#include <stdlib.h>

#include "biblio/bibtex.h"
#include "library/library_int.h"
#include "library/writer.h"
#include "sample_text.h"

#define ARENA_MAX (16u << 20)

static wr_err add_all(struct library_writer *writer, struct wr_arena *arena)
{
    struct bibtex_file file = { 0 };
    struct bib_references works = { 0 };
    wr_err err = bibtex_parse(sample_text, sizeof(sample_text) - 1, arena, &file);
    if (!err)
        err = bibtex_references(sample_text, &file, arena, &works);
    for (size_t i = 0; !err && i < works.count; i++) {
        struct bib_record record = { .work = works.at[i].work, .id = works.at[i].key };
        err = library_writer_add(writer, &record);
    }
    return err;
}

/* The bytes belong to the library from then on. */
static wr_err open_made(struct library **ret, struct library_writer *writer,
                        struct library_why *why)
{
    void *bytes = NULL;
    size_t size = 0;
    wr_err err = library_writer_finish_bytes(writer, &bytes, &size, why);
    if (!err)
        err = library_open_bytes(ret, bytes, size, why);
    if (err)
        free(bytes);
    else
        (*ret)->owned = bytes;
    return err;
}

wr_err library_open_sample(struct library **ret, struct library_why *why)
{
    struct wr_arena arena = WR_ARENA(ARENA_MAX);
    struct library_writer *writer = NULL;
    const struct library_plan plan = { .kind = LIBRARY_SAMPLE, .name = "sample",
                                       .input = "built in" };
    wr_err err = library_writer_open(&writer, &plan, why);
    if (err)
        return err;
    err = add_all(writer, &arena);
    wr_arena_free(&arena);
    err = err ? library_fail(why, err, "the built-in library: %s", wr_err_text(err))
              : open_made(ret, writer, why);
    library_writer_close(writer);
    return err;
}
