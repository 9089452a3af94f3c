/* reader_jsonl.c - records as JSON lines with the field names of BibTeX. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "biblio/bibtex.h"
#include "library/json_objects.h"

#define AUTHORS_MAX (256u << 10)

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

/* Texts of a list, as BibTeX has several: "a and b". */
static const char *joined(const json_t *list, struct wr_arena *arena)
{
    struct wr_text text = wr_text_heap(AUTHORS_MAX);
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
        if (json_is_string(item))
            wr_text_format(&text, "%s%s", text.len ? " and " : "", json_string_value(item));
    const char *copy = wr_arena_str(arena, text.at);
    wr_text_free(&text);
    return copy;
}

static const char *text_of(const json_t *value, struct wr_arena *arena)
{
    char buf[32];
    struct wr_text text = WR_TEXT(buf);
    if (json_is_string(value))
        return wr_arena_str(arena, json_string_value(value));
    if (json_is_array(value))
        return joined(value, arena);
    if (!json_is_integer(value))
        return NULL;
    wr_text_format(&text, "%" PRId64, (int64_t)json_integer_value(value));
    return wr_arena_str(arena, text.at);
}

/* An entry of BibTeX with these fields. */
static bool make_entry(const json_t *object, struct wr_arena *arena, struct bibtex_entry *ret)
{
    static const char *const types[] = { "type", "ENTRYTYPE", "bibtex_type", NULL };
    static const char *const keys[] = { "key", "ID", "id", "bibtex_key", "citation_key", NULL };
    size_t count = json_object_size(object);
    struct bibtex_field *fields =
        wr_arena_alloc(arena, (count ? count : 1) * sizeof(*fields));
    const char *name;
    json_t *value;
    *ret = (struct bibtex_entry){ .type = "misc", .fields = fields };
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        const char *text = text_of(value, arena);
        if (!fields || !text)
            continue;
        if (is_one_of(name, types))
            ret->type = text;
        else if (is_one_of(name, keys))
            ret->key = text;
        else
            fields[ret->field_count++] = (struct bibtex_field){
                .name = wr_arena_str(arena, name), .value = text, .len = strlen(text) };
    }
    return fields && !arena->full;
}

static bool take(const json_t *object, struct wr_arena *arena, struct bib_record *ret)
{
    struct bibtex_entry entry;
    struct bib_references references = { 0 };
    if (!make_entry(object, arena, &entry))
        return true;                    /* the arena says what is wrong */
    struct bibtex_file file = { .entries = &entry, .count = 1 };
    if (bibtex_references("", &file, arena, &references) == WR_OK && references.count == 1) {
        ret->work = references.at[0].work;
        ret->id = entry.key ? entry.key : json_objects_text(object, "url", arena);
    }
    return true;
}

static wr_err open(void **ret, struct reader_sink *sink)
{
    return json_objects_open(ret, sink, take);
}

const struct reader_kind reader_jsonl = {
    .kind = "jsonl", .reads = "one JSON object a line, with the field names of BibTeX",
    .open = open, JSON_OBJECTS_CALLS };
