/* html_date.c - a date as pages state it, as far as it is sure. */
#include <stdio.h>

#include "extract/html_meta.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* One or two digits behind a separator, within bounds; 0: none. */
static unsigned read_part(const char **text, unsigned max)
{
    const char *at = *text;
    unsigned value = 0, digits = 0;
    if (*at != '-' && *at != '/' && *at != '.')
        return 0;
    for (at++; digits < 2 && is_digit(*at); digits++)
        value = 10 * value + (unsigned)(*at++ - '0');
    if (digits == 0 || is_digit(*at) || value > max)
        return 0;
    *text = at;
    return value;
}

bool html_date(char ret[sizeof("2001-02-03")], const char *text)
{
    unsigned year = 0;
    const char *at = text;
    while (*at == ' ')
        at++;
    for (unsigned i = 0; i < 4; i++, at++) {
        if (!is_digit(*at))
            return false;
        year = 10 * year + (unsigned)(*at - '0');
    }
    if (is_digit(*at) || year < 1000)
        return false;
    unsigned month = read_part(&at, 12), day = month ? read_part(&at, 31) : 0;
    if (day > 0)
        snprintf(ret, 11, "%04u-%02u-%02u", year % 10000, month % 100, day % 100);
    else if (month > 0)
        snprintf(ret, 11, "%04u-%02u", year % 10000, month % 100);
    else
        snprintf(ret, 11, "%04u", year % 10000);
    return true;
}
