/* file.h - whole files: read, replaced, looked at, watched.
 *
 * Files block, so in a run each call goes to the threads of offload.h while its fiber
 * waits; outside one, and on such a thread, it simply blocks, and the deadline means
 * nothing.
 *
 *     char *text;
 *     size_t len;
 *     wr_err err = wr_file_read(&text, &len, "weir.toml", 1 << 20, wr_after(WR_S(1)));
 *     ...
 *     free(text);
 *
 * Writes can be forbidden for the whole process: in amnesia mode nothing is left on a
 * disk by anyone.
 */
#ifndef WEIR_FILE_H
#define WEIR_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/panic.h>
#include <weir/time.h>

struct wr_file_info {
    bool regular, directory;
    unsigned mode;              /* permission bits: 0600 */
    uint32_t uid;               /* the owner */
    uint64_t size;
    uint64_t device, inode;     /* which file it is */
    struct wr_wall changed;     /* when it was last written */
    bool in_memory;             /* on a file system that ends with the machine's power */
    uint64_t disk_size;         /* of that file system: bytes in all, */
    uint64_t disk_left;         /* ... and those that we may still write */
};

/* Read a regular file of at most `max` bytes; a zero byte follows them.  One that says it
 * is empty is read too, as those of /proc say so.  The caller frees *ret.
 * Errors: NOTFOUND, DENIED, INVALID (not a regular file, or larger), IO, NOMEM, NOFILE;
 * TIMEOUT, CANCELED and BUSY as wr_offload. */
wr_err wr_file_read(char **ret, size_t *ret_len, const char *path, size_t max,
                    wr_time deadline WR_AT);
#define wr_file_read(...) wr_file_read(__VA_ARGS__, WR_HERE)

/* Put `len` bytes in the place of what the path had, with this mode: readers see the old
 * file or the new one, also after a crash.  WR_OK means that it is on the disk.  The
 * bytes go to a new file beside it first, which is gone again after an error.
 * Errors: NOTFOUND (no such folder), DENIED (by the system, or writes are forbidden), IO,
 * NOFILE; as above. */
wr_err wr_file_write_atomic(const char *path, const void *bytes, size_t len, unsigned mode,
                            wr_time deadline WR_AT);
#define wr_file_write_atomic(...) wr_file_write_atomic(__VA_ARGS__, WR_HERE)

/* Make a folder and those above it that are missing, with this mode; one that is there
 * already is fine, whatever its mode.
 * Errors: EXISTS (something else has that name), DENIED, IO; as above. */
wr_err wr_file_make_dir(const char *path, unsigned mode, wr_time deadline WR_AT);
#define wr_file_make_dir(...) wr_file_make_dir(__VA_ARGS__, WR_HERE)

/* Remove a file.  Errors: NOTFOUND, DENIED (by the system, or writes are forbidden), IO; as
 * above. */
wr_err wr_file_remove(const char *path, wr_time deadline WR_AT);
#define wr_file_remove(...) wr_file_remove(__VA_ARGS__, WR_HERE)

/* Remove a folder that is empty.  Errors: NOTFOUND, EXISTS (it is not empty), DENIED, IO; as
 * above. */
wr_err wr_file_remove_dir(const char *path, wr_time deadline WR_AT);
#define wr_file_remove_dir(...) wr_file_remove_dir(__VA_ARGS__, WR_HERE)

/* Copy a regular file to a path that is new, with mode 0600.  It is on the disk after
 * wr_file_sync; after an error nothing is left of it.
 * Errors: NOTFOUND, EXISTS, INVALID (not a regular file), DENIED, IO; as above. */
wr_err wr_file_copy(const char *from, const char *to, wr_time deadline WR_AT);
#define wr_file_copy(...) wr_file_copy(__VA_ARGS__, WR_HERE)

/* Give a file or a folder another name on the same disk; never that of something which is
 * there.  WR_OK means that it is on the disk.  Errors: NOTFOUND, EXISTS, DENIED, IO; as
 * above. */
wr_err wr_file_rename(const char *from, const char *to, wr_time deadline WR_AT);
#define wr_file_rename(...) wr_file_rename(__VA_ARGS__, WR_HERE)

/* Put on the disk whatever was written to the file system that has this path.  Errors:
 * NOTFOUND, DENIED, IO (some of it could not be written); as above. */
wr_err wr_file_sync(const char *path, wr_time deadline WR_AT);
#define wr_file_sync(...) wr_file_sync(__VA_ARGS__, WR_HERE)

