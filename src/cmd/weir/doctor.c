/* doctor.c - what on this machine keeps a node from running well, and what to do.
 *
 * Each examination looks at one thing and says one sentence; one that fails says the
 * fix as well.  Nothing is changed, and nothing is started.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include <netinet/in.h>
#include <openssl/crypto.h>
#include <weir/time.h>

#include "base/version.h"
#include "cmd/weir/data.h"
#include "cmd/weir/doctor.h"
#include "cmd/weir/local.h"
#include "cmd/weir/weir.h"
#include "conf/node_keys.h"
#include "net/tls.h"
#include "store/archive.h"
#include "svc/node/certs.h"
#include "svc/node/depot.h"
#include "svc/node/front.h"
#include "svc/node/vitals.h"

#define BACKLOG_WANTED 4096
#define DISK_WANTED ((unsigned long long)1 << 30)
#define MAPS_WANTED 65530
#define DAY (int64_t)86400
#define RENEW_DAYS 14               /* so long before its end a certificate is spoken of */
#define LAST_DATE 9000000000        /* 2255-03-14: later ones are not told apart */
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

void doctor_say(struct visit *visit, enum grade grade, const char *what, const char *fix,
                const char *format, ...)
{
    static const char *const marks[] = { "ok", "warn", "FAIL" };
    char found[300];
    va_list args;
    va_start(args, format);
    vsnprintf(found, sizeof(found), format, args);
    va_end(args);
    visit->worst = grade > visit->worst ? grade : visit->worst;
    if (visit->json_wanted) {
        wr_json_object(visit->json, NULL);
        wr_json_str(visit->json, "check", what);
        wr_json_str(visit->json, "state", marks[grade]);
        wr_json_str(visit->json, "found", found);
        if (grade != FINE)
            wr_json_str(visit->json, "fix", fix);
        wr_json_end(visit->json);
        return;
    }
    printf("%-5s %-12s %s\n", marks[grade], what, found);
    if (grade != FINE)
        printf("%18s-> %s\n", "", fix);
}

/* A number out of a file of the system; -1 when there is none. */
static long long number_in(const char *path)
{
    char text[64] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (fd >= 0)
        close(fd);
    return len > 0 && text[0] >= '0' && text[0] <= '9' ? strtoll(text, NULL, 10) : -1;
}

/* ---- what it listens on ---- */

