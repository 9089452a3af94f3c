/* body_file.h - what has come of a large body, in a file while more of it comes.
 *
 *     struct body_file *file = NULL;
 *     while (more)
 *         err = body_file_add(&file, folder, bytes, len);
 *     err = body_file_map(file, &map);           the whole of it, as memory
 *     ...
 *     wr_file_unmap(&map);
 *     body_file_free(file);
 *
 * The file has a name only while it grows: once it is mapped it has none, and goes with the
 * last byte that somebody holds of it.  Only a process that is killed meanwhile leaves one
 * behind, for the next one's body_file_prepare.
 */
#ifndef WR_NET_BODY_FILE_H
#define WR_NET_BODY_FILE_H

#include <weir/err.h>
#include <weir/file.h>
#include <weir/time.h>

#define BODY_FILE_STEP ((size_t)256 << 10)  /* what is kept in memory before it is written */

struct body_file;

/* Make the folder, and remove what was left in it.  Errors: as wr_file_make_dir,
 * wr_file_list and wr_file_remove. */
wr_err body_file_prepare(const char *folder, wr_time deadline);

/* Write more, to a file that is made by the first.  Waits for the disk.  Errors: NOMEM; as
 * wr_file_write_part. */
wr_err body_file_add(struct body_file **file, const char *folder, const char *bytes,
                     size_t len);

/* Errors: as wr_file_map. */
wr_err body_file_map(struct body_file *file, struct wr_file_map *ret);

/* NULL is allowed. */
void body_file_free(struct body_file *file);

#endif
