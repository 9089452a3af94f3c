/* run.c - `weir` and `weir run`: the node, in this process. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <weir/file.h>
#include <weir/panic.h>
#include <weir/run.h>

#include "base/forget.h"
#include "base/version.h"
#include "cmd/weir/data.h"
#include "cmd/weir/mcp_node.h"
#include "cmd/weir/services.h"
#include "cmd/weir/weir.h"
#include "net/tls.h"
#include "rt/os.h"
#include "svc/node/node.h"

#define EXIT_CRASHED 70         /* it ended by itself: a bug, which a restart may mend */

extern char **environ;

struct start {
    struct wr_conf *conf;
    struct wr_conf_source source;
    struct node_start node;
    struct wr_manager *manager;
    struct services services;
    struct timespec began;
    bool ready;                     /* it has been */
    int lock;                       /* of the data directory; -1 under amnesia */
    char local[108];                /* the socket there; empty: none */
};

/* ---- the data directory: one node each ---- */

static int in_use(const char *data, int fd)
{
    char text[DATA_SIGNATURE];
    data_signature(fd, text, sizeof(text));
    if (strstr(text, MCP_NODE_WHO))
        fprintf(stderr, "weir: an agent has started a node on %s (%s), which ends with it; "
                "close the agent, or end that process, and start this again; or give another "
                "--data\n", data, text);
    else
        fprintf(stderr, "weir: a node runs already on %s (%s); stop it, or give another "
                "--data\n", data, text);
    close(fd);
    return 2;
}

/* Why it cannot be had, where that was said, and what to do. */
static int no_data(const struct start *start, const char *otherwise)
{
    char why[DATA_WHY];
    const char *fix;
    const char *data = wr_conf_text(start->conf, "data");
    const char *origin = wr_conf_origin(start->conf, "data"), *home = getenv("HOME");
    bool homeless = strcmp(origin, "default") == 0 && (!home || home[0] != '/')
        && strncmp(data, "/var/lib/", 9) == 0;
    bool usable = data_usable(data, why, sizeof(why), &fix);
    fprintf(stderr, "%s%s: data = \"%s\": %s; %s\n", origin,
            homeless ? ", as HOME is not set" : "", data, usable ? otherwise : why, fix);
    return 2;
}

/* 0, or the exit status.  The lock goes with the process, however that ends. */
static int take_data(struct start *start)
{
    char path[4200], why[200];
    const char *data = wr_conf_text(start->conf, "data");
    start->lock = -1;
    if (wr_conf_bool(start->conf, "security.amnesia"))
        return 0;
    wr_err err = wr_file_make_dir(data, 0700, WR_NEVER);
    if (err)
        return no_data(start, err == WR_IO ? strerror(errno) : wr_err_text(err));
    snprintf(path, sizeof(path), "%s/lock", data);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) {
        snprintf(why, sizeof(why), "its file \"lock\" cannot be opened: %s", strerror(errno));
        return no_data(start, why);
    }
    if (!data_lock(fd))
        return in_use(data, fd);
    start->lock = fd;
    int len = snprintf(start->local, sizeof(start->local), "%s/node.sock", data);
    if (len >= (int)sizeof(start->local)) {
        start->local[0] = '\0';
        fprintf(stderr, "weir: %s/node.sock is too long a name for a socket: there is none; "
                "give a shorter --data\n", data);
    }
    return 0;
}

/* Who looks at the lock learns where the node is. */
static void sign_lock(const struct start *start, const char *place)
{
    char text[200];
    int len = snprintf(text, sizeof(text), "pid %d, %s\n", (int)getpid(), place);
    if (start->lock >= 0 && (ftruncate(start->lock, 0)
                             || pwrite(start->lock, text, (size_t)len, 0) != len))
        fprintf(stderr, "weir: the lock of %s could not be signed: %s\n",
                wr_conf_text(start->conf, "data"), strerror(errno));
}

/* ---- running ---- */

