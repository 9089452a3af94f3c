/* Bounded channels of capacity 512: messages per second, of 8 and 64 bytes, for
 * one producer and one consumer, 4 and 1, 4 and 4.
 * usage: chan [workers] [messages] */
#include <stdatomic.h>
#include <stdio.h>

#include <weir/chan.h>
#include <weir/run.h>
#include <weir/scope.h>

#include "measure.h"

#define CAP 512

struct load {
    struct wr_chan *ch;
    uint64_t each;                  /* messages per producer */
    _Atomic uint64_t producing;
    _Atomic uint64_t sum;
};

/* The size is a constant in each copy of these, as it is in the peers'. */
static inline __attribute__((always_inline)) wr_err produce(struct load *load, size_t words)
{
    uint64_t message[8];
    for (uint64_t i = 0; i < load->each; i++) {
        for (size_t w = 0; w < words; w++)
            message[w] = i;
        MUST(wr_chan_send(load->ch, message, WR_NEVER));
    }
    if (atomic_fetch_sub(&load->producing, 1) == 1)
        wr_chan_close(load->ch);
    return WR_OK;
}

static inline __attribute__((always_inline)) wr_err consume(struct load *load, size_t words)
{
    uint64_t message[8], sum = 0;
    wr_err err;
    while ((err = wr_chan_recv(load->ch, message, WR_NEVER)) == WR_OK)
        sum += message[words - 1];
    WR_ASSERT(err == WR_CLOSED);
    atomic_fetch_add(&load->sum, sum);
    return WR_OK;
}

static wr_err produce_8(void *arg)
{
    return produce(arg, 1);
}
static wr_err produce_64(void *arg)
{
    return produce(arg, 8);
}
static wr_err consume_8(void *arg)
{
    return consume(arg, 1);
}
static wr_err consume_64(void *arg)
{
    return consume(arg, 8);
}

static void flow(size_t size, unsigned producers, unsigned consumers, uint64_t messages)
{
    struct load load = { .each = messages / producers, .producing = producers };
    MUST(wr_chan_new(
        &load.ch,
        &(struct wr_chan_conf){
            .name = "bench.flow", .item_size = size, .cap = CAP, .policy = WR_WAIT }));
    struct wr_scope *scope;
    MUST(wr_scope_new(&scope,
                      &(struct wr_scope_conf){ .name = "bench.flow", .deadline = WR_NEVER }));
    wr_time start = wr_now();
    for (unsigned i = 0; i < producers; i++)
        MUST(wr_scope_go(scope, "bench.producer", size == 8 ? produce_8 : produce_64, &load));
    for (unsigned i = 0; i < consumers; i++)
        MUST(wr_scope_go(scope, "bench.consumer", size == 8 ? consume_8 : consume_64, &load));
    MUST(wr_scope_join(scope, WR_NEVER));
    wr_time took = wr_now() - start;
    MUST(wr_scope_close(scope));
    wr_chan_free(load.ch);
    WR_ASSERT(load.sum == producers * (load.each * (load.each - 1) / 2));
    printf("weir_chan_%up%uc_%zuB_per_s %.0f\n", producers, consumers, size,
           (double)(load.each * producers) / (double)took * 1e9);
}

static wr_err bench(void *arg)
{
    uint64_t messages = *(const uint64_t *)arg;
    static const unsigned shapes[][2] = { { 1, 1 }, { 4, 1 }, { 4, 4 } };
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        flow(8, shapes[i][0], shapes[i][1], messages);
        flow(64, shapes[i][0], shapes[i][1], messages);
    }
    return WR_OK;
}

int main(int argc, char **argv)
{
    unsigned workers = (unsigned)measure_arg(argc, argv, 1, 2);
    uint64_t messages = measure_arg(argc, argv, 2, 4000000);
    return wr_run(&(struct wr_run_conf){ .workers = workers }, bench, &messages) != WR_OK;
}
