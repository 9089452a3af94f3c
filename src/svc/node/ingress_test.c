/* ingress_test.c - OAP/1 into a node: the same queue, the same workers, the same end. */
#include <weir/chan.h>
#include <weir/oap.h>
#include <weir/task.h>

#include "net/oap.h"
#include "testing/node_rig.h"
#include "testing/token_rig.h"

static struct wr_oap_client *dial_oap(struct rig *rig)
{
    struct wr_oap_client *client = NULL;
    CHECK_OK(wr_oap_connect(&client, &(struct wr_oap_server){ .addr = &rig->face.oap },
                            wr_after(WR_S(1))));
    return client;
}

static unsigned ask_oap(struct wr_oap_client *client, uint16_t id, const char *begins)
{
    struct wr_oap_answer answer = { 0 };
    REQUIRE_OK(wr_oap_ask(client, &(struct wr_oap_request){ .id = id }, 1 << 20, &answer,
                          wr_after(WR_S(5))), 0);
    CHECK(strncmp(answer.payload, begins, strlen(begins)) == 0);
    free(answer.payload);
    return answer.code;
}

static const char *const flags[] = { "--oap-addr", "127.0.0.1:0", NULL };

TEST(a_ping_tells_whether_the_node_is_ready)
{
    struct rig rig;
    rig_begin(&rig, flags);
    struct wr_oap_client *client = dial_oap(&rig);
    CHECK_EQ(200, ask_oap(client, WR_OAP_HEALTH_PING, "{\"ready\":true,\"snapshot\":1}"));
    wr_oap_close(client);
    CHECK_OK(rig_end(&rig));
}

TEST(a_snapshot_of_the_configuration_comes_from_a_worker)
{
    struct rig rig;
    rig_begin(&rig, flags);
    struct wr_oap_client *client = dial_oap(&rig);
    CHECK_EQ(200, ask_oap(client, WR_OAP_CFG_SNAP, "{"));
    wr_oap_close(client);
    CHECK_OK(rig_end(&rig));
}

TEST(an_unknown_verb_is_told_so)
{
    struct rig rig;
    rig_begin(&rig, flags);
    struct wr_oap_client *client = dial_oap(&rig);
    CHECK_EQ(404, ask_oap(client, 0x7777, "{"));
    wr_oap_close(client);
    CHECK_OK(rig_end(&rig));
}

TEST(its_connections_do_not_keep_a_node_from_leaving)
{
    struct rig rig;
    rig_begin(&rig, flags);
    struct wr_oap_client *client = dial_oap(&rig);
    CHECK_EQ(200, ask_oap(client, WR_OAP_HEALTH_PING, "{"));
    wr_time before = wr_now();
    CHECK_OK(rig_end(&rig));
    CHECK(wr_now() - before < WR_S(1));
    wr_oap_close(client);
}

/* ---- verbs of services ---- */

static struct wr_once *opened;

static wr_err slow(struct wr_oap_call *call)
{
    wr_err err = wr_once_wait(opened, NULL, WR_NEVER);
    wr_oap_write(call, "done", 4);
    return err;
}

static wr_err quick(struct wr_oap_call *call)
{
    wr_oap_write(call, wr_oap_arg(call), strlen(wr_oap_arg(call)));
    return WR_OK;
}

/* Those who run in tasks of the service. */
static struct wr_chan *own_work;

static wr_err submit_own(void *arg, struct wr_oap_call *call)
{
    CHECK_STR("mine", arg);
    return wr_chan_send(own_work, &call, WR_NOW);
}

static wr_err work(void *arg, struct wr_once *drain)
{
    struct wr_oap_call *call;
    (void)arg;
    while (!wr_once_done(drain) && !wr_chan_recv(own_work, &call, wr_after(WR_MS(10))))
        wr_oap_run(call);
    return wr_once_wait(drain, NULL, WR_NEVER);
}

/* One that has a place of its own. */
static bool full;
static int came, went;

static wr_err come(void *arg, struct wr_oap_call *call)
{
    CHECK_STR("apart", arg);
    if (full)
        return wr_oap_fail(call, WR_BUSY, "there is no place");
    came++;
    return WR_OK;
}

static void go_away(void *arg, struct wr_oap_call *call)
{
    CHECK_STR("apart", arg);
    CHECK(!*wr_oap_memo(call));
    went++;
}

