/* domain.c - see domain.h.
 *
 * The lock is for all that the table looks at when it makes room: what each domain owes and who
 * is in it.  Whoever is inside is alone there by the domain's gate.
 */
#include "crawl/domain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>
#include <weir/metric.h>
#include <weir/sem.h>
#include <weir/task.h>

#include "base/rand.h"
#include "base/scatter.h"
#include "base/world.h"

#define LOCK_RANK 410
#define BUSY_MAX 3                  /* refusals on end */
#define BAD_MAX 5                   /* failures on end */
#define DAY WR_S(24 * 3600)
#define AGAIN WR_S(1)               /* who is put off comes again after that, at the earliest */
#define HERD 8                      /* that come again for one turn */

static struct wr_metric waits = {
    .name = "crawl_turn_seconds", .help = "How long a turn of a domain was waited for.",
    .type = WR_HISTOGRAM, .digits = WR_NS_AS_S,
    .bounds = { WR_MS(1), WR_MS(100), WR_S(1), WR_S(3), WR_S(6), WR_S(10), WR_S(30), WR_S(60),
                WR_S(300) },
};

static struct wr_metric cooldowns = {
    .name = "crawl_cooldowns_total",
    .help = "Times that a domain began to be left alone.", .type = WR_COUNTER,
};

struct domain {
    struct domains *domains;
    char name[DOMAIN_NAME_MAX];
    uint64_t hash;
    struct wr_gate *gate;
    struct domain_robots robots[2];
    size_t robots_size;
    /* under the lock */
    uint32_t users;                 /* inside, or waiting to be */
    wr_time left;                   /* when the last one left */
    wr_time next;                   /* turn */
    uint32_t put_off;               /* who were, since the last turn was taken */
    wr_time cooled_at, cool_until;
    enum challenge wants;
    int64_t day;
    uint32_t today;
    uint32_t cooldowns, busy, bad;  /* on end */
};

struct domains {
    struct domain_conf conf;
    struct wr_mutex lock;
    struct wr_rand_shared rand;
    uint64_t seed[2];
    struct wr_histogram *waits;
    struct wr_counter *cooldowns;
    size_t robots_size;
    size_t count;
    struct domain *list[];
};

wr_err domains_new(struct domains **ret, const struct domain_conf *conf)
{
    uint32_t max = conf->domains_max ? conf->domains_max : 2048;
    struct domains *domains = calloc(1, sizeof(*domains) + max * sizeof(struct domain *));
    if (!domains)
        return WR_NOMEM;
    domains->conf = *conf;
    domains->conf.domains_max = max;
    if (!conf->jitter_max) {
        domains->conf.jitter_min = WR_MS(1500);
        domains->conf.jitter_max = WR_MS(5500);
    }
    if (!conf->daily)
        domains->conf.daily = 200;
    if (!conf->cooldown)
        domains->conf.cooldown = WR_S(3600);
    if (!conf->cooldown_max)
        domains->conf.cooldown_max = WR_S(4 * 3600);
    if (!conf->pause)
        domains->conf.pause = WR_S(30);
    if (!conf->robots_max)
        domains->conf.robots_max = (size_t)64 << 20;
    domains->lock = (struct wr_mutex)WR_MUTEX("crawl.domains", LOCK_RANK);
    wr_rand_share_from_world(&domains->rand);
    wr_world->entropy(domains->seed, sizeof(domains->seed));
    domains->waits = wr_metric_histogram(&waits);
    domains->cooldowns = wr_metric_counter(&cooldowns);
    *ret = domains;
    return WR_OK;
}

static void free_domain(struct domain *domain)
{
    robots_free(domain->robots[0].rules);
    robots_free(domain->robots[1].rules);
    if (domain->gate)
        wr_gate_free(domain->gate);
    free(domain);
}

void domains_free(struct domains *domains)
{
    if (!domains)
        return;
    for (size_t i = 0; i < domains->count; i++) {
        WR_ASSERT(domains->list[i]->users == 0);
        free_domain(domains->list[i]);
    }
    wr_mutex_fini(&domains->lock);
    free(domains);
}

/* ---- the table; with the lock ---- */

static struct domain *find(struct domains *domains, const char *name, uint64_t hash)
{
    for (size_t i = 0; i < domains->count; i++)
        if (domains->list[i]->hash == hash && strcmp(domains->list[i]->name, name) == 0)
            return domains->list[i];
    return NULL;
}

static uint32_t turns_today(const struct domain *domain)
{
    return domain->day == wr_wall().ns / DAY ? domain->today : 0;
}

