#include "net/door.h"

#include <sys/resource.h>
#include <unistd.h>

#include "testing/metric_rig.h"
#include "testing/settle.h"
#include "testing/tls_rig.h"

/* A door behind which every byte comes back; after a '!' the server panics. */
struct house {
    struct door door;
    struct wr_listener *listener, *side;
    struct wr_scope *scope;
};

static struct wr_kind kind = WR_KIND("test.conn");

static void echo(void *server, struct wr_stream *stream, struct wr_guest *guest)
{
    char byte;
    size_t size;
    CHECK(server != NULL && guest != NULL);
    while (!wr_stream_read(stream, &size, &byte, 1, WR_NEVER) && size > 0) {
        if (byte == '!')
            wr_panic("as the test wants it");
        CHECK_OK(wr_stream_write(stream, &size, &(struct wr_piece){ &byte, 1 }, 1, WR_NEVER));
    }
}

static wr_err serve(void *arg)
{
    struct house *house = arg;
    return door_serve(&house->door, house->listener);
}

static wr_err serve_side(void *arg)
{
    struct house *house = arg;
    return door_serve(&house->door, house->side);
}

static struct wr_listener *listen_here(void)
{
    struct wr_addr addr;
    struct wr_listener *listener = NULL;
    CHECK_OK(wr_addr_parse(&addr, "127.0.0.1:0"));
    CHECK_OK(wr_listen(&listener, &addr));
    return listener;
}

static void open_house(struct house *house, unsigned connections_max, struct wr_tls *tls)
{
    CHECK_OK(door_init(&house->door, &(struct door_conf){
        .name = "test.door", .kind = &kind, .serve = echo, .server = house, .tls = tls }));
    door_tune(&house->door, connections_max, WR_S(2));
    house->listener = listen_here();
    CHECK_OK(wr_scope_new(&house->scope, &(struct wr_scope_conf){
        .name = "test.house", .deadline = WR_NEVER, .independent = true }));
    CHECK_OK(wr_scope_go(house->scope, "test.serve", serve, house));
}

static void close_house(struct house *house)
{
    wr_scope_cancel(house->scope);
    (void)!wr_scope_close(house->scope);
    CHECK_EQ(0, door_connections(&house->door));
    wr_listener_close(house->listener);
    door_fini(&house->door);
}

/* NULL: it was reset before it was there. */
static struct wr_stream *dial(const struct wr_listener *listener)
{
    struct wr_stream *stream = NULL;
    wr_err err = wr_connect(&stream, wr_listener_addr(listener), WR_NEVER);
    if (err != WR_BROKENPIPE)
        CHECK_OK(err);
    return stream;
}

/* What a byte comes back as; 0: not at all. */
static int ask(struct wr_stream *stream, char byte)
{
    size_t size;
    if (!stream
        || wr_stream_write(stream, &size, &(struct wr_piece){ &byte, 1 }, 1, WR_NEVER)
        || wr_stream_read(stream, &size, &byte, 1, WR_NEVER))
        return 0;
    return size ? byte : 0;
}

TEST(connections_are_served_side_by_side_and_closed_when_that_ends)
{
    struct house house;
    open_house(&house, 8, NULL);
    struct wr_stream *a = dial(house.listener), *b = dial(house.listener);
    CHECK_EQ('a', ask(a, 'a'));
    CHECK_EQ('b', ask(b, 'b'));
    CHECK_EQ('c', ask(a, 'c'));
    CHECK_EQ(2, door_connections(&house.door));
    wr_stream_close(a);
    settle();
    CHECK_EQ(1, door_connections(&house.door));
    wr_stream_close(b);
    close_house(&house);
}

TEST(a_connection_that_panics_is_closed_and_its_place_is_free)
{
    struct house house;
    open_house(&house, 1, NULL);
    for (int i = 0; i < 3; i++) {
        struct wr_stream *stream = dial(house.listener);
        CHECK_EQ('x', ask(stream, 'x'));
        CHECK_EQ(0, ask(stream, '!'));
        wr_stream_close(stream);
        settle();
    }
    close_house(&house);
}