enum { QUICK = 0x100, SLOW, OWN, APART };

static const struct node_verb service_verbs[] = {
    { .row = { .id = QUICK, .name = "QUICK", .handler = quick, .arg = "quick" },
      .scope = "test.read" },
    { .row = { .id = SLOW, .name = "SLOW", .handler = slow, .deadline = WR_S(50) } },
    { .row = { .id = OWN, .name = "OWN", .handler = quick, .arg = "mine" },
      .submit = submit_own },
    { .row = { .id = APART, .name = "APART", .handler = quick, .arg = "apart" },
      .enter = come, .leave = go_away },
};
static const struct wr_child worker = { .name = "test.worker", .run = work,
                                        .restart = WR_RESTART_ALWAYS };
static const struct node_service service = {
    .name = "test", .verbs = service_verbs, .verb_count = 4, .children = &worker,
    .child_count = 1,
};
static const char *const names[] = { "test", "other", NULL };

static void begin_service(struct rig *rig, const char *const *more)
{
    CHECK_OK(wr_once_new(&opened, "test.opened", 0));
    CHECK_OK(wr_chan_new(&own_work, &(struct wr_chan_conf){
        .name = "test.own", .item_size = sizeof(struct wr_oap_call *), .cap = 4,
        .policy = WR_REJECT }));
    came = went = 0;
    full = false;
    rig_service = &service;
    rig_services = names;
    rig_begin(rig, more);
    rig_services = NULL;
}

static void end_service(struct rig *rig)
{
    CHECK_OK(rig_end(rig));
    wr_chan_free(own_work);
    wr_once_free(opened);
}

TEST(a_service_has_verbs_that_workers_of_the_node_run_or_tasks_of_its_own)
{
    struct rig rig;
    begin_service(&rig, flags);
    struct wr_oap_client *client = dial_oap(&rig);
    CHECK_EQ(200, ask_oap(client, QUICK, "quick"));
    CHECK_EQ(200, ask_oap(client, OWN, "mine"));
    CHECK_EQ(200, ask_oap(client, WR_OAP_HEALTH_PING, "{"));
    wr_oap_close(client);
    end_service(&rig);
}

TEST(verbs_of_a_service_that_is_not_enabled_are_not_there)
{
    struct rig rig;
    begin_service(&rig, (const char *const[]){ "--oap-addr", "127.0.0.1:0",
                                               "--services-enable", "other", NULL });
    struct wr_oap_client *client = dial_oap(&rig);
    CHECK_EQ(404, ask_oap(client, QUICK, "{"));
    wr_oap_close(client);
    end_service(&rig);
}

TEST(a_token_that_is_none_is_refused_also_at_home)
{
    struct rig rig;
    struct wr_oap_answer answer = { 0 };
    begin_service(&rig, flags);
    struct wr_oap_client *client = dial_oap(&rig);
    CHECK_OK(wr_oap_ask(client, &(struct wr_oap_request){ .id = QUICK, .cap = "none",
                                                          .cap_len = 4 },
                        1 << 20, &answer, wr_after(WR_S(5))));
    CHECK_EQ(401, answer.code);
    free(answer.payload);
    wr_oap_close(client);
    end_service(&rig);
}

/* Ask for QUICK with a token for this scope and tenant. */
static unsigned ask_with(struct rig *rig, struct token_rig *tokens, const char *scope,
                         const char *tenant)
{
    char text[WR_TOKEN_TEXT_MAX];
    struct wr_oap_answer answer = { 0 };
    struct wr_oap_client *client = dial_oap(rig);
    size_t len = token_rig_text(tokens, text, "holder", scope, tenant);
    CHECK_OK(wr_oap_ask(client, &(struct wr_oap_request){
        .id = QUICK, .tenant = { 0x0a, [15] = 0xff }, .cap = text, .cap_len = len }, 1 << 20,
        &answer, wr_after(WR_S(5))));
    wr_oap_close(client);
    free(answer.payload);
    return answer.code;
}

#define FRAME "0a0000000000000000000000000000ff"