/* Whether to forget it would harm nobody. */
static bool is_idle(const struct domain *domain, wr_time now)
{
    return domain->users == 0 && domain->next <= now && domain->cool_until <= now
           && turns_today(domain) < (domain->domains->conf.daily + 1) / 2;
}

/* Take the one out that was left longest ago. */
static struct domain *make_room(struct domains *domains)
{
    wr_time now = wr_now();
    size_t oldest = domains->count;
    for (size_t i = 0; i < domains->count; i++)
        if (is_idle(domains->list[i], now)
            && (oldest == domains->count
                || domains->list[i]->left < domains->list[oldest]->left))
            oldest = i;
    if (oldest == domains->count)
        return NULL;
    struct domain *gone = domains->list[oldest];
    domains->robots_size -= gone->robots_size;
    domains->list[oldest] = domains->list[--domains->count];
    return gone;
}

/* ---- going in ---- */

static wr_err make_domain(struct domain **ret, struct domains *domains, const char *name,
                          uint64_t hash)
{
    struct domain *domain = calloc(1, sizeof(*domain));
    if (!domain)
        return WR_NOMEM;
    domain->domains = domains;
    domain->hash = hash;
    snprintf(domain->name, sizeof(domain->name), "%s", name);
    wr_err err = wr_gate_new(&domain->gate, "crawl.domain");
    if (err)
        free_domain(domain);
    else
        *ret = domain;
    return err;
}

/* The domain of this name, held once more; `fresh` is used if there is none. */
static struct domain *hold(struct domains *domains, struct domain *fresh,
                           struct domain **ret_gone)
{
    struct domain *domain = find(domains, fresh->name, fresh->hash);
    if (domain) {
        *ret_gone = fresh;
    } else {
        *ret_gone = domains->count == domains->conf.domains_max ? make_room(domains) : NULL;
        if (domains->count == domains->conf.domains_max) {
            *ret_gone = fresh;
            return NULL;
        }
        domain = domains->list[domains->count++] = fresh;
    }
    domain->users++;
    return domain;
}

static wr_err find_or_make(struct domain **ret, struct domains *domains, const char *name,
                           char *why)
{
    uint64_t hash = wr_scatter(domains->seed, name, strlen(name));
    struct domain *fresh, *gone;
    wr_mutex_lock(&domains->lock);
    *ret = find(domains, name, hash);
    if (*ret)
        (*ret)->users++;
    wr_mutex_unlock(&domains->lock);
    if (*ret)
        return WR_OK;
    wr_err err = make_domain(&fresh, domains, name, hash);
    if (err) {
        snprintf(why, DOMAIN_WHY, "there is no memory for another domain");
        return err;
    }
    wr_mutex_lock(&domains->lock);
    *ret = hold(domains, fresh, &gone);
    wr_mutex_unlock(&domains->lock);
    if (gone)
        free_domain(gone);
    if (*ret)
        return WR_OK;
    snprintf(why, DOMAIN_WHY, "%u domains are being visited or left alone for now, which is "
             "the most there may be; try again later", domains->conf.domains_max);
    return WR_BUSY;
}

static void let_go(struct domain *domain)
{
    struct domains *domains = domain->domains;
    wr_mutex_lock(&domains->lock);
    domain->users--;
    domain->left = wr_now();
    wr_mutex_unlock(&domains->lock);
}

wr_err domain_enter(struct domain **ret, struct domains *domains, const char *name,
                    char why[DOMAIN_WHY], wr_time deadline)
{
    struct domain *domain;
    WR_ASSERT(strlen(name) < DOMAIN_NAME_MAX);
    wr_err err = find_or_make(&domain, domains, name, why);
    if (err)
        return err;
    err = wr_gate_enter(domain->gate, deadline);
    if (err) {
        snprintf(why, DOMAIN_WHY, "others were waiting for %.150s before: %s", name,
                 wr_err_text(err));
        let_go(domain);
        return err;
    }
    *ret = domain;
    return WR_OK;
}

/* ---- turns ---- */

/* With the lock. */
static wr_err judge(const struct domain *domain, wr_time now, char *why)
{
    const struct domain_conf *conf = &domain->domains->conf;
    if (domain->cool_until > now) {
        snprintf(why, DOMAIN_WHY, "%.100s is left alone for another %lld s, as it refused or "
                 "failed too often", domain->name,
                 (long long)((domain->cool_until - now + WR_S(1) - 1) / WR_S(1)));
        return WR_OPENCIRCUIT;
    }
    if (turns_today(domain) >= conf->daily) {
        snprintf(why, DOMAIN_WHY, "%.100s was asked %u times today, which is the most it may "
                 "be; the next day begins at 0:00 UTC", domain->name, conf->daily);
        return WR_BUSY;
    }
    return WR_OK;
}

