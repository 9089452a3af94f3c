#include "svc/check/tool.h"

#include <stdio.h>

#include <weir/file.h>

#include "svc/check/keys.h"
#include "testing/library_rig.h"
#include "testing/mcp_rig.h"

#define TWO "@article{a, title={Some title of a work}, author={Ada Lovelace}, year={1843}}\\n" \
            "@article{b, title={Another one that nobody wrote}, author={Grace Hopper}, " \
            "year={1999}}\\n"
#define CALL(arguments) "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":" \
    "{\"name\":\"check_references\",\"arguments\":{" arguments "}," RIG_META "}}"

/* A library, and as many runners as are wanted. */
static struct shop {
    struct library_rig library;
    struct wr_conf *conf;
    struct check_panel panel;
    struct intake *intake;
    struct wr_scope *scope;
    struct mcp_tool tool;
    struct mcp_resource resource;
    struct mcp_offer offer;
    struct client client;
} shop;

static wr_err run(void *arg)
{
    struct dossier *dossier;
    wr_err err;
    (void)arg;
    while (!(err = wr_chan_recv(intake_waiting(shop.intake), &dossier, WR_NEVER))) {
        dossier_work(dossier, &shop.panel, wr_after(WR_S(1000)));
        intake_ended(shop.intake, dossier, wr_after(WR_S(1)));
        dossier_unref(dossier);
    }
    return err;
}

static void open_panel(void)
{
    static const struct wr_conf_table *const tables[] = { &check_keys, NULL };
    static const struct bib_name lovelace = { "Lovelace", "Ada" };
    struct bib_record record = { .work = { .title = "Some title of a work", .year = 1843,
                                           .authors = &lovelace, .author_count = 1 },
                                 .id = "n1" };
    char why[CHECK_WHY_MAX], *argv[] = { (char *)"weir", (char *)"--check-offline", NULL };
    struct wr_conf_report report = { 0 };
    CHECK_OK(wr_conf_load(&shop.conf, &(struct wr_conf_source){
        .tables = tables, .argc = 2, .argv = argv }, &report));
    wr_conf_report_free(&report);
    library_rig_open(&shop.library);
    rig_add(&shop.library, &record);
    rig_finish(&shop.library);
    const char *paths[] = { shop.library.path };
    REQUIRE_OK(check_panel_open(&shop.panel, &(struct check_panel_conf){
        .conf = shop.conf, .libraries = paths, .library_count = 1, .alone = true }, why));
}

static void shop_open(unsigned runners)
{
    memset(&shop, 0, sizeof(shop));
    open_panel();
    CHECK_OK(intake_new(&shop.intake, &(struct intake_conf){ .waiting_max = 2 }));
    shop.scope = scope_open();
    for (unsigned i = 0; i < runners; i++)
        CHECK_OK(wr_scope_go(shop.scope, "test.runner", run, NULL));
    shop.tool = check_tool(&shop.intake);
    shop.resource = check_resource(&shop.intake);
    shop.offer = (struct mcp_offer){ .name = "shop", .version = "1", .tools = &shop.tool,
                                     .tool_count = 1, .prompts = &check_prompt,
                                     .prompt_count = 1, .resources = &shop.resource,
                                     .resource_count = 1 };
    client_open(&shop.client);
    mcp_session_free(shop.client.session);
    CHECK_OK(mcp_session_new(&shop.client.session, &shop.offer));
}

static void shop_close(void)
{
    client_close(&shop.client);
    wr_scope_cancel(shop.scope);
    (void)!wr_scope_close(shop.scope);
    intake_free(shop.intake);
    check_panel_close(&shop.panel);
    library_rig_close(&shop.library);
    wr_conf_unref(shop.conf);
}

static const char *ask(const char *says)
{
    return client_say(&shop.client, says);
}

/* The id in what was heard. */
static const char *id_of(const char *heard)
{
    static char id[DOSSIER_ID_MAX];
    const char *at = strstr(heard, "\"check_id\":\"");
    REQUIRE(at, "");
    snprintf(id, sizeof(id), "%.32s", at + strlen("\"check_id\":\""));
    return id;
}

