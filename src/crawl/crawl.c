/* crawl.c - see crawl.h. */
#include "crawl/crawl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/metric.h>
#include <weir/retry.h>
#include <weir/sem.h>

#include "base/version.h"
#include "crawl/permit.h"
#include "crawl/visit.h"
#include "net/fetch_url.h"

#define AGENT_MAX 200
#define RATIO_MAX 50                /* pages say the same thing often, and pack well */
#define PAUSE WR_S(2)
#define LOAD_MAX (4u << 20)         /* bytes of a script, or of what it reads */
#define LOAD_REDIRECTS_MAX 3
#define PAUSE_CAP WR_S(120)

static const char *const outcome_names[CRAWL_OUTCOMES] = {
    [CRAWL_FETCHED] = "fetched", [CRAWL_UNCHANGED] = "unchanged",
    [CRAWL_REMEMBERED] = "remembered", [CRAWL_CHALLENGED] = "challenged",
    [CRAWL_STATUS] = "status", [CRAWL_INVALID] = "invalid", [CRAWL_LISTED] = "listed",
    [CRAWL_ROBOTS] = "robots", [CRAWL_COOLING] = "cooling", [CRAWL_SPENT] = "spent",
    [CRAWL_REFUSED] = "refused", [CRAWL_LATE] = "late", [CRAWL_CANCELED] = "canceled",
    [CRAWL_FAILED] = "failed",
};

static struct wr_metric fetches = {
    .name = "crawl_fetches_total", .help = "What fetching a page came to.",
    .type = WR_COUNTER, .labels = { "outcome" }, .series_max = CRAWL_OUTCOMES + 1,
};

static struct wr_metric renders = {
    .name = "crawl_renders_total", .help = "What rendering a page came to.",
    .type = WR_COUNTER, .labels = { "outcome" }, .series_max = 4,
};

static struct wr_metric memory_failures = {
    .name = "crawl_memory_failures_total",
    .help = "Pages that could not be kept, or not be recalled, though nothing says that they "
            "are not there.",
    .type = WR_COUNTER,
};

struct crawl {
    struct crawl_conf conf;
    char agent[AGENT_MAX];
    struct wr_fetch_client *client;
    struct domains *domains;
    struct permit permit;
    struct wr_sem *requests;
    struct wr_retry *retry;
    struct browser *browser;        /* NULL: there is none */
    struct wr_counter *counted[CRAWL_OUTCOMES], *forgotten;
};

/* One URL on the way to a page. */
struct hop {
    struct crawl *crawl;
    const struct fetch_url *url;
    char domain[DOMAIN_NAME_MAX];
    struct visit visit;
    bool answered;                  /* the last time that it was asked */
    wr_err err;                     /* of the last try, and what it was */
    enum crawl_outcome outcome;
    char why[VISIT_WHY];
};

/* ---- one try ---- */

static wr_err refuse(struct hop *hop, wr_err err, enum crawl_outcome outcome)
{
    hop->err = err;
    hop->outcome = err == WR_CANCELED ? CRAWL_CANCELED : err == WR_TIMEOUT ? CRAWL_LATE
                                                                           : outcome;
    return WR_BUSY;                 /* which is not tried again */
}

static enum crawl_outcome outcome_of_turn(wr_err err)
{
    return err == WR_OPENCIRCUIT ? CRAWL_COOLING : err == WR_BUSY ? CRAWL_SPENT : CRAWL_FAILED;
}

static enum domain_verdict verdict_of(const struct visit *visit, wr_err err, bool whole_time)
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