static void count_turn(struct domain *domain)
{
    int64_t day = wr_wall().ns / DAY;
    if (domain->day != day)
        domain->today = 0;
    domain->day = day;
    domain->today++;
}

static wr_time span_of(const struct domain *domain)
{
    struct domains *domains = domain->domains;
    const struct domain_conf *conf = &domains->conf;
    wr_time span = conf->interval
        ? conf->interval + wr_rand_draw(&domains->rand, conf->jitter_min, conf->jitter_max) : 0;
    for (int i = 0; i < 2; i++) {
        const struct robots *rules = domain->robots[i].rules;
        if (conf->interval && rules && robots_delay(rules) > span)
            span = robots_delay(rules);
    }
    return span;
}

wr_err domain_turn(struct domain *domain, char why[DOMAIN_WHY], wr_time deadline)
{
    struct domains *domains = domain->domains;
    wr_time begun = wr_now();
    wr_mutex_lock(&domains->lock);
    wr_err err = judge(domain, begun, why);
    wr_time turn = domain->next;
    wr_mutex_unlock(&domains->lock);
    if (!err && turn > begun && turn > deadline) {
        snprintf(why, DOMAIN_WHY, "the next turn of %.100s is in %lld ms, after the deadline",
                 domain->name, (long long)((turn - begun) / WR_MS(1)));
        return WR_TIMEOUT;
    }
    if (!err && turn > begun && (err = wr_sleep(turn)))
        snprintf(why, DOMAIN_WHY, "no turn of %.100s came: %s", domain->name, wr_err_text(err));
    if (err)
        return err;
    wr_time now = wr_now();
    wr_mutex_lock(&domains->lock);
    err = judge(domain, now, why);      /* it may be another day */
    if (!err) {
        count_turn(domain);
        domain->put_off = 0;
        domain->next = now + span_of(domain);
    }
    wr_mutex_unlock(&domains->lock);
    if (!err)
        wr_histogram_observe(domains->waits, now - begun);
    return err;
}

wr_time domain_put_off(struct domains *domains, const char *name)
{
    wr_time now = wr_now(), due = now + AGAIN;
    wr_mutex_lock(&domains->lock);
    struct domain *domain = find(domains, name,
                                 wr_scatter(domains->seed, name, strlen(name)));
    if (domain) {
        due = due > domain->next ? due : domain->next;
        wr_time span = span_of(domain);
        due += domain->put_off++ / HERD * (span > AGAIN ? span : AGAIN);
    }
    wr_mutex_unlock(&domains->lock);
    return due - now;
}

wr_err domain_extra(struct domain *domain, char why[DOMAIN_WHY])
{
    struct domains *domains = domain->domains;
    wr_mutex_lock(&domains->lock);
    wr_err err = judge(domain, wr_now(), why);
    if (!err)
        count_turn(domain);
    wr_mutex_unlock(&domains->lock);
    return err;
}

/* ---- going out; with the lock ---- */

static void cool(struct domain *domain, wr_time now, wr_time retry_after)
{
    const struct domain_conf *conf = &domain->domains->conf;
    wr_time span = conf->cooldown;
    for (uint32_t i = 0; i < domain->cooldowns && span < conf->cooldown_max; i++)
        span *= 2;
    if (span < retry_after)
        span = retry_after;
    if (span > conf->cooldown_max)
        span = conf->cooldown_max;
    domain->cooled_at = now;
    domain->cool_until = now + span;
    domain->cooldowns++;
    domain->busy = domain->bad = 0;
    wr_counter_add(domain->domains->cooldowns, 1);
}

static void settle(struct domain *domain, enum domain_verdict verdict, wr_time retry_after)
{
    const struct domain_conf *conf = &domain->domains->conf;
    wr_time now = wr_now();
    if (retry_after > conf->cooldown_max)
        retry_after = conf->cooldown_max;
    wr_time pause = verdict == DOMAIN_BUSY && !retry_after ? conf->pause : retry_after;
    if (domain->next < now + pause)
        domain->next = now + pause;
    if (verdict == DOMAIN_GOOD)
        domain->busy = domain->bad = domain->cooldowns = domain->wants = 0;
    domain->busy += verdict == DOMAIN_BUSY;
    domain->bad += verdict == DOMAIN_BAD;
    /* After a time alone it has one try. */
    bool probe = domain->cooldowns > 0 && (domain->busy || domain->bad);
    if (verdict == DOMAIN_BLOCKED || probe || domain->busy >= BUSY_MAX
        || domain->bad >= BAD_MAX)
        cool(domain, now, retry_after);
}

