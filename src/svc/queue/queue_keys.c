/* queue_keys.c - see queue_keys.h. */
#include "svc/queue/queue_keys.h"

#include <stdio.h>

#define DAY WR_S(24 * 3600)
#define AT_ONCE_MAX 64                  /* a claim has no more */

static const struct wr_conf_key keys[] = {
    { .name = "queue.slots.gpu", .type = WR_CONF_INT, .preset = "1", .min = 1,
      .max = AT_ONCE_MAX, .live = true,
      .help = "Jobs at a time that need a graphics card; never beside one with a browser." },
    { .name = "queue.slots.browser_headful", .type = WR_CONF_INT, .preset = "1", .min = 1,
      .max = AT_ONCE_MAX, .live = true, .help = "Jobs at a time that need a browser." },
    { .name = "queue.slots.network_client", .type = WR_CONF_INT, .preset = "4", .min = 1,
      .max = AT_ONCE_MAX, .live = true, .help = "Targets that are looked at at a time." },
    { .name = "queue.slots.cpu_nlp", .type = WR_CONF_INT, .preset = "8", .min = 1,
      .max = AT_ONCE_MAX, .live = true,
      .help = "Jobs at a time that compute: citations, and what fragments say of claims." },
    { .name = "queue.fair", .type = WR_CONF_BOOL, .preset = "false", .live = true,
      .help = "Tasks take turns within a priority; else who came first is first." },
    { .name = "queue.lease", .type = WR_CONF_DURATION, .preset = "30s", .min = WR_S(1),
      .max = WR_S(3600),
      .help = "A job whose node says nothing for so long is given to another." },
    { .name = "queue.pages_max", .type = WR_CONF_INT, .preset = "200", .min = 0, .max = 100000,
      .live = true, .help = "Pages that a task may fetch, unless it says fewer." },
    { .name = "queue.seconds_max", .type = WR_CONF_INT, .preset = "3600", .min = 0,
      .max = (int64_t)30 * 24 * 3600, .live = true,
      .help = "Seconds that a task may explore, unless it says another number." },
    { .name = "queue.history", .type = WR_CONF_DURATION, .preset = "720h", .min = WR_S(1),
      .max = 3650 * DAY, .live = true, .help = "How long finished jobs are remembered." },
    { .name = "queue.fetch.interval", .type = WR_CONF_DURATION, .preset = "5s", .min = 0,
      .max = WR_S(3600),
      .help = "Between two requests to one domain, besides a pause by chance." },
    { .name = "queue.fetch.allow", .type = WR_CONF_WORDS, .preset = "",
      .help = "Internal addresses that pages may be fetched from: \"10.1.0.0/16\"." },
};

const struct wr_conf_table queue_keys = { keys, sizeof(keys) / sizeof(*keys), NULL };

void queue_keys_limits(const struct wr_conf *conf, unsigned ret[QUEUE_SLOTS])
{
    char name[64];
    for (int i = 0; i < QUEUE_SLOTS; i++) {
        snprintf(name, sizeof(name), "queue.slots.%s", queue_slot_names[i]);
        ret[i] = (unsigned)wr_conf_int(conf, name);
    }
}
