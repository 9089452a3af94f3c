/* dhtnode_test.c - the real program: it comes up, ends, hangs, and finds others. */
#include "dht/dhtnode.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir/run.h>
#include <weir/scope.h>
#include <weir/sim.h>
#include <weir/stream.h>

#include "testing/test.h"

#define WITHIN WR_S(30)
#define UDP_MIN 12000

/* The other processor is emulated, and what it starts is not. */
#define NEEDS_DHTNODE() do { \
    if (test_emulated() || access(DHTNODE_PATH, X_OK) != 0) \
        SKIP("there is no dhtnode that could be run here"); \
} while (0)

/* A node, its task, and how it ended. */
struct rig {
    struct dhtnode node;
    struct wr_scope *scope;
    struct wr_once *drain;
    char said[DHTNODE_WHY];
    wr_err result;
    bool ended;
};

static void hear(void *arg, const char *why)
{
    struct rig *rig = arg;
    snprintf(rig->said, sizeof(rig->said), "%s", why);
}

static wr_err run_it(void *arg)
{
    struct rig *rig = arg;
    rig->result = dhtnode_run(&rig->node, rig->drain);
    rig->ended = true;
    return WR_OK;
}

static bool begin(struct rig *rig)
{
    rig->ended = false;
    return CHECK_OK(wr_scope_go(rig->scope, "test.dhtnode", run_it, rig));
}

static bool open_rig(struct rig *rig, const struct dhtnode_conf *conf)
{
    char why[DHTNODE_WHY];
    *rig = (struct rig){ .node.conf = *conf };
    rig->node.conf.say = hear;
    rig->node.conf.arg = rig;
    return CHECK_OK(dhtnode_prepare(&rig->node, why, wr_after(WITHIN)))
        && CHECK_OK(wr_once_new(&rig->drain, "test.drain", 0))
        && CHECK_OK(wr_scope_new(&rig->scope, &(struct wr_scope_conf){ .name = "test",
                                                                       .deadline = WR_NEVER }))
        && begin(rig);
}

static void close_rig(struct rig *rig)
{
    CHECK_OK(wr_scope_close(rig->scope));
    wr_once_free(rig->drain);
}

#define AWAIT(condition) do { \
    wr_time end_ = wr_after(WITHIN); \
    while (!(condition) && wr_now() < end_) \
        CHECK_OK(wr_sleep(wr_after(WR_MS(2)))); \
    CHECK(condition); \
} while (0)

/* Whether it runs: one that has ended and is not buried yet does not. */
static bool runs(long pid)
{
    char path[60], text[400] = "";
    snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    bool read = file && fgets(text, sizeof(text), file);
    if (file)
        fclose(file);
    const char *name = strrchr(text, ')');
    return read && name && name[2] != 'Z' && name[2] != 'X';
}

/* The child of ours that runs, whichever thread has started it; 0: none. */
static pid_t child(void)
{
    char path[300], text[400];
    DIR *threads = opendir("/proc/self/task");
    long found = 0;
    for (struct dirent *entry; threads && !found && (entry = readdir(threads));) {
        snprintf(path, sizeof(path), "/proc/self/task/%s/children", entry->d_name);
        FILE *file = fopen(path, "re");
        text[0] = '\0';
        if (file && fgets(text, sizeof(text), file))
            for (char *at = text, *end; !found && (found = strtol(at, &end, 10)); at = end)
                found = runs(found) ? found : 0;
        if (file)
            fclose(file);
    }
    if (threads)
        closedir(threads);
    return (pid_t)found;
}

static wr_err real(wr_task_fn fn)
{
    return wr_run(&(struct wr_run_conf){ 0 }, fn, NULL);
}

static wr_err come_and_go(void *arg)
{
    (void)arg;
    struct rig rig;
    REQUIRE(open_rig(&rig, &(struct dhtnode_conf){ 0 }), WR_IO);
    CHECK(!rig.node.up);
    AWAIT(rig.node.up);
    CHECK_EQ(1, rig.node.starts);
    CHECK_EQ(0, rig.node.peers);
    pid_t pid = child();
    CHECK(runs(pid));
    CHECK_OK(wr_once_set(rig.drain, NULL));
    AWAIT(rig.ended);
    CHECK_OK(rig.result);
    AWAIT(!runs(pid));
    CHECK(!rig.node.up);
    CHECK_STR("", rig.said);
    close_rig(&rig);
    return WR_OK;
}

TEST_PLAIN(a_node_comes_up_and_ends_when_it_is_not_wanted_any_more)
{
    NEEDS_DHTNODE();
    CHECK_OK(real(come_and_go));
}

static wr_err be_killed(void *arg)
{
    (void)arg;
    struct rig rig;
    REQUIRE(open_rig(&rig, &(struct dhtnode_conf){ 0 }), WR_IO);
    AWAIT(rig.node.up);
    char url[sizeof(rig.node.url)];
    memcpy(url, rig.node.url, sizeof(url));
    kill(child(), SIGKILL);
    AWAIT(rig.ended);
    CHECK_ERR(WR_CLOSED, rig.result);
    CHECK_STR("dhtnode has ended by itself, by signal 9", rig.said);
    CHECK(!rig.node.up);
    begin(&rig);                    /* as a supervisor would */
    AWAIT(rig.node.up);
    CHECK_STR(url, rig.node.url);
    CHECK_EQ(2, rig.node.starts);
    close_rig(&rig);
    CHECK_ERR(WR_CANCELED, rig.result);
    return WR_OK;
}

TEST_PLAIN(one_that_is_killed_says_so_and_is_up_again_where_it_was)
{
    NEEDS_DHTNODE();
    CHECK_OK(real(be_killed));
}

