/* expedition_rig.h - a queue with an explorer, and strangers' pages for it to look at.
 *
 *     LOCAL_TEST(an_address_is_fetched)
 *     {
 *         BEGIN(store, { "/1", .body = page });
 *         add_url("a.test", "/1", "{}");
 *         done(STORE_JOB_COMPLETED, 1);
 *         CHECK(strstr(last_of(STORE_JOB_COMPLETED), "\"ok\":true"));
 *         end();
 *     }
 *
 * The strangers are those of stranger_rig.h.  With expedition.catalogue.body (or a script) set
 * before, Semantic Scholar, OpenAlex and SearxNG are asked there (catalogue_rig.h); else nobody
 * is.
 * Before BEGIN, expedition.crawl may be filled in, and expedition.rig.conf.
 */
#ifndef WR_TESTING_EXPEDITION_RIG_H
#define WR_TESTING_EXPEDITION_RIG_H

#include "svc/queue/explorer_int.h"
#include "svc/queue/page_memory.h"
#include "testing/catalogue_rig.h"
#include "testing/queue_rig.h"
#include "testing/stranger_rig.h"

#define SOON wr_after(WR_S(600))
#define HTML .headers = "Content-Type: text/html\r\n"

RIG_STRANGER struct expedition {
    struct queue_rig rig;
    struct stranger stranger;
    struct catalogue catalogue;
    struct sources_conf sources_conf;
    struct sources *sources;            /* NULL: there are none */
    bool without_web;                   /* no SearxNG is configured */
    struct crawl_conf crawl;
    struct explorer *explorer;
    char task[QUEUE_ID];
} expedition;

RIG_STRANGER void open_catalogues(void)
{
    struct sources_conf *conf = &expedition.sources_conf;
    catalogue_open(&expedition.catalogue);
    conf->plain = true;
    conf->allow = &stranger_range;
    conf->allow_count = 1;
    for (size_t i = 0; i < SOURCES_MAX; i++) {
        const struct source_driver *driver = sources_driver(i);
        bool asked = driver == &source_semantic_scholar || driver == &source_openalex;
        conf->settings[i] = (struct sources_setting){
            .off = !asked, .base = asked ? expedition.catalogue.base : NULL };
    }
    conf->settings[SOURCES_WEB_SEARCH] = (struct sources_setting){
        .on = !expedition.without_web, .base = expedition.catalogue.base,
        .interval = WR_MS(1) };
    CHECK_OK(sources_open(&expedition.sources, conf));
}

RIG_STRANGER void helped(void *arg, const char *domain)
{
    explorer_pardon(arg, domain);
}

RIG_STRANGER void begin(struct store *store, const struct stranger_page *pages, size_t count)
{
    struct queue_why why;
    memcpy(expedition.stranger.pages, pages, count * sizeof(*pages));
    stranger_open(&expedition.stranger);
    if (expedition.catalogue.body || expedition.catalogue.scripted)
        open_catalogues();
    CHECK_OK(explorer_new(&expedition.explorer, &expedition.sources));
    expedition.explorer->store = store;
    expedition.explorer->memory = page_memory(store);
    expedition.explorer->crawl_conf = expedition.crawl;
    expedition.explorer->crawl_conf.fetch = (struct wr_fetch_conf)STRANGER_FETCH;
    expedition.explorer->crawl_conf.memory = &expedition.explorer->memory;
    CHECK_OK(explorer_start(expedition.explorer));
    explorer_handlers(expedition.explorer, expedition.rig.handlers);
    expedition.rig.conf.helped = helped;
    expedition.rig.conf.helped_arg = expedition.explorer;
    queue_rig_begin(&expedition.rig, store);
    CHECK_OK(queue_create(expedition.rig.queue, &(struct queue_task){
        "The moon causes the tides", 3, 3600 }, expedition.task, &why, SOON));
}
#define BEGIN(store, ...) do { const struct stranger_page pages_[] = { __VA_ARGS__ }; \
    begin(store, pages_, sizeof(pages_) / sizeof(pages_[0])); } while (0)

/* All is as at first then. */
RIG_STRANGER void end(void)
{
    queue_rig_stop(&expedition.rig);
    explorer_stop(expedition.explorer);
    explorer_free(expedition.explorer);
    if (expedition.sources) {
        sources_close(expedition.sources, WR_NOW);
        catalogue_close(&expedition.catalogue);
    }
    stranger_close(&expedition.stranger);
    memset(&expedition, 0, sizeof(expedition));
}

RIG_STRANGER void add_target(const char *target, const char *options)
{
    struct queue_submitted took;
    struct queue_why why;
    char rows[2600], id[QUEUE_ID];
    snprintf(rows, sizeof(rows), "[[\"%s\",\"target_queue\",\"network_client\",50,null,"
             "{\"target\":%s,\"options\":%s}]]", queue_id(id, "tq_"), target, options);
    CHECK_OK(queue_submit(expedition.rig.queue, expedition.task, rows, &took, &why, SOON));
    queue_submitted_free(&took);
}

RIG_STRANGER const char *url_of(const char *host, const char *path)
{
    return stranger_url(&expedition.stranger, host, path);
}

RIG_STRANGER void add_url(const char *host, const char *path)
{
    char target[400];
    snprintf(target, sizeof(target), "{\"kind\":\"url\",\"url\":\"%s\",\"depth\":0}",
             url_of(host, path));
    add_target(target, "{}");
}

/* Of the last target in that state: its output, or its error. */
RIG_STRANGER const char *last_of(enum store_job_state state)
{
    static char text[2000];
    struct store_jobs jobs;
    CHECK_OK(store_task_done_jobs(expedition.rig.store, expedition.task, state, 16, &jobs,
                                  SOON));
    size_t at = 0;                      /* what follows a target may have been done already */
    while (at < jobs.count && strcmp(jobs.jobs[at].kind, "target_queue") != 0)
        at++;
    const struct store_job *job = &jobs.jobs[at];
    snprintf(text, sizeof(text), "%s", at == jobs.count ? "(none)"
                                       : job->output    ? job->output : job->error);
    store_jobs_free(&jobs);
    return text;
}

/* Whether the last target that was completed says so. */
RIG_STRANGER bool says(const char *part)
{
    const char *text = last_of(STORE_JOB_COMPLETED);
    if (strstr(text, part))
        return true;
    printf("# %s\n", text);
    return false;
}

/* Wait for so many targets in that state. */
RIG_STRANGER void done(enum store_job_state state, uint64_t count)
{
    queue_rig_until(&expedition.rig, expedition.task, QUEUE_TARGET, state, count);
}

#endif
