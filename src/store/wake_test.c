#include "store/wake.h"

#include <stdio.h>
#include <string.h>

#include <weir/scope.h>

#include "testing/settle.h"
#include "testing/test.h"

#define WAIT(wakes, name, seen, deadline) wakes_wait(wakes, name, seen, deadline, WR_HERE)

TEST(the_first_wait_returns_at_once_and_the_next_when_it_was_raised)
{
    static struct wakes wakes;
    uint64_t seen = 0;
    wakes_init(&wakes);
    CHECK_OK(WAIT(&wakes, "net", &seen, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, WAIT(&wakes, "net", &seen, WR_NOW));
    wakes_raise(&wakes, "net");
    wakes_raise(&wakes, "net");
    CHECK_OK(WAIT(&wakes, "net", &seen, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, WAIT(&wakes, "net", &seen, WR_NOW));
    wakes_fini(&wakes);
}

TEST(names_are_raised_one_by_one_or_all_at_once)
{
    static struct wakes wakes;
    uint64_t net = 0, gpu = 0;
    wakes_init(&wakes);
    wakes_raise(&wakes, "nobody waits for this");
    CHECK_OK(WAIT(&wakes, "net", &net, WR_NOW));
    CHECK_OK(WAIT(&wakes, "gpu", &gpu, WR_NOW));
    wakes_raise(&wakes, "gpu");
    CHECK_ERR(WR_TIMEOUT, WAIT(&wakes, "net", &net, WR_NOW));
    CHECK_OK(WAIT(&wakes, "gpu", &gpu, WR_NOW));
    wakes_hear(&wakes, NULL);
    CHECK_OK(WAIT(&wakes, "net", &net, WR_NOW));
    CHECK_OK(WAIT(&wakes, "gpu", &gpu, WR_NOW));
    wakes_fini(&wakes);
}

static wr_err wait_long(void *arg)
{
    uint64_t seen = 0;
    CHECK_OK(WAIT(arg, "net", &seen, WR_NOW));
    return WAIT(arg, "net", &seen, wr_after(WR_S(60)));
}

TEST(all_who_wait_are_woken)
{
    static struct wakes wakes;
    struct wr_scope *scope = scope_open();
    wakes_init(&wakes);
    for (int i = 0; i < 5; i++)
        go(scope, wait_long, &wakes);
    wr_time now = wr_now();
    wakes_raise(&wakes, "net");
    scope_done(scope);
    CHECK_EQ(now, wr_now());
    wakes_fini(&wakes);
}

TEST(names_are_bounded_in_length_and_number)
{
    static struct wakes wakes;
    char name[WAKE_NAME_MAX + 1];
    uint64_t seen = 0;
    wakes_init(&wakes);
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    CHECK_ERR(WR_INVALID, WAIT(&wakes, name, &seen, WR_NOW));
    CHECK_OK(WAIT(&wakes, name + 1, &seen, WR_NOW));
    for (int i = 1; i < WAKES_MAX; i++) {
        snprintf(name, sizeof(name), "%d", i);
        seen = 0;
        CHECK_OK(WAIT(&wakes, name, &seen, WR_NOW));
    }
    seen = 0;
    CHECK_ERR(WR_BUSY, WAIT(&wakes, "one more", &seen, WR_NOW));
    wakes_fini(&wakes);
}

static void note(void *arg, const char *name)
{
    *(const char **)arg = name ? name : "(all)";
}

TEST(who_listens_hears_what_comes_from_elsewhere_and_not_what_is_raised_here)
{
    static struct wakes wakes;
    const char *heard = "";
    wakes_init(&wakes);
    wakes_listen(&wakes, note, &heard);
    wakes_raise(&wakes, "net");
    CHECK_STR("", heard);
    wakes_hear(&wakes, "task_1");
    CHECK_STR("task_1", heard);
    wakes_hear(&wakes, NULL);
    CHECK_STR("(all)", heard);
    wakes_listen(&wakes, NULL, NULL);
    wakes_hear(&wakes, "task_2");
    CHECK_STR("(all)", heard);
    wakes_fini(&wakes);
}
