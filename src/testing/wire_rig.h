/* wire_rig.h - one transfer between two hosts of a simulation, for the tests of what
 * can go wrong with it. */
#ifndef WR_TESTING_WIRE_RIG_H
#define WR_TESTING_WIRE_RIG_H

#include <stdio.h>
#include <string.h>

#include <weir/scope.h>
#include <weir/sim.h>
#include <weir/stream.h>

#include "testing/settle.h"
#include "testing/test.h"

#define RIG __attribute__((unused)) static
#define SERVER "10.0.0.7"
#define CLIENT "10.0.0.8"
#define LEN 3000

/* The client sends LEN bytes and then the end; the server reads, and answers with one
 * byte.  Each call has a deadline, which it may not overstep. */
struct transfer {
    wr_time within;                 /* each call of the two */
    bool keep;                      /* the client stays until the server has ended */
    struct wr_listener *listener;
    size_t got, connections, strangers;
    bool ended, answered;
    wr_err connect, write, reply, accept, read;
    wr_time took;
};

RIG bool in_time(wr_time before, wr_time within)
{
    return CHECK(wr_now() - before <= within);
}

RIG void read_all(struct transfer *t, struct wr_stream *stream)
{
    unsigned char buf[700];
    size_t size;
    do {
        wr_time before = wr_now();
        t->read = wr_stream_read(stream, &size, buf, sizeof(buf), wr_after(t->within));
        in_time(before, t->within);
        for (size_t i = 0; !t->read && i < size; i++)
            CHECK(buf[i] == (unsigned char)(t->got++ * 7));
    } while (!t->read && size > 0);
    t->ended = !t->read;
    CHECK(t->got <= LEN);
    CHECK(!t->ended || t->got == LEN);
}

/* A connection on which nothing comes at all is a stranger's. */
RIG wr_err serve_one(void *arg)
{
    struct transfer *t = arg;
    struct wr_conn conn;
    while (!(t->accept = wr_accept(t->listener, &conn, wr_after(t->within)))) {
        struct wr_stream *stream;
        size_t size;
        REQUIRE_OK(wr_stream_open(&stream, &conn), WR_IO);
        t->connections++;
        if (t->got > 0 || wr_stream_await(stream, wr_after(t->within))) {
            t->strangers++;
        } else {
            read_all(t, stream);
            if (t->ended)
                (void)!wr_stream_write(stream, &size, &(struct wr_piece){ "!", 1 }, 1,
                                       wr_after(t->within));
        }
        wr_stream_close(stream);
    }
    return WR_OK;
}

RIG wr_err server(void *arg)
{
    struct transfer *t = arg;
    struct wr_addr addr;
    CHECK_OK(wr_addr_parse(&addr, SERVER ":80"));
    REQUIRE_OK(wr_listen(&t->listener, &addr), WR_IO);
    wr_err err = serve_one(t);
    wr_listener_close(t->listener);
    return err;
}

RIG wr_err client(void *arg)
{
    struct transfer *t = arg;
    struct wr_addr addr;
    struct wr_stream *stream = NULL;
    unsigned char bytes[LEN];
    size_t size;
    char byte = 0;
    for (size_t i = 0; i < LEN; i++)
        bytes[i] = (unsigned char)(i * 7);
    CHECK_OK(wr_addr_parse(&addr, SERVER ":80"));
    wr_time before = wr_now();
    t->connect = wr_connect(&stream, &addr, wr_after(t->within));
    in_time(before, t->within);
    if (t->connect)
        return WR_OK;
    t->write = wr_stream_write(stream, &size, &(struct wr_piece){ bytes, LEN }, 1,
                               wr_after(t->within));
    if (!t->write) {
        wr_stream_shut(stream);
        wr_time asked = wr_now();
        t->reply = wr_stream_read(stream, &size, &byte, 1, wr_after(t->within));
        in_time(asked, t->within);
        t->answered = !t->reply && size == 1 && byte == '!';
    }
    t->took = wr_now() - before;
    if (t->keep)
        (void)!wr_sleep(wr_after(2 * t->within));
    wr_stream_close(stream);
    return WR_OK;
}

RIG wr_err server_host(void *arg)
{
    return wr_sim_host(SERVER, server, arg);
}

RIG wr_err client_host(void *arg)
{
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));     /* the server listens by then */
    return wr_sim_host(CLIENT, client, arg);
}

RIG wr_err transfer(void *arg)
{
    struct transfer *t = arg;
    wr_time within = t->within;
    bool keep = t->keep;
    *t = (struct transfer){ .within = within, .keep = keep };
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.server", server_host, t));
    CHECK_OK(wr_scope_go(scope, "test.client", client_host, t));
    scope_done(scope);
    return WR_OK;
}

/* One seed with this fault; whether it happened. */
RIG bool transfer_under(struct transfer *t, unsigned fault, uint64_t seed)
{
    struct wr_sim_result result;
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){
        .name = "transfer", .seed = seed, .faults = fault }, transfer, t));
    return result.faults > 0;
}

#endif