TEST(a_text_is_checked_and_the_report_is_the_answer)
{
    shop_open(1);
    const char *heard = ask(CALL("\"text\":\"" TWO "\""));
    CHECK(has(heard, "\"status\":\"complete\",\"done\":2,\"total\":2,"
                     "\"report\":{\"version\":1,"));
    CHECK(has(heard, "\"verified\":1,\"mismatch\":0,\"not_found\":1,"));
    CHECK(has(heard, "\"verdict\":\"verified\""));
    CHECK(has(heard, "\"isError\":false"));
    CHECK(has(heard, "{\"content\":[{\"type\":\"text\",\"text\":\""));
    CHECK(has(heard, "Another one that nobody wrote"));
    shop_close();
}

TEST(a_file_is_checked_for_who_may_name_it)
{
    char path[300], says[600];
    static const char bib[] = "@book{a, title={Some title of a work}, year={1843}}";
    shop_open(1);
    snprintf(path, sizeof(path), "%s.bib", shop.library.path);
    CHECK_OK(wr_file_write_atomic(path, bib, strlen(bib), 0600, WR_NEVER));
    snprintf(says, sizeof(says), CALL("\"path\":\"%s\""), path);
    CHECK(has(ask(says), "\"status\":\"complete\""));
    shop.client.peer.local = false;
    CHECK(has(ask(says), "there is no argument \\\"path\\\""));
    CHECK_OK(wr_file_remove(path, WR_NEVER));
    shop.client.peer.local = true;
    CHECK(has(ask(says), "cannot be read: not there"));
    shop_close();
}

TEST(exactly_one_of_text_path_and_check_id_is_taken)
{
    shop_open(1);
    CHECK(has(ask(CALL("")), "give exactly one of \\\"text\\\", \\\"path\\\", "
                             "\\\"check_id\\\""));
    CHECK(has(ask(CALL("\"text\":\"x\",\"check_id\":\"y\"")), "give exactly one"));
    shop.client.peer.local = false;
    CHECK(has(ask(CALL("")), "give exactly one of \\\"text\\\", \\\"check_id\\\""));
    CHECK(has(ask(CALL("\"text\":\"\"")), "\\\"text\\\" is empty"));
    CHECK(has(ask(CALL("\"check_id\":\"0\"")), "there is no check \\\"0\\\""));
    shop_close();
}

TEST(what_is_still_running_is_no_error_and_can_be_waited_for)
{
    char says[300];
    shop_open(0);
    wr_time start = wr_now();
    const char *heard = ask(CALL("\"text\":\"" TWO "\""));
    CHECK_EQ(WR_S(30), wr_now() - start);
    CHECK(has(heard, "\"status\":\"running\",\"done\":0,\"total\":0}"));
    CHECK(has(heard, "Still running"));
    CHECK(has(heard, "\"isError\":false"));
    snprintf(says, sizeof(says), CALL("\"check_id\":\"%s\",\"wait\":0"), id_of(heard));
    CHECK(has(ask(says), "\"status\":\"running\""));
    CHECK_EQ(WR_S(30), wr_now() - start);
    CHECK_OK(wr_scope_go(shop.scope, "test.runner", run, NULL));
    snprintf(says, sizeof(says), CALL("\"check_id\":\"%s\""), id_of(shop.client.heard.at));
    CHECK(has(ask(says), "\"status\":\"complete\",\"done\":2,"));
    shop_close();
}

/* Ask for it in another fiber, cancel that, and let the document be worked on. */
static const char *canceled(const char *says)
{
    struct wr_scope *scope = scope_open();
    client_start(&shop.client, scope, says);
    wr_text_rewind(&shop.client.heard, 0);
    ask("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
        "{\"requestId\":1}}");
    scope_done(scope);
    CHECK_OK(wr_scope_go(shop.scope, "test.runner", run, NULL));
    settle();
    return shop.client.heard.at;
}

static unsigned running;

static void count(struct dossier *dossier)
{
    (void)dossier;
    running++;
}

