/* map_test.c - the map tells what is there, and only that. */
#include <weir/topo.h>

#include <stdio.h>
#include <string.h>

#include <weir/bcast.h>
#include <weir/chan.h>
#include <weir/lock.h>
#include <weir/scope.h>
#include <weir/select.h>
#include <weir/sem.h>
#include <weir/watch.h>

#include "testing/settle.h"
#include "testing/test.h"

static char text[64 * 1024];

static const char *draw(enum wr_topo_format format)
{
    size_t len = 0;
    CHECK_OK(wr_topo_write(&len, text, sizeof(text), format));
    CHECK_EQ(strlen(text), len);
    return text;
}

static struct wr_chan *make(const char *name, size_t cap, enum wr_chan_policy policy)
{
    struct wr_chan *ch = NULL;
    CHECK_OK(wr_chan_new(&ch, &(struct wr_chan_conf){ .name = name, .item_size = sizeof(int),
                                                      .cap = cap, .policy = policy }));
    return ch;
}

static wr_err give(void *ch)
{
    return wr_chan_send(ch, &(int){ 1 }, WR_NEVER);
}

static wr_err take(void *ch)
{
    int value;
    return wr_chan_recv(ch, &value, WR_NEVER);
}

/* One task gives, another takes. */
static void use(struct wr_chan *ch)
{
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.use",
                                                             .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "map.giver", give, ch));
    CHECK_OK(wr_scope_go(scope, "map.taker", take, ch));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
}

TEST(a_channel_is_on_the_map_from_its_making_to_its_end)
{
    CHECK(!strstr(draw(WR_TOPO_MARKDOWN), "map.here"));
    struct wr_chan *ch = make("map.here", 7, WR_REJECT);
    CHECK(strstr(draw(WR_TOPO_MARKDOWN), "| chan | `map.here` | 7 | reject |  |  |\n"));
    wr_chan_free(ch);
    CHECK(!strstr(draw(WR_TOPO_MARKDOWN), "map.here"));
}

TEST(who_gives_and_who_takes_is_noticed_by_use)
{
    struct wr_chan *ch = make("map.used", 2, WR_WAIT);
    use(ch);
    CHECK(strstr(draw(WR_TOPO_MARKDOWN),
                 "| `map.used` | 2 | wait | map.giver | map.taker |\n"));
    draw(WR_TOPO_MERMAID);
    CHECK(strncmp(text, "flowchart LR\n", 13) == 0);
    CHECK(strstr(text, "  object_map_used([\"chan:map.used(2)\"])\n"));
    CHECK(strstr(text, "  task_map_giver --> object_map_used\n"));
    CHECK(strstr(text, "  object_map_used --> task_map_taker\n"));
    CHECK(strstr(text, "  task_map_giver[map.giver]\n"));
    wr_chan_free(ch);
}

TEST(objects_of_one_name_are_one_row_with_their_sum)
{
    struct wr_chan *a = make("map.twin", 3, WR_WAIT), *b = make("map.twin", 3, WR_WAIT);
    CHECK_OK(wr_chan_send(a, &(int){ 1 }, WR_NOW));
    CHECK_OK(wr_chan_send(b, &(int){ 1 }, WR_NOW));
    const char *row = strstr(draw(WR_TOPO_TEXT), "map.twin");
    REQUIRE(row);
    unsigned long long depth = 0, cap = 0;
    CHECK_EQ(2, sscanf(row, "map.twin %llu %llu", &depth, &cap));
    CHECK_EQ(2, depth);
    CHECK_EQ(3, cap);
    CHECK(!strstr(row + 1, "map.twin"));
    wr_chan_free(a);
    wr_chan_free(b);
}

