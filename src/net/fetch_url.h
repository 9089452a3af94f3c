/* fetch_url.h - where a request goes: an http or https URL in its parts.
 *
 * libcurl's parser reads it, so that what is judged here is what libcurl will connect
 * to: 0x7f000001, 017700000001 and 127.1 are 127.0.0.1 to both.
 */
#ifndef WR_NET_FETCH_URL_H
#define WR_NET_FETCH_URL_H

#include <stdbool.h>

#include <weir/addr.h>
#include <weir/err.h>

#define FETCH_URL_MAX 8192

struct fetch_url {
    char *text;             /* whole, without fragment and default port */
    char *host;             /* lower case, without brackets */
    const char *target;     /* path and query: the end of text */
    bool tls;
    uint16_t port;
    struct wr_addr ip;      /* when the host is an address, with the port */
};

/* Read one; with `base`, relative to that.  On an error *ret_why is a clause.
 * Errors: INVALID, NOMEM. */
wr_err fetch_url_parse(struct fetch_url *ret, const char *text, const struct fetch_url *base,
                       const char **ret_why);
void fetch_url_free(struct fetch_url *url);

/* "example.com:8080", as a Host field has it; its length, from where it begins. */
const char *fetch_url_authority(const struct fetch_url *url, size_t *ret_len);

/* Whether scheme, host and port are the same. */
bool fetch_url_same_origin(const struct fetch_url *a, const struct fetch_url *b);

#endif
