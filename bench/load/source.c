/* source.c - preloaded into wrk and h2load: each connection comes from an address of
 * its own in 127.0.0.0/8, so that what a server allows one address stays in force
 * while it is measured. */
#include <dlfcn.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "client.h"

int connect(int fd, const struct sockaddr *to, socklen_t len)
{
    static int (*next)(int, const struct sockaddr *, socklen_t);
    static _Atomic uint32_t count;
    if (!next)
        next = (int (*)(int, const struct sockaddr *, socklen_t))dlsym(RTLD_NEXT, "connect");
    if (to->sa_family == AF_INET) {
        uint32_t turn = atomic_fetch_add(&count, 1) % CLIENT_SOURCES;
        client_bind(fd, turn);
    }
    return next(fd, to, len);
}
