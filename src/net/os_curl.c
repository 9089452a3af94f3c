/* os_curl.c - see os_curl.h. */
#include "net/os_curl.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <weir/fd.h>

#define READY_MAX 64

bool wr_os_address(struct wr_addr *ret, const void *sockaddr)
{
    const struct sockaddr *place = sockaddr;
    struct wr_addr addr = { 0 };
    if (place->sa_family == AF_INET) {
        const struct sockaddr_in *ip4 = sockaddr;
        addr.kind = WR_ADDR_IP4;
        addr.port = ntohs(ip4->sin_port);
        memcpy(addr.ip, &ip4->sin_addr, 4);
    } else if (place->sa_family == AF_INET6) {
        const struct sockaddr_in6 *ip6 = sockaddr;
        addr.kind = WR_ADDR_IP6;
        addr.port = ntohs(ip6->sin6_port);
        memcpy(addr.ip, &ip6->sin6_addr, 16);
    } else {
        return false;
    }
    *ret = addr;
    return true;
}

wr_err wr_os_lookup(struct wr_addr *ret, size_t *ret_count, size_t max, const char *name)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG };
    struct addrinfo *found = NULL;
    *ret_count = 0;
    switch (getaddrinfo(name, NULL, &hints, &found)) {
    case 0: break;
    case EAI_NONAME:
    case EAI_NODATA: return WR_NOTFOUND;
    case EAI_MEMORY: return WR_NOMEM;
    default: return WR_IO;
    }
    for (const struct addrinfo *one = found; one && *ret_count < max; one = one->ai_next)
        if (wr_os_address(&ret[*ret_count], one->ai_addr))
            ++*ret_count;
    freeaddrinfo(found);
    return *ret_count > 0 ? WR_OK : WR_NOTFOUND;
}

int wr_os_socket(int family, int type, int protocol, wr_err *ret_err)
{
    int fd = socket(family, type | SOCK_CLOEXEC, protocol);
    *ret_err = fd < 0 ? wr_err_errno(errno) : WR_OK;
    return fd;
}

wr_err wr_os_sockets_open(int *ret)
{
    *ret = epoll_create1(EPOLL_CLOEXEC);
    return *ret < 0 ? wr_err_errno(errno) : WR_OK;
}

wr_err wr_os_sockets_set(int set, int socket, unsigned events)
{
    struct epoll_event event = { .data.fd = socket };
    if (events & WR_READABLE)
        event.events |= EPOLLIN;
    if (events & WR_WRITABLE)
        event.events |= EPOLLOUT;
    if (!events)
        return epoll_ctl(set, EPOLL_CTL_DEL, socket, &event) == 0 || errno == ENOENT
            || errno == EBADF ? WR_OK : wr_err_errno(errno);
    if (epoll_ctl(set, EPOLL_CTL_MOD, socket, &event) == 0)
        return WR_OK;
    return epoll_ctl(set, EPOLL_CTL_ADD, socket, &event) == 0 ? WR_OK : wr_err_errno(errno);
}

size_t wr_os_sockets_take(int set, struct os_ready *ret, size_t max)
{
    struct epoll_event events[READY_MAX];
    int count = epoll_wait(set, events, (int)(max < READY_MAX ? max : READY_MAX), 0);
    for (int i = 0; i < count; i++)
        ret[i] = (struct os_ready){
            .socket = events[i].data.fd,
            .events = (events[i].events & EPOLLIN ? WR_READABLE : 0)
                | (events[i].events & EPOLLOUT ? WR_WRITABLE : 0),
            .failed = events[i].events & (EPOLLERR | EPOLLHUP),
        };
    return count > 0 ? (size_t)count : 0;
}
