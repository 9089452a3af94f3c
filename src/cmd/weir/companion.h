/* companion.h - a node for as long as a command wants one.
 *
 *     struct companion *companion;
 *     if (!companion_start(&companion, flags, conf, true, why, sizeof(why)))
 *         ...why
 *     ...local_ask(...)
 *     companion_stop(companion);
 *
 * One node has a data directory (its lock, its Unix socket), and commands ask it.  Where none
 * runs, a command that needs one starts this program once more, as the node, and ends it with
 * itself.  It is a process of its own, and not a part of the command, so that there is one way
 * in which a node starts, holds its directory and drains, and one way in which it is asked; it
 * cannot outlive the command, which may be killed.
 *
 * It serves HTTP on a free port of loopback only.  What it logs is kept in memory, and its end
 * is said when it does not start.
 */
#ifndef WEIR_CMD_COMPANION_H
#define WEIR_CMD_COMPANION_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/weir/flags.h"
#include "conf/conf.h"

struct companion;

/* Start it with these flags of the configuration (the first is a name), and wait until it can
 * be asked.  One that does not work takes jobs and does none, and joins no network: it would
 * only begin what it has no time for.  False: it could not be; `why` is a sentence. */
bool companion_start(struct companion **ret, const struct flags *flags,
                     const struct wr_conf *conf, bool works, char *why, size_t size);

/* Whether it has not ended by itself. */
bool companion_lives(struct companion *companion);

/* Let it drain, and wait for that.  NULL is allowed. */
void companion_stop(struct companion *companion);

#endif
