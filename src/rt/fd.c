/* fd.c - descriptors, registered once, edge-triggered.
 *
 * The event data is {index, generation} into a table, never a pointer: an
 * event that was already on its way when the descriptor was closed finds
 * another generation and is dropped.
 *
 * `ready` remembers edges.  The bit is cleared before a read is tried, and set
 * again unless the read would have blocked: so an edge between the attempt and
 * the wait is never lost.
 */
#include <weir/fd.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/select.h>

#include "base/world.h"
#include "rt/fd_int.h"
#include "rt/wait_int.h"

struct wr_fd {
    struct spin lock;
    int number;
    unsigned ready;                 /* WR_READABLE, WR_WRITABLE: may succeed */
    bool borrowed;                  /* somebody else closes it */
    bool stream;                    /* a read that is not filled has taken everything */
    bool hung_up;                   /* ... unless the end is near: no edge comes after it */
    struct waitlist readers, writers;
    struct worker *home;            /* NULL when its run is over */
    const char *place;              /* where it was opened */
    uint32_t index, generation;
};

#define TABLE_CHUNK 256

static struct {
    struct spin lock;
    struct entry { struct wr_fd *fd; uint32_t generation; uint32_t next_free; } *entries;
    uint32_t count, free_head;      /* free_head: index + 1, 0 for none */
} table;

static wr_err table_add(struct wr_fd *fd)
{
    spin_lock(&table.lock);
    if (table.free_head == 0) {
        struct entry *more = realloc(table.entries,
                                     (table.count + TABLE_CHUNK) * sizeof(*table.entries));
        if (!more) {
            spin_unlock(&table.lock);
            return WR_NOMEM;
        }
        table.entries = more;
        for (uint32_t i = TABLE_CHUNK; i-- > 0;) {
            table.entries[table.count + i] = (struct entry){ .next_free = table.free_head };
            table.free_head = table.count + i + 1;
        }
        table.count += TABLE_CHUNK;
    }
    fd->index = table.free_head - 1;
    struct entry *entry = &table.entries[fd->index];
    table.free_head = entry->next_free;
    entry->fd = fd;
    fd->generation = entry->generation;
    spin_unlock(&table.lock);
    return WR_OK;
}

static void table_remove(struct wr_fd *fd)
{
    spin_lock(&table.lock);
    struct entry *entry = &table.entries[fd->index];
    entry->fd = NULL;
    entry->generation++;
    entry->next_free = table.free_head;
    table.free_head = fd->index + 1;
    spin_unlock(&table.lock);
}

/* Its worker is gone.  Whoever still has it can only give its memory back. */
static void outlived(struct wr_fd *fd)
{
    char line[200];
    int len = snprintf(line, sizeof(line),
                       "weir: descriptor %d, opened at %s, was not closed before its run "
                       "ended: closed now\n", fd->number, fd->place);
    if (!wr_rt.hooks)           /* an abandoned simulation could not close anything */
        wr_world->complain(line, (size_t)len < sizeof(line) ? (size_t)len : sizeof(line) - 1);
    if (!fd->borrowed)
        wr_os_fd_close(fd->number);
    fd->home = NULL;
}

void wr_fd_table_free(void)
{
    for (uint32_t i = 0; i < table.count; i++)
        if (table.entries[i].fd)
            outlived(table.entries[i].fd);
    free(table.entries);
    table.entries = NULL;
    table.count = table.free_head = 0;
}

/* The lock of the descriptor is held on return: it cannot be freed meanwhile. */
static struct wr_fd *table_find(uint64_t data)
{
    uint32_t index = (uint32_t)data, generation = (uint32_t)(data >> 32);
    struct wr_fd *fd = NULL;
    spin_lock(&table.lock);
    if (index < table.count && table.entries[index].generation == generation)
        fd = table.entries[index].fd;
    if (fd)
        spin_lock(&fd->lock);
    spin_unlock(&table.lock);
    return fd;
}

