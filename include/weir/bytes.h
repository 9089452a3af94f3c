/* bytes.h - bytes that do not change any more, shared by who needs them.
 *
 *     struct wr_bytes *answer;
 *     err = wr_bytes_copy(&answer, text, len);
 *     ...
 *     wr_bytes_ref(answer);            (another holder)
 *     wr_bytes_unref(answer);          (the last one frees it)
 *
 * It is how answers travel: from who fetched them, through caches, to any number of
 * askers, without being copied.  Whoever made them may write them until they are shared.
 * Any thread may take and give back references.  In a process that is to forget
 * (amnesia) they are wiped when the last reference goes.
 */
#ifndef WEIR_BYTES_H
#define WEIR_BYTES_H

#include <stdatomic.h>
#include <stddef.h>

#include <weir/err.h>

struct wr_bytes {
    _Atomic size_t refs;
    size_t len;
    unsigned char data[];           /* len bytes, and a zero byte behind them */
};

/* Room for `len` bytes, to be written by the caller; held once.  Errors: NOMEM. */
wr_err wr_bytes_new(struct wr_bytes **ret, size_t len);

/* A copy of these.  Errors: NOMEM. */
wr_err wr_bytes_copy(struct wr_bytes **ret, const void *data, size_t len);

/* Hold them once more; returns them.  NULL is allowed. */
struct wr_bytes *wr_bytes_ref(struct wr_bytes *bytes);

/* Hold them once less.  NULL is allowed. */
void wr_bytes_unref(struct wr_bytes *bytes);

#endif
