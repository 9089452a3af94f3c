/* The real world keeps the promises of base/world.h. */
#include "base/world.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "testing/test.h"

TEST_PLAIN(the_real_world_is_in_force_from_the_start)
{
    CHECK(wr_world == &wr_world_os);
}

TEST_PLAIN(mono_is_the_monotonic_clock_in_nanoseconds)
{
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    wr_time now = wr_world_os.mono();
    clock_gettime(CLOCK_MONOTONIC, &after);
    CHECK(now >= WR_S(before.tv_sec) + before.tv_nsec);
    CHECK(now <= WR_S(after.tv_sec) + after.tv_nsec);
}

TEST_PLAIN(wall_is_the_calendar_in_nanoseconds)
{
    struct timespec before, after;
    clock_gettime(CLOCK_REALTIME, &before);
    int64_t now = wr_world_os.wall();
    clock_gettime(CLOCK_REALTIME, &after);
    CHECK(now >= WR_S(before.tv_sec) + before.tv_nsec);
    CHECK(now <= WR_S(after.tv_sec) + after.tv_nsec);
}

TEST_PLAIN(entropy_fills_all_bytes_and_only_those)
{
    static const size_t sizes[] = { 0, 1, 8, 255, 256, 257, 4000 };
    static unsigned char buf[4001], seen[4001];
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        memset(seen, 0, sizeof(seen));
        /* A byte may be zero by chance, but not twenty times. */
        for (int round = 0; round < 20; round++) {
            memset(buf, 0, sizeof(buf));
            wr_world_os.entropy(buf, sizes[i]);
            for (size_t at = 0; at < sizeof(buf); at++)
                seen[at] |= buf[at];
        }
        for (size_t at = 0; at < sizes[i]; at++)
            REQUIRE(seen[at] != 0);
        CHECK_EQ(0, seen[sizes[i]]);
    }
}

TEST_PLAIN(entropy_does_not_repeat_itself)
{
    unsigned char a[32], b[32];
    wr_world_os.entropy(a, sizeof(a));
    wr_world_os.entropy(b, sizeof(b));
    CHECK(memcmp(a, b, sizeof(a)) != 0);
}

TEST_PLAIN(env_tells_what_is_set_and_what_is_not)
{
    setenv("WEIR_TEST_SET", "yes", 1);
    unsetenv("WEIR_TEST_UNSET");
    CHECK_STR("yes", wr_world_os.env("WEIR_TEST_SET"));
    CHECK(wr_world_os.env("WEIR_TEST_UNSET") == NULL);
}

/* ---- standard error ---- */

/* Put something else in its place; the descriptor to put it back from. */
static int stderr_replace(int fd)
{
    int saved = dup(STDERR_FILENO);
    dup2(fd, STDERR_FILENO);
    return saved;
}

static void stderr_restore(int saved)
{
    dup2(saved, STDERR_FILENO);
    close(saved);
}

TEST_PLAIN(complain_writes_all_of_it_to_standard_error)
{
    enum { SIZE = 300000 };
    static char text[SIZE], back[SIZE];
    FILE *file = tmpfile();
    REQUIRE(file);
    for (int i = 0; i < SIZE; i++)
        text[i] = (char)('a' + i % 26);
    int saved = stderr_replace(fileno(file));
    wr_world_os.complain(text, SIZE);
    wr_world_os.complain("", 0);
    stderr_restore(saved);
    CHECK_EQ(SIZE, lseek(fileno(file), 0, SEEK_END));
    CHECK_EQ(SIZE, pread(fileno(file), back, SIZE, 0));
    CHECK(memcmp(text, back, SIZE) == 0);
    fclose(file);
}

TEST_PLAIN(complain_gives_up_when_standard_error_takes_no_more)
{
    int ends[2];
    static char text[200000];
    memset(text, 'x', sizeof(text));
    REQUIRE(pipe2(ends, O_NONBLOCK) == 0);
    int saved = stderr_replace(ends[1]);
    wr_world_os.complain(text, sizeof(text));
    stderr_restore(saved);
    CHECK(read(ends[0], text, sizeof(text)) > 0);
    close(ends[0]);
    close(ends[1]);
}

/* A blocking pipe, as a service manager gives: whoever waits here is killed by the alarm. */
TEST_PLAIN(complain_does_not_wait_for_a_reader_that_has_stopped)
{
    int ends[2], taken = 0;
    static char line[4096], back[1 << 20];
    memset(line, 'x', sizeof(line));
    REQUIRE(pipe(ends) == 0);
    int saved = stderr_replace(ends[1]);
    alarm(20);
    while (taken < 10000 && wr_world_os.complain(line, sizeof(line)))
        taken++;
    bool again = wr_world_os.complain(line, sizeof(line));
    alarm(0);
    stderr_restore(saved);
    CHECK(taken > 0 && taken < 10000);
    CHECK(!again);
    CHECK_EQ(taken * (int)sizeof(line), read(ends[0], back, sizeof(back)));
    close(ends[0]);
    close(ends[1]);
}

TEST_PLAIN(complain_gives_up_when_there_is_no_standard_error)
{
    int saved = dup(STDERR_FILENO);
    close(STDERR_FILENO);
    wr_world_os.complain("nobody hears this\n", 18);
    stderr_restore(saved);
}
