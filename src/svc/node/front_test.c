/* front_test.c - tests of front.c: bound, served, retired. */
#include "svc/node/front.h"

#include <weir/scope.h>

#include "testing/front_rig.h"

static wr_err serve(void *arg)
{
    return front_serve(arg);
}

static struct wr_scope *start(struct front *front)
{
    struct wr_scope *scope = NULL;
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.front",
                                                           .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "test.front", serve, front));
    settle();
    return scope;
}

TEST(a_retired_front_takes_nobody_and_is_over_when_its_guests_are_gone)
{
    struct front *front = front_at("127.0.0.1:0", "word");
    struct wr_scope *scope = start(front);
    struct wr_stream *guest = dial_front(front_addr(front));
    CHECK_STR("word", ask_stream(guest));
    CHECK_EQ(1, front_connections(front));
    wr_time before = wr_now();
    CHECK_OK(front_retire(front, wr_after(WR_S(3))));
    CHECK(wr_now() - before < WR_MS(10));
    CHECK(!front_over(front));
    CHECK_STR("word", ask_stream(guest));
    wr_stream_close(guest);
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK(front_over(front));
    CHECK(wr_now() - before < WR_MS(100));
    CHECK_OK(wr_scope_close(scope));
    front_close(front);
}

TEST(a_guest_who_stays_is_shown_out_at_the_deadline)
{
    struct front *front = front_at("127.0.0.1:0", "word");
    struct wr_scope *scope = start(front);
    struct wr_stream *guest = dial_front(front_addr(front));
    CHECK_STR("word", ask_stream(guest));
    wr_time before = wr_now();
    CHECK_OK(front_retire(front, wr_after(WR_S(3))));
    CHECK_STR("closed", hear_front(guest));
    CHECK(wr_now() - before <= WR_S(3));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    wr_stream_close(guest);
    CHECK_OK(wr_scope_close(scope));
    front_close(front);
}

static wr_err keep_it(void *arg, struct wr_call *call)
{
    *(struct wr_call **)arg = call;
    return WR_OK;
}

TEST(a_front_is_not_over_while_a_worker_has_a_call_of_it)
{
    static const struct wr_route routes[] = { { .method = "GET", .path = "/",
                                                .handler = answer_slowly } };
    struct wr_call *kept = NULL;
    struct front *front = NULL;
    struct wr_addr addr;
    CHECK_OK(wr_addr_parse(&addr, "127.0.0.1:0"));
    CHECK_OK(front_listen(&front, &(struct front_place){ .fd = -1, .addr = &addr }));
    CHECK_OK(front_http(front, &(struct wr_http_conf){ .routes = routes, .count = 1,
                                                       .submit = keep_it, .arg = &kept }));
    struct wr_scope *scope = start(front);
    struct wr_stream *guest = dial_front(front_addr(front));
    rig_front_say(guest, "/");
    settle();
    CHECK_OK(front_retire(front, wr_after(WR_S(3))));
    CHECK(strstr(hear_front(guest), "Timeout"));        /* at its deadline, without it */
    wr_stream_close(guest);
    CHECK_OK(wr_sleep(wr_after(WR_S(10))));
    CHECK_EQ(0, front_connections(front));
    CHECK(!front_over(front));
    REQUIRE(kept);
    wr_call_refuse(kept, WR_CANCELED);
    CHECK_OK(wr_scope_join(scope, wr_after(WR_S(1))));
    CHECK(front_over(front));
    CHECK_OK(wr_scope_close(scope));
    front_close(front);
}

TEST(a_front_serves_behind_the_listener_of_another)
{
    struct front *first = front_at("127.0.0.1:0", "first");
    struct front *second = front_at(NULL, "second");
    struct wr_scope *scope = start(first);
    struct wr_addr addr = *front_addr(first);
    CHECK(!front_addr(second));
    CHECK_OK(front_retire(first, wr_after(WR_S(1))));
    struct wr_stream *early = dial_front(&addr);        /* in line: nobody takes it now */
    front_inherit(second, first);
    CHECK(!front_addr(first));
    struct wr_scope *other = start(second);
    CHECK_STR("second", ask_stream(early));
    wr_stream_close(early);
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(other));
    CHECK_OK(wr_scope_close(scope));
    front_close(first);
    front_close(second);
}

TEST(a_port_that_is_taken_leads_to_the_next_if_it_may)
{
    struct front *first = front_at("127.0.0.1:0", "first"), *second = NULL;
    struct front_place place = { .fd = -1, .addr = front_addr(first) };
    CHECK_ERR(WR_EXISTS, front_listen(&second, &place));
    place.may_move = true;
    CHECK_OK(front_listen(&second, &place));
    CHECK(front_addr(second)->port > front_addr(first)->port);
    front_close(first);
    front_close(second);
}
