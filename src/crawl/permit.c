/* permit.c - see permit.h. */
#include "crawl/permit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/metric.h>
#include <weir/offload.h>

#include "crawl/visit.h"

#define REDIRECTS_MAX 5
#define PARSE_HERE 16384            /* bytes; more are read away from the workers */
#define MATCH_HERE 1000000          /* comparisons; likewise */
#define URL_MAX 400
#define ANY_SIZE ((size_t)1 << 40)   /* as only the beginning is read */

static struct wr_metric reads = {
    .name = "crawl_robots_reads_total", .help = "What reading a robots.txt came to.",
    .type = WR_COUNTER, .labels = { "outcome" }, .series_max = 8,
};

/* ---- away from the workers, if it is much ---- */

struct parse { struct wr_bytes *bytes; struct robots *rules; wr_err err; };

static void run_parse(void *arg)
{
    struct parse *job = arg;
    job->err = robots_parse(&job->rules, (const char *)job->bytes->data, job->bytes->len,
                            PERMIT_TOKEN);
}

static wr_err parse(struct robots **ret, struct wr_bytes *bytes, wr_time deadline)
{
    struct parse job = { .bytes = bytes };
    wr_err err = WR_OK;
    if (bytes->len <= PARSE_HERE)
        run_parse(&job);
    else
        err = wr_offload(run_parse, &job, deadline);
    if (!err)
        err = job.err;
    if (!err)
        *ret = job.rules;
    return err;
}

struct match { const struct robots *rules; const char *target; bool allowed; };

static void run_match(void *arg)
{
    struct match *job = arg;
    job->allowed = robots_allow(job->rules, job->target);
}

/* ---- reading the file ---- */

/* What one request came to. */
struct reading {
    struct robots *rules;           /* that were read; NULL: there are none */
    struct fetch_url next;          /* where it is instead, if `moved` */
    bool moved;
    unsigned status;                /* of what cannot be taken for an answer; else 0 */
    bool inside;                    /* it is at an address where we do not go */
    char why[WR_FETCH_WHY_MAX];     /* after an error: a sentence */
};

static wr_err take(struct reading *reading, const struct fetch_url *url,
                   const struct wr_fetch_reply *head, struct wr_fetch *fetch, wr_time deadline)
{
    const char *why, *location = wr_fetch_reply_header(head, "location");
    struct wr_bytes *bytes;
    bool more;
    if (head->status >= 300 && head->status < 400 && location) {
        reading->moved = !fetch_url_parse(&reading->next, location, url, &why);
        return WR_OK;
    }
    if (head->status == 429 || head->status >= 500)
        reading->status = head->status;
    if (head->status < 200 || head->status >= 300)
        return WR_OK;
    wr_err err = visit_read(&bytes, &more, fetch, ROBOTS_MAX, deadline);
    if (err)
        return err;
    err = parse(&reading->rules, bytes, deadline);
    wr_bytes_unref(bytes);
    return err;
}

static wr_err request(const struct permit *permit, struct reading *reading,
                      const struct fetch_url *url, wr_time deadline)
{
    struct wr_fetch *fetch;
    struct wr_fetch_reply head;
    wr_err err = wr_fetch_open(&fetch, permit->client, &(struct wr_fetch_request){
        .url = url->text, .body_max = ANY_SIZE }, &head, deadline);
    if (!err) {
        err = take(reading, url, &head, fetch, deadline);
        wr_fetch_close(fetch);
    } else {                        /* before there is an answer only addresses are denied */
        reading->inside = err == WR_DENIED && head.status == 0;
        memcpy(reading->why, head.why, sizeof(reading->why));
    }
    wr_fetch_reply_free(&head);
    return err;
}

static wr_err follow(const struct permit *permit, struct reading *reading,
                     struct fetch_url *url, wr_time deadline)
{
    wr_err err = WR_OK;
    for (int i = 0; i <= REDIRECTS_MAX && !err; i++) {
        reading->moved = false;
        err = request(permit, reading, url, deadline);
        reading->inside &= i == 0;  /* where it is sent to says nothing of the site */
        if (err || !reading->moved)
            return err;
        fetch_url_free(url);
        *url = reading->next;
    }
    reading->moved = false;         /* who sends us round and round has none */
    return err;
}

