/* topo.h - the map of a running program.
 *
 * Every kind of task, channel, watch, broadcast, semaphore and lock is on the
 * map from its making to its end, with its bounds, its policy and its counts;
 * and so is who gives to and takes from what.  Nothing of it is declared by
 * hand: tasks and objects register themselves, and the lines between them are
 * the uses that have been seen.  So the map cannot differ from the program.
 *
 * Objects of one name are one row: their depths and counts are added up.
 *
 * Below the rows are notes: what a part of the program has found about itself, and a reader of
 * the map has to know ("proxies of the DHT: 1, of 5 that alpha and beta want").
 */
#ifndef WEIR_TOPO_H
#define WEIR_TOPO_H

#include <stddef.h>

#include <weir/err.h>

enum wr_topo_format {
    WR_TOPO_TEXT = 1,       /* tables for a terminal, with depths and counts */
    WR_TOPO_MARKDOWN,       /* tables for a document: what does not change from run to run */
    WR_TOPO_MERMAID,        /* a flowchart of tasks and channels */
};

/* Write the map as a string; *ret is its length.
 * Errors: NOMEM (it does not fit, or there is no memory to sort it in). */
wr_err wr_topo_write(size_t *ret, char *buf, size_t cap, enum wr_topo_format format);

/* A sentence without its end, on one line.  It stays where it is, and as it is, until it is
 * taken off the map. */
struct wr_topo_note {
    const char *name, *text;
    struct wr_topo_note *next, **link;      /* these are the map's */
};

/* Put it on the map, below the rows. */
void wr_topo_note_add(struct wr_topo_note *note);

/* Take it off the map. */
void wr_topo_note_remove(struct wr_topo_note *note);

#endif
