/* queue_keys.c - see queue_keys.h. */
#include "svc/queue/queue_keys.h"

#include <stdio.h>
#include <string.h>

#define DAY WR_S(24 * 3600)
#define AT_ONCE_MAX 64                  /* a claim has no more */
#define MODEL_NAME_MAX 200

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
    { .name = "queue.work", .type = WR_CONF_BOOL, .preset = "true",
      .help = "Do jobs; without it this node takes them, and others with its store do them." },
    { .name = "queue.fair", .type = WR_CONF_BOOL, .preset = "false", .live = true,
      .help = "Tasks take turns within a priority; else who came first is first." },
    { .name = "queue.lease", .type = WR_CONF_DURATION, .preset = "30s", .min = WR_S(1),
      .max = WR_S(3600),
      .help = "A job whose node says nothing for so long is given to another; with a file, "
              "which has no others, nothing." },
    { .name = "queue.pages_max", .type = WR_CONF_INT, .preset = "200", .min = 0, .max = 100000,
      .live = true, .help = "Pages that a task may fetch, unless it says fewer." },
    { .name = "queue.seconds_max", .type = WR_CONF_INT, .preset = "3600", .min = 0,
      .max = (int64_t)30 * 24 * 3600, .live = true,
      .help = "Seconds that a task may explore, unless it says another number." },
    { .name = "queue.history", .type = WR_CONF_DURATION, .preset = "720h", .min = WR_S(1),
      .max = 3650 * DAY, .live = true, .help = "How long finished jobs are remembered." },
    { .name = "queue.keep.tasks", .type = WR_CONF_DURATION, .preset = "0s", .min = 0,
      .max = 3650 * DAY, .live = true,
      .help = "How long a task is kept to which nothing happens; it then goes with all that "
              "only it has. 0: for ever." },
    { .name = "queue.keep.auth", .type = WR_CONF_DURATION, .preset = "720h", .min = 0,
      .max = 3650 * DAY, .live = true,
      .help = "How long it is known what people have done. 0: for ever." },
    { .name = "queue.keep.queries", .type = WR_CONF_DURATION, .preset = "0s", .min = 0,
      .max = 3650 * DAY, .live = true,
      .help = "How long queries are kept, with what search engines found. 0: for ever." },
    { .name = "queue.keep.pages", .type = WR_CONF_DURATION, .preset = "720h", .min = 0,
      .max = 3650 * DAY, .live = true,
      .help = "How long a page is kept that no task has. 0: for ever." },
    { .name = "queue.fetch.interval", .type = WR_CONF_DURATION, .preset = "5s", .min = 0,
      .max = WR_S(3600),
      .help = "Between two requests to one domain, besides a pause by chance." },
    { .name = "queue.fetch.jitter", .type = WR_CONF_DURATION, .preset = "5500ms", .min = 0,
      .max = WR_S(3600), .help = "The longest pause by chance." },
    { .name = "queue.fetch.daily", .type = WR_CONF_INT, .preset = "200", .min = 1,
      .max = 1000000, .help = "Requests to one domain on a day, by the calendar of UTC." },
    { .name = "queue.fetch.cooldown", .type = WR_CONF_DURATION, .preset = "1h",
      .min = WR_S(1), .max = DAY,
      .help = "How long a domain is left alone that refuses or fails; then twice that, up to "
              "four times." },
    { .name = "queue.fetch.at_once", .type = WR_CONF_INT, .preset = "4", .min = 1,
      .max = AT_ONCE_MAX, .help = "Requests at a time, to all domains together." },
    { .name = "queue.fetch.timeout", .type = WR_CONF_DURATION, .preset = "30s",
      .min = WR_S(1), .max = WR_S(120), .help = "How long one request may take." },
    { .name = "queue.fetch.page_bytes", .type = WR_CONF_SIZE, .preset = "4MiB", .min = 1 << 10,
      .max = 64 << 20, .help = "The largest page that is read." },
    { .name = "queue.fetch.pdf_bytes", .type = WR_CONF_SIZE, .preset = "32MiB", .min = 1 << 10,
      .max = 256 << 20, .help = "The largest PDF that is read." },
    { .name = "queue.fetch.redirects", .type = WR_CONF_INT, .preset = "5", .min = 1, .max = 20,
      .help = "Redirects from one page that are followed." },
    { .name = "queue.fetch.ttl", .type = WR_CONF_DURATION, .preset = "168h", .min = WR_S(1),
      .max = 365 * DAY,
      .help = "How long a page that was fetched is not asked for again." },
    { .name = "queue.browser.command", .type = WR_CONF_PATH,
      .help = "A Chromium for pages that scripts write (/usr/lib/chromium/chromium); without "
              "one they are not read." },
    { .name = "queue.browser.tabs", .type = WR_CONF_INT, .preset = "2", .min = 1, .max = 16,
      .help = "Pages at a time in the browser, if queue.slots.browser_headful allows it." },
    { .name = "queue.browser.timeout", .type = WR_CONF_DURATION, .preset = "20s",
      .min = WR_S(1), .max = WR_S(60), .help = "How long the scripts of a page may take." },
    { .name = "queue.browser.loads", .type = WR_CONF_INT, .preset = "40", .min = 1, .max = 1000,
      .help = "What the scripts of a page may ask for." },
    { .name = "queue.browser.load_bytes", .type = WR_CONF_SIZE, .preset = "16MiB",
      .min = 1 << 10, .max = 256 << 20, .help = "... in all." },
    { .name = "queue.browser.memory", .type = WR_CONF_SIZE, .preset = "1GiB",
      .min = 256 << 20, .max = (int64_t)16 << 30,
      .help = "Memory of each process of the browser." },
    { .name = "queue.fetch.allow", .type = WR_CONF_WORDS, .preset = "",
      .help = "Internal addresses that pages may be fetched from: \"10.1.0.0/16\"." },
    { .name = "queue.embedding.url", .type = WR_CONF_TEXT,
      .help = "An endpoint with /v1/embeddings: what was found can be searched by meaning." },
    { .name = "queue.embedding.model", .type = WR_CONF_TEXT, .preset = "default",
      .help = "The model it is asked for; vectors of different names are never compared." },
    { .name = "queue.embedding.key", .type = WR_CONF_SECRET,
      .help = "A key for the embedding endpoint." },
    { .name = "queue.nli.url", .type = WR_CONF_TEXT,
      .help = "An endpoint with /predict that judges what fragments say of claims." },
    { .name = "queue.nli.model", .type = WR_CONF_TEXT, .preset = "nli",
      .help = "What its judgements are signed with." },
    { .name = "queue.nli.key", .type = WR_CONF_SECRET, .help = "A key for the NLI endpoint." },
};

