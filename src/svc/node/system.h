/* system.h - the machine a node runs on: its processors, its memory, its network.
 *
 *     struct system_view view;
 *     err = system_look(system, &view, wr_after(WR_S(1)));
 *
 * Nobody watches while nobody asks.  Rates are what happened between two looks that are
 * at least 200 ms apart, whoever took them: the first look has none, and one that comes
 * sooner has those of the look before.
 */
#ifndef WR_NODE_SYSTEM_H
#define WR_NODE_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/http.h>
#include <weir/time.h>

#define SYSTEM_APART WR_MS(200)

struct system;

struct system_view {
    struct wr_wall at;
    uint64_t ram_total, ram_used;   /* bytes */
    bool rates;                     /* the rest is known */
    uint64_t cpu;                   /* busy, of all processors: 10000 is all of the time */
    uint64_t rx, tx;                /* bytes a second, loopback apart */
};

/* `proc` is where the system tells of itself, "/proc"; it must outlive this.
 * Errors: NOMEM. */
wr_err system_new(struct system **ret, const char *proc);
void system_free(struct system *system);

/* Any fiber.  Errors: UNSUPPORTED (the system does not tell), as wr_file_read. */
wr_err system_look(struct system *system, struct system_view *ret, wr_time deadline);

/* Handler; the arg of its route is the node. */
wr_err system_serve(struct wr_call *call);

#endif
