/* writer.h - a library made of records that come one after the other.
 *
 *     struct library_plan plan = { .out = "acl.lib", .kind = "acl", .name = "ACL Anthology",
 *                                  .input = "what it is made of" };
 *     struct library_writer *writer;
 *     err = library_writer_open(&writer, &plan, &why);
 *     while (...)
 *         err = library_writer_add(writer, &record);
 *     err = library_writer_finish(writer, &why);
 *     library_writer_close(writer);
 *
 * It takes about 30 MB of memory, and while the index is made a 128th of all keys: 13 MB for
 * eight million records.  All else waits in files in the folder OUT.part.  The library appears
 * under its name when it is whole and on the disk, in the place of an older one; the folder is
 * gone then.
 *
 * The same records in the same order make the same bytes.
 *
 * A build that is interrupted goes on where it was last saved (library_writer_save): open it
 * with the same plan, and library_writer_position has what was said then.  A folder of another
 * plan is begun anew.
 */
#ifndef WR_LIBRARY_WRITER_H
#define WR_LIBRARY_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#include "biblio/work.h"
#include "library/library.h"

#define LIBRARY_POSITION_MAX 400

struct library_plan {
    const char *out;                /* the path of the library; NULL: it is made in memory */
    const char *kind;               /* at most 23 bytes */
    const char *name;               /* at most 63 */
    const char *input;              /* tells inputs apart: names, sizes, dates */
};

struct library_writer;

/* Errors: INVALID (the plan), NOTFOUND (no such folder), DENIED, IO, NOMEM; with a sentence. */
wr_err library_writer_open(struct library_writer **ret, const struct library_plan *plan,
                           struct library_why *why);

/* Where it goes on, as it was said when it was last saved; NULL: at the beginning. */
const char *library_writer_position(const struct library_writer *writer);

/* Records added so far, with those of earlier runs. */
uint64_t library_writer_count(const struct library_writer *writer);

/* Errors: INVALID (nothing to find it by, or too long: it was left out), BUSY (the library is
 * full: FORMAT_RECORDS_MAX), IO, DENIED, NOMEM. */
wr_err library_writer_add(struct library_writer *writer, const struct bib_record *record);

/* Remember what there is and where we are, a text without line ends. */
wr_err library_writer_save(struct library_writer *writer, const char *position);

/* Make the index and put the library in its place.  Errors: IO, DENIED, NOMEM, BUSY; with a
 * sentence. */
wr_err library_writer_finish(struct library_writer *writer, struct library_why *why);

/* The same for one that is made in memory, of at most 256 MB: the caller frees *ret, and opens
 * it by library_open_bytes.  Errors: NOMEM; with a sentence. */
wr_err library_writer_finish_bytes(struct library_writer *writer, void **ret, size_t *ret_size,
                                   struct library_why *why);

/* What was saved stays in OUT.part; when nothing was, or the library is made, that is removed.
 * NULL is allowed. */
void library_writer_close(struct library_writer *writer);

#endif
