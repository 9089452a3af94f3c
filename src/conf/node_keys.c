/* node_keys.c - what can be configured of the node itself. */
#include "conf/node_keys.h"

#include <stdlib.h>
#include <string.h>

#include <weir/file.h>

#include "conf/report.h"

#define MANY 1000000
#define QUEUE_MAX 65536
#define KIB ((int64_t)1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define HOUR WR_S(3600)

#define SPAN(least, most) .type = WR_CONF_DURATION, .min = (least), .max = (most)
#define COUNT(most) .type = WR_CONF_INT, .min = 1, .max = (most)
#define PERMITS .type = WR_CONF_PERMITS, .min = 1, .max = MANY
#define BYTES(least, most) .type = WR_CONF_SIZE, .min = (least), .max = (most)
#define RON(name) .env = "RON_" name " !MACRO_" name

static const struct wr_conf_key keys[] = {
    { .name = "config", .type = WR_CONF_PATH, .no_file = true, RON("CONFIG"),
      .help = "The file to read, TOML or JSON." },
    { .name = "data", .type = WR_CONF_PATH, .preset = "$STATE/weir",
      .preset_unless = "security.amnesia", .help = "Where everything that lasts is kept." },
    { .name = "store.url", .type = WR_CONF_TEXT, .preset = "sqlite:weir.db",
      .preset_unless = "security.amnesia",
      .help = "The store: sqlite:FILE (in data), sqlite: (in memory) or postgres://." },
    { .name = "threads", .type = WR_CONF_INT, .min = 1, .max = 64,
      .help = "Threads that run fibers; one per processor when unset." },

    { .name = "http_addr", .type = WR_CONF_ADDR, .preset = "127.0.0.1:8080",
      .aka = "bind_addr", .flags = "--bind", RON("HTTP_ADDR"),
      .rebind = true, .help = "Where HTTP is served." },
    { .name = "metrics_addr", .type = WR_CONF_ADDR, .flags = "--metrics", RON("METRICS_ADDR"),
      .rebind = true,
      .help = "A second address for health and metrics; that of HTTP when unset." },
    { .name = "oap_addr", .type = WR_CONF_ADDR, RON("OVERLAY_ADDR"),
      .rebind = true, .help = "Where framed connections are taken; nowhere when unset." },
    { .name = "uds.path", .type = WR_CONF_PATH, .flags = "--uds",
      .rebind = true, .help = "A Unix socket that serves the same, in a folder of mode 0700." },
    { .name = "uds.allow_uids", .type = WR_CONF_NUMBERS, .preset = "",
      .max = UINT32_MAX - 1, .rebind = true,
      .help = "Who may connect to it besides the node's own user." },

    { .name = "max_conns", COUNT(MANY), .preset = "1024", .live = true, RON("MAX_CONNS"),
      .help = "Connections held at once, by all ways in together." },
    { .name = "per_ip_conns", COUNT(MANY), .preset = "256", .live = true,
      .help = "Connections held at once from one address." },
    { .name = "read_timeout", SPAN(WR_MS(1), HOUR), .preset = "5s", .live = true,
      RON("READ_TIMEOUT"), .help = "Until a request must have arrived." },
    { .name = "write_timeout", SPAN(WR_MS(1), HOUR), .preset = "5s", .live = true,
      RON("WRITE_TIMEOUT"), .help = "Until a peer must have taken an answer." },
    { .name = "idle_timeout", SPAN(WR_MS(1), HOUR), .preset = "60s", .live = true,
      RON("IDLE_TIMEOUT"), .help = "How long a connection may say nothing." },
    { .name = "rate.accept_per_s", COUNT(MANY), .preset = "1000", .live = true,
      .help = "New connections per second from one address." },
    { .name = "rate.accept_burst", COUNT(MANY), .preset = "1024", .live = true,
      .help = "New connections at once from one address." },
    { .name = "rate.requests_per_s", COUNT(MANY), .preset = "10000", .live = true,
      .help = "Requests per second from one address." },
    { .name = "rate.requests_burst", COUNT(MANY), .preset = "20000", .live = true,
      .help = "Requests at once from one address." },
    { .name = "rate.control_per_s", COUNT(MANY), .preset = "10000", .live = true,
      .help = "Requests per second from one address for health, readiness, metrics, ..." },
    { .name = "rate.control_burst", COUNT(MANY), .preset = "20000", .live = true,
      .help = "... and at once." },

    { .name = "limits.max_body_bytes", BYTES(KIB, GIB), .preset = "1MiB", .live = true,
      RON("MAX_BODY_BYTES"), .help = "The largest body of a request." },
    { .name = "limits.max_chunk_bytes", BYTES(KIB, 64 * KIB), .preset = "64KiB",
      .rebind = true, RON("MAX_CHUNK_BYTES"),
      .help = "The largest piece of a framed answer in many." },
    { .name = "limits.decompress_ratio_cap", COUNT(100), .preset = "10", .live = true,
      RON("DECOMPRESS_RATIO_CAP"), .help = "How many times its size a body may unpack to." },
    { .name = "limits.max_inflated_bytes", BYTES(KIB, GIB), .preset = "32MiB", .live = true,
      .help = "The largest body once it is unpacked." },
    { .name = "overlay.request_deadline", SPAN(WR_MS(1), HOUR), .preset = "2s", .live = true,
      .help = "Until a request must be answered, all told." },
    { .name = "overlay.max_body_bytes", BYTES(KIB, GIB), .preset = "4MiB", .live = true,
      .help = "The largest body on the overlay's routes." },
    { .name = "io.max_frame_bytes", BYTES(1024, MIB), .preset = "1MiB",
      .rebind = true, .help = "The largest frame of a framed connection." },
    { .name = "io.handshake_timeout", SPAN(WR_MS(1), WR_S(60)), .preset = "2s",
      .live = true, .help = "Until a TLS handshake must be over." },

    { .name = "tls.enabled", .type = WR_CONF_BOOL, .preset = "false", .flags = "--tls",
      .rebind = true, .help = "Serve HTTP over TLS 1.3." },
    { .name = "tls.cert_path", .type = WR_CONF_PATH, .flags = "--tls-cert",
      .rebind = true, .help = "The certificate and its chain, PEM." },
    { .name = "tls.key_path", .type = WR_CONF_PATH, .flags = "--tls-key",
      .rebind = true, .help = "Its private key, PEM, which only its owner can read." },
    { .name = "auth.key_path", .type = WR_CONF_PATH, .aka = "auth.macaroon_path",
      .help = "The key that capability tokens are made with, which only its owner can read." },
    { .name = "admin.token", .type = WR_CONF_SECRET, RON("ADMIN_TOKEN"),
      .help = "Who has it may administer the node from elsewhere." },
    { .name = "admin.token_path", .type = WR_CONF_PATH,
      .help = "A file with that token, which only its owner can read." },
    { .name = "security.amnesia", .type = WR_CONF_BOOL, .preset = "false",
      .flags = "--amnesia", .env = "RON_AMNESIA AMNESIA !MACRO_AMNESIA",
      .help = "Write no file, and wipe memory at the end." },
    { .name = "security.pq_mode", .type = WR_CONF_CHOICE, .preset = "off",
      .choices = "off hybrid", .synonyms = "0=off false=off 1=hybrid on=hybrid true=hybrid",
      .flags = "--pq-mode", RON("PQ_MODE"), .rebind = true,
      .help = "Post-quantum key exchange." },

    { .name = "services.enable", .type = WR_CONF_SERVICES, .preset = "",
      .flags = "--services", RON("SERVICES"),
      .rebind = true, .help = "The services to start; all there are when empty." },
    { .name = "readiness.required_services", .type = WR_CONF_SERVICES, .preset = "",
      .live = true, .help = "Services without which the node is not ready." },
    { .name = "workers.count", .type = WR_CONF_PERMITS, .preset = "1xCPU",
      .help = "Workers that take requests from the queue." },
    { .name = "facets.feed", PERMITS, .preset = "4xCPU", .live = true,
      .help = "Fan-outs of feeds at once." },
    { .name = "facets.graph", PERMITS, .preset = "2xCPU", .live = true,
      .help = "Expansions of the graph at once." },
    { .name = "facets.search", PERMITS, .preset = "4xCPU", .live = true,
      .help = "Searches at once." },
    { .name = "facets.index", PERMITS, .preset = "1xCPU", .live = true,
      .help = "Additions to the index at once." },
    { .name = "facets.mailbox", PERMITS, .preset = "4xCPU", .live = true,
      .help = "Operations on mailboxes at once." },
    { .name = "channels.work", COUNT(QUEUE_MAX), .preset = "512",
      .help = "Requests that may wait for a worker." },
    { .name = "channels.telemetry", COUNT(QUEUE_MAX), .preset = "512",
      .help = "Events of telemetry that may wait; the oldest is dropped." },
    { .name = "channels.bus", COUNT(QUEUE_MAX), .preset = "1024",
      .help = "Events a slow listener may be behind." },
    { .name = "channels.cfg_updates", COUNT(1024), .preset = "64",
      .help = "Changes of the configuration that may wait." },
    { .name = "retry.max_tries", COUNT(10), .preset = "3", .live = true,
      .help = "How often a call is run that may be run twice, when its worker ends." },
    { .name = "drain_deadline", SPAN(WR_S(1), WR_S(5)), .preset = "3s",
      .flags = "--graceful-timeout", .help = "How long to finish what was begun, at the end." },

    { .name = "log.format", .type = WR_CONF_CHOICE, .preset = "json", .choices = "json logfmt",
      .synonyms = "text=logfmt", .live = true, .help = "How log lines are written." },
    { .name = "log.level", .type = WR_CONF_CHOICE, .preset = "info",
      .choices = "debug info warn error", .live = true, RON("LOG"),
      .help = "Which log lines are written." },
    { .name = "meta.version", .type = WR_CONF_INT, .max = INT64_MAX, .live = true,
      .help = "The version of the file; a lower one than the running one's is refused." },
    { .name = "meta.bundle_hash", .type = WR_CONF_TEXT, .live = true, .of_file = true,
      .help = "The BLAKE3 of what stands before [meta] in the file." },
};

