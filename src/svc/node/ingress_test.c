/* ingress_test.c - OAP/1 into a node: the same queue, the same workers, the same end. */
#include <weir/oap.h>
#include <weir/task.h>

#include "testing/node_rig.h"

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
