#include <stdatomic.h>
#include <string.h>

#include <weir/scope.h>

#include "store/job.h"
#include "store/pg.h"
#include "testing/settle.h"
#include "testing/store_rig.h"

#define SOON wr_after(WR_S(20))

static struct store *another_node(struct store_rig *rig, wr_time sweep)
{
    struct store *store = NULL;
    CHECK_OK(store_open(&store, &(struct store_conf){ .url = rig->url, .sweep = sweep },
                        &rig->why, SOON));
    return store;
}

static wr_err add(struct store *store, const char *id)
{
    return store_job_add(store, &(struct store_job_new){
        .id = id, .task = "t", .kind = "k", .slot = "net" }, SOON);
}

SERVER_TEST(what_one_node_queues_wakes_who_waits_on_another)
{
    struct store *node = another_node(rig, WR_S(600));
    uint64_t seen = 0;
    CHECK_OK(store_job_wait(node, "net", &seen, WR_NOW));
    for (int i = 0; i < 20; i++) {
        char id[16];
        snprintf(id, sizeof(id), "j%d", i);
        wr_time start = wr_now();
        CHECK_OK(add(rig->store, id));
        CHECK_OK(store_job_wait(node, "net", &seen, wr_after(WR_S(5))));
        CHECK(wr_now() - start < WR_S(1));
    }
    store_close(node, WR_NEVER);
}

struct listener { _Atomic int tasks, all; };

static void count_words(void *arg, const char *name)
{
    struct listener *listener = arg;
    atomic_fetch_add(name && strncmp(name, "task_", 5) == 0 ? &listener->tasks
                                                            : &listener->all, 1);
}

/* What is told until word has got through; how many names were heard. */
static int told(struct store_rig *rig, int count)
{
    struct listener listener = { 0 };
    struct store *node = another_node(rig, WR_S(600));
    uint64_t seen = 0;
    CHECK_OK(store_job_wait(node, "net", &seen, WR_NOW));
    store_listen(node, count_words, &listener);
    for (int i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof(name), "task_%d", i);
        store_tell(rig->store, name);
    }
    CHECK_OK(add(rig->store, "j1"));                    /* its word comes after all of these */
    CHECK_OK(store_job_wait(node, "net", &seen, SOON));
    while (!atomic_load(&listener.all))
        CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    store_listen(node, NULL, NULL);
    store_close(node, WR_NEVER);
    return atomic_load(&listener.tasks);
}

SERVER_TEST(names_that_one_node_tells_are_heard_by_another)
{
    CHECK_EQ(100, told(rig, 100));
}

SERVER_TEST(with_more_names_than_can_be_told_it_is_said_that_some_are_missing)
{
    CHECK(told(rig, 1000) < 1000);
}

SERVER_TEST(who_has_queued_it_is_not_woken_again_by_its_own_word)
{
    uint64_t seen = 0;
    CHECK_OK(store_job_wait(rig->store, "net", &seen, WR_NOW));
    CHECK_OK(add(rig->store, "j1"));
    CHECK_OK(store_job_wait(rig->store, "net", &seen, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, store_job_wait(rig->store, "net", &seen, wr_after(WR_MS(100))));
}

/* The ear of the other node is ended, and something is queued before it listens again. */
SERVER_TEST(what_was_said_while_an_ear_was_lost_is_not_missed)
{
    struct store *node = another_node(rig, WR_S(600));
    uint64_t seen = 0;
    CHECK_OK(store_job_wait(node, "net", &seen, WR_NOW));
    for (int i = 0; i < 10; i++) {
        char id[16];
        snprintf(id, sizeof(id), "j%d", i);
        CHECK_OK(rig_say(rig, "select pg_terminate_backend(pid) from pg_stat_activity"
                         " where query like '%listen%' and pid <> pg_backend_pid();"
                         "select pg_terminate_backend(pid) from pg_stat_activity"
                         " where query like '%pg_notify%' and pid <> pg_backend_pid()"));
        CHECK_OK(add(rig->store, id));
        CHECK_OK(store_job_wait(node, "net", &seen, wr_after(WR_S(10))));
        while (!store_job_wait(node, "net", &seen, wr_after(WR_MS(50))))
            ;
    }
    store_close(node, WR_NEVER);
}

static int64_t listeners(struct store_rig *rig)
{
    return rig_ask(rig, "select count(*) from pg_stat_activity where pid <> pg_backend_pid()"
                   " and (query like '%listen weir%' or query like '%pg_notify%')");
}

/* Only the mouth is lost: the other hears, but has not been told. */
SERVER_TEST(what_could_not_be_said_is_said_when_there_is_a_connection_again)
{
    struct store *node = another_node(rig, WR_S(600));
    uint64_t seen = 0;
    CHECK_OK(store_job_wait(node, "net", &seen, WR_NOW));
    CHECK_EQ(2, listeners(rig));
    for (int i = 0; i < 5; i++) {
        char id[16];
        snprintf(id, sizeof(id), "j%d", i);
        CHECK_OK(rig_say(rig, "select pg_terminate_backend(pid) from pg_stat_activity where"
                         " pid = (select min(pid) from pg_stat_activity where"
                         " (query like '%listen weir%' or query like '%pg_notify%')"
                         " and pid <> pg_backend_pid())"));
        CHECK_OK(add(rig->store, id));
        CHECK_OK(store_job_wait(node, "net", &seen, wr_after(WR_S(10))));
        while (!store_job_wait(node, "net", &seen, wr_after(WR_MS(100))))
            ;
    }
    store_close(node, WR_NEVER);
}

SERVER_TEST(now_and_then_everybody_is_woken)
{
    struct store *node = another_node(rig, WR_MS(50));
    uint64_t seen = 0;
    CHECK_OK(store_job_wait(node, "net", &seen, WR_NOW));
    for (int i = 0; i < 3; i++)
        CHECK_OK(store_job_wait(node, "net", &seen, wr_after(WR_S(5))));
    store_close(node, WR_NEVER);
}
