/* map.c - the topology as text: collect, merge by name, sort, print. */
#include <weir/topo.h>

#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>

#include "base/text.h"
#include "rt/topo_int.h"

#define ROWS_MAX 512            /* names of each sort that a map shows */

struct task_row { const char *name; uint64_t spawned, completed, panicked, stalls, control; };

struct lock_row { const char *name; uint32_t rank; uint64_t contended, held_long; };

struct map {
    struct topo_row rows[ROWS_MAX];
    struct task_row tasks[ROWS_MAX];
    struct lock_row locks[ROWS_MAX];
    size_t row_count, task_count, lock_count;
    bool cut;                   /* there was more than fits */
};

/* ---- collecting ---- */

static void add_edges(struct topo_row *to, const struct topo_row *from)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < TOPO_EDGES_MAX && from->edges[side][i]; i++)
            for (int j = 0; j < TOPO_EDGES_MAX; j++) {
                const struct wr_kind *known = to->edges[side][j];
                if (!known)
                    to->edges[side][j] = from->edges[side][i];
                if (!known || strcmp(known->name, from->edges[side][i]->name) == 0)
                    break;
            }
}

static void add_row(void *arg, const struct topo_row *row)
{
    struct map *map = arg;
    struct topo_row *same = NULL;
    if (row->gone)
        return;
    for (size_t i = 0; i < map->row_count && !same; i++)
        if (strcmp(map->rows[i].name, row->name) == 0
            && strcmp(map->rows[i].kind, row->kind) == 0)
            same = &map->rows[i];
    if (!same) {
        if (map->row_count == ROWS_MAX) {
            map->cut = true;
            return;
        }
        same = &map->rows[map->row_count++];
        *same = *row;
        memset(same->edges, 0, sizeof(same->edges));
    } else {
        same->depth += row->depth;
        same->sent += row->sent;
        same->refused += row->refused;
        same->dropped += row->dropped;
        same->coalesced += row->coalesced;
        same->lagged += row->lagged;
    }
    add_edges(same, row);
}

static void add_tasks(struct map *map)
{
    for (struct wr_kind *kind = wr_kind_first(); kind; kind = atomic_load(&kind->next)) {
        size_t i = 0;
        while (i < map->task_count && strcmp(map->tasks[i].name, kind->name) != 0)
            i++;
        if (i == ROWS_MAX) {
            map->cut = true;
            return;
        }
        if (i == map->task_count)
            map->tasks[map->task_count++] = (struct task_row){ .name = kind->name };
        map->tasks[i].spawned += KIND_COUNT(kind, spawned);
        map->tasks[i].completed += KIND_COUNT(kind, completed);
        map->tasks[i].panicked += KIND_COUNT(kind, panicked);
        map->tasks[i].stalls += atomic_load_explicit(&kind->stalls, memory_order_relaxed);
        map->tasks[i].control += atomic_load_explicit(&kind->control, memory_order_relaxed);
    }
}

static void add_lock(void *arg, const struct wr_lock_info *info)
{
    struct map *map = arg;
    size_t i = 0;
    while (i < map->lock_count && (map->locks[i].rank != info->rank
                                   || strcmp(map->locks[i].name, info->name) != 0))
        i++;
    if (i == ROWS_MAX) {
        map->cut = true;
        return;
    }
    if (i == map->lock_count)
        map->locks[map->lock_count++] = (struct lock_row){ .name = info->name,
                                                           .rank = info->rank };
    map->locks[i].contended += atomic_load_explicit(&info->contended, memory_order_relaxed);
    map->locks[i].held_long += atomic_load_explicit(&info->held_long, memory_order_relaxed);
}

static int by_row(const void *a, const void *b)
{
    const struct topo_row *x = a, *y = b;
    int order = strcmp(x->kind, y->kind);
    return order ? order : strcmp(x->name, y->name);
}

static int by_task(const void *a, const void *b)
{
    return strcmp(((const struct task_row *)a)->name, ((const struct task_row *)b)->name);
}

