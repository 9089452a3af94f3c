#include "net/oap_server.h"

#include <string.h>

#include "testing/test.h"

static struct wr_oap oap;

static struct wr_oap_call *call_of(struct oap_mailbox *mailbox, const char *payload)
{
    struct wr_addr peer = { .kind = WR_ADDR_UNIX };
    struct oap_frame frame = { .proto = 7, .corr = 9, .payload_len = strlen(payload) };
    frame.memory = (unsigned char *)strdup(payload);
    frame.payload = frame.memory;
    struct wr_oap_call *call = oap_call_new(&oap, mailbox, &peer, &frame);
    CHECK(frame.memory == NULL);
    return call;
}

TEST(a_call_takes_its_frame_over_and_shows_it)
{
    struct oap_mailbox *mailbox = NULL;
    size_t len;
    REQUIRE_OK(oap_mailbox_new(&mailbox));
    struct wr_oap_call *call = call_of(mailbox, "abc");
    CHECK(memcmp(wr_oap_payload(call, &len), "abc", 3) == 0 && len == 3);
    CHECK_EQ(9, wr_oap_corr(call));
    CHECK_EQ(WR_ADDR_UNIX, wr_oap_peer(call)->kind);
    CHECK_EQ(0, wr_oap_tenant(call)[15]);
    CHECK_EQ(3, oap_call_size(call));
    oap_call_release(call);
    CHECK_EQ(0, oap_call_size(call));
    CHECK_EQ(9, wr_oap_corr(call));
    oap_call_drop(call);
    oap_mailbox_drop(mailbox);
}

TEST(an_answer_is_posted_unless_the_connection_has_given_up)
{
    struct oap_mailbox *mailbox = NULL;
    struct wr_oap_call *got = NULL;
    REQUIRE_OK(oap_mailbox_new(&mailbox));
    struct wr_oap_call *call = call_of(mailbox, "");
    atomic_store(&call->holders, 2);
    wr_oap_refuse(call, WR_BUSY);
    CHECK_OK(wr_chan_recv(mailbox->done, &got, WR_NOW));
    CHECK(got == call);
    CHECK_EQ(WR_BUSY, call->failed);
    oap_call_drop(call);
    oap_call_drop(call);

    call = call_of(mailbox, "");
    atomic_store(&call->holders, 2);
    atomic_store(&call->claim, OAP_ABANDONED);
    wr_oap_refuse(call, WR_BUSY);
    CHECK(wr_chan_recv(mailbox->done, &got, WR_NOW) != WR_OK);
    oap_call_drop(call);
    oap_mailbox_drop(mailbox);
}

TEST(an_answer_to_a_connection_that_is_gone_is_dropped)
{
    struct oap_mailbox *mailbox = NULL;
    REQUIRE_OK(oap_mailbox_new(&mailbox));
    struct wr_oap_call *call = call_of(mailbox, "");
    wr_chan_close(mailbox->done);
    oap_mailbox_drop(mailbox);          /* the call holds it */
    wr_oap_refuse(call, WR_BUSY);       /* and this is the end of both */
}

TEST_PLAIN(codes_are_those_of_the_protocol)
{
    static const struct wr_oap_verb verb = { .name = "X" };
    static const struct { wr_err err; bool unauthorized; unsigned code; } rows[] = {
        { WR_OK, false, 200 }, { WR_INVALID, false, 400 }, { WR_INVALID, true, 401 },
        { WR_DENIED, true, 403 }, { WR_NOTFOUND, false, 404 }, { WR_BUSY, true, 429 },
        { WR_PANIC, false, 500 }, { WR_DRAINING, false, 503 }, { WR_TIMEOUT, false, 503 },
        { WR_IO, false, 503 }, { WR_EXISTS, false, 400 }, { WR_UNSUPPORTED, false, 404 },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct wr_oap_call call = { .verb = &verb, .failed = rows[i].err,
                                    .unauthorized = rows[i].unauthorized };
        CHECK_EQ(rows[i].code, oap_call_code(&call));
    }
    struct wr_oap_call none = { .failed = WR_INVALID };
    CHECK_EQ(404, oap_call_code(&none));
    struct wr_oap_call large = { .verb = &verb, .failed = WR_INVALID, .code = 413 };
    CHECK_EQ(413, oap_call_code(&large));
}
