/* ready.h - whether the node can do its work, and what keeps it from it.
 *
 * Readiness is a table of keys, each with a probe that looks at the thing itself,
 * and with the keys it needs:
 *
 *     static const struct ready_key keys[] = {
 *         { .name = "config",  .probe = config_loaded, .arg = &node, .vital = true },
 *         { .name = "network", .probe = listens, .arg = &node, .vital = true,
 *           .needs = { "config" } },
 *     };
 *
 * A key whose need is unready is unready, whatever its own probe says, so what is
 * missing is named where it is missing.  The node is ready when every vital key is
 * at least degraded and every required one is ready.  It is degraded when any key
 * is not ready.  From the first moment of a drain it is unready.
 *
 * Nothing is remembered: to look is to probe.  Probes must not wait, may be called
 * by any fiber, and by several at once.
 */
#ifndef WR_NODE_READY_H
#define WR_NODE_READY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <weir/err.h>
#include <weir/sup.h>

#include "base/json.h"

#define READY_KEYS_MAX 24
#define READY_NEEDS_MAX 4
#define READY_WHY_MAX 256

/* What a probe found; `why` is a sentence for people, in READY_WHY_MAX bytes that
 * are empty before. */
typedef enum wr_health (*ready_probe)(void *arg, char *why);

struct ready_key {
    const char *name;               /* required; "network" */
    const char *service;            /* whose it is; NULL is the node's own */
    const char *needs[READY_NEEDS_MAX];     /* names of earlier rows */
    ready_probe probe;              /* required */
    bool (*wanted)(void *arg);      /* false: it is left out.  NULL: always wanted */
    void *arg;
    bool vital;                     /* without it nothing can be served */
    bool required;                  /* the operator wants it whole, not degraded */
};

struct ready_view {
    bool ready, degraded;
    size_t count;
    struct { enum wr_health health; bool unwanted; char why[READY_WHY_MAX]; }
        keys[READY_KEYS_MAX];
};

struct ready;

/* The table is copied; what it points to must stay.  A need that is no earlier row
 * is a panic.  Errors: NOMEM. */
wr_err ready_new(struct ready **ret, const struct ready_key *keys, size_t count);
void ready_free(struct ready *ready);

/* From now on it is unready: the node is leaving. */
void ready_leave(struct ready *ready);

/* Probe everything, and set readyz_state{service} and ready_dependency_unmet{dep}. */
void ready_look(struct ready *ready, struct ready_view *ret);

const struct ready_key *ready_key(const struct ready *ready, size_t index);

/* The body of /readyz, as members of an object that is open. */
void ready_write(const struct ready *ready, const struct ready_view *view,
                 struct wr_json *json);

#endif
