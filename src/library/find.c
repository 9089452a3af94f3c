/* find.c - which records could be meant.
 *
 * A question becomes some hundred keys (key.h).  All their buckets are asked for before the
 * first is read, so that memory answers many at a time.  Keys that few records have are counted
 * first and count most; the records with the highest counts are compared with the title.
 */
#include <stdlib.h>
#include <string.h>

#include "base/forget.h"
#include "biblio/fold.h"
#include "biblio/ratio.h"
#include "library/key.h"
#include "library/library_int.h"

#define HITS_MAX 2048               /* records that are counted */
#define SLOTS 8192                  /* a power of 2, a few times as many */
#define COMPARED_MAX 48             /* ... whose titles are compared */
#define SAME_TITLE_MAX 1024         /* records of one title that are looked at */
#define SAME 1000u                  /* nearness of a title to itself, ... */
#define NEAR_LEAST 550u             /* ... and of one that could be meant */
#define FOLD_MAX 512                /* bytes of a title that count */
#define AUTHORS_COMPARED 64

struct probe { uint32_t from, to; enum key_kind kind; };    /* a run of postings */

struct hit { uint32_t id, weight; };

struct candidate {
    uint32_t id;
    bool doi, arxiv;
    unsigned nearness;              /* of the titles */
    unsigned shared;                /* authors of both */
    bool year;
};

struct search {
    const struct library *lib;
    const struct bib_work *cited;
    char folded[FOLD_MAX + 1];
    size_t folded_len;
    struct key_list keys;
    struct probe probes[KEYS_MAX];
    size_t probe_count;
    struct hit hits[HITS_MAX];
    size_t hit_count;
    uint32_t slots[SLOTS];          /* 1 + the hit with this id */
    struct candidate found[SAME_TITLE_MAX + COMPARED_MAX];
    size_t found_count;
    uint64_t families[AUTHORS_COMPARED];    /* hashes of the cited names */
    size_t family_count;
};

/* ---- keys to postings ---- */

static uint32_t posting(const struct library *lib, uint64_t number)
{
    return format_u32(library_section(lib, FORMAT_POSTINGS) + number * 4);
}

static uint64_t posting_count(const struct library *lib)
{
    return lib->header.sections[FORMAT_POSTINGS].size / 4;
}

static const unsigned char *bucket_at(const struct library *lib, uint64_t key)
{
    uint64_t bucket = key >> (FORMAT_KEY_BITS - lib->header.bucket_bits);
    return library_section(lib, FORMAT_BUCKETS) + bucket * 4;
}

static uint32_t print_of(const struct library *lib, uint64_t key)
{
    uint32_t print_bits = 32 - lib->header.id_bits;
    uint64_t below = key << (64 - FORMAT_KEY_BITS + lib->header.bucket_bits);
    return (uint32_t)(below >> (64 - print_bits));
}

/* The first posting from `from` on whose fingerprint is at least `print`. */
static uint32_t lower_bound(const struct library *lib, uint32_t from, uint32_t to,
                            uint64_t print)
{
    uint64_t wanted = print << lib->header.id_bits;
    while (to - from > 8) {
        uint32_t middle = from + (to - from) / 2;
        if (posting(lib, middle) < wanted)
            from = middle + 1;
        else
            to = middle;
    }
    while (from < to && posting(lib, from) < wanted)
        from++;
    return from;
}

static void find_run(const struct library *lib, uint64_t key, struct probe *ret)
{
    const unsigned char *bucket = bucket_at(lib, key);
    uint32_t from = format_u32(bucket), to = format_u32(bucket + 4);
    uint32_t print = print_of(lib, key);
    *ret = (struct probe){ .kind = key_kind(key) };
    if (from > to || to > posting_count(lib))
        return;
    ret->from = lower_bound(lib, from, to, print);
    ret->to = lower_bound(lib, ret->from, to, (uint64_t)print + 1);
}

/* The runs of those keys from `first` on that any record has. */
static void probe_keys(struct search *search, size_t first, size_t end)
{
    const struct library *lib = search->lib;
    const uint64_t *keys = search->keys.at;
    search->probe_count = 0;
    for (size_t i = first; i < end; i++)
        __builtin_prefetch(bucket_at(lib, keys[i]));
    for (size_t i = first; i < end; i++) {
        uint32_t from = format_u32(bucket_at(lib, keys[i]));
        if (from < posting_count(lib))
            __builtin_prefetch(library_section(lib, FORMAT_POSTINGS) + (uint64_t)from * 4);
    }
    for (size_t i = first; i < end; i++) {
        struct probe *probe = &search->probes[search->probe_count];
        find_run(lib, keys[i], probe);
        search->probe_count += probe->from < probe->to;
    }
}

/* ---- counting ---- */