static wr_err ask_for_it(struct hop *hop, enum domain_verdict *ret_verdict, wr_time deadline)
{
    struct crawl *crawl = hop->crawl;
    wr_err err = wr_sem_acquire(crawl->requests, deadline);
    if (err) {
        snprintf(hop->why, sizeof(hop->why), "others were being fetched: %s", wr_err_text(err));
        return refuse(hop, err, CRAWL_FAILED);
    }
    visit_free(&hop->visit);
    wr_time limit = wr_after(crawl->conf.timeout);
    err = visit_run(&hop->visit, limit < deadline ? limit : deadline);
    wr_sem_release(crawl->requests);
    hop->answered = !err;
    *ret_verdict = verdict_of(&hop->visit, err, wr_now() >= limit);
    memcpy(hop->why, hop->visit.why, sizeof(hop->why));
    if (err == WR_DENIED || err == WR_UNSUPPORTED || err == WR_INVALID || err == WR_BUSY)
        return refuse(hop, err, CRAWL_REFUSED);
    hop->err = err;
    hop->outcome = err == WR_TIMEOUT ? CRAWL_LATE : err == WR_CANCELED ? CRAWL_CANCELED
                                                                       : CRAWL_FAILED;
    bool again = *ret_verdict == DOMAIN_BAD || *ret_verdict == DOMAIN_BUSY;
    return err ? err : again ? WR_SHED : WR_OK;
}

/* As the innermost way of a retry.  Only what it returns decides whether there is another
 * try; what is told is in the hop. */
static wr_err try_hop(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct hop *hop = way->self;
    struct crawl *crawl = hop->crawl;
    struct domain *domain;
    enum domain_verdict verdict = DOMAIN_NOTHING;
    (void)ask;
    wr_err err = domain_enter(&domain, crawl->domains, hop->domain, hop->why, deadline);
    if (err)
        return refuse(hop, err, CRAWL_FAILED);
    err = permit_check(&crawl->permit, domain, hop->url, hop->why, deadline);
    if (err == WR_INVALID) {
        err = refuse(hop, WR_DENIED, CRAWL_REFUSED);
    } else if (err) {
        err = refuse(hop, err, err == WR_DENIED || err == WR_IO ? CRAWL_ROBOTS
                                                                : outcome_of_turn(err));
    } else if ((err = domain_turn(domain, hop->why, deadline))) {
        err = refuse(hop, err, outcome_of_turn(err));
    } else {
        err = ask_for_it(hop, &verdict, deadline);
    }
    domain_leave(domain, verdict, verdict == DOMAIN_NOTHING ? 0 : hop->visit.retry_after);
    return err;
}

/* Ask for it, as often as it takes.  A last answer that is a refusal is still an answer. */
static wr_err run_hop(struct hop *hop, wr_time deadline)
{
    struct wr_ask ask = { .safe = true };
    const struct wr_way *way = WR_RETRIED(hop->crawl->retry, WR_WAY(try_hop, hop));
    wr_err err = wr_way_ask(way, &ask, deadline);
    wr_ask_done(&ask);
    if (err == WR_CANCELED) {       /* perhaps between two tries */
        hop->outcome = CRAWL_CANCELED;
        return err;
    }
    return hop->answered && hop->err != WR_CANCELED ? WR_OK : hop->err;
}

/* ---- the way to a page ---- */

/* What is known, on the way. */
struct path {
    struct crawl *crawl;
    const struct crawl_ask *ask;
    struct fetch_url url;           /* where we are */
    char first[DOMAIN_NAME_MAX];    /* the domain that was asked for */
    struct crawl_page memo;         /* what is kept; without bytes: nothing is */
    struct crawl_page *page;
};

static wr_err fail(struct path *path, wr_err err, enum crawl_outcome outcome, const char *url,
                   const char *why)
{
    path->page->outcome = outcome;
    snprintf(path->page->why, sizeof(path->page->why), "%.120s%s: %s", url,
             strlen(url) > 120 ? "..." : "", *why ? why : wr_err_text(err));
    return err;
}

