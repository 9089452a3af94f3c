/* domain.h - when a site may be asked: turns, a budget for the day, and when to leave it alone.
 *
 *     err = domains_new(&domains, &(struct domain_conf){ .interval = WR_S(5) });
 *     ...
 *     err = domain_enter(&domain, domains, "example.org", why, deadline);
 *     if (!err) {
 *         err = domain_turn(domain, why, deadline);
 *         if (!err)
 *             ...ask, once; then verdict is what came of it
 *         domain_leave(domain, verdict, retry_after);
 *     }
 *
 * One visitor at a time is inside a domain; the others wait in the order in which they came.
 * From one turn to the next pass `interval` and something between jitter_min and jitter_max,
 * or what robots.txt wants if that is more; an interval of zero is no limit at all.  A turn
 * that would come after the deadline is not waited for.  Each turn is one of the day's
 * (`daily`, by the calendar of UTC).
 *
 * A site that takes us for a robot, says three times on end that we ask too often, or fails
 * five times on end is left alone for `cooldown`; twice that if it then does so at once again,
 * up to cooldown_max.  What comes in that time is refused.  The first good answer ends it all.
 *
 * The table is bounded.  The domain that was left longest ago makes room, but never one that
 * somebody is in, whose next turn is still to come, that is left alone, or that has had half
 * of its day's turns: with nothing but such there is no room, which is said.
 *
 * All of it is for any fiber on any worker; what is inside a domain belongs to who is in it.
 */
#ifndef WR_CRAWL_DOMAIN_H
#define WR_CRAWL_DOMAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/time.h>

#include "crawl/challenge.h"
#include "crawl/robots.h"

#define DOMAIN_NAME_MAX 264         /* a host, a port, a zero byte */
#define DOMAIN_WHY 200

struct domains;
struct domain;

/* Zero is the default of everything but the interval. */
struct domain_conf {
    wr_time interval;               /* 0: no limit */
    wr_time jitter_min, jitter_max; /* 0 and 0: 1.5 to 5.5 s; ignored without an interval */
    uint32_t daily;                 /* 200 */
    wr_time cooldown;               /* 1 h */
    wr_time cooldown_max;           /* 4 h */
    wr_time pause;                  /* after a refusal that does not say how long; 30 s */
    uint32_t domains_max;           /* 2048 */
    size_t robots_max;              /* bytes of rules of all of them; 64 MiB */
};

enum domain_verdict {
    DOMAIN_NOTHING,                 /* it was not asked, or not because of it */
    DOMAIN_GOOD,                    /* it answered */
    DOMAIN_BAD,                     /* it did not, or with a fault of its own */
    DOMAIN_BUSY,                    /* it says that we ask too often */
    DOMAIN_BLOCKED,                 /* it takes us for a robot that it does not want */
};

struct domain_stat {
    wr_time turn_in;                /* until a turn could come; 0: now */
    wr_time cooling;                /* for how much longer it is left alone; 0: it is not */
    wr_time cooled;                 /* how long ago that began */
    enum challenge wants;           /* what a person would have to do before that ends */
    uint32_t today;                 /* turns */
    uint32_t users;                 /* inside, or waiting to be */
};

/* Errors: NOMEM. */
wr_err domains_new(struct domains **ret, const struct domain_conf *conf);

/* Nobody may be in a domain, or wait for one.  NULL is allowed. */
void domains_free(struct domains *domains);

/* Go into a domain: a host in lower case, with a port if it is unusual.  After an error `why`
 * is a sentence.
 * Errors: TIMEOUT, CANCELED; BUSY (there is no room in the table), NOMEM. */
wr_err domain_enter(struct domain **ret, struct domains *domains, const char *name,
                    char why[DOMAIN_WHY], wr_time deadline);

/* Wait for a turn, and take it.  After an error `why` is a sentence.
 * Errors: OPENCIRCUIT (it is left alone), BUSY (the day's turns are taken), TIMEOUT (the next
 * turn is too late), CANCELED. */
wr_err domain_turn(struct domain *domain, char why[DOMAIN_WHY], wr_time deadline);

/* Nobody waits here for the turn that could come: how long to stay away instead.  A few are
 * told the next turn, a few more the one after it, and so on: so there is always somebody for
 * one, and never all at once.  It is forgotten with the next turn: those who do not come, as
 * nobody wants that page any more, keep nobody away. */
wr_time domain_put_off(struct domains *domains, const char *name);

/* Take one of the day's turns at once, for what goes with a turn: robots.txt, a script of a
 * page.  Errors as above, but for TIMEOUT and CANCELED. */
wr_err domain_extra(struct domain *domain, char why[DOMAIN_WHY]);

/* What it wants of a person before it lets anybody in: for who is inside, and finds it BLOCKED.
 * That is known until it answers well. */
void domain_wants(struct domain *domain, enum challenge challenge);

/* Go out, with what came of it; it wants to be left alone for so long (0: it did not say). */
void domain_leave(struct domain *domain, enum domain_verdict verdict, wr_time retry_after);

/* What robots.txt says, for who is inside.  There is one for each scheme. */
struct domain_robots {
    struct robots *rules;           /* NULL: none were ever read */
    wr_time until;                  /* then it is to be read again; 0: at once */
    bool unreachable;               /* it could not be read, and there is no older one: */
    unsigned status;                /* ... as it was answered with this, or, if it is 0, */
    wr_err err;                     /* ... as there was no answer */
};
const struct domain_robots *domain_robots(const struct domain *domain, bool tls);

/* Put in what was read; the rules belong to the domain from then on.  Without new rules those
 * that it has stay. */
void domain_put_robots(struct domain *domain, bool tls, const struct domain_robots *robots);

const char *domain_name(const struct domain *domain);

/* How a domain stands, whoever is in it; one that is not in the table is new. */
struct domain_stat domain_stat(struct domains *domains, const char *name);

/* It need not be left alone any more: somebody has solved what it asked. */
void domain_release(struct domains *domains, const char *name);

/* Domains in the table. */
size_t domains_count(struct domains *domains);

#endif
