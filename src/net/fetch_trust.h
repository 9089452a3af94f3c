/* fetch_trust.h - the certificates that a client trusts, read once.
 *
 * libcurl would read them inside its first handshake, on a worker, for tens of
 * milliseconds.  So they are read in the offload pool when https is first asked for,
 * and libcurl is given what was read.
 */
#ifndef WR_NET_FETCH_TRUST_H
#define WR_NET_FETCH_TRUST_H

#include <weir/err.h>
#include <weir/time.h>

struct fetch_trust;

/* From this file; NULL: the system's.  Nothing is read yet.  Errors: NOMEM. */
wr_err fetch_trust_new(struct fetch_trust **ret, const char *file);

/* NULL is allowed. */
void fetch_trust_free(struct fetch_trust *trust);

/* Have them read, by whoever comes first.  On an error why says which file.
 * Errors: IO, TIMEOUT, CANCELED, BUSY, NOMEM. */
wr_err fetch_trust_ready(struct fetch_trust *trust, char *why, wr_time deadline);

/* Give them to an SSL_CTX. */
void fetch_trust_give(struct fetch_trust *trust, void *ssl_ctx);

#endif
