/* reference_fuzz.c - one reference, whatever somebody calls one.
 *
 * It is read or there is no memory; what is found is text that ends, a year that is possible,
 * names with a family; and to read it again gives the same title.
 */
#include <stdint.h>
#include <string.h>

#include <weir/panic.h>

#include "extract/reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wr_arena arena = WR_ARENA(1 << 20), again = WR_ARENA(1 << 20);
    struct bib_reference first = { 0 }, second = { 0 };
    const char *raw = (const char *)data;
    if (extract_reference(raw, size, &arena, &first)
        || extract_reference(raw, size, &again, &second))
        wr_panic("%zu bytes are not read", size);
    const struct bib_work *work = &first.work;
    if (!first.raw || (work->year && (work->year < 1500 || work->year > 2099)))
        wr_panic("the year is %d", work->year);
    for (uint32_t i = 0; i < work->author_count; i++) {
        if (!work->authors[i].family || !work->authors[i].family[0])
            wr_panic("author %u has no name", i);
    }
    if (!work->title != !second.work.title
        || (work->title && strcmp(work->title, second.work.title) != 0))
        wr_panic("\"%s\" is \"%s\"", work->title, second.work.title);
    wr_arena_free(&arena);
    wr_arena_free(&again);
    return 0;
}
