/* facet_test.c - each facet refuses with BUSY, which is 429, and counts that. */
#include "flow/facet.h"

#include <string.h>

#include "testing/metric_rig.h"
#include "testing/settle.h"

static struct facets *make(struct facets_conf conf)
{
    struct facets *facets = NULL;
    conf.cpus = conf.cpus ? conf.cpus : 2;
    CHECK_OK(facets_new(&facets, &conf));
    return facets;
}

/* A value on the metrics page; -1 when it is not there. */
static long long metric(const char *name, enum facet_kind kind)
{
    return metric_value("%s{facet=\"%s\"}", name, facet_name(kind));
}

static wr_err enter(struct facets *facets, enum facet_kind kind, struct facet_ask ask,
                    struct facet_permit *permit)
{
    struct facet_refusal no;
    ask.deadline = ask.deadline ? ask.deadline : WR_NEVER;
    return facet_enter(facets, kind, &ask, permit, &no);
}

static struct facet_ask ask_of(int kind, unsigned units)
{
    static const char *const tenants[] = { "ada", "bob", "eve", "kim", "lin", "max" };
    static int next;
    return (struct facet_ask){ .units = units, .deadline = WR_NEVER, .degree = 2, .depth = 2,
                               .tenant = kind >= 0 ? tenants[next++ % 6] : NULL };
}

/* ---- the semaphores ---- */

TEST(caps_are_per_processor_with_a_floor_of_two)
{
    static const unsigned of_eight[] = { 32, 16, 32, 8, 32 }, of_one[] = { 4, 2, 4, 2, 4 };
    struct facets *eight = make((struct facets_conf){ .cpus = 8 });
    struct facets *one = make((struct facets_conf){ .cpus = 1 });
    for (int i = 0; i < FACET_COUNT; i++) {
        CHECK_EQ(of_eight[i], facet_permits(eight, (enum facet_kind)i));
        CHECK_EQ(of_one[i], facet_permits(one, (enum facet_kind)i));
    }
    facets_free(eight);
    facets_free(one);
}

TEST(every_facet_is_busy_when_its_units_are_out_and_says_so_on_the_metrics_page)
{
    struct facets *facets = make((struct facets_conf){ .permits = { 3, 3, 3, 3, 3 } });
    CHECK_EQ(429, wr_err_http(WR_BUSY));
    for (int i = 0; i < FACET_COUNT; i++) {
        enum facet_kind kind = (enum facet_kind)i;
        struct facet_permit one, two, three;
        CHECK_OK(enter(facets, kind, ask_of(i, 1), &one));
        CHECK_OK(enter(facets, kind, ask_of(i, 2), &two));
        CHECK_EQ(3, metric("semaphore_inflight", kind));
        long long before = metric("facet_busy_total", kind);
        CHECK_ERR(WR_BUSY, enter(facets, kind, ask_of(i, 1), &three));
        CHECK_ERR(WR_BUSY, enter(facets, kind, ask_of(i, 4), &three));
        CHECK_EQ(before + 2, metric("facet_busy_total", kind));
        facet_leave(&one);
        CHECK_EQ(2, metric("semaphore_inflight", kind));
        CHECK_ERR(WR_BUSY, enter(facets, kind, ask_of(i, 2), &three));
        CHECK_OK(enter(facets, kind, ask_of(i, 1), &three));
        facet_leave(&two);
        facet_leave(&three);
        CHECK_EQ(0, metric("semaphore_inflight", kind));
    }
    facets_free(facets);
}

TEST(facets_do_not_take_from_one_another)
{
    struct facets *facets = make((struct facets_conf){ .permits = { 1, 1, 1, 1, 1 } });
    struct facet_permit permits[FACET_COUNT];
    for (int i = 0; i < FACET_COUNT; i++)
        CHECK_OK(enter(facets, (enum facet_kind)i, ask_of(i, 1), &permits[i]));
    for (int i = 0; i < FACET_COUNT; i++)
        facet_leave(&permits[i]);
    facets_free(facets);
}

