/* reading.h - what the drivers read answers with.
 *
 *     static bool item(struct source_reading *reading, const json_t *item,
 *                      struct bib_record *ret)
 *     {
 *         ret->work.title = reading_str(reading, item, "title");
 *         ret->work.year = reading_year(item, "year");
 *         ...
 *         return ret->work.title;
 *     }
 *
 * Whatever is not there, or is of another type than expected, is NULL, 0 or nothing: an item
 * says what it can.  All text is cleaned: no tags, no entities, no control characters, one
 * space between words.  When the arena is full everything is NULL, and source_read says so.
 */
#ifndef WR_SOURCE_READING_H
#define WR_SOURCE_READING_H

#include <jansson.h>

#include "source/source.h"

#define READING_DEPTH_MAX 40            /* of brackets: jansson calls itself for each */
#define READING_VALUES_MAX 100000       /* of one answer: each takes memory */

/* What a status says, before anything is read.  Who is asked by an identifier says 404 when he
 * does not know it; a search that says so is broken.
 * Errors: NOTFOUND, BUSY, UNSUPPORTED, DENIED, INVALID, IO. */
wr_err reading_status(struct source_reading *reading, const struct source_reply *reply);

/* Text without markup, in the arena; NULL if nothing is left.  NULL is allowed. */
const char *reading_text(struct source_reading *reading, const char *bytes, size_t len);

/* JSON out of bytes, for json_decref; NULL: it is none, and reading->why says why. */
json_t *reading_json(struct source_reading *reading, const char *bytes, size_t len);

/* The member that a path leads to, "a.b.c"; a list on the way means its first.  "" is the
 * whole.  NULL: there is none. */
const json_t *reading_at(const json_t *json, const char *path);

/* The text there, cleaned; of a list its first; NULL if it is no text. */
const char *reading_str(struct source_reading *reading, const json_t *json, const char *path);

/* The same without a full stop at its end, which some catalogues give every title. */
const char *reading_title(struct source_reading *reading, const json_t *json, const char *path);

/* Both, with something between them. */
const char *reading_join(struct source_reading *reading, const char *a, const char *between,
                         const char *b);

/* What a source calls its kinds of works; the last row has no name. */
struct reading_kind { const char *name; enum bib_kind kind; };
enum bib_kind reading_kind(const struct reading_kind *kinds, const char *name);

/* The year there: a number, or the first four digits in a row of a text; else 0. */
int reading_year(const json_t *json, const char *path);
int reading_year_of(const char *text);

/* The DOI in a text or address, bare and in lower case; NULL: there is none. */
const char *reading_doi(struct source_reading *reading, const char *text);

/* The id of a paper in arXiv, without version; NULL. */
const char *reading_arxiv_id(struct source_reading *reading, const char *text);

/* One more author: by parts (given may be NULL), or by the whole name in any order. */
void reading_author(struct source_reading *reading, struct bib_record *record,
                    const char *family, const char *given);
void reading_author_name(struct source_reading *reading, struct bib_record *record,
                         const char *name);

/* Where the work can be seen. */
void reading_url(struct source_reading *reading, struct bib_record *record, const char *url);

/* One more record: of the page that the question's address leads to, and where it was seen.
 * Errors: NOMEM. */
wr_err reading_page(struct source_reading *reading, const char *id, const char *url);

/* One more record, with what all records of the driver have; NULL: there are enough. */
struct bib_record *reading_record(struct source_reading *reading);

/* Say what is wrong with an answer; returns err. */
wr_err reading_fail(struct source_reading *reading, wr_err err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- writing requests ---- */

/* Percent-encoded, but for letters, digits, "-._~" and what is in `keep`. */
void request_escape(struct wr_text *url, const char *text, const char *keep);

/* The words of a title that say most, encoded and joined by `join`: without stop words, and at
 * most so many. */
void request_words(struct wr_text *url, const char *title, unsigned max, const char *join);

#endif