/* ---- what must hold between keys ---- */

#define PRIVATE 077u        /* what others than the owner may do */

static void check_file(const struct wr_conf *conf, struct wr_conf_report *report,
                       const char *key, bool secret)
{
    struct wr_file_info info;
    const char *path = wr_conf_text(conf, key);
    if (!path)
        return;
    wr_err err = wr_file_look(&info, path, WR_NEVER);
    if (err == WR_NOTFOUND)
        wr_conf_refuse(report, conf, key, "there is no such file");
    else if (err)
        wr_conf_refuse(report, conf, key, "it cannot be looked at: %s", wr_err_text(err));
    else if (!info.regular)
        wr_conf_refuse(report, conf, key, "it must be a regular file");
    else if (info.size == 0)
        wr_conf_refuse(report, conf, key, "the file is empty");
    else if (secret && (info.mode & PRIVATE))
        wr_conf_refuse(report, conf, key,
                       "its mode is %04o, so others than its owner can use it; it must be 0600 "
                       "(chmod 600)", info.mode);
}

static void check_tls(const struct wr_conf *conf, struct wr_conf_report *report)
{
    static const char *const needed[] = { "tls.cert_path", "tls.key_path" };
    bool said = strcmp(wr_conf_origin(conf, "tls.enabled"), "default") != 0;
    for (size_t i = 0; i < 2 && !said; i++)     /* who names one does not mean in clear */
        if (wr_conf_has(conf, needed[i]))
            wr_conf_refuse(report, conf, needed[i],
                           "it is not used unless tls.enabled is true (--tls)");
    if (!wr_conf_bool(conf, "tls.enabled")) {
        if (strcmp(wr_conf_text(conf, "security.pq_mode"), "off") != 0)
            wr_conf_refuse(report, conf, "security.pq_mode",
                           "it is a matter of TLS, and tls.enabled is not true (--tls)");
        return;
    }
    for (size_t i = 0; i < 2; i++)
        if (!wr_conf_has(conf, needed[i]))
            wr_conf_refuse(report, conf, needed[i], "tls.enabled needs it");
    check_file(conf, report, "tls.cert_path", false);
    check_file(conf, report, "tls.key_path", true);
}

