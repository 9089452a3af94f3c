/* csv.h - rows of a CSV file (RFC 4180), as its bytes come.
 *
 * Fields may be quoted, with commas, line ends and doubled quotes in them.  Lines end with LF
 * or CRLF.  A quote in a field that did not begin with one is itself.  A row that is longer
 * than it may be, or has more fields, is cut, and says so.
 */
#ifndef WR_LIBRARY_CSV_H
#define WR_LIBRARY_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#include "base/text.h"

#define CSV_FIELDS_MAX 64
#define CSV_ROW_MAX (1u << 20)

struct csv_row {
    const char *fields[CSV_FIELDS_MAX];     /* with zero bytes behind them */
    size_t count;
    uint64_t line;                          /* on which it begins, from 1 */
    bool cut;
};

typedef wr_err csv_row_fn(void *to, const struct csv_row *row);

struct csv {
    csv_row_fn *row;
    void *to;
    struct wr_text text;                    /* the fields of the row so far */
    size_t starts[CSV_FIELDS_MAX], count;
    uint64_t line, begun;
    uint64_t offset, safe;                  /* bytes that came, and those of whole rows */
    bool quoted, quote_seen;                /* in quotes; behind one that may end them */
    bool too_many;
};

void csv_init(struct csv *csv, csv_row_fn *row, void *to);
void csv_fini(struct csv *csv);

/* Begin again, at an offset that `safe` had. */
void csv_begin(struct csv *csv, uint64_t offset);

/* Errors: those of the row function, which end it. */
wr_err csv_feed(struct csv *csv, const char *bytes, size_t len);
wr_err csv_end(struct csv *csv);            /* a last row needs no line end */

#endif