wr_err (wr_fd_open)(struct wr_fd **ret, int number, const char *place)
{
    struct fiber *fiber = fiber_self();
    if (!fiber || !fiber->started) {
        wr_fork_check(place, "wr_fd_open");
        wr_panic_at(place, "wr_fd_open outside a task: a descriptor belongs to a worker");
    }
    wr_err err = wr_os_fd_prepare(number);
    if (err)
        return err;
    struct wr_fd *fd = calloc(1, sizeof(*fd));
    if (!fd)
        return WR_NOMEM;
    fd->number = number;
    fd->home = fiber->home;
    fd->place = place;
    fd->ready = WR_READABLE | WR_WRITABLE;
    err = table_add(fd);
    if (!err) {
        err = wr_os_poll_add(&fd->home->poll, number,
                             (uint64_t)fd->generation << 32 | fd->index);
        if (err)
            table_remove(fd);
    }
    if (err) {
        free(fd);
        return err;
    }
    atomic_fetch_add(&fd->home->fds, 1);
    *ret = fd;
    return WR_OK;
}

wr_err (wr_fd_borrow)(struct wr_fd **ret, int number, const char *place)
{
    wr_err err = (wr_fd_open)(ret, number, place);
    if (!err)
        (*ret)->borrowed = true;
    return err;
}

void (wr_fd_close)(struct wr_fd *fd, const char *place)
{
    if (!fd)
        return;
    if (!fd->home) {
        free(fd);
        return;
    }
    spin_lock(&fd->lock);
    struct waiter *waiter = fd->readers.head ? fd->readers.head : fd->writers.head;
    spin_unlock(&fd->lock);
    if (waiter)
        wr_panic_at(
            place,
            "descriptor %d is closed while %s waits on it; cancel and join its users first",
            fd->number, wr_fiber_name(waiter->fiber));
    wr_os_poll_remove(&fd->home->poll, fd->number);
    table_remove(fd);
    spin_lock(&fd->lock);           /* an event that found it is done with it now */
    spin_unlock(&fd->lock);
    atomic_fetch_sub(&fd->home->fds, 1);
    if (!fd->borrowed)
        wr_os_fd_close(fd->number);
    free(fd);
}

/* Added there before it is removed here: no edge is lost between the two, and one that
 * comes twice is one.  Without memory it stays where it was. */
void wr_fd_move_here(struct wr_fd *fd)
{
    struct worker *here = fiber_self()->home, *there = fd->home;
    if (likely(here == there) || !there
        || wr_os_poll_add(&here->poll, fd->number, (uint64_t)fd->generation << 32 | fd->index))
        return;
    wr_os_poll_remove(&there->poll, fd->number);
    atomic_fetch_add(&here->fds, 1);
    atomic_fetch_sub(&there->fds, 1);
    fd->home = here;
    spin_lock(&fd->lock);
    fd->ready = WR_READABLE | WR_WRITABLE;
    spin_unlock(&fd->lock);
}

void wr_fd_is_stream(struct wr_fd *fd)
{
    fd->stream = true;
}

int wr_fd_number(const struct wr_fd *fd)
{
    return fd->number;
}

void wr_fd_event(struct worker *w, const struct os_event *event)
{
    (void)w;
    struct wr_fd *fd = table_find(event->data);
    if (!fd)
        return;
    fd->ready |= event->ready;
    fd->hung_up |= event->hung_up;
    if (event->ready & WR_READABLE)
        wr_waitlist_wake_all(&fd->readers, WR_OK);
    if (event->ready & WR_WRITABLE)
        wr_waitlist_wake_all(&fd->writers, WR_OK);
    spin_unlock_kick(&fd->lock);
}

/* ---- waiting ---- */

static struct waitlist *list_for(struct wr_fd *fd, unsigned events)
{
    return events == WR_READABLE ? &fd->readers : &fd->writers;
}

