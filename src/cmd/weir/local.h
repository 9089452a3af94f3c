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
    bool absent;                    /* no node runs there */
    char why[400];                  /* when there was no answer; or what a problem says */
};

/* For a handler of signals: who waits for an answer does not any more. */
extern volatile sig_atomic_t local_given_up;

/* Ask, and wait for so many seconds; blocks.  False: nobody has answered. */
bool local_ask(struct local_answer *ret, const struct wr_conf *conf, const char *method,
               const char *target, const char *body, int seconds);
void local_free(struct local_answer *answer);

#endif
