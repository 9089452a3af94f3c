/* json_objects_test.c - tests of json_objects.c, by way of the reader of Crossref. */
#include "library/json_objects.h"

#include <stdlib.h>

#include "testing/reader_rig.h"

#define ONE "{\"DOI\":\"10.1000/A\",\"title\":[\"One {\\\"}\"]}"
#define TWO "{\"DOI\":\"10.1000/B\",\"title\":[\"Two\"]}"
#define SEEN \
    "[?] 0 \"One {\"}\" doi=10.1000/a id=10.1000/a\n[?] 0 \"Two\" doi=10.1000/b " \
    "id=10.1000/b\n"

static void reads(const char *text, const char *seen, const char *faults)
{
    struct reader_rig rig;
    reader_rig_read(&rig, &reader_crossref, text);
    CHECK_OK(rig.err);
    CHECK_STR(seen, rig.seen.at);
    CHECK_STR(faults, rig.faults.at);
    reader_rig_close(&rig);
}

TEST_PLAIN(objects_are_read_from_lines_and_from_lists)
{
    reads(ONE "\n" TWO "\n", SEEN, "");
    reads("\xef\xbb\xbf" ONE "\r\n\n  \n" TWO, SEEN, "");
    reads("[" ONE ",\n" TWO "]\n", SEEN, "");
    reads("{\"items\":[" ONE "," TWO "]}", SEEN, "");
    reads(" { \"items\" : [\n" ONE "\n,\n" TWO "\n] }\n", SEEN, "");
    reads("", "", "");
    reads("\n\n", "", "");
}

TEST_PLAIN(a_line_that_is_broken_is_a_fault_and_the_others_are_read)
{
    struct reader_rig rig;
    reader_rig_read(&rig, &reader_crossref, ONE "\n{\"DOI\":\n{\"x\": 1}{\n[1]\n" TWO "\n");
    CHECK_OK(rig.err);
    CHECK_STR(SEEN, rig.seen.at);
    size_t lines = 0;
    for (const char *at = rig.faults.at; (at = strchr(at, '\n')); at++)
        lines++;
    CHECK_EQ(3, lines);
    CHECK(strncmp(rig.faults.at, "2: ", 3) == 0);
    CHECK(strstr(rig.faults.at, "\n4: this is JSON, but not an object\n") != NULL);
    reader_rig_close(&rig);
}

TEST_PLAIN(the_end_of_a_list_that_is_cut_off_is_a_fault)
{
    reads("[" ONE ",\n" TWO ",\n{\"DOI\":\"10", SEEN, "3: the last object is not closed\n");
}

TEST_PLAIN(a_work_without_anything_is_a_fault)
{
    reads("{\"x\":1}\n", "", "1: it has no title and no identifier, or is too long\n");
}

TEST_PLAIN(what_is_not_json_is_refused_and_shown)
{
    struct reader_rig rig;
    reader_rig_read(&rig, &reader_crossref, "<?xml version=\"1.0\"?>");
    CHECK_ERR(WR_INVALID, rig.err);
    CHECK_STR("1: this is not JSON; it begins with \"<?xml version=\\\"1.0\\\"?>\"\n",
              rig.faults.at);
    reader_rig_close(&rig);
}

/* Reading the beginning, then from where it is safe, is reading all of it. */
static void goes_on(const char *text)
{
    for (size_t cut = 1; cut < strlen(text); cut++) {
        struct reader_rig rig;
        reader_rig_open(&rig);
        struct reader_sink sink = { .arena = WR_ARENA(READER_ARENA_MAX), .record = rig_record,
                                    .fault = rig_fault, .to = &rig };
        void *reader = NULL;
        REQUIRE_OK(reader_crossref.open(&reader, &sink));
        CHECK_OK(reader_crossref.begin(reader, 0));
        CHECK_OK(reader_crossref.feed(reader, text, cut));
        rig.from = reader_crossref.safe(reader);
        reader_crossref.close(reader);
        CHECK(rig.from <= cut);
        reader_rig_feed(&rig, &reader_crossref, text, strlen(text));
        CHECK_STR(SEEN, rig.seen.at);
        CHECK_STR("", rig.faults.at);
        reader_rig_close(&rig);
    }
}

TEST_PLAIN(reading_goes_on_behind_any_object)
{
    /* long enough that its shape is told before its end */
    char text[2000];
    snprintf(text, sizeof(text), "%s\n%300s\n%s\n", ONE, "", TWO);
    goes_on(text);
    snprintf(text, sizeof(text), "{\"items\":[%s,%300s\n%s]}", ONE, "", TWO);
    goes_on(text);
}

TEST_PLAIN(an_object_that_is_too_long_is_a_fault_and_the_next_is_read)
{
    struct reader_rig rig;
    size_t len = READER_LINE_MAX + 1000;
    char *text = malloc(len + 200);
    memset(text, ' ', len);
    memcpy(text, "{\"DOI\":\"10.1000/x\",", 16);
    memcpy(text + len, "}\n" TWO "\n", strlen("}\n" TWO "\n") + 1);
    reader_rig_open(&rig);
    rig.piece = 65536;
    reader_rig_feed(&rig, &reader_crossref, text, strlen(text));
    CHECK_STR("[?] 0 \"Two\" doi=10.1000/b id=10.1000/b\n", rig.seen.at);
    CHECK_STR("1: an object is longer than 16 MB\n", rig.faults.at);
    reader_rig_close(&rig);
    free(text);
}
