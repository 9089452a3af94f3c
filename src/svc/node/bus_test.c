/* bus_test.c - events reach every reader, and a slow one learns what it missed. */
#include "svc/node/bus.h"

#include <weir/metric.h>

#include "testing/test.h"

static wr_err next(struct bus_reader *reader, struct bus_event *ret)
{
    size_t which;
    struct wr_case cases[] = { bus_case(reader, ret) };
    wr_err err = wr_select(&which, cases, 1, WR_NOW);
    if (!err)
        bus_took(reader, cases[0].err);
    return err ? err : cases[0].err;
}

TEST(an_event_reaches_every_reader)
{
    struct wr_bcast *bus;
    struct bus_event event;
    REQUIRE_OK(bus_new(&bus, 8));
    struct bus_reader readers[] = { bus_reader(bus, "first"), bus_reader(bus, "second") };
    bus_tell(bus, BUS_HEALTH, "index", true, 0);
    bus_tell(bus, BUS_CONFIG_UPDATED, NULL, false, 7);
    for (size_t i = 0; i < 2; i++) {
        CHECK_OK(next(&readers[i], &event));
        CHECK_EQ(BUS_HEALTH, event.kind);
        CHECK_STR("index", event.service);
        CHECK(event.ok);
        CHECK_OK(next(&readers[i], &event));
        CHECK_EQ(BUS_CONFIG_UPDATED, event.kind);
        CHECK_EQ(7, event.version);
    }
    wr_bcast_free(bus);
}

TEST(a_slow_reader_is_told_how_many_it_missed_and_they_are_counted)
{
    struct wr_bcast *bus;
    struct bus_event event;
    REQUIRE_OK(bus_new(&bus, 4));
    struct bus_reader slow = bus_reader(bus, "slow");
    uint64_t before = wr_counter_get(slow.lagged);
    for (uint64_t i = 0; i < 10; i++)
        bus_tell(bus, BUS_CONFIG_UPDATED, NULL, true, i);
    CHECK_ERR(WR_LAGGED, next(&slow, &event));
    CHECK_EQ(before + 6, wr_counter_get(slow.lagged));
    CHECK_OK(next(&slow, &event));
    CHECK_EQ(6, event.version);
    wr_bcast_free(bus);
}

TEST(a_name_that_is_too_long_is_cut)
{
    struct wr_bcast *bus;
    struct bus_event event;
    REQUIRE_OK(bus_new(&bus, 4));
    struct bus_reader reader = bus_reader(bus, "reader");
    bus_tell(bus, BUS_SERVICE_CRASHED, "a service with a name of more than 31 bytes", false, 0);
    CHECK_OK(next(&reader, &event));
    CHECK_STR("a service with a name of more t", event.service);
    wr_bcast_free(bus);
}
