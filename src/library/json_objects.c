/* json_objects.c - where objects begin and end. */
#include "library/json_objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum shape { UNKNOWN, LINES, LIST };

#define BEGINNING 256               /* bytes by which the shape is told, at most */

struct objects {
    struct reader_sink *sink;
    json_objects_fn *take;
    enum shape shape;
    struct wr_text text;            /* of the line or object that is being read */
    uint64_t offset, safe;
    uint64_t line, begun;           /* where we are, and where the object began */
    unsigned depth;                 /* of braces and brackets in it */
    bool in_string, escaped, too_long;
};

wr_err json_objects_open(void **ret, struct reader_sink *sink, json_objects_fn *take)
{
    struct objects *self = calloc(1, sizeof(*self));
    if (!self)
        return WR_NOMEM;
    self->sink = sink;
    self->take = take;
    self->text = wr_text_heap(READER_LINE_MAX);
    *ret = self;
    return WR_OK;
}

void json_objects_close(void *self)
{
    struct objects *objects = self;
    wr_text_free(&objects->text);
    free(objects);
}

wr_err json_objects_begin(void *self, uint64_t offset)
{
    struct objects *objects = self;
    objects->shape = UNKNOWN;
    objects->offset = objects->safe = offset;
    objects->line = 1;
    objects->depth = 0;
    objects->in_string = objects->escaped = objects->too_long = false;
    wr_text_rewind(&objects->text, 0);
    return WR_OK;
}

uint64_t json_objects_safe(void *self)
{
    return ((struct objects *)self)->safe;
}

/* ---- an object ---- */

static wr_err read_object(struct objects *self)
{
    struct reader_sink *sink = self->sink;
    struct bib_record record = { 0 };
    json_error_t error;
    wr_err err = WR_OK;
    json_t *object = self->too_long || self->text.cut
        ? NULL : json_loadb(self->text.at, self->text.len, 0, &error);
    if (self->too_long || self->text.cut)
        sink->fault(sink->to, self->begun, "an object is longer than 16 MB");
    else if (!object)
        sink->fault(sink->to, self->begun, error.text);
    else if (!json_is_object(object))
        sink->fault(sink->to, self->begun, "this is JSON, but not an object");
    else if (self->take(object, &sink->arena, &record))
        err = reader_give(sink, &record, self->begun);
    else
        wr_arena_free(&sink->arena);
    json_decref(object);
    wr_text_rewind(&self->text, 0);
    self->too_long = false;
    return err;
}

static void keep(struct objects *self, const char *bytes, size_t len)
{
    wr_text_bytes(&self->text, bytes, len);
    self->too_long |= self->text.cut > 0;
}

/* ---- lines ---- */

static bool is_blank(const struct wr_text *text)
{
    return strspn(text->at, " \t\r\v\f") == text->len;
}

static wr_err end_line(struct objects *self)
{
    self->begun = self->line;
    if (is_blank(&self->text) && !self->too_long) {
        wr_text_rewind(&self->text, 0);
        return WR_OK;
    }
    return read_object(self);
}

static wr_err feed_lines(struct objects *self, const char *bytes, size_t len)
{
    wr_err err = WR_OK;
    while (!err && len > 0) {
        const char *end = memchr(bytes, '\n', len);
        size_t part = end ? (size_t)(end - bytes) : len;
        keep(self, bytes, part);
        part += end != NULL;
        self->offset += part;
        bytes += part;
        len -= part;
        if (!end)
            break;
        err = end_line(self);
        self->line++;
        self->safe = self->offset;
    }
    return err;
}

/* ---- lists ---- */

/* Whether an object ends with this byte. */
static bool ends_with(struct objects *self, char c)
{
    if (self->in_string) {
        self->in_string = self->escaped || c != '"';
        self->escaped = !self->escaped && c == '\\';
        return false;
    }
    self->in_string = c == '"';
    self->depth += c == '{' || c == '[';
    self->depth -= c == '}' || c == ']';
    return self->depth == 0;
}