static bool any_address(const struct wr_addr *addr)
{
    static const unsigned char zero[16];
    return memcmp(addr->ip, zero, addr->kind == WR_ADDR_IP4 ? 4 : 16) == 0;
}

/* Whether the system would not give both.  Port 0 is a free one each time. */
static bool clash(const struct wr_addr *a, const struct wr_addr *b)
{
    if (a->kind == WR_ADDR_UNIX || a->kind != b->kind)
        return wr_addr_equal(a, b);
    return a->port && a->port == b->port
        && (wr_addr_equal(a, b) || any_address(a) || any_address(b));
}

static void check_addrs(const struct wr_conf *conf, struct wr_conf_report *report)
{
    static const char *const names[] = { "http_addr", "metrics_addr", "oap_addr" };
    for (size_t i = 1; i < 3; i++)
        for (size_t j = 0; j < i; j++) {
            if (!wr_conf_has(conf, names[i]) || !wr_conf_has(conf, names[j])
                || !clash(wr_conf_addr(conf, names[i]), wr_conf_addr(conf, names[j])))
                continue;
            const char *fix = i == 1 ? ": leave it out, and health and metrics are served there"
                                     : "";
            wr_conf_refuse(report, conf, names[i], "it must not be that of %s (%s)%s", names[j],
                           wr_conf_origin(conf, names[j]), fix);
        }
}

