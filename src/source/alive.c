/* alive.c - the pages themselves: whether what a reference points to is there.
 *
 * A page is there if it answers with 2xx or 3xx, or wants to know who asks (401, 403).  It is
 * asked without its body, and once more in the usual way if it does not like that.  Lines that
 * were broken lose or change underscores, so an address with some is also tried with hyphens in
 * their place, and without them.
 *
 * Every request takes a turn, so no host is asked more often than the row says, whoever cites
 * it.  Somebody else chose the address: the client must be one that refuses what only this
 * machine or its network may reach.
 */
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include <weir/panic.h>

#include "biblio/judge.h"
#include "source/asking.h"
#include "source/reading.h"

#define ALIVE_WITHIN WR_S(20)       /* for all spellings of an address, from its first turn */

enum spelling { AS_WRITTEN, HYPHENS, WITHOUT, SPELLINGS };

/* Who shows a stranger the same page whatever he asks for.  Catalogues know what is there. */
static const char *const publishers[] = {
    "doi.org", "arxiv.org", "acm.org", "ieee.org", "usenix.org", "semanticscholar.org",
    "dblp.org", "aclanthology.org", "openreview.net", "neurips.cc", "proceedings.mlr.press",
    "sciencedirect.com", "springer.com", "wiley.com", "jstor.org", "researchgate.net",
};

static bool is_publisher(const char *url)
{
    const char *host = strstr(url, "://");
    host = host ? host + 3 : url;
    size_t len = strcspn(host, "/?#:");
    for (size_t i = 0; i < sizeof(publishers) / sizeof(publishers[0]); i++) {
        size_t size = strlen(publishers[i]);
        if (len >= size && strncasecmp(host + len - size, publishers[i], size) == 0
            && (len == size || host[len - size - 1] == '.'))
            return true;
    }
    return false;
}

static const char *spell(const char *url, enum spelling spelling, struct wr_arena *arena)
{
    if (spelling == AS_WRITTEN)
        return url;
    if (!strchr(url, '_'))
        return NULL;
    char *copy = wr_arena_str(arena, url), *to = copy;
    if (!copy)
        return NULL;
    for (const char *from = copy; *from; from++)
        if (*from != '_')
            *to++ = *from;
        else if (spelling == HYPHENS)
            *to++ = '-';
    *to = '\0';
    return copy;
}

struct look {
    struct asking *asking;
    struct source_reading *reading;
    wr_time until;                  /* 0: the first turn has not come yet */
};

static wr_err status_of(struct look *look, const char *url, const char *method, unsigned *ret,
                        wr_time deadline)
{
    struct asking *asking = look->asking;
    struct wr_fetch *fetch = NULL;
    struct wr_fetch_reply head;
    wr_err err = asking_turn(asking, look->until ? look->until : deadline);
    if (err)
        return err;
    wr_time begun = wr_now();
    if (!look->until)
        look->until = begun + ALIVE_WITHIN < deadline ? begun + ALIVE_WITHIN : deadline;
    wr_time timeout = begun + (asking->timeout ? asking->timeout : asking->driver->timeout);
    asking->requests++;
    err = wr_fetch_open(&fetch, asking->client, &(struct wr_fetch_request){
        .url = url, .method = method }, &head, timeout < look->until ? timeout : look->until);
    asking->took += wr_now() - begun;
    *ret = head.status;
    if (err)
        (void)!reading_fail(look->reading, err, "%s", head.why);
    else
        wr_fetch_close(fetch);
    wr_fetch_reply_free(&head);
    return err;
}

static bool is_there(unsigned status)
{
    return (status >= 200 && status < 400) || status == 401 || status == 403;
}

/* OK: there.  NOTFOUND: it is not, as it says itself, or for want of a public address.  Any
 * other: nobody knows. */
static wr_err look_at(struct look *look, const char *url, wr_time deadline)
{
    unsigned status;
    wr_err err = status_of(look, url, "HEAD", &status, deadline);
    if (!err && is_there(status))
        return WR_OK;
    if (!err || err == WR_IO || err == WR_TIMEOUT)
        err = status_of(look, url, "GET", &status, deadline);
    if (err == WR_DENIED || err == WR_INVALID)
        return WR_NOTFOUND;
    if (err)
        return err;
    if (is_there(status))
        return WR_OK;
    return status == 404 || status == 410
        ? WR_NOTFOUND
        : reading_fail(look->reading, WR_IO, "answered with HTTP %u", status);
}

static wr_err ask(struct asking *asking, struct source_reading *reading, wr_time deadline)
{
    struct look look = { .asking = asking, .reading = reading };
    wr_err worst = WR_NOTFOUND;
    WR_ASSERT(reading->question->text);
    if (is_publisher(reading->question->text))
        return WR_NOTFOUND;
    for (enum spelling spelling = AS_WRITTEN; spelling < SPELLINGS; spelling++) {
        const char *url = spell(reading->question->text, spelling, reading->arena);
        if (!url)
            continue;
        wr_err err = look_at(&look, url, deadline);
        if (!err)
            return reading_page(reading, url, url);
        if (err == WR_CANCELED)
            return err;
        if (worst == WR_NOTFOUND)
            worst = err;
    }
    return reading->arena->full ? WR_NOMEM : worst;
}

const struct source_driver source_alive = {
    .name = "URL Check",
    SOURCE_SLUG("url_check"),
    .asks = SOURCE_URL,
    .keyless = SOURCE_URL,
    .interval = WR_S(1) / 2,
    .timeout = WR_S(5),
    .has = bib_work_is_page,
    .ask = ask,
};
