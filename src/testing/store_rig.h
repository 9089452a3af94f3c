/* store_rig.h - a store for each test, on every engine.
 *
 *     STORE_TEST(an_open_job_keeps_its_key) { CHECK_OK(store_job_add(store, ...)); }
 *
 * makes a test for each engine; `store` is empty and closed afterwards.
 */
#ifndef WR_TESTING_STORE_RIG_H
#define WR_TESTING_STORE_RIG_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/store.h"
#include "testing/test.h"

struct store_rig {
    char folder[32], path[64], url[80];
    struct store *store;
    struct store_why why;
};

static inline void rig_folder(struct store_rig *rig)
{
    *rig = (struct store_rig){ .folder = "/tmp/weir-store-XXXXXX" };
    CHECK(mkdtemp(rig->folder));
    snprintf(rig->path, sizeof(rig->path), "%s/weir.db", rig->folder);
    snprintf(rig->url, sizeof(rig->url), "sqlite:%s", rig->path);
}

static inline wr_err rig_open(struct store_rig *rig)
{
    wr_err err = store_open(&rig->store, &(struct store_conf){ .url = rig->url }, &rig->why,
                            wr_after(WR_S(30)));
    if (err)
        fprintf(stderr, "# %s\n", rig->why.text);
    return err;
}

static inline void rig_shut(struct store_rig *rig)
{
    store_close(rig->store, WR_NEVER);
    rig->store = NULL;
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
    char blobs[80];                 /* leave their folders */
    snprintf(blobs, sizeof(blobs), "%s-blobs", rig->path);
    for (int i = 0; i < 256; i++) {
        char path[96];
        snprintf(path, sizeof(path), "%s/%02x", blobs, (unsigned)i);
        rmdir(path);
    }
    rmdir(blobs);
    CHECK_EQ(0, rmdir(rig->folder));
}

#define STORE_TEST(name) \
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

#endif
