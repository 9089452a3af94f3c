/* oap_part_test.c - answers that go out while their handlers run. */
#include <malloc.h>

#include "net/oap_server.h"
#include "testing/oap_rig.h"

#define MANY ((size_t)96 << 20)         /* more than an answer that is collected may have */
#define PIECE ((size_t)100000)

/* How far the handlers below have come, and what their last part came to. */
static _Atomic size_t sent;
static _Atomic wr_err ended;

static void fill(char *bytes, size_t at, size_t len)
{
    for (size_t i = 0; i < len; i++)
        bytes[i] = (char)('a' + (at + i) % 23);
}

/* So many bytes as are in `arg`, in pieces that are no multiple of a chunk. */
static wr_err pour(struct wr_oap_call *call)
{
    size_t left = *(const size_t *)wr_oap_arg(call);
    char *bytes = malloc(PIECE);
    wr_err err = WR_OK;
    for (sent = 0; left > 0 && !err; sent += err ? 0 : PIECE) {
        size_t len = left < PIECE ? left : PIECE;
        fill(bytes, sent, len);
        err = wr_oap_send(call, bytes, len, WR_NEVER);
        left -= len;
    }
    free(bytes);
    ended = err;
    return err;
}

/* Pours on, whatever became of the deadline. */
static wr_err pour_on(struct wr_oap_call *call)
{
    struct wr_scope *shield;
    CHECK_OK(wr_scope_new(&shield, &(struct wr_scope_conf){
        .name = "test.shield", .deadline = wr_after(WR_S(100)), .shield = true }));
    wr_scope_enter(shield);
    wr_err err = pour(call);
    wr_scope_leave(shield);
    (void)!wr_scope_close(shield);
    return err;
}

/* A part, and the rest when the gate opens, whatever became of the deadline. */
static wr_err pause_between(struct wr_oap_call *call)
{
    wr_oap_write(call, "first ", 6);
    CHECK_OK(wr_oap_send(call, "part", 4, WR_NEVER));
    wr_err err = wait_shielded(gate, WR_S(100));
    ended = wr_oap_send(call, "second part", 11, WR_NEVER);
    wr_oap_write(call, "the end", 7);
    return err;
}

static wr_err break_off(struct wr_oap_call *call)
{
    wr_err err = wr_oap_send(call, "half an ans", 11, WR_NEVER);
    return err ? err : wr_oap_fail(call, WR_EXISTS, "no more of it");
}

/* Gives up soon, and does not say so. */
static wr_err forget_to_say(struct wr_oap_call *call)
{
    static const char bytes[1 << 20];
    wr_err err = WR_OK;
    while (!err)
        err = wr_oap_send(call, bytes, sizeof(bytes), wr_after(WR_MS(100)));
    ended = err;
    return WR_OK;
}

enum { SOME = 30, LOTS, NONE, PAUSE, BREAK, FORGET, ON };

static const size_t some = 250000, lots = MANY, none = 0;

static const struct wr_oap_verb parted[] = {
    { .id = SOME, .name = "SOME", .handler = pour, .arg = (void *)(uintptr_t)&some },
    { .id = LOTS, .name = "LOTS", .handler = pour, .arg = (void *)(uintptr_t)&lots,
      .deadline = WR_S(3600) },
    { .id = NONE, .name = "NONE", .handler = pour, .arg = (void *)(uintptr_t)&none },
    { .id = PAUSE, .name = "PAUSE", .handler = pause_between },
    { .id = BREAK, .name = "BREAK", .handler = break_off },
    { .id = FORGET, .name = "FORGET", .handler = forget_to_say, .deadline = WR_S(3600) },
    { .id = ON, .name = "ON", .handler = pour_on, .arg = (void *)(uintptr_t)&lots },
    { .id = ECHO, .name = "ECHO", .handler = echo },
};

static void open_parted(struct site *site, int workers)
{
    open_site_of(site, workers, 8, (struct wr_oap_conf){
        .verbs = parted, .count = sizeof(parted) / sizeof(parted[0]) });
}

