#include "svc/queue/explorer.h"

#include "store/edge.h"
#include "store/claim.h"
#include "svc/queue/explorer_int.h"
#include "svc/queue/page_memory.h"
#include "testing/queue_rig.h"
#include "testing/stranger_rig.h"

#define SOON wr_after(WR_S(600))
#define HTML .headers = "Content-Type: text/html\r\n"

static const char one[] =
    "<title>One</title><article><h1>One</h1><p>The tides of the sea are caused by the gravity "
    "of the moon, as Newton explained in 1687 to everybody.</p></article>";
static const char two[] =
    "<title>Two</title><article><h1>Two</h1><p>As Newton explained in 1687, the tides of the "
    "sea are caused by the gravity of the moon, and that is settled.</p></article>";

/* A queue with an explorer, and pages on two hosts. */
struct expedition {
    struct queue_rig rig;
    struct stranger stranger;
    struct explorer *explorer;
    struct sources *none;
    char task[QUEUE_ID];
};

static void begin(struct expedition *self, struct store *store,
                  const struct stranger_page *pages, size_t count)
{
    struct queue_why why;
    memcpy(self->stranger.pages, pages, count * sizeof(*pages));
    stranger_open(&self->stranger);
    CHECK_OK(explorer_new(&self->explorer, &self->none));
    self->explorer->store = store;
    self->explorer->memory = page_memory(store);
    self->explorer->crawl_conf = (struct crawl_conf){ .fetch = STRANGER_FETCH,
                                                      .memory = &self->explorer->memory };
    CHECK_OK(explorer_start(self->explorer));
    explorer_handlers(self->explorer, self->rig.handlers);
    queue_rig_begin(&self->rig, store);
    CHECK_OK(queue_create(self->rig.queue, &(struct queue_task){
        "The moon causes the tides", 3, 3600 }, self->task, &why, SOON));
}
#define BEGIN(self, store, ...) do { const struct stranger_page pages_[] = { __VA_ARGS__ }; \
    begin(self, store, pages_, sizeof(pages_) / sizeof(pages_[0])); } while (0)

static void end(struct expedition *self)
{
    queue_rig_stop(&self->rig);
    explorer_stop(self->explorer);
    explorer_free(self->explorer);
    stranger_close(&self->stranger);
}

static void add_target(struct expedition *self, const char *target)
{
    struct queue_submitted took;
    struct queue_why why;
    char rows[600], id[QUEUE_ID];
    snprintf(rows, sizeof(rows), "[[\"%s\",\"target_queue\",\"network_client\",50,null,"
             "{\"target\":%s,\"options\":{}}]]", queue_id(id, "tq_"), target);
    CHECK_OK(queue_submit(self->rig.queue, self->task, rows, &took, &why, SOON));
    queue_submitted_free(&took);
}

static void add_url(struct expedition *self, const char *host, const char *path)
{
    char target[300];
    snprintf(target, sizeof(target), "{\"kind\":\"url\",\"url\":\"%s\",\"depth\":0}",
             stranger_url(&self->stranger, host, path));
    add_target(self, target);
}

static const char *last_of(struct expedition *self, enum store_job_state state)
{
    static char text[900];
    struct store_jobs jobs;
    CHECK_OK(store_task_done_jobs(self->rig.store, self->task, state, 1, &jobs, SOON));
    const struct store_job *job = &jobs.jobs[0];
    snprintf(text, sizeof(text), "%s", !jobs.count ? "(none)" : job->output ? job->output
                                       : job->error);
    store_jobs_free(&jobs);
    return text;
}

static void done(struct expedition *self, enum store_job_state state, uint64_t count)
{
    queue_rig_until(&self->rig, self->task, QUEUE_TARGET, state, count);
}

LOCAL_TEST(an_address_is_fetched_read_and_then_its_claims_are_looked_at)
{
    static struct expedition self;
    self = (struct expedition){ 0 };
    BEGIN(&self, store, { "/1", HTML, .body = one });
    add_url(&self, "a.test", "/1");
    done(&self, STORE_JOB_COMPLETED, 1);
    CHECK(strstr(last_of(&self, STORE_JOB_COMPLETED), "\"ok\":true"));
    queue_rig_until(&self.rig, self.task, QUEUE_VERIFY, STORE_JOB_COMPLETED, 1);
    end(&self);
}

