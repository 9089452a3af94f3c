/* reader.c - the table of readers. */
#include "library/reader.h"

#include <string.h>

#include "biblio/author.h"
#include "library/record.h"

const struct reader_kind *const reader_kinds[] = {
    &reader_acl,   &reader_arxiv,    &reader_bib, &reader_crossref, &reader_dblp,
    &reader_jsonl, &reader_openalex, &reader_retractionwatch, NULL };

const struct reader_kind *reader_find(const char *kind)
{
    for (const struct reader_kind *const *at = reader_kinds; *at; at++)
        if (strcmp((*at)->kind, kind) == 0)
            return *at;
    return NULL;
}

wr_err reader_give(struct reader_sink *sink, const struct bib_record *record, uint64_t line)
{
    wr_err err = sink->arena.full ? WR_INVALID : sink->record(sink->to, record);
    wr_arena_free(&sink->arena);
    if (err != WR_INVALID)
        return err;
    sink->fault(sink->to, line, "it has no title and no identifier, or is too long");
    return WR_OK;
}

/* ---- what readers share ---- */

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

const char *reader_clean(struct wr_arena *arena, const char *text, size_t len)
{
    char *copy = wr_arena_copy(arena, text, len);
    size_t kept = 0;
    for (size_t i = 0; copy && i < len && copy[i]; i++) {
        if (!is_space(copy[i]))
            copy[kept++] = copy[i];
        else if (kept > 0 && copy[kept - 1] != ' ')
            copy[kept++] = ' ';
    }
    if (kept > 0 && copy[kept - 1] == ' ')
        kept--;
    if (kept == 0)
        return NULL;
    copy[kept] = '\0';
    return copy;
}

int reader_year(const char *text)
{
    for (; text && *text; text += *text != '\0') {
        int year = 0, digits = 0;
        for (; *text >= '0' && *text <= '9'; text++, digits++)
            year = digits < 4 ? year * 10 + (*text - '0') : 0;
        if (digits == 4 && year >= 1000 && year < 3000)
            return year;
    }
    return 0;
}

static void add_name(struct reader_names *names, struct wr_arena *arena, struct bib_name name)
{
    if (names->count == RECORD_AUTHORS_MAX)
        return;
    if (names->count == names->room) {
        uint32_t room = names->room ? 2 * names->room : 8;
        struct bib_name *grown =
            wr_arena_grow(arena, names->at, names->count, room, sizeof(*names->at));
        if (!grown)
            return;
        names->at = grown;
        names->room = room;
    }
    names->at[names->count++] = name;
}

void reader_add_name(struct reader_names *names, struct wr_arena *arena, const char *text)
{
    struct bib_name name;
    if (text && bib_author_parse(&name, text, strlen(text), arena))
        add_name(names, arena, name);
}

void reader_add_parted(struct reader_names *names, struct wr_arena *arena, const char *family,
                       const char *given)
{
    const char *last = family ? reader_clean(arena, family, strlen(family)) : NULL;
    const char *first = given ? reader_clean(arena, given, strlen(given)) : NULL;
    if (last || first)
        add_name(names, arena, (struct bib_name){ last ? last : first, last ? first : NULL });
}