static void meet_parted(struct site *site, struct peer *peer, int workers)
{
    open_parted(site, workers);
    greet(site, peer);
}

/* Hear an answer to its END, or so much of it; how many bytes it has. */
static size_t hear_part(struct peer *peer, size_t from, size_t until)
{
    struct oap_frame frame;
    static char want[OAP_CHUNK];
    while (from < until) {
        REQUIRE(hear_frame(peer, &frame), 0);
        CHECK_EQ(200, frame.code);
        CHECK_EQ(from == 0, (frame.flags & OAP_START) != 0);
        CHECK(frame.payload_len <= OAP_CHUNK);
        fill(want, from, frame.payload_len);
        CHECK(frame.payload_len == 0 || memcmp(want, frame.payload, frame.payload_len) == 0);
        from += frame.payload_len;
        bool end = frame.flags & OAP_END;
        oap_frame_free(&frame);
        if (end)
            break;
    }
    return from;
}

TEST(an_answer_that_is_sent_in_parts_comes_whole_and_in_order)
{
    for (int workers = 0; workers < 3; workers++) {
        struct site site;
        struct peer peer;
        meet_parted(&site, &peer, workers);
        say(&peer, SOME, 1, "");
        CHECK_EQ(some, hear_part(&peer, 0, SIZE_MAX));
        say(&peer, NONE, 2, "");
        CHECK_STR("200 26 32 2 ", hear(&peer));
        leave(&site, &peer);
    }
}

TEST(a_part_is_there_before_the_handler_is_done)
{
    for (int workers = 0; workers < 2; workers++) {
        struct site site;
        struct peer peer;
        meet_parted(&site, &peer, workers);
        say(&peer, PAUSE, 1, "");
        CHECK_STR("200 10 33 1 first ", hear(&peer));
        CHECK_STR("200 2 33 1 part", hear(&peer));
        CHECK_OK(wr_once_set(gate, NULL));
        CHECK_STR("200 2 33 1 second part", hear(&peer));
        CHECK_STR("200 18 33 1 the end", hear(&peer));
        leave(&site, &peer);
    }
}

/* What is on its way is in the sockets (which are the system's), and in 4 parts. */
TEST(a_slow_reader_holds_the_handler_back_and_memory_stays_flat)
{
    struct site site;
    struct peer peer;
    meet_parted(&site, &peer, 1);
    size_t before = mallinfo2().uordblks;
    say(&peer, LOTS, 1, "");
    settle();
    for (size_t heard = 0, next = MANY / 8; next <= MANY; next += MANY / 8) {
        size_t far = sent;
        CHECK(far - heard < MANY / 2);
        settle();
        CHECK_EQ(far, sent);                        /* it waits, for us */
        CHECK(mallinfo2().uordblks < before + (1 << 20));
        heard = hear_part(&peer, heard, next);
        settle();
    }
    CHECK_STR("200 18 31 1 ", hear(&peer));
    CHECK_EQ(WR_OK, ended);
    leave(&site, &peer);
}

TEST(a_peer_that_takes_nothing_loses_the_connection_and_the_handler_hears_of_it)
{
    for (int workers = 0; workers < 2; workers++) {
        struct site site;
        struct peer peer;
        meet_parted(&site, &peer, workers);
        ended = WR_OK;
        wr_time before = wr_now();
        say(&peer, LOTS, 1, "");
        while (wr_oap_connections(site.oap) > 0)
            CHECK_OK(wr_sleep(wr_after(WR_MS(10))));
        settle();
        CHECK(wr_now() - before >= WR_S(5) && wr_now() - before < WR_S(5) + WR_MS(20));
        CHECK_EQ(WR_BROKENPIPE, ended);
        leave(&site, &peer);
    }
}

TEST(a_handler_whose_peer_goes_away_hears_of_it)
{
    struct site site;
    struct peer peer;
    meet_parted(&site, &peer, 1);
    say(&peer, LOTS, 1, "");
    settle();
    ended = WR_OK;
    hang_up(&peer);
    settle();
    CHECK_EQ(WR_BROKENPIPE, ended);
    close_site(&site);
}