/* 0 when it can be bound now, else the errno. */
static int try_to_bind(const struct wr_addr *addr)
{
    struct sockaddr_in ip4 = { .sin_family = AF_INET, .sin_port = htons(addr->port) };
    struct sockaddr_in6 ip6 = { .sin6_family = AF_INET6, .sin6_port = htons(addr->port) };
    bool four = addr->kind == WR_ADDR_IP4;
    memcpy(&ip4.sin_addr, addr->ip, 4);
    memcpy(&ip6.sin6_addr, addr->ip, 16);
    int fd = socket(four ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    if (fd < 0)
        return errno;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    int result = bind(fd, four ? (struct sockaddr *)&ip4 : (struct sockaddr *)&ip6,
                      four ? sizeof(ip4) : sizeof(ip6));
    int number = result || listen(fd, 1) ? errno : 0;
    close(fd);
    return number;
}

/* Who has not said where is served on the next port that is free, as the node does it. */
static bool examine_next_port(struct visit *visit, const struct wr_addr *addr)
{
    char text[WR_ADDR_TEXT_MAX];
    struct wr_addr next = *addr;
    int number = EADDRINUSE;
    while (number == EADDRINUSE && ++next.port < addr->port + FRONT_PORTS_TRIED)
        number = try_to_bind(&next);
    if (number)
        return false;
    say(visit, WARNING, "port", "stop what listens there (ss -ltnp), or say --http-addr",
        "port %u is taken; the node would take %s instead", addr->port,
        wr_addr_print(&next, text));
    return true;
}

/* Its ports are taken because it runs: that is nothing to mend. */
static void examine_running(struct visit *visit)
{
    char where[DATA_SIGNATURE];
    const char *data = wr_conf_text(visit->conf, "data");
    visit->running = data && !wr_conf_bool(visit->conf, "security.amnesia")
        && data_in_use(data, where, sizeof(where));
    visit->pid = visit->running && strncmp(where, "pid ", 4) == 0 ? strtol(where + 4, NULL, 10)
                                                                  : 0;
    if (visit->running)
        say(visit, FINE, "node", "", "one runs on %s (%s); a second one needs another --data",
            data, where);
}

static void examine_port(struct visit *visit, const char *key)
{
    char text[WR_ADDR_TEXT_MAX];
    const struct wr_addr *addr = wr_conf_has(visit->conf, key) ? wr_conf_addr(visit->conf, key)
                                                               : NULL;
    if (!addr || addr->kind == WR_ADDR_UNIX)
        return;
    int number = try_to_bind(addr);
    if (number == EADDRINUSE && visit->running) {
        say(visit, FINE, "port", "", "%s = %s is taken, as it is while that node runs", key,
            wr_addr_print(addr, text));
        return;
    }
    bool may_move = strcmp(wr_conf_origin(visit->conf, key), "default") == 0;
    if (number == EADDRINUSE && may_move && examine_next_port(visit, addr))
        return;
    wr_addr_print(addr, text);
    if (number == 0)
        say(visit, FINE, "port", "", "%s = %s is free", key, text);
    else
        say(visit, FAILURE, "port",
            number == EADDRINUSE ? "stop what listens there (ss -ltnp), or take another port"
            : number == EACCES   ? "take a port above 1023, or give the capability "
                                   "CAP_NET_BIND_SERVICE"
                                 : "configure an address that this machine has",
            "%s = %s cannot be listened on: %s", key, text, strerror(number));
}

static void examine_backlog(struct visit *visit)
{
    long long most = number_in("/proc/sys/net/core/somaxconn");
    say(visit, most >= BACKLOG_WANTED ? FINE : WARNING, "backlog",
        "sysctl -w net.core.somaxconn=4096, and begin the node again",
        "%lld connections may wait to be taken: net.core.somaxconn is %lld, a listener asks "
        "for %d", most < BACKLOG_WANTED ? most : BACKLOG_WANTED, most, BACKLOG_WANTED);
}

/* ---- limits ---- */

static void examine_guards(struct visit *visit)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool guards = page != MAP_FAILED && madvise(page, 4096, MADV_GUARD_INSTALL) == 0;
    long long maps = number_in("/proc/sys/vm/max_map_count");
    if (page != MAP_FAILED)
        munmap(page, 4096);
    say(visit, guards || maps > MAPS_WANTED ? FINE : WARNING, "stacks",
        "sysctl -w vm.max_map_count=1048576, or a newer kernel",
        guards ? "guards cost no mappings" : "there are no light guards: vm.max_map_count "
                                             "= %lld bounds the number of fibers", maps);
}

/* ---- the rest of the world ---- */

static void examine_clock(struct visit *visit)
{
    struct timex state = { 0 };
    bool synced = adjtimex(&state) != TIME_ERROR;
    if (wr_wall().ns < VITALS_WALL_MIN)
        say(visit, FAILURE, "clock", "set the clock (timedatectl set-ntp true)",
            "it says a time before this program was made");
    else
        say(visit, synced ? FINE : WARNING, "clock", "start a time service (systemd-timesyncd, "
            "chrony)", synced ? "it is synchronised" : "nothing keeps it right: tokens and "
            "certificates go by it");
}

static void examine_entropy(struct visit *visit)
{
    unsigned char bytes[16];
    bool there = getrandom(bytes, sizeof(bytes), GRND_NONBLOCK) == sizeof(bytes);
    say(visit, there ? FINE : FAILURE, "entropy", "wait until the system has gathered some, or "
        "give it a source (virtio-rng)", there ? "128 bits at once" : "there is none yet");
}

