/* cell_model.c - snapshots: held ones stay, dropped ones go, exactly once. */
#include <weir/cell.h>

#include "seam.h"

struct pair { int one, two; };

static struct wr_cell *cell;
static struct wr_cell_writer writer;
static _Atomic int drops;

/* Spoils it, so that a reader that still looks would see that. */
static void drop(void *snapshot)
{
    struct pair *pair = snapshot;
    MODEL_CHECK(pair->one == pair->two);
    pair->one = -1;
    atomic_fetch_add_explicit(&drops, 1, memory_order_relaxed);
}

static void open_cell(void)
{
    seam_open();
    MODEL_OK(wr_cell_new(&cell, &writer, &(struct wr_cell_conf){
        .name = "model.cell", .size = sizeof(struct pair), .initial = &(struct pair){ 1, 1 },
        .drop = drop }));
}

static void free_cell(void)
{
    int before = atomic_load(&drops);
    const struct pair *pair = wr_cell_get(cell);
    MODEL_CHECK(pair->one == before + 1);       /* each one replaced was dropped */
    wr_cell_put(cell, pair);
    wr_cell_free(cell);
    MODEL_CHECK(atomic_load(&drops) == before + 1);
}

static void set_2(void)
{
    seam_enter();
    MODEL_OK(wr_cell_set(&writer, (&(struct pair){ 2, 2 })));
}

static void set_2_3(void)
{
    set_2();
    MODEL_OK(wr_cell_set(&writer, (&(struct pair){ 3, 3 })));
}

static int look(void)
{
    const struct pair *pair = wr_cell_get(cell);
    int one = pair->one;
    MODEL_CHECK(one == pair->two && one > 0);
    wr_cell_put(cell, pair);
    return one;
}

static void get_put(void)
{
    seam_enter();
    look();
}

static void get_put_twice(void)
{
    seam_enter();
    int first = look();
    MODEL_CHECK(look() >= first);
}

/* Two held at once, put back in the order they were taken. */
static void hold_two(void)
{
    seam_enter();
    const struct pair *first = wr_cell_get(cell), *second = wr_cell_get(cell);
    MODEL_CHECK(second->one >= first->one);
    wr_cell_put(cell, first);
    MODEL_CHECK(second->one == second->two && second->one > 0);
    wr_cell_put(cell, second);
}

MODEL(cell_swap_against_reader, .setup = open_cell, .thread = { set_2_3, get_put_twice },
      .finish = free_cell, .stale_max = 2);
MODEL(cell_swap_against_two_readers, .setup = open_cell,
      .thread = { set_2_3, get_put, get_put }, .finish = free_cell, .stale_max = 1);
MODEL(cell_reader_holds_two, .setup = open_cell, .thread = { set_2_3, hold_two },
      .finish = free_cell, .stale_max = 1);
MODEL(cell_three_readers, .setup = open_cell, .thread = { set_2, get_put, get_put, get_put },
      .finish = free_cell);

/* The writer moves from one thread to another with whatever hands it over. */
static struct wr_cell_writer moved;

static void set_and_move(void)
{
    set_2();
    moved = wr_cell_move(&writer);
    model_post(&moved);
}

static void take_over(void)
{
    seam_enter();
    model_wait(&moved);
    MODEL_OK(wr_cell_set(&moved, (&(struct pair){ 3, 3 })));
}

MODEL(cell_writer_moves, .setup = open_cell, .thread = { set_and_move, take_over, get_put },
      .finish = free_cell);

static void writes_at_once(void)
{
    MODEL_OK(wr_cell_set(&writer, (&(struct pair){ 2, 2 })));
}

static void only_free(void)
{
    wr_cell_free(cell);
}

MODEL(cell_two_writers_are_caught, .setup = open_cell,
      .thread = { writes_at_once, writes_at_once }, .finish = only_free,
      .expect = "is written by two at once");
