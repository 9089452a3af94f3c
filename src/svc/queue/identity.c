/* identity.c - see identity.h. */
#include "svc/queue/identity.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/rand.h"
#include "base/ulid.h"

const char *queue_id(char buf[QUEUE_ID], const char *prefix)
{
    struct wr_rand rand;
    char ulid[WR_ULID_TEXT];
    wr_rand_seed_from_world(&rand);
    wr_ulid_make(&rand, ulid);
    for (char *at = ulid; *at; at++)
        *at = (char)tolower(*at);
    snprintf(buf, QUEUE_ID, "%s%s", prefix, ulid);
    return buf;
}

const char *queue_key(char buf[QUEUE_KEY], const char *task, const char *kind,
                      const char *what, size_t len)
{
    struct wr_hash_state state;
    char text[WR_HASH_TEXT];
    wr_hash_begin(&state);
    wr_hash_add(&state, task, strlen(task) + 1);
    wr_hash_add(&state, kind, strlen(kind) + 1);
    wr_hash_add(&state, what, len);
    struct wr_hash hash = wr_hash_end(&state);
    snprintf(buf, QUEUE_KEY, "%.32s", wr_hash_print(&hash, text));
    return buf;
}
