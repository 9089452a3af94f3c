/* library_fuzz.c - a library that somebody made to hurt us, with hashes that are right.
 *
 * An input is edits of a small library, of three bytes each: where, and what.  Those that fall
 * on the header change its numbers.  The hashes are made anew, so that the file is opened if
 * its header can be; then everything is looked up that can be.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "library/format.h"
#include "library/library.h"
#include "library/writer.h"

#define INPUT_MAX 600

static unsigned char *base;
static size_t base_size;

static const struct bib_name names[] = { { "Ames", "Ada" }, { "Burr", NULL } };
static const struct bib_work works[] = {
    { .title = "Structured fibers and the cost of waiting for others", .doi = "10.1000/1",
      .venue = "Toys", .authors = names, .author_count = 2, .year = 1999 },
    { .title = "Weir: a runtime for channels", .arxiv_id = "2001.00001", .venue = "Toys" },
    { .title = "Preface" }, { .title = "Preface", .authors = names, .author_count = 1 },
    { .title = "Channels, fibers, and what they cost", .venue = "Games" } };
#define WORKS (sizeof(works) / sizeof(*works))

static void make_base(void)
{
    struct library_writer *writer = NULL;
    struct library_why why;
    void *bytes = NULL;
    struct library_plan plan = { .kind = "bib", .name = "fuzz", .input = "" };
    if (library_writer_open(&writer, &plan, &why))
        wr_panic("%s", why.text);
    for (size_t i = 0; i < WORKS; i++) {
        struct bib_record record = { .work = works[i], .id = "k", .retraction = "r" };
        if (library_writer_add(writer, &record))
            wr_panic("a work is refused");
    }
    if (library_writer_finish_bytes(writer, &bytes, &base_size, &why))
        wr_panic("%s", why.text);
    library_writer_close(writer);
    base = bytes;
}

/* The numbers of the header are those bytes of it that are no text. */
static void edit_header(struct format_header *header, size_t at, unsigned char value)
{
    unsigned char *numbers = (unsigned char *)&header->records;
    size_t size = sizeof(*header) - (size_t)(numbers - (unsigned char *)header);
    numbers[at % size] ^= value;
}

static void use(struct library *lib)
{
    struct library_why why;
    for (size_t i = 0; i < WORKS; i++) {
        struct wr_arena arena = WR_ARENA(1 << 20);
        struct bib_record found[8];
        size_t count = library_find(lib, &works[i], &arena, found, 8);
        for (size_t k = 0; k < count; k++)
            if (found[k].work.title && strlen(found[k].work.title) > base_size)
                wr_panic("a title is longer than the library");
        library_retraction(lib, &works[i], &arena);
        if (library_record(lib, i, &arena, &found[0]) == WR_OK && !found[0].source)
            wr_panic("a record without a source");
        wr_arena_free(&arena);
    }
    if (library_verify(lib, &why) != WR_OK)
        wr_panic("%s", why.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct format_header header;
    struct library *lib = NULL;
    struct library_why why;
    if (!base)
        make_base();
    if (size > INPUT_MAX || format_read(&header, base, base_size))
        return 0;
    unsigned char *bytes = malloc(base_size);
    memcpy(bytes, base, base_size);
    for (size_t i = 0; i + 3 <= size; i += 3) {
        size_t at = (data[i] | (size_t)data[i + 1] << 8) % (base_size - FORMAT_HEADER + 256);
        if (at < 256)
            edit_header(&header, at, data[i + 2]);
        else
            bytes[FORMAT_HEADER + at - 256] = data[i + 2];
    }
    for (size_t i = 0; i < FORMAT_SECTIONS; i++) {
        struct format_range *range = &header.sections[i];
        if (range->offset <= base_size && range->size <= base_size - range->offset)
            range->hash = wr_hash_of(bytes + range->offset, range->size);
    }
    format_write(&header, bytes);
    if (library_open_bytes(&lib, bytes, base_size, &why) == WR_OK)
        use(lib);
    library_close(lib);
    free(bytes);
    return 0;
}