TEST(one_too_many_is_reset_and_the_others_stay)
{
    struct house house;
    open_house(&house, 1, NULL);
    struct wr_stream *in = dial(house.listener);
    CHECK_EQ('a', ask(in, 'a'));
    struct wr_stream *out = dial(house.listener);
    settle();
    CHECK_EQ(0, ask(out, 'b'));
    CHECK_EQ('c', ask(in, 'c'));
    wr_stream_close(out);
    door_tune(&house.door, 2, WR_S(2));
    out = dial(house.listener);
    CHECK_EQ('d', ask(out, 'd'));
    wr_stream_close(out);
    wr_stream_close(in);
    close_house(&house);
}

/* On two workers the other has its own turns. */
TEST(who_is_turned_away_again_and_again_leaves_a_turn_to_others)
{
    enum { MANY = 200 };
    static struct wr_stream *streams[MANY];
    const char *threads = getenv("WEIR_THREADS");
    bool alone = threads && strcmp(threads, "1") == 0;
    struct house house;
    open_house(&house, 0, NULL);
    wr_scope_cancel(house.scope);
    (void)!wr_scope_close(house.scope);
    for (int i = 0; i < MANY; i++)
        streams[i] = dial(house.listener);
    CHECK_OK(wr_scope_new(&house.scope, &(struct wr_scope_conf){
        .name = "test.house", .deadline = WR_NEVER, .independent = true }));
    long long first = metric_value("rejected_total{reason=\"connections\"}"), before, now;
    before = now = first = first < 0 ? 0 : first;
    CHECK_OK(wr_scope_go(house.scope, "test.serve", serve, &house));
    while (now < first + MANY) {
        CHECK_OK(wr_yield());
        now = metric_value("rejected_total{reason=\"connections\"}");
        CHECK(!alone || now - before <= 32);
        before = now;
    }
    for (int i = 0; i < MANY; i++)
        wr_stream_close(streams[i]);
    close_house(&house);
}

TEST(one_too_many_of_an_address_takes_nobodys_place)
{
    struct house house;
    open_house(&house, 2, NULL);
    door_limit(&house.door, &(struct wr_admit_limits){ .connections = 1 });
    struct wr_stream *in = dial(house.listener);
    CHECK_EQ('a', ask(in, 'a'));
    for (int i = 0; i < 3; i++) {
        struct wr_stream *out = dial(house.listener);
        settle();
        CHECK_EQ(0, ask(out, 'b'));
        wr_stream_close(out);
    }
    CHECK_EQ(1, door_connections(&house.door));
    wr_stream_close(in);
    settle();
    in = dial(house.listener);
    CHECK_EQ('c', ask(in, 'c'));
    wr_stream_close(in);
    close_house(&house);
}

TEST(listeners_at_one_door_share_its_limit)
{
    struct house house;
    open_house(&house, 1, NULL);
    house.side = listen_here();
    CHECK_OK(wr_scope_go(house.scope, "test.serve", serve_side, &house));
    struct wr_stream *in = dial(house.side);
    CHECK_EQ('a', ask(in, 'a'));
    struct wr_stream *out = dial(house.listener);
    settle();
    CHECK_EQ(0, ask(out, 'b'));
    wr_stream_close(out);
    wr_stream_close(in);
    close_house(&house);
    wr_listener_close(house.side);
}

TEST(doors_that_share_take_as_many_as_one)
{
    struct house house, beside;
    struct wr_admit *admit = NULL;
    CHECK_OK(wr_admit_new(&admit, &(struct wr_admit_limits){ .connections = 8 }, 0));
    wr_admit_set_total(admit, 2);
    open_house(&house, 8, NULL);
    open_house(&beside, 8, NULL);
    door_share(&house.door, admit);
    door_share(&beside.door, admit);
    door_tune(&beside.door, 8, WR_S(2));            /* their owner's word counts */
    struct wr_stream *a = dial(house.listener), *b = dial(beside.listener);
    CHECK_EQ('a', ask(a, 'a'));
    CHECK_EQ('b', ask(b, 'b'));
    struct wr_stream *c = dial(house.listener), *d = dial(beside.listener);
    CHECK_EQ(0, ask(c, 'c'));
    CHECK_EQ(0, ask(d, 'd'));
    wr_stream_close(a);
    settle();
    struct wr_stream *e = dial(beside.listener);
    CHECK_EQ('e', ask(e, 'e'));
    CHECK_EQ(2, wr_admit_total(admit));
    CHECK_EQ(2, door_connections(&beside.door));
    wr_stream_close(b);
    wr_stream_close(c);
    wr_stream_close(d);
    wr_stream_close(e);
    close_house(&beside);
    close_house(&house);
    wr_admit_free(admit);
}

