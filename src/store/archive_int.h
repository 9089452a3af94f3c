/* archive_int.h - what making a copy and the way back have in common.  All of it blocks. */
#ifndef WR_STORE_ARCHIVE_INT_H
#define WR_STORE_ARCHIVE_INT_H

#include "store/archive.h"

#define ARCHIVE_DATABASE "weir.db"

/* Paths that come from outside have been measured: longer ones are a panic. */
struct archive_path { char text[ARCHIVE_PATH_MAX + 400]; };
struct archive_path archive_joined(const char *a, const char *b, const char *c);
struct archive_path archive_below(const char *folder, const char *name);
struct archive_path archive_beside(const char *file, const char *end);

/* What cannot be looked at is there. */
bool archive_there(const char *path);

/* Say it; returns err. */
wr_err archive_fail(struct store_why *why, wr_err err, const char *doing, const char *path);

/* Say that it is not what was copied; QUARANTINE. */
wr_err archive_refuse(struct store_why *why, const char *path, const char *what);

/* What was begun and is not wanted: a folder of ours, with folders so deep in it at most; or
 * only what is in it. */
void archive_clean(const char *folder, unsigned depth);
void archive_empty(const char *folder, unsigned depth);

/* archive_look at a file that nobody has open, or had when it was copied: it alone. */
wr_err archive_look_sealed(const char *file, struct archive_info *ret, struct store_why *why);

/* The hash of a file.  Errors: as wr_file_read_part. */
wr_err archive_hash(const char *path, struct wr_hash *ret);

/* Of all blobs, folder by folder. */
struct archive_blobs {
    const char *from, *to;              /* of the databases; `to` NULL: they are only read */
    unsigned folder;                    /* the next one, of 256 */
    struct wr_hash_state list;          /* of their names */
    struct archive_info *info;
    struct store_why *why;
    wr_err err;
};

/* Read all of them, and copy them where `to` is given.  Errors: QUARANTINE, IO, ... */
wr_err archive_take(struct archive_blobs *blobs);

#endif
