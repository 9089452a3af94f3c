/* fetch_parse.h - an HTTP/1 answer out of bytes that come in any pieces.
 *
 *     used = answer_feed(&answer, bytes, len, body, &got);
 *
 * Feeding stops when the head is whole, when the answer is whole, and when it is bad;
 * the state tells.  The body is copied out without its chunks: never more than was
 * fed, so that room for as much is enough.  The result does not depend on how the
 * bytes were cut.
 */
#ifndef WR_NET_FETCH_PARSE_H
#define WR_NET_FETCH_PARSE_H

#include <stdbool.h>
#include <stddef.h>

#include <llhttp.h>

#include "net/fetch_head.h"

enum answer_state { ANSWER_HEAD, ANSWER_BODY, ANSWER_DONE, ANSWER_BAD };

struct answer {
    llhttp_t parser;
    enum answer_state state;
    bool no_body;                   /* it answers a HEAD */
    bool keep_alive;                /* another request may follow on the connection */
    bool paused;
    wr_err err;                     /* ANSWER_BAD: IO, DENIED or NOMEM */
    const char *why;                /* ... and a clause */
    struct fetch_head *head;
    struct answer_part { char *at; size_t len, cap; } name, value;      /* the field at hand */
    char *body;                     /* where the feed at hand puts the body */
    size_t body_len;
};

void answer_open(struct answer *answer, struct fetch_head *head, bool no_body);
void answer_close(struct answer *answer);

/* Go on with these bytes; how many were used.  Body has room for `len` bytes, *ret_body
 * is how many came.  In the state ANSWER_HEAD body is not used. */
size_t answer_feed(struct answer *answer, const char *bytes, size_t len, char *body,
                   size_t *ret_body);

/* The connection has ended: the answer is whole now, or bad. */
void answer_end(struct answer *answer);

#endif
