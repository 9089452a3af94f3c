/* system_test.c - what is made of what the system says, and when there are rates. */
#include "svc/node/system.h"

#include <sys/stat.h>
#include <unistd.h>

#include "testing/node_rig.h"

/* ---- a system of our own ---- */

static char proc[64];

static void put(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", proc, name);
    FILE *file = fopen(path, "we");
    REQUIRE(file);
    fputs(text, file);
    fclose(file);
}

static void put_all(const char *cpu, const char *eth)
{
    char text[600];
    snprintf(text, sizeof(text), "cpu  %s\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 1\n", cpu);
    put("stat", text);
    put("meminfo", "MemTotal:        1000 kB\nMemFree: 10 kB\nMemAvailable:     600 kB\n");
    snprintf(text, sizeof(text),
             "Inter-|   Receive      |  Transmit\n"
             " face |bytes packets errs drop fifo frame compressed multicast|bytes packets\n"
             "    lo: 99999 1 0 0 0 0 0 0 99999 1 0 0 0 0 0 0\n"
             "  eth0: %s\n", eth);
    put("net/dev", text);
}

static struct system *begin(void)
{
    struct system *system = NULL;
    char path[128];
    snprintf(proc, sizeof(proc), "/tmp/weir-proc-XXXXXX");
    REQUIRE(mkdtemp(proc), NULL);
    snprintf(path, sizeof(path), "%s/net", proc);
    CHECK_EQ(0, mkdir(path, 0700));
    CHECK_OK(system_new(&system, proc));
    return system;
}

static void end(struct system *system)
{
    static const char *const names[] = { "stat", "meminfo", "net/dev", "net", "." };
    char path[128];
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        snprintf(path, sizeof(path), "%s/%s", proc, names[i]);
        if (unlink(path) != 0)
            rmdir(path);
    }
    CHECK_EQ(0, rmdir(proc));
    system_free(system);
}

static struct system_view look(struct system *system)
{
    struct system_view view = { 0 };
    CHECK_OK(system_look(system, &view, wr_after(WR_S(1))));
    return view;
}

TEST(memory_in_use_is_what_is_not_available)
{
    struct system *system = begin();
    put_all("10 0 10 80 0 0 0 0 0 0", "0 0 0 0 0 0 0 0 0 0");
    struct system_view view = look(system);
    CHECK_EQ(1000 * 1024, view.ram_total);
    CHECK_EQ(400 * 1024, view.ram_used);
    end(system);
}

TEST(rates_are_there_after_two_looks_that_are_apart_and_exact)
{
    struct system *system = begin();
    put_all("100 0 100 800 0 0 0 0 0 0", "1000 9 9 9 9 9 9 9 500 9");
    CHECK(!look(system).rates);
    CHECK_OK(wr_sleep(wr_after(WR_MS(199))));
    CHECK(!look(system).rates);
    CHECK_OK(wr_sleep(wr_after(WR_MS(301))));
    /* 400 ticks more, of which 100 were idle or waited for a disk. */
    put_all("280 20 180 850 50 10 5 5 77 7", "5000 9 9 9 9 9 9 9 1500 9");
    struct system_view view = look(system);
    CHECK(view.rates);
    CHECK_EQ(7500, view.cpu);
    CHECK_EQ(8000, view.rx);        /* 4000 in half a second */
    CHECK_EQ(2000, view.tx);
    end(system);
}

TEST(a_look_that_comes_too_soon_has_the_rates_of_the_last)
{
    struct system *system = begin();
    put_all("0 0 0 100 0 0 0 0", "0 0 0 0 0 0 0 0 0 0");
    look(system);
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    put_all("50 0 0 150 0 0 0 0", "100 0 0 0 0 0 0 0 0 0");
    CHECK_EQ(5000, look(system).cpu);
    CHECK_OK(wr_sleep(wr_after(WR_MS(100))));
    put_all("150 0 0 150 0 0 0 0", "900 0 0 0 0 0 0 0 0 0");
    CHECK_EQ(5000, look(system).cpu);
    CHECK_EQ(100, look(system).rx);
    end(system);
}

TEST(a_counter_that_goes_back_is_no_rate)
{
    struct system *system = begin();
    put_all("50 0 0 150 0 0 0 0", "1000 0 0 0 0 0 0 0 1000 0");
    look(system);
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    put_all("50 0 0 150 0 0 0 0", "10 0 0 0 0 0 0 0 10 0");
    struct system_view view = look(system);
    CHECK(view.rates);
    CHECK_EQ(0, view.cpu);
    CHECK_EQ(0, view.rx);
    CHECK_EQ(0, view.tx);
    end(system);
}

TEST(a_system_that_says_nothing_or_something_else_is_not_supported)
{
    struct system *system = begin();
    struct system_view view;
    CHECK_ERR(WR_UNSUPPORTED, system_look(system, &view, wr_after(WR_S(1))));
    put_all("?", "0 0 0 0 0 0 0 0 0 0");
    CHECK_ERR(WR_UNSUPPORTED, system_look(system, &view, wr_after(WR_S(1))));
    end(system);
}

/* ---- the real one ---- */

static struct answer answer;

TEST(the_page_has_no_rates_at_first_and_then_has)
{
    struct rig rig;
    rig_begin(&rig, NULL);
    CHECK_EQ(200, rig_get(&rig, "/api/v1/system/summary", &answer));
    CHECK(strncmp(answer.body, "{\"updatedAt\":\"20", 16) == 0);
    CHECK(strstr(answer.body, "\"cpuPercent\":null,\"ramTotalBytes\":"));
    CHECK(strstr(answer.body, "\"netRxBps\":null,\"netTxBps\":null}"));
    CHECK_OK(wr_sleep(wr_after(WR_MS(200))));
    CHECK_EQ(200, rig_get(&rig, "/api/v1/system/summary", &answer));
    CHECK(!strstr(answer.body, "null"));
    CHECK_OK(rig_end(&rig));
}
