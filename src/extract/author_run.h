/* author_run.h - where the names of a labelled reference end, and its title begins.
 *
 *     extract_author_surname(it);
 *     extract_author_repair(it);
 *
 * In "Zhao D. Extract, Integrate, Compete" the chain sees names to the end: capital words with
 * commas between.  The form of the names before says better where the list ends.  Labels are
 * written over; nothing else changes.
 */
#ifndef WR_EXTRACT_AUTHOR_RUN_H
#define WR_EXTRACT_AUTHOR_RUN_H

#include "extract/labelled.h"

/* "K. Tamvakis Singularity-free solutions": where nothing stands between the names and the
 * title, a surname belongs to its initials. */
void extract_author_surname(const struct extract_labelled *it);

/* Give the title what the list of names has taken of it, and the other way round.  Not for
 * titles that are quoted: there is nothing to repair. */
void extract_author_repair(const struct extract_labelled *it);

#endif