LOCAL_TEST(what_another_site_says_supports_a_claim)
{
    static struct expedition self;
    self = (struct expedition){ 0 };
    struct store_claims claims;
    struct store_edges edges;
    BEGIN(&self, store, { "/1", HTML, .body = one }, { "/2", HTML, .body = two });
    add_url(&self, "a.test", "/1");
    done(&self, STORE_JOB_COMPLETED, 1);
    add_url(&self, "b.test", "/2");
    done(&self, STORE_JOB_COMPLETED, 2);
    queue_rig_until(&self.rig, self.task, QUEUE_VERIFY, STORE_JOB_COMPLETED, 2);
    CHECK_OK(store_claim_list(store, &(struct store_claim_query){ .task = self.task,
                                                                  .max = 10 }, &claims, SOON));
    CHECK_EQ(2, claims.count);
    CHECK_OK(store_edge_list(store, store_claim_at(&claims, 0).id, 10, &edges, SOON));
    CHECK_EQ(2, edges.count);
    CHECK_EQ(STORE_ORIGIN, store_edge_at(&edges, 0).relation);
    CHECK_EQ(STORE_SUPPORTS, store_edge_at(&edges, 1).relation);
    store_edges_free(&edges);
    store_claims_free(&claims);
    end(&self);
}

LOCAL_TEST(a_page_that_cannot_be_had_fails_its_job_with_the_reason)
{
    static struct expedition self;
    self = (struct expedition){ 0 };
    BEGIN(&self, store, { "/gone", .status = 404 });
    add_url(&self, "a.test", "/gone");
    done(&self, STORE_JOB_FAILED, 1);
    CHECK_STR("HTTP_STATUS: it was answered with 404", last_of(&self, STORE_JOB_FAILED));
    end(&self);
}

LOCAL_TEST(a_page_that_wants_a_person_sets_its_job_aside)
{
    static struct expedition self;
    self = (struct expedition){ 0 };
    struct store_auths auths;
    struct queue_why why;
    BEGIN(&self, store, { "/c", HTML, .status = 403, .body =
                          "<title>Wait</title><div class=\"h-captcha\" data-sitekey=x>" });
    add_url(&self, "a.test", "/c");
    done(&self, STORE_JOB_WAITING, 1);
    CHECK_OK(queue_auth_list(self.rig.queue, self.task, &auths, &why, SOON));
    CHECK_EQ(1, auths.count);
    CHECK_STR("hcaptcha", auths.auths[0].type);
    store_auths_free(&auths);
    end(&self);
}

LOCAL_TEST(no_more_pages_are_fetched_than_the_task_may)
{
    static struct expedition self;
    self = (struct expedition){ 0 };
    BEGIN(&self, store, { "/1", HTML, .body = one });
    for (int i = 0; i < 3; i++)
        CHECK_OK(store_task_spend(store, self.task, SOON));
    CHECK_OK(store_task_allow(store, self.task, 4, -1, SOON));
    add_url(&self, "a.test", "/1");
    add_url(&self, "b.test", "/1");
    done(&self, STORE_JOB_COMPLETED, 1);
    done(&self, STORE_JOB_FAILED, 1);
    CHECK_STR("BUDGET_EXHAUSTED: the pages of the task are used up",
              last_of(&self, STORE_JOB_FAILED));
    end(&self);
}

LOCAL_TEST(a_target_that_is_none_fails_its_job)
{
    static struct expedition self;
    self = (struct expedition){ 0 };
    BEGIN(&self, store, { "/1", HTML, .body = one });
    add_target(&self, "{\"kind\":\"url\"}");
    done(&self, STORE_JOB_FAILED, 1);
    CHECK_STR("INVALID_PARAMS: the target has no url", last_of(&self, STORE_JOB_FAILED));
    add_target(&self, "{\"kind\":\"smell\"}");
    done(&self, STORE_JOB_FAILED, 2);
    CHECK_STR("INVALID_PARAMS: the target of this job is no query, url or doi",
              last_of(&self, STORE_JOB_FAILED));
    end(&self);
}

LOCAL_TEST(a_stop_ends_a_fetch_that_hangs)
{
    static struct expedition self;
    self = (struct expedition){ 0 };
    struct queue_stopped stopped;
    struct queue_why why;
    BEGIN(&self, store, { "/slow", HTML, .body = one, .delay = WR_S(250) });
    add_url(&self, "a.test", "/slow");
    done(&self, STORE_JOB_RUNNING, 1);
    CHECK_OK(queue_stop(self.rig.queue, self.task, &(struct queue_stop){ .mode = QUEUE_FULL },
                        &stopped, &why, SOON));
    CHECK_EQ(1, stopped.interrupted);
    done(&self, STORE_JOB_CANCELED, 1);
    end(&self);
}
