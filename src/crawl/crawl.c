/* crawl.c - see crawl.h. */
#include "crawl/crawl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/metric.h>

#include "base/version.h"
#include "crawl/hop.h"

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
    [CRAWL_ROBOTS] = "robots", [CRAWL_ROBOTS_UNREACHABLE] = "robots_unreachable",
    [CRAWL_COOLING] = "cooling", [CRAWL_SPENT] = "spent", [CRAWL_LATER] = "later",
    [CRAWL_HELD] = "held", [CRAWL_REFUSED] = "refused",
    [CRAWL_LATE] = "late", [CRAWL_CANCELED] = "canceled", [CRAWL_FAILED] = "failed",
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
    struct hop_ground ground;
    struct browser *browser;        /* NULL: there is none */
    struct wr_counter *counted[CRAWL_OUTCOMES], *forgotten;
};

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

/* Nothing was had.  That a person is wanted there is known from before. */
static wr_err finish_without(struct path *path, struct hop *hop, wr_err err)
{
    struct crawl_page *page = path->page;
    struct domain_stat stat = domain_stat(path->crawl->ground.domains, hop->domain);
    if (hop->outcome != CRAWL_COOLING || !stat.wants) {
        page->retry_in = hop->outcome == CRAWL_LATER ? hop->retry_in : stat.cooling;
        if (hop->outcome == CRAWL_LATER && page->redirects
            && !(page->url = strdup(path->url.text)))
            return fail(path, WR_NOMEM, CRAWL_FAILED, path->url.text, "");
        return fail(path, err, hop->outcome, path->url.text, hop->why);
    }
    page->url = strdup(path->url.text);
    page->challenge = stat.wants;
    page->challenged = stat.cooled;
    page->retry_in = stat.cooling;
    page->outcome = CRAWL_CHALLENGED;
    return page->url ? WR_OK : fail(path, WR_NOMEM, CRAWL_FAILED, path->url.text, "");
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
    bool first = path->page->redirects == 0;
    struct hop hop = { .ground = &crawl->ground, .url = &path->url,
                       .ask = first ? path->ask : NULL, .visit = {
        .client = crawl->client, .url = path->url.text, .body_max = conf->body_max,
        .pdf_max = path->ask->accept_pdf ? conf->pdf_max : 0 } };
    wr_err err = conf->listed ? conf->listed(conf->listed_arg, path->url.host) : WR_OK;
    if (err)
        return fail(path, err, err == WR_DENIED ? CRAWL_LISTED : CRAWL_HELD, path->url.text,
                    err == WR_DENIED ? "its domain is on the list of those not to be visited"
                                     : "whether its domain may be visited is not known now");
    name_domain(hop.domain, &path->url);
    if (first)
        memcpy(path->first, hop.domain, sizeof(path->first));
    /* Who is sent on within a domain waits there: nobody is before him for long. */
    bool elsewhere = strcmp(path->first, hop.domain) != 0;
    hop.patience = first || elsewhere ? path->ask->patience : 0;
    if (path->ask->cookie && !elsewhere)
        hop.visit.cookie = path->ask->cookie;
    /* That a page of scripts is the same does not say that they would show the same. */
    bool known = memo->bytes && !memo->rendered && memo->url
                 && strcmp(memo->url, path->url.text) == 0;
    if (known) {
        hop.visit.etag = memo->etag;
        hop.visit.last_modified = memo->last_modified;
    }
    err = hop_run(&hop, deadline);
    *ret_done = true;
    if (err) {
        err = finish_without(path, &hop, err);
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
        crawl_forgot(path->crawl);
    if (err)
        path->memo = (struct crawl_page){ 0 };
}

/* What was seen with somebody's cookie is his. */
static void keep(struct crawl *crawl, const struct crawl_ask *ask, const char *url,
                 struct crawl_page *page, wr_time deadline)
{
    const struct crawl_memory *memory = crawl->conf.memory;
    bool is_new = page->outcome == CRAWL_UNCHANGED || page->outcome == CRAWL_FETCHED
                  || page->rendered;
    if (!memory || ask->cookie || !is_new || page->status != 200)
        return;
    page->unkept = ask->keeps && strcmp(url, ask->url) == 0;
    if (!page->unkept && memory->keep(memory->self, url, page, deadline))
        crawl_forgot(crawl);
}

void crawl_forgot(struct crawl *crawl)
{
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
    wr_err err = conf->listed ? conf->listed(conf->listed_arg, url->host) : WR_OK;
    if (err)
        return err;
    name_domain(name, url);
    err = domain_enter(&domain, crawl->ground.domains, name, why, deadline);
    if (err)
        return err;
    enum domain_verdict verdict = DOMAIN_NOTHING;
    err = permit_check(&crawl->ground.permit, domain, url, why, deadline);
    if (!err)
        err = domain_extra(domain, why);
    if (!err)
        err = wr_sem_acquire(crawl->ground.requests, deadline);
    if (!err) {
        wr_time limit = wr_after(conf->timeout);
        *visit = (struct visit){ .client = crawl->client, .url = url->text, .accept = "*/*",
                                 .body_max = LOAD_MAX, .any_kind = true };
        err = visit_run(visit, limit < deadline ? limit : deadline);
        wr_sem_release(crawl->ground.requests);
        verdict = hop_verdict(visit, err, wr_now() >= limit);
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
                          struct crawl_page *page, wr_time deadline)
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

wr_time crawl_put_off(struct crawl *crawl, const char *domain)
{
    return domain_put_off(crawl->ground.domains, domain);
}

struct domain_stat crawl_domain(struct crawl *crawl, const char *domain)
{
    return domain_stat(crawl->ground.domains, domain);
}

void crawl_release(struct crawl *crawl, const char *domain)
{
    domain_release(crawl->ground.domains, domain);
}

const char *crawl_outcome_name(enum crawl_outcome outcome)
{
    return outcome_names[outcome];
}

/* ---- opening and closing ---- */

static void set_defaults(struct crawl_conf *conf)
{
    conf->at_once = conf->at_once ? conf->at_once : 4;
    conf->body_max = conf->body_max ? conf->body_max : 4u << 20;
    conf->pdf_max = conf->pdf_max ? conf->pdf_max : 32u << 20;
    conf->timeout = conf->timeout ? conf->timeout : WR_S(30);
    conf->redirects_max = conf->redirects_max ? conf->redirects_max : 5;
    conf->tries_max = conf->tries_max ? conf->tries_max : 4;
    conf->ttl = conf->ttl ? conf->ttl : WR_S(7 * 24 * 3600);
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
        err = domains_new(&crawl->ground.domains, &conf->domain);
    if (!err)
        err = wr_sem_new(&crawl->ground.requests, "crawl.requests", crawl->conf.at_once);
    if (!err)
        err = wr_retry_new(&crawl->ground.retry, &(struct wr_retry_conf){
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
    crawl->ground.timeout = crawl->conf.timeout;
    crawl->ground.permit = (struct permit){ .client = crawl->client,
                                            .ttl = crawl->conf.robots_ttl };
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
    domains_free(crawl->ground.domains);
    if (crawl->ground.requests)
        wr_sem_free(crawl->ground.requests);
    wr_retry_free(crawl->ground.retry);
    browser_close(crawl->browser);
    free(crawl);
}
