/* os_net.c - sockets, as the system has them. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "rt/os.h"

#define BACKLOG 4096
#define KEEPALIVE_AFTER 60      /* seconds without a word */
#define KEEPALIVE_EVERY 15
#define KEEPALIVE_TIMES 4

union place {
    struct sockaddr any;
    struct sockaddr_in ip4;
    struct sockaddr_in6 ip6;
    struct sockaddr_un un;
    struct sockaddr_storage room;
};

static socklen_t to_system(union place *ret, const struct wr_addr *addr)
{
    memset(ret, 0, sizeof(*ret));
    switch (addr->kind) {
    case WR_ADDR_IP4:
        ret->ip4.sin_family = AF_INET;
        ret->ip4.sin_port = htons(addr->port);
        memcpy(&ret->ip4.sin_addr, addr->ip, 4);
        return sizeof(ret->ip4);
    case WR_ADDR_IP6:
        ret->ip6.sin6_family = AF_INET6;
        ret->ip6.sin6_port = htons(addr->port);
        memcpy(&ret->ip6.sin6_addr, addr->ip, 16);
        return sizeof(ret->ip6);
    case WR_ADDR_UNIX:
        ret->un.sun_family = AF_UNIX;
        memcpy(ret->un.sun_path, addr->path, sizeof(ret->un.sun_path));
        return sizeof(ret->un);
    case WR_ADDR_NONE: break;
    }
    return 0;
}

/* A peer's Unix socket usually has no name: the length tells. */
static struct wr_addr from_system(const union place *place, socklen_t len)
{
    struct wr_addr addr = { 0 };
    if (place->any.sa_family == AF_INET) {
        addr.kind = WR_ADDR_IP4;
        addr.port = ntohs(place->ip4.sin_port);
        memcpy(addr.ip, &place->ip4.sin_addr, 4);
    } else if (place->any.sa_family == AF_INET6) {
        addr.kind = WR_ADDR_IP6;
        addr.port = ntohs(place->ip6.sin6_port);
        memcpy(addr.ip, &place->ip6.sin6_addr, 16);
    } else if (place->any.sa_family == AF_UNIX) {
        addr.kind = WR_ADDR_UNIX;
        size_t path = len > offsetof(struct sockaddr_un, sun_path)
            ? len - offsetof(struct sockaddr_un, sun_path) : 0;
        memcpy(addr.path, place->un.sun_path,
               path < sizeof(addr.path) ? path : sizeof(addr.path) - 1);
    }
    return addr;
}

static wr_err failed(int fd)
{
    int number = errno;
    if (fd >= 0)
        close(fd);
    switch (number) {
    case EADDRINUSE: return WR_EXISTS;
    case EADDRNOTAVAIL: return WR_INVALID;
    default: return wr_err_errno(number);
    }
}

static int stream_socket(const union place *place)
{
    return socket(place->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* A socket file that nobody listens behind is left over from a process that was
 * killed.  Files that are no sockets refuse too, and are not ours to remove. */
static bool abandoned(const union place *place, socklen_t len)
{
    struct stat info;
    bool ours = lstat(place->un.sun_path, &info) == 0 && S_ISSOCK(info.st_mode);
    errno = EADDRINUSE;
    int fd = ours ? stream_socket(place) : -1;
    if (fd < 0)
        return false;
    bool refused = connect(fd, &place->any, len) != 0 && errno == ECONNREFUSED;
    close(fd);
    return refused;
}

static int bind_to(int fd, const union place *place, socklen_t len)
{
    if (bind(fd, &place->any, len) == 0)
        return 0;
    if (errno != EADDRINUSE || place->any.sa_family != AF_UNIX || !abandoned(place, len)) {
        errno = errno ? errno : EADDRINUSE;
        return -1;
    }
    unlink(place->un.sun_path);
    return bind(fd, &place->any, len);
}

/* Nobody can connect between bind and listen: that is when a Unix socket gets its
 * mode. */
wr_err wr_os_listen(int *ret_fd, const struct wr_addr *addr)
{
    union place place;
    socklen_t len = to_system(&place, addr);
    int fd = stream_socket(&place), on = 1;
    if (fd < 0)
        return failed(fd);
    if (addr->kind == WR_ADDR_UNIX) {
        if (bind_to(fd, &place, len) != 0 || chmod(addr->path, 0600) != 0)
            return failed(fd);
    } else {
        if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0)
            return failed(fd);
        if (addr->kind == WR_ADDR_IP6
            && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) != 0)
            return failed(fd);
        if (bind_to(fd, &place, len) != 0)
            return failed(fd);
    }
    if (listen(fd, BACKLOG) != 0)
        return failed(fd);
    *ret_fd = fd;
    return WR_OK;
}

