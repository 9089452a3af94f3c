/* addr.h - where a peer is: an IP address and port, or a Unix socket.
 *
 *     127.0.0.1:8080   [::1]:8080   unix:/run/weir.sock
 *
 * Addresses are values: copied, compared, printed.  Names are not addresses;
 * they are resolved first.
 */
#ifndef WEIR_ADDR_H
#define WEIR_ADDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

enum wr_addr_kind { WR_ADDR_NONE = 0, WR_ADDR_IP4, WR_ADDR_IP6, WR_ADDR_UNIX };

struct wr_addr {
    enum wr_addr_kind kind;
    uint16_t port;
    unsigned char ip[16];       /* IP4 uses the first four; network order */
    char path[108];             /* UNIX */
};

#define WR_ADDR_TEXT_MAX 128

/* Read one.  IP needs a port; 0 lets the system choose one to listen on.
 * Errors: INVALID (a name, no port, a port above 65535, a path that is too long). */
wr_err wr_addr_parse(struct wr_addr *ret, const char *text);

/* The same for an IP address without a port. */
wr_err wr_addr_parse_ip(struct wr_addr *ret, const char *text, uint16_t port);

/* Write it the way it is read; buf has WR_ADDR_TEXT_MAX bytes.  Returns buf. */
const char *wr_addr_print(const struct wr_addr *addr, char *buf);

/* Whether both are the same place, ports included. */
bool wr_addr_equal(const struct wr_addr *a, const struct wr_addr *b);

/* Whether it can only be this machine: 127.0.0.0/8, ::1, a Unix socket. */
bool wr_addr_loopback(const struct wr_addr *addr);

/* Whether a client that follows addresses given by strangers must not go there:
 * loopback, private, link-local, shared, multicast, documentation, reserved; and
 * IPv6 addresses that carry such an IPv4 one (mapped, NAT64, 6to4, Teredo). */
bool wr_addr_internal(const struct wr_addr *addr);

#endif
