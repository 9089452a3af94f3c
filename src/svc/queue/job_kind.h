/* job_kind.h - kinds of jobs, and the slots they run in.
 *
 *     const struct queue_kind *kind = &queue_kinds[QUEUE_TARGET];
 *     ...kind->name, kind->slot, kind->priority
 *
 * A slot is what a job takes up while it runs: a graphics card, a browser, a place on the
 * network, a processor.  There are so many of each on a node (slot.h).
 */
#ifndef WR_QUEUE_JOB_KIND_H
#define WR_QUEUE_JOB_KIND_H

#include <stddef.h>
#include <stdint.h>

enum queue_slot { QUEUE_GPU, QUEUE_BROWSER, QUEUE_NETWORK, QUEUE_CPU, QUEUE_SLOTS };

/* "network_client"; the last is NULL. */
extern const char *const queue_slot_names[QUEUE_SLOTS + 1];

enum queue_kind_id {
    QUEUE_TARGET,                   /* a query, an address, a DOI: searched, fetched, read */
    QUEUE_CITATIONS,                /* who cites, and is cited by, what was found */
    QUEUE_VERIFY,                   /* what the fragments say of the claims */
    QUEUE_EMBED,                    /* vectors of what is new */
    QUEUE_KINDS,
};

struct queue_kind {
    const char *name;               /* "target_queue" */
    enum queue_slot slot;
    int32_t priority;               /* unless who submits says another */
    const char *prefix;             /* of ids: "tq_" */
    const char *phase;              /* what a status calls it; NULL: nothing */
};

extern const struct queue_kind queue_kinds[QUEUE_KINDS];

/* NULL: there is none. */
const struct queue_kind *queue_kind_find(const char *name);

#endif