TEST(permits_change_while_work_runs)
{
    struct facets *facets = make((struct facets_conf){ .permits = { 0, 4, 0, 0, 0 } });
    struct facet_permit permits[6];
    for (int i = 0; i < 4; i++)
        CHECK_OK(enter(facets, FACET_GRAPH, ask_of(i, 1), &permits[i]));
    facets_set(facets, &(struct facets_conf){ .cpus = 2, .permits = { 0, 5, 0, 0, 0 } });
    CHECK_OK(enter(facets, FACET_GRAPH, ask_of(0, 1), &permits[4]));
    CHECK_ERR(WR_BUSY, enter(facets, FACET_GRAPH, ask_of(0, 1), &permits[5]));
    facets_set(facets, &(struct facets_conf){ .cpus = 2, .permits = { 0, 2, 0, 0, 0 } });
    CHECK_ERR(WR_BUSY, enter(facets, FACET_GRAPH, ask_of(0, 3), &permits[5]));
    for (int i = 0; i < 3; i++) {
        facet_leave(&permits[i]);
        CHECK_ERR(WR_BUSY, enter(facets, FACET_GRAPH, ask_of(0, 1), &permits[5]));
    }
    facet_leave(&permits[3]);
    CHECK_OK(enter(facets, FACET_GRAPH, ask_of(0, 1), &permits[5]));
    facet_leave(&permits[4]);
    facet_leave(&permits[5]);
    facets_free(facets);
}

TEST(work_that_ends_beyond_its_deadline_is_counted_in_every_facet)
{
    struct facets *facets = make((struct facets_conf){ 0 });
    for (int i = 0; i < FACET_COUNT; i++) {
        enum facet_kind kind = (enum facet_kind)i;
        struct facet_permit in_time, late;
        struct facet_ask ask = ask_of(i, 1);
        long long before = metric("facet_deadline_timeouts_total", kind);
        ask.deadline = wr_after(WR_MS(10));
        CHECK_OK(enter(facets, kind, ask, &in_time));
        CHECK_OK(enter(facets, kind, ask, &late));
        CHECK_OK(wr_sleep(ask.deadline));
        facet_leave(&in_time);
        CHECK_EQ(before, metric("facet_deadline_timeouts_total", kind));
        settle();
        facet_leave(&late);
        CHECK_EQ(before + 1, metric("facet_deadline_timeouts_total", kind));
    }
    facets_free(facets);
}

/* ---- feed ---- */

static struct facet_ask fanout(unsigned units, wr_time within)
{
    return (struct facet_ask){ .units = units, .deadline = wr_after(within) };
}

TEST(the_oldest_fan_out_beyond_its_deadline_makes_room_and_no_other)
{
    struct facets *facets = make((struct facets_conf){ .permits = { 4, 0, 0, 0, 0 } });
    struct facet_permit patient, first, second, third, newcomer;
    CHECK_OK(enter(facets, FACET_FEED, fanout(1, WR_S(100)), &patient));
    CHECK_OK(enter(facets, FACET_FEED, fanout(1, WR_MS(20)), &first));
    CHECK_OK(enter(facets, FACET_FEED, fanout(1, WR_MS(10)), &second));
    CHECK_OK(enter(facets, FACET_FEED, fanout(1, WR_MS(10)), &third));
    long long busy = metric("facet_busy_total", FACET_FEED);
    long long late = metric("facet_deadline_timeouts_total", FACET_FEED);
    CHECK_OK(wr_sleep(wr_after(WR_MS(10))));
    CHECK_ERR(WR_BUSY, enter(facets, FACET_FEED, fanout(1, WR_S(1)), &newcomer));
    CHECK_EQ(busy + 1, metric("facet_busy_total", FACET_FEED));
    settle();
    CHECK(!facet_shed(&second));                /* beyond, and nobody needed its place */
    CHECK_OK(enter(facets, FACET_FEED, fanout(1, WR_S(1)), &newcomer));
    CHECK(!facet_shed(&patient) && !facet_shed(&first) && facet_shed(&second));
    CHECK(!facet_shed(&third) && !facet_shed(&newcomer));
    CHECK_EQ(4, metric("semaphore_inflight", FACET_FEED));
    CHECK_EQ(late + 1, metric("facet_deadline_timeouts_total", FACET_FEED));
    facet_leave(&second);                       /* it learns of it, and is not counted twice */
    CHECK_EQ(late + 1, metric("facet_deadline_timeouts_total", FACET_FEED));
    facet_leave(&third);
    facet_leave(&first);
    facet_leave(&patient);
    facet_leave(&newcomer);
    CHECK_EQ(0, metric("semaphore_inflight", FACET_FEED));
    facets_free(facets);
}

