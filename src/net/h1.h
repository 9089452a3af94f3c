/* h1.h - HTTP/1 requests out of bytes that come in any pieces.
 *
 *     switch (h1_feed(&h1, bytes, len, &used)) {
 *     case H1_MORE: ...all of it was used; read on
 *     case H1_HEAD: ...method, target and headers are there; feed the rest
 *     case H1_DONE: ...the request is whole; what is left belongs to the next
 *     case H1_BAD:  ...answer h1.status, close
 *     }
 *
 * The head (head.h) is not copied: target and headers point into the bytes that were fed,
 * which must lie one after the other until the head is used.  The body goes to
 * `on_body`, piece by piece, without its chunks.
 *
 * llhttp reads the syntax.  What it lets pass and a proxy might read otherwise is
 * refused here: spaces before a colon, two hosts or none, or one that is not that of the
 * target; two of a field that decides something (head.h); a length beside chunks,
 * codings other than chunked.  The result does not depend on how the bytes were
 * cut.
 */
#ifndef WR_NET_H1_H
#define WR_NET_H1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llhttp.h>

#include "net/head.h"

#define H1_TRAILERS_MAX 8192                /* bytes; of extensions of chunks as many */

enum h1_state { H1_MORE, H1_HEAD, H1_DONE, H1_BAD };

struct h1 {
    llhttp_t parser;
    struct head *head;                      /* the caller's; of the present request */
    bool keep_alive;                        /* another request may follow */
    bool chunked;

    unsigned status;                        /* H1_BAD: what to answer, */
    const char *why;                        /* and why */

    void (*on_body)(void *arg, const char *bytes, size_t len);
    void *arg;

    enum h1_state found;
    bool in_value, paused, headed;
    size_t trailing;                        /* bytes of fields behind the body, */
    size_t extended;                        /* and of what stands beside the sizes of chunks */
};

/* Ready for the first request of a connection, whose head goes to `head`. */
void h1_open(struct h1 *h1, struct head *head,
             void (*on_body)(void *arg, const char *bytes, size_t len), void *arg);

/* Go on with these bytes, up to the next thing to know; *ret_used is how many were
 * used.  After H1_HEAD call again, even with none left: the request may be whole.
 * After H1_DONE the next call begins the next request; after H1_BAD there is none. */
enum h1_state h1_feed(struct h1 *h1, const char *bytes, size_t len, size_t *ret_used);

#endif
