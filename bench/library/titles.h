/* titles.h - titles to fill a library with, and what people make of them.
 *
 * The words are those of the titles of a library (the ACL Anthology), by how often they come.
 * A made title has as many words as one of those titles, each drawn by Zipf's law: the n-th
 * word with a chance of 1/n.
 */
#ifndef BENCH_LIBRARY_TITLES_H
#define BENCH_LIBRARY_TITLES_H

#include <stddef.h>
#include <stdint.h>

#include "library/library.h"

#define TITLE_MAX 1024

struct titles {
    char **at;                      /* of the library */
    size_t count;
    char **words;                   /* the most frequent first */
    double *sums;                   /* chance of this word or one before it */
    size_t word_count;
};

void titles_read(struct titles *ret, const struct library *lib);

/* A new one, in `ret` (TITLE_MAX bytes). */
void titles_make(const struct titles *titles, uint64_t *random, char *ret);

/* The beginning of one title and the end of another. */
void titles_splice(char *ret, const char *one, const char *other);

/* So many slips of the hand: a letter inserted, lost, changed, exchanged with its neighbour; a
 * space lost; a hyphen where there was none. */
void titles_slip(char *title, unsigned slips, uint64_t *random);

#endif
