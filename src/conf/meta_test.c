/* meta_test.c - tests of meta.c, and of what load.c makes of it. */
#include "conf/meta.h"

#include <stdio.h>

#include "testing/conf_rig.h"

#define BODY "max_conns = 5\n"

/* A file of two parts, with the hash of the first. */
static const char *sealed(const char *hashed, const char *body, const char *end)
{
    static char text[1024];
    char cid[WR_CID_TEXT];
    struct wr_hash hash = wr_hash_of(hashed, strlen(hashed));
    wr_hash_print_cid(&hash, cid);
    snprintf(text, sizeof(text), "%s[meta]  # seal\nbundle_hash = \"%s\"\n%s", body, cid, end);
    return text;
}

TEST_PLAIN(a_file_with_its_own_hash_is_read)
{
    struct wr_conf *conf = LOAD(TOML(sealed(BODY, BODY, "version = 7\n")));
    CHECK_EQ(5, wr_conf_int(conf, "max_conns"));
    CHECK_EQ(7, wr_conf_int(conf, "meta.version"));
    wr_conf_unref(conf);
}

TEST_PLAIN(a_hash_is_not_printed_into_another_file)
{
    struct wr_conf *conf = LOAD(TOML(sealed(BODY, BODY, "")));
    struct wr_text text = wr_text_heap(65536);
    wr_conf_print(&text, conf);
    CHECK(strstr(text.at, "\n# meta.bundle_hash = \"b3:"));
    wr_conf_unref(LOAD(TOML(text.at)));
    wr_text_free(&text);
    wr_conf_unref(conf);
}

TEST_PLAIN(a_file_that_was_changed_is_refused)
{
    const char *words = REFUSED(TOML(sealed(BODY, "max_conns = 6\n", "")));
    CHECK(strstr(words, "rig.toml:3: meta.bundle_hash = \"b3:") == words);
    CHECK(strstr(words, ": what stands before [meta] has b3:"));
    CHECK(strstr(words, "; it is not the file that was meant\n"));
}

TEST_PLAIN(nothing_counts_that_follows_the_seal)
{
    CHECK(strstr(REFUSED(TOML(sealed(BODY, BODY, "[io]\nroom = 4096\n"))),
                 ": it must stand in a table [meta] at the end of a TOML file\n"));
    CHECK(strstr(REFUSED(TOML("meta.bundle_hash = \"b3:0000000000000000000000000000000000000000"
                              "000000000000000000000000\"\n")),
                 ": it must stand in a table [meta] at the end of a TOML file\n"));
}

TEST_PLAIN(a_hash_is_written_in_one_way)
{
    CHECK_STR("rig.toml:2: meta.bundle_hash = \"B3:00\": it must be b3: and 64 hex digits in "
              "lower case\n", REFUSED(TOML("[meta]\nbundle_hash = \"B3:00\"\n")));
}

TEST_PLAIN(a_lower_version_than_the_running_one_is_refused)
{
    struct wr_conf *running = LOAD(TOML("[meta]\nversion = 7\n"));
    static const struct { const char *toml; wr_err err; } next[] = {
        { "meta.version = 6", WR_INVALID }, { "meta.version = 7", WR_OK },
        { "meta.version = 8", WR_OK },      { "# none", WR_OK },
    };
    for (size_t i = 0; i < 4; i++) {
        struct rig rig = { TOML(next[i].toml) };
        struct wr_conf_source source = rig_source(&rig);
        source.running = running;
        struct wr_conf *conf = NULL;
        struct wr_conf_report report = { 0 };
        CHECK_ERR(next[i].err, wr_conf_load(&conf, &source, &report));
        if (next[i].err)
            CHECK_STR("rig.toml:1: meta.version = 6: what runs has version 7, and a lower one "
                      "is refused\n", report.text.at);
        wr_conf_unref(conf);
        wr_conf_report_free(&report);
    }
    wr_conf_unref(running);
}

/* It is what a watcher sees between the first and the second step of writing a file. */
TEST_PLAIN(an_empty_file_does_not_take_the_place_of_what_runs)
{
    struct wr_conf *running = LOAD(TOML("max_conns = 7\n")), *conf = NULL;
    struct rig rig = { TOML("") };
    struct wr_conf_source source = rig_source(&rig);
    struct wr_conf_report report = { 0 };
    CHECK_OK(wr_conf_load(&conf, &source, &report));
    wr_conf_unref(conf);
    source.running = running;
    CHECK_ERR(WR_INVALID, wr_conf_load(&conf, &source, &report));
    REQUIRE(report.text.at);
    CHECK(strstr(report.text.at, "rig.toml: it is empty, as while it is written"));
    wr_conf_report_free(&report);
    wr_conf_unref(running);
}
