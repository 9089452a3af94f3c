#include "svc/node/slack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/world.h"
#include "testing/test.h"

#define MIB ((size_t)1 << 20)

TEST_PLAIN(it_is_quiet_when_hardly_anything_was_said_since_the_last_look)
{
    struct slack slack = { 0 };
    CHECK(slack_quiet(&slack, SLACK_TRAFFIC));
    CHECK(!slack_quiet(&slack, 2 * SLACK_TRAFFIC + 1));
    CHECK(slack_quiet(&slack, 3 * SLACK_TRAFFIC + 1));
}

TEST_PLAIN(what_a_flood_has_left_is_given_back_once)
{
    struct slack slack = { 0 };
    CHECK(!slack_due(&slack, 100 * MIB));           /* it may still be going on */
    CHECK(slack_due(&slack, 100 * MIB + MIB / 2));
    CHECK(!slack_due(&slack, 100 * MIB));
    CHECK(!slack_due(&slack, 100 * MIB));
    CHECK(!slack_due(&slack, 40 * MIB));            /* the next flood */
    CHECK(!slack_due(&slack, 40 * MIB));
    CHECK(!slack_due(&slack, 100 * MIB));
    CHECK(slack_due(&slack, 100 * MIB));
}

TEST_PLAIN(a_little_is_kept)
{
    struct slack slack = { 0 };
    for (int i = 0; i < 5; i++)
        CHECK(!slack_due(&slack, SLACK_WORTH - 1));
}

/* ---- the heap itself ---- */

static size_t resident(void)
{
    size_t pages = 0, skipped;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%zu %zu", &skipped, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return pages * 4096;
}

TEST_PLAIN(what_is_freed_between_things_that_stay_goes_back_to_the_system)
{
    enum { COUNT = 4000, SIZE = 32 << 10 };
    static char *blocks[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        blocks[i] = malloc(SIZE);
        REQUIRE(blocks[i] != NULL);
        memset(blocks[i], 1, SIZE);
    }
    size_t before = wr_world_os.heap_idle();
    for (size_t i = 0; i < COUNT; i++)
        if (i % 50) {
            free(blocks[i]);
            blocks[i] = NULL;
        }
    size_t idle = wr_world_os.heap_idle(), much = (size_t)COUNT * SIZE / 10 * 9;
    if (idle - before < much)
        return;                         /* another heap than the system's: it says nothing */
    size_t full = resident();
    wr_world_os.heap_trim();
    CHECK(full - resident() > much);
    for (size_t i = 0; i < COUNT; i++)
        free(blocks[i]);
}