/* A host, with its port if it is an unusual one. */
static void name_domain(char name[DOMAIN_NAME_MAX], const struct fetch_url *url)
{
    size_t len, host = strlen(url->host);
    const char *authority = fetch_url_authority(url, &len);
    if (host > 1 && url->host[host - 1] == '.')     /* example.org. is example.org */
        snprintf(name, DOMAIN_NAME_MAX, "%.*s%.*s", (int)host - 1, authority,
                 (int)(len - host), authority + host);
    else
        snprintf(name, DOMAIN_NAME_MAX, "%.*s", (int)len, authority);
}

static wr_err finish_path(struct path *path, struct hop *hop)
{
    struct crawl_page *page = path->page;
    struct visit *visit = &hop->visit;
    page->url = strdup(hop->url->text);
    if (!page->url)
        return fail(path, WR_NOMEM, CRAWL_FAILED, hop->url->text, "");
    page->status = visit->status;
    page->challenge = visit->challenge;
    page->media = visit->media.kind;
    memcpy(page->charset, visit->media.charset, sizeof(page->charset));
    page->fetched_at = wr_wall();
    page->outcome = page->challenge ? CRAWL_CHALLENGED
                    : visit->bytes  ? CRAWL_FETCHED : CRAWL_STATUS;
    page->bytes = visit->bytes;
    page->etag = visit->new_etag;
    page->last_modified = visit->new_last_modified;
    visit->bytes = NULL;
    visit->new_etag = visit->new_last_modified = NULL;
    return WR_OK;
}

/* It has not changed: what was kept is as good as new. */
static void finish_unchanged(struct path *path)
{
    unsigned redirects = path->page->redirects;
    *path->page = path->memo;
    path->memo = (struct crawl_page){ 0 };
    path->page->redirects = redirects;
    path->page->outcome = CRAWL_UNCHANGED;
    path->page->fetched_at = wr_wall();
}

static wr_err go_on(struct path *path, const char *location)
{
    const struct crawl_conf *conf = &path->crawl->conf;
    struct fetch_url next;
    const char *clause;
    if (path->page->redirects++ >= conf->redirects_max)
        return fail(path, WR_DENIED, CRAWL_REFUSED, path->ask->url,
                    "it leads on by more redirects than are followed");
    wr_err err = fetch_url_parse(&next, location, &path->url, &clause);
    if (err)
        return fail(path, err, CRAWL_REFUSED, location, clause);
    if (path->url.tls && !next.tls && !conf->to_http) {
        err = fail(path, WR_DENIED, CRAWL_REFUSED, next.text,
                   "a redirect from https to http is not followed");
        fetch_url_free(&next);
        return err;
    }
    fetch_url_free(&path->url);
    path->url = next;
    return WR_OK;
}

/* One hop; *ret_done: it was the last. */
static wr_err take_hop(struct path *path, bool *ret_done, wr_time deadline)
{
    struct crawl *crawl = path->crawl;
    const struct crawl_conf *conf = &crawl->conf;
    const struct crawl_page *memo = &path->memo;
    struct hop hop = { .crawl = crawl, .url = &path->url, .visit = {
        .client = crawl->client, .url = path->url.text, .body_max = conf->body_max,
        .pdf_max = path->ask->accept_pdf ? conf->pdf_max : 0 } };
    if (conf->listed && conf->listed(conf->listed_arg, path->url.host))
        return fail(path, WR_DENIED, CRAWL_LISTED, path->url.text,
                    "its domain is on the list of those not to be visited");
    name_domain(hop.domain, &path->url);
    if (path->page->redirects == 0)
        memcpy(path->first, hop.domain, sizeof(path->first));
    if (path->ask->cookie && strcmp(path->first, hop.domain) == 0)
        hop.visit.cookie = path->ask->cookie;
    /* That a page of scripts is the same does not say that they would show the same. */
    bool known = memo->bytes && !memo->rendered && memo->url
                 && strcmp(memo->url, path->url.text) == 0;
    if (known) {
        hop.visit.etag = memo->etag;
        hop.visit.last_modified = memo->last_modified;
    }
    wr_err err = run_hop(&hop, deadline);
    *ret_done = true;
    if (err) {
        err = fail(path, err, hop.outcome, path->url.text, hop.why);
        path->page->retry_in = domain_stat(crawl->domains, hop.domain).cooling;
    } else if (known && hop.visit.status == 304) {
        finish_unchanged(path);
    } else if (hop.visit.location) {
        *ret_done = false;
        err = go_on(path, hop.visit.location);
    } else {
        err = finish_path(path, &hop);
    }
    visit_free(&hop.visit);
    return err;
}

