/* spool.h - bytes that are added to a file, more than there is memory for.
 *
 *     struct spool spool;
 *     spool_open(&spool, "out.part/keys-7f", 0, 16 << 10);
 *     spool_add(&spool, bytes, len);
 *     spool_flush(&spool);
 *     ...
 *     spool_close(&spool);
 *
 * What is added waits in a buffer until that is full.  Without a path there is no file: the
 * buffer grows, up to SPOOL_MEMORY_MAX.
 */
#ifndef WR_LIBRARY_SPOOL_H
#define WR_LIBRARY_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#define SPOOL_MEMORY_MAX (256u << 20)

struct spool {
    char *path;                     /* NULL: in memory */
    uint64_t start;                 /* where in the file it begins */
    uint64_t flushed;               /* bytes that are in the file */
    unsigned char *buf;
    size_t len, cap;
};

/* A spool whose bytes begin at `start` of the file.  Errors: NOMEM. */
wr_err spool_open(struct spool *ret, const char *path, uint64_t start, size_t buffer);
void spool_close(struct spool *spool);          /* what was not flushed is lost */

uint64_t spool_size(const struct spool *spool);

/* Errors: those of wr_file_write_part; NOMEM. */
wr_err spool_add(struct spool *spool, const void *bytes, size_t len);
wr_err spool_flush(struct spool *spool);

/* Exactly `len` bytes from an offset on, wherever they are.  Errors: those of
 * wr_file_read_part; IO (there are fewer). */
wr_err spool_read(const struct spool *spool, uint64_t offset, void *ret, size_t len);

#endif
