/* kept.c - a program to be kept: one that crashes in every way there is, and a server
 * whose requests do.
 *
 *     kept --keep WORDS...        the keeper, with pauses a tenth as long
 *     kept serve UNIX-SOCKET      a server; LISTEN_FDS is taken if it is there
 *     kept segv | abort | panic | exit N | hang | news
 *     kept leave N                says that it stops, and ends with N; 0: by a signal
 *     kept name                   says its own name
 *     kept signals                ends with 40, and 1 for each SIGTERM or SIGINT, 10 for
 *                                 each SIGHUP
 *     kept recover FILE           crashes twice, then ends well; FILE counts the starts
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir/weir.h>

#include "cmd/weir/keep.h"
#include "rt/rt_int.h"

/* ---- the server ---- */

static struct wr_mutex lock = WR_MUTEX("test.lock", 1);

static wr_err fine(struct wr_call *call)
{
    wr_call_print(call, "%ld", (long)getpid());
    return WR_OK;
}

static wr_err panics(struct wr_call *call)
{
    wr_panic("on purpose, by %s", wr_call_path(call));
}

static wr_err asserts(struct wr_call *call)
{
    WR_ASSERT(call == NULL);
    return WR_OK;
}

static wr_err segfaults(struct wr_call *call)
{
    (void)call;
    volatile int *volatile nowhere = (int *)16;
    *nowhere = 1;
    return WR_OK;
}

static wr_err divides(struct wr_call *call)
{
    volatile int some = 7, zero = 0;
    wr_call_print(call, "%d", some / zero);
    return WR_OK;
}

static volatile bool down = true;

static int dig(volatile char *above)
{
    volatile char here[2048];
    here[0] = above[0];
    return down ? here[0] + dig(here) : 0;
}

static wr_err overflows(struct wr_call *call)
{
    volatile char top = 1;
    wr_call_print(call, "%d", dig(&top));
    return WR_OK;
}

static wr_err panics_locked(struct wr_call *call)
{
    wr_mutex_lock(&lock);
    return panics(call);
}

static wr_err breaks_the_runtime(struct wr_call *call)
{
    RT_ASSERT(call == NULL);
    return WR_OK;
}

static const struct wr_route routes[] = {
    { .method = "GET", .path = "/fine", .handler = fine },
    { .method = "GET", .path = "/panic", .handler = panics },
    { .method = "GET", .path = "/assert", .handler = asserts },
    { .method = "GET", .path = "/segv", .handler = segfaults },
    { .method = "GET", .path = "/divide", .handler = divides },
    { .method = "GET", .path = "/overflow", .handler = overflows },
    { .method = "GET", .path = "/locked", .handler = panics_locked },
    { .method = "GET", .path = "/runtime", .handler = breaks_the_runtime },
};

/* As the node has it: who listens, a queue, and workers that are supervised. */
struct site { struct wr_http *http; struct wr_listener *listener; struct wr_chan *work; };

static wr_err submit(void *arg, struct wr_call *call)
{
    struct site *site = arg;
    return wr_chan_send(site->work, &call, WR_NOW);
}

static void drop_call(void *item)
{
    wr_call_refuse(*(struct wr_call **)item, WR_DRAINING);
}

/* Both go on until they are canceled. */
static wr_err listens(void *arg, struct wr_once *drain)
{
    struct site *site = arg;
    (void)drain;
    return wr_http_serve(site->http, site->listener);
}

static wr_err works(void *arg, struct wr_once *drain)
{
    struct site *site = arg;
    struct wr_call *call;
    wr_err err;
    (void)drain;
    while (!(err = wr_chan_recv(site->work, &call, WR_NEVER)))
        wr_call_run(call);
    return err;
}

static wr_err site_open(struct site *site)
{
    wr_err err = wr_chan_new(&site->work, &(struct wr_chan_conf){
        .name = "test.work", .item_size = sizeof(void *), .cap = 16, .policy = WR_REJECT,
        .drop = drop_call });
    if (err)
        return err;
    return wr_http_new(&site->http, &(struct wr_http_conf){
        .routes = routes, .count = sizeof(routes) / sizeof(*routes), .submit = submit,
        .arg = site });
}

static wr_err stop_on_signal(void *arg)
{
    struct wr_signal *signals;
    int number;
    static const int wanted[] = { SIGTERM, SIGINT };
    wr_err err = wr_signal_open(&signals, wanted, 2);
    while (!err && !(err = wr_chan_recv(wr_signal_chan(signals), &number, WR_NEVER)))
        wr_sup_stop(arg);
    wr_signal_close(signals);
    return err;
}

struct plan { struct wr_manager *manager; const char *path; };

static wr_err listen_as_told(struct wr_listener **ret, const struct plan *plan)
{
    struct wr_addr addr = { .kind = WR_ADDR_UNIX };
    int fd = wr_manager_take(plan->manager, "http");
    if (fd >= 0)
        return wr_listen_on(ret, fd);
    snprintf(addr.path, sizeof(addr.path), "%s", plan->path);
    return wr_listen(ret, &addr);
}