/* ---- memory ---- */

static bool is_young(const struct path *path)
{
    return path->memo.bytes && !path->ask->renew
           && wr_wall().ns - path->memo.fetched_at.ns < path->crawl->conf.ttl
           && (path->ask->accept_pdf || path->memo.media != MEDIA_PDF);
}

static void recall(struct path *path, wr_time deadline)
{
    const struct crawl_memory *memory = path->crawl->conf.memory;
    if (!memory || path->ask->cookie)
        return;
    wr_err err = memory->recall(memory->self, path->url.text, &path->memo, deadline);
    if (err && err != WR_NOTFOUND)
        wr_counter_add(path->crawl->forgotten, 1);
    if (err)
        path->memo = (struct crawl_page){ 0 };
}

/* What was seen with somebody's cookie is his. */
static void keep(struct crawl *crawl, const struct crawl_ask *ask, const char *url,
                 const struct crawl_page *page, wr_time deadline)
{
    const struct crawl_memory *memory = crawl->conf.memory;
    bool is_new = page->outcome == CRAWL_UNCHANGED || page->outcome == CRAWL_FETCHED
                  || page->rendered;
    if (!memory || ask->cookie || !is_new || page->status != 200)
        return;
    if (memory->keep(memory->self, url, page, deadline))
        wr_counter_add(crawl->forgotten, 1);
}

/* ---- rendering ---- */

/* One request of a page in the browser: by all rules, but in no turn of its own. */
static wr_err load_once(struct crawl *crawl, const struct fetch_url *url, struct visit *visit,
                        wr_time deadline)
{
    const struct crawl_conf *conf = &crawl->conf;
    char name[DOMAIN_NAME_MAX], why[DOMAIN_WHY];
    struct domain *domain;
    if (conf->listed && conf->listed(conf->listed_arg, url->host))
        return WR_DENIED;
    name_domain(name, url);
    wr_err err = domain_enter(&domain, crawl->domains, name, why, deadline);
    if (err)
        return err;
    enum domain_verdict verdict = DOMAIN_NOTHING;
    err = permit_check(&crawl->permit, domain, url, why, deadline);
    if (!err)
        err = domain_extra(domain, why);
    if (!err)
        err = wr_sem_acquire(crawl->requests, deadline);
    if (!err) {
        wr_time limit = wr_after(conf->timeout);
        *visit = (struct visit){ .client = crawl->client, .url = url->text, .accept = "*/*",
                                 .body_max = LOAD_MAX, .any_kind = true };
        err = visit_run(visit, limit < deadline ? limit : deadline);
        wr_sem_release(crawl->requests);
        verdict = verdict_of(visit, err, wr_now() >= limit);
    }
    domain_leave(domain, verdict, verdict == DOMAIN_NOTHING ? 0 : visit->retry_after);
    return err;
}

static wr_err load(void *arg, const char *text, struct browser_answer *ret, wr_time deadline)
{
    struct crawl *crawl = arg;
    struct fetch_url url, next;
    const char *clause;
    struct visit visit = { 0 };
    wr_err err = fetch_url_parse(&url, text, NULL, &clause);
    if (err)
        return err;
    for (int i = 0; i <= LOAD_REDIRECTS_MAX; i++) {
        visit_free(&visit);
        err = load_once(crawl, &url, &visit, deadline);
        if (err || !visit.location)
            break;
        err = fetch_url_parse(&next, visit.location, &url, &clause);
        if (err)
            break;
        bool down = url.tls && !next.tls && !crawl->conf.to_http;
        fetch_url_free(&url);
        url = next;
        err = down ? WR_DENIED : WR_OK;
        if (err)
            break;
    }
    fetch_url_free(&url);
    if (!err && !visit.bytes)
        err = WR_NOTFOUND;
    if (!err) {
        *ret = (struct browser_answer){ visit.status, visit.type, visit.bytes };
        visit.type = NULL;
        visit.bytes = NULL;
    }
    visit_free(&visit);
    return err;
}

