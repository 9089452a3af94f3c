/* net_host_test.c - machines of a simulation, and who can reach whom. */
#include "testing/wire_rig.h"

static void simulate(wr_task_fn fn, void *arg)
{
    struct wr_sim_result result;
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){ .name = "hosts", .seed = 1,
                                                        .seeds = 5 }, fn, arg));
}

static wr_err listen_at(struct wr_listener **ret, const char *text)
{
    struct wr_addr addr;
    CHECK_OK(wr_addr_parse(&addr, text));
    return wr_listen(ret, &addr);
}

/* ---- addresses ---- */

static wr_err own_addresses(void *arg)
{
    (void)arg;
    struct wr_listener *own, *loopback, *any;
    CHECK_ERR(WR_INVALID, listen_at(&own, CLIENT ":80"));
    CHECK_OK(listen_at(&own, SERVER ":80"));
    CHECK_OK(listen_at(&loopback, "127.0.0.1:80"));
    CHECK_ERR(WR_EXISTS, listen_at(&any, "0.0.0.0:80"));
    CHECK_OK(listen_at(&any, "0.0.0.0:81"));
    wr_listener_close(own);
    wr_listener_close(loopback);
    wr_listener_close(any);
    return WR_OK;
}

static wr_err on_a_server(void *arg)
{
    return wr_sim_host(SERVER, own_addresses, arg);
}

TEST_PLAIN(a_host_listens_on_its_own_addresses_and_on_no_others)
{
    simulate(on_a_server, NULL);
}

struct meeting { struct wr_listener *listener; bool met; };

static wr_err listen_there(void *arg)
{
    struct meeting *m = arg;
    struct wr_conn conn;
    CHECK_OK(listen_at(&m->listener, "0.0.0.0:80"));
    CHECK_OK(wr_accept(m->listener, &conn, wr_after(WR_S(1))));
    struct wr_addr from;
    CHECK_OK(wr_addr_parse_ip(&from, CLIENT, conn.peer.port));
    CHECK(wr_addr_equal(&from, &conn.peer));
    wr_conn_drop(&conn);
    CHECK_ERR(WR_TIMEOUT, wr_accept(m->listener, &conn, wr_after(WR_S(1))));
    wr_listener_close(m->listener);
    return WR_OK;
}

static wr_err connect_from_there(void *arg)
{
    struct meeting *m = arg;
    struct wr_addr addr;
    struct wr_stream *stream;
    CHECK_OK(wr_addr_parse(&addr, SERVER ":80"));
    CHECK_OK(wr_connect(&stream, &addr, WR_NEVER));
    wr_stream_close(stream);
    m->met = true;
    CHECK_OK(wr_addr_parse(&addr, "127.0.0.1:80"));
    CHECK_ERR(WR_IO, wr_connect(&stream, &addr, WR_NEVER));
    CHECK_OK(wr_addr_parse(&addr, "10.9.9.9:80"));
    CHECK_ERR(WR_IO, wr_connect(&stream, &addr, WR_NEVER));
    return WR_OK;
}

static wr_err server_there(void *arg)
{
    return wr_sim_host(SERVER, listen_there, arg);
}

static wr_err client_there(void *arg)
{
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    return wr_sim_host(CLIENT, connect_from_there, arg);
}

static wr_err meet(void *arg)
{
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.server", server_there, arg));
    CHECK_OK(wr_scope_go(scope, "test.client", client_there, arg));
    scope_done(scope);
    return WR_OK;
}

TEST_PLAIN(hosts_reach_each_other_by_address_and_each_has_its_own_loopback)
{
    struct meeting m = { 0 };
    simulate(meet, &m);
    CHECK(m.met);
}

/* ---- cuts ---- */

struct cut { struct transfer transfer; wr_time from, span; };

static wr_err cut_off(void *arg)
{
    struct cut *cut = arg;
    CHECK_OK(wr_sleep(wr_after(cut->from)));
    wr_sim_cut(SERVER, CLIENT, cut->span == WR_NEVER ? WR_NEVER : wr_after(cut->span));
    return WR_OK;
}

static wr_err transfer_and_cut(void *arg)
{
    struct cut *cut = arg;
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.cut", cut_off, cut));
    CHECK_OK(transfer(&cut->transfer));
    scope_done(scope);
    return WR_OK;
}

TEST_PLAIN(nobody_connects_to_a_host_that_is_cut_off)
{
    struct cut cut = { .transfer = { .within = WR_S(5) }, .span = WR_NEVER };
    simulate(transfer_and_cut, &cut);
    CHECK_ERR(WR_TIMEOUT, cut.transfer.connect);
    CHECK_EQ(0, cut.transfer.connections);
}

TEST_PLAIN(who_connects_while_hosts_are_apart_is_heard_afterwards)
{
    struct cut cut = { .transfer = { .within = WR_S(20) }, .span = WR_S(4) };
    simulate(transfer_and_cut, &cut);
    CHECK(cut.transfer.answered);
    CHECK(cut.transfer.took > WR_S(4) && cut.transfer.took < WR_S(8));
}

