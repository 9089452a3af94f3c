/* blob.h - bytes under the hash of themselves.
 *
 *     char cid[WR_CID_TEXT];
 *     err = store_blob_put(store, bytes, len, cid, deadline);
 *     err = store_blob_get(store, cid, &bytes, &len, deadline);
 *     ...
 *     free(bytes);
 *
 * A blob's name is its content id (base/hash.h), so that equal ones are kept once, and one
 * that was damaged is found out when it is read.  Beside a SQLite file each is a file of its
 * own, PATH-blobs/ab/cd...; in memory and on a server it is a row.
 *
 * Which blobs are still needed is for those to say who refer to them: a blob stays until it is
 * removed.
 */
#ifndef WR_STORE_BLOB_H
#define WR_STORE_BLOB_H

#include "base/hash.h"
#include "store/store.h"

#define STORE_BLOB_MAX (15 << 20)

/* Keep it; WR_OK means that it is on the disk.  cid has WR_CID_TEXT bytes.
 * Errors: INVALID (too large); DENIED (files: by the system); see store_do. */
wr_err store_blob_put(struct store *store, const void *bytes, size_t len, char *cid,
                      wr_time deadline);

/* The caller frees *ret, which a zero byte follows.
 * Errors: NOTFOUND, INVALID (not a content id), QUARANTINE (it is there, and not what its id
 * says: put it again, or remove it). */
wr_err store_blob_get(struct store *store, const char *cid, char **ret, size_t *ret_len,
                      wr_time deadline);

/* Errors: NOTFOUND, INVALID. */
wr_err store_blob_remove(struct store *store, const char *cid, wr_time deadline);

#endif
