#include "net/date.h"

#include <string.h>

#include <weir/scope.h>
#include <weir/task.h>

#include "base/rand.h"
#include "base/world.h"
#include "testing/test.h"

static const char *printed(int64_t second)
{
    static char buf[DATE_TEXT];
    return date_print(second, buf);
}

static long long parsed(const char *text)
{
    int64_t second;
    return date_parse(&second, text, 1800000000) ? -1 : second;         /* seen from 2027 */
}

TEST_PLAIN(moments_are_written_the_way_of_http)
{
    CHECK_STR("Sun, 06 Nov 1994 08:49:37 GMT", printed(784111777));
    CHECK_STR("Thu, 01 Jan 1970 00:00:00 GMT", printed(0));
    CHECK_STR("Tue, 29 Feb 2000 23:59:59 GMT", printed(951868799));
    CHECK_STR("Wed, 01 Mar 2000 00:00:00 GMT", printed(951868800));
    CHECK_STR("Mon, 01 Mar 2100 00:00:00 GMT", printed(4107542400));
    CHECK_STR("Fri, 31 Dec 2027 12:00:00 GMT", printed(1830254400));
    CHECK_STR("Thu, 01 Jan 1970 00:00:00 GMT", printed(-5));
    CHECK_STR("Fri, 31 Dec 9999 23:59:59 GMT", printed(INT64_MAX));
}

TEST_PLAIN(all_three_ways_to_write_a_date_are_read)
{
    CHECK_EQ(784111777, parsed("Sun, 06 Nov 1994 08:49:37 GMT"));
    CHECK_EQ(784111777, parsed("Sunday, 06-Nov-94 08:49:37 GMT"));
    CHECK_EQ(784111777, parsed("Sun Nov  6 08:49:37 1994"));
    CHECK_EQ(1830254400, parsed("Friday, 31-Dec-27 12:00:00 GMT"));
    CHECK_EQ(3376684800, parsed("Friday, 01-Jan-77 00:00:00 GMT"));
    CHECK_EQ(252460800, parsed("Sunday, 01-Jan-78 00:00:00 GMT"));      /* 2078 is too far */
}

TEST_PLAIN(what_is_no_date_is_refused)
{
    static const char *const texts[] = {
        "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 GMT ",
        "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Wed, 29 Feb 2023 08:49:37 GMT", "Sun, 06 Nev 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1969 08:49:37 GMT", "Sun, 06 No", "Sun, 06 Nov -994 08:49:37 GMT",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (!CHECK_EQ(-1, parsed(texts[i])))
            CHECK_STR("refused", texts[i]);
}

TEST_PLAIN(what_was_written_is_read_back)
{
    struct wr_rand rand;
    wr_rand_seed(&rand, 5);
    for (int i = 0; i < 20000; i++) {
        int64_t second = (int64_t)wr_rand_below(&rand, 253402300800);   /* the year 10000 */
        CHECK_EQ(second, parsed(printed(second)));
    }
}

/* ---- the present second ---- */

TEST(the_stamp_is_the_date_of_the_second_however_often_it_is_asked_for)
{
    struct date_stamp stamp = { 0 };
    char buf[DATE_STAMP_TEXT], want[DATE_TEXT];
    for (int i = 0; i < 3000; i++) {
        date_print(wr_wall().ns / WR_S(1), want);
        if (!CHECK_STR(want, date_stamp(&stamp, wr_now(), buf)))
            return;
        CHECK_OK(wr_sleep(wr_after(WR_US(1700))));
    }
}

static int64_t calendar, asked;

static int64_t ask_calendar(void)
{
    asked++;
    return calendar;
}

TEST_PLAIN(the_calendar_is_asked_once_in_a_second_and_followed_when_it_was_set)
{
    const struct wr_world *before = wr_world;
    struct wr_world world = *before;
    struct date_stamp stamp = { 0 };
    char buf[DATE_STAMP_TEXT];
    world.wall = ask_calendar;
    wr_world = &world;
    calendar = WR_S(784111777) + WR_MS(600);
    asked = 0;
    CHECK_STR("Sun, 06 Nov 1994 08:49:37 GMT", date_stamp(&stamp, WR_S(5), buf));
    calendar = 0;
    for (wr_time now = WR_S(5); now < WR_S(5) + WR_MS(400); now += WR_MS(1))
        CHECK_STR("Sun, 06 Nov 1994 08:49:37 GMT", date_stamp(&stamp, now, buf));
    CHECK_EQ(1, asked);
    CHECK_STR("Thu, 01 Jan 1970 00:00:00 GMT", date_stamp(&stamp, WR_S(5) + WR_MS(400), buf));
    CHECK_EQ(2, asked);
    wr_world = before;
}

TEST_PLAIN(who_comes_while_it_is_written_waits_for_nobody_and_writes_its_own)
{
    const struct wr_world *before = wr_world;
    struct wr_world world = *before;
    struct date_stamp stamp = { .turn = 1, .until = WR_NEVER };     /* a writer was stopped */
    char buf[DATE_STAMP_TEXT];
    world.wall = ask_calendar;
    wr_world = &world;
    calendar = WR_S(784111777);
    CHECK_STR("Sun, 06 Nov 1994 08:49:37 GMT", date_stamp(&stamp, 0, buf));
    CHECK_EQ(1, stamp.turn);
    CHECK_EQ(0, stamp.words[0]);
    wr_world = before;
}

/* All come together when a second begins: one renews it, the others may come in between. */
static wr_err ask_every_second(void *arg)
{
    char buf[DATE_STAMP_TEXT], want[DATE_TEXT];
    for (int i = 0; i < 2000; i++) {
        CHECK_OK(wr_sleep(wr_after(WR_S(1))));
        date_print(wr_wall().ns / WR_S(1), want);
        if (!CHECK_STR(want, date_stamp(arg, wr_now(), buf)))
            break;
    }
    return WR_OK;
}

TEST(a_stamp_is_whole_while_others_renew_it)
{
    struct date_stamp stamp = { 0 };
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "askers",
                                                             .deadline = WR_NEVER }));
    for (int i = 0; i < 4; i++)
        CHECK_OK(wr_scope_go(scope, "asker", ask_every_second, &stamp));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
}

TEST_PLAIN(a_retry_after_is_seconds_or_a_date_and_bounded)
{
    struct wr_wall now = { 784111777 * WR_S(1) };      /* Sun, 06 Nov 1994 08:49:37 GMT */
    CHECK_EQ(WR_S(9), date_retry_after("9", now, WR_S(10)));
    CHECK_EQ(WR_S(10), date_retry_after("11", now, WR_S(10)));
    CHECK_EQ(WR_S(3), date_retry_after("Sun, 06 Nov 1994 08:49:40 GMT", now, WR_S(10)));
    CHECK_EQ(0, date_retry_after("later", now, WR_S(10)));
    CHECK_EQ(0, date_retry_after(NULL, now, WR_S(10)));
}