static wr_err feed_list(struct objects *self, const char *bytes, size_t len)
{
    size_t from = 0;
    wr_err err = WR_OK;
    for (size_t i = 0; !err && i < len; i++) {
        self->line += bytes[i] == '\n';
        if (self->depth == 0 && bytes[i] != '{')
            continue;
        if (self->depth == 0) {
            from = i;
            self->begun = self->line;
            self->depth = 1;
            continue;
        }
        if (!ends_with(self, bytes[i]))
            continue;
        keep(self, bytes + from, i + 1 - from);
        err = read_object(self);
        self->safe = self->offset + i + 1;
    }
    if (self->depth > 0)
        keep(self, bytes + from, len - from);
    self->offset += len;
    return err;
}

/* ---- telling which ---- */

static size_t skip_space(const char *text, size_t at)
{
    return at + strspn(text + at, " \t\r\n");
}

/* Behind the bracket of {"items": [ ; 0: that is not how it begins. */
static size_t items_begin(const char *text)
{
    static const char *const words[] = { "{", "\"items\"", ":", "[" };
    size_t at = 0;
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        at = skip_space(text, at);
        if (strncmp(text + at, words[i], strlen(words[i])) != 0)
            return 0;
        at += strlen(words[i]);
    }
    return at;
}

static wr_err feed_known(struct objects *self, const char *bytes, size_t len)
{
    return self->shape == LIST ? feed_list(self, bytes, len) : feed_lines(self, bytes, len);
}

/* What comes first may be a mark that it is UTF-8.  A comma is where we went on with a list. */
static wr_err tell_shape(struct objects *self)
{
    char beginning[BEGINNING + 1];
    size_t len = self->text.len;
    memcpy(beginning, self->text.at, len);
    beginning[len] = '\0';
    wr_text_rewind(&self->text, 0);
    size_t mark = strncmp(beginning, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    size_t first = skip_space(beginning, mark), items = items_begin(beginning + mark);
    if (first == len && len < BEGINNING)
        return WR_OK;                   /* there is nothing in it */
    if (!strchr("{[,]", beginning[first]) || beginning[first] == '\0') {
        char what[160];
        struct wr_text text = WR_TEXT(what);
        wr_text_str(&text, "this is not JSON; it begins with ");
        wr_text_json(&text, beginning + first, len - first < 24 ? len - first : 24);
        self->sink->fault(self->sink->to, 1, what);
        return WR_INVALID;
    }
    self->shape = items > 0 || beginning[first] != '{' ? LIST : LINES;
    size_t skip = self->shape == LIST ? mark + items : mark;
    self->offset += skip;
    return feed_known(self, beginning + skip, len - skip);
}

wr_err json_objects_feed(void *self, const char *bytes, size_t len)
{
    struct objects *objects = self;
    if (objects->shape != UNKNOWN)
        return feed_known(objects, bytes, len);
    for (; objects->text.len == 0 && len > 0 && strchr(" \t\r\n", *bytes) && *bytes; len--) {
        objects->line += *bytes++ == '\n';
        objects->offset++;
    }
    size_t room = BEGINNING - objects->text.len, part = len < room ? len : room;
    wr_text_bytes(&objects->text, bytes, part);
    if (part < room)
        return WR_OK;
    wr_err err = tell_shape(objects);
    return err ? err : feed_known(objects, bytes + part, len - part);
}

wr_err json_objects_end(void *self)
{
    struct objects *objects = self;
    wr_err err = objects->shape == UNKNOWN ? tell_shape(objects) : WR_OK;
    if (!err && objects->text.len > 0) {
        if (objects->shape == LINES)
            err = end_line(objects);
        else {
            objects->sink->fault(objects->sink->to, objects->begun,
                                 "the last object is not closed");
            wr_text_rewind(&objects->text, 0);
        }
    }
    objects->safe = objects->offset;
    return err;
}

/* ---- values ---- */

const char *json_objects_text(const json_t *object, const char *key, struct wr_arena *arena)
{
    const json_t *value = json_object_get(object, key);
    return json_is_string(value)
        ? reader_clean(arena, json_string_value(value), json_string_length(value)) : NULL;
}

const char *json_objects_first(const json_t *object, const char *key, struct wr_arena *arena)
{
    const json_t *value = json_object_get(object, key);
    const json_t *first = json_is_array(value) ? json_array_get(value, 0) : value;
    return json_is_string(first)
        ? reader_clean(arena, json_string_value(first), json_string_length(first)) : NULL;
}