static wr_err show(struct crawl *crawl, const struct crawl_page *page, struct wr_bytes **ret,
                   char why[BROWSER_WHY], wr_time deadline)
{
    char type[MEDIA_CHARSET_MAX + 40];
    bool is_html = page->media == MEDIA_HTML || page->media == MEDIA_XHTML;
    if (!page->bytes || page->challenge || !is_html) {
        snprintf(why, BROWSER_WHY, "it is no page of HTML");
        return WR_NOTFOUND;
    }
    if (!crawl->browser) {
        snprintf(why, BROWSER_WHY, "no browser is configured (queue.browser.command)");
        return WR_NOTFOUND;
    }
    snprintf(type, sizeof(type), "%s%s%s", media_name(page->media),
             page->charset[0] ? "; charset=" : "", page->charset);
    return browser_render(crawl->browser, &(struct browser_page){
        .url = page->url, .type = type, .bytes = page->bytes->data, .len = page->bytes->len },
        ret, why, deadline);
}

/* It is kept under the name that it was asked for by. */
static void keep_rendered(struct crawl *crawl, const struct crawl_ask *ask,
                          const struct crawl_page *page, wr_time deadline)
{
    struct fetch_url url;
    const char *clause;
    if (fetch_url_parse(&url, ask->url, NULL, &clause))
        return;
    keep(crawl, ask, url.text, page, deadline);
    fetch_url_free(&url);
}

wr_err crawl_render(struct crawl *crawl, const struct crawl_ask *ask, struct crawl_page *page,
                    wr_time deadline)
{
    char why[BROWSER_WHY];
    struct wr_bytes *html;
    wr_err err = show(crawl, page, &html, why, deadline);
    wr_counter_add(wr_metric_counter(&renders, err ? "failed" : "rendered"), 1);
    if (err) {
        snprintf(page->why, sizeof(page->why), "its scripts could not run: %s", why);
        return err;
    }
    wr_bytes_unref(page->bytes);
    page->bytes = html;
    page->rendered = true;
    snprintf(page->charset, sizeof(page->charset), "utf-8");
    keep_rendered(crawl, ask, page, deadline);
    return WR_OK;
}

bool crawl_has_browser(const struct crawl *crawl)
{
    return crawl->browser != NULL;
}

/* ---- all of it ---- */

static wr_err get(struct path *path, wr_time deadline)
{
    const char *clause;
    bool done = false;
    wr_err err = fetch_url_parse(&path->url, path->ask->url, NULL, &clause);
    if (err)
        return fail(path, err, CRAWL_INVALID, path->ask->url, clause);
    char *url = strdup(path->url.text);
    if (!url)
        return fail(path, WR_NOMEM, CRAWL_FAILED, path->ask->url, "");
    recall(path, deadline);
    const struct crawl_conf *conf = &path->crawl->conf;
    if (is_young(path) && !(conf->listed && conf->listed(conf->listed_arg, path->url.host))) {
        finish_unchanged(path);
        path->page->outcome = CRAWL_REMEMBERED;
    } else {
        while (!err && !done)
            err = take_hop(path, &done, deadline);
        if (!err)
            keep(path->crawl, path->ask, url, path->page, deadline);
    }
    free(url);
    return err;
}