/* The folder of a path, for free(). */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return strdup(".");
    return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static void check_uds(const struct wr_conf *conf, struct wr_conf_report *report)
{
    struct wr_file_info info;
    const char *path = wr_conf_text(conf, "uds.path");
    char *folder = path ? folder_of(path) : NULL;
    const int64_t *uids;
    if (wr_conf_numbers(conf, "uds.allow_uids", &uids) > WR_NODE_UIDS_MAX)
        wr_conf_refuse(report, conf, "uds.allow_uids", "it must have at most %d items",
                       WR_NODE_UIDS_MAX);
    if (!folder)
        return;
    wr_err err = wr_file_look(&info, folder, WR_NEVER);
    if (strlen(path) >= sizeof(((struct wr_addr *)0)->path))
        wr_conf_refuse(report, conf, "uds.path", "it must be shorter than 108 bytes");
    else if (err || !info.directory)
        wr_conf_refuse(report, conf, "uds.path", "its folder must exist (mkdir -m 700)");
    else if (info.mode & PRIVATE)
        wr_conf_refuse(report, conf, "uds.path",
                       "the mode of its folder is %04o; it must be 0700 (chmod 700)",
                       info.mode);
    free(folder);
}

/* What is not there yet would be made on the file system of the nearest folder above. */
static bool in_memory(const char *path)
{
    struct wr_file_info info;
    char *at = strdup(path);
    bool found = false;
    while (at && !(found = !wr_file_look(&info, at, WR_NEVER))) {
        char *above = folder_of(at);
        if (above && strcmp(above, at) == 0) {
            free(above);
            break;
        }
        free(at);
        at = above;
    }
    free(at);
    return found && info.in_memory;
}

/* What is in excess by the number of processors is cut down; what somebody wrote is not. */
static void check_workers(const struct wr_conf *conf, struct wr_conf_report *report)
{
    unsigned count = wr_conf_permits(conf, "workers.count");
    if (count > WR_NODE_WORKERS_MAX
        && strcmp(wr_conf_origin(conf, "workers.count"), "default") != 0)
        wr_conf_refuse(report, conf, "workers.count", "it comes to %u; at most %d are allowed",
                       count, WR_NODE_WORKERS_MAX);
}

static void check_data(const struct wr_conf *conf, struct wr_conf_report *report)
{
    struct wr_file_info info;
    const char *data = wr_conf_text(conf, "data");
    if (!data)
        return;
    if (wr_conf_bool(conf, "security.amnesia") && !in_memory(data))
        wr_conf_refuse(report, conf, "data",
                       "security.amnesia (%s) keeps nothing: leave it out, or name a folder in "
                       "memory (tmpfs)", wr_conf_origin(conf, "security.amnesia"));
    else if (!wr_file_look(&info, data, WR_NEVER) && !info.directory)
        wr_conf_refuse(report, conf, "data", "it must be a folder");
}

