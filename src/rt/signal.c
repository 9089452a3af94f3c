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

static bool is_wanted(const struct wr_signal *signals, int number)
{
    for (size_t i = 0; i < signals->count; i++)
        if (signals->wanted[i] == number)
            return true;
    return false;
}

/* A handler that began before the last close may write its byte only now, and the
 * number may be one that nobody asks for any more. */
static wr_err read_signals(void *arg)
{
    struct wr_signal *signals = arg;
    unsigned char bytes[READ_MAX];
    for (;;) {
        size_t count;
        wr_err err = wr_fd_read(signals->pipe, &count, bytes, sizeof(bytes), WR_NEVER);
        if (err || count == 0)
            return err;
        for (size_t i = 0; i < count; i++)
            if (is_wanted(signals, bytes[i]))
                deliver(signals, bytes[i]);
    }
}

static wr_err open_pipe(struct wr_signal *signals, const char *place)
{
    wr_err err = wr_scope_new(&signals->scope, &(struct wr_scope_conf){ .name = "signals",
                                                                       .deadline = WR_NEVER });
    if (err)
        return err;
    err = wr_os_signals_open(&signals->pipe_end, signals->wanted, signals->count);
    if (err)
        return err;
    err = (wr_fd_open)(&signals->pipe, signals->pipe_end, place);
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

#define AGAIN "what caused it would cause it again, for ever"
#define NOBODY "the system lets nobody catch it"

/* Why a signal cannot be a value; NULL when it can. */
static const char *refusal(int number)
{
    static const struct { int number; const char *why; } refused[] = {
        { SIGKILL, "SIGKILL: " NOBODY }, { SIGSTOP, "SIGSTOP: " NOBODY },
        { SIGSEGV, "SIGSEGV: " AGAIN }, { SIGBUS, "SIGBUS: " AGAIN },
        { SIGFPE, "SIGFPE: " AGAIN }, { SIGILL, "SIGILL: " AGAIN },
        { SIGURG, "SIGURG: the runtime looks with it into workers that stall" },
    };
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
        if (refused[i].number == number)
            return refused[i].why;
    if (number < 1 || number > SIGRTMAX)
        return "there is none of that number";
    return number > SIGSYS && number < SIGRTMIN ? "the C library keeps it to itself" : NULL;
}

wr_err (wr_signal_open)(struct wr_signal **ret, const int *numbers, size_t count,
                        const char *place)
{
    if (count == 0 || count > WR_SIGNALS_MAX)
        wr_panic_at(place, "%zu signals; 1 to %d are allowed", count, WR_SIGNALS_MAX);
    for (size_t i = 0; i < count; i++)
        if (refusal(numbers[i]))
            wr_panic_at(place, "signal %d cannot be caught (%s)", numbers[i],
                        refusal(numbers[i]));
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
        err = open_pipe(signals, place);
    if (err) {
        (wr_signal_close)(signals, place);
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
    (void)!(wr_scope_close)(signals->scope, place);
    if (signals->pipe_end >= 0)
        wr_os_signals_close();
    if (signals->pipe)
        wr_fd_close(signals->pipe);
    else if (signals->pipe_end >= 0)
        wr_os_fd_close(signals->pipe_end);
    publish(NULL);      /* only now: the next one finds handlers and pipe as they were */
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

/* The lock keeps them from being closed meanwhile; the mark of a foreign frame
 * keeps a simulation from letting somebody else run under it. */
wr_err wr_signal_inject(int number)
{
    wr_err err = WR_NOTFOUND;
    wr_foreign_enter();
    spin_lock(&open_one.lock);
    if (open_one.signals && is_wanted(open_one.signals, number)) {
        deliver(open_one.signals, number);
        err = WR_OK;
    }
    spin_unlock(&open_one.lock);
    wr_foreign_leave();
    return err;
}