static wr_err read_file(const struct permit *permit, struct reading *reading,
                        const struct fetch_url *page, wr_time deadline)
{
    char text[URL_MAX];
    const char *clause;
    size_t len;
    const char *authority = fetch_url_authority(page, &len);
    struct fetch_url url;
    snprintf(text, sizeof(text), "%s://%.*s/robots.txt", page->tls ? "https" : "http",
             (int)len, authority);
    wr_err err = fetch_url_parse(&url, text, NULL, &clause);
    if (err)
        return err;
    err = follow(permit, reading, &url, deadline);
    fetch_url_free(&url);
    return err;
}

/* ---- keeping it ---- */

static wr_err empty_rules(struct robots **ret)
{
    return robots_parse(ret, "", 0, PERMIT_TOKEN);
}

static wr_err renew(const struct permit *permit, struct domain *domain,
                    const struct fetch_url *url, char *why, wr_time deadline)
{
    struct reading reading = { 0 };
    wr_time limit = wr_after(permit->timeout ? permit->timeout : WR_S(10));
    wr_err err = domain_extra(domain, why);
    if (err)
        return err;
    err = read_file(permit, &reading, url, limit < deadline ? limit : deadline);
    if (err == WR_CANCELED || err == WR_NOMEM || err == WR_BUSY
        || (err == WR_TIMEOUT && wr_now() >= deadline)) {
        snprintf(why, DOMAIN_WHY, "robots.txt of %.100s could not be read: %s",
                 domain_name(domain), wr_err_text(err));
        return err;                 /* that says nothing of the site */
    }
    if (reading.inside) {           /* nor is anything else there asked for */
        snprintf(why, DOMAIN_WHY, "%.*s", DOMAIN_WHY - 1, reading.why);
        return WR_INVALID;
    }
    bool unreachable = err || reading.status;
    if (!unreachable && !reading.rules && (err = empty_rules(&reading.rules)))
        return err;
    wr_time span = unreachable ? permit->retry ? permit->retry : WR_S(300)
                               : permit->ttl ? permit->ttl : WR_S(24 * 3600);
    domain_put_robots(domain, url->tls, &(struct domain_robots){
        .rules = reading.rules, .until = wr_after(span), .unreachable = unreachable,
        .status = reading.status, .err = err });
    wr_counter_add(wr_metric_counter(&reads, unreachable ? "unreachable" : "read"), 1);
    return WR_OK;
}

/* What became of the last attempt to read them. */
static wr_err tell_unreachable(const struct domain *domain, const struct domain_robots *robots,
                               char *why)
{
    char status[40];
    snprintf(status, sizeof(status), "it was answered with %u", robots->status);
    const char *clause = robots->status               ? status
                         : robots->err == WR_NOTFOUND ? "the name has no address"
                         : robots->err == WR_TIMEOUT  ? "there was no answer in time"
                         : robots->err == WR_DENIED   ? "it is inside this network or too large"
                                                      : "there was no answer";
    snprintf(why, DOMAIN_WHY, "robots.txt of %.60s cannot be read: %s; until it can be, no "
             "page is (next try in %d s)", domain_name(domain), clause,
             (int)((robots->until - wr_now() + WR_S(1) - 1) / WR_S(1)));
    return WR_IO;
}

wr_err permit_check(const struct permit *permit, struct domain *domain,
                    const struct fetch_url *url, char why[DOMAIN_WHY], wr_time deadline)
{
    const struct domain_robots *robots = domain_robots(domain, url->tls);
    wr_err err = WR_OK;
    if (wr_now() >= robots->until)
        err = renew(permit, domain, url, why, deadline);
    if (err)
        return err;
    if (robots->unreachable)
        return tell_unreachable(domain, robots, why);
    struct match job = { .rules = robots->rules, .target = url->target };
    if (robots_effort(robots->rules, strlen(url->target)) <= MATCH_HERE)
        run_match(&job);
    else
        err = wr_offload(run_match, &job, deadline);
    if (err || job.allowed)
        return err;
    snprintf(why, DOMAIN_WHY, "robots.txt of %.100s does not allow %s", domain_name(domain),
             url->target);
    return WR_DENIED;
}
