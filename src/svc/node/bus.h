/* bus.h - what happens in the node, told to whoever listens.
 *
 *     struct bus_reader reader = bus_reader(bus, "health");
 *     struct bus_event event;
 *     struct wr_case cases[] = { bus_case(&reader, &event), ... };
 *     while (!(err = wr_select(&which, cases, 2, WR_NEVER)))
 *         if (which == 0) {
 *             bus_took(&reader, cases[0].err);
 *             if (cases[0].err == WR_LAGGED) ...read a snapshot: events were missed
 *             else ...
 *         }
 *
 * The bus keeps the last events and never waits for a slow reader: that one is
 * told that it missed some (bus_lagged_total{service}, and a warning at most once
 * in five seconds) and must look for itself.
 */
#ifndef WR_NODE_BUS_H
#define WR_NODE_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/bcast.h>
#include <weir/err.h>
#include <weir/log.h>
#include <weir/select.h>
#include <weir/time.h>

#define BUS_NAME_MAX 32

enum bus_kind {
    BUS_HEALTH = 1,             /* service, ok */
    BUS_CONFIG_UPDATED,         /* version */
    BUS_SERVICE_CRASHED,        /* service */
    BUS_SHUTDOWN,
};

struct bus_event {
    enum bus_kind kind;
    char service[BUS_NAME_MAX];
    bool ok;
    uint64_t version;
};

/* A place in the stream of events; of one fiber. */
struct bus_reader {
    struct wr_bcast_reader reader;
    const char *service;
    struct wr_counter *lagged;
    struct wr_log_limit warned;
    uint64_t counted;
};

/* Errors: NOMEM. */
wr_err bus_new(struct wr_bcast **ret, size_t cap);

void bus_tell(struct wr_bcast *bus, enum bus_kind kind, const char *service, bool ok,
              uint64_t version);

struct bus_reader bus_reader(struct wr_bcast *bus, const char *service);

/* The next event, as a case of a select; afterwards bus_took must hear its result: WR_OK,
 * LAGGED, CLOSED. */
struct wr_case bus_case(struct bus_reader *reader, struct bus_event *ret);
void bus_took(struct bus_reader *reader, wr_err err);

/* "Health", "ConfigUpdated", ... */
const char *bus_kind_name(enum bus_kind kind);

#endif
