/* store_rig.h - a store for each test, on every engine.
 *
 *     STORE_TEST(an_open_job_keeps_its_key) { CHECK_OK(store_job_add(store, ...)); }
 *
 * makes a test for each engine; `store` is empty and closed afterwards.  The one on a server is
 * skipped without a server (tests/postgres/run starts one), and has a schema of its own there.
 *
 * On a server time is real, but the store's clock is the rig's: it stands still until pass().
 * Everywhere pass() lets leases run out, and rig_wall() is what the store's clock shows.
 *
 *     SERVER_TEST(a_lost_connection_is_opened_again) { ...rig->store, rig_say(rig, sql)... }
 *
 * is for what a server alone can show, LOCAL_TEST for what needs the virtual clock.
 */
#ifndef WR_TESTING_STORE_RIG_H
#define WR_TESTING_STORE_RIG_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <weir/run.h>
#include <weir/task.h>

#include "store/pg_conn.h"
#include "store/store.h"
#include "testing/test.h"

#define RIG_BEGIN_MS 1700000000000

struct store_rig {
    char folder[32], path[64], url[300];
    char schema[48];
    struct pg_conn *admin;          /* a connection of the rig's own */
    int64_t now_ms;                 /* on a server */
    struct store *store;
    struct store_why why;
};

/* The one whose test is running on a server, or NULL. */
static struct store_rig *rig_server;

static inline void rig_folder(struct store_rig *rig)
{
    *rig = (struct store_rig){ .folder = "/tmp/weir-store-XXXXXX" };
    CHECK(mkdtemp(rig->folder));
    snprintf(rig->path, sizeof(rig->path), "%s/weir.db", rig->folder);
    snprintf(rig->url, sizeof(rig->url), "sqlite:%s", rig->path);
}

static inline wr_err rig_open(struct store_rig *rig)
{
    wr_err err = store_open(&rig->store, &(struct store_conf){ .url = rig->url,
                                                               .sweep = WR_S(600) },
                            &rig->why, wr_after(WR_S(30)));
    if (err)
        fprintf(stderr, "# %s\n", rig->why.text);
    return err;
}

static inline void rig_shut(struct store_rig *rig)
{
    store_close(rig->store, WR_NEVER);
    rig->store = NULL;
}

static inline void rig_empty(const char *folder)
{
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[400];
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    if (dir)
        closedir(dir);
}

static inline void rig_remove(struct store_rig *rig)
{
    static const char *const ends[] = { "", "-wal", "-shm", "-lock", "-copy", "-copy-wal",
                                        "-copy-shm", "-copy-lock" };
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        char path[96];
        snprintf(path, sizeof(path), "%s%s", rig->path, ends[i]);
        unlink(path);
    }
    char blobs[80];
    snprintf(blobs, sizeof(blobs), "%s-blobs", rig->path);
    for (int i = 0; i < 256; i++) {
        char path[96];
        snprintf(path, sizeof(path), "%s/%02x", blobs, (unsigned)i);
        rig_empty(path);
        rmdir(path);
    }
    rmdir(blobs);
    CHECK_EQ(0, rmdir(rig->folder));
}

/* ---- on a server ---- */

/* Run a statement there. */
static inline wr_err rig_say(struct store_rig *rig, const char *sql)
{
    wr_err err = pg_exec(rig->admin, sql, wr_after(WR_S(20)));
    if (err)
        printf("# %s: %s\n", sql, pg_said(rig->admin));
    return err;
}

/* The first value of the first row; -1: there is none. */
static inline int64_t rig_ask(struct store_rig *rig, const char *sql)
{
    size_t at;
    struct store_verb verb = { .name = "", .postgres = sql };      /* is prepared anew */
    struct store_act act = { .verb = &verb };
    CHECK_OK(pg_batch(rig->admin, &(struct store_act *){ &act }, 1, &at, wr_after(WR_S(20))));
    int64_t value = act.rows.count ? store_int(&act.rows, 0, 0) : -1;
    store_rows_free(&act.rows);
    return value;
}

