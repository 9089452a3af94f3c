/* storage_test.c - the disk, and the databases that services bring. */
#include "svc/node/storage.h"

#include <unistd.h>

#include <weir/file.h>

#include "testing/node_rig.h"

static struct answer answer;

static wr_err look_small(void *arg, struct node_database_view *ret)
{
    *ret = (struct node_database_view){ .size = *(uint64_t *)arg, .health = WR_HEALTH_READY };
    return WR_OK;
}

static wr_err look_broken(void *arg, struct node_database_view *ret)
{
    (void)arg;
    (void)ret;
    return WR_IO;
}

static uint64_t four = 4096;
static const struct node_database databases[] = {
    { .name = "pointers", .engine = "sqlite", .mode = "wal", .look = look_small, .arg = &four },
    { .name = "blobs", .engine = "files", .mode = "append", .look = look_broken },
};
static const struct node_service service = { .name = "index", .databases = databases,
                                             .database_count = 2 };

#define OWN "{\"databases\":[{\"name\":\"weir\",\"engine\":\"sqlite\",\"sizeBytes\":"

TEST(a_node_without_services_has_its_store_and_no_other_database)
{
    struct rig rig;
    rig_begin(&rig, NULL);
    CHECK_EQ(200, rig_get(&rig, "/api/v1/storage/databases", &answer));
    CHECK(strstr(answer.body, OWN));
    CHECK(strstr(answer.body, "\"owner\":\"node\",\"health\":\"healthy\"}]}"));
    CHECK_OK(rig_end(&rig));
}

TEST(databases_are_shown_by_name_and_one_that_cannot_be_looked_at_is_down)
{
    struct rig rig;
    rig_service = &service;
    rig_begin(&rig, NULL);
    CHECK_EQ(200, rig_get(&rig, "/api/v1/storage/databases", &answer));
    CHECK(strstr(answer.body, OWN));
    CHECK(strstr(answer.body,
                 "{\"name\":\"pointers\",\"engine\":\"sqlite\",\"sizeBytes\":4096,"
                 "\"mode\":\"wal\",\"owner\":\"index\",\"health\":\"healthy\"},"
                 "{\"name\":\"blobs\",\"engine\":\"files\",\"sizeBytes\":null,"
                 "\"mode\":\"append\",\"owner\":\"index\",\"health\":\"down\"}]}"));
    CHECK_EQ(200, rig_get(&rig, "/api/v1/storage/databases/blobs", &answer));
    CHECK(strncmp(answer.body, "{\"name\":\"blobs\",", 16) == 0);
    CHECK_EQ(200, rig_get(&rig, "/api/v1/storage/summary", &answer));
    CHECK(strstr(answer.body, "\"databases\":3,\"databaseBytes\":"));
    CHECK_OK(rig_end(&rig));
}

TEST(a_database_that_is_not_there_is_a_problem)
{
    struct rig rig;
    rig_service = &service;
    rig_begin(&rig, NULL);
    CHECK_EQ(404, rig_get(&rig, "/api/v1/storage/databases/moon", &answer));
    CHECK(strstr(answer.body, "urn:weir:problem:NotFound"));
    CHECK(!strstr(answer.body, "moon"));
    CHECK_OK(rig_end(&rig));
}

TEST(without_data_there_is_no_disk)
{
    struct rig rig;
    rig_begin(&rig, NULL);
    CHECK_EQ(200, rig_get(&rig, "/api/v1/storage/summary", &answer));
    CHECK(strstr(answer.body, "\"persistent\":false,\"fsTotalBytes\":null,"
                              "\"fsAvailableBytes\":null,\"databases\":1,"));
    CHECK_OK(rig_end(&rig));
}

TEST(the_disk_is_that_of_the_data_and_its_path_is_not_told)
{
    struct rig rig;
    struct wr_file_info info;
    if (wr_file_look(&info, "/dev/shm", WR_NEVER))
        SKIP("no /dev/shm here");
    rig_begin(&rig, (const char *const[]){ "--data", "/dev/shm", NULL });
    CHECK_EQ(200, rig_get(&rig, "/api/v1/storage/summary", &answer));
    char text[60];
    snprintf(text, sizeof(text), "\"fsTotalBytes\":%llu,", (unsigned long long)info.disk_size);
    CHECK(strstr(answer.body, text));
    CHECK(strstr(answer.body, "\"persistent\":false,"));      /* it is memory */
    CHECK(!strstr(answer.body, "shm"));
    CHECK_OK(rig_end(&rig));
}

/* ---- tables that contradict themselves ---- */

static void check_one(struct node_database first, struct node_database second)
{
    struct node_database both[] = { first, second };
    struct node_service brings = { .name = "test", .databases = both, .database_count = 2 };
    storage_check(&(struct node_start){ .services = &brings, .service_count = 1 });
}

TEST_PANICS(a_database_with_a_path_for_a_name_is_a_panic, "database \"/var/x\" of test: ")
{
    check_one(databases[0], (struct node_database){ .name = "/var/x", .look = look_broken });
}

TEST_PANICS(a_database_without_a_look_is_a_panic, "database \"x\" of test: ")
{
    check_one(databases[0], (struct node_database){ .name = "x" });
}

TEST_PANICS(a_database_called_like_the_store_is_a_panic, "database \"weir\" is there twice")
{
    check_one(databases[0], (struct node_database){ .name = "weir", .look = look_broken });
}

TEST_PANICS(two_databases_of_one_name_are_a_panic, "database \"pointers\" is there twice")
{
    check_one(databases[0], databases[0]);
}
