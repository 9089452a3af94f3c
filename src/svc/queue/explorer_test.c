#include "svc/queue/explorer.h"

#include "store/edge.h"
#include "store/claim.h"
#include "testing/expedition_rig.h"

static const char one[] =
    "<title>One</title><article><h1>One</h1><p>The tides of the sea are caused by the gravity "
    "of the moon, as Newton explained in 1687 to everybody.</p></article>";
static const char two[] =
    "<title>Two</title><article><h1>Two</h1><p>As Newton explained in 1687, the tides of the "
    "sea are caused by the gravity of the moon, and that is settled.</p></article>";

LOCAL_TEST(an_address_is_fetched_read_and_then_its_claims_are_looked_at)
{
    BEGIN(store, { "/1", HTML, .body = one });
    add_url("a.test", "/1");
    done(STORE_JOB_COMPLETED, 1);
    CHECK(strstr(last_of(STORE_JOB_COMPLETED), "\"ok\":true"));
    queue_rig_until(&expedition.rig, expedition.task, QUEUE_VERIFY, STORE_JOB_COMPLETED, 1);
    end();
}

LOCAL_TEST(what_another_site_says_supports_a_claim)
{
    struct store_claims claims;
    struct store_edges edges;
    BEGIN(store, { "/1", HTML, .body = one }, { "/2", HTML, .body = two });
    add_url("a.test", "/1");
    done(STORE_JOB_COMPLETED, 1);
    queue_rig_until(&expedition.rig, expedition.task, QUEUE_VERIFY, STORE_JOB_COMPLETED, 1);
    add_url("b.test", "/2");
    done(STORE_JOB_COMPLETED, 2);
    queue_rig_until(&expedition.rig, expedition.task, QUEUE_VERIFY, STORE_JOB_COMPLETED, 2);
    CHECK_OK(store_claim_list(store, &(struct store_claim_query){ .task = expedition.task,
                                                                  .max = 10 }, &claims, SOON));
    CHECK_EQ(2, claims.count);
    CHECK_OK(store_edge_list(store, store_claim_at(&claims, 0).id, 10, &edges, SOON));
    CHECK_EQ(2, edges.count);
    CHECK_EQ(STORE_ORIGIN, store_edge_at(&edges, 0).relation);
    CHECK_EQ(STORE_SUPPORTS, store_edge_at(&edges, 1).relation);
    store_edges_free(&edges);
    store_claims_free(&claims);
    end();
}

LOCAL_TEST(a_page_that_cannot_be_had_fails_its_job_with_the_reason)
{
    BEGIN(store, { "/gone", .status = 404 });
    add_url("a.test", "/gone");
    done(STORE_JOB_FAILED, 1);
    CHECK_STR("HTTP_STATUS: it was answered with 404", last_of(STORE_JOB_FAILED));
    end();
}

LOCAL_TEST(a_page_that_wants_a_person_sets_its_job_aside)
{
    struct store_auths auths;
    struct queue_why why;
    uint64_t count;
    BEGIN(store, { "/c", HTML, .status = 403, .body =
                          "<title>Wait</title><div class=\"h-captcha\" data-sitekey=x>" });
    add_url("a.test", "/c");
    done(STORE_JOB_WAITING, 1);
    CHECK_OK(queue_auth_list(expedition.rig.queue, expedition.task, &auths, &count, &why,
                             SOON));
    CHECK_EQ(1, auths.count);
    CHECK_STR("hcaptcha", auths.auths[0].type);
    store_auths_free(&auths);
    end();
}

LOCAL_TEST(no_more_pages_are_fetched_than_the_task_may)
{
    BEGIN(store, { "/1", HTML, .body = one });
    for (int i = 0; i < 3; i++)
        CHECK_OK(store_task_spend(store, expedition.task, SOON));
    CHECK_OK(store_task_allow(store, expedition.task, 4, -1, SOON));
    add_url("a.test", "/1");
    add_url("b.test", "/1");
    done(STORE_JOB_COMPLETED, 1);
    done(STORE_JOB_FAILED, 1);
    CHECK_STR("BUDGET_EXHAUSTED: the pages of the task are used up",
              last_of(STORE_JOB_FAILED));
    end();
}