static void check(const struct wr_fd *fd, unsigned events, const char *place)
{
    if (!fd->home)
        wr_panic_at(place, "descriptor %d, opened at %s, was closed with the run it was "
                           "opened in", fd->number, fd->place);
    if (events != WR_READABLE && events != WR_WRITABLE)
        wr_panic_at(place, "wait for descriptor %d to be readable or writable, one at a time",
                    fd->number);
}

/* The lock is held, and let go of before a panic: the descriptor stays usable.  One
 * whose time is up and who has not run since to say so is no rival. */
static void check_alone(struct wr_fd *fd, unsigned events, const char *place)
{
    const struct waiter *rival = list_for(fd, events)->head;
    while (rival && !waiter_waits(rival))
        rival = rival->next;
    if (!rival)
        return;
    char name[sizeof(rival->fiber->name)];
    snprintf(name, sizeof(name), "%s", wr_fiber_name(rival->fiber));
    const char *since = atomic_load(&rival->fiber->place);
    spin_unlock(&fd->lock);
    wr_panic_at(place, "two fibers wait for descriptor %d to be %s: %s does already, at %s",
                fd->number, events == WR_READABLE ? "readable" : "writable", name, since);
}

/* A bit says that it may succeed; whether it will, only the system knows.  The
 * bit is cleared before asking, so that an edge from now on sets it again.  The
 * lock is held. */
static bool confirmed(struct wr_fd *fd, unsigned events)
{
    if (!(fd->ready & events))
        return false;
    fd->ready &= ~events;
    if (!wr_os_fd_ready(fd->number, events))
        return false;
    fd->ready |= events;
    return true;
}

/* Wait for an edge, unless `now` says that there is no need to. */
static wr_err await_edge(struct wr_fd *fd, unsigned events, wr_time deadline, const char *place,
                         bool (*now)(struct wr_fd *fd, unsigned events))
{
    struct fiber *fiber;
    const char *what = events == WR_READABLE ? "readable fd" : "writable fd";
    check(fd, events, place);
    wr_err ended = wr_wait_enter(&fiber, deadline, what, place);
    if (ended)
        return ended;
    spin_lock(&fd->lock);
    bool ready = now(fd, events);
    if (ready || deadline == WR_NOW) {
        spin_unlock(&fd->lock);
        return ready ? WR_OK : WR_TIMEOUT;
    }
    check_alone(fd, events, place);
    return wr_wait_on(fiber, &fd->lock, list_for(fd, events), deadline, what, place);
}

wr_err (wr_fd_wait)(struct wr_fd *fd, unsigned events, wr_time deadline, const char *place)
{
    return await_edge(fd, events, deadline, place, confirmed);
}

static bool maybe(struct wr_fd *fd, unsigned events)
{
    return fd->ready & events;
}

wr_err wr_fd_await(struct wr_fd *fd, unsigned events, wr_time deadline, const char *place)
{
    return await_edge(fd, events, deadline, place, maybe);
}

/* The bit is cleared where it is seen: one lock for both. */
static bool taken(struct wr_fd *fd, unsigned events)
{
    bool ready = fd->ready & events;
    fd->ready &= ~events;
    return ready;
}

/* Before an attempt: an edge from now on sets the bit again. */
static wr_err take_edge(struct wr_fd *fd, unsigned events, wr_time deadline, const char *place)
{
    wr_err err = await_edge(fd, events, WR_NOW, place, taken);
    if (err != WR_TIMEOUT || deadline == WR_NOW)
        return err;
    err = await_edge(fd, events, deadline, place, maybe);
    if (err)
        return err;
    spin_lock(&fd->lock);
    fd->ready &= ~events;
    spin_unlock(&fd->lock);
    return WR_OK;
}

static void ready_again(struct wr_fd *fd, unsigned events)
{
    spin_lock(&fd->lock);
    fd->ready |= events;            /* there may be more: only BUSY says there is not */
    spin_unlock(&fd->lock);
}

/* A stream that gave less than was asked for is empty, unless its end has come. */
static void read_some(struct wr_fd *fd, bool more)
{
    spin_lock(&fd->lock);
    if (more || !fd->stream || fd->hung_up)
        fd->ready |= WR_READABLE;
    spin_unlock(&fd->lock);
}

