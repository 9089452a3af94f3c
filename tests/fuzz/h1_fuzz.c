/* h1_fuzz.c - requests mean the same however their bytes were cut.
 *
 * For any bytes: read whole, byte by byte, and in pieces of one size, the parser gives
 * the same heads, the same bodies and the same refusal; names are tokens, values have
 * no line breaks, and everything lies inside what was fed.
 *
 * The first byte of an input is the size of the pieces.
 */
#include <stdint.h>
#include <string.h>

#include <weir/panic.h>

#include "base/text.h"
#include "net/h1.h"

#define INPUT_MAX 8192
#define SEEN_MAX ((size_t)1 << 20)

struct reading { struct h1 h1; struct head head; struct wr_text seen; };

static void add_body(void *arg, const char *bytes, size_t len)
{
    wr_text_bytes(&((struct reading *)arg)->seen, bytes, len);
}

static void add(struct reading *reading, struct slice slice, const char *data, size_t size)
{
    WR_ASSERT(!slice.len || (slice.at >= data && slice.at + slice.len <= data + size));
    wr_text_format(&reading->seen, "<%zu:", slice.len);
    if (slice.len)
        wr_text_bytes(&reading->seen, slice.at, slice.len);
}

static void add_head(struct reading *reading, const char *data, size_t size)
{
    const struct head *head = &reading->head;
    WR_ASSERT(head->count <= HEAD_FIELDS_MAX && (head->version == 10 || head->version == 11));
    WR_ASSERT(head->version == 10 || head->host.at);
    wr_text_format(&reading->seen, "\n%s %u %d %d %d %llu ", head->method, head->version,
                   reading->h1.keep_alive, reading->h1.chunked, head->expects_continue,
                   (unsigned long long)head->length);
    add(reading, head->target, data, size);
    add(reading, head->corr, data, size);
    for (size_t i = 0; i < head->count; i++) {
        struct slice value = head->fields[i].value;
        WR_ASSERT(slice_token(head->fields[i].name));
        WR_ASSERT(!value.len || !memchr(value.at, '\n', value.len));
        WR_ASSERT(!value.len || !memchr(value.at, '\r', value.len));
        add(reading, head->fields[i].name, data, size);
        add(reading, value, data, size);
    }
    WR_ASSERT(!(reading->h1.chunked && head->length_known));
}

static void read_in(struct reading *reading, const char *data, size_t size, size_t piece)
{
    size_t at = 0;
    enum h1_state state = H1_MORE;
    reading->seen = wr_text_heap(SEEN_MAX);
    h1_open(&reading->h1, &reading->head, add_body, reading);
    while (at < size || state == H1_HEAD) {
        size_t used, len = piece < size - at ? piece : size - at;
        state = h1_feed(&reading->h1, data + at, len, &used);
        WR_ASSERT(used <= len);
        at += used;
        if (state == H1_HEAD)
            add_head(reading, data, size);
        else if (state == H1_DONE)
            wr_text_str(&reading->seen, " done");
        else if (state == H1_BAD)
            break;
    }
    if (state == H1_BAD)
        wr_text_format(&reading->seen, " bad %u", reading->h1.status);
    WR_ASSERT(!reading->seen.cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct reading whole, other;
    if (size < 2 || size > INPUT_MAX)
        return -1;
    size_t pieces[] = { 1, (size_t)data[0] + 1 };
    const char *bytes = (const char *)data + 1;
    read_in(&whole, bytes, size - 1, size);
    for (int i = 0; i < 2; i++) {
        read_in(&other, bytes, size - 1, pieces[i]);
        WR_ASSERT(whole.seen.len == other.seen.len
                  && memcmp(whole.seen.at, other.seen.at, whole.seen.len) == 0);
        wr_text_free(&other.seen);
    }
    wr_text_free(&whole.seen);
    return 0;
}
