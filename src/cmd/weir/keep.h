/* keep.h - the keeper: a small parent that starts the program again after a crash.
 *
 * A crash is what the runtime cannot contain: a signal (a bad address, an overflowed
 * stack, an abort because a rule was broken under a lock, the system's out-of-memory
 * killer), or an exit status that is neither 0 nor 2: a panic of its first task, above
 * all.  A program that ends with 0 is done, one that ends with 2 has refused its
 * configuration or its place, and the keeper ends with it.
 *
 * So it does with a program that was stopped otherwise than by us, and says so as it would
 * to a service manager (STOPPING=1): when that then ends with 1, because not all was done in
 * time, or by a signal, it is not started again against the will of who stopped it.
 *
 * Pauses grow from crash to crash; after too many in a period the keeper gives up.
 * SIGTERM, SIGINT and SIGHUP are passed on.  From the first of the former two on
 * nothing is started again, and a program that does not end is killed in the end.
 * The program never outlives its keeper.
 *
 * Under a service manager the keeper is the main process.  It passes on the sockets
 * that it was handed, and everything that the program tells the manager.  systemd
 * must stop it with KillMode=mixed: by default it signals both, and two requests to
 * stop are one to stop at once.
 */
#ifndef WEIR_CMD_KEEP_H
#define WEIR_CMD_KEEP_H

#include <weir/time.h>

#define KEEP_GAVE_UP 3          /* exit status: it crashed too often */

struct keep_conf {
    wr_time backoff_min;        /* the first pause is drawn between these two, ... */
    wr_time backoff_max;
    wr_time backoff_cap;        /* ... the next from twice that, up to this one */
    unsigned crashes_max;       /* as many, and no more, ... */
    wr_time crashes_within;     /* ... in this time */
    wr_time stop_within;        /* from the first request to stop to a kill */
    wr_time abort_within;       /* ... and from the second one */
};

/* Run this program again with these arguments (argv[0] among them, NULL at the end)
 * and keep it running; the exit status for the process. */
int keep(const struct keep_conf *conf, char **argv);

/* The program's name as `ps` shows it: the last part of this, and not that of the link by
 * which the keeper starts it.  First thing, in both. */
void keep_name(const char *argv0);

#endif
