/* pg_fault.c - see pg_fault.h. */
#include "store/pg_fault.h"

#include <ctype.h>
#include <string.h>

#include "store/store_int.h"

wr_err pg_fault_of(const char *state)
{
    static const struct { const char *begins; wr_err err; } faults[] = {
        { "23505", WR_EXISTS }, { "22", WR_INVALID }, { "23", WR_INVALID },
        { "54", WR_INVALID }, { "57014", WR_TIMEOUT }, { "55P03", WR_TIMEOUT },
        { "40", WR_BUSY }, { "42501", WR_DENIED }, { "42601", WR_INVALID },
    };
    for (size_t i = 0; state && i < sizeof(faults) / sizeof(faults[0]); i++)
        if (strncmp(state, faults[i].begins, strlen(faults[i].begins)) == 0)
            return faults[i].err;
    return WR_IO;
}

/* The text behind ": 28P01: ", and that number; NULL when there is none. */
static const char *numbered(const char *text, char number[6])
{
    for (const char *at = text; (at = strstr(at, ": ")); at++) {
        size_t len = 0;
        for (const char *one = at + 2; isdigit((unsigned char)*one) || *one == ' '
             || isupper((unsigned char)*one); one++)
            if (*one != ' ' && len++ < 5)
                number[len - 1] = *one;
        number[5] = '\0';
        const char *rest = strchr(at + 2, ':');
        if (len == 5 && rest && (isdigit((unsigned char)number[0]) || number[0] == 'X'))
            return rest + 2;
    }
    return NULL;
}

wr_err pg_fault_opening(const char *text, struct store_why *why)
{
    static const struct { const char *begins; wr_err err; const char *words; } faults[] = {
        { "28", WR_DENIED, "the server does not let this user in (see to the user and the "
          "password in the url)" },
        { "3D000", WR_NOTFOUND, "the server has no such database (make it with createdb, or "
          "name another in the url)" },
        { "42501", WR_DENIED, "the user in the url has no right to do that" },
        { "", WR_IO, "the server refuses the connection" },
    };
    char number[6] = "";
    const char *rest = numbered(text, number);
    size_t i = 0;
    while (rest && strncmp(number, faults[i].begins, strlen(faults[i].begins)) != 0)
        i++;
    const char *told = rest ? rest : text;
    store_say(why, "%s: %.*s", rest ? faults[i].words : "cannot reach the server",
              (int)strcspn(told, "\n"), told);
    return rest ? faults[i].err : WR_IO;
}
