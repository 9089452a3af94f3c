#include "store/audit.h"

#include <weir/task.h>

#include "testing/store_rig.h"

#define SOON wr_after(WR_S(5))

static void add(struct store *store, const char *type)
{
    CHECK_OK(store_audit_add(store, &(struct store_event){ .type = type, .actor = "ops",
                                                           .detail = "{}" }, SOON));
}

STORE_TEST(events_are_read_in_order_from_where_one_was)
{
    struct store_events events;
    add(store, "one");
    pass(WR_S(1));
    add(store, "two");
    add(store, "three");
    CHECK_OK(store_audit_list(store, 0, 2, &events, SOON));
    REQUIRE(events.count == 2);
    struct store_event first = store_event_at(&events, 0), second = store_event_at(&events, 1);
    CHECK_STR("one", first.type);
    CHECK_STR("ops", first.actor);
    CHECK_STR("{}", first.detail);
    CHECK(!first.request);
    CHECK_EQ(WR_S(1), second.at.ns - first.at.ns);
    int64_t seen = second.number;
    store_events_free(&events);
    CHECK_OK(store_audit_list(store, seen, 100, &events, SOON));
    REQUIRE(events.count == 1);
    CHECK_STR("three", store_event_at(&events, 0).type);
    store_events_free(&events);
}

STORE_TEST(old_events_are_pruned_and_their_numbers_not_used_again)
{
    struct store_events events;
    uint64_t count;
    add(store, "one");
    add(store, "two");
    pass(WR_S(1));
    struct wr_wall now = rig_wall();
    CHECK_OK(store_audit_prune(store, now, 1, &count, SOON));
    CHECK_EQ(1, count);
    CHECK_OK(store_audit_prune(store, now, 10, &count, SOON));
    CHECK_EQ(1, count);
    add(store, "three");
    CHECK_OK(store_audit_list(store, 0, 10, &events, SOON));
    REQUIRE(events.count == 1);
    CHECK_EQ(3, store_event_at(&events, 0).number);
    store_events_free(&events);
}
