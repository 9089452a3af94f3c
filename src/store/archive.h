/* archive.h - a copy of a whole store as a folder, and the way back.
 *
 *     err = archive_make(store, "/backup/monday", &info, &why, deadline);
 *     ...
 *     err = archive_check("/backup/monday", &info, &why);
 *     err = archive_restore("/backup/monday", "/var/lib/weir/weir.db", true, aside, &info,
 *                           &why);
 *
 * It is a folder, and in it the same as beside a SQLite file: `weir.db`, and the blobs in
 * `weir.db-blobs`.  So a copy needs no more room than the store, is made while all goes on, can
 * be looked at with the tools there are, and blobs that did not change are equal files for
 * whoever takes it elsewhere.  A file `manifest` has the hash of the database and of the list
 * of blobs, which are named by their own: one byte that is not as it was is found out.
 *
 * The database is copied first.  What it refers to was there before it, so a blob that it needs
 * is in the copy, unless it was removed meanwhile.
 *
 * All or nothing: a copy is made under another name beside its own, PATH.part-..., read back,
 * put on the disk, and renamed.  Nothing is ever overwritten.
 */
#ifndef WR_STORE_ARCHIVE_H
#define WR_STORE_ARCHIVE_H

#include <stdbool.h>

#include "base/hash.h"
#include "store/store.h"

#define ARCHIVE_PATH_MAX 800

struct archive_info {
    uint64_t steps;                 /* of the tables (schema.h) */
    uint64_t bytes;                 /* of the database, ... */
    uint64_t wal_bytes;             /* ... and of its log; archive_look */
    uint64_t blobs, blob_bytes;
    struct wr_hash database, list;  /* of the copy's database, and of the names of its blobs */
};

/* Copy the store into a new folder; may wait.  Errors: EXISTS, INVALID (the path), NOTFOUND
 * (the folder above), DENIED, UNSUPPORTED (see store_backup), QUARANTINE (a blob is damaged),
 * IO, NOMEM, TIMEOUT, CANCELED; with a sentence. */
wr_err archive_make(struct store *store, const char *path, struct archive_info *ret,
                    struct store_why *why, wr_time deadline);

/* ---- what follows blocks: outside of a run, or by wr_offload ---- */

/* Read all of it, and nothing else: a folder with something in it that no copy has is refused,
 * since a log beside a database is taken for a part of it by whoever opens that.
 * Errors: NOTFOUND, INVALID (it is none, or of a newer program), QUARANTINE (it is not what was
 * copied), IO, NOMEM. */
wr_err archive_check(const char *path, struct archive_info *ret, struct store_why *why);

/* Put it in the place of the store whose file is `to`, which nobody may have open.  A store
 * that is there is not touched but with `replace`, and then kept in a folder beside it, whose
 * path is in `aside` (ARCHIVE_PATH_MAX bytes; empty: there was none).  After an error all is as
 * it was, or the sentence says where the old store is; and where a restore was broken off
 * before, that is still known.
 * Errors: as archive_check; EXISTS (there is a store, or the folder for it), BUSY (another
 * process has it), DENIED. */
wr_err archive_restore(const char *path, const char *to, bool replace, char *aside,
                       struct archive_info *ret, struct store_why *why);

/* Whether a restore into this file was broken off, so that there is no store now. */
bool archive_interrupted(const char *to);

/* Look at the file of a store, whether somebody has it open or not, and change nothing: every
 * page and every index is read.  Errors: NOTFOUND, INVALID (another program's, or a newer
 * one's), DENIED, IO (damaged). */
wr_err archive_look(const char *file, struct archive_info *ret, struct store_why *why);

#endif