/* Up to `size` bytes of a regular file from an offset on; fewer at its end, and none behind it.
 * Errors: NOTFOUND, DENIED, INVALID (not a regular file), IO; as above. */
wr_err wr_file_read_part(size_t *ret_len, void *buf, size_t size, const char *path,
                         uint64_t offset, wr_time deadline WR_AT);
#define wr_file_read_part(...) wr_file_read_part(__VA_ARGS__, WR_HERE)

/* Write `size` bytes from an offset on, into a file that is made, with mode 0600, when it is
 * not there; what it had elsewhere stays, and a gap reads as zeros.  It is on the disk after
 * wr_file_sync.  For files that are larger than the memory; readers see it grow.
 * Errors: NOTFOUND (no such folder), DENIED, INVALID (not a regular file), IO; as above. */
wr_err wr_file_write_part(const char *path, uint64_t offset, const void *bytes, size_t size,
                          wr_time deadline WR_AT);
#define wr_file_write_part(...) wr_file_write_part(__VA_ARGS__, WR_HERE)

/* Give a file the name of another on the same disk, which is gone then; who has that one open
 * or mapped keeps it.  WR_OK means that it is on the disk.  Errors: NOTFOUND, DENIED, IO; as
 * above. */
wr_err wr_file_replace(const char *from, const char *to, wr_time deadline WR_AT);
#define wr_file_replace(...) wr_file_replace(__VA_ARGS__, WR_HERE)

/* A regular file as memory that can be read.  Its pages are fetched when they are touched,
 * and the fiber's thread waits for the disk then.  Whoever makes the file shorter meanwhile
 * ends the process at the next touch: put a new one in its place instead.  An empty file has
 * no address.  Errors: NOTFOUND, DENIED, INVALID (not a regular file), NOMEM, IO; as above. */
struct wr_file_map { const unsigned char *at; size_t size; };
wr_err wr_file_map(struct wr_file_map *ret, const char *path, wr_time deadline WR_AT);
#define wr_file_map(...) wr_file_map(__VA_ARGS__, WR_HERE)
void wr_file_unmap(struct wr_file_map *map);

/* The names of what is in a folder, in no order, each with a zero byte after it; *ret_len bytes
 * in all, at most `max`.  The caller frees *ret.
 * Errors: NOTFOUND, DENIED, INVALID (not a folder, or too many names), IO, NOMEM; as above. */
wr_err wr_file_list(char **ret, size_t *ret_len, const char *path, size_t max,
                    wr_time deadline WR_AT);
#define wr_file_list(...) wr_file_list(__VA_ARGS__, WR_HERE)

/* What the path leads to, behind any links.  Errors: NOTFOUND, DENIED, IO; as above. */
wr_err wr_file_look(struct wr_file_info *ret, const char *path, wr_time deadline WR_AT);
#define wr_file_look(...) wr_file_look(__VA_ARGS__, WR_HERE)

/* ---- writes, of the whole process ---- */

/* From now on every write returns DENIED, and a log line file.write.forbidden names the
 * path.  There is no way back. */
void wr_file_forbid_writes(void);

/* How many files and folders were written, and how many writes were refused. */
struct wr_file_writes { uint64_t done, forbidden; };
struct wr_file_writes wr_file_writes(void);

/* ---- watching one file ---- */

struct wr_file_watch;

/* Watch a path from now on.  Its folder must exist, the file need not.  It belongs to
 * the calling fiber's worker, as a descriptor does (fd.h).
 * Errors: NOTFOUND, DENIED, NOMEM, NOFILE (or the system's limit of watches). */
wr_err wr_file_watch_open(struct wr_file_watch **ret, const char *path WR_AT);
#define wr_file_watch_open(ret, path) wr_file_watch_open(ret, path, WR_HERE)

/* Wait until the file is written and closed, replaced by another (a rename, a link in
 * its path that now leads elsewhere) or removed.  Changes while nobody waits are one
 * change for the next wait.
 * Errors: TIMEOUT, CANCELED, NOTFOUND (the folder is gone: nothing more will come), IO. */
wr_err wr_file_watch_wait(struct wr_file_watch *watch, wr_time deadline WR_AT);
#define wr_file_watch_wait(watch, deadline) wr_file_watch_wait(watch, deadline, WR_HERE)

/* Nobody may be waiting.  NULL is allowed. */
void wr_file_watch_close(struct wr_file_watch *watch WR_AT);
#define wr_file_watch_close(watch) wr_file_watch_close(watch, WR_HERE)

#endif
