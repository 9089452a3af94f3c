/* duplicate.c - the same work cited twice: keys in a table, and a look at who meets. */
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "biblio/author.h"
#include "biblio/fold.h"
#include "svc/check/duplicate.h"

#define TITLE_MIN 12                /* letters; "Introduction" says nothing */

/* Open addressing over hashes of keys; the first reference of each. */
struct table {
    struct slot { uint64_t hash; uint32_t first; } *slots;
    size_t mask;
};

static uint64_t hash_of(char kind, const char *text, size_t len)
{
    struct wr_hash_state state;
    wr_hash_begin(&state);
    wr_hash_add(&state, &kind, 1);
    wr_hash_add(&state, text, len);
    struct wr_hash hash = wr_hash_end(&state);
    uint64_t word;
    memcpy(&word, hash.bytes, sizeof(word));
    return word ? word : 1;
}

/* The place of a key: that of the first who had it, or a free one. */
static struct slot *find(struct table *table, uint64_t hash)
{
    size_t i = hash & table->mask;
    while (table->slots[i].hash && table->slots[i].hash != hash)
        i = (i + 1) & table->mask;
    return &table->slots[i];
}

static bool contradict(const char *a, const char *b)
{
    return a && b && strcmp(a, b) != 0;
}

static bool same_work(const struct bib_work *a, const struct bib_work *b)
{
    if (contradict(a->doi, b->doi) || contradict(a->arxiv_id, b->arxiv_id)
        || (a->year && b->year && a->year != b->year) || contradict(a->volume, b->volume))
        return false;
    return !a->author_count || !b->author_count
        || bib_author_compare(&a->authors[0], &b->authors[0]) != BIB_NAME_DIFFERENT;
}

static size_t keys_of(const struct bib_work *work, uint64_t ret[3])
{
    char folded[BIB_FOLD_MAX];
    struct wr_text text = WR_TEXT(folded);
    size_t count = 0;
    if (work->doi)
        ret[count++] = hash_of('d', work->doi, strlen(work->doi));
    if (work->arxiv_id)
        ret[count++] = hash_of('a', work->arxiv_id, strlen(work->arxiv_id));
    if (work->title) {
        bib_fold(&text, work->title, strlen(work->title));
        if (text.len >= TITLE_MIN)
            ret[count++] = hash_of('t', text.at, text.len);
    }
    return count;
}

static void look(struct check_report *report, struct table *table, size_t index)
{
    struct check_finding *finding = &report->findings[index];
    uint64_t keys[3];
    size_t count = keys_of(&finding->reference->work, keys);
    for (size_t i = 0; i < count; i++) {
        struct slot *slot = find(table, keys[i]);
        if (!slot->hash) {
            *slot = (struct slot){ keys[i], (uint32_t)index };
            continue;
        }
        const struct bib_reference *first = report->findings[slot->first].reference;
        if (slot->first == index || !same_work(&first->work, &finding->reference->work))
            continue;
        finding->verdict.flags |= BIB_FLAG(DUPLICATE);
        finding->duplicate_of = first->number;
        return;
    }
}

void check_find_duplicates(struct check_report *report, struct wr_arena *arena)
{
    struct table table = { .mask = 15 };
    if (report->count > UINT32_MAX / 8)
        return;
    while (table.mask < report->count * 6)
        table.mask = table.mask * 2 + 1;
    table.slots = wr_arena_alloc(arena, (table.mask + 1) * sizeof(*table.slots));
    for (size_t i = 0; table.slots && i < report->count; i++)
        look(report, &table, i);
}