static void count_hit(struct search *search, uint32_t id, uint32_t weight)
{
    uint32_t slot = (id * UINT32_C(0x9e3779b1)) >> 19;
    _Static_assert(SLOTS == 1u << 13, "a slot has 13 bits");
    while (search->slots[slot] != 0) {
        struct hit *hit = &search->hits[search->slots[slot] - 1];
        if (hit->id == id) {
            hit->weight += weight;
            return;
        }
        slot = (slot + 1) % SLOTS;
    }
    if (search->hit_count == HITS_MAX)
        return;
    search->hits[search->hit_count++] = (struct hit){ id, weight };
    search->slots[slot] = (uint32_t)search->hit_count;
}

static unsigned magnitude(const struct probe *probe)
{
    return 31u - (unsigned)__builtin_clz(probe->to - probe->from);
}

/* What it says about a record to have a key, if no other record had it; each doubling of
 * those that have it takes a unit away. */
static unsigned worth(const struct probe *probe)
{
    static const unsigned worths[KEY_KINDS] = {
        [KEY_TITLE] = 60, [KEY_MAIN] = 40, [KEY_SEGMENT] = 20, [KEY_PAIR] = 16,
        [KEY_WORD] = 10 };
    unsigned most = worths[probe->kind], less = magnitude(probe);
    return most > less ? most - less : 1;
}

/* The rarest first: when there is no room for more, it is the common ones that are left out. */
static void count_probes(struct search *search)
{
    memset(search->slots, 0, sizeof(search->slots));
    search->hit_count = 0;
    for (unsigned size = 0; size < 12; size++)
        for (size_t i = 0; i < search->probe_count; i++) {
            const struct probe *probe = &search->probes[i];
            if (magnitude(probe) != size)
                continue;
            uint32_t mask = (uint32_t)((UINT64_C(1) << search->lib->header.id_bits) - 1);
            for (uint32_t at = probe->from; at < probe->to; at++)
                count_hit(search, posting(search->lib, at) & mask, worth(probe));
        }
}

/* The COMPARED_MAX hits with the highest weights come first; returns how many there are. */
static size_t select_hits(struct search *search)
{
    enum { WEIGHTS = 512 };
    uint16_t counts[WEIGHTS] = { 0 };
    uint32_t least = WEIGHTS;
    size_t above = 0, kept = 0, ties;
    for (size_t i = 0; i < search->hit_count; i++) {
        struct hit *hit = &search->hits[i];
        hit->weight = hit->weight < WEIGHTS ? hit->weight : WEIGHTS - 1;
        counts[hit->weight]++;
    }
    while (least > 0 && above + counts[least - 1] <= COMPARED_MAX)
        above += counts[--least];
    ties = COMPARED_MAX - above;            /* of those just below */
    for (size_t i = 0; i < search->hit_count && kept < COMPARED_MAX; i++) {
        uint32_t weight = search->hits[i].weight;
        bool tie = weight + 1 == least && ties > 0;
        if (weight < least && !tie)
            continue;
        ties -= tie;
        search->hits[kept++] = search->hits[i];
    }
    return kept;
}

/* ---- comparing ---- */

static uint64_t family_hash(const char *name, size_t len)
{
    char buf[128];
    uint64_t hash = 14695981039346656037u;
    struct wr_text text = WR_TEXT(buf);
    bib_fold(&text, name, len);
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.at[i]) * 1099511628211u;
    return hash;
}

static unsigned shared_authors(const struct search *search, struct record_cursor *cursor)
{
    unsigned shared = 0;
    uint64_t count = record_number(cursor);
    for (uint64_t i = 0; i < count && !cursor->bad; i++) {
        struct record_text family = record_text(cursor);
        record_text(cursor);
        if (!family.at || search->family_count == 0 || i >= AUTHORS_COMPARED)
            continue;
        uint64_t hash = family_hash(family.at, family.len);
        for (size_t k = 0; k < search->family_count; k++)
            if (search->families[k] == hash) {
                shared++;
                break;
            }
    }
    return shared;
}

static bool equals(struct record_text text, const char *other)
{
    return text.at && other && strlen(other) == text.len
        && memcmp(text.at, other, text.len) == 0;
}

static unsigned title_nearness(const struct search *search, struct record_text title)
{
    char buf[FOLD_MAX + 1];
    struct wr_text text = WR_TEXT(buf);
    if (!title.at || search->folded_len == 0)
        return 0;
    bib_fold(&text, title.at, title.len);
    if (text.len == search->folded_len && memcmp(text.at, search->folded, text.len) == 0)
        return SAME;
    unsigned near = bib_ratio(search->folded, search->folded_len, text.at, text.len);
    return near == SAME ? SAME - 1 : near;
}

/* How a record compares; false: it is damaged. */
static bool compare(const struct search *search, uint32_t id, struct candidate *ret)
{
    struct record_cursor cursor;
    struct record_head head;
    if (!library_cursor(search->lib, id, &cursor) || !record_read_head(&cursor, &head))
        return false;
    *ret = (struct candidate){ .id = id, .nearness = title_nearness(search, head.title) };
    ret->year = head.year > 0 && head.year == search->cited->year;
    if (record_number(&cursor) == 1)
        record_text(&cursor);               /* a venue of its own */
    ret->shared = shared_authors(search, &cursor);
    ret->doi = equals(record_text(&cursor), search->cited->doi);
    ret->arxiv = equals(record_text(&cursor), search->cited->arxiv_id);
    return !cursor.bad;
}