TEST(a_token_is_for_the_scope_of_a_verb_and_the_tenant_of_a_frame)
{
    struct rig rig;
    struct token_rig tokens;
    token_rig_open(&tokens);
    begin_service(&rig, (const char *const[]){ "--oap-addr", "127.0.0.1:0", "--auth-key-path",
                                               tokens.path, NULL });
    CHECK_EQ(200, ask_with(&rig, &tokens, "test.read", FRAME));
    CHECK_EQ(403, ask_with(&rig, &tokens, "test.admin", FRAME));
    CHECK_EQ(403, ask_with(&rig, &tokens, "test.read", "0a0000000000000000000000000000fe"));
    end_service(&rig);
    token_rig_close(&tokens);
}

/* ---- the mailbox ---- */

/* Somebody at an address of his own, and what he is answered. */
struct asking {
    struct wr_stream *stream;
    unsigned code;                      /* 0: he waits */
    char why[300];
};

static void write_frame(struct wr_stream *stream, struct oap_frame frame, const char *payload)
{
    unsigned char head[OAP_HEAD];
    size_t size;
    frame.payload_len = (uint32_t)strlen(payload);
    oap_encode(head, &frame);
    CHECK_OK(wr_stream_write(stream, &size, (struct wr_piece[]){
        { head, OAP_HEAD }, { payload, strlen(payload) } }, 2, wr_after(WR_S(1))));
}

static wr_err hear_answer(void *arg)
{
    struct asking *asking = arg;
    struct oap_decoder decoder;
    struct oap_frame frame;
    unsigned char bytes[4096];
    size_t have = 0, at = 0, used;
    oap_open(&decoder, OAP_FRAME_MAX);
    while (!asking->code) {
        enum oap_state state = oap_feed(&decoder, bytes + at, have - at, &used, &frame);
        at += used;
        if (state == OAP_FRAME && frame.corr == 2) {
            asking->code = frame.code;
            snprintf(asking->why, sizeof(asking->why), "%.*s", (int)frame.payload_len,
                     (const char *)frame.payload);
        }
        if (state == OAP_FRAME)
            oap_frame_free(&frame);
        if (state != OAP_MORE)
            continue;
        at = 0;
        if (wr_stream_read(asking->stream, &have, bytes, sizeof(bytes), WR_NEVER) || !have)
            break;
    }
    oap_close(&decoder);
    return WR_OK;
}

/* Ask for SLOW from 127.0.0.`host`, as whatever tenant. */
static void ask_beside(struct rig *rig, struct asking *asking, int host, unsigned char tenant)
{
    char from[20];
    snprintf(from, sizeof(from), "127.0.0.%d", host);
    *asking = (struct asking){ .stream = rig_dial_from(&rig->face.oap, from) };
    write_frame(asking->stream, (struct oap_frame){ .flags = OAP_REQ, .corr = 1 },
                "{\"ua\":null}");
    write_frame(asking->stream, (struct oap_frame){ .flags = OAP_REQ, .corr = 2, .proto = SLOW,
                                                   .tenant = { tenant } }, "");
    CHECK_OK(wr_scope_go(wr_scope_self(), "test.asking", hear_answer, asking));
    settle();
}

TEST(the_mailbox_answers_429_beyond_its_units_and_one_may_again_when_one_has_left)
{
    struct rig rig;
    static struct asking asking[4];
    begin_service(&rig, (const char *const[]){ "--oap-addr", "127.0.0.1:0", "--facets-mailbox",
                                               "2", "--workers-count", "4", NULL });
    for (int i = 0; i < 3; i++)
        ask_beside(&rig, &asking[i], 2 + i, 0);
    CHECK_EQ(429, asking[2].code);
    CHECK(strstr(asking[2].why, "mailbox: "));
    struct wr_oap_client *client = dial_oap(&rig);
    CHECK_EQ(200, ask_oap(client, WR_OAP_HEALTH_PING, "{"));    /* priority is not work */
    CHECK_EQ(429, ask_oap(client, WR_OAP_CFG_SNAP, "{"));
    CHECK_OK(wr_once_set(opened, NULL));
    settle();
    CHECK_EQ(200, asking[0].code);
    CHECK_EQ(200, asking[1].code);
    ask_beside(&rig, &asking[3], 2, 0);
    CHECK_EQ(200, asking[3].code);
    wr_oap_close(client);
    for (int i = 0; i < 4; i++)
        wr_stream_close(asking[i].stream);
    end_service(&rig);
}

