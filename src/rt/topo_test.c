#include <stdio.h>
#include <string.h>

#include <weir/chan.h>
#include <weir/scope.h>

#include "rt/topo_int.h"
#include "testing/settle.h"
#include "testing/test.h"

/* Nodes of our own, that count what we say. */
struct thing { struct topo_node node; const char *name; uint64_t refused, dropped; };

static void describe(struct topo_node *node, struct topo_row *row)
{
    struct thing *thing = TOPO_OWNER(node, struct thing, node);
    *row = (struct topo_row){ .kind = "thing", .name = thing->name, .policy = "none",
                              .refused = thing->refused, .dropped = thing->dropped };
}

static void add(struct thing *thing)
{
    wr_topo_add(&thing->node, describe);
}

static void take_off(struct thing *thing)
{
    wr_topo_remove(&thing->node);
}

/* The names of our things, as the map lists them: "a b (c)"; (c) is gone. */
static void collect(void *arg, const struct topo_row *row)
{
    char *text = arg;
    if (strcmp(row->kind, "thing") == 0)
        snprintf(text + strlen(text), 100 - strlen(text), row->gone ? "(%s) " : "%s ",
                 row->name);
}

static const char *names(void)
{
    static char text[100];
    text[0] = '\0';
    wr_topo_each(collect, text);
    return text;
}

TEST_PLAIN(things_are_on_the_map_in_the_order_of_their_making_until_they_go)
{
    struct thing a = { .name = "a" }, b = { .name = "b" }, c = { .name = "c" };
    CHECK_STR("", names());
    add(&a);
    add(&b);
    add(&c);
    CHECK_STR("a b c ", names());
    take_off(&b);
    CHECK_STR("a c ", names());
    take_off(&c);
    take_off(&a);
    CHECK_STR("", names());
}

struct sum { const char *name; uint64_t refused, dropped; int rows; };

static void add_up(void *arg, const struct topo_row *row)
{
    struct sum *sum = arg;
    if (strcmp(row->kind, "thing") != 0 || strcmp(row->name, sum->name) != 0)
        return;
    sum->rows++;
    sum->refused += row->refused;
    sum->dropped += row->dropped;
}

static struct sum sum_of(const char *name)
{
    struct sum sum = { .name = name };
    wr_topo_each(add_up, &sum);
    return sum;
}

TEST_PLAIN(what_a_thing_has_lost_is_remembered_under_its_name_when_it_goes)
{
    char name[] = "lossy";              /* memory that goes with the thing */
    struct thing first = { .name = name, .refused = 3 };
    struct thing second = { .name = name, .refused = 4, .dropped = 1 };
    add(&first);
    add(&second);
    take_off(&first);
    CHECK_EQ(7, sum_of("lossy").refused);
    take_off(&second);
    name[0] = 'x';
    struct sum sum = sum_of("lossy");
    CHECK_EQ(1, sum.rows);
    CHECK_EQ(7, sum.refused);
    CHECK_EQ(1, sum.dropped);
}

/* ---- who uses what ---- */

static struct wr_kind kinds[TOPO_EDGES_MAX + 2];

static bool has_edge(const struct topo_node *node, int side, const struct wr_kind *kind)
{
    for (int i = 0; i < TOPO_EDGES_MAX; i++)
        if (node->edges[side][i] == kind)
            return true;
    return false;
}

TEST_PLAIN(each_kind_that_uses_a_thing_is_noted_once_per_side)
{
    struct topo_node node = { 0 };
    for (int round = 0; round < 3; round++) {
        wr_topo_note_slow(&node, TOPO_IN, &kinds[0]);
        wr_topo_note_slow(&node, TOPO_IN, &kinds[1]);
        wr_topo_note_slow(&node, TOPO_OUT, &kinds[2]);
    }
    CHECK(has_edge(&node, TOPO_IN, &kinds[0]));
    CHECK(has_edge(&node, TOPO_IN, &kinds[1]));
    CHECK(!has_edge(&node, TOPO_IN, &kinds[2]));
    CHECK(has_edge(&node, TOPO_OUT, &kinds[2]));
    CHECK(node.edges[TOPO_IN][2] == NULL);
    CHECK(node.edges[TOPO_OUT][1] == NULL);
    CHECK_EQ(0, node.edges_lost);
}

TEST_PLAIN(kinds_beyond_the_limit_are_counted_not_noted)
{
    struct topo_node node = { 0 };
    for (int i = 0; i < TOPO_EDGES_MAX + 2; i++)
        wr_topo_note_slow(&node, TOPO_IN, &kinds[i]);
    CHECK_EQ(2, node.edges_lost);
    CHECK(has_edge(&node, TOPO_IN, &kinds[TOPO_EDGES_MAX - 1]));
    CHECK(!has_edge(&node, TOPO_IN, &kinds[TOPO_EDGES_MAX]));
}

static wr_err give(void *arg)
{
    return wr_chan_send(arg, &(int){ 1 }, WR_NEVER);
}

static wr_err take(void *arg)
{
    int item;
    return wr_chan_recv(arg, &item, WR_NEVER);
}

struct seen { bool giver, taker, wrong; };

static void look_for_users(void *arg, const struct topo_row *row)
{
    struct seen *seen = arg;
    if (row->gone || strcmp(row->name, "test.watched") != 0)
        return;
    for (int i = 0; i < TOPO_EDGES_MAX; i++) {
        const struct wr_kind *in = row->edges[TOPO_IN][i], *out = row->edges[TOPO_OUT][i];
        seen->giver |= in && strcmp(in->name, "test.giver") == 0;
        seen->taker |= out && strcmp(out->name, "test.taker") == 0;
        seen->wrong |= (in && strcmp(in->name, "test.giver") != 0)
            || (out && strcmp(out->name, "test.taker") != 0);
    }
}

TEST(a_channel_knows_which_kinds_of_task_give_and_which_take)
{
    struct wr_chan *ch;
    struct seen seen = { 0 };
    CHECK_OK(wr_chan_new(&ch, &(struct wr_chan_conf){
        .name = "test.watched", .item_size = sizeof(int), .cap = 1, .policy = WR_WAIT }));
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 5; i++) {
        CHECK_OK(wr_scope_go(scope, "test.giver", give, ch));
        CHECK_OK(wr_scope_go(scope, "test.taker", take, ch));
    }
    scope_done(scope);
    wr_topo_each(look_for_users, &seen);
    CHECK(seen.giver && seen.taker && !seen.wrong);
    wr_chan_free(ch);
}

/* ---- kinds ---- */

static int times_known(const struct wr_kind *kind)
{
    int count = 0;
    for (struct wr_kind *known = wr_kind_first(); known; known = atomic_load(&known->next))
        count += known == kind;
    return count;
}

static wr_err nothing(void *arg)
{
    (void)arg;
    return WR_OK;
}

TEST(a_kind_of_task_is_known_from_its_first_start_and_only_once)
{
    static struct wr_kind kind = WR_KIND("test.kind");
    CHECK_EQ(0, times_known(&kind));
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 20; i++)
        CHECK_OK(wr_scope_go_kind(scope, &kind, nothing, NULL));
    scope_done(scope);
    CHECK_EQ(1, times_known(&kind));
    CHECK_EQ(20, KIND_COUNT(&kind, spawned));
    CHECK_EQ(20, KIND_COUNT(&kind, completed));
    CHECK_EQ(0, KIND_COUNT(&kind, panicked));
}
