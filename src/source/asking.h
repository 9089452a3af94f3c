/* asking.h - one question to one source, over the network.
 *
 *     struct asking peer = { .driver = &source_arxiv, .client = client, .limiter = limiter };
 *     struct source_reading reading = { .driver = peer.driver, .question = &question,
 *                                       .arena = &arena };
 *     err = asking_run(&peer, &reading, wr_after(WR_S(60)));
 *     if (!err) ...reading.records
 *     else      ...reading.why
 *
 * A question may take several requests (PubMed: a search, then what it found).  Each takes a
 * turn of the limiter.  One that is refused because we ask too often is sent once more, when
 * the limiter lets it; the limiter hears of it, and of how long the source wants to be left
 * alone.
 */
#ifndef WR_SOURCE_ASKING_H
#define WR_SOURCE_ASKING_H

#include <weir/fetch.h>
#include <weir/limiter.h>
#include <weir/secret.h>
#include <weir/sem.h>

#include "source/source.h"

#define ASKING_READ_HERE 65536      /* a longer answer is read away from the workers */

/* What it takes to ask a source.  Whoever made it owns what it points to. */
struct asking {
    const struct source_driver *driver;
    const char *base;               /* instead of the driver's; or NULL */
    const char *mailto;             /* whom to write to about us; or NULL */
    struct wr_secret *key;          /* or NULL */
    struct wr_fetch_client *client;
    struct wr_limiter *limiter;
    struct wr_gate *turn;           /* for who shares the limiter with others; or NULL */
    wr_time timeout;                /* of one request; 0: the driver's */
    bool (*unwanted)(const void *about);    /* looked at before each turn; or NULL */
    const void *about;
    uint32_t requests;              /* sent */
    wr_time took;                   /* ... and how long their answers took */
};

/* Ask, and read what comes.
 * Errors: those of source_read; TIMEOUT (no answer, or no turn, in time), CANCELED (the scope,
 * or unwanted), IO (no answer); NOTFOUND is only ever what the source said. */
wr_err asking_run(struct asking *asking, struct source_reading *reading, wr_time deadline);

/* Fetch what is behind the base as it is: a file, a record.  `path` begins with a slash and is
 * encoded.  *ret is set in any case, and given back with wr_fetch_reply_free.
 * Errors: those of wr_fetch; TIMEOUT (also: no turn in time), BUSY (refused twice). */
wr_err asking_fetch(struct asking *asking, const char *path, size_t body_max,
                    struct wr_fetch_reply *ret, wr_time deadline);

/* Wait for a turn, and take it.  Errors: TIMEOUT (there is none in time), CANCELED (the scope,
 * or unwanted). */
wr_err asking_turn(const struct asking *asking, wr_time deadline);

/* Run fn(arg), which reads an answer of so many bytes: a long one takes milliseconds, so it is
 * read away from the workers.  Errors: those of wr_offload; it has not run then. */
wr_err asking_read(void (*fn)(void *), void *arg, size_t len, wr_time deadline);

/* How long to wait, out of a header: seconds or a date; 0: it does not say. */
wr_time asking_retry_after(const char *value, struct wr_wall now);

#endif