wr_err wr_fd_attempt(struct wr_fd *fd, unsigned events, wr_err (*op)(int number, void *arg),
                     void *arg, wr_time deadline, const char *place)
{
    for (;;) {
        wr_err err = take_edge(fd, events, deadline, place);
        if (err)
            return err;
        err = op(fd->number, arg);
        if (err == WR_BUSY)
            continue;
        ready_again(fd, events);
        return err;
    }
}

wr_err (wr_fd_read)(struct wr_fd *fd, size_t *ret, void *buf, size_t size, wr_time deadline,
                    const char *place)
{
    for (;;) {
        wr_err err = take_edge(fd, WR_READABLE, deadline, place);
        if (err)
            return err;
        err = fd->stream ? wr_os_socket_read(fd->number, ret, buf, size)
                         : wr_os_fd_read(fd->number, ret, buf, size);
        if (err == WR_BUSY)
            continue;
        read_some(fd, err || *ret == size);
        return err;
    }
}

wr_err (wr_fd_write_pieces)(struct wr_fd *fd, size_t *ret, const struct wr_piece *pieces,
                            size_t count, wr_time deadline, const char *place)
{
    struct wr_piece left[WR_PIECES_MAX];
    if (count > WR_PIECES_MAX)
        wr_panic_at(place, "%zu pieces are written at once, at most %d can be", count,
                    WR_PIECES_MAX);
    memcpy(left, pieces, count * sizeof(*pieces));
    *ret = 0;
    for (size_t first = 0;;) {
        while (first < count && left[first].len == 0)
            first++;
        if (first == count)
            return WR_OK;
        wr_err err = take_edge(fd, WR_WRITABLE, deadline, place);
        if (err)
            return err;
        size_t n = 0;
        err = fd->stream ? wr_os_socket_write(fd->number, &n, left + first, count - first)
                         : wr_os_fd_write(fd->number, &n, left + first, count - first);
        if (err == WR_BUSY)
            continue;
        ready_again(fd, WR_WRITABLE);
        if (err)
            return err;
        *ret += n;
        for (; n > 0; first++) {
            size_t part = n < left[first].len ? n : left[first].len;
            left[first].at = (const char *)left[first].at + part;
            left[first].len -= part;
            n -= part;
            if (left[first].len > 0)
                break;
        }
    }
}

wr_err (wr_fd_write)(struct wr_fd *fd, size_t *ret, const void *buf, size_t size,
                     wr_time deadline, const char *place)
{
    return (wr_fd_write_pieces)(fd, ret, &(struct wr_piece){ buf, size }, 1, deadline, place);
}

/* ---- as a case of a select ---- */

static struct spin *fd_lock(void *on)
{
    return &((struct wr_fd *)on)->lock;
}

static void fd_check(void *on, const struct wr_case *c, const char *place)
{
    struct wr_fd *fd = on;
    check(fd, (unsigned)c->units, place);
    spin_lock(&fd->lock);
    check_alone(fd, (unsigned)c->units, place);
    spin_unlock(&fd->lock);
}

/* A rival that came since the check is woken with us, and no worse off. */
static void fd_link(void *on, const struct wr_case *c, struct waiter *waiter)
{
    waitlist_push(list_for(on, (unsigned)c->units), waiter);
}

static void fd_unlink(void *on, const struct wr_case *c, struct waiter *waiter)
{
    waitlist_remove(list_for(on, (unsigned)c->units), waiter);
}

static bool fd_possible(void *on, const struct wr_case *c)
{
    return confirmed(on, (unsigned)c->units);
}

static void fd_take(void *on, struct wr_case *c)
{
    (void)on;
    c->err = WR_OK;
}

const struct wr_waitable wr_case_fd = {
    .check = fd_check, .lock = fd_lock, .link = fd_link, .unlink = fd_unlink,
    .possible = fd_possible, .take = fd_take, .finish = wr_case_finish,
};