TEST(every_kind_of_object_has_its_row)
{
    struct wr_watch *watch;
    struct wr_watch_writer writer;
    struct wr_bcast *bcast;
    struct wr_sem *sem;
    static struct wr_mutex mutex = WR_MUTEX("map.lock", 4711);
    REQUIRE_OK(wr_watch_new(&watch, &writer, &(struct wr_watch_conf){
        .name = "map.watch", .size = sizeof(int), .initial = &(int){ 0 } }));
    REQUIRE_OK(wr_bcast_new(&bcast, &(struct wr_bcast_conf){ .name = "map.bus", .cap = 9,
                                                             .item_size = sizeof(int) }));
    REQUIRE_OK(wr_sem_new(&sem, "map.sem", 5));
    wr_mutex_lock(&mutex);
    wr_mutex_unlock(&mutex);
    draw(WR_TOPO_MARKDOWN);
    CHECK(strstr(text, "| watch | `map.watch` | 1 | last-write-wins |"));
    CHECK(strstr(text, "| bcast | `map.bus` | 9 | overwrite-oldest |"));
    CHECK(strstr(text, "| sem | `map.sem` | 5 | first-come |"));
    CHECK(strstr(text, "| `map.lock` | 4711 |\n"));
    CHECK(strstr(draw(WR_TOPO_TEXT), "map.lock"));
    wr_watch_free(watch);
    wr_bcast_free(bcast);
    wr_sem_free(sem);
    wr_mutex_fini(&mutex);
    CHECK(!strstr(draw(WR_TOPO_TEXT), "map.lock"));
}

/* ---- what cannot go yet ---- */

static struct in_use {
    struct wr_chan *ch;
    struct wr_watch *watch;
    struct wr_bcast *bcast;
    struct wr_sem *sem;
} in_use;

static wr_err wait_for_all(void *arg)
{
    int number;
    struct wr_watch_reader news = wr_watch_reader(in_use.watch);
    struct wr_bcast_reader bus = wr_bcast_reader(in_use.bcast);
    (void)arg;
    CHECK_OK(wr_watch_wait(&news, &number, WR_NEVER));
    struct wr_case cases[] = {
        WR_CASE_RECV(in_use.ch, &number), WR_CASE_WATCH(&news, &number),
        WR_CASE_BCAST(&bus, &number), WR_CASE_SEM(in_use.sem, 5),
    };
    size_t which;
    return wr_select(&which, cases, 4, WR_NEVER);
}

static wr_err free_chan(void *arg)
{
    (void)arg;
    wr_chan_free(in_use.ch);
    return WR_OK;
}

static wr_err free_watch(void *arg)
{
    (void)arg;
    wr_watch_free(in_use.watch);
    return WR_OK;
}

static wr_err free_bcast(void *arg)
{
    (void)arg;
    wr_bcast_free(in_use.bcast);
    return WR_OK;
}

static wr_err free_sem(void *arg)
{
    (void)arg;
    wr_sem_free(in_use.sem);
    return WR_OK;
}

static void must_panic(wr_task_fn fn)
{
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.frees", fn, NULL));
    CHECK_ERR(WR_PANIC, wr_scope_join(scope, WR_NEVER));
    CHECK_ERR(WR_PANIC, wr_scope_close(scope));
}

TEST(a_free_that_was_refused_leaves_the_object_on_the_map_and_in_use)
{
    static const wr_task_fn frees[] = { free_chan, free_watch, free_bcast, free_sem };
    struct wr_watch_writer writer;
    int value = 0;
    in_use.ch = make("map.used", 1, WR_WAIT);
    CHECK_OK(wr_watch_new(&in_use.watch, &writer, &(struct wr_watch_conf){
        .name = "map.used", .size = sizeof(value), .initial = &value }));
    CHECK_OK(wr_bcast_new(&in_use.bcast, &(struct wr_bcast_conf){
        .name = "map.used", .item_size = sizeof(value), .cap = 9 }));
    CHECK_OK(wr_sem_new(&in_use.sem, "map.used", 5));
    CHECK_OK(wr_sem_acquire(in_use.sem, WR_NOW));
    struct wr_scope *scope = scope_open();
    go(scope, wait_for_all, NULL);
    for (int i = 0; i < 4; i++)
        must_panic(frees[i]);
    draw(WR_TOPO_MARKDOWN);
    CHECK(strstr(text, "| chan | `map.used` | 1 |"));
    CHECK(strstr(text, "| watch | `map.used` | 1 |"));
    CHECK(strstr(text, "| bcast | `map.used` | 9 |"));
    CHECK(strstr(text, "| sem | `map.used` | 5 |"));
    CHECK_OK(wr_bcast_send(in_use.bcast, &value));
    scope_done(scope);
    wr_chan_free(in_use.ch);
    wr_watch_free(in_use.watch);
    wr_bcast_free(in_use.bcast);
    wr_sem_free(in_use.sem);
}

