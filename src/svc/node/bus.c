/* bus.c - events of the node: see bus.h. */
#include "svc/node/bus.h"

#include <string.h>

#include <weir/metric.h>

static struct wr_metric lagged_metric = {
    .name = "bus_lagged_total",
    .help = "Values that slow readers missed.",
    .type = WR_COUNTER, .labels = { "service" }, .series_max = 32,
};

wr_err bus_new(struct wr_bcast **ret, size_t cap)
{
    return wr_bcast_new(ret, &(struct wr_bcast_conf){
        .name = "node.bus", .item_size = sizeof(struct bus_event), .cap = cap });
}

/* A bus that was closed has nobody left to tell. */
void bus_tell(struct wr_bcast *bus, enum bus_kind kind, const char *service, bool ok,
              uint64_t version)
{
    struct bus_event event = { .kind = kind, .ok = ok, .version = version };
    size_t len = service ? strnlen(service, BUS_NAME_MAX - 1) : 0;
    memcpy(event.service, service ? service : "", len);
    (void)!wr_bcast_send(bus, &event);
}

struct bus_reader bus_reader(struct wr_bcast *bus, const char *service)
{
    return (struct bus_reader){
        .reader = wr_bcast_reader(bus),
        .service = service,
        .lagged = wr_metric_counter(&lagged_metric, service),
    };
}

struct wr_case bus_case(struct bus_reader *reader, struct bus_event *ret)
{
    return (struct wr_case)WR_CASE_BCAST(&reader->reader, ret);
}

void bus_took(struct bus_reader *reader, wr_err err)
{
    if (err != WR_LAGGED)
        return;
    uint64_t missed = reader->reader.lagged - reader->counted;
    reader->counted = reader->reader.lagged;
    wr_counter_add(reader->lagged, missed);
    wr_log_limited(&reader->warned, WR_S(5), WR_WARN, "bus.lagged",
                   WR_F_STR("reader", reader->service), WR_F_U64("missed", missed));
}

const char *bus_kind_name(enum bus_kind kind)
{
    switch (kind) {
    case BUS_HEALTH: return "Health";
    case BUS_CONFIG_UPDATED: return "ConfigUpdated";
    case BUS_SERVICE_CRASHED: return "ServiceCrashed";
    case BUS_SHUTDOWN: return "Shutdown";
    }
    return "?";
}
