/* os_curl.h - what the client asks of the system besides what libcurl asks itself:
 * names, sockets, and a set of sockets that is watched as one descriptor. */
#ifndef WR_NET_OS_CURL_H
#define WR_NET_OS_CURL_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/addr.h>
#include <weir/err.h>

/* The addresses of a name, at most `max`, without ports; blocks.
 * Errors: NOTFOUND, NOMEM, IO. */
wr_err wr_os_lookup(struct wr_addr *ret, size_t *ret_count, size_t max, const char *name);

/* An address as the system has it; false for what is neither IPv4 nor IPv6. */
bool wr_os_address(struct wr_addr *ret, const void *sockaddr);

/* A socket, closed when a program is executed.  -1: *ret_err tells. */
int wr_os_socket(int family, int type, int protocol, wr_err *ret_err);

/* A set of sockets as one descriptor, readable while one of them is ready.
 * Errors: NOFILE, NOMEM. */
wr_err wr_os_sockets_open(int *ret);

/* Watch a socket for these (WR_READABLE, WR_WRITABLE); none: no longer. */
wr_err wr_os_sockets_set(int set, int socket, unsigned events);

/* Those that are ready, at most `max`; how many. */
struct os_ready { int socket; unsigned events; bool failed; };
size_t wr_os_sockets_take(int set, struct os_ready *ret, size_t max);

#endif
