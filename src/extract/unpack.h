/* unpack.h - the files in an archive that may hold references: zip, tar, tar.gz, gz.
 *
 *     struct extract_pack pack;
 *     err = extract_unpack(bytes, size, wanted, &pack, why);
 *     ... pack.at[i].name, pack.at[i].bytes
 *     extract_unpack_free(&pack);
 *
 * Nothing is written anywhere.  Folders, links, hidden files, what a Mac adds, and names that
 * lead out of the archive are passed over.  There is a limit to everything, so that a small
 * archive cannot become a large one; whoever reaches one is refused as a whole, since what
 * is missing then would not be known.
 */
#ifndef WR_EXTRACT_UNPACK_H
#define WR_EXTRACT_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/err.h>

#define EXTRACT_PACK_SEEN_MAX 20000                     /* entries that are looked at */
#define EXTRACT_PACK_FILES_MAX 500                      /* that are taken */
#define EXTRACT_PACK_FILE_MAX ((size_t)64 << 20)        /* bytes of one */
#define EXTRACT_PACK_BYTES_MAX ((size_t)256 << 20)      /* of all */
#define EXTRACT_PACK_RATIO_MAX 200                      /* unpacked to packed bytes */
#define EXTRACT_PACK_RATIO_FREE ((size_t)8 << 20)       /* bytes that are below any ratio */

struct extract_packed {
    char *name;                     /* UTF-8, as it is in the archive */
    char *bytes;
    size_t len;
};

struct extract_pack {
    struct extract_packed *at;      /* in the order of the archive */
    size_t count;
};

/* Take those for whose names `wanted` says yes; of a single file that is compressed the name
 * is empty, and it is taken always.  After an error `why` (EXTRACT_WHY bytes) says what is
 * wrong.  Errors: INVALID (no archive, or broken), DENIED (over a limit, encrypted), NOMEM. */
wr_err extract_unpack(const char *bytes, size_t size, bool (*wanted)(const char *name),
                      struct extract_pack *ret, char *why);

void extract_unpack_free(struct extract_pack *pack);

#endif