TEST(without_a_descriptor_it_looks_again_every_50_ms)
{
    if (getenv("WEIR_TEST_SLOW"))
        SKIP("valgrind has a limit of descriptors of its own");
    struct house house;
    struct rlimit limit, none;
    open_house(&house, 8, NULL);
    settle();
    struct wr_stream *stream = dial(house.listener);
    int next = dup(0);
    REQUIRE(next >= 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0);
    close(next);
    none = (struct rlimit){ .rlim_cur = (rlim_t)next, .rlim_max = limit.rlim_max };
    CHECK_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
    wr_time before = wr_now();
    CHECK_OK(wr_sleep(wr_after(WR_MS(75))));
    CHECK_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
    CHECK_EQ(0, door_connections(&house.door));
    CHECK_EQ(2, metric_value("rejected_total{reason=\"no_descriptor\"}"));    /* each look */
    CHECK_EQ('a', ask(stream, 'a'));
    CHECK(wr_now() - before >= WR_MS(100) && wr_now() - before <= WR_MS(101));
    wr_stream_close(stream);
    close_house(&house);
}

TEST(who_does_not_shake_hands_in_time_is_hung_up_on)
{
    struct house house;
    struct identity identity;
    char byte;
    size_t size = 1;
    make_identity(&identity, "server");
    struct wr_tls *tls = make_tls(&identity, NULL, NULL);
    open_house(&house, 8, tls);
    door_tune(&house.door, 8, WR_S(3));
    struct wr_stream *stream = dial(house.listener);
    wr_time before = wr_now();
    CHECK(wr_stream_read(stream, &size, &byte, 1, WR_NEVER) != WR_OK || size == 0);
    CHECK_EQ(WR_S(3), wr_now() - before);
    wr_stream_close(stream);
    close_house(&house);
    wr_tls_free(tls);
}

TEST(the_end_of_the_scope_closes_everybody)
{
    struct house house;
    struct wr_stream *streams[5];
    open_house(&house, 8, NULL);
    for (int i = 0; i < 5; i++) {
        streams[i] = dial(house.listener);
        CHECK_EQ('a', ask(streams[i], 'a'));
    }
    close_house(&house);
    for (int i = 0; i < 5; i++) {
        CHECK_EQ(0, ask(streams[i], 'b'));
        wr_stream_close(streams[i]);
    }
}

/* ---- on the way out ---- */

struct talker { struct wr_stream *stream; size_t said; };

static wr_err talk_on(void *arg)
{
    struct talker *talker = arg;
    static const char bytes[1 << 16];
    size_t size = 1;
    wr_err err = WR_OK;
    while (!err) {
        err = wr_stream_write(talker->stream, &size, &(struct wr_piece){ bytes, sizeof(bytes) },
                              1, WR_NEVER);
        talker->said += size;
    }
    return WR_OK;
}

TEST(lingering_reads_for_a_second_and_no_more_than_2_mib)
{
    struct wr_listener *listener = listen_here();
    struct wr_stream *client = dial(listener), *server;
    struct wr_conn conn;
    REQUIRE_OK(wr_accept(listener, &conn, WR_NEVER));
    REQUIRE_OK(wr_stream_open(&server, &conn));
    wr_time before = wr_now();
    door_linger(server);
    CHECK_EQ(WR_S(1), wr_now() - before);

    struct talker talker = { .stream = client };
    struct wr_scope *scope = scope_open();
    go(scope, talk_on, &talker);
    before = wr_now();
    door_linger(server);
    CHECK(wr_now() - before < WR_S(1));
    wr_stream_close(server);
    scope_done(scope);
    CHECK(talker.said > (size_t)2 << 20);
    wr_stream_close(client);
    wr_listener_close(listener);
}