static bool has_password(const char *url)
{
    const char *user = strstr(url, "://");
    size_t len = user ? strcspn(user + 3, "/?") : 0;
    const char *at = user ? memchr(user + 3, '@', len) : NULL;
    return (at && memchr(user + 3, ':', (size_t)(at - user - 3))) || strstr(url, "?password=")
        || strstr(url, "&password=");
}

/* What is wrong with what follows "postgres://"; NULL: nothing.  Only its form is looked at. */
static const char *wrong_server(const char *rest)
{
    const char *slash = strchr(rest, '/');
    size_t len = slash ? (size_t)(slash - rest) : strlen(rest);
    const char *at = memchr(rest, '@', len), *host = at ? at + 1 : rest;
    const char *port = host < rest + len && *host == '[' ? memchr(host, ']', len) : host;
    if (!slash || !slash[1] || slash[1] == '?')
        return "it must name a database: postgres://USER@HOST:PORT/DATABASE";
    port = port ? memchr(port, ':', (size_t)(slash - port)) : NULL;
    if (!port)
        return NULL;
    char *end;
    unsigned long number = strtoul(port + 1, &end, 10);
    return end == slash && end != port + 1 && number >= 1 && number <= 65535
        ? NULL : "its port must be 1 to 65535";
}

static void check_store(const struct wr_conf *conf, struct wr_conf_report *report)
{
    static const char file[] = "sqlite:", server[] = "postgres://";
    const char *url = wr_conf_text(conf, "store.url"), *wrong = NULL;
    if (!url)
        return;
    if (strncmp(url, server, strlen(server)) == 0)
        wrong = wrong_server(url + strlen(server));
    else if (strncmp(url, file, strlen(file)) != 0)
        wrong = "it must begin with sqlite: (then the path of a file, in `data` unless it "
                "begins with /, or nothing to keep all in memory) or with postgres://";
    else if (strlen(url) >= WR_NODE_STORE_MAX)
        wrong = "its path is too long";
    else if (url[strlen(url) - 1] == '/')
        wrong = "it must be the path of a file";
    if (has_password(url))                      /* and so it is not repeated here */
        wr_report_error(report, "%s: store.url: a password must not stand in it, where others "
                        "see it: leave it out, and put it into ~/.pgpass or PGPASSFILE",
                        wr_conf_origin(conf, "store.url"));
    else if (wrong)
        wr_conf_refuse(report, conf, "store.url", "%s", wrong);
    else if (wr_conf_bool(conf, "security.amnesia") && strcmp(url, file) != 0)
        wr_conf_refuse(report, conf, "store.url",
                       "security.amnesia (%s) keeps nothing: leave it out, or say sqlite: (in "
                       "memory)", wr_conf_origin(conf, "security.amnesia"));
}

/* Who can be reached from elsewhere must be able to tell who comes. */
static void check_reach(const struct wr_conf *conf, struct wr_conf_report *report)
{
    static const char *const ways[] = { "auth.key_path", "admin.token", "admin.token_path" };
    bool guarded = wr_addr_loopback(wr_conf_addr(conf, "http_addr"));
    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
        guarded |= wr_conf_has(conf, ways[i]);
    if (!guarded)
        wr_conf_refuse(report, conf, "http_addr", WR_NODE_UNGUARDED);
}

static void check(const struct wr_conf *conf, struct wr_conf_report *report)
{
    check_data(conf, report);
    check_store(conf, report);
    check_tls(conf, report);
    check_workers(conf, report);
    check_uds(conf, report);
    check_file(conf, report, "auth.key_path", true);
    check_file(conf, report, "admin.token_path", true);
    check_addrs(conf, report);
    check_reach(conf, report);
    if (wr_conf_has(conf, "admin.token") && wr_conf_has(conf, "admin.token_path"))
        wr_conf_refuse(report, conf, "admin.token_path", "admin.token is set too; keep one");
}

const struct wr_conf_table wr_node_keys = {
    .keys = keys, .count = sizeof(keys) / sizeof(*keys), .check = check,
};
