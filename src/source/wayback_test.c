#include "testing/source_rig.h"

static wr_err said(const char *json)
{
    pose(&source_wayback, SOURCE_BY_URL, "https://a.example/x?y=1", NULL);
    return take(200, json);
}

TEST_PLAIN(the_wayback_machine_is_asked_by_address)
{
    CHECK_STR("https://archive.org/wayback/available?url=https%3A%2F%2Fa.example%2Fx%3Fy%3D1",
              asked(&source_wayback, SOURCE_BY_URL, "https://a.example/x?y=1"));
}

TEST_PLAIN(a_snapshot_of_a_page_is_one)
{
    CHECK_OK(said("{\"archived_snapshots\":{\"closest\":{\"available\":true,\"status\":\"200\","
                  "\"url\":\"http://web.archive.org/web/2020/x\",\"timestamp\":\"2020\"}}}"));
    CHECK_STR("http://web.archive.org/web/2020/x", rig_reading.records[0].work.urls[0]);
    CHECK_STR("https://a.example/x?y=1", rig_reading.records[0].work.urls[1]);
    CHECK_STR("2020", rig_reading.records[0].id);
    CHECK_EQ(BIB_WEB, rig_reading.records[0].work.kind);
}

TEST_PLAIN(no_snapshot_or_one_of_an_error_is_nothing)
{
    CHECK_ERR(WR_NOTFOUND, said("{\"archived_snapshots\":{}}"));
    CHECK_ERR(WR_NOTFOUND, said("{\"archived_snapshots\":{\"closest\":{\"available\":true,"
                                "\"status\":\"404\",\"url\":\"x\"}}}"));
    CHECK_ERR(WR_NOTFOUND, said("{\"archived_snapshots\":{\"closest\":{\"available\":false,"
                                "\"status\":\"200\",\"url\":\"x\"}}}"));
    CHECK_ERR(WR_IO, said("{\"error\":\"down\"}"));
}
