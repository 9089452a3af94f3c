/* meta.c - what a file says about itself. */
#include "conf/meta.h"

#include <string.h>

#define LINE "[meta]"
#define TABLE "meta."

/* The line [meta], which may have white space and a comment behind it. */
static const char *find_line(const char *text, unsigned *ret_number)
{
    unsigned number = 1;
    for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        const char *rest = at + strlen(LINE);
        if (strncmp(at, LINE, strlen(LINE)) == 0
            && strchr("\r\n#", rest[strspn(rest, " \t")])) {
            *ret_number = number;
            return at;
        }
        number++;
    }
    return NULL;
}

bool wr_meta_hash(struct wr_hash *ret, const char *text, const struct entries *entries)
{
    unsigned line;
    const char *end = find_line(text, &line);
    if (!end)
        return false;
    for (size_t i = 0; i < entries->count; i++) {
        bool meta = strncmp(entries->at[i].key, TABLE, strlen(TABLE)) == 0;
        if (meta != (entries->at[i].line > line))
            return false;
    }
    *ret = wr_hash_of(text, (size_t)(end - text));
    return true;
}
