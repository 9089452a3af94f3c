/* json_objects.h - objects of JSON, one a line or in one long list, as they come.
 *
 * A member is lines with one object each, or a list of objects, or an object whose "items" are
 * such a list: told by its beginning.  A line that is not an object is a fault, and so is one
 * that is too long; of a list, what comes behind something broken cannot be told apart any
 * more, and is passed over up to the next object that can be read.
 */
#ifndef WR_LIBRARY_JSON_OBJECTS_H
#define WR_LIBRARY_JSON_OBJECTS_H

#include <jansson.h>
#include <stdbool.h>

#include "library/reader.h"

/* Make a record of an object; all it has lies in the arena.  False: it is none of ours, and is
 * passed over without a word. */
typedef bool json_objects_fn(const json_t *object, struct wr_arena *arena,
                             struct bib_record *ret);

wr_err json_objects_open(void **ret, struct reader_sink *sink, json_objects_fn *take);
wr_err json_objects_begin(void *self, uint64_t offset);
wr_err json_objects_feed(void *self, const char *bytes, size_t len);
wr_err json_objects_end(void *self);
uint64_t json_objects_safe(void *self);
void json_objects_close(void *self);

/* The calls that do not differ, for a row of a reader. */
#define JSON_OBJECTS_CALLS \
    .begin = json_objects_begin, .feed = json_objects_feed, .end = json_objects_end, \
    .safe = json_objects_safe, .close = json_objects_close

/* The text of a key, in the arena and without superfluous space; NULL: it has none. */
const char *json_objects_text(const json_t *object, const char *key, struct wr_arena *arena);

/* The first text of a list of texts, or the text itself. */
const char *json_objects_first(const json_t *object, const char *key, struct wr_arena *arena);

#endif
