/* sample.h - a library that needs no file: some hundred works that many people cite.
 *
 *     err = library_open_sample(&lib, &why);
 *
 * It is sample.bib, which is part of the program.  Making a library of it takes a few
 * milliseconds and no files.
 */
#ifndef WR_LIBRARY_SAMPLE_H
#define WR_LIBRARY_SAMPLE_H

#include <weir/err.h>

#include "library/library.h"

#define LIBRARY_SAMPLE "sample"         /* its kind */

/* To be closed like any other.  Errors: NOMEM; with a sentence. */
wr_err library_open_sample(struct library **ret, struct library_why *why);

#endif