/* A total order: two searches for the same give the same. */
static int by_rank(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->doi != b->doi)
        return a->doi ? -1 : 1;
    if (a->arxiv != b->arxiv)
        return a->arxiv ? -1 : 1;
    if (a->nearness != b->nearness)
        return a->nearness > b->nearness ? -1 : 1;
    if (a->shared != b->shared)
        return a->shared > b->shared ? -1 : 1;
    if (a->year != b->year)
        return a->year ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static bool is_known(const struct search *search, uint32_t id)
{
    for (size_t i = 0; i < search->found_count; i++)
        if (search->found[i].id == id)
            return true;
    return false;
}

/* ---- the two searches ---- */

/* By identifier and by whole title.  Returns whether that is enough: one has the title, and an
 * author where any are cited. */
static bool find_exact(struct search *search, size_t keys)
{
    const uint32_t mask = (uint32_t)((UINT64_C(1) << search->lib->header.id_bits) - 1);
    bool enough = false;
    probe_keys(search, 0, keys);
    for (size_t i = 0; i < search->probe_count; i++) {
        const struct probe *probe = &search->probes[i];
        for (uint32_t at = probe->from; at < probe->to; at++) {
            struct candidate one;
            uint32_t id = posting(search->lib, at) & mask;
            if (search->found_count == SAME_TITLE_MAX)
                break;
            if ((search->probe_count > 1 && is_known(search, id)) || !compare(search, id, &one)
                || (!one.doi && !one.arxiv && one.nearness != SAME))
                continue;
            search->found[search->found_count++] = one;
            enough |= one.nearness == SAME
                && (one.shared > 0 || search->cited->author_count == 0);
        }
    }
    return enough;
}

static void find_near(struct search *search, size_t first)
{
    probe_keys(search, first, search->keys.count);
    count_probes(search);
    size_t count = select_hits(search);
    for (size_t i = 0; i < count; i++) {
        const struct hit *hit = &search->hits[i];
        struct candidate one;
        if (is_known(search, hit->id))
            continue;
        bool by_main = hit->weight >= 30;
        if (compare(search, hit->id, &one) && (one.nearness >= NEAR_LEAST || by_main))
            search->found[search->found_count++] = one;
    }
}

static void prepare(struct search *search)
{
    const struct bib_work *cited = search->cited;
    struct wr_text text = wr_text_over(search->folded, sizeof(search->folded));
    if (cited->title)
        bib_fold(&text, cited->title, strlen(cited->title));
    search->folded_len = text.len;
    search->family_count = 0;
    for (uint32_t i = 0; i < cited->author_count && i < AUTHORS_COMPARED; i++)
        if (cited->authors[i].family)
            search->families[search->family_count++] =
                family_hash(cited->authors[i].family, strlen(cited->authors[i].family));
    key_of_question(&search->keys, cited);
}

static size_t exact_keys(const struct key_list *keys)
{
    size_t count = 0;
    while (count < keys->count
           && (key_kind(keys->at[count]) == KEY_DOI || key_kind(keys->at[count]) == KEY_ARXIV))
        count++;
    return count + (count < keys->count);       /* the whole title comes next */
}

static void run(struct search *search)
{
    prepare(search);
    size_t exact = exact_keys(&search->keys);
    search->found_count = 0;
    if (!find_exact(search, exact))
        find_near(search, exact);
    qsort(search->found, search->found_count, sizeof(*search->found), by_rank);
}

size_t library_find(const struct library *lib, const struct bib_work *cited,
                    struct wr_arena *arena, struct bib_record *ret, size_t max)
{
    struct search *search = malloc(sizeof(*search));
    size_t count = 0;
    if (!search) {
        arena->full = true;
        return 0;
    }
    search->lib = lib;
    search->cited = cited;
    run(search);
    for (size_t i = 0; i < search->found_count && count < max; i++)
        if (library_record(lib, search->found[i].id, arena, &ret[count]) == WR_OK)
            count++;
    wr_forget_free(search);
    return count;
}

const char *library_retraction(const struct library *lib, const struct bib_work *cited,
                               struct wr_arena *arena)
{
    struct search *search = malloc(sizeof(*search));
    struct bib_record record;
    const char *retraction = NULL;
    if (!search) {
        arena->full = true;
        return NULL;
    }
    search->lib = lib;
    search->cited = cited;
    prepare(search);
    search->found_count = 0;
    find_exact(search, exact_keys(&search->keys));
    qsort(search->found, search->found_count, sizeof(*search->found), by_rank);
    for (size_t i = 0; i < search->found_count && !retraction; i++) {
        const struct candidate *one = &search->found[i];
        bool meant = one->doi || one->arxiv || (!cited->doi && one->shared > 0);
        if (meant && library_record(lib, one->id, arena, &record) == WR_OK)
            retraction = record.retraction;
    }
    wr_forget_free(search);
    return retraction;
}