TEST(who_cancels_what_he_has_handed_in_has_it_ended)
{
    struct dossier *dossier;
    shop_open(0);
    struct wr_scope *scope = scope_open();
    client_start(&shop.client, scope, CALL("\"text\":\"" TWO "\""));
    ask("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
        "{\"requestId\":1}}");
    scope_done(scope);
    CHECK_EQ(0, shop.client.count);
    REQUIRE_OK(wr_chan_recv(intake_waiting(shop.intake), &dossier, WR_NOW));
    dossier_work(dossier, &shop.panel, wr_after(WR_S(9)));
    CHECK_EQ(0, dossier_view(dossier).done);
    intake_ended(shop.intake, dossier, wr_after(WR_S(1)));
    dossier_unref(dossier);
    running = 0;
    intake_running(shop.intake, count);
    CHECK_EQ(0, running);
    shop_close();
}

TEST(who_only_waits_ends_nothing_by_canceling)
{
    char says[300];
    shop_open(0);
    ask(CALL("\"text\":\"" TWO "\",\"wait\":0"));
    snprintf(says, sizeof(says), CALL("\"check_id\":\"%s\""), id_of(shop.client.heard.at));
    canceled(says);
    CHECK(has(ask(says), "\"status\":\"complete\",\"done\":2,"));
    shop_close();
}

TEST(what_cannot_be_read_is_an_error_that_says_why)
{
    shop_open(1);
    const char *heard = ask(CALL("\"text\":\"PK\\u0003\\u0004 nothing\""));
    CHECK(has(heard, "\"isError\":true"));
    CHECK(!has(heard, "structuredContent"));
    shop_close();
}

TEST(one_document_too_many_is_told_to_come_later)
{
    shop_open(0);
    ask(CALL("\"text\":\"" TWO "\",\"wait\":0"));
    ask(CALL("\"text\":\"" TWO "\",\"wait\":0"));
    CHECK(has(ask(CALL("\"text\":\"" TWO "\",\"wait\":0")), "try again later"));
    shop_close();
}

TEST(progress_says_how_many_references_are_done)
{
    shop_open(0);
    struct wr_scope *scope = scope_open();
    client_start(&shop.client, scope,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                 "\"params\":{\"name\":\"check_references\",\"arguments\":{\"text\":\"" TWO
                 "\"},"
                 "\"_meta\":{\"io.modelcontextprotocol/"
                 "protocolVersion\":\"2026-07-28\",\"progressToken\":1,"
                 "\"io.modelcontextprotocol/clientCapabilities\":{}}}}");
    CHECK_OK(wr_sleep(wr_after(WR_S(11))));
    CHECK(has(shop.client.heard.at, "\"progress\":0,\"message\":\"0 of 0 references\""));
    CHECK_OK(wr_scope_go(shop.scope, "test.runner", run, NULL));
    scope_done(scope);
    CHECK(has(shop.client.heard.at, "\"status\":\"complete\""));
    shop_close();
}

TEST(a_report_can_be_read_again_by_its_uri)
{
    char says[300];
    shop_open(1);
    ask(CALL("\"text\":\"" TWO "\""));
    snprintf(says, sizeof(says), "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/read\","
             "\"params\":{\"uri\":\"weir://check/%s\"," RIG_META "}}",
             id_of(shop.client.heard.at));
    CHECK(has(ask(says), "\"text\":\"{\\\"version\\\":1,"));
    CHECK(has(ask("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/read\",\"params\":"
                  "{\"uri\":\"weir://check/0\"," RIG_META "}}"), "\"code\":-32602"));
    shop_close();
}

TEST(where_nothing_is_checked_the_tool_says_so)
{
    shop_open(0);
    struct intake *intake = shop.intake;
    shop.intake = NULL;
    CHECK(has(ask(CALL("\"text\":\"x\"")), "is not enabled"));
    shop.intake = intake;
    shop_close();
}

TEST(the_prompt_has_the_bibliography_in_it)
{
    shop_open(0);
    CHECK(has(ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\",\"params\":"
                  "{\"name\":\"verify_bibliography\",\"arguments\":{\"bibliography\":\"[1] "
                  "X.\"}," RIG_META "}}"),
              "The bibliography:\\n\\n[1] X.\\n"));
    shop_close();
}

TEST_PLAIN(the_output_schema_is_json)
{
    struct mcp_tool tool = check_tool(NULL);
    json_t *schema = json_loads(tool.output, JSON_REJECT_DUPLICATES, NULL);
    CHECK(json_is_object(json_object_get(schema, "$defs")));
    json_decref(schema);
}
