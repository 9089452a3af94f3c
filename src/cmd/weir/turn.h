/* turn.h - questions to the node of a data directory, whoever is that node.
 *
 *     struct turn turn = { .name = "weir queue", .flags = &flags, .conf = conf,
 *                          .as = "for this question" };
 *     int status = turn_ask(&turn, &answer, "GET", target, &body, 60);
 *     ...
 *     companion_stop(turn.companion);
 *
 * Where no node runs the command is one (companion.h).  Commands that come together take turns
 * at that: who comes second asks the node of the first, waits while that one ends, for ten
 * seconds at most, and then is the node himself.
 *
 * What is wrong has been said on standard error when a call returns; an int is the exit status,
 * and 0 is good.
 */
#ifndef WEIR_CMD_TURN_H
#define WEIR_CMD_TURN_H

#include <stdbool.h>

#include "cmd/weir/companion.h"
#include "cmd/weir/local.h"

struct turn {
    const char *name;                   /* of the command, in front of what it says */
    const struct flags *flags;
    const struct wr_conf *conf;
    const char *as;                     /* what kind of node it is: "no node runs; this is
                                           one " and that */
    bool works;                         /* companion.h */
    bool keeps;                         /* what it is told must last: no node that forgets */
    bool twice;                         /* every question may be asked again */
    bool guest;                         /* it is not to be the node, any more */
    struct companion *companion;        /* NULL: another is the node */
};

/* Ask, for so many seconds; *ret is to be freed in any case.  0: somebody has answered,
 * whatever it is.  130: local_given_up. */
int turn_ask(struct turn *turn, struct local_answer *ret, const char *method,
             const char *target, const struct local_bytes *body, int seconds);

#endif