/* What to give to curl, but for the path. */
static void say_place(char *place, size_t size, const struct node_face *face)
{
    char addr[WR_ADDR_TEXT_MAX];
    wr_addr_print(&face->http, addr);
    if (face->http.kind == WR_ADDR_UNIX)
        snprintf(place, size, "--unix-socket %s http://localhost", face->http.path);
    else
        snprintf(place, size, "%s://%s", face->tls ? "https" : "http", addr);
}

/* A socket of the service manager is where that wants it. */
static bool was_passed(const struct start *start, const char *name)
{
    const struct wr_passed *passed;
    size_t count = wr_manager_sockets(start->manager, &passed);
    bool found = false;
    for (size_t i = 0; i < count && !found; i++)
        found = strcmp(passed[i].name, name) == 0;
    return found;
}

/* That it is not where it would be, if it is not; else nothing. */
static void say_moved(char *ret, size_t size, const struct start *start,
                      const struct wr_addr *http)
{
    char addr[WR_ADDR_TEXT_MAX];
    const struct wr_addr *wanted = wr_conf_addr(start->conf, "http_addr");
    bool default_one = strcmp(wr_conf_origin(start->conf, "http_addr"), "default") == 0;
    ret[0] = '\0';
    if (default_one && !wr_addr_equal(http, wanted) && !was_passed(start, "http"))
        snprintf(ret, size, "  note     %s is taken, by another program or node: this is the "
                 "next free port\n", wr_addr_print(wanted, addr));
}

static void say_ready(void *arg, const struct node_face *face)
{
    struct start *start = arg;
    char place[WR_ADDR_TEXT_MAX + 40], moved[WR_ADDR_TEXT_MAX + 100];
    const char *data = wr_conf_text(start->conf, "data");
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long long took = (now.tv_sec - start->began.tv_sec) * 1000000
        + (now.tv_nsec - start->began.tv_nsec) / 1000;
    say_place(place, sizeof(place), face);
    say_moved(moved, sizeof(moved), start, &face->http);
    sign_lock(start, place);
    start->ready = true;
    if (face->moved) {
        printf("weir listens at %s/ now\n", place);
        fflush(stdout);
        return;
    }
    printf("weir %s is ready, after %lld.%lld ms\n"
           "%s"
           "  console  %s/\n"
           "  try      curl %s/v1/hello\n"
           "           curl %s/readyz\n"
           "           curl %s/metrics\n"
           "  data     %s\n"
           "Ctrl-C drains and stops; a second one aborts.\n",
           wr_version.version, took / 1000, took / 100 % 10, moved, place, place, place, place,
           data ? data : "none: amnesia, nothing is written");
    fflush(stdout);
}

static wr_err run(void *arg)
{
    struct start *start = arg;
    return node_run(&start->node, NULL);
}

static void nothing(void *arg)
{
    (void)arg;
}

/* The system says of a thread only that it cannot be had: whether that is so is tried. */
static bool threads_are_out(void)
{
    struct os_thread thread;
    if (wr_os_thread_start(&thread, "weir-try", nothing, NULL))
        return true;
    wr_os_thread_join(&thread);
    return false;
}

