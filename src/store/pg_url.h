/* pg_url.h - a url as the words that libpq connects by.
 *
 * What the url does not say is ours: limits on the server's side, a look at the other end now
 * and then, a server that can be written to.  Our options stand before its own, and the last
 * one counts.
 */
#ifndef WR_STORE_PG_URL_H
#define WR_STORE_PG_URL_H

#include "store/pg_conn.h"

#define PG_URL_WORDS_MAX 64
#define PG_URL_OPTIONS_MAX 1024

struct pg_url {
    const char *words[PG_URL_WORDS_MAX], *values[PG_URL_WORDS_MAX];     /* end with a NULL */
    size_t count;
    char options[PG_URL_OPTIONS_MAX];
    struct _PQconninfoOption *parsed;
};

/* *self is zeroed before; it is freed also after an error.  Errors: INVALID, with a sentence
 * that has no password in it. */
wr_err pg_url_read(struct pg_url *self, const char *url, const struct pg_limits *limits,
                   struct store_why *why);
void pg_url_free(struct pg_url *self);

#endif
