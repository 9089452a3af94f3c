/* diary_test.c - what was done, written down whatever the disk does meanwhile. */
#include "svc/node/diary.h"

#include <stdio.h>
#include <string.h>

#include <weir/scope.h>
#include <weir/task.h>

#include "store/audit.h"
#include "store/disk.h"
#include "testing/test.h"

#define SOON wr_after(WR_S(5))

struct rig {
    struct disk *disk;
    struct store *store;
    struct diary *diary;
    struct wr_once *drain;
    struct wr_scope *scope;
};

static wr_err run(void *arg)
{
    struct rig *rig = arg;
    return diary_run(rig->diary, rig->drain);
}

static void begin(struct rig *rig)
{
    struct store_why why;
    REQUIRE_OK(disk_new(&rig->disk, "diary.disk", 1));
    REQUIRE_OK(store_open(&rig->store, &(struct store_conf){
        .url = "sqlite:/weir.db", .disk = "diary.disk" }, &why, SOON));
    REQUIRE_OK(diary_new(&rig->diary, rig->store));
    REQUIRE_OK(wr_once_new(&rig->drain, "test.drain", 0));
    REQUIRE_OK(wr_scope_new(&rig->scope, &(struct wr_scope_conf){ .name = "test.diary",
                                                                  .deadline = WR_NEVER }));
    REQUIRE_OK(wr_scope_go(rig->scope, "test.diary", run, rig));
}

/* Tell it to end, and see it do so. */
static void drain(struct rig *rig)
{
    CHECK_OK(wr_once_set(rig->drain, NULL));
    CHECK_OK(wr_scope_join(rig->scope, SOON));
    CHECK_OK(wr_scope_close(rig->scope));
}

static void end(struct rig *rig)
{
    diary_free(rig->diary);
    store_close(rig->store, SOON);
    wr_once_free(rig->drain);
    disk_free(rig->disk);
}

static void note(struct rig *rig, const char *type)
{
    diary_note(rig->diary, &(struct diary_event){ .type = type });
}

/* The types of all events, one after the other. */
static const char *listed(struct rig *rig)
{
    static char text[400];
    struct store_events events;
    text[0] = '\0';
    CHECK_OK(store_audit_list(rig->store, 0, 100, &events, SOON));
    for (size_t i = 0; i < events.count; i++) {
        size_t len = strlen(text);
        snprintf(text + len, sizeof(text) - len, "%s ", store_event_at(&events, i).type);
    }
    store_events_free(&events);
    return text;
}

TEST(what_is_noted_is_in_the_store_soon)
{
    struct rig rig;
    begin(&rig);
    note(&rig, "one");
    note(&rig, "two");
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_STR("one two ", listed(&rig));
    drain(&rig);
    end(&rig);
}

TEST(what_is_noted_before_the_end_is_written_at_the_end)
{
    struct rig rig;
    begin(&rig);
    note(&rig, "one");
    note(&rig, "two");
    drain(&rig);
    CHECK_STR("one two ", listed(&rig));
    end(&rig);
}

TEST(while_the_store_cannot_write_events_wait_and_none_is_lost)
{
    struct rig rig;
    begin(&rig);
    disk_break(rig.disk, DISK_DENIED, 0);
    note(&rig, "one");
    note(&rig, "two");
    CHECK_OK(wr_sleep(wr_after(WR_S(5))));
    CHECK_STR("", listed(&rig));
    disk_mend(rig.disk);
    CHECK_OK(wr_sleep(wr_after(WR_S(5))));
    CHECK_STR("one two ", listed(&rig));
    drain(&rig);
    end(&rig);
}

TEST(of_too_many_events_the_newest_wait)
{
    struct rig rig;
    char type[20];
    begin(&rig);
    disk_break(rig.disk, DISK_DENIED, 0);
    for (int i = 0; i < DIARY_QUEUE + 10; i++) {
        snprintf(type, sizeof(type), "%d", i);
        note(&rig, type);
    }
    disk_mend(rig.disk);
    CHECK_OK(wr_sleep(wr_after(WR_S(5))));
    CHECK(strstr(listed(&rig), "10 11 12 "));
    drain(&rig);
    end(&rig);
}

TEST(old_events_are_taken_out)
{
    struct rig rig;
    begin(&rig);
    note(&rig, "one");
    CHECK_OK(wr_sleep(wr_after(DIARY_KEPT + WR_S(7200))));
    CHECK_STR("", listed(&rig));
    drain(&rig);
    end(&rig);
}

TEST(without_a_store_nothing_is_kept)
{
    struct rig rig = { 0 };
    REQUIRE_OK(diary_new(&rig.diary, NULL));
    note(&rig, "one");
    diary_free(rig.diary);
}
