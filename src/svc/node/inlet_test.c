/* inlet_test.c - tests of inlet.c: fronts that follow one another. */
#include "svc/node/inlet.h"

#include <weir/scope.h>
#include <weir/task.h>

#include "testing/front_rig.h"

struct way {
    struct inlet *inlet;
    struct wr_watch *shutdown;
    struct wr_watch_writer writer;
    struct wr_once *drain;
    struct wr_scope *scope;
    unsigned last;
    wr_err result;
};

static void count_last(void *arg)
{
    struct way *way = arg;
    way->last++;
}

static wr_err run(void *arg)
{
    struct way *way = arg;
    way->result = inlet_run(way->inlet, way->drain);
    return WR_OK;
}

static void start(struct way *way)
{
    CHECK_OK(wr_scope_new(&way->scope, &(struct wr_scope_conf){ .name = "test.inlet",
                                                                .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(way->scope, "test.inlet", run, way));
    settle();
}

static void open_way(struct way *way, struct front *front)
{
    static const bool no = false;
    *way = (struct way){ 0 };
    CHECK_OK(wr_watch_new(&way->shutdown, &way->writer, &(struct wr_watch_conf){
        .name = "test.shutdown", .size = sizeof(bool), .initial = &no }));
    CHECK_OK(wr_once_new(&way->drain, "test.drain", 0));
    CHECK_OK(inlet_new(&way->inlet, &(struct inlet_conf){
        .name = "test", .front = front, .shutdown = way->shutdown, .last = count_last,
        .arg = way }));
    start(way);
}

static void close_way(struct way *way)
{
    (void)!wr_once_set(way->drain, NULL);
    CHECK_OK(wr_scope_join(way->scope, wr_after(WR_S(2))));
    CHECK_OK(way->result);
    CHECK_EQ(1, way->last);
    (void)!wr_scope_close(way->scope);
    inlet_free(way->inlet);
    wr_once_free(way->drain);
    wr_watch_free(way->shutdown);
}

static void put(struct way *way, struct front *front)
{
    REQUIRE(CHECK(inlet_ready(way->inlet)));
    inlet_put(way->inlet, front, wr_after(WR_S(3)));
    CHECK(!inlet_ready(way->inlet));
    CHECK_OK(wr_sleep(wr_after(WR_MS(50))));
}

static struct wr_addr addr_of(struct way *way)
{
    struct wr_addr addr = { 0 };
    CHECK(inlet_addr(way->inlet, &addr));
    return addr;
}

TEST(a_new_front_takes_the_place_of_the_old_one)
{
    struct way way;
    open_way(&way, front_at("127.0.0.1:0", "one"));
    struct wr_addr was = addr_of(&way);
    CHECK_STR("one", ask_front(&was));
    put(&way, front_at("127.0.0.2:0", "two"));
    struct wr_addr is = addr_of(&way);
    CHECK_STR("two", ask_front(&is));
    CHECK_STR("refused", ask_front(&was));
    close_way(&way);
}

TEST(a_front_without_a_listener_gets_that_of_the_old_one)
{
    struct way way;
    open_way(&way, front_at("127.0.0.1:0", "one"));
    struct wr_addr was = addr_of(&way);
    struct wr_stream *old = dial_front(&was);
    CHECK_STR("one", ask_stream(old));
    put(&way, front_at(NULL, "two"));
    struct wr_addr is = addr_of(&way);
    CHECK(wr_addr_equal(&was, &is));
    CHECK_EQ(1, inlet_connections(way.inlet));
    CHECK_STR("two", ask_front(&was));
    CHECK_STR("one", ask_stream(old));
    wr_stream_close(old);
    close_way(&way);
}

TEST(an_inlet_is_shut_and_opened_again)
{
    struct way way;
    struct wr_addr none;
    open_way(&way, NULL);
    CHECK(!inlet_addr(way.inlet, &none));
    put(&way, front_at("127.0.0.1:0", "one"));
    struct wr_addr addr = addr_of(&way);
    CHECK_STR("one", ask_front(&addr));
    put(&way, NULL);
    CHECK(!inlet_addr(way.inlet, &none));
    CHECK_STR("refused", ask_front(&addr));
    CHECK_EQ(0, inlet_connections(way.inlet));
    close_way(&way);
}

TEST(who_stands_in_line_when_it_moves_is_served)
{
    struct way way;
    struct wr_stream *streams[20];
    open_way(&way, front_at("127.0.0.1:0", "one"));
    struct wr_addr was = addr_of(&way);
    inlet_put(way.inlet, front_at("127.0.0.2:0", "two"), wr_after(WR_S(3)));
    for (int i = 0; i < 20; i++)                /* nobody else has run meanwhile */
        streams[i] = dial_front(&was);
    for (int i = 0; i < 20; i++) {
        CHECK_STR("one", ask_stream(streams[i]));
        wr_stream_close(streams[i]);
    }
    close_way(&way);
}

TEST(only_so_many_fronts_see_off_their_guests)
{
    struct way way;
    struct wr_stream *streams[INLET_FRONTS_MAX - 1];
    open_way(&way, front_at("127.0.0.1:0", "one"));
    for (size_t i = 0; i < INLET_FRONTS_MAX - 1; i++) {
        struct wr_addr addr = addr_of(&way);
        streams[i] = dial_front(&addr);
        CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
        put(&way, front_at("127.0.0.1:0", "next"));
        CHECK_EQ(i + 1, inlet_connections(way.inlet));
    }
    CHECK(!inlet_ready(way.inlet));
    CHECK_OK(wr_sleep(wr_after(WR_S(3))));      /* their deadline */
    CHECK(inlet_ready(way.inlet));
    CHECK_EQ(0, inlet_connections(way.inlet));
    for (size_t i = 0; i < INLET_FRONTS_MAX - 1; i++)
        wr_stream_close(streams[i]);
    put(&way, front_at("127.0.0.1:0", "last"));
    struct wr_addr addr = addr_of(&way);
    CHECK_STR("last", ask_front(&addr));
    close_way(&way);
}

TEST(an_inlet_that_ended_begins_again_with_the_front_it_has)
{
    struct way way;
    open_way(&way, front_at("127.0.0.1:0", "one"));
    struct wr_addr addr = addr_of(&way);
    (void)!wr_scope_close(way.scope);
    CHECK_ERR(WR_CANCELED, way.result);
    inlet_put(way.inlet, front_at(NULL, "two"), wr_after(WR_S(3)));
    start(&way);
    CHECK_OK(wr_sleep(wr_after(WR_MS(50))));
    CHECK_STR("two", ask_front(&addr));
    close_way(&way);
}

TEST(in_a_drain_new_calls_are_refused_and_old_ones_answered)
{
    struct way way;
    open_way(&way, front_at("127.0.0.1:0", "one"));
    struct wr_addr addr = addr_of(&way);
    struct wr_stream *slow = dial_front(&addr);
    rig_front_say(slow, "/slow");
    settle();
    wr_watch_set(&way.writer, &(bool){ true });
    settle();
    CHECK_STR("Draining", ask_front(&addr));
    CHECK_OK(wr_once_set(way.drain, NULL));
    CHECK_STR("slow", hear_front(slow));
    wr_stream_close(slow);
    close_way(&way);
}
