/* local.h - a question to the node that runs on a data directory, by its Unix socket.
 *
 *     struct local_answer answer;
 *     if (local_ask(&answer, conf, "POST", "/api/v1/storage/check", "", LOCAL_LONG))
 *         ...answer.status, answer.body
 *     else
 *         ...answer.why
 *     local_free(&answer);
 */
#ifndef WEIR_CMD_LOCAL_H
#define WEIR_CMD_LOCAL_H

#include <signal.h>
#include <stdbool.h>

#include <jansson.h>

#include "conf/conf.h"

#define LOCAL_LONG 3700             /* seconds: the node gives its longest work an hour */

struct local_answer {
    int status;
    json_t *body;                   /* an object, or NULL */
    char *text;                     /* the bytes of the answer; a zero byte follows */
    size_t len;
    char *head;                     /* its status line and headers */
    bool absent;                    /* no node runs there */
    bool closed;                    /* it went before it had answered, */
    bool unread;                    /* ... and before it had read all of the question */
    char why[400];                  /* when there was no answer; or what a problem says */
};

/* For a handler of signals: who waits for an answer does not any more. */
extern volatile sig_atomic_t local_given_up;

/* Ask, and wait for so many seconds; blocks.  False: nobody has answered. */
bool local_ask(struct local_answer *ret, const struct wr_conf *conf, const char *method,
               const char *target, const char *body, int seconds);

/* The same with a body of any bytes. */
struct local_bytes { const void *at; size_t len; };
bool local_send(struct local_answer *ret, const struct wr_conf *conf, const char *method,
                const char *target, const struct local_bytes *body, int seconds);

/* A header of the answer; false: it has none, or one that is too long. */
bool local_header(const struct local_answer *answer, const char *name, char *ret, size_t size);

void local_free(struct local_answer *answer);

#endif
