/* cell.h - a snapshot that is swapped whole.
 *
 * A cell points to an immutable snapshot: a configuration, a routing table.
 * Readers take a reference and look at it for as long as they like, across
 * waits too; the single writer puts a new snapshot in their place.  A reader
 * sees the old one or the new one, never a mixture.  An old snapshot goes to
 * `drop` when the last reader has put it back.
 *
 * Reading takes no lock: one atomic addition to get, one to put.  Any thread
 * may read.
 */
#ifndef WEIR_CELL_H
#define WEIR_CELL_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/panic.h>

struct wr_cell;
struct wr_cell_writer { struct wr_cell *cell; uint64_t serial; };   /* moves, never copies */

struct wr_cell_conf {
    const char *name;               /* required */
    size_t size;                    /* required: of the snapshot */
    const void *initial;            /* required */
    void (*drop)(void *snapshot);   /* releases what a snapshot points to; may be NULL */
};

/* Make a cell and its only writer handle.  Errors: NOMEM. */
wr_err wr_cell_new(struct wr_cell **ret, struct wr_cell_writer *ret_writer,
                   const struct wr_cell_conf *conf);

/* No reader may hold a snapshot of it.  NULL is allowed. */
void wr_cell_free(struct wr_cell *cell WR_AT);
#define wr_cell_free(cell) wr_cell_free(cell, WR_HERE)

/* The present snapshot, held until wr_cell_put. */
const void *wr_cell_get(struct wr_cell *cell);
void wr_cell_put(struct wr_cell *cell, const void *snapshot);

/* Replace the snapshot by a copy of *snapshot.  The cell owns what it points
 * to from the moment WR_OK is returned.  Errors: NOMEM. */
wr_err wr_cell_set(struct wr_cell_writer *writer, const void *snapshot WR_AT);
#define wr_cell_set(writer, snapshot) wr_cell_set(writer, snapshot, WR_HERE)

/* Hand the writer over: *from is empty afterwards. */
struct wr_cell_writer wr_cell_move(struct wr_cell_writer *from WR_AT);
#define wr_cell_move(from) wr_cell_move(from, WR_HERE)

#endif