wr_err crawl_get(struct crawl *crawl, const struct crawl_ask *ask, struct crawl_page *ret,
                 wr_time deadline)
{
    struct path path = { .crawl = crawl, .ask = ask, .page = ret };
    *ret = (struct crawl_page){ 0 };
    wr_err err = get(&path, deadline);
    fetch_url_free(&path.url);
    crawl_page_free(&path.memo);
    wr_counter_add(crawl->counted[ret->outcome], 1);
    return err;
}

void crawl_page_free(struct crawl_page *page)
{
    free(page->url);
    free(page->etag);
    free(page->last_modified);
    wr_bytes_unref(page->bytes);
    page->url = page->etag = page->last_modified = NULL;
    page->bytes = NULL;
}

struct domain_stat crawl_domain(struct crawl *crawl, const char *domain)
{
    return domain_stat(crawl->domains, domain);
}

void crawl_release(struct crawl *crawl, const char *domain)
{
    domain_release(crawl->domains, domain);
}

const char *crawl_outcome_name(enum crawl_outcome outcome)
{
    return outcome_names[outcome];
}

/* ---- opening and closing ---- */

static void set_defaults(struct crawl_conf *conf)
{
    if (!conf->at_once)
        conf->at_once = 4;
    if (!conf->body_max)
        conf->body_max = 4u << 20;
    if (!conf->pdf_max)
        conf->pdf_max = 32u << 20;
    if (!conf->timeout)
        conf->timeout = WR_S(30);
    if (!conf->redirects_max)
        conf->redirects_max = 5;
    if (!conf->tries_max)
        conf->tries_max = 4;
    if (!conf->ttl)
        conf->ttl = WR_S(7 * 24 * 3600);
}

static wr_err open_client(struct crawl *crawl)
{
    struct wr_fetch_conf conf = crawl->conf.fetch;
    const char *mailto = crawl->conf.mailto;
    snprintf(crawl->agent, sizeof(crawl->agent), mailto ? "weir/%s (+mailto:%s)" : "weir/%s",
             wr_version.version, mailto);
    conf.name = "crawl";
    conf.user_agent = crawl->agent;
    conf.redirects = WR_REDIRECT_NONE;
    conf.ratio_max = RATIO_MAX;
    return wr_fetch_client_new(&crawl->client, &conf);
}

wr_err crawl_open(struct crawl **ret, const struct crawl_conf *conf)
{
    struct crawl *crawl = calloc(1, sizeof(*crawl));
    if (!crawl)
        return WR_NOMEM;
    crawl->conf = *conf;
    set_defaults(&crawl->conf);
    wr_err err = open_client(crawl);
    if (!err)
        err = domains_new(&crawl->domains, &conf->domain);
    if (!err)
        err = wr_sem_new(&crawl->requests, "crawl.requests", crawl->conf.at_once);
    if (!err)
        err = wr_retry_new(&crawl->retry, &(struct wr_retry_conf){
            .name = "crawl", .tries_max = crawl->conf.tries_max, .pause_min = PAUSE,
            .pause_max = PAUSE, .pause_cap = PAUSE_CAP });
    if (!err && conf->browser.path) {
        crawl->conf.browser.load = load;
        crawl->conf.browser.arg = crawl;
        err = browser_open(&crawl->browser, &crawl->conf.browser);
    }
    if (err) {
        crawl_close(crawl);
        return err;
    }
    crawl->permit = (struct permit){ .client = crawl->client, .ttl = crawl->conf.robots_ttl };
    for (int i = 0; i < CRAWL_OUTCOMES; i++)
        crawl->counted[i] = wr_metric_counter(&fetches, outcome_names[i]);
    crawl->forgotten = wr_metric_counter(&memory_failures);
    *ret = crawl;
    return WR_OK;
}

void crawl_close(struct crawl *crawl)
{
    if (!crawl)
        return;
    wr_fetch_client_close(crawl->client, WR_NOW);
    domains_free(crawl->domains);
    if (crawl->requests)
        wr_sem_free(crawl->requests);
    wr_retry_free(crawl->retry);
    browser_close(crawl->browser);
    free(crawl);
}
