/* segment.h - the lines of a bibliography cut into references.
 *
 *     extract_segments(&chain, lines, count, &arena, &ret);
 *         ret.at[0].text: "[1] W.-M. Yao et al., J. Phys. G 33, 1 (2006)."
 *
 * A piece keeps its line ends: an address or a word that was broken there is put together
 * later, by whoever knows what it is.
 */
#ifndef WR_EXTRACT_SEGMENT_H
#define WR_EXTRACT_SEGMENT_H

#include "base/arena.h"
#include "extract/chain.h"
#include "extract/line.h"

/* More references than these are not read from one document. */
#define EXTRACT_SEGMENTS_MAX 20000

struct extract_segment {
    const char *text;           /* in the arena */
    size_t len;
    size_t line, line_end;      /* the first and the last of the given lines */
};

struct extract_segments {
    struct extract_segment *at;
    size_t count;
    bool truncated;             /* there were more, or the text was too long */
};

/* Errors: NOMEM (or the arena is full). */
wr_err extract_segments(const struct extract_chain *chain, const struct extract_line *lines,
                        size_t count, struct wr_arena *arena, struct extract_segments *ret);

#endif