static const char *limit_text(unsigned which, char *buf, size_t size)
{
    struct rlimit limit;
    if (getrlimit(which, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return "unlimited";
    snprintf(buf, size, "%llu", (unsigned long long)limit.rlim_cur);
    return buf;
}

/* What the surroundings do not give cannot be mended by a start like this one. */
static int starved(wr_err err)
{
    char buf[24];
    if (err == WR_NOFILE)
        fprintf(stderr, "weir: it cannot start with %s descriptors: raise their number "
                "(ulimit -n, LimitNOFILE=)\n", limit_text(RLIMIT_NOFILE, buf, sizeof(buf)));
    else if (threads_are_out())
        fprintf(stderr, "weir: no thread can be started: raise the number of processes and "
                "threads of this user, which is %s (ulimit -u, LimitNPROC=), of its group "
                "(TasksMax=, pids.max), or the memory (ulimit -v)\n",
                limit_text(RLIMIT_NPROC, buf, sizeof(buf)));
    else
        fprintf(stderr, "weir: there is not memory enough to start, and its limit is %s: raise "
                "it (ulimit -v, MemoryMax=), or lower `threads` and `max_conns`\n",
                limit_text(RLIMIT_AS, buf, sizeof(buf)));
    return 2;
}

static int finish(struct start *start, wr_err err)
{
    if (start->node.why[0]) {
        fprintf(stderr, "weir: %s\n", start->node.why);
        return 2;
    }
    if (!start->ready && (err == WR_NOFILE || err == WR_NOMEM))
        return starved(err);
    if (err == WR_TIMEOUT)
        fprintf(stderr, "weir: stopped; what had not finished in time was aborted\n");
    else if (err)
        fprintf(stderr, "weir: %s\n", wr_err_text(err));
    return !err ? 0 : err == WR_TIMEOUT ? 1 : EXIT_CRASHED;
}

static int usage(const struct start *start)
{
    struct wr_text text = wr_text_heap(1 << 20);
    wr_conf_help(&text, &start->source);
    printf("usage: weir [run] [FLAG...]\n"
           "  Start the node, until it is told to stop.\n\n%s", text.at);
    wr_text_free(&text);
    return 0;
}

/* As many descriptors as this user may have; that it is too few is said, as nobody would
 * see it before they run out. */
static void take_descriptors(const struct wr_conf *conf)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)!setrlimit(RLIMIT_NOFILE, &limit);
    unsigned long long most = (unsigned long long)wr_conf_int(conf, "max_conns");
    if (limit.rlim_max < 2 * most + 64)
        fprintf(stderr, "weir: %llu descriptors are too few for max_conns = %llu, which wants "
                "%llu: raise it (ulimit -n, LimitNOFILE=), or lower max_conns\n",
                (unsigned long long)limit.rlim_max, most, 2 * most + 64);
}

void weir_forget(void)
{
    wr_file_forbid_writes();
    wr_forget_from_now();
    WR_ASSERT(tls_forget());
}

int weir_run(int argc, char **argv)
{
    struct start start = { .lock = -1 };
    clock_gettime(CLOCK_MONOTONIC, &start.began);
    struct wr_conf_report report = { 0 };
    start.source = (struct wr_conf_source){ .tables = weir_tables, .argc = argc, .argv = argv,
                                            .env = environ, .services = weir_services };
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0)
            return usage(&start);
    wr_err err = wr_conf_load(&start.conf, &start.source, &report);
    if (report.text.len)
        fwrite(report.text.at, 1, report.text.len, stderr);
    wr_conf_report_free(&report);
    if (err)
        return 2;
    char why[WR_MANAGER_WHY];
    if (wr_manager_open(&start.manager, why)) {
        fprintf(stderr, "weir: %s\n", why);
        wr_conf_unref(start.conf);
        return 2;
    }
    int status = take_data(&start);
    if (!status) {
        take_descriptors(start.conf);
        if (wr_conf_bool(start.conf, "security.amnesia"))
            weir_forget();
        start.node = (struct node_start){ .conf = start.conf, .source = &start.source,
                                          .services = start.services.rows,
                                          .service_count = SERVICES_COUNT,
                                          .local = start.local[0] ? start.local : NULL,
                                          .ready = say_ready, .arg = &start,
                                          .manager = start.manager };
        err = services_make(&start.services);
        if (!err)
            err = wr_run(&(struct wr_run_conf){
                .workers = (unsigned)wr_conf_int(start.conf, "threads"), .control = true },
                run, &start);
        status = finish(&start, err);
    }
    services_free(&start.services);
    wr_manager_close(start.manager);
    wr_conf_unref(start.conf);
    if (start.lock >= 0)
        close(start.lock);
    return status;
}
