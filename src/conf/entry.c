/* entry.c - the list that the readers of files fill. */
#include "conf/entry.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool wr_entries_fail(struct entries *entries, unsigned line, const char *why)
{
    size_t len = strlen(why);
    if (len >= sizeof(entries->error))
        len = sizeof(entries->error) - 1;
    memcpy(entries->error, why, len);
    entries->error[len] = '\0';
    for (char *at = entries->error; *at; at++)
        if (*at < ' ' || *at > '~')
            *at = '?';
    entries->line = line;
    return false;
}

static char *copy(const char *bytes, size_t size)
{
    char *made = malloc(size + 1);
    if (made) {
        memcpy(made, bytes, size);
        made[size] = '\0';
    }
    return made;
}

/* Room is made by doubling: whenever the count is a power of two, it is used up. */
static bool make_room(struct entries *entries)
{
    size_t count = entries->count;
    if ((count & (count - 1)) != 0)
        return true;
    struct entry *more = realloc(entries->at, (count ? 2 * count : 1) * sizeof(*more));
    if (more)
        entries->at = more;
    return more != NULL;
}

bool wr_entries_add(struct entries *entries, const struct entry *entry, size_t size)
{
    if (entries->count == WR_ENTRIES_MAX)
        return wr_entries_fail(entries, entry->line, "more values than a configuration has");
    if (strlen(entry->key) > WR_ENTRY_KEY_MAX)
        return wr_entries_fail(entries, entry->line, "a key of more than 128 bytes");
    struct entry made = *entry;
    made.key = copy(entry->key, strlen(entry->key));
    made.text = copy(entry->text, size);
    if (!made.key || !made.text || !make_room(entries)) {
        free(made.key);
        free(made.text);
        return wr_entries_fail(entries, 0, "out of memory");
    }
    entries->at[entries->count++] = made;
    return true;
}

void wr_entries_free(struct entries *entries)
{
    for (size_t i = 0; i < entries->count; i++) {
        free(entries->at[i].key);
        free(entries->at[i].text);
    }
    free(entries->at);
    *entries = (struct entries){ 0 };
}
