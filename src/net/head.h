/* head.h - what a request says before its body, in whichever version of HTTP.
 *
 * The parser of each version fills one in; everything behind it reads this and
 * does not know which it was.  Names and values are slices of memory that the
 * call owns; call_head ends them with zero bytes.
 */
#ifndef WR_NET_HEAD_H
#define WR_NET_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEAD_FIELDS_MAX 64
#define HEAD_CORR_MAX 64            /* bytes of an id that a client gives its request */

struct slice { const char *at; size_t len; };

struct field { struct slice name, value; };

struct head {
    const char *method;             /* "GET"; NULL before it is known */
    struct slice target;            /* as it came: a path with its query, or a URL */
    struct slice scheme;            /* HTTP/2: "http"; else empty */
    struct slice host;              /* at NULL: none was given */
    struct slice corr;              /* the client's own id for the request; else empty */
    unsigned version;               /* 10, 11, 20 */
    bool expects_continue;          /* it waits for 100 before it sends the body */
    unsigned singles;               /* see head_note_single; a bit for each */
    bool length_known;
    uint64_t length;                /* of the body, when known */
    size_t count;
    struct field fields[HEAD_FIELDS_MAX];
};

/* Empty, for the next request. */
void head_clear(struct head *head);

/* A field by its name in lower case; NULL when there is none. */
const struct slice *head_field(const struct head *head, const char *name);

/* Whether a slice is this text, which is in lower case, in any case. */
bool slice_is(struct slice slice, const char *text, size_t len);
#define SLICE_IS(slice, literal) slice_is(slice, literal, sizeof(literal) - 1)

/* Whether it is a name of a field: not empty, and of no other characters than a
 * token has. */
bool slice_token(struct slice slice);

/* Note a field that we go by and that may be there once: who is in between might go by
 * the other of two.  NULL, or the words to refuse the second with.  A list may have
 * several lines, and the id of a request decides nothing: they are not among these. */
const char *head_note_single(struct head *head, const struct field *field);

/* Whether two texts name the same host: in any case, and with the port that the scheme
 * has anyway or without. */
bool head_same_host(struct slice scheme, struct slice one, struct slice other);

/* Take the id of a request out of this field, if it is one.  X-Corr-ID goes before
 * X-Request-Id; one that is longer than HEAD_CORR_MAX, or not printable, is none. */
void head_note_corr(struct head *head, const struct field *field);

#endif
