/* bcast_model.c - every value arrives, or is counted as missed. */
#include <weir/bcast.h>

#include "seam.h"

static struct wr_bcast *bcast;

static void open_bcast(void)
{
    seam_open();
    MODEL_OK(wr_bcast_new(&bcast, &(struct wr_bcast_conf){
        .name = "model.bus", .item_size = sizeof(int), .cap = 1 }));
}

static struct wr_bcast_reader readers[MODEL_THREADS_MAX];

static void open_with_readers(void)
{
    open_bcast();
    for (int i = 0; i < MODEL_THREADS_MAX; i++)
        readers[i] = wr_bcast_reader(bcast);
}

static void free_bcast(void)
{
    MODEL_CHECK(wr_bcast_send(bcast, &(int){ 4 }) == WR_CLOSED);
    wr_bcast_free(bcast);
}

static void send_close(int count)
{
    seam_enter();
    for (int i = 1; i <= count; i++)
        MODEL_OK(wr_bcast_send(bcast, &i));
    wr_bcast_close(bcast);
}

static void send_2_close(void)
{
    send_close(2);
}

static void send_3_close(void)
{
    send_close(3);
}

/* In order, and what is missing is what lagged says. */
static void read_to_the_end(void)
{
    seam_enter();
    struct wr_bcast_reader *reader = &readers[model_self()];
    uint64_t heard = 0, expected = 1;
    int value;
    wr_err err;
    while ((err = wr_bcast_recv(reader, &value, WR_NEVER)) != WR_CLOSED) {
        MODEL_CHECK(err == WR_OK || err == WR_LAGGED);
        if (err == WR_LAGGED) {
            expected = heard + reader->lagged + 1;
            continue;
        }
        heard++;
        MODEL_CHECK(value == (int)expected);
        expected++;
    }
    MODEL_CHECK(heard + reader->lagged == wr_bcast_stat(bcast).sent && heard >= 1);
}

MODEL(bcast_lag, .setup = open_with_readers, .thread = { send_3_close, read_to_the_end },
      .finish = free_bcast, .stale_max = 1, .locks_wait = true);
MODEL(bcast_lag_two_readers, .setup = open_with_readers,
      .thread = { send_2_close, read_to_the_end, read_to_the_end }, .finish = free_bcast,
      .locks_wait = true);

static void read_a_while(void)
{
    seam_enter();
    struct wr_bcast_reader reader = wr_bcast_reader(bcast);
    int value;
    wr_err err = wr_bcast_recv(&reader, &value, wr_after(WR_MS(5)));
    if (err == WR_OK)
        MODEL_CHECK(reader.next == (uint64_t)value + 1);
    else
        MODEL_CHECK(err == WR_TIMEOUT || err == WR_LAGGED || err == WR_CLOSED);
    err = wr_bcast_recv(&reader, &value, WR_NOW);
    MODEL_CHECK(err == WR_OK || err == WR_TIMEOUT || err == WR_LAGGED || err == WR_CLOSED);
}

MODEL(bcast_deadline_against_send, .setup = open_bcast,
      .thread = { send_3_close, read_a_while }, .finish = free_bcast, .locks_wait = true);
