#include "svc/index/scribe.h"

#include <stdio.h>
#include <string.h>

#include <weir/scope.h>
#include <weir/task.h>

#include "flow/facet.h"
#include "testing/metric_rig.h"
#include "testing/settle.h"
#include "testing/store_rig.h"

#define PUTTERS 300

static struct scribe *scribe;
static struct wr_once *drain;
static struct wr_scope *writers, *putters;
static wr_err outcomes[PUTTERS];

static void begin(struct store *store)
{
    REQUIRE_OK(scribe_new(&scribe, store));
    REQUIRE_OK(wr_once_new(&drain, "drain", 0));
    REQUIRE_OK(wr_scope_new(&writers, &(struct wr_scope_conf){ .name = "writers",
                                                               .deadline = WR_NEVER }));
    REQUIRE_OK(wr_scope_new(&putters, &(struct wr_scope_conf){ .name = "putters",
                                                               .deadline = WR_NEVER }));
}

static wr_err run(void *)
{
    return scribe_run(scribe, drain);
}

static void start(void)
{
    REQUIRE_OK(wr_scope_go(writers, "test.scribe", run, NULL));
    settle();
}

static void end(void)
{
    CHECK_OK(wr_once_set(drain, NULL));
    CHECK_OK(wr_scope_join(putters, WR_NEVER));
    CHECK_OK(wr_scope_close(putters));
    CHECK_OK(wr_scope_join(writers, WR_NEVER));
    CHECK_OK(wr_scope_close(writers));
    scribe_free(scribe);
    wr_once_free(drain);
}

/* A name, and a manifest that says which it was. */
static struct catalog_pointer pointer_of(int name, int value)
{
    struct catalog_pointer pointer = { .kind = CATALOG_SITE, .updated_at_ms = 1 };
    snprintf(pointer.key, sizeof(pointer.key), "site-%d", name);
    memset(pointer.manifest.bytes, value, sizeof(pointer.manifest.bytes));
    return pointer;
}

static int value_of(struct store *store, int name)
{
    struct catalog_pointer found, wanted = pointer_of(name, 0);
    wr_err err = catalog_get(store, CATALOG_SITE, wanted.key, &found, WR_NEVER);
    return err ? -1 : found.manifest.bytes[0];
}

struct putter { int name, value; wr_time deadline; wr_err *outcome; };

static wr_err put(void *arg)
{
    const struct putter *putter = arg;
    struct catalog_pointer pointer = pointer_of(putter->name, putter->value);
    *putter->outcome = scribe_put(scribe, &pointer, putter->deadline);
    return WR_OK;
}

/* One after the other, so that the last is the last. */
static void put_beside(struct putter *putter)
{
    REQUIRE_OK(wr_scope_go(putters, "test.putter", put, putter));
    settle();
}

LOCAL_TEST(what_was_put_is_in_the_store)
{
    struct catalog_pointer pointer = pointer_of(1, 7);
    begin(store);
    start();
    CHECK_OK(scribe_put(scribe, &pointer, wr_after(WR_S(1))));
    CHECK_EQ(7, value_of(store, 1));
    CHECK_EQ(1, scribe_stat(scribe).written);
    end();
}

LOCAL_TEST(of_many_that_wait_under_one_key_the_last_is_written_and_all_are_told)
{
    static struct putter all[100];
    begin(store);
    for (int i = 0; i < 100; i++) {
        outcomes[i] = WR_PANIC;
        all[i] = (struct putter){ 1, i, wr_after(WR_S(5)), &outcomes[i] };
        put_beside(&all[i]);
    }
    CHECK_EQ(-1, value_of(store, 1));
    CHECK_EQ(1, scribe_stat(scribe).waiting);
    start();
    for (int i = 0; i < 100; i++)
        CHECK_OK(outcomes[i]);
    CHECK_EQ(99, value_of(store, 1));
    CHECK_EQ(1, scribe_stat(scribe).written);
    CHECK_EQ(99, scribe_stat(scribe).replaced);
    CHECK_EQ(0, scribe_stat(scribe).waiting);
    end();
}

LOCAL_TEST(when_256_keys_wait_one_more_is_refused_and_one_of_them_is_not)
{
    static struct putter all[PUTTERS];
    begin(store);
    facet_refused(FACET_INDEX);         /* so that the series is there */
    long long before = metric_value("facet_busy_total{facet=\"index\"}");
    for (int i = 0; i < SCRIBE_WAITING_MAX; i++) {
        all[i] = (struct putter){ i, 1, wr_after(WR_S(5)), &outcomes[i] };
        put_beside(&all[i]);
    }
    struct catalog_pointer more = pointer_of(1000, 1);
    CHECK_ERR(WR_BUSY, scribe_put(scribe, &more, wr_after(WR_S(5))));
    CHECK_EQ(before + 1, metric_value("facet_busy_total{facet=\"index\"}"));
    CHECK_EQ(1, scribe_stat(scribe).refused);
    struct putter newer = { 3, 9, wr_after(WR_S(5)), &outcomes[SCRIBE_WAITING_MAX] };
    put_beside(&newer);
    start();
    CHECK_OK(wr_scope_join(putters, WR_NEVER));
    for (int i = 0; i <= SCRIBE_WAITING_MAX; i++)
        CHECK_OK(outcomes[i]);
    CHECK_EQ(SCRIBE_WAITING_MAX, scribe_stat(scribe).written);
    CHECK_EQ(9, value_of(store, 3));
    CHECK_OK(scribe_put(scribe, &more, wr_after(WR_S(5))));
    end();
}

LOCAL_TEST(what_nobody_waits_for_any_more_is_not_written)
{
    struct putter hasty = { 1, 4, wr_after(WR_MS(10)), &outcomes[0] };
    begin(store);
    wr_time before = wr_now();
    CHECK_OK(put(&hasty));
    CHECK_ERR(WR_TIMEOUT, outcomes[0]);
    CHECK_EQ(WR_MS(10), wr_now() - before);
    start();
    CHECK_EQ(-1, value_of(store, 1));
    CHECK_EQ(0, scribe_stat(scribe).written);
    end();
}

LOCAL_TEST(a_drain_writes_what_waits_and_takes_nothing_more)
{
    struct putter early = { 1, 4, wr_after(WR_S(1)), &outcomes[0] };
    struct catalog_pointer late = pointer_of(2, 1);
    begin(store);
    put_beside(&early);
    CHECK_OK(wr_once_set(drain, NULL));
    start();
    CHECK_OK(outcomes[0]);
    CHECK_EQ(4, value_of(store, 1));
    CHECK_ERR(WR_DRAINING, scribe_put(scribe, &late, wr_after(WR_S(1))));
    CHECK_EQ(0, scribe_stat(scribe).waiting);
    CHECK_EQ(-1, value_of(store, 2));
    wr_once_free(drain);
    CHECK_OK(wr_once_new(&drain, "drain", 0));
    end();
}