static void examine_data(struct visit *visit)
{
    char found[DATA_WHY];
    const char *fix;
    struct statvfs disk;
    if (wr_conf_bool(visit->conf, "security.amnesia")) {
        say(visit, FINE, "data", "", "amnesia: nothing is written");
        return;
    }
    const char *data = wr_conf_text(visit->conf, "data");
    if (!data_usable(data, found, sizeof(found), &fix))
        say(visit, FAILURE, "data", fix, "%s cannot be had: %s", data, found);
    else if (statvfs(found, &disk))
        say(visit, FAILURE, "data", "give another --data", "%s: %s", found, strerror(errno));
    else {
        unsigned long long left = (unsigned long long)disk.f_bavail * disk.f_frsize;
        say(visit, left >= DISK_WANTED ? FINE : WARNING, "data",
            "make room, or give another --data", "%s can be written, %llu MiB are free", data,
            left >> 20);
    }
}

/* The node that runs looks itself: two do not have one store. */
static void examine_store_by_node(struct visit *visit)
{
    struct local_answer answer;
    bool heard = local_ask(&answer, visit->conf, "POST", "/api/v1/storage/check", "",
                           LOCAL_LONG);
    const json_t *body = answer.body;
    const char *why = json_string_value(json_object_get(body, "why"));
    if (!heard || answer.status != 200)
        say(visit, WARNING, "store", "ask again; or stop the node, and look without it",
            "the node does not say: %s", answer.why);
    else if (why)
        say(visit, FAILURE, "store", "restore a backup (weir restore)", "%s", why);
    else
        say(visit, FINE, "store", "", "sound: %lld KiB, a log of %lld KiB",
            (long long)json_integer_value(json_object_get(body, "bytes")) >> 10,
            (long long)json_integer_value(json_object_get(body, "wal_bytes")) >> 10);
    local_free(&answer);
}

/* One in memory is new each time, and a server has doctors of its own. */
static void examine_store(struct visit *visit)
{
    char url[DEPOT_URL_MAX];
    const char *path;
    struct archive_info info;
    struct store_why why = { "" };
    wr_err err = depot_place(visit->conf, url, &path);
    if (err) {
        say(visit, FAILURE, "store", "give a shorter --data or --store-url",
            "the path of its file is too long");
        return;
    }
    if (visit->running) {
        examine_store_by_node(visit);
        return;
    }
    if (!path)
        return;
    err = archive_look(path, &info, &why);
    if (archive_interrupted(path))
        say(visit, FAILURE, "store", "run it again (weir restore PATH --replace)",
            "a restore into %s was broken off", path);
    else if (err == WR_NOTFOUND)
        say(visit, FINE, "store", "", "%s is not there yet; the node makes it", path);
    else if (err)
        say(visit, FAILURE, "store", err == WR_IO ? "restore a backup (weir restore)"
                                                  : "name another store (--store-url)",
            "%s", why.text);
    else
        say(visit, FINE, "store", "", "sound: %llu KiB, a log of %llu KiB, step %llu",
            (unsigned long long)info.bytes >> 10, (unsigned long long)info.wal_bytes >> 10,
            (unsigned long long)info.steps);
}

static void examine_tls(struct visit *visit)
{
    bool wanted = strcmp(wr_conf_text(visit->conf, "security.pq_mode"), "off") != 0;
    bool there = wr_tls_pq_available();
    say(visit, wanted && !there ? FAILURE : FINE, "tls",
        "security.pq_mode = \"off\", or an OpenSSL with X25519MLKEM768 (3.5)",
        "%s; post-quantum key exchange %s, %s", OpenSSL_version(OPENSSL_VERSION),
        there ? "can be had" : "cannot be had", wanted ? "and is asked for" : "and is off");
}

