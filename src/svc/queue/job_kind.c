/* job_kind.c - see job_kind.h. */
#include "svc/queue/job_kind.h"

#include <string.h>

const char *const queue_slot_names[QUEUE_SLOTS + 1] = {
    [QUEUE_GPU] = "gpu", [QUEUE_BROWSER] = "browser_headful",
    [QUEUE_NETWORK] = "network_client", [QUEUE_CPU] = "cpu_nlp",
};

const struct queue_kind queue_kinds[QUEUE_KINDS] = {
    [QUEUE_TARGET] = { "target_queue", QUEUE_NETWORK, 25, "tq_", "exploration" },
    [QUEUE_CITATIONS] = { "citation_graph", QUEUE_CPU, 50, "cg_", "citation" },
    [QUEUE_VERIFY] = { "verify_nli", QUEUE_CPU, 45, "vnli_", "verification" },
    [QUEUE_EMBED] = { "embed", QUEUE_GPU, 40, "job_", NULL },
};

const struct queue_kind *queue_kind_find(const char *name)
{
    for (size_t i = 0; i < QUEUE_KINDS; i++)
        if (strcmp(queue_kinds[i].name, name) == 0)
            return &queue_kinds[i];
    return NULL;
}