TEST(an_address_that_has_filled_its_part_of_the_mailbox_is_refused_and_others_are_not)
{
    struct rig rig;
    static struct asking asking[34];
    begin_service(&rig, (const char *const[]){ "--oap-addr", "127.0.0.1:0", "--facets-mailbox",
                                               "100", "--workers-count", "2", NULL });
    for (int i = 0; i < 33; i++)
        ask_beside(&rig, &asking[i], 2, (unsigned char)i);      /* whatever tenant he names */
    CHECK_EQ(0, asking[31].code);                               /* it waits */
    CHECK_EQ(429, asking[32].code);
    ask_beside(&rig, &asking[33], 3, 7);
    CHECK_EQ(0, asking[33].code);
    CHECK_OK(wr_once_set(opened, NULL));
    settle();
    CHECK_EQ(200, asking[31].code);
    CHECK_EQ(200, asking[33].code);
    for (int i = 0; i < 34; i++)
        wr_stream_close(asking[i].stream);
    end_service(&rig);
}

TEST(with_the_presets_an_address_has_half_of_the_mailbox_at_most)
{
    struct rig rig;
    static struct asking asking[6];
    begin_service(&rig, (const char *const[]){ "--oap-addr", "127.0.0.1:0", "--workers-count",
                                               "8", NULL });    /* 8 units: 4 x 2 processors */
    for (int i = 0; i < 5; i++)
        ask_beside(&rig, &asking[i], 2, 0);
    CHECK_EQ(0, asking[3].code);
    CHECK_EQ(429, asking[4].code);
    ask_beside(&rig, &asking[5], 3, 0);
    CHECK_EQ(0, asking[5].code);
    CHECK_OK(wr_once_set(opened, NULL));
    settle();
    CHECK_EQ(200, asking[5].code);
    for (int i = 0; i < 6; i++)
        wr_stream_close(asking[i].stream);
    end_service(&rig);
}

TEST(a_tenant_that_a_token_is_bound_to_has_a_part_of_its_own)
{
    struct rig rig;
    struct token_rig tokens;
    static struct asking asking[4];
    token_rig_open(&tokens);
    begin_service(&rig, (const char *const[]){ "--oap-addr", "127.0.0.1:0", "--workers-count",
                                               "8", "--auth-key-path", tokens.path, NULL });
    for (int i = 0; i < 4; i++)
        ask_beside(&rig, &asking[i], 1, 0);
    struct wr_oap_client *client = dial_oap(&rig);
    CHECK_EQ(429, ask_oap(client, QUICK, "{"));
    CHECK_EQ(429, ask_with(&rig, &tokens, "test.read", NULL));
    CHECK_EQ(200, ask_with(&rig, &tokens, "test.read", FRAME));
    CHECK_OK(wr_once_set(opened, NULL));
    settle();
    wr_oap_close(client);
    for (int i = 0; i < 4; i++)
        wr_stream_close(asking[i].stream);
    end_service(&rig);
    token_rig_close(&tokens);
}

/* ---- a place of its own ---- */

TEST(a_verb_with_a_place_of_its_own_needs_no_unit_and_leaves_it_when_it_is_over)
{
    struct rig rig;
    static struct asking asking[2];
    begin_service(&rig, (const char *const[]){ "--oap-addr", "127.0.0.1:0", "--facets-mailbox",
                                               "2", "--workers-count", "4", NULL });
    for (int i = 0; i < 2; i++)
        ask_beside(&rig, &asking[i], 2 + i, 0);
    struct wr_oap_client *client = dial_oap(&rig);
    CHECK_EQ(429, ask_oap(client, QUICK, "{"));                 /* the mailbox is full */
    CHECK_EQ(200, ask_oap(client, APART, "apart"));
    settle();
    CHECK_EQ(1, came);
    CHECK_EQ(1, went);
    full = true;
    CHECK_EQ(429, ask_oap(client, APART, "{"));
    settle();
    CHECK_EQ(1, went);                                          /* who was not let in */
    CHECK_OK(wr_once_set(opened, NULL));
    settle();
    wr_oap_close(client);
    for (int i = 0; i < 2; i++)
        wr_stream_close(asking[i].stream);
    end_service(&rig);
}
