/* writer_int.h - a library under construction. */
#ifndef WR_LIBRARY_WRITER_INT_H
#define WR_LIBRARY_WRITER_INT_H

#include "base/text.h"
#include "library/format.h"
#include "library/spool.h"
#include "library/venues.h"
#include "library/writer.h"

#define WRITER_PARTS 256            /* of the keys, by their first byte */
#define WRITER_PATH_MAX 1024

enum { WRITER_RECORDS, WRITER_PLACES, WRITER_VENUES, WRITER_VENUE_PLACES, WRITER_KEYS,
       WRITER_SPOOLS = WRITER_KEYS + WRITER_PARTS };

struct library_writer {
    char out[WRITER_PATH_MAX], folder[WRITER_PATH_MAX];
    struct format_header header;
    struct wr_hash plan;            /* which plan it is */
    bool made_folder;
    uint64_t records;
    struct spool spools[WRITER_SPOOLS];
    struct venues venues;
    struct wr_text record;          /* the one that is being written */
    char position[LIBRARY_POSITION_MAX];
    struct key_list *keys;
    unsigned char *image;           /* of a library in memory */
    size_t image_size;
};

/* ---- index.c ---- */

/* Write the sections with buckets and postings from `offset` on, and say in the header where
 * they are.  Errors: IO, NOMEM, BUSY (more postings than there may be). */
wr_err index_write(struct library_writer *writer, uint64_t offset);

/* ---- writer.c ---- */

/* Bytes of the library, at their offset.  Errors: as wr_file_write_part. */
wr_err writer_put(struct library_writer *writer, uint64_t offset, const void *bytes,
                  size_t len);

/* ---- checkpoint.c ---- */

wr_err checkpoint_write(struct library_writer *writer);

/* Take over what an earlier run has saved.  Errors: NOTFOUND (nothing of this plan, or it is
 * damaged: begin anew), NOMEM. */
wr_err checkpoint_read(struct library_writer *writer);

#endif
