/* signal.h - signals as values of a channel.
 *
 * The process tells which signals it wants; from then on each arrives as an
 * int in a channel, to be received or selected like anything else.  A program
 * that is stopped by its operator, and reloads when asked to:
 *
 *     static wr_err obey(void *arg)
 *     {
 *         struct node *node = arg;
 *         int number;
 *         while (!wr_chan_recv(wr_signal_chan(node->signals), &number, WR_NEVER))
 *             if (number == SIGHUP)
 *                 reload(node);
 *             else
 *                 wr_sup_stop(node->sup);     // the second one aborts at once
 *         return WR_OK;
 *     }
 *     ...
 *     static const int wanted[] = { SIGINT, SIGTERM, SIGHUP };
 *     err = wr_signal_open(&node->signals, wanted, 3);
 *     ...
 *     err = wr_scope_go(scope, "node.signals", obey, node);
 *     err = wr_sup_run(node->sup);
 *     (void)!wr_scope_close(scope);
 *     wr_signal_close(node->signals);
 *
 * A signal that is still waiting to be received swallows others of the same
 * number, as the kernel's own do, and that is counted: a storm of one signal
 * cannot push out another.
 */
#ifndef WEIR_SIGNAL_H
#define WEIR_SIGNAL_H

#include <stddef.h>
#include <stdint.h>

#include <weir/chan.h>
#include <weir/err.h>
#include <weir/panic.h>

#define WR_SIGNALS_MAX 16

struct wr_signal;

struct wr_signal_stat {
    uint64_t caught;        /* by the process */
    uint64_t coalesced;     /* of these: swallowed by an equal one that was waiting */
};

/* Catch these signals, at most WR_SIGNALS_MAX, until it is closed.  It reads
 * them by a task of its own, in a scope that belongs to the calling fiber.
 * Signals that cannot be values are a panic: SIGKILL and SIGSTOP; faults (SIGSEGV,
 * SIGBUS, SIGFPE, SIGILL), which would happen again as soon as they were caught;
 * SIGURG, by which the runtime looks into workers that stall; and the few below
 * SIGRTMIN that the C library keeps to itself.
 * Errors: EXISTS (the process has one open), NOMEM, NOFILE, BUSY; CANCELED or
 * TIMEOUT when the caller's scope has ended. */
wr_err wr_signal_open(struct wr_signal **ret, const int *numbers, size_t count WR_AT);
#define wr_signal_open(ret, numbers, count) wr_signal_open(ret, numbers, count, WR_HERE)

/* Where they arrive: values are int, one per number at a time. */
struct wr_chan *wr_signal_chan(struct wr_signal *signals);

/* The counts so far. */
struct wr_signal_stat wr_signal_stat(struct wr_signal *signals);

/* The signals mean again what they meant before they were caught: their handlers,
 * ignored, or the default; and another may be opened.  To be called by the fiber
 * that opened it, in the reverse order of the scopes it made since; nobody may be
 * waiting on the channel.  NULL is allowed. */
void wr_signal_close(struct wr_signal *signals WR_AT);
#define wr_signal_close(signals) wr_signal_close(signals, WR_HERE)

#endif
