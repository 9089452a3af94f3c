/* keys.c - what can be configured of checking references. */
#include "svc/check/engine.h"
#include "svc/check/keys.h"

#define DAY WR_S(24 * 3600)

static const struct wr_conf_key keys[] = {
    { .name = "check.libraries", .type = WR_CONF_WORDS, .preset = "",
      .help = "Local libraries to look into, by path (weir library build makes them)." },
    { .name = "check.sample", .type = WR_CONF_BOOL, .preset = "true",
      .help = "Also look into the sample library that is built in." },
    { .name = "check.offline", .type = WR_CONF_BOOL, .preset = "false",
      .help = "Ask nobody outside: libraries only." },
    { .name = "check.workers", .type = WR_CONF_INT, .preset = "4", .min = 1, .max = 64,
      .help = "Coordinators: how many references are worked on at a moment." },
    { .name = "check.in_flight", .type = WR_CONF_INT, .preset = "32", .min = 1,
      .max = CHECK_IN_FLIGHT_MAX,
      .help = "References about which sources are being asked at a time." },
    { .name = "check.reference_timeout", .type = WR_CONF_DURATION, .preset = "2m",
      .min = WR_S(1), .max = WR_S(3600),
      .help = "For one reference, from when it is taken up." },
    { .name = "check.timeout", .type = WR_CONF_DURATION, .preset = "30m", .min = WR_S(1),
      .max = DAY, .help = "For all references of a document." },
    { .name = "check.documents_at_once", .type = WR_CONF_INT, .preset = "8", .min = 1,
      .max = 64, .help = "Documents that the node checks at a time." },
    { .name = "check.documents_waiting", .type = WR_CONF_INT, .preset = "64", .min = 1,
      .max = 4096, .help = "Documents that wait for that; one more is refused with 429." },
    { .name = "check.documents_bytes", .type = WR_CONF_SIZE, .preset = "512MiB", .min = 1,
      .max = (int64_t)64 << 30, .live = true,
      .help = "Bytes of the documents that wait or are checked; more is refused with 429." },
    { .name = "check.reports_max", .type = WR_CONF_INT, .preset = "256", .min = 1,
      .max = 4096, .live = true, .help = "Reports that the node keeps in memory." },
    { .name = "check.reports_bytes", .type = WR_CONF_SIZE, .preset = "256MiB", .min = 1,
      .max = (int64_t)64 << 30, .live = true, .help = "Bytes of these in all." },
    { .name = "check.report_ttl", .type = WR_CONF_DURATION, .preset = "24h", .min = WR_S(1),
      .max = 30 * DAY, .live = true, .help = "How long a report is kept." },
};

const struct wr_conf_table check_keys = { keys, sizeof(keys) / sizeof(*keys), NULL };
