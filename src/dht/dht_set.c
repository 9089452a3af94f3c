/* dht_set.c - an array in order, in which there is nobody twice. */
#include "dht/dht_set.h"

#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "base/forget.h"

#define ROOM_FIRST 4

/* Whether a comes before b: the later issued, then the longer valid, then by who says it and
 * what he says, so that there is one order of any records. */
static bool is_before(const struct dht_record *a, const struct dht_record *b)
{
    if (a->issued_at.ns != b->issued_at.ns)
        return a->issued_at.ns > b->issued_at.ns;
    if (a->expires_at.ns != b->expires_at.ns)
        return a->expires_at.ns > b->expires_at.ns;
    int order = memcmp(a->id, b->id, sizeof(a->id));
    order = order ? order : memcmp(&a->cid, &b->cid, sizeof(a->cid));
    order = order ? order : strcmp(a->addr, b->addr);
    return (order ? order : strcmp(a->region, b->region)) < 0;
}

static bool is_same(const struct dht_set *set, const struct dht_record *a,
                    const struct dht_record *b)
{
    return set->kind == DHT_NAME || memcmp(a->id, b->id, sizeof(a->id)) == 0;
}

static void take_out(struct dht_set *set, size_t at)
{
    set->count--;
    memmove(&set->records[at], &set->records[at + 1],
            (set->count - at) * sizeof(set->records[0]));
}

static wr_err make_room(struct dht_set *set)
{
    if (set->count < set->room)
        return WR_OK;
    size_t room = set->room ? 2 * set->room : ROOM_FIRST;
    struct dht_record *records = wr_forget_realloc(set->records, room * sizeof(*records));
    if (!records)
        return WR_NOMEM;
    set->records = records;
    set->room = room;
    return WR_OK;
}

wr_err dht_set_add(struct dht_set *set, const struct dht_record *record)
{
    WR_ASSERT(record->kind == set->kind);
    for (size_t i = 0; i < set->count; i++)
        if (is_same(set, &set->records[i], record)) {
            if (!is_before(record, &set->records[i]))
                return WR_OK;
            take_out(set, i);
            break;
        }
    size_t at = 0;
    while (at < set->count && is_before(&set->records[at], record))
        at++;
    if (at == DHT_RECORDS_MAX)
        return WR_OK;
    if (set->count == DHT_RECORDS_MAX)
        set->count--;
    wr_err err = make_room(set);
    if (err)
        return err;
    memmove(&set->records[at + 1], &set->records[at],
            (set->count - at) * sizeof(set->records[0]));
    set->records[at] = *record;
    set->count++;
    return WR_OK;
}

void dht_set_free(struct dht_set *set)
{
    wr_forget_free(set->records);      /* names are in it */
    *set = (struct dht_set){ .kind = set->kind };
}