static int by_rank(const void *a, const void *b)
{
    const struct lock_row *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int by_kind(const void *a, const void *b)
{
    const struct wr_kind *x = *(const struct wr_kind *const *)a;
    const struct wr_kind *y = *(const struct wr_kind *const *)b;
    if (!x || !y)
        return x ? -1 : y ? 1 : 0;
    return strcmp(x->name, y->name);
}

static void collect(struct map *map)
{
    wr_topo_each(add_row, map);
    add_tasks(map);
    wr_lock_each(add_lock, map);
    qsort(map->rows, map->row_count, sizeof(map->rows[0]), by_row);
    qsort(map->tasks, map->task_count, sizeof(map->tasks[0]), by_task);
    qsort(map->locks, map->lock_count, sizeof(map->locks[0]), by_rank);
    for (size_t i = 0; i < map->row_count; i++)
        for (int side = 0; side < 2; side++)
            qsort(map->rows[i].edges[side], TOPO_EDGES_MAX, sizeof(void *), by_kind);
}

/* ---- printing ---- */

static void print_edges(struct wr_text *text, const struct topo_row *row, int side)
{
    for (int i = 0; i < TOPO_EDGES_MAX && row->edges[side][i]; i++)
        wr_text_format(text, "%s%s", i ? ", " : "", row->edges[side][i]->name);
}

/* Nothing at all when nobody has used it yet. */
static void print_users(struct wr_text *text, const struct topo_row *row)
{
    if (!row->edges[TOPO_IN][0] && !row->edges[TOPO_OUT][0])
        return;
    wr_text_str(text, row->edges[TOPO_IN][0] ? "" : "-");
    print_edges(text, row, TOPO_IN);
    wr_text_str(text, row->edges[TOPO_OUT][0] ? " -> " : " -> -");
    print_edges(text, row, TOPO_OUT);
}

static void print_locks(struct wr_text *text, const struct map *map)
{
    if (map->lock_count > 0)
        wr_text_format(text, "\n%-28s %10s %10s %10s\n", "LOCK", "RANK", "CONTENDED",
                       "HELD LONG");
    for (size_t i = 0; i < map->lock_count; i++)
        wr_text_format(text, "%-28s %10u %10llu %10llu\n", map->locks[i].name,
                       map->locks[i].rank, (unsigned long long)map->locks[i].contended,
                       (unsigned long long)map->locks[i].held_long);
}

static void print_text(struct wr_text *text, const struct map *map)
{
    wr_text_format(text, "%-28s %10s %10s %9s %7s %9s\n", "TASK", "ALIVE", "STARTED",
                   "PANICKED", "STALLS", "CONTROL");
    for (size_t i = 0; i < map->task_count; i++) {
        const struct task_row *t = &map->tasks[i];
        wr_text_format(text, "%-28s %10llu %10llu %9llu %7llu %9llu\n", t->name,
                       (unsigned long long)(t->spawned - t->completed),
                       (unsigned long long)t->spawned, (unsigned long long)t->panicked,
                       (unsigned long long)t->stalls, (unsigned long long)t->control);
    }
    wr_text_format(text, "\n%-7s %-20s %9s %7s %-16s %9s %8s  %s\n", "KIND", "NAME", "DEPTH",
                   "CAP", "WHEN FULL", "TAKEN IN", "LOST", "FROM -> TO");
    for (size_t i = 0; i < map->row_count; i++) {
        const struct topo_row *r = &map->rows[i];
        wr_text_format(
            text, "%-7s %-20s %9llu %7llu %-16s %9llu %8llu  ", r->kind, r->name,
            (unsigned long long)r->depth, (unsigned long long)r->cap, r->policy,
            (unsigned long long)r->sent,
            (unsigned long long)(r->refused + r->dropped + r->coalesced + r->lagged));
        print_users(text, r);
        wr_text_str(text, "\n");
    }
    print_locks(text, map);
}

static void print_markdown(struct wr_text *text, const struct map *map)
{
    wr_text_str(text, "| task |\n|---|\n");
    for (size_t i = 0; i < map->task_count; i++)
        wr_text_format(text, "| `%s`%s |\n", map->tasks[i].name,
                       map->tasks[i].control ? ", on the control worker" : "");
    wr_text_str(text, "\n| kind | name | capacity | when full | from | to |\n"
                "|---|---|---:|---|---|---|\n");
    for (size_t i = 0; i < map->row_count; i++) {
        const struct topo_row *r = &map->rows[i];
        wr_text_format(text, "| %s | `%s` | %llu | %s | ", r->kind, r->name,
                       (unsigned long long)r->cap, r->policy);
        print_edges(text, r, TOPO_IN);
        wr_text_str(text, " | ");
        print_edges(text, r, TOPO_OUT);
        wr_text_str(text, " |\n");
    }
    if (map->lock_count > 0)
        wr_text_str(text, "\n| lock | rank |\n|---|---:|\n");
    for (size_t i = 0; i < map->lock_count; i++)
        wr_text_format(text, "| `%s` | %u |\n", map->locks[i].name, map->locks[i].rank);
}

/* Names have dots, which mermaid's node ids may not. */
static void print_id(struct wr_text *text, const char *prefix, const char *name)
{
    wr_text_str(text, prefix);
    for (; *name; name++)
        wr_text_bytes(text, strchr(".-# /", *name) ? "_" : name, 1);
}

static void print_mermaid(struct wr_text *text, const struct map *map)
{
    wr_text_str(text, "flowchart LR\n");
    for (size_t i = 0; i < map->task_count; i++) {
        wr_text_str(text, "  ");
        print_id(text, "task_", map->tasks[i].name);
        wr_text_format(text, "[%s]\n", map->tasks[i].name);
    }
    for (size_t i = 0; i < map->row_count; i++) {
        const struct topo_row *r = &map->rows[i];
        wr_text_str(text, "  ");
        print_id(text, "object_", r->name);
        wr_text_format(text, "([\"%s:%s(%llu)\"])\n", r->kind, r->name,
                       (unsigned long long)r->cap);
        for (int side = 0; side < 2; side++)
            for (int j = 0; j < TOPO_EDGES_MAX && r->edges[side][j]; j++) {
                wr_text_str(text, "  ");
                print_id(text, side == TOPO_IN ? "task_" : "object_",
                         side == TOPO_IN ? r->edges[side][j]->name : r->name);
                wr_text_str(text, " --> ");
                print_id(text, side == TOPO_IN ? "object_" : "task_",
                         side == TOPO_IN ? r->name : r->edges[side][j]->name);
                wr_text_str(text, "\n");
            }
    }
}

/* ---- notes ---- */

struct notes { struct wr_text *text; enum wr_topo_format format; size_t count; };

static void print_note(void *arg, const struct wr_topo_note *note)
{
    struct notes *notes = arg;
    if (notes->count++ == 0 && notes->format != WR_TOPO_MERMAID)
        wr_text_str(notes->text, "\n");
    if (notes->format == WR_TOPO_TEXT)
        wr_text_format(notes->text, "NOTE %s: %s\n", note->name, note->text);
    else if (notes->format == WR_TOPO_MARKDOWN)
        wr_text_format(notes->text, "- `%s`: %s\n", note->name, note->text);
    else
        wr_text_format(notes->text, "%%%% %s: %s\n", note->name, note->text);
}

wr_err wr_topo_write(size_t *ret, char *buf, size_t cap, enum wr_topo_format format)
{
    struct map *map = calloc(1, sizeof(*map));
    if (!map)
        return WR_NOMEM;
    struct wr_text text = wr_text_over(buf, cap);
    collect(map);
    if (format == WR_TOPO_TEXT)
        print_text(&text, map);
    else if (format == WR_TOPO_MARKDOWN)
        print_markdown(&text, map);
    else
        print_mermaid(&text, map);
    wr_topo_each_note(print_note, &(struct notes){ .text = &text, .format = format });
    if (map->cut)
        wr_text_format(&text, "%s more than %d names: the rest is left out\n",
                       format == WR_TOPO_MERMAID ? "%%" : "", ROWS_MAX);
    *ret = text.len;
    free(map);
    return text.cut ? WR_NOMEM : WR_OK;
}