TEST(a_large_fan_out_takes_the_place_of_several_that_are_late)
{
    struct facets *facets = make((struct facets_conf){ .permits = { 4, 0, 0, 0, 0 } });
    struct facet_permit permits[4], large, small;
    for (int i = 0; i < 4; i++)
        CHECK_OK(enter(facets, FACET_FEED, fanout(1, WR_MS(i < 3 ? 1 : 100)), &permits[i]));
    CHECK_OK(wr_sleep(wr_after(WR_MS(2))));
    CHECK_ERR(WR_BUSY, enter(facets, FACET_FEED, fanout(5, WR_S(1)), &large));
    CHECK(!facet_shed(&permits[0]));            /* that could never have fitted */
    CHECK_OK(enter(facets, FACET_FEED, fanout(2, WR_S(1)), &large));
    CHECK(facet_shed(&permits[0]) && facet_shed(&permits[1]));
    CHECK(!facet_shed(&permits[2]) && !facet_shed(&permits[3]));
    CHECK_OK(enter(facets, FACET_FEED, fanout(1, WR_S(1)), &small));
    for (int i = 0; i < 4; i++)
        facet_leave(&permits[i]);
    facet_leave(&large);
    facet_leave(&small);
    facets_free(facets);
}

/* ---- graph ---- */

static wr_err expand(struct facets *facets, uint64_t degree, uint32_t depth, wr_time *ret_wait)
{
    struct facet_ask ask = { .deadline = WR_NEVER, .degree = degree, .depth = depth };
    struct facet_permit permit;
    struct facet_refusal no = { 0 };
    wr_err err = facet_enter(facets, FACET_GRAPH, &ask, &permit, &no);
    if (!err)
        facet_leave(&permit);
    *ret_wait = no.wait;
    return err;
}

TEST(an_expansion_that_could_visit_too_many_nodes_is_refused_before_it_begins)
{
    struct facets *facets = make((struct facets_conf){ .graph_nodes_max = 1110 });
    wr_time wait;
    long long before = metric("facet_busy_total", FACET_GRAPH);
    CHECK_OK(expand(facets, 10, 3, &wait));             /* 10 + 100 + 1000 */
    CHECK_OK(expand(facets, 1110, 1, &wait));
    CHECK_OK(expand(facets, 1, 1110, &wait));
    CHECK_OK(expand(facets, 0, UINT32_MAX, &wait));
    CHECK_EQ(before, metric("facet_busy_total", FACET_GRAPH));
    CHECK_ERR(WR_BUSY, expand(facets, 11, 3, &wait));
    CHECK_EQ(WR_NEVER, wait);
    CHECK_ERR(WR_BUSY, expand(facets, 1111, 1, &wait));
    CHECK_ERR(WR_BUSY, expand(facets, 1, 1111, &wait));
    CHECK_ERR(WR_BUSY, expand(facets, UINT64_MAX, UINT32_MAX, &wait));
    CHECK_ERR(WR_BUSY, expand(facets, (uint64_t)1 << 32, 2, &wait));
    CHECK_EQ(before + 5, metric("facet_busy_total", FACET_GRAPH));
    facets_set(facets, &(struct facets_conf){ .cpus = 2 });
    CHECK_OK(expand(facets, 128, 2, &wait));
    CHECK_ERR(WR_BUSY, expand(facets, 128, 3, &wait));
    facets_free(facets);
}

/* ---- search ---- */

static wr_err search(struct facets *facets, const char *tenant, wr_time *ret_wait)
{
    struct facet_ask ask = { .deadline = WR_NEVER, .tenant = tenant };
    struct facet_permit permit;
    struct facet_refusal no = { 0 };
    wr_err err = facet_enter(facets, FACET_SEARCH, &ask, &permit, &no);
    if (!err)
        facet_leave(&permit);
    *ret_wait = no.wait;
    return err;
}

