/* date.c - see date.h. */
#include "net/date.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/world.h"

#define DAY 86400
#define YEAR_MAX 9999
#define LAST_SECOND 253402300799      /* of that year */

static const char day_names[] = "SunMonTueWedThuFriSat";
static const char month_names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

struct moment { int year, month, day, hour, minute, second; };      /* months from 0 */

/* Days since 1970, for years from 1: counted from a March, so that the day that is
 * sometimes missing is the last of a year. */
static int64_t days_of(int year, int month, int day)
{
    int64_t y = month < 2 ? year - 1 : year, m = (month + 10) % 12;
    return y * 365 + y / 4 - y / 100 + y / 400 + (m * 306 + 5) / 10 + day - 1 - 719468;
}

static int month_length(int year, int month)
{
    return (int)(month == 11 ? 31 : days_of(year, month + 1, 1) - days_of(year, month, 1));
}

static int year_of(int64_t days)
{
    int year = 1970 + (int)(days / 366);
    while (days >= days_of(year + 1, 0, 1))
        year++;
    return year;
}

const char *date_print(int64_t second, char *buf)
{
    struct wr_text text = wr_text_over(buf, DATE_TEXT);
    second = second < 0 ? 0 : second > LAST_SECOND ? LAST_SECOND : second;
    int64_t days = second / DAY, rest = second % DAY;
    int year = year_of(days), month = 0;
    while (month < 11 && days >= days_of(year, month + 1, 1))
        month++;
    int day = (int)(days - days_of(year, month, 1)) + 1;
    wr_text_format(&text, "%.3s, %02d %.3s %04d %02d:%02d:%02d GMT",
                   day_names + (days + 4) % 7 * 3, day, month_names + (ptrdiff_t)month * 3,
                   year, (int)(rest / 3600), (int)(rest / 60 % 60), (int)(rest % 60));
    return buf;
}

/* ---- the present second ---- */

/* Each word is read and written so that who has seen a new one sees the new turn. */
static bool copy_stamp(struct date_stamp *stamp, wr_time now, uint64_t *words)
{
    uint32_t turn = atomic_load_explicit(&stamp->turn, memory_order_acquire);
    if (turn % 2 || now >= atomic_load_explicit(&stamp->until, memory_order_acquire))
        return false;
    for (size_t i = 0; i < DATE_STAMP_TEXT / 8; i++)
        words[i] = atomic_load_explicit(&stamp->words[i], memory_order_acquire);
    return atomic_load_explicit(&stamp->turn, memory_order_relaxed) == turn;
}

/* Unless another is about to. */
static void renew_stamp(struct date_stamp *stamp, wr_time until, const uint64_t *words)
{
    uint32_t turn = atomic_load_explicit(&stamp->turn, memory_order_relaxed);
    if (turn % 2
        || !atomic_compare_exchange_strong_explicit(&stamp->turn, &turn, turn + 1,
                                                    memory_order_acquire,
                                                    memory_order_relaxed))
        return;
    for (size_t i = 0; i < DATE_STAMP_TEXT / 8; i++)
        atomic_store_explicit(&stamp->words[i], words[i], memory_order_release);
    atomic_store_explicit(&stamp->until, until, memory_order_release);
    atomic_store_explicit(&stamp->turn, turn + 2, memory_order_release);
}

const char *date_stamp(struct date_stamp *stamp, wr_time now, char *buf)
{
    uint64_t words[DATE_STAMP_TEXT / 8] = { 0 };
    if (!copy_stamp(stamp, now, words)) {
        char text[DATE_STAMP_TEXT] = { 0 };
        int64_t wall = wr_world->wall();
        int64_t past = wall > 0 ? wall % WR_S(1) : 0;
        date_print(wall / WR_S(1), text);
        memcpy(words, text, sizeof(words));
        renew_stamp(stamp, now + WR_S(1) - past, words);
    }
    memcpy(buf, words, sizeof(words));
    return buf;
}

/* ---- reading ---- */

/* Read the text by a pattern: d a digit, ? a digit or a space, m the name of a month, w a
 * word; each run of digits is the next number. */
static bool match(const char *text, const char *pattern, int *numbers)
{
    int *number = numbers - 1;
    char before = 0;
    for (; *pattern; before = *pattern++) {
        if (*pattern == 'd' || *pattern == '?') {
            bool blank = *pattern == '?' && *text == ' ';
            if (before != 'd' && before != '?')
                *++number = 0;
            if (!blank && (*text < '0' || *text > '9'))
                return false;
            *number = *number * 10 + (blank ? 0 : *text - '0');
            text++;
        } else if (*pattern == 'm') {
            const char *name = strlen(text) < 3 ? NULL : month_names;
            while (name && *name && strncmp(name, text, 3) != 0)
                name += 3;
            if (!name || !*name)
                return false;
            *++number = (int)(name - month_names) / 3;
            text += 3;
        } else if (*pattern == 'w') {
            size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzSMTWF");
            if (len < 3)
                return false;
            text += len;
        } else if (*pattern != *text++) {
            return false;
        }
    }
    return *text == '\0';
}

static bool plausible(const struct moment *m)
{
    return m->year >= 1970 && m->year <= YEAR_MAX && m->day >= 1
        && m->day <= month_length(m->year, m->month) && m->hour < 24 && m->minute < 60
        && m->second <= 60;
}

wr_err date_parse(int64_t *ret, const char *text, int64_t now)
{
    int n[6];
    struct moment m;
    if (match(text, "w, dd m dddd dd:dd:dd GMT", n)) {
        m = (struct moment){ n[2], n[1], n[0], n[3], n[4], n[5] };
    } else if (match(text, "w, dd-m-dd dd:dd:dd GMT", n)) {
        int this_year = year_of(now / DAY), year = this_year - this_year % 100 + n[2];
        m = (struct moment){ year > this_year + 50 ? year - 100 : year, n[1], n[0],
                             n[3], n[4], n[5] };
    } else if (match(text, "w m ?d dd:dd:dd dddd", n)) {
        m = (struct moment){ n[5], n[0], n[1], n[2], n[3], n[4] };
    } else {
        return WR_INVALID;
    }
    if (!plausible(&m))
        return WR_INVALID;
    *ret = days_of(m.year, m.month, m.day) * DAY
        + ((int64_t)m.hour * 60 + m.minute) * 60 + m.second;
    return WR_OK;
}

wr_time date_retry_after(const char *value, struct wr_wall now, wr_time max)
{
    int64_t until;
    char *end;
    if (!value)
        return 0;
    long long seconds = strtoll(value, &end, 10);
    if (end == value || *end != '\0') {
        int64_t second = now.ns / WR_S(1);
        if (date_parse(&until, value, second))
            return 0;
        seconds = until - second;
    }
    if (seconds <= 0)
        return 0;
    return seconds < max / WR_S(1) ? WR_S(seconds) : max;
}
