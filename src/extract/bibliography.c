#include "extract/bibliography.h"

#include <stdlib.h>
#include <string.h>

#include "extract/boundary.h"
#include "extract/reference.h"
#include "extract/section.h"
#include "extract/segment.h"

struct reading {
    struct bib_reference *at;
    size_t count, room;
    bool truncated;
    struct extract_chain boundaries;
    struct wr_arena *arena;
};

static bool is_blank(const struct extract_line *line)
{
    for (size_t i = 0; i < line->len; i++) {
        if ((unsigned char)line->text[i] > ' ')
            return false;
    }
    return true;
}

static bool is_long_dash(const char *raw)
{
    return strncmp(raw, "—", strlen("—")) == 0 || strncmp(raw, "–", strlen("–")) == 0;
}

/* "———, 2007": the same authors as before. */
static bool has_dash_for_authors(const char *raw)
{
    size_t dashes = 0;
    while (*raw == '-' || *raw == '_' || is_long_dash(raw)) {
        dashes += is_long_dash(raw) ? 2 : 1;
        raw += is_long_dash(raw) ? strlen("—") : 1;
    }
    return dashes >= 2;
}

static void take_authors(struct bib_work *work, const struct bib_work *before)
{
    work->authors = before->authors;
    work->author_count = before->author_count;
    work->et_al = before->et_al;
}

static wr_err read_one(struct reading *reading, const char *text, size_t len, uint32_t line,
                       uint32_t line_end)
{
    if (reading->count == EXTRACT_SEGMENTS_MAX) {
        reading->truncated = true;
        return WR_OK;
    }
    if (reading->count == reading->room) {
        size_t room = reading->room ? reading->room * 2 : 64;
        struct bib_reference *more = wr_arena_grow(reading->arena, reading->at, reading->count,
                                                   room, sizeof(*more));
        if (!more)
            return WR_NOMEM;
        reading->at = more;
        reading->room = room;
    }
    struct bib_reference *reference = &reading->at[reading->count];
    wr_err err = extract_reference(text, len, reading->arena, reference);
    if (err)
        return err;
    if (!reference->raw[0])
        return WR_OK;
    if (reading->count > 0 && has_dash_for_authors(reference->raw))
        take_authors(&reference->work, &reading->at[reading->count - 1].work);
    reading->count++;
    if (reference->number == 0)
        reference->number = (uint32_t)reading->count;
    reference->line = line;
    reference->line_end = line_end;
    return WR_OK;
}

static wr_err read_lines(struct reading *reading, const struct extract_line *lines,
                         size_t count)
{
    wr_err err = WR_OK;
    for (size_t i = 0; i < count && !err && !reading->truncated; i++) {
        if (!is_blank(&lines[i]))
            err = read_one(reading, lines[i].text, lines[i].len, lines[i].number,
                           lines[i].number);
    }
    return err;
}

/* The lines of a section without headings, numbers of pages and running heads. */
static size_t keep_lines(struct extract_line *ret, const struct extract_line *lines,
                         size_t count, struct extract_section section)
{
    size_t kept = 0;
    for (size_t i = section.from; i < section.to; i++) {
        if (!is_blank(&lines[i]) && !extract_section_heads(&lines[i])
            && !extract_section_noise(lines, count, i))
            ret[kept++] = lines[i];
    }
    return kept;
}

static wr_err read_section(struct reading *reading, const struct extract_line *lines,
                           size_t count, struct extract_section section)
{
    struct extract_segments segments = { 0 };
    struct wr_arena scratch = WR_ARENA(EXTRACT_BOUNDARY_BYTES * 2ul);
    struct extract_line *kept = calloc(section.to - section.from + 1, sizeof(*kept));
    wr_err err = kept ? WR_OK : WR_NOMEM;
    if (!err) {
        size_t kept_count = keep_lines(kept, lines, count, section);
        err = extract_segments(&reading->boundaries, kept, kept_count, &scratch, &segments);
    }
    for (size_t i = 0; i < segments.count && !err && !reading->truncated; i++) {
        const struct extract_segment *segment = &segments.at[i];
        err = read_one(reading, segment->text, segment->len, kept[segment->line].number,
                       kept[segment->line_end].number);
    }
    reading->truncated = reading->truncated || segments.truncated;
    free(kept);
    wr_arena_free(&scratch);
    return err;
}

wr_err extract_bibliography(const struct extract_line *lines, size_t count,
                            const struct extract_bibliography_conf *conf,
                            struct wr_arena *arena, struct bib_references *ret)
{
    struct reading reading = { .arena = arena };
    struct extract_sections sections = { 0 };
    wr_err err = WR_OK;
    if (conf->boundaries)
        reading.boundaries = *conf->boundaries;
    else
        extract_boundary_chain(&reading.boundaries);
    if (conf->one_per_line)
        err = read_lines(&reading, lines, count);
    else
        err = extract_sections(&sections, lines, count, arena);
    for (size_t i = 0; i < sections.count && !err && !reading.truncated; i++)
        err = read_section(&reading, lines, count, sections.at[i]);
    if (err)
        return err;
    if (reading.truncated && reading.count > 0)
        reading.at[reading.count - 1].truncated = true;
    *ret = (struct bib_references){ .at = reading.at, .count = reading.count };
    return WR_OK;
}
