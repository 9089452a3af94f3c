/* signal.c - a task that reads signals from the driver's pipe into a channel.
 *
 * In a simulation there is no pipe and no task: signals are injected. */
#include <weir/signal.h>

#include <signal.h>
#include <stdlib.h>

#include <weir/fd.h>
#include <weir/scope.h>

#include "rt/rt_int.h"
#include "rt/signal_int.h"

#define READ_MAX 256

struct wr_signal {
    struct wr_chan *chan;
    struct wr_scope *scope;     /* of the reader */
    struct wr_fd *pipe;
    int pipe_end;               /* not yet in `pipe`; -1 */
    _Atomic uint64_t caught;
    size_t count;
    int wanted[WR_SIGNALS_MAX];
};

/* Signals are the process's, so there is one of these. */
static struct { struct spin lock; bool taken; struct wr_signal *signals; } open_one;

static uint64_t number_of(const void *item)
{
    return (uint64_t)*(const int *)item;
}

/* There is room for every wanted number, and equal ones are one. */
static void deliver(struct wr_signal *signals, int number)
{
    atomic_fetch_add_explicit(&signals->caught, 1, memory_order_relaxed);
    wr_err err = wr_chan_send(signals->chan, &number, WR_NOW);
    RT_ASSERT(err == WR_OK);
}

static wr_err read_signals(void *arg)
{
    struct wr_signal *signals = arg;
    unsigned char bytes[READ_MAX];
    for (;;) {
        size_t count;
        wr_err err = wr_fd_read(signals->pipe, &count, bytes, sizeof(bytes), WR_NEVER);
        if (err)
            return err;
        for (size_t i = 0; i < count; i++)
            deliver(signals, bytes[i]);
    }
}

static wr_err open_pipe(struct wr_signal *signals)
{
    wr_err err = wr_scope_new(&signals->scope, &(struct wr_scope_conf){ .name = "signals",
                                                                       .deadline = WR_NEVER });
    if (err)
        return err;
    err = wr_os_signals_open(&signals->pipe_end, signals->wanted, signals->count);
    if (err)
        return err;
    err = wr_fd_open(&signals->pipe, signals->pipe_end);
    if (err)
        return err;
    return wr_scope_go(signals->scope, "signal.reader", read_signals, signals);
}

static bool take_turn(void)
{
    spin_lock(&open_one.lock);
    bool taken = open_one.taken;
    open_one.taken = true;
    spin_unlock(&open_one.lock);
    return !taken;
}

static void publish(struct wr_signal *signals)
{
    spin_lock(&open_one.lock);
    open_one.signals = signals;
    open_one.taken = signals != NULL;
    spin_unlock(&open_one.lock);
}

wr_err (wr_signal_open)(struct wr_signal **ret, const int *numbers, size_t count,
                        const char *place)
{
    if (count == 0 || count > WR_SIGNALS_MAX)
        wr_panic_at(place, "%zu signals; 1 to %d are allowed", count, WR_SIGNALS_MAX);
    for (size_t i = 0; i < count; i++)
        if (numbers[i] < 1 || numbers[i] >= NSIG || numbers[i] == SIGKILL
            || numbers[i] == SIGSTOP)
            wr_panic_at(place, "signal %d cannot be caught", numbers[i]);
    if (!take_turn())
        return WR_EXISTS;
    struct wr_signal *signals = calloc(1, sizeof(*signals));
    if (!signals) {
        publish(NULL);
        return WR_NOMEM;
    }
    signals->pipe_end = -1;
    signals->count = count;
    for (size_t i = 0; i < count; i++)
        signals->wanted[i] = numbers[i];
    wr_err err = wr_chan_new(&signals->chan, &(struct wr_chan_conf){
        .name = "signals", .item_size = sizeof(int), .cap = WR_SIGNALS_MAX,
        .policy = WR_COALESCE, .key = number_of });
    if (!err && !wr_rt.hooks)
        err = open_pipe(signals);
    if (err) {
        wr_signal_close(signals);
        return err;
    }
    publish(signals);
    *ret = signals;
    return WR_OK;
}

void (wr_signal_close)(struct wr_signal *signals, const char *place)
{
    if (!signals)
        return;
    publish(NULL);
    (void)!(wr_scope_close)(signals->scope, place);
    if (signals->pipe_end >= 0)
        wr_os_signals_close();
    if (signals->pipe)
        wr_fd_close(signals->pipe);
    else if (signals->pipe_end >= 0)
        wr_os_fd_close(signals->pipe_end);
    (wr_chan_free)(signals->chan, place);
    free(signals);
}

struct wr_chan *wr_signal_chan(struct wr_signal *signals)
{
    return signals->chan;
}

struct wr_signal_stat wr_signal_stat(struct wr_signal *signals)
{
    return (struct wr_signal_stat){
        .caught = atomic_load_explicit(&signals->caught, memory_order_relaxed),
        .coalesced = wr_chan_stat(signals->chan).coalesced,
    };
}

wr_err wr_signal_inject(int number)
{
    wr_err err = WR_NOTFOUND;
    spin_lock(&open_one.lock);
    struct wr_signal *signals = open_one.signals;
    for (size_t i = 0; signals && i < signals->count && err; i++)
        if (signals->wanted[i] == number)
            err = WR_OK;
    spin_unlock(&open_one.lock);
    if (!err)
        deliver(signals, number);
    return err;
}
