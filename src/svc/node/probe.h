/* probe.h - the admin plane of a node, measured from outside.
 *
 *     struct probe *probe;
 *     struct probe_result result;
 *     err = probe_new(&probe, &(struct probe_conf){ .addr = addr, .duration = WR_S(10),
 *                                                   .clients = 8 });
 *     err = probe_run(probe, &result);
 *     ...
 *     probe_free(probe);
 *
 * So many clients, each over a connection that it keeps, ask for one page after the other
 * and wait for each answer: the next request leaves when the last answer is there.  It ends
 * when its time is over or when it has as many samples as it may take; percentiles are
 * exact, over all that were not refused.  It speaks HTTP in clear.
 */
#ifndef WR_NODE_PROBE_H
#define WR_NODE_PROBE_H

#include <stdint.h>

#include <weir/addr.h>
#include <weir/err.h>
#include <weir/time.h>

#include "base/json.h"

#define PROBE_SUITE "admin_plane"
#define PROBE_PAGES 4
#define PROBE_DURATION_MAX WR_S(120)
#define PROBE_CLIENTS_MAX 64
#define PROBE_SAMPLES_MAX 50000
#define PROBE_WHY_MAX 256

struct probe;

struct probe_conf {
    struct wr_addr addr;            /* of HTTP in clear; one of any address is this machine */
    wr_time duration;               /* above 0, to PROBE_DURATION_MAX */
    unsigned clients;               /* 1 to PROBE_CLIENTS_MAX */
    unsigned samples_max;           /* 0: PROBE_SAMPLES_MAX, which is the most */
    uint64_t seed;                  /* of which page is asked for when */
};

/* No answer, or one of 400 and above, is an error; it is in the percentiles too.  One of 429
 * is neither: the node has looked at a limit and at nothing else, so it is counted apart. */
struct probe_row {
    const char *page;
    uint64_t requests, errors;      /* without those that were refused: */
    uint64_t refused;
    wr_time p50, p95, p99;
};

struct probe_result {
    wr_time took;
    unsigned clients;
    struct probe_row rows[PROBE_PAGES];
    char why[PROBE_WHY_MAX];        /* after an error: a sentence */
};

/* A conf out of its limits is a panic.  Errors: NOMEM. */
wr_err probe_new(struct probe **ret, const struct probe_conf *conf);
void probe_free(struct probe *probe);

/* Measure, in the calling fiber and its scope; once.  Errors: as wr_fetch, when nobody
 * answers to begin with; CANCELED, NOMEM. */
wr_err probe_run(struct probe *probe, struct probe_result *ret);

/* How much of it is done, of 1000.  Any fiber. */
unsigned probe_progress(const struct probe *probe);

/* The members of an object. */
void probe_write(struct wr_json *json, const struct probe_result *result);

#endif
