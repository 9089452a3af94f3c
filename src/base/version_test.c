/* version_test.c - the version is known by all its names. */
#include "base/version.h"

#include <string.h>

#include "testing/test.h"

TEST_PLAIN(every_part_is_known)
{
    CHECK(wr_version.version[0] >= '0' && wr_version.version[0] <= '9');
    CHECK(strlen(wr_version.revision) >= 7);
    CHECK(strlen(wr_version.made) > 0);
    CHECK(strlen(wr_version.compiler) > 3);
    CHECK(strlen(wr_version.processor) > 3);
}

TEST_PLAIN(it_is_written_as_members_of_an_object)
{
    char buf[500];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    wr_json_object(&json, NULL);
    wr_version_write(&json);
    wr_json_end(&json);
    CHECK(strncmp(text.at, "{\"service\":\"weir\",\"version\":\"", 29) == 0);
    CHECK(strstr(text.at, "\"git_sha\":\""));
    CHECK(strstr(text.at, ",\"api\":{\"http\":\"v1\"}}"));
}
