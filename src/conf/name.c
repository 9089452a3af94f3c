/* name.c - the names of keys. */
#include "conf/name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define ROW_MAX 64      /* of names that are compared; longer ones differ in everything */

const char *wr_name_env(char *buf, const char *key)
{
    snprintf(buf, WR_NAME_MAX, "WEIR_%s", key);
    for (char *at = buf; *at; at++)
        if (*at == '.')
            *at = '_';
        else
            *at = (char)toupper((unsigned char)*at);
    return buf;
}

const char *wr_name_flag(char *buf, const char *key)
{
    snprintf(buf, WR_NAME_MAX, "--%s", key);
    for (char *at = buf; *at; at++)
        if (*at == '.' || *at == '_')
            *at = '-';
    return buf;
}

size_t wr_name_next(const char **at)
{
    *at += strspn(*at, " ");
    return strcspn(*at, " ");
}

bool wr_name_is_service(const char *word, const char *service)
{
    return strcmp(word, service) == 0
        || (strncmp(word, "svc-", 4) == 0 && strcmp(word + 4, service) == 0);
}

/* One row of the matrix is kept: row[j] is the distance of what was read of `a` from
 * the first j letters of `b`. */
size_t wr_name_distance(const char *a, const char *b)
{
    size_t row[ROW_MAX], n = strlen(b);
    if (n >= ROW_MAX)
        return n;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t change = corner + (a[i - 1] != b[j - 1]);
            size_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            corner = row[j];
            row[j] = change < other ? change : other;
        }
    }
    return row[n];
}

/* Near is a third of the letters, and never more than four.  Who left out the table of
 * a key, or the end of its name, is told too. */
void wr_nearest_try(struct nearest *nearest, const char *name)
{
    size_t near = strlen(name) / 3 + 1;
    size_t distance = wr_name_distance(nearest->wanted, name);
    const char *last = strrchr(name, '.');
    size_t len = strlen(nearest->wanted);
    if (last && strcmp(nearest->wanted, last + 1) == 0)
        distance = 1;
    else if (len > 0 && strncmp(name, nearest->wanted, len) == 0 && name[len] == '_')
        distance = 2;
    if (distance > (near < 4 ? near : 4) || (nearest->name[0] && distance >= nearest->distance))
        return;
    nearest->distance = distance;
    snprintf(nearest->name, sizeof(nearest->name), "%s", name);
}
