/* proxy_fuzz.c - what a proxy of OpenDHT says, whatever it is, in whatever pieces it comes.
 *
 * The first byte of an input says how large the pieces are, the rest is the answer to a get.
 * Whole and in pieces it must be the same values and the same error; no value is longer than it
 * may be, and there are no more lines than there may be.  The same bytes are read as the answer
 * to a ping.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "base/hash.h"
#include "dht/proxy.h"

struct taken { struct wr_hash_state state; size_t lines, after; };

/* Stops in the midst of some inputs: an error of who takes is the reading's. */
static wr_err take(struct proxy_reading *reading, enum proxy_line line, const void *bytes,
                   size_t len)
{
    struct taken *taken = reading->arg;
    if (len > PROXY_VALUE_MAX || (line != PROXY_VALUE && bytes))
        wr_panic("a line of kind %d with %zu bytes", (int)line, len);
    unsigned char kind = (unsigned char)line;
    wr_hash_add(&taken->state, &kind, 1);
    wr_hash_add(&taken->state, &len, sizeof(len));
    if (bytes)
        wr_hash_add(&taken->state, bytes, len);
    return ++taken->lines == taken->after ? WR_EXISTS : WR_OK;
}

static wr_err read_all(const char *bytes, size_t len, size_t piece, struct taken *taken)
{
    struct proxy_reading reading = { .take = take, .arg = taken, .enough = WR_NEVER };
    struct proxy_lines *lines = calloc(1, sizeof(*lines));
    bool is_full = false;
    wr_err err = WR_OK;
    lines->reading = &reading;
    wr_hash_begin(&taken->state);
    taken->lines = 0;
    for (size_t at = 0; at < len && !err && !is_full; at += piece)
        err = proxy_lines_add(lines, bytes + at, len - at < piece ? len - at : piece, &is_full);
    err = err || is_full ? err : proxy_lines_end(lines);
    free(lines);
    if (taken->lines > PROXY_LINES_MAX)
        wr_panic("%zu lines", taken->lines);
    return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const char *bytes = (const char *)data + 1;
    size_t piece = data[0] % 64 + 1u;
    struct taken whole = { .after = data[0] % 16 }, parts = { .after = data[0] % 16 };
    wr_err first = read_all(bytes, size - 1, size, &whole);
    wr_err second = read_all(bytes, size - 1, piece, &parts);
    struct wr_hash a = wr_hash_end(&whole.state), b = wr_hash_end(&parts.state);
    if (first != second || whole.lines != parts.lines || !wr_hash_equal(&a, &b))
        wr_panic("whole: %s and %zu lines; in pieces of %zu: %s and %zu", wr_err_name(first),
                 whole.lines, piece, wr_err_name(second), parts.lines);
    uint64_t nodes;
    (void)!proxy_nodes_read(&nodes, bytes, size - 1);
    return 0;
}