TEST(each_tenant_searches_at_its_own_rate)
{
    struct wr_rate rate = wr_rate_of(10, WR_S(1), 3);
    struct facets *facets = make((struct facets_conf){ .search_tenant = rate });
    wr_time wait;
    long long before = metric("facet_busy_total", FACET_SEARCH);
    for (int i = 0; i < 3; i++)
        CHECK_OK(search(facets, "ada", &wait));
    CHECK_ERR(WR_BUSY, search(facets, "ada", &wait));
    CHECK_EQ(WR_MS(100), wait);
    CHECK_EQ(before + 1, metric("facet_busy_total", FACET_SEARCH));
    CHECK_EQ(0, metric("semaphore_inflight", FACET_SEARCH));
    CHECK_OK(search(facets, "bob", &wait));
    CHECK_OK(wr_sleep(wr_after(WR_MS(100))));
    CHECK_OK(search(facets, "ada", &wait));
    CHECK_ERR(WR_BUSY, search(facets, "ada", &wait));
    facets_free(facets);
}

TEST(a_search_that_found_no_unit_has_cost_its_tenant_nothing)
{
    struct wr_rate rate = wr_rate_of(1, WR_S(1), 1);
    struct facets *facets = make((struct facets_conf){ .permits = { 0, 0, 1, 0, 0 },
                                                       .search_tenant = rate });
    struct facet_permit only;
    wr_time wait;
    CHECK_OK(enter(facets, FACET_SEARCH, (struct facet_ask){ .tenant = "bob" }, &only));
    CHECK_ERR(WR_BUSY, search(facets, "ada", &wait));
    facet_leave(&only);
    CHECK_OK(search(facets, "ada", &wait));
    facets_free(facets);
}

TEST(tenants_are_bounded_and_one_that_has_searched_is_not_forgotten_for_another)
{
    struct wr_rate rate = wr_rate_of(1, WR_S(1000), 1);
    struct facets *facets = make((struct facets_conf){ .search_tenant = rate,
                                                       .tenants_max = 2 });
    wr_time wait;
    CHECK_OK(search(facets, "ada", &wait));
    CHECK_OK(search(facets, "bob", &wait));
    CHECK_ERR(WR_BUSY, search(facets, "eve", &wait));
    CHECK_ERR(WR_BUSY, search(facets, "ada", &wait));
    CHECK_OK(wr_sleep(wr_after(WR_S(1000))));
    CHECK_OK(search(facets, "eve", &wait));
    CHECK_OK(search(facets, "bob", &wait));
    facets_free(facets);
}

/* ---- index ---- */

TEST(what_is_refused_elsewhere_is_counted_here)
{
    long long before = metric("facet_busy_total", FACET_INDEX);
    facet_refused(FACET_INDEX);
    CHECK_EQ(before + 1, metric("facet_busy_total", FACET_INDEX));
}

/* ---- mailbox ---- */

TEST(a_tenant_has_so_much_work_at_once_and_leaves_the_rest_to_others)
{
    struct facets *facets = make((struct facets_conf){ .permits = { 0, 0, 0, 0, 10 },
                                                       .mailbox_tenant_max = 3 });
    struct facet_permit ada[4], bob;
    long long before = metric("facet_busy_total", FACET_MAILBOX);
    for (int i = 0; i < 3; i++)
        CHECK_OK(enter(facets, FACET_MAILBOX, (struct facet_ask){ .tenant = "ada" }, &ada[i]));
    CHECK_ERR(WR_BUSY, enter(facets, FACET_MAILBOX, (struct facet_ask){ .tenant = "ada" },
                             &ada[3]));
    CHECK_EQ(before + 1, metric("facet_busy_total", FACET_MAILBOX));
    CHECK_EQ(3, metric("semaphore_inflight", FACET_MAILBOX));
    CHECK_OK(enter(facets, FACET_MAILBOX, (struct facet_ask){ .tenant = "bob" }, &bob));
    facet_leave(&bob);
    facet_leave(&ada[1]);
    CHECK_OK(enter(facets, FACET_MAILBOX, (struct facet_ask){ .tenant = "ada" }, &ada[1]));
    /* Without a unit the tenant's own count is not left behind. */
    facets_set(facets, &(struct facets_conf){ .cpus = 2, .permits = { 0, 0, 0, 0, 3 } });
    for (int i = 0; i < 100; i++)
        CHECK_ERR(WR_BUSY, enter(facets, FACET_MAILBOX, (struct facet_ask){ .tenant = "bob" },
                                 &bob));
    for (int i = 0; i < 3; i++)
        facet_leave(&ada[i]);
    CHECK_OK(enter(facets, FACET_MAILBOX, (struct facet_ask){ .tenant = "bob" }, &bob));
    facet_leave(&bob);
    facets_free(facets);
}