static void examine_span(struct visit *visit, struct wr_tls *tls, const char *path)
{
    char buf[40];
    struct wr_text date = WR_TEXT(buf);
    int64_t from, until, now = time(NULL);
    tls_cert_span(tls, &from, &until);
    int64_t said = now < from ? from : until;
    wr_text_rfc3339(&date, (struct wr_wall){ WR_S(said < LAST_DATE ? said : LAST_DATE) });
    if (now < from)
        say(visit, FAILURE, "certificate", "set the clock if it is wrong (timedatectl), or use "
            "one that is valid already", "%s is not valid before %s", path, buf);
    else if (now > until)
        say(visit, FAILURE, "certificate", "renew it; a node that runs takes the new files on "
            "SIGHUP", "%s has expired, at %s", path, buf);
    else
        say(visit, until - now > RENEW_DAYS * DAY ? FINE : WARNING, "certificate",
            "renew it; a node that runs takes the new files on SIGHUP",
            "%s belongs to its key and is valid until %s", path, buf);
}

/* Without TLS there is nothing to say. */
static void examine_certificate(struct visit *visit)
{
    char why[300];
    struct wr_tls *tls = NULL;
    if (!wr_conf_bool(visit->conf, "tls.enabled"))
        return;
    wr_err err = certs_load(&tls, visit->conf, why, sizeof(why));
    if (err == WR_UNSUPPORTED)
        return;                         /* has been said of TLS as a whole */
    if (err)
        say(visit, FAILURE, "certificate", "name a certificate in PEM, with its chain, and the "
            "key it was made with, in PEM without a password", "%s", why);
    else
        examine_span(visit, tls, wr_conf_text(visit->conf, "tls.cert_path"));
    wr_tls_free(tls);
}

static void examine_all(struct visit *visit)
{
    say(visit, FINE, "config", "", "read from %s",
        wr_conf_file(visit->conf) ? wr_conf_file(visit->conf) : "flags, environment, defaults");
    examine_running(visit);
    examine_port(visit, "http_addr");
    examine_port(visit, "metrics_addr");
    examine_port(visit, "oap_addr");
    examine_backlog(visit);
    doctor_files(visit);
    examine_guards(visit);
    doctor_processors(visit);
    examine_clock(visit);
    examine_entropy(visit);
    examine_data(visit);
    examine_store(visit);
    examine_tls(visit);
    examine_certificate(visit);
    doctor_load(visit);
}

static int usage(const struct wr_conf_source *source)
{
    struct wr_text text = wr_text_heap(1 << 20);
    wr_conf_help(&text, source);
    printf("usage: weir doctor [--json] [FLAG...]\n"
           "  Look at ports, limits, clock, disk and libraries for a node with this\n"
           "  configuration, and say what to do about what is wrong.  Ends with 0 when\n"
           "  nothing fails, 1 when something does, 2 when the configuration is wrong.\n\n%s",
           text.at);
    wr_text_free(&text);
    return 0;
}

int weir_doctor(int argc, char **argv)
{
    bool json_wanted = false, help = false;
    const struct wr_conf_switch switches[] = {
        { "--json", &json_wanted, "Print JSON." }, { "--help", &help, "This." }, { 0 },
    };
    struct wr_conf_source source = { .tables = weir_tables, .argc = argc, .argv = argv,
                                     .env = environ, .switches = switches,
                                     .services = weir_services };
    struct wr_conf *conf = NULL;
    struct wr_conf_report report = { 0 };
    wr_err err = wr_conf_load(&conf, &source, &report);
    if (help) {
        wr_conf_report_free(&report);
        wr_conf_unref(conf);
        return usage(&source);
    }
    if (report.text.len)
        fwrite(report.text.at, 1, report.text.len, stderr);
    wr_conf_report_free(&report);
    if (err) {
        fprintf(stderr, "weir doctor: the configuration is wrong; nothing else was seen\n");
        return 2;
    }
    struct wr_text text = wr_text_heap(1 << 16);
    struct wr_json json = wr_json_to(&text);
    struct visit visit = { .conf = conf, .json = &json, .json_wanted = json_wanted };
    wr_json_array(&json, NULL);
    examine_all(&visit);
    wr_json_end(&json);
    if (json_wanted)
        printf("%s\n", text.at);
    wr_text_free(&text);
    wr_conf_unref(conf);
    return visit.worst == FAILURE ? 1 : 0;
}