/* The store's clock is a row of ours. */
static inline void rig_stop_clock(struct store_rig *rig)
{
    char sql[200];
    rig->now_ms = RIG_BEGIN_MS;
    snprintf(sql, sizeof(sql), "create table clock as select %lld::bigint as ms;"
             "create or replace function now_ms() returns bigint language sql stable"
             " as 'select ms from clock'", (long long)rig->now_ms);
    CHECK_OK(rig_say(rig, sql));
}

static inline bool rig_schema(struct store_rig *rig)
{
    static int number;
    *rig = (struct store_rig){ 0 };
    snprintf(rig->schema, sizeof(rig->schema), "t%d_%d", (int)getpid(), ++number);
    snprintf(rig->url, sizeof(rig->url), "%s&options=-csearch_path%%3D%s",
             getenv("WEIR_TEST_POSTGRES"), rig->schema);
    return CHECK_OK(pg_open(&rig->admin, rig->url, &(struct pg_limits){ 0 }, &rig->why,
                            wr_after(WR_S(30))));
}

static inline void rig_schema_drop(struct store_rig *rig)
{
    char sql[80];
    snprintf(sql, sizeof(sql), "drop schema if exists %s cascade", rig->schema);
    CHECK_OK(rig_say(rig, sql));
    pg_close(rig->admin);
}

typedef void (*rig_test)(struct store_rig *rig);

static inline wr_err rig_run_there(void *arg)
{
    struct store_rig rig;
    if (!rig_schema(&rig))
        return WR_OK;
    if (CHECK_OK(rig_open(&rig))) {
        rig_stop_clock(&rig);
        rig_server = &rig;
        (*(rig_test *)arg)(&rig);
        rig_server = NULL;
        rig_shut(&rig);
    }
    rig_schema_drop(&rig);
    return WR_OK;
}

/* ---- time ---- */

/* So long on the store's clock. */
static inline void pass(wr_time span)
{
    char sql[80];
    if (!rig_server) {
        CHECK_OK(wr_sleep(wr_after(span)));
        return;
    }
    rig_server->now_ms += span / WR_MS(1);
    snprintf(sql, sizeof(sql), "update clock set ms = %lld", (long long)rig_server->now_ms);
    CHECK_OK(rig_say(rig_server, sql));
}

static inline struct wr_wall rig_wall(void)
{
    return rig_server ? (struct wr_wall){ rig_server->now_ms * WR_MS(1) } : wr_wall();
}

/* What may pass by the process's clock between two statements of a test. */
static inline wr_time rig_slack(void)
{
    return rig_server ? WR_MS(200) : 0;
}

/* Others have gone as far as they can, or could have. */
static inline void rig_settle(void)
{
    CHECK_OK(wr_sleep(wr_after(rig_server ? WR_MS(30) : 1)));
}

/* ---- tests ---- */

#define SERVER_TEST(name) \
    static void name##_there(struct store_rig *rig); \
    TEST_PLAIN(name##_on_a_server) \
    { \
        rig_test test = name##_there; \
        if (!getenv("WEIR_TEST_POSTGRES")) \
            SKIP("tests/postgres/run starts a server for this"); \
        CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, rig_run_there, &test)); \
    } \
    static void name##_there(struct store_rig *rig)

#define LOCAL_TEST(name) \
    static void name(struct store *store); \
    TEST(name##_in_a_file) \
    { \
        struct store_rig rig; \
        rig_folder(&rig); \
        if (CHECK_OK(rig_open(&rig))) \
            name(rig.store); \
        rig_shut(&rig); \
        rig_remove(&rig); \
    } \
    TEST(name##_in_memory) \
    { \
        struct store_rig rig = { .url = "sqlite:" }; \
        if (CHECK_OK(rig_open(&rig))) \
            name(rig.store); \
        rig_shut(&rig); \
    } \
    static void name(struct store *store)

#define STORE_TEST(name) \
    static void name(struct store *store); \
    SERVER_TEST(name) { name(rig->store); } \
    LOCAL_TEST(name)

#endif