static wr_err be_frozen(void *arg)
{
    (void)arg;
    struct rig rig;
    REQUIRE(open_rig(&rig, &(struct dhtnode_conf){ .ask_every = WR_MS(200) }), WR_IO);
    AWAIT(rig.node.up);
    pid_t pid = child();
    wr_time began = wr_now();
    kill(pid, SIGSTOP);
    AWAIT(!rig.node.up);
    AWAIT(rig.ended);
    CHECK(wr_now() - began >= 3 * WR_MS(200));
    CHECK_ERR(WR_TIMEOUT, rig.result);
    CHECK(strstr(rig.said, "does not answer at http://127.0.0.1:"));
    AWAIT(!runs(pid));
    close_rig(&rig);
    return WR_OK;
}

TEST_PLAIN(one_that_hangs_is_asked_three_times_and_killed)
{
    NEEDS_DHTNODE();
    CHECK_OK(real(be_frozen));
}

static wr_err meet(void *arg)
{
    (void)arg;
    struct rig first, second;
    char host[40];
    uint16_t port = (uint16_t)(UDP_MIN + getpid() % 8000);
    snprintf(host, sizeof(host), "127.0.0.1:%u", port);
    struct dhtnode_conf conf = { .network = 1 + (uint32_t)getpid(), .port = port,
                                 .ask_every = WR_MS(50), .alone_max = WR_S(2) };
    REQUIRE(open_rig(&first, &conf), WR_IO);
    AWAIT(first.node.up);
    conf.port = 0;
    conf.bootstrap = (const char *const[]){ "127.0.0.1:9", host };
    conf.bootstrap_count = 2;
    REQUIRE(open_rig(&second, &conf), WR_IO);
    AWAIT(second.ended);
    CHECK_ERR(WR_NOTFOUND, second.result);
    CHECK_STR("dhtnode has met nobody at 127.0.0.1:9; the next one is tried", second.said);
    begin(&second);
    AWAIT(second.node.peers > 0 || (second.ended && !begin(&second)));
    AWAIT(first.node.peers > 0);
    close_rig(&second);
    close_rig(&first);
    return WR_OK;
}

TEST_PLAIN(bootstrap_nodes_are_tried_in_turn_until_somebody_is_met)
{
    NEEDS_DHTNODE();
    CHECK_OK(real(meet));
}

static wr_err find_it_taken(void *arg)
{
    (void)arg;
    struct rig rig;
    struct wr_listener *other;
    REQUIRE(open_rig(&rig, &(struct dhtnode_conf){ 0 }), WR_IO);
    AWAIT(rig.node.up);
    kill(child(), SIGKILL);
    AWAIT(rig.ended);
    struct wr_addr addr = { .kind = WR_ADDR_IP4, .ip = { 127, 0, 0, 1 },
                            .port = rig.node.proxy_port };
    REQUIRE_OK(wr_listen(&other, &addr), WR_IO);
    begin(&rig);
    AWAIT(rig.ended);
    CHECK_ERR(WR_CLOSED, rig.result);
    CHECK(strstr(rig.said, "dhtnode has ended by itself, by signal "));
    wr_listener_close(other);
    begin(&rig);
    AWAIT(rig.node.up);
    close_rig(&rig);
    return WR_OK;
}

TEST_PLAIN(one_whose_port_somebody_else_has_taken_comes_up_when_it_is_free)
{
    NEEDS_DHTNODE();
    CHECK_OK(real(find_it_taken));
}

TEST(a_program_that_is_not_there_is_said_with_what_to_install)
{
    char why[DHTNODE_WHY];
    struct dhtnode node = { .conf = { .path = "/nonexistent/dhtnode" } };
    CHECK_ERR(WR_NOTFOUND, dhtnode_prepare(&node, why, wr_after(WITHIN)));
    CHECK_STR("there is no /nonexistent/dhtnode: install dhtnode (apt-get install dhtnode), or "
              "name the proxies of other nodes", why);
    node.conf.path = "/usr";
    CHECK_ERR(WR_NOTFOUND, dhtnode_prepare(&node, why, wr_after(WITHIN)));
}

static wr_err be_another_program(void *arg)
{
    (void)arg;
    struct rig rig;
    REQUIRE(open_rig(&rig, &(struct dhtnode_conf){ .path = "/usr/bin/true" }), WR_IO);
    AWAIT(rig.ended);
    CHECK_ERR(WR_CLOSED, rig.result);
    CHECK_STR("dhtnode has ended by itself, with code 0", rig.said);
    rig.node.conf.path = "/usr/bin/sleep";      /* does not understand us, and says so */
    begin(&rig);
    AWAIT(rig.ended);
    CHECK_STR("dhtnode has ended by itself, with code 1", rig.said);
    close_rig(&rig);
    return WR_OK;
}

TEST_PLAIN(a_program_that_ends_at_once_is_a_failure_whatever_it_says)
{
    NEEDS_DHTNODE();
    CHECK_OK(real(be_another_program));
}

static wr_err simulate(void *arg)
{
    (void)arg;
    struct wr_once *drain;
    struct dhtnode node = { 0 };
    REQUIRE_OK(wr_once_new(&drain, "test.drain", 0), WR_NOMEM);
    CHECK_ERR(WR_UNSUPPORTED, dhtnode_run(&node, drain));
    wr_once_free(drain);
    return WR_OK;
}

TEST_PLAIN(a_simulation_has_no_node_of_the_real_network)
{
    struct wr_sim_result result;
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){ .name = "dhtnode" }, simulate, NULL));
}