TEST(no_tenant_has_more_than_half_of_the_units)
{
    struct facets *facets = make((struct facets_conf){ .permits = { 0, 0, 0, 0, 5 } });
    struct facet_permit ada[3], bob[2], eve;
    for (int i = 0; i < 2; i++)
        CHECK_OK(enter(facets, FACET_MAILBOX, (struct facet_ask){ .tenant = "ada" }, &ada[i]));
    CHECK_ERR(WR_BUSY, enter(facets, FACET_MAILBOX, (struct facet_ask){ .tenant = "ada" },
                             &ada[2]));
    for (int i = 0; i < 2; i++)
        CHECK_OK(enter(facets, FACET_MAILBOX, (struct facet_ask){ .tenant = "bob" }, &bob[i]));
    CHECK_OK(enter(facets, FACET_MAILBOX, (struct facet_ask){ .tenant = "eve" }, &eve));
    facet_leave(&eve);
    for (int i = 0; i < 2; i++) {
        facet_leave(&ada[i]);
        facet_leave(&bob[i]);
    }
    /* Of one unit anybody may have it. */
    facets_set(facets, &(struct facets_conf){ .cpus = 2, .permits = { 0, 0, 0, 0, 1 } });
    CHECK_OK(enter(facets, FACET_MAILBOX, (struct facet_ask){ .tenant = "eve" }, &eve));
    facet_leave(&eve);
    facets_free(facets);
}

TEST(who_waits_is_counted_for_his_tenant_and_takes_no_unit)
{
    struct facets *facets = make((struct facets_conf){ .permits = { 0, 0, 0, 0, 2 },
                                                       .mailbox_tenant_max = 3 });
    struct facet_permit ada[4], bob, work;
    struct facet_ask waits = { .tenant = "ada", .waits = true };
    for (int i = 0; i < 3; i++)
        CHECK_OK(enter(facets, FACET_MAILBOX, waits, &ada[i]));
    CHECK_ERR(WR_BUSY, enter(facets, FACET_MAILBOX, waits, &ada[3]));
    CHECK_EQ(0, metric("semaphore_inflight", FACET_MAILBOX));
    CHECK_OK(enter(facets, FACET_MAILBOX, (struct facet_ask){ .tenant = "ada" }, &work));
    CHECK_OK(enter(facets, FACET_MAILBOX, (struct facet_ask){ .tenant = "bob", .waits = true },
                   &bob));
    facet_leave(&work);
    facet_leave(&bob);
    facet_leave(&ada[0]);
    CHECK_OK(enter(facets, FACET_MAILBOX, waits, &ada[0]));
    for (int i = 0; i < 3; i++)
        facet_leave(&ada[i]);
    CHECK_EQ(0, metric("semaphore_inflight", FACET_MAILBOX));
    facets_free(facets);
}

/* ---- on several workers ---- */

static wr_err work(void *arg)
{
    struct facets *facets = arg;
    struct facet_permit permit;
    for (int i = 0; i < test_rounds(500); i++)
        for (int kind = 0; kind < FACET_COUNT; kind++) {
            struct facet_ask ask = { .tenant = i % 2 ? "ada" : "bob", .degree = 2, .depth = 2,
                                     .deadline = wr_now() - (i % 3) };
            if (enter(facets, (enum facet_kind)kind, ask, &permit))
                continue;
            if (i % 7 == 0)
                CHECK_OK(wr_sleep(wr_after(1)));
            facet_leave(&permit);
        }
    return WR_OK;
}

TEST(work_on_all_workers_leaves_nothing_behind)
{
    struct facets *facets = make((struct facets_conf){ .permits = { 3, 3, 3, 3, 3 } });
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 8; i++)
        CHECK_OK(wr_scope_go(scope, "test.work", work, facets));
    scope_done(scope);
    for (int i = 0; i < FACET_COUNT; i++)
        CHECK_EQ(0, metric("semaphore_inflight", (enum facet_kind)i));
    facets_free(facets);
}

TEST_PANICS(work_without_a_deadline_is_refused, "deadline > 0")
{
    struct facet_permit permit;
    struct facet_refusal no;
    (void)!facet_enter(make((struct facets_conf){ 0 }), FACET_FEED, &(struct facet_ask){ 0 },
                       &permit, &no);
}
