/* library.h - works that we know, in one file: opened, looked up, verified.
 *
 *     struct library *lib;
 *     struct library_why why;
 *     if (library_open(&lib, "acl.lib", &why)) ... why.text
 *     struct bib_record found[16];
 *     size_t count = library_find(lib, &cited, &arena, found, 16);
 *     library_close(lib);
 *
 * A library is built once (writer.h, build.h) and never changes: a new one takes its place
 * under the same name, and who has the old one open keeps it.  The file is mapped, so opening
 * costs nothing, and what is used often stays in memory.  It says of itself what it is
 * (library_info); its version is a BLAKE3 of all of its content.
 *
 * No file can crash us: a header that does not fit the file is refused, a small library is
 * checked whole, and everything read afterwards is checked where it is read.
 *
 * Any number of fibers may look things up at once.  A lookup takes some ten microseconds and
 * waits for nothing, but for the disk when the pages it needs were never used.
 */
#ifndef WR_LIBRARY_LIBRARY_H
#define WR_LIBRARY_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#include "base/arena.h"
#include "base/hash.h"
#include "biblio/work.h"

/* Libraries up to this size are checked against their hashes when they are opened; larger ones
 * when somebody asks (library_verify). */
#define LIBRARY_CHECKED_MAX (64u << 20)

struct library;

/* What went wrong, as a sentence for people. */
struct library_why { char text[400]; };

struct library_info {
    const char *name;               /* "ACL Anthology": who says so, in evidence */
    const char *kind;               /* "acl": how it was built */
    uint64_t records;
    uint64_t bytes;                 /* of the file */
    char version[WR_HASH_TEXT];
};

/* A small library is read and hashed, which takes ten milliseconds for each 32 MB; do it before
 * there is something to delay, or by wr_offload.
 * Errors: NOTFOUND, DENIED, INVALID (it is none, or of another version), QUARANTINE (damaged),
 * NOMEM, IO, NOFILE; with a sentence. */
wr_err library_open(struct library **ret, const char *path, struct library_why *why);

/* The same of bytes that stay where they are until it is closed. */
wr_err library_open_bytes(struct library **ret, const void *bytes, size_t size,
                          struct library_why *why);

/* Nobody may be looking something up.  NULL is allowed. */
void library_close(struct library *lib);

/* The texts live as long as the library. */
struct library_info library_info(const struct library *lib);

/* Read all of it, and compare with what it should be; takes as long as reading the file.
 * Errors: QUARANTINE, with a sentence. */
wr_err library_verify(const struct library *lib, struct library_why *why);

/* The records that could be meant by what is cited, best first, at most `max`: those with its
 * DOI, those with its arXiv id, those with its title (first those that share an author), then
 * those with titles near to it.  It judges nothing.  What they say lies in the arena; when
 * that is full, or there is no memory to search with, `full` of the arena says that what was
 * found is not all.  Returns how many. */
size_t library_find(const struct library *lib, const struct bib_work *cited,
                    struct wr_arena *arena, struct bib_record *ret, size_t max);

/* What is known of a retraction of this very work (its DOI; without one its title and an
 * author), in the arena; NULL: nothing. */
const char *library_retraction(const struct library *lib, const struct bib_work *cited,
                               struct wr_arena *arena);

/* The record of this number, from 0.  Errors: NOTFOUND (there are fewer), QUARANTINE (it is
 * damaged), NOMEM (the arena is full). */
wr_err library_record(const struct library *lib, uint64_t number, struct wr_arena *arena,
                      struct bib_record *ret);

#endif