/* ---- a sender that gets nothing through ---- */

static wr_err send_into_the_dark(void *arg)
{
    (void)arg;
    struct wr_addr addr;
    struct wr_stream *stream;
    size_t size;
    char byte;
    CHECK_OK(wr_addr_parse(&addr, SERVER ":80"));
    CHECK_OK(wr_connect(&stream, &addr, WR_NEVER));
    wr_sim_cut(SERVER, CLIENT, WR_NEVER);
    wr_time before = wr_now();
    CHECK_OK(wr_stream_write(stream, &size, &(struct wr_piece){ "x", 1 }, 1, WR_NEVER));
    CHECK_ERR(WR_TIMEOUT, wr_stream_read(stream, &size, &byte, 1, WR_NEVER));
    CHECK(wr_now() - before == WR_S(60));
    wr_stream_close(stream);
    return WR_OK;
}

static wr_err dark_client(void *arg)
{
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    return wr_sim_host(CLIENT, send_into_the_dark, arg);
}

static wr_err sit_in_the_dark(void *arg)
{
    struct transfer t = { .within = WR_S(90) };
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.server", server_host, &t));
    CHECK_OK(wr_scope_go(scope, "test.client", dark_client, arg));
    scope_done(scope);
    CHECK_EQ(0, t.got);
    return WR_OK;
}

TEST_PLAIN(a_sender_that_gets_nothing_through_gives_up_after_a_minute)
{
    simulate(sit_in_the_dark, NULL);
}

/* ---- processes ---- */

struct life { struct wr_addr addr; uint64_t said, heard; bool killed; };

/* What it says after its death is not said. */
static wr_err say_on(void *arg)
{
    struct life *life = arg;
    struct wr_stream *stream;
    size_t size;
    wr_err err = wr_connect(&stream, &life->addr, wr_after(WR_S(1)));
    if (err)
        return err;
    while (!err && life->said < 200) {
        life->said += wr_sim_alive();
        err = wr_stream_write(stream, &size, &(struct wr_piece){ "x", 1 }, 1,
                              wr_after(WR_S(1)));
        if (!err)
            err = wr_sleep(wr_after(WR_MS(1)));
    }
    wr_stream_close(stream);
    return err;
}

static wr_err live(void *arg)
{
    struct life *life = arg;
    return wr_sim_process(&life->killed, "test.life", say_on, life);
}

static wr_err outlive(void *arg)
{
    struct life *life = arg;
    struct wr_listener *listener;
    struct wr_conn conn;
    struct wr_stream *stream;
    size_t size = 1;
    char bytes[50];
    *life = (struct life){ 0 };
    CHECK_OK(listen_at(&listener, "127.0.0.1:80"));
    life->addr = *wr_listener_addr(listener);
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.live", live, life));
    if (wr_accept(listener, &conn, wr_after(WR_S(2))) == WR_OK) {
        CHECK_OK(wr_stream_open(&stream, &conn));
        while (size > 0 && wr_stream_read(stream, &size, bytes, 50, WR_NEVER) == WR_OK)
            life->heard += size;
        wr_stream_close(stream);
    }
    scope_done(scope);
    CHECK(life->heard <= life->said);
    CHECK(life->killed || life->heard == 200);
    wr_listener_close(listener);
    return WR_OK;
}

TEST_PLAIN(a_process_that_dies_says_no_more_and_its_connections_end)
{
    int killed = 0, cut_short = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct life life;
        struct wr_sim_result result;
        CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){
            .name = "life", .seed = seed, .faults = WR_SIM_KILL }, outlive, &life));
        killed += life.killed;
        cut_short += life.killed && life.heard > 0;
    }
    CHECK(killed > 20);
    CHECK(cut_short > 5);
}

/* ---- rules ---- */

static wr_err nothing(void *arg)
{
    (void)arg;
    return WR_OK;
}

static wr_err too_many(void *arg)
{
    for (int i = 2; i < 20; i++) {
        char ip[20];
        snprintf(ip, sizeof(ip), "10.0.0.%d", i);
        CHECK_OK(wr_sim_host(ip, nothing, arg));
    }
    return WR_OK;
}

static wr_err not_an_address(void *arg)
{
    return wr_sim_host("localhost", nothing, arg);
}

static void check_panics(wr_task_fn fn, const char *message)
{
    struct wr_sim_result result;
    CHECK_ERR(WR_PANIC, wr_sim_run(&result, &(struct wr_sim_conf){
        .name = "hosts", .seed = 1, .quiet = true }, fn, NULL));
    CHECK(strstr(result.message, message));
}

TEST_PLAIN(a_simulation_has_sixteen_hosts_at_most)
{
    check_panics(too_many, "host 10.0.0.17 is one too many: a simulation has at most 16");
}

TEST_PLAIN(a_host_has_an_ip_address)
{
    check_panics(not_an_address, "\"localhost\" is not the address of a host");
}

TEST_PANICS(there_are_no_hosts_outside_a_simulation, "host 10.0.0.2 outside a simulation")
{
    (void)!wr_sim_host("10.0.0.2", nothing, NULL);
}
