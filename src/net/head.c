/* head.c - see head.h. */
#include "net/head.h"

#include <string.h>

void head_clear(struct head *head)
{
    memset(head, 0, offsetof(struct head, fields));
}

static unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

bool slice_is(struct slice slice, const char *text, size_t len)
{
    if (slice.len != len)
        return false;
    for (size_t i = 0; i < len; i++)
        if (lower(slice.at[i]) != (unsigned char)text[i])
            return false;
    return true;
}

bool slice_token(struct slice slice)
{
    static const bool allowed[256] = {
        ['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true, ['!'] = true,
        ['#' ... '\''] = true, ['*'] = true, ['+'] = true, ['-'] = true, ['.'] = true,
        ['^' ... '`'] = true, ['|'] = true, ['~'] = true,
    };
    for (size_t i = 0; i < slice.len; i++)
        if (!allowed[(unsigned char)slice.at[i]])
            return false;
    return slice.len > 0;
}

const struct slice *head_field(const struct head *head, const char *name)
{
    size_t len = strlen(name);
    for (size_t i = 0; i < head->count; i++)
        if (slice_is(head->fields[i].name, name, len))
            return &head->fields[i].value;
    return NULL;
}

static bool printable(struct slice slice)
{
    for (size_t i = 0; i < slice.len; i++)
        if (slice.at[i] <= ' ' || slice.at[i] > '~')
            return false;
    return slice.len > 0 && slice.len <= HEAD_CORR_MAX;
}

void head_note_corr(struct head *head, const struct field *field)
{
    bool first = SLICE_IS(field->name, "x-corr-id");
    bool second = !first && !head->corr.at && SLICE_IS(field->name, "x-request-id");
    if ((first || second) && printable(field->value))
        head->corr = field->value;
}

#define SINGLE(name) { name, sizeof(name) - 1, "two " name " fields" }

const char *head_note_single(struct head *head, const struct field *field)
{
    static const struct { const char *name; size_t len; const char *twice; } singles[] = {
        SINGLE("authorization"), SINGLE("content-type"), SINGLE("origin"),
        SINGLE("x-tenant"), SINGLE("last-event-id"), SINGLE("range"), SINGLE("if-range"),
        SINGLE("if-modified-since"), SINGLE("if-unmodified-since"),
    };
    for (size_t i = 0; i < sizeof(singles) / sizeof(singles[0]); i++) {
        if (!slice_is(field->name, singles[i].name, singles[i].len))
            continue;
        bool second = head->singles & 1u << i;
        head->singles |= 1u << i;
        return second ? singles[i].twice : NULL;
    }
    return NULL;
}

static struct slice without_port(struct slice host, struct slice port)
{
    if (port.len > 0 && host.len >= port.len
        && memcmp(host.at + host.len - port.len, port.at, port.len) == 0)
        host.len -= port.len;
    return host;
}

bool head_same_host(struct slice scheme, struct slice one, struct slice other)
{
    struct slice port = SLICE_IS(scheme, "http")    ? (struct slice){ ":80", 3 }
        : SLICE_IS(scheme, "https")              ? (struct slice){ ":443", 4 }
                                                 : (struct slice){ "", 0 };
    one = without_port(one, port);
    other = without_port(other, port);
    if (one.len != other.len)
        return false;
    for (size_t i = 0; i < one.len; i++)
        if (lower(one.at[i]) != lower(other.at[i]))
            return false;
    return true;
}