void domain_wants(struct domain *domain, enum challenge challenge)
{
    wr_mutex_lock(&domain->domains->lock);
    domain->wants = challenge;
    wr_mutex_unlock(&domain->domains->lock);
}

void domain_leave(struct domain *domain, enum domain_verdict verdict, wr_time retry_after)
{
    struct domains *domains = domain->domains;
    wr_mutex_lock(&domains->lock);
    settle(domain, verdict, retry_after);
    wr_mutex_unlock(&domains->lock);
    wr_gate_leave(domain->gate);
    let_go(domain);
}

/* ---- robots ---- */

const struct domain_robots *domain_robots(const struct domain *domain, bool tls)
{
    return &domain->robots[tls];
}

/* Rules of another that nobody is in, to be freed by the caller; they are read again when they
 * are needed. */
static struct domain_robots forget_rules(struct domains *domains, const struct domain *but)
{
    struct domain *oldest = NULL;
    for (size_t i = 0; i < domains->count; i++) {
        struct domain *one = domains->list[i];
        if (one != but && one->users == 0 && one->robots_size > 0
            && (!oldest || one->left < oldest->left))
            oldest = one;
    }
    if (!oldest)
        return (struct domain_robots){ 0 };
    int which = oldest->robots[0].rules ? 0 : 1;
    struct domain_robots gone = oldest->robots[which];
    oldest->robots[which] = (struct domain_robots){ 0 };
    size_t size = robots_size(gone.rules);
    oldest->robots_size -= size;
    domains->robots_size -= size;
    return gone;
}

void domain_put_robots(struct domain *domain, bool tls, const struct domain_robots *robots)
{
    struct domains *domains = domain->domains;
    struct domain_robots *place = &domain->robots[tls], gone = { 0 };
    size_t size = robots->rules ? robots_size(robots->rules) : 0;
    wr_mutex_lock(&domains->lock);
    if (robots->rules) {
        size_t before = place->rules ? robots_size(place->rules) : 0;
        gone = *place;
        *place = *robots;
        domain->robots_size += size - before;
        domains->robots_size += size - before;
    } else {
        place->until = robots->until;
        place->unreachable = robots->unreachable && !place->rules;
        place->status = robots->status;
        place->err = robots->err;
    }
    bool full = domains->robots_size > domains->conf.robots_max;
    wr_mutex_unlock(&domains->lock);
    robots_free(gone.rules);
    while (full) {
        wr_mutex_lock(&domains->lock);
        gone = forget_rules(domains, domain);
        full = gone.rules && domains->robots_size > domains->conf.robots_max;
        wr_mutex_unlock(&domains->lock);
        robots_free(gone.rules);
    }
}

/* ---- from outside ---- */

const char *domain_name(const struct domain *domain)
{
    return domain->name;
}

struct domain_stat domain_stat(struct domains *domains, const char *name)
{
    struct domain_stat stat = { 0 };
    wr_time now = wr_now();
    wr_mutex_lock(&domains->lock);
    const struct domain *domain = find(domains, name,
                                       wr_scatter(domains->seed, name, strlen(name)));
    if (domain) {
        stat.cooling = domain->cool_until > now ? domain->cool_until - now : 0;
        stat.cooled = stat.cooling ? now - domain->cooled_at : 0;
        stat.wants = stat.cooling ? domain->wants : CHALLENGE_NONE;
        stat.turn_in = domain->next > now ? domain->next - now : 0;
        stat.today = turns_today(domain);
        stat.users = domain->users;
        if (stat.turn_in < stat.cooling)
            stat.turn_in = stat.cooling;
    }
    wr_mutex_unlock(&domains->lock);
    return stat;
}

void domain_release(struct domains *domains, const char *name)
{
    wr_mutex_lock(&domains->lock);
    struct domain *domain = find(domains, name,
                                 wr_scatter(domains->seed, name, strlen(name)));
    if (domain) {
        domain->cool_until = 0;
        domain->busy = domain->bad = domain->cooldowns = domain->wants = 0;
    }
    wr_mutex_unlock(&domains->lock);
}

size_t domains_count(struct domains *domains)
{
    wr_mutex_lock(&domains->lock);
    size_t count = domains->count;
    wr_mutex_unlock(&domains->lock);
    return count;
}
