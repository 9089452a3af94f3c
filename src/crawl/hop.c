/* hop.c - see hop.h. */
#include "crawl/hop.h"

#include <stdio.h>
#include <string.h>

#define CROWD 2
#define LATER_MAX WR_S(600)         /* for what is further away nobody comes again */

enum domain_verdict hop_verdict(const struct visit *visit, wr_err err, bool whole_time)
{
    switch (err) {
    case WR_OK: break;
    case WR_TIMEOUT: return whole_time ? DOMAIN_BAD : DOMAIN_NOTHING;
    case WR_IO:
    case WR_BROKENPIPE:
    case WR_NOTFOUND: return DOMAIN_BAD;
    default: return DOMAIN_NOTHING;
    }
    if (challenge_is_block(visit->challenge))
        return DOMAIN_BLOCKED;
    if (visit->status == 429)
        return DOMAIN_BUSY;
    return visit->status >= 500 ? DOMAIN_BAD : DOMAIN_GOOD;
}

/* ---- one try ---- */

/* Only what a try returns decides whether there is another; what is told is in the hop. */
static wr_err refuse(struct hop *hop, wr_err err, enum crawl_outcome outcome)
{
    bool late = err == WR_TIMEOUT && outcome != CRAWL_HELD;     /* that is the caller's */
    hop->err = err;
    hop->outcome = err == WR_CANCELED ? CRAWL_CANCELED : late ? CRAWL_LATE : outcome;
    return WR_BUSY;                 /* which is not tried again */
}

/* Others are before us, for longer than we wait; or it wants us to wait. */
static wr_err put_off(struct hop *hop)
{
    hop->retry_in = domain_stat(hop->ground->domains, hop->domain).turn_in;
    hop->answered = false;
    snprintf(hop->why, sizeof(hop->why), "%.100s has no turn for it soon", hop->domain);
    return refuse(hop, WR_BUSY, CRAWL_LATER);
}

/* One is inside, one waits: who would stand behind them waits for both. */
static bool is_crowded(const struct hop *hop)
{
    return domain_stat(hop->ground->domains, hop->domain).users >= CROWD;
}

/* Whether it said that it was asked too often, and when it wants to be asked again: not so late
 * that this is its answer. */
static bool wants_time(const struct hop *hop, enum domain_verdict verdict)
{
    struct domain_stat stat = domain_stat(hop->ground->domains, hop->domain);
    return verdict == DOMAIN_BUSY && hop->patience && !stat.cooling
           && stat.turn_in <= LATER_MAX;
}

static enum crawl_outcome outcome_of_turn(wr_err err)
{
    return err == WR_OPENCIRCUIT ? CRAWL_COOLING : err == WR_BUSY ? CRAWL_SPENT
           : err == WR_DENIED    ? CRAWL_ROBOTS : CRAWL_FAILED;
}

/* Whether whoever asks for the page lets a request out, which it may count. */
static wr_err let_go(struct hop *hop, wr_time deadline)
{
    if (hop->gone || !hop->ask || !hop->ask->go)
        return WR_OK;
    wr_err err = hop->ask->go(hop->ask->go_arg, deadline);
    hop->gone = !err;
    if (err)
        snprintf(hop->why, sizeof(hop->why), "it was not asked for: %s", wr_err_text(err));
    return err;
}

static wr_err ask_for_it(struct hop *hop, enum domain_verdict *ret_verdict, wr_time deadline)
{
    struct hop_ground *ground = hop->ground;
    wr_err err = wr_sem_acquire(ground->requests, deadline);
    if (err) {
        snprintf(hop->why, sizeof(hop->why), "others were being fetched: %s", wr_err_text(err));
        return refuse(hop, err, CRAWL_FAILED);
    }
    visit_free(&hop->visit);
    wr_time limit = wr_after(ground->timeout);
    err = visit_run(&hop->visit, limit < deadline ? limit : deadline);
    wr_sem_release(ground->requests);
    hop->answered = !err;
    *ret_verdict = hop_verdict(&hop->visit, err, wr_now() >= limit);
    memcpy(hop->why, hop->visit.why, sizeof(hop->why));
    if (err == WR_DENIED || err == WR_UNSUPPORTED || err == WR_INVALID || err == WR_BUSY)
        return refuse(hop, err, CRAWL_REFUSED);
    hop->err = err;
    hop->outcome = err == WR_TIMEOUT ? CRAWL_LATE : err == WR_CANCELED ? CRAWL_CANCELED
                                                                       : CRAWL_FAILED;
    bool again = *ret_verdict == DOMAIN_BAD || *ret_verdict == DOMAIN_BUSY;
    return err ? err : again ? WR_SHED : WR_OK;
}

/* For who is inside; a turn is waited for until `turn_by`. */
static wr_err ask_in_turn(struct hop *hop, struct domain *domain,
                          enum domain_verdict *ret_verdict, wr_time turn_by, wr_time deadline)
{
    wr_err err = permit_check(&hop->ground->permit, domain, hop->url, hop->why, deadline);
    if (err == WR_INVALID)
        return refuse(hop, WR_DENIED, CRAWL_REFUSED);
    if (err)
        return refuse(hop, err, err == WR_IO ? CRAWL_ROBOTS_UNREACHABLE : outcome_of_turn(err));
    err = domain_turn(domain, hop->why, turn_by);
    if (err == WR_TIMEOUT && turn_by < deadline)
        return put_off(hop);
    if (err)
        return refuse(hop, err, outcome_of_turn(err));
    err = let_go(hop, deadline);
    if (err)
        return refuse(hop, err, CRAWL_HELD);
    err = ask_for_it(hop, ret_verdict, deadline);
    if (*ret_verdict == DOMAIN_BLOCKED)
        domain_wants(domain, hop->visit.challenge);
    return err;
}

/* As the innermost way of a retry. */
static wr_err try_hop(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct hop *hop = way->self;
    struct domain *domain;
    enum domain_verdict verdict = DOMAIN_NOTHING;
    wr_time patience = hop->patience && !hop->tried ? wr_after(hop->patience) : deadline;
    wr_time turn_by = patience < deadline ? patience : deadline;
    (void)ask;
    if (hop->patience && !hop->tried && is_crowded(hop))
        return put_off(hop);
    hop->tried = true;
    wr_err err = domain_enter(&domain, hop->ground->domains, hop->domain, hop->why, turn_by);
    bool later = (err == WR_TIMEOUT && turn_by < deadline)
                 || (err == WR_BUSY && hop->patience);      /* there is no room for another */
    if (later)
        return put_off(hop);
    if (err)
        return refuse(hop, err, CRAWL_FAILED);
    err = ask_in_turn(hop, domain, &verdict, turn_by, deadline);
    domain_leave(domain, verdict, verdict == DOMAIN_NOTHING ? 0 : hop->visit.retry_after);
    return wants_time(hop, verdict) ? put_off(hop) : err;
}

/* A last answer that is a refusal is still an answer. */
wr_err hop_run(struct hop *hop, wr_time deadline)
{
    struct wr_ask ask = { .safe = true };
    const struct wr_way *way = WR_RETRIED(hop->ground->retry, WR_WAY(try_hop, hop));
    wr_err err = wr_way_ask(way, &ask, deadline);
    wr_ask_done(&ask);
    if (err == WR_CANCELED) {       /* perhaps between two tries */
        hop->outcome = CRAWL_CANCELED;
        return err;
    }
    return hop->answered && hop->err != WR_CANCELED ? WR_OK : hop->err;
}