static void check_url(const struct wr_conf *conf, struct wr_conf_report *report,
                      const char *key)
{
    const char *url = wr_conf_text(conf, key);
    if (url && strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
        wr_conf_refuse(report, conf, key, "an address begins with http:// or https://, and may "
                       "have a path: \"http://127.0.0.1:8080\"");
}

static void check_model(const struct wr_conf *conf, struct wr_conf_report *report,
                        const char *key)
{
    const char *model = wr_conf_text(conf, key);
    if (model && strlen(model) > MODEL_NAME_MAX)
        wr_conf_refuse(report, conf, key, "its name has %zu bytes; %d are allowed",
                       strlen(model), MODEL_NAME_MAX);
}

static void check(const struct wr_conf *conf, struct wr_conf_report *report)
{
    check_url(conf, report, "queue.embedding.url");
    check_url(conf, report, "queue.nli.url");
    check_model(conf, report, "queue.embedding.model");
    check_model(conf, report, "queue.nli.model");
    const char *judge = wr_conf_text(conf, "queue.nli.model");
    if (judge && strcmp(judge, "lexical") == 0)
        wr_conf_refuse(report, conf, "queue.nli.model", "that is the name of who judges where "
                       "there is no model: give it another");
}

const struct wr_conf_table queue_keys = { keys, sizeof(keys) / sizeof(*keys), check };

void queue_keys_limits(const struct wr_conf *conf, unsigned ret[QUEUE_SLOTS])
{
    char name[64];
    for (int i = 0; i < QUEUE_SLOTS; i++) {
        snprintf(name, sizeof(name), "queue.slots.%s", queue_slot_names[i]);
        ret[i] = (unsigned)wr_conf_int(conf, name);
    }
}
