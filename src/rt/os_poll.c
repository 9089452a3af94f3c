/* os_poll.c - epoll, and descriptors that do not block. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <weir/fd.h>

#include "rt/os.h"

#define KICK UINT64_MAX         /* the eventfd's own event data */
#define EVENTS_MAX 128

wr_err wr_os_poll_open(struct os_poll *poll)
{
    poll->kick = -1;
    poll->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (poll->epoll < 0)
        return wr_err_errno(errno);
    poll->kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data.u64 = KICK };
    if (poll->kick < 0 || epoll_ctl(poll->epoll, EPOLL_CTL_ADD, poll->kick, &event) != 0) {
        int number = errno;
        wr_os_poll_close(poll);
        return wr_err_errno(number);
    }
    return WR_OK;
}

void wr_os_poll_close(struct os_poll *poll)
{
    if (poll->kick >= 0)
        close(poll->kick);
    if (poll->epoll >= 0)
        close(poll->epoll);
    poll->kick = poll->epoll = -1;
}

wr_err wr_os_poll_add(struct os_poll *poll, int fd, uint64_t data)
{
    struct epoll_event event = {
        .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
        .data.u64 = data,
    };
    if (epoll_ctl(poll->epoll, EPOLL_CTL_ADD, fd, &event) == 0)
        return WR_OK;
    return errno == EPERM ? WR_UNSUPPORTED : wr_err_errno(errno);
}

void wr_os_poll_remove(struct os_poll *poll, int fd)
{
    epoll_ctl(poll->epoll, EPOLL_CTL_DEL, fd, NULL);
}

/* Edge-triggered, so the count need not be read back: each write is an edge. */
void wr_os_poll_kick(struct os_poll *poll)
{
    uint64_t one = 1;
    if (write(poll->kick, &one, sizeof(one)) < 0) {
        /* The counter is full after 2^64 - 2 kicks that nobody read: start over. */
        (void)!read(poll->kick, &one, sizeof(one));
        one = 1;
        (void)!write(poll->kick, &one, sizeof(one));
    }
}

/* epoll_pwait2 waits to the nanosecond; kernels before 5.11 know only
 * milliseconds, and there the wait is rounded up. */
static int poll_for(int epoll, struct epoll_event *events, int max, wr_time span)
{
    static _Atomic bool coarse;
    if (span != WR_NOW && span != WR_NEVER
        && !atomic_load_explicit(&coarse, memory_order_relaxed)) {
        struct timespec ts = { .tv_sec = span / WR_S(1), .tv_nsec = span % WR_S(1) };
        int count = (int)syscall(SYS_epoll_pwait2, epoll, events, max, &ts, NULL, 8);
        if (count >= 0 || errno != ENOSYS)
            return count;
        atomic_store_explicit(&coarse, true, memory_order_relaxed);
    }
    int ms = -1;
    if (span != WR_NEVER)
        ms = span > WR_S(3600) ? 3600000 : (int)((span + WR_MS(1) - 1) / WR_MS(1));
    return epoll_wait(epoll, events, max, ms);
}

size_t wr_os_poll_wait(struct os_poll *poll, struct os_event *events, size_t max, wr_time span)
{
    struct epoll_event got[EVENTS_MAX];
    int limit = max < EVENTS_MAX ? (int)max : EVENTS_MAX;
    int count = poll_for(poll->epoll, got, limit, span);
    size_t n = 0;
    for (int i = 0; i < count; i++) {
        if (got[i].data.u64 == KICK)
            continue;
        unsigned bits = got[i].events;
        unsigned broken = bits & (EPOLLERR | EPOLLHUP);
        unsigned ready = 0, ended = bits & (EPOLLRDHUP | EPOLLERR | EPOLLHUP);
        if (broken || (bits & (EPOLLIN | EPOLLRDHUP)))
            ready |= WR_READABLE;
        if (broken || (bits & EPOLLOUT))
            ready |= WR_WRITABLE;
        events[n++] = (struct os_event){ .data = got[i].data.u64, .ready = ready,
                                         .hung_up = ended != 0 };
    }
    return n;
}

bool wr_os_poll_pending(const struct os_poll *poll_)
{
    struct pollfd pfd = { .fd = poll_->epoll, .events = POLLIN };
    return poll(&pfd, 1, 0) > 0;
}

void wr_os_poll_sleep(const struct os_poll *poll_)
{
    struct pollfd pfd = { .fd = poll_->epoll, .events = POLLIN };
    poll(&pfd, 1, -1);
}

wr_err wr_os_fd_prepare(int fd)
{
    struct stat st;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fstat(fd, &st) != 0)
        return wr_err_errno(errno);
    if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
        return WR_UNSUPPORTED;
    return fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 ? WR_OK : wr_err_errno(errno);
}

static wr_err transferred(ssize_t n, size_t *ret)
{
    if (n >= 0) {
        *ret = (size_t)n;
        return WR_OK;
    }
    return errno == EAGAIN ? WR_BUSY : wr_err_errno(errno);
}

wr_err wr_os_fd_read(int fd, size_t *ret, void *buf, size_t size)
{
    ssize_t n;
    do
        n = read(fd, buf, size);
    while (n < 0 && errno == EINTR);
    return transferred(n, ret);
}

wr_err wr_os_fd_write(int fd, size_t *ret, const struct wr_piece *pieces, size_t count)
{
    ssize_t n;
    struct iovec parts[WR_PIECES_MAX];
    for (size_t i = 0; i < count; i++)
        parts[i] = (struct iovec){ (void *)(uintptr_t)pieces[i].at, pieces[i].len };
    do
        n = count == 1 ? write(fd, pieces->at, pieces->len) : writev(fd, parts, (int)count);
    while (n < 0 && errno == EINTR);
    return transferred(n, ret);
}

wr_err wr_os_socket_read(int fd, size_t *ret, void *buf, size_t size)
{
    ssize_t n;
    do
        n = recv(fd, buf, size, 0);
    while (n < 0 && errno == EINTR);
    return transferred(n, ret);
}

wr_err wr_os_socket_write(int fd, size_t *ret, const struct wr_piece *pieces, size_t count)
{
    if (count != 1)
        return wr_os_fd_write(fd, ret, pieces, count);
    ssize_t n;
    do
        n = send(fd, pieces->at, pieces->len, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return transferred(n, ret);
}

void wr_os_fd_close(int fd)
{
    close(fd);
}

bool wr_os_fd_ready(int fd, unsigned events)
{
    struct pollfd pfd = { .fd = fd };
    if (events & WR_READABLE)
        pfd.events |= POLLIN | POLLRDHUP;
    if (events & WR_WRITABLE)
        pfd.events |= POLLOUT;
    return poll(&pfd, 1, 0) > 0;
}

static void on_sigpipe(int number)
{
    (void)number;
}

/* A handler, not SIG_IGN: programs we start would inherit that. */
void wr_os_no_sigpipe(void)
{
    struct sigaction act = { .sa_handler = on_sigpipe, .sa_flags = SA_RESTART | SA_ONSTACK };
    struct sigaction old;
    if (sigaction(SIGPIPE, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        sigaction(SIGPIPE, &act, NULL);
}