wr_err wr_os_listening(int fd)
{
    int type = 0, listening = 0;
    socklen_t len = sizeof(type);
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) != 0)
        return wr_err_errno(errno);
    len = sizeof(listening);
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &len) != 0)
        return wr_err_errno(errno);
    return type == SOCK_STREAM && listening ? WR_OK : WR_INVALID;
}

/* What went wrong with a connection before it was taken is not the listener's
 * concern: accept(2) reports it there all the same. */
static bool passing(int number)
{
    switch (number) {
    case EINTR:
    case ECONNABORTED:
    case EPROTO:
    case ENETDOWN:
    case ENETUNREACH:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENONET:
    case ENOPROTOOPT:
    case EPERM: return true;
    default: return false;
    }
}

wr_err wr_os_accept(int listener, int *ret_fd, struct wr_addr *ret_peer)
{
    union place place = { 0 };
    for (;;) {
        socklen_t len = sizeof(place);
        int fd = accept4(listener, &place.any, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            *ret_fd = fd;
            *ret_peer = from_system(&place, len);
            return WR_OK;
        }
        if (errno == EAGAIN)
            return WR_BUSY;
        if (!passing(errno))
            return wr_err_errno(errno);
    }
}

wr_err wr_os_connect(int *ret_fd, const struct wr_addr *addr)
{
    union place place;
    socklen_t len = to_system(&place, addr);
    int fd = stream_socket(&place);
    if (fd < 0)
        return failed(fd);
    *ret_fd = fd;
    if (connect(fd, &place.any, len) == 0)
        return WR_OK;
    return errno == EINPROGRESS || errno == EINTR ? WR_BUSY : failed(fd);
}

wr_err wr_os_connected(int fd)
{
    int number = 0;
    socklen_t len = sizeof(number);
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &number, &len) != 0)
        number = errno;
    return number ? wr_err_errno(number) : WR_OK;
}

/* Small answers leave at once; a peer that vanished is noticed in the end. */
void wr_os_socket_tune(int fd, const struct wr_addr *peer)
{
    int on = 1, after = KEEPALIVE_AFTER, every = KEEPALIVE_EVERY, times = KEEPALIVE_TIMES;
    if (peer->kind != WR_ADDR_IP4 && peer->kind != WR_ADDR_IP6)
        return;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &after, sizeof(after));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof(every));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof(times));
}

void wr_os_socket_shut(int fd)
{
    shutdown(fd, SHUT_WR);
}

void wr_os_socket_reset(int fd)
{
    struct linger at_once = { .l_onoff = 1 };
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close(fd);
}

wr_err wr_os_socket_local(int fd, struct wr_addr *ret)
{
    union place place = { 0 };
    socklen_t len = sizeof(place);
    if (getsockname(fd, &place.any, &len) != 0)
        return wr_err_errno(errno);
    *ret = from_system(&place, len);
    return WR_OK;
}

wr_err wr_os_socket_process(int fd, uint32_t *ret_uid, int32_t *ret_pid)
{
    struct ucred who;
    socklen_t len = sizeof(who);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) != 0)
        return WR_UNSUPPORTED;
    *ret_uid = who.uid;
    *ret_pid = who.pid;
    return WR_OK;
}

void wr_os_unlink(const char *path)
{
    unlink(path);
}
