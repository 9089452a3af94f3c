/* reader.h - what others' data sets look like: a reader for each kind.
 *
 * A reader is fed the bytes of a member as they come, and hands records to its sink, each in
 * the arena of the sink, which is emptied afterwards.  What cannot be read is a fault: it is
 * counted, named by its line, and passed over.
 *
 * A reader that can go on in the midst of a member says from where (`safe`): behind the last
 * record it has handed over.  Begun there again, it reads the same records as if it had
 * never stopped.
 */
#ifndef WR_LIBRARY_READER_H
#define WR_LIBRARY_READER_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#include "base/arena.h"
#include "biblio/work.h"

#define READER_ARENA_MAX (32u << 20)    /* of one record */
#define READER_LINE_MAX (16u << 20)     /* bytes; a longer line or object is a fault */

struct reader_sink {
    struct wr_arena arena;
    /* Errors end the reading. */
    wr_err (*record)(void *to, const struct bib_record *record);
    void (*fault)(void *to, uint64_t line, const char *what);
    void *to;
};

struct reader_kind {
    const char *kind;               /* "acl" */
    const char *name;               /* of a library, unless it is given another; or NULL */
    const char *reads;              /* what such a file is, for people */
    const char *suffix;             /* of members of an archive that count; NULL: all */
    wr_err (*open)(void **ret, struct reader_sink *sink);
    /* At this offset of the next member: 0, or what `safe` said. */
    wr_err (*begin)(void *self, uint64_t offset);
    /* Errors: INVALID (this is something else; the fault before says what), NOMEM, and those
     * of the sink. */
    wr_err (*feed)(void *self, const char *bytes, size_t len);
    wr_err (*end)(void *self);
    uint64_t (*safe)(void *self);   /* 0: only at the beginning of a member */
    void (*close)(void *self);
};

extern const struct reader_kind reader_acl, reader_arxiv, reader_bib, reader_crossref,
    reader_dblp, reader_jsonl, reader_openalex, reader_retractionwatch;

extern const struct reader_kind *const reader_kinds[];     /* NULL at the end */

/* NULL: there is no such kind. */
const struct reader_kind *reader_find(const char *kind);

/* Hand over the record that begins at this line, and empty the arena.  One that cannot be kept
 * is a fault. */
wr_err reader_give(struct reader_sink *sink, const struct bib_record *record, uint64_t line);

/* ---- what readers share ---- */

/* A copy with runs of white space as one space each, and none at the ends; NULL: nothing is
 * left. */
const char *reader_clean(struct wr_arena *arena, const char *text, size_t len);

/* The first number of four digits from 1000 to 2999; 0: there is none. */
int reader_year(const char *text);

/* Names that grow one by one. */
struct reader_names {
    struct bib_name *at;
    uint32_t count, room;
};

/* "Ada Lovelace" or "Lovelace, Ada", however it is written. */
void reader_add_name(struct reader_names *names, struct wr_arena *arena, const char *text);

/* The same, parted already; either may be NULL. */
void reader_add_parted(struct reader_names *names, struct wr_arena *arena, const char *family,
                       const char *given);

#endif
