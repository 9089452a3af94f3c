/* record.h - a work as bytes in a library, and back.
 *
 * A record is its kind, year and flags, then the title, the venue, the authors and the
 * identifiers; numbers by seven bits a byte, text behind its length.  A venue is a number when
 * the library has its name among the shared ones.
 *
 * Reading believes nothing: whatever the bytes are, nothing outside of them is touched.
 */
#ifndef WR_LIBRARY_RECORD_H
#define WR_LIBRARY_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#include "base/arena.h"
#include "base/text.h"
#include "biblio/work.h"

#define RECORD_MAX (256u << 10)     /* bytes; more than the longest lists of authors need */
#define RECORD_TITLE_MAX 4000
#define RECORD_AUTHORS_MAX 10000
#define RECORD_NO_VENUE UINT32_MAX

/* Bytes that are being read: `bad` once something was not as it should be. */
struct record_cursor {
    const unsigned char *at, *end;
    bool bad;
};

struct record_text { const char *at; uint32_t len; };

/* What a search looks at first. */
struct record_head {
    enum bib_kind kind;
    int year;
    uint32_t flags;
    struct record_text title;       /* in the bytes; no zero byte behind it */
};

uint64_t record_number(struct record_cursor *cursor);
struct record_text record_text(struct record_cursor *cursor);   /* at is NULL: there is none */

/* Text behind its length. */
void record_put_text(struct wr_text *ret, const char *value);

/* Whether there is something to find it by, and nothing that is too long. */
bool record_can_be_kept(const struct bib_record *record);

/* Add the record to `ret`, its length before it.  `venue` is the number of its venue, or
 * RECORD_NO_VENUE: then the name itself, if there is one.
 * Errors: INVALID (it cannot be kept, or is too long as a whole). */
wr_err record_write(struct wr_text *ret, const struct bib_record *record, uint32_t venue);

/* The record that begins here, without its length; false: there is none. */
bool record_open(struct record_cursor *ret, const unsigned char *at, const unsigned char *end);

/* False: it is damaged. */
bool record_read_head(struct record_cursor *cursor, struct record_head *ret);

/* Everything behind the head, as copies in the arena.  `venue` is the number of a shared venue,
 * or RECORD_NO_VENUE.  False: it is damaged, or the arena is full. */
bool record_read_rest(struct record_cursor *cursor, const struct record_head *head,
                      struct wr_arena *arena, struct bib_record *ret, uint32_t *venue);

#endif
