/* input.h - the bytes of files that others made: plain, compressed, or in archives.
 *
 *     struct input *input;
 *     err = input_open(&input, paths, count, &why);
 *     while (!(err = input_next(input, &why)) && input_member(input))
 *         while (!(err = input_read(input, &bytes, &len, &why)) && len > 0)
 *             ...
 *     input_close(input);
 *
 * Several files are read one after the other.  A file is a member by itself, or has members
 * when it is an archive (tar, zip); each may be compressed (gzip, bzip2, xz, zstd, lz4), which
 * is told by its content, never by its name.  A few megabytes of memory, whatever the size.
 */
#ifndef WR_LIBRARY_INPUT_H
#define WR_LIBRARY_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#include "library/library.h"

struct input;

/* The files are looked at, not opened yet.  The paths stay the caller's and must stay.
 * Errors: NOTFOUND, DENIED, INVALID (not a regular file), IO, NOMEM; with a sentence. */
wr_err input_open(struct input **ret, const char *const *paths, size_t count,
                  struct library_why *why);
void input_close(struct input *input);              /* NULL is allowed */

/* What tells these files from others: names, sizes, and when they were changed.  The text is
 * the input's. */
const char *input_identity(const struct input *input);

/* Go to the next member, if there is one (input_member).  Errors: INVALID (an archive or a
 * compressed file that is damaged), IO, NOMEM; with a sentence. */
wr_err input_next(struct input *input, struct library_why *why);

/* The name of the member we are in: of the file, when that is no archive.  NULL: the end. */
const char *input_member(const struct input *input);
bool input_in_archive(const struct input *input);

/* Which member of which file it is, both from 0, over all that were passed. */
uint64_t input_member_number(const struct input *input);

/* Some bytes of the member, valid until the next call; none: its end.  Errors: as above. */
wr_err input_read(struct input *input, const char **ret, size_t *ret_len,
                  struct library_why *why);

/* Bytes of the files that were read so far, and of all. */
uint64_t input_done(const struct input *input);
uint64_t input_size(const struct input *input);

#endif
