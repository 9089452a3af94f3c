/* queue_report_test.c - what a task has found, to be read. */
#include "svc/queue/queue_report.h"

#include <stdio.h>

#include "store/blob.h"
#include "store/edge.h"
#include "store/webpage.h"
#include "testing/mcp_rig.h"
#include "testing/queue_rig.h"

#define CLAIM "Wine *is* red"
#define READ(uri) "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":" \
    "{\"uri\":\"" uri "\"," RIG_META "}}"

static struct shop {
    struct queue_rig jobs;
    struct queue_desk desk;
    struct mcp_resource resources[QUEUE_RESOURCES];
    struct mcp_offer offer;
    struct client client;
    const char *task;
} shop;

static void shop_open(struct store *store)
{
    memset(&shop, 0, sizeof(shop));
    queue_rig_start(&shop.jobs, store);
    shop.desk.queue = shop.jobs.queue;
    queue_resources(shop.resources, &shop.desk);
    shop.offer = (struct mcp_offer){ .name = "shop", .version = "1",
                                     .resources = shop.resources,
                                     .resource_count = QUEUE_RESOURCES };
    client_open(&shop.client);
    mcp_session_free(shop.client.session);
    CHECK_OK(mcp_session_new(&shop.client.session, &shop.offer));
    shop.task = queue_rig_task(&shop.jobs);
}

static void shop_close(void)
{
    client_close(&shop.client);
    queue_rig_stop(&shop.jobs);
}

static const char *read_of(const char *says, const char *id)
{
    static char request[1000];
    snprintf(request, sizeof(request), says, id);
    return client_say(&shop.client, request);
}

/* A page with one fragment, and a claim if it is the task's first. */
static void put_page(struct store *store, const char *url, const char *words, bool claims,
                     char *ret_fragment)
{
    struct store_page_put put;
    struct store_fragment_new fragment = { .type = "paragraph", .text = words,
                                           .heading = "On wine" };
    struct store_claim_new claim = { .text = CLAIM, .type = "fact", .confidence = -1 };
    CHECK_OK(store_page_put(store, &(struct store_page_new){
        .page = { .url = url, .domain = "a.example", .http_status = 200, .title = "A <page>" },
        .task = shop.task, .reason = "serp", .fragments = &fragment, .fragment_count = 1,
        .claims = &claim, .claim_count = claims ? 1 : 0 }, &put, WR_NEVER));
    store_fragment_id(ret_fragment, put.id, words);
}

LOCAL_TEST(a_report_has_claims_with_what_speaks_for_and_against_them)
{
    char first[STORE_EVIDENCE_ID], second[STORE_EVIDENCE_ID], claim[STORE_EVIDENCE_ID];
    uint64_t fresh;
    shop_open(store);
    put_page(store, "https://a.example/1", "# All wine\nis red.", true, first);
    put_page(store, "https://a.example/2?q=<x>", "Some wine is white.", false, second);
    store_claim_id(claim, shop.task, first, CLAIM);
    struct store_judgement judgement = { .fragment = second, .claim = claim,
                                         .relation = STORE_REFUTES, .confidence = 0.8 };
    CHECK_OK(store_edge_judge(store, &judgement, 1, &fresh, WR_NEVER));
    queue_rig_add(&shop.jobs, shop.task, "fail");
    queue_rig_until(&shop.jobs, shop.task, QUEUE_TARGET, STORE_JOB_FAILED, 1);
    struct wr_text text = wr_text_heap(1 << 20);
    CHECK_OK(queue_report_write(&shop.desk, shop.task, &text, WR_NEVER));
    static const char *const parts[] = {
        "# water is wet\n\nTask `task_",
        "is exploring: 0 targets done, 1 failed, 0 jobs open; 0 of 200 pages used.",
        "Found: 2 pages, 2 fragments, 1 claims;",
        " 0 fragments speak for claims, 1 against.",
        "1. Wine \\*is\\* red - support 36 %\n",
        "   - origin: \"\\# All wine is red.\" [A \\<page\\>](<https://a.example/1>)\n",
        "   - refutes (0.80): \"Some wine is white.\" [A \\<page\\>]",
        "(<https://a.example/2?q=%3Cx%3E>)\n",
        "## Sources\n\n- a.example: 2 pages\n",
        "## What could not be done\n\n-  (ALL_FETCHES_FAILED): it is broken\n",
    };
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        if (!CHECK(strstr(text.at, parts[i])))
            printf("# %s\n# is not in\n# %s\n", parts[i], text.at);
    wr_text_free(&text);
    shop_close();
}

LOCAL_TEST(a_task_without_claims_says_so)
{
    shop_open(store);
    const char *heard = read_of(READ("weir://task/%s"), shop.task);
    CHECK(has(heard, "\"mimeType\":\"text/markdown\""));
    CHECK(has(heard, "## Claims\\n\\nNone was found yet.\\n"));
    CHECK(has(read_of(READ("weir://task/%s"), "task_0"), "\"error\""));
    shop_close();
}

LOCAL_TEST(fragments_and_blobs_are_read_by_their_ids)
{
    char fragment[STORE_EVIDENCE_ID], cid[WR_CID_TEXT];
    shop_open(store);
    put_page(store, "https://a.example/1", "All wine is red.", false, fragment);
    const char *heard = read_of(READ("weir://fragment/%s"), fragment);
    CHECK(has(heard, "https://a.example/1\\nA <page>\\nOn wine\\n\\nAll wine is red.\\n"));
    CHECK(has(read_of(READ("weir://fragment/%s"), "f_0"), "\"error\""));
    CHECK_OK(store_blob_put(store, "<p>wine", 7, cid, WR_NEVER));
    CHECK(has(read_of(READ("weir://blob/%s"), cid), "\"text\":\"<p>wine\""));
    CHECK(has(read_of(READ("weir://blob/%s"), "b3:00"), "\"error\""));
    CHECK_OK(store_blob_remove(store, cid, WR_NEVER));
    shop_close();
}

LOCAL_TEST(a_blob_that_is_no_utf8_is_told_to_the_byte)
{
    char pdf[WR_CID_TEXT], latin[WR_CID_TEXT];
    shop_open(store);
    CHECK_OK(store_blob_put(store, "%PDF-\xff\x00", 7, pdf, WR_NEVER));
    CHECK_OK(store_blob_put(store, "<p>caf\xe9", 7, latin, WR_NEVER));
    CHECK(has(read_of(READ("weir://blob/%s"), pdf),
              "\"mimeType\":\"application/pdf\",\"blob\":\"JVBERi3/AA==\""));
    CHECK(has(read_of(READ("weir://blob/%s"), latin),
              "\"mimeType\":\"application/octet-stream\",\"blob\":\"PHA+Y2Fm6Q==\""));
    CHECK_OK(store_blob_remove(store, pdf, WR_NEVER));
    CHECK_OK(store_blob_remove(store, latin, WR_NEVER));
    shop_close();
}

LOCAL_TEST(without_a_queue_nothing_is_there)
{
    shop_open(store);
    shop.desk.queue = NULL;
    CHECK(has(read_of(READ("weir://task/%s"), shop.task), "\"error\""));
    CHECK(has(read_of(READ("weir://fragment/%s"), "f"), "\"error\""));
    CHECK(has(read_of(READ("weir://blob/%s"), "b"), "\"error\""));
    shop_close();
}
