/* answer.h - the records of an answer, packed: as caches keep them and fibers hand them on.
 *
 *     err = answer_pack(&bytes, reading.records, reading.count);
 *     ...
 *     err = answer_unpack(bytes, &arena, &records, &count);
 *     ...
 *     wr_bytes_unref(bytes);
 *
 * What was packed comes out equal.  Texts of unpacked records lie in the bytes themselves, the
 * rest in the arena: both must stay while the records are looked at.  Bytes may come from a
 * file that is older than this program, or damaged: then they are refused.
 */
#ifndef WR_SOURCE_ANSWER_H
#define WR_SOURCE_ANSWER_H

#include <weir/bytes.h>

#include "base/arena.h"
#include "biblio/work.h"

/* Texts longer than 65,534 bytes, authors beyond 65,535 and addresses beyond 255 are left out,
 * which no source sends.  Errors: NOMEM. */
wr_err answer_pack(struct wr_bytes **ret, const struct bib_record *records, size_t count);

/* Errors: INVALID (not what answer_pack wrote), NOMEM (the arena is full). */
wr_err answer_unpack(const struct wr_bytes *bytes, struct wr_arena *arena,
                     struct bib_record **ret, size_t *ret_count);

#endif
