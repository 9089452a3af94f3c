/* cdp.h - the DevTools protocol of a browser, over its pipe.
 *
 *     struct cdp cdp = CDP(program);
 *     struct wr_json *params = cdp_begin(&cdp, "Page.navigate");
 *     wr_json_str(params, "url", url);
 *     err = cdp_send(&cdp, &id, deadline);
 *     ...
 *     err = cdp_next(&cdp, &message, deadline);       (an answer has the id, an event a method)
 *     json_decref(message);
 *     ...
 *     cdp_fini(&cdp);
 *
 * Messages are JSON with a zero byte behind.  What comes is bounded: a browser that shows a
 * stranger's page is a stranger.  It belongs to one fiber, as the program does.
 */
#ifndef WR_CRAWL_CDP_H
#define WR_CRAWL_CDP_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <weir/err.h>
#include <weir/time.h>

#include "base/json.h"
#include "rt/program.h"

#define CDP_MESSAGE_MAX ((size_t)32 << 20)
#define CDP_SESSION_MAX 80

struct cdp {
    struct wr_program *program;     /* that talks; not its own */
    char session[CDP_SESSION_MAX];  /* goes along with what is sent, if there is one */
    uint64_t last;                  /* id that was given */
    struct wr_text out;
    struct wr_json json;
    char *in;                       /* what came */
    size_t len, cap;
    size_t seen;                    /* of it, without a zero byte */
};

#define CDP(program_) { .program = (program_) }

/* Begin a call; its params are written into what is returned. */
struct wr_json *cdp_begin(struct cdp *cdp, const char *method);

/* Send it.  Errors: NOMEM; those of wr_program_write. */
wr_err cdp_send(struct cdp *cdp, uint64_t *ret_id, wr_time deadline);

/* The next message, for json_decref.
 * Errors: CLOSED (the browser has gone), INVALID (no message), DENIED (too large), NOMEM; those
 * of wr_program_read. */
wr_err cdp_next(struct cdp *cdp, json_t **ret, wr_time deadline);

void cdp_fini(struct cdp *cdp);

/* A value in a message: cdp_text(message, "params", "request", "url", NULL); NULL if it is not
 * there or no text. */
const char *cdp_text(const json_t *message, ...) __attribute__((sentinel));

/* Bytes as base64 with padding, as a member of an object.  Errors: NOMEM; those of
 * wr_offload. */
wr_err cdp_bytes(struct wr_json *json, const char *key, const void *bytes, size_t len,
                 wr_time deadline);

#endif
