/* work.h - a work, as somebody cites it or as somebody has recorded it.
 *
 * One shape for both: what is compared must have the same fields.  All text is UTF-8 without
 * markup (no TeX, no entities), ends with a zero byte and lies in the arena of whoever made
 * it.  What is not known is NULL, 0 or empty, never a guess.
 */
#ifndef WR_BIBLIO_WORK_H
#define WR_BIBLIO_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#include "base/arena.h"

/* "van der Berg", "Jan Q.".  `given` is NULL where there is none, and then `family` is the
 * whole name: of an institution, of a person with one name, or of one that was cited by the
 * surname alone.  Suffixes (Jr., III) and numbers that tell namesakes apart are left out. */
struct bib_name { const char *family, *given; };

enum bib_kind {
    BIB_UNKNOWN = 0,
    BIB_ARTICLE,            /* in a journal */
    BIB_PAPER,              /* in proceedings or a collection */
    BIB_BOOK,
    BIB_THESIS,
    BIB_REPORT,             /* also standards, RFCs, patents, manuals */
    BIB_PREPRINT,
    BIB_WEB,                /* a page, a program, a data set, news */
};

struct bib_work {
    enum bib_kind kind;
    int year;                       /* 0: not known */
    const char *title;
    const char *venue;              /* the journal, the conference, the publisher of a book */
    const struct bib_name *authors; /* in their order */
    uint32_t author_count;
    bool et_al;                     /* there are more than these */
    const char *volume, *pages;
    const char *doi;                /* "10.1145/3658644.3691333": lower case, bare */
    const char *arxiv_id;           /* "2403.00108", "math/0309136": no version */
    const char *const *urls;        /* as written, repaired where a line broke */
    uint32_t url_count;
};

/* A copy with all its texts in the arena; NULL: that is full. */
struct bib_work *bib_work_copy(struct wr_arena *arena, const struct bib_work *from);

/* A work in somebody's bibliography. */
struct bib_reference {
    struct bib_work work;
    const char *key;                /* of BibTeX; or NULL */
    const char *raw;                /* as it stands there, whitespace collapsed */
    const char *skip;               /* why it cannot be looked for; or NULL */
    uint32_t number;                /* as printed ([17]), else its place: from 1 */
    uint32_t line, line_end;        /* of the file, from 1; 0: it has none */
    bool truncated;                 /* the end is missing, or it was too long */
};

struct bib_references {
    struct bib_reference *at;
    size_t count;
};

/* A copy with all its texts in the arena.  Errors: NOMEM (that is full). */
wr_err bib_references_copy(struct bib_references *ret, struct wr_arena *arena,
                           const struct bib_references *from);

/* A work in a library or an answer of a source. */
struct bib_record {
    struct bib_work work;
    const char *source;             /* "CrossRef", "hallmark": who says so */
    const char *id;                 /* its name there: a DOI, a key, a number */
    bool authors_partial;           /* the source may leave authors out */
    const char *retraction;         /* what is known of one: "10.1000/notice"; or NULL */
};

#endif