LOCAL_TEST(a_target_that_is_none_fails_its_job)
{
    BEGIN(store, { "/1", HTML, .body = one });
    add_target("{\"kind\":\"url\"}", "{}");
    done(STORE_JOB_FAILED, 1);
    CHECK_STR("INVALID_PARAMS: the target has no url", last_of(STORE_JOB_FAILED));
    add_target("{\"kind\":\"smell\"}", "{}");
    done(STORE_JOB_FAILED, 2);
    CHECK_STR("INVALID_PARAMS: the target of this job is no query, url or doi",
              last_of(STORE_JOB_FAILED));
    end();
}

LOCAL_TEST(what_search_engines_have_found_is_not_asked_for_again)
{
    static char found[300];
    static const char query[] = "{\"kind\":\"query\",\"query\":\"why tides\"}";
    static const char options[] = "{\"serp_engines\":[\"mojeek\"],\"academic_apis\":[]}";
    expedition.catalogue.body = found;
    BEGIN(store, { "/1", HTML, .body = one });
    snprintf(found, sizeof(found), "{\"results\":[{\"url\":\"%s\",\"title\":\"One\","
             "\"engines\":[\"mojeek\"]}],\"unresponsive_engines\":[]}",
             stranger_url(&expedition.stranger, "a.test", "/1"));
    add_target(query, options);
    done(STORE_JOB_COMPLETED, 1);
    CHECK(says("\"pages_fetched\":1"));
    unsigned asked = expedition.catalogue.asked;
    CHECK(asked >= 1);
    add_target(query, options);
    done(STORE_JOB_COMPLETED, 2);
    CHECK_EQ(asked, expedition.catalogue.asked);
    end();
}

LOCAL_TEST(a_stop_ends_a_fetch_that_hangs)
{
    struct queue_stopped stopped;
    struct queue_why why;
    BEGIN(store, { "/slow", HTML, .body = one, .delay = WR_S(250) });
    add_url("a.test", "/slow");
    done(STORE_JOB_RUNNING, 1);
    settle();               /* claimed is not begun: until the fetch hangs */
    CHECK_OK(queue_stop(expedition.rig.queue, expedition.task, &(struct queue_stop){
        .mode = QUEUE_FULL }, &stopped, &why, SOON));
    CHECK_EQ(1, stopped.interrupted);
    done(STORE_JOB_CANCELED, 1);
    end();
}

/* ---- who is no job ---- */

static atomic_bool enough;

static wr_err pardon_on(void *arg)
{
    while (!atomic_load(&enough)) {
        explorer_pardon(arg, "google");
        explorer_pardon(arg, "a.test");
        (void)!wr_sleep(wr_after(WR_US(1)));
    }
    return WR_OK;
}

LOCAL_TEST(domains_are_pardoned_while_it_stops_and_starts)
{
    struct sources *none = NULL;
    struct explorer *explorer;
    struct wr_scope *scope = scope_open();
    CHECK_OK(explorer_new(&explorer, &none));
    explorer->store = store;
    explorer->memory = page_memory(store);
    explorer->crawl_conf.memory = &explorer->memory;
    atomic_store(&enough, false);
    go(scope, pardon_on, explorer);
    for (int i = 0; i < 20; i++) {
        CHECK_OK(explorer_start(explorer));
        CHECK_OK(wr_sleep(wr_after(WR_US(1))));
        explorer_stop(explorer);
    }
    atomic_store(&enough, true);
    CHECK_OK(wr_scope_join(scope, SOON));
    CHECK_OK(wr_scope_close(scope));
    explorer_free(explorer);
}
