/* metrics_test.c - what the runtime counts is on the metrics page, under the
 * names and labels that dashboards know. */
#include <weir/metric.h>

#include <weir/bcast.h>
#include <weir/chan.h>
#include <weir/scope.h>
#include <weir/sem.h>

#include "testing/metric_rig.h"

static uint64_t same_key(const void *item)
{
    (void)item;
    return 1;
}

static struct wr_chan *make(const char *name, enum wr_chan_policy policy)
{
    struct wr_chan *ch = NULL;
    CHECK_OK(wr_chan_new(&ch, &(struct wr_chan_conf){
        .name = name, .item_size = sizeof(int), .cap = 2, .policy = policy,
        .key = policy == WR_COALESCE ? same_key : NULL }));
    return ch;
}

static void send_three(struct wr_chan *ch)
{
    for (int i = 0; i < 3; i++)
        (void)!wr_chan_send(ch, &i, WR_NOW);
}

TEST(a_channel_shows_its_depth_and_what_it_refused_dropped_or_coalesced)
{
    struct wr_chan *reject = make("metrics.reject", WR_REJECT);
    struct wr_chan *drop = make("metrics.drop", WR_DROP_OLDEST);
    struct wr_chan *coalesce = make("metrics.coalesce", WR_COALESCE);
    send_three(reject);
    send_three(drop);
    send_three(coalesce);
    CHECK_EQ(2, metric_value("queue_depth{queue=\"metrics.reject\"}"));
    CHECK_EQ(1, metric_value("busy_rejections_total{queue=\"metrics.reject\"}"));
    CHECK_EQ(0, metric_value("queue_dropped_total{queue=\"metrics.reject\"}"));
    CHECK_EQ(1, metric_value("queue_dropped_total{queue=\"metrics.drop\"}"));
    CHECK_EQ(1, metric_value("queue_depth{queue=\"metrics.coalesce\"}"));
    CHECK_EQ(2, metric_value("config_coalesced_total{queue=\"metrics.coalesce\"}"));
    wr_chan_free(reject);
    wr_chan_free(drop);
    wr_chan_free(coalesce);
}

TEST(a_counter_never_falls_when_its_channel_goes)
{
    for (int round = 1; round <= 3; round++) {
        struct wr_chan *ch = make("metrics.gone", WR_REJECT);
        send_three(ch);
        CHECK_EQ(round, metric_value("busy_rejections_total{queue=\"metrics.gone\"}"));
        wr_chan_free(ch);
        CHECK_EQ(round, metric_value("busy_rejections_total{queue=\"metrics.gone\"}"));
    }
}

TEST(a_broadcast_shows_how_far_its_readers_lagged)
{
    struct wr_bcast *bus;
    REQUIRE_OK(wr_bcast_new(&bus, &(struct wr_bcast_conf){ .name = "metrics.bus", .cap = 2,
                                                           .item_size = sizeof(int) }));
    struct wr_bcast_reader reader = wr_bcast_reader(bus);
    for (int i = 0; i < 5; i++)
        CHECK_OK(wr_bcast_send(bus, &i));
    int got;
    CHECK_ERR(WR_LAGGED, wr_bcast_recv(&reader, &got, WR_NOW));
    CHECK_EQ(3, metric_value("bus_lagged_total{bus=\"metrics.bus\"}"));
    wr_bcast_free(bus);
}

TEST(a_semaphore_shows_what_is_in_flight)
{
    struct wr_sem *sem;
    REQUIRE_OK(wr_sem_new(&sem, "metrics.facet", 4));
    CHECK_OK(wr_sem_try_acquire_many(sem, 3));
    CHECK_EQ(3, metric_value("semaphore_inflight{facet=\"metrics.facet\"}"));
    wr_sem_release_many(sem, 3);
    CHECK_EQ(0, metric_value("semaphore_inflight{facet=\"metrics.facet\"}"));
    wr_sem_free(sem);
}

static wr_err sleep_long(void *arg)
{
    (void)arg;
    return wr_sleep(wr_after(WR_S(3600)));
}

static wr_err do_nothing(void *arg)
{
    (void)arg;
    return WR_OK;
}

TEST(tasks_are_counted_by_kind_and_by_how_they_ended)
{
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.tasks",
                                                             .deadline = WR_NEVER }));
    for (int i = 0; i < 3; i++)
        CHECK_OK(wr_scope_go(scope, "metrics.quick", do_nothing, NULL));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    for (int i = 0; i < 2; i++)
        CHECK_OK(wr_scope_go(scope, "metrics.slow", sleep_long, NULL));
    CHECK_OK(wr_yield());
    wr_scope_cancel(scope);
    CHECK_OK(wr_scope_close(scope));
    CHECK_EQ(3, metric_value("tasks_spawned_total{kind=\"metrics.quick\"}"));
    CHECK_EQ(3, metric_value("tasks_completed_total{kind=\"metrics.quick\"}"));
    CHECK_EQ(0, metric_value("tasks_canceled_total{kind=\"metrics.quick\"}"));
    CHECK_EQ(2, metric_value("tasks_completed_total{kind=\"metrics.slow\"}"));
    CHECK_EQ(2, metric_value("tasks_canceled_total{kind=\"metrics.slow\"}"));
    CHECK_EQ(0, metric_value("tasks_panicked_total{kind=\"metrics.slow\"}"));
    CHECK_EQ(0, metric_value("tasks_aborted_total{kind=\"metrics.slow\"}"));
    CHECK_EQ(0, metric_value("runtime_stalls_total{where=\"metrics.slow\"}"));
}

static bool broken;

static void collect_broken(struct wr_scrape *scrape)
{
    if (broken)
        wr_panic("cannot be read");
    wr_scrape_gauge(scrape, 7);
}

static wr_err read_the_page(void *arg)
{
    static char page[256 * 1024];
    size_t len;
    (void)arg;
    return wr_metric_write(&len, page, sizeof(page));
}

TEST(a_panic_while_collecting_ends_the_reading_and_the_next_one_works)
{
    static struct wr_metric gauge = { .name = "test_broken", .help = "A test.",
                                      .type = WR_GAUGE, .collect = collect_broken };
    wr_metric_declare(&gauge);
    broken = true;
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.reading",
                                                             .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "metrics.reader", read_the_page, NULL));
    CHECK_ERR(WR_PANIC, wr_scope_join(scope, WR_NEVER));
    CHECK_ERR(WR_PANIC, wr_scope_close(scope));
    broken = false;
    CHECK_EQ(7, metric_value("test_broken"));
}

TEST(the_number_of_workers_is_shown)
{
    CHECK(metric_value("runtime_workers") >= 1);
    CHECK(metric_value("runtime_stack_waits_total") >= 0);
}
