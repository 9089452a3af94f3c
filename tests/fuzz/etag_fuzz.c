/* etag_fuzz.c - conditions and ranges, whatever a client writes into them.
 *
 * The first line of an input is the size of the whole; each line after it is a header,
 * whose first byte says which.  The answer is always one that etag.h names; a part lies in
 * the whole and is not empty; a date that was read is written and read back the same.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "net/call.h"
#include "net/date.h"
#include "net/etag.h"

#define INPUT_MAX 4096

static const char *const names[] = { "range", "if-range", "if-match", "if-none-match",
                                     "if-modified-since", "if-unmodified-since" };

static void check_date(const char *text)
{
    char buf[DATE_TEXT];
    int64_t second, again;
    if (date_parse(&second, text, 1800000000))
        return;
    if (date_parse(&again, date_print(second, buf), 1800000000) || again != second)
        wr_panic("\"%s\" is %lld, written \"%s\"", text, (long long)second, buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct wr_call call;
    static char text[INPUT_MAX + 1];
    struct etag_of of = { .tag = "\"abc\"", .modified = 784111777 };
    struct etag_part part;
    if (size > INPUT_MAX)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    head_clear(&call.head);
    call.head.method = "GET";
    of.size = strtoull(text, NULL, 10);
    for (char *line = strchr(text, '\n'); line; line = strchr(line, '\n')) {
        *line++ = '\0';
        if (call.head.count == HEAD_FIELDS_MAX || !*line)
            break;
        const char *name = names[(unsigned char)*line++ % 6];
        call.head.fields[call.head.count++] = (struct field){
            .name = { name, strlen(name) }, .value = { line, strcspn(line, "\n") } };
    }
    for (size_t i = 0; i < call.head.count; i++)
        check_date(call.head.fields[i].value.at);
    unsigned status = etag_judge(&call, &of);
    if (status != 0 && status != 304 && status != 412)
        wr_panic("conditions come to %u", status);
    status = etag_range(&call, &of, &part);
    if (status != 200 && status != 206 && status != 416)
        wr_panic("a range comes to %u", status);
    if (status != 416 && (part.from > of.size || part.len > of.size - part.from))
        wr_panic("%llu bytes from %llu on, of %llu", (unsigned long long)part.len,
                 (unsigned long long)part.from, (unsigned long long)of.size);
    if (status == 206 && part.len == 0)
        wr_panic("a part of no bytes");
    return 0;
}