TEST(rows_are_sorted_whatever_the_order_of_making)
{
    struct wr_chan *b = make("map.b", 1, WR_WAIT), *a = make("map.a", 1, WR_WAIT);
    draw(WR_TOPO_MARKDOWN);
    REQUIRE(strstr(text, "map.a") && strstr(text, "map.b"));
    CHECK(strstr(text, "map.a") < strstr(text, "map.b"));
    wr_chan_free(a);
    wr_chan_free(b);
}

static wr_err select_from(void *ch)
{
    int value;
    struct wr_case cases[] = { WR_CASE_RECV(ch, &value) };
    size_t which;
    return wr_select(&which, cases, 1, WR_NEVER);
}

TEST(who_waits_in_a_select_takes_what_is_handed_to_it)
{
    struct wr_chan *ch = make("map.handed", 1, WR_WAIT);
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.use",
                                                             .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "map.selector", select_from, ch));
    settle();
    CHECK_OK(wr_scope_go(scope, "map.giver", give, ch));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
    const char *line = strstr(draw(WR_TOPO_TEXT), "map.handed");
    REQUIRE(line);
    CHECK(memmem(line, strcspn(line, "\n"), "map.giver -> map.selector", 25));
    wr_chan_free(ch);
}

TEST(what_nobody_has_used_yet_has_no_arrow)
{
    struct wr_chan *ch = make("map.unused", 1, WR_WAIT);
    const char *line = strstr(draw(WR_TOPO_TEXT), "map.unused");
    REQUIRE(line);
    CHECK(!memmem(line, strcspn(line, "\n"), "->", 2));
    wr_chan_free(ch);
}

TEST(without_locks_there_is_no_table_of_them)
{
    static struct wr_mutex mutex = WR_MUTEX("map.only", 4712);
    CHECK(!strstr(draw(WR_TOPO_TEXT), "LOCK"));
    CHECK(!strstr(draw(WR_TOPO_MARKDOWN), "| lock |"));
    wr_mutex_lock(&mutex);
    wr_mutex_unlock(&mutex);
    CHECK(strstr(draw(WR_TOPO_TEXT), "LOCK"));
    CHECK(strstr(draw(WR_TOPO_MARKDOWN), "| lock |"));
    wr_mutex_fini(&mutex);
}

TEST(notes_are_below_the_rows_in_the_order_of_their_names)
{
    struct wr_topo_note later = { .name = "map.later", .text = "two of three" };
    struct wr_topo_note first = { .name = "map.first", .text = "one" };
    wr_topo_note_add(&later);
    wr_topo_note_add(&first);
    CHECK(strstr(draw(WR_TOPO_TEXT), "\n\nNOTE map.first: one\nNOTE map.later: two of th"));
    CHECK(strstr(draw(WR_TOPO_MARKDOWN), "|\n\n- `map.first`: one\n- `map.later`: two"));
    CHECK(strstr(draw(WR_TOPO_MERMAID), "%% map.first: one\n%% map.later: two of three\n"));
    wr_topo_note_remove(&first);
    CHECK(!strstr(draw(WR_TOPO_TEXT), "map.first"));
    CHECK(strstr(draw(WR_TOPO_TEXT), "NOTE map.later"));
    wr_topo_note_remove(&later);
    CHECK(!strstr(draw(WR_TOPO_TEXT), "NOTE"));
}

TEST(a_map_that_does_not_fit_is_refused)
{
    size_t len;
    char small[40];
    CHECK_ERR(WR_NOMEM, wr_topo_write(&len, small, sizeof(small), WR_TOPO_TEXT));
}