TEST(an_error_behind_a_part_is_the_last_frame)
{
    struct site site;
    struct peer peer;
    meet_parted(&site, &peer, 1);
    say(&peer, BREAK, 1, "");
    CHECK_STR("200 10 34 1 half an ans", hear(&peer));
    CHECK_BEGINS("400 18 34 1 {\"error\":{\"code\":\"Exists\",\"message\":\"no more of it\"",
                 hear(&peer));
    say(&peer, ECHO, 2, "on");
    CHECK_STR("200 26 7 2 on", hear(&peer));
    leave(&site, &peer);
}

TEST(a_client_gets_an_answer_that_broke_off_as_its_error)
{
    struct site site;
    struct wr_oap_client *client;
    struct wr_oap_answer answer;
    open_parted(&site, 1);
    REQUIRE_OK(wr_oap_connect(&client, &(struct wr_oap_server){
        .addr = wr_listener_addr(site.listener) }, WR_NEVER));
    CHECK_OK(wr_oap_ask(client, &(struct wr_oap_request){ .id = BREAK }, 1000, &answer,
                        WR_NEVER));
    CHECK_EQ(400, answer.code);
    CHECK_BEGINS("{\"error\":", answer.payload);
    free(answer.payload);
    wr_oap_close(client);
    close_site(&site);
}

TEST(a_part_that_was_not_sent_in_time_breaks_the_answer_off_whatever_the_handler_returns)
{
    struct site site;
    struct peer peer;
    struct oap_frame frame;
    unsigned code = 200;
    meet_parted(&site, &peer, 1);
    say(&peer, FORGET, 1, "");
    CHECK_OK(wr_sleep(wr_after(WR_MS(200))));
    CHECK_EQ(WR_TIMEOUT, ended);
    while (code == 200 && hear_frame(&peer, &frame)) {
        code = frame.code;
        CHECK_EQ(code != 200, (frame.flags & OAP_END) != 0);
        oap_frame_free(&frame);
    }
    CHECK_EQ(503, code);
    leave(&site, &peer);
}

TEST(parts_that_come_after_the_deadline_are_nobodys)
{
    struct site site;
    struct peer peer;
    meet_parted(&site, &peer, 1);
    say(&peer, PAUSE, 1, "");
    CHECK_STR("200 10 33 1 first ", hear(&peer));
    CHECK_STR("200 2 33 1 part", hear(&peer));
    CHECK_BEGINS("503 18 33 1 {\"error\":{\"code\":\"Timeout\"", hear(&peer));
    CHECK_OK(wr_once_set(gate, NULL));
    settle();
    CHECK_EQ(WR_BROKENPIPE, ended);
    say(&peer, ECHO, 2, "on");
    CHECK_STR("200 26 7 2 on", hear(&peer));
    leave(&site, &peer);
}

TEST(parts_that_waited_when_the_deadline_passed_are_nobodys)
{
    struct site site;
    struct peer peer;
    struct oap_frame frame;
    unsigned code = 200;
    meet_parted(&site, &peer, 1);
    say(&peer, ON, 1, "");
    CHECK_OK(wr_sleep(wr_after(WR_S(3))));
    while (code == 200 && hear_frame(&peer, &frame)) {
        code = frame.code;
        oap_frame_free(&frame);
    }
    CHECK_EQ(503, code);
    settle();
    CHECK_EQ(WR_BROKENPIPE, ended);
    say(&peer, ECHO, 2, "on");
    CHECK_STR("200 26 7 2 on", hear(&peer));
    leave(&site, &peer);
}

TEST_PANICS(a_verb_of_priority_sends_no_parts, "priority")
{
    static const struct wr_oap_verb verb = { .name = "PING", .priority = true };
    struct wr_oap_call call = { .verb = &verb };
    (void)!wr_oap_send(&call, "x", 1, WR_NEVER);
}