static wr_err supervise(struct site *site, const struct plan *plan)
{
    const wr_time soon = WR_MS(100);
    const struct wr_child children[] = {
        { "test.worker", works, site, WR_RESTART_ALWAYS, .stop_within = soon },
        { "test.worker", works, site, WR_RESTART_ALWAYS, .stop_within = soon },
        { "test.serve", listens, site, WR_RESTART_ALWAYS, .group = 1, .stop_within = soon },
    };
    struct wr_scope *scope;
    struct wr_sup *sup;
    wr_err err = wr_sup_new(&sup, &(struct wr_sup_conf){
        .name = "test", .children = children, .count = 3, .backoff_min = WR_MS(10),
        .backoff_max = WR_MS(20) });
    if (err)
        return err;
    err = wr_scope_new(&scope, &(struct wr_scope_conf){ .deadline = WR_NEVER });
    if (!err) {
        err = wr_scope_go(scope, "test.signals", stop_on_signal, sup);
        (void)!wr_manager_tell(plan->manager, WR_NEWS_READY, "serving");
        err = err ? err : wr_sup_run(sup);
        (void)!wr_manager_tell(plan->manager, WR_NEWS_STOPPING, NULL);
        (void)!wr_scope_close(scope);
    }
    wr_sup_free(sup);
    return err == WR_TIMEOUT ? WR_OK : err;     /* they are always cut off */
}

static wr_err serve(void *arg)
{
    struct site site = { 0 };
    wr_err err = listen_as_told(&site.listener, arg);
    if (!err)
        err = site_open(&site);
    if (!err)
        err = supervise(&site, arg);
    wr_http_free(site.http);
    wr_chan_free(site.work);
    wr_listener_close(site.listener);
    return err;
}

static int run_server(const char *path)
{
    char why[WR_MANAGER_WHY];
    struct plan plan = { .path = path };
    if (wr_manager_open(&plan.manager, why)) {
        fprintf(stderr, "kept: %s\n", why);
        return 2;
    }
    wr_err err = wr_run(&(struct wr_run_conf){ .control = true }, serve, &plan);
    wr_manager_close(plan.manager);
    return err ? 1 : 0;
}

/* ---- the others ---- */

static int recover(const char *file)
{
    int fd = open(file, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (fd < 0 || write(fd, "x", 1) != 1)
        return 2;
    if (lseek(fd, 0, SEEK_END) < 3)
        abort();
    return 0;
}

_Noreturn static void hang(void)
{
    signal(SIGTERM, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    fprintf(stderr, "kept: hanging, as %ld\n", (long)getpid());
    for (;;)
        pause();
}

/* Until two requests to stop have come, or nothing for a while after the first. */
static int count_signals(void)
{
    sigset_t wanted;
    int status = 40, stops = 0, number;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGTERM);
    sigaddset(&wanted, SIGINT);
    sigaddset(&wanted, SIGHUP);
    sigprocmask(SIG_BLOCK, &wanted, NULL);
    fprintf(stderr, "kept: counting, as %ld\n", (long)getpid());
    struct timespec span = { .tv_sec = 20 };
    while ((number = sigtimedwait(&wanted, NULL, &span)) > 0) {
        status += number == SIGHUP ? 10 : 1;
        stops += number != SIGHUP;
        if (stops == 2)
            break;
        span = (struct timespec){ .tv_nsec = 300 * 1000 * 1000 };
    }
    return status;
}

static int tell_news(void)
{
    char why[WR_MANAGER_WHY];
    struct wr_manager *manager;
    if (wr_manager_open(&manager, why))
        return 2;
    wr_err err = wr_manager_tell(manager, WR_NEWS_READY, "from below");
    if (!err)
        err = wr_manager_tell(manager, WR_NEWS_STOPPING, NULL);
    printf("watchdog %lld ms\n", (long long)(wr_manager_watchdog(manager) / WR_MS(1)));
    wr_manager_close(manager);
    return err ? 1 : 0;
}

static wr_err panic(void *)
{
    wr_panic("on purpose, in the first task");
}

static int leave(const char *status)
{
    char why[WR_MANAGER_WHY];
    struct wr_manager *manager;
    if (wr_manager_open(&manager, why) || wr_manager_tell(manager, WR_NEWS_STOPPING, NULL))
        return 99;
    wr_manager_close(manager);
    if (strcmp(status, "0") == 0)
        raise(SIGKILL);
    return (int)strtol(status, NULL, 10);
}

static int say_name(void)
{
    char name[20] = "";
    FILE *file = fopen("/proc/self/comm", "r");
    if (!file || !fgets(name, sizeof(name), file))
        return 2;
    fclose(file);
    printf("%s", name);
    return 0;
}

static int crash(const char *how)
{
    if (strcmp(how, "panic") == 0)
        return wr_run(&(struct wr_run_conf){ 0 }, panic, NULL) ? 1 : 0;
    if (strcmp(how, "segv") == 0)
        (void)!segfaults(NULL);
    abort();
}

int main(int argc, char **argv)
{
    static const struct keep_conf conf = {
        .backoff_min = WR_MS(10), .backoff_max = WR_MS(50), .backoff_cap = WR_MS(500),
        .crashes_max = 5, .crashes_within = WR_S(60),
        .stop_within = WR_S(2), .abort_within = WR_MS(100),
    };
    const char *word = argc > 1 ? argv[1] : "", *value = argc > 2 ? argv[2] : "";
    keep_name(argv[0]);
    if (strcmp(word, "--keep") == 0) {
        argv[1] = argv[0];
        return keep(&conf, argv + 1);
    }
    if (strcmp(word, "leave") == 0)
        return leave(value);
    if (strcmp(word, "name") == 0)
        return say_name();
    if (strcmp(word, "serve") == 0)
        return run_server(value);
    if (strcmp(word, "recover") == 0)
        return recover(value);
    if (strcmp(word, "hang") == 0)
        hang();
    if (strcmp(word, "news") == 0)
        return tell_news();
    if (strcmp(word, "signals") == 0)
        return count_signals();
    if (strcmp(word, "exit") == 0)
        return (int)strtol(value, NULL, 10);
    return crash(word);
}
