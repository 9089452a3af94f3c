/* system.c - see system.h. */
#include "svc/node/system.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/file.h>
#include <weir/lock.h>

#include "svc/node/node_int.h"
#include "svc/node/page.h"

#define FILE_MAX ((size_t)1 << 20)
#define RANK_COUNTERS 30
#define LOOK_WITHIN WR_S(1)

/* What only grows, at a moment. */
struct sample {
    wr_time at;
    uint64_t busy, ticks;           /* of the processors */
    uint64_t rx, tx;
};

struct system {
    const char *proc;
    struct wr_mutex lock;           /* of what follows */
    bool seen, rated;
    struct sample last;             /* what the next rates begin at */
    uint64_t cpu, rx, tx;           /* the last rates */
};

wr_err system_new(struct system **ret, const char *proc)
{
    struct system *system = calloc(1, sizeof(*system));
    if (!system)
        return WR_NOMEM;
    *system = (struct system){ .proc = proc, .lock = WR_MUTEX("node.system", RANK_COUNTERS) };
    *ret = system;
    return WR_OK;
}

void system_free(struct system *system)
{
    if (!system)
        return;
    wr_mutex_fini(&system->lock);
    free(system);
}

/* ---- what the system says ---- */

/* The rest of the line that begins with these words; NULL: there is none. */
static const char *line_of(const char *text, const char *begins)
{
    size_t len = strlen(begins);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, begins, len) == 0)
            return line + len;
    }
    return NULL;
}

/* user nice system idle iowait irq softirq steal; guests are part of user. */
static bool read_stat(const char *text, struct sample *ret)
{
    uint64_t n[8] = { 0 };
    const char *line = line_of(text, "cpu ");
    if (!line || sscanf(line, "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64
                        "%" SCNu64 "%" SCNu64, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6],
                        &n[7]) < 4)
        return false;
    for (size_t i = 0; i < 8; i++)
        ret->ticks += n[i];
    ret->busy = ret->ticks - n[3] - n[4];
    return true;
}

static bool read_memory(const char *text, struct system_view *ret)
{
    const char *total = line_of(text, "MemTotal:"), *left = line_of(text, "MemAvailable:");
    if (!total || !left)
        return false;
    ret->ram_total = strtoull(total, NULL, 10) * 1024;
    uint64_t available = strtoull(left, NULL, 10) * 1024;
    ret->ram_used = available < ret->ram_total ? ret->ram_total - available : 0;
    return true;
}

/* "  eth0: bytes packets errs drop fifo frame compressed multicast | bytes ..." */
static bool read_network(const char *text, struct sample *ret)
{
    bool found = false;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        char name[32];
        uint64_t rx, tx;
        line += *line == '\n';
        if (sscanf(line, " %31[^: |]: %" SCNu64 " %*u %*u %*u %*u %*u %*u %*u %" SCNu64, name,
                   &rx, &tx) != 3)
            continue;
        found = true;
        if (strcmp(name, "lo") == 0)
            continue;
        ret->rx += rx;
        ret->tx += tx;
    }
    return found;
}

static wr_err read_proc(char **ret, const struct system *system, const char *name,
                        wr_time deadline)
{
    char path[256];
    size_t len;
    snprintf(path, sizeof(path), "%s/%s", system->proc, name);
    wr_err err = wr_file_read(ret, &len, path, FILE_MAX, deadline);
    return err == WR_NOTFOUND || err == WR_DENIED ? WR_UNSUPPORTED : err;
}

static wr_err sample(const struct system *system, struct sample *ret, struct system_view *view,
                     wr_time deadline)
{
    char *stat = NULL, *memory = NULL, *network = NULL;
    wr_err err = read_proc(&stat, system, "stat", deadline);
    if (!err)
        err = read_proc(&memory, system, "meminfo", deadline);
    if (!err)
        err = read_proc(&network, system, "net/dev", deadline);
    *ret = (struct sample){ .at = wr_now() };
    if (!err && (!read_stat(stat, ret) || !read_memory(memory, view)
                 || !read_network(network, ret)))
        err = WR_UNSUPPORTED;
    free(stat);
    free(memory);
    free(network);
    return err;
}

/* ---- rates ---- */

/* A counter may go back: an interface that left took its bytes along. */
static uint64_t grown(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

static uint64_t per_second(uint64_t bytes, wr_time span)
{
    return (uint64_t)((double)bytes * (double)WR_S(1) / (double)span);
}

static void rate(struct system *system, const struct sample *now)
{
    const struct sample *last = &system->last;
    wr_time span = now->at - last->at;
    uint64_t ticks = grown(last->ticks, now->ticks);
    if (system->seen && span < SYSTEM_APART)
        return;
    if (system->seen) {
        system->rated = true;
        system->cpu = ticks ? grown(last->busy, now->busy) * 10000 / ticks : 0;
        system->rx = per_second(grown(last->rx, now->rx), span);
        system->tx = per_second(grown(last->tx, now->tx), span);
    }
    system->seen = true;
    system->last = *now;
}

wr_err system_look(struct system *system, struct system_view *ret, wr_time deadline)
{
    struct sample now;
    *ret = (struct system_view){ .at = wr_wall() };
    wr_err err = sample(system, &now, ret, deadline);
    if (err)
        return err;
    wr_mutex_lock(&system->lock);
    rate(system, &now);
    ret->rates = system->rated;
    ret->cpu = system->cpu;
    ret->rx = system->rx;
    ret->tx = system->tx;
    wr_mutex_unlock(&system->lock);
    return WR_OK;
}

/* ---- the page ---- */

static void add_rate(struct page *page, const char *key, bool known, uint64_t value,
                     unsigned digits)
{
    if (known)
        wr_json_decimal(&page->json, key, (int64_t)value, digits);
    else
        wr_json_null(&page->json, key);
}

wr_err system_serve(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    struct system_view view;
    struct page page;
    wr_err err = system_look(node->system, &view, wr_after(LOOK_WITHIN));
    if (err == WR_UNSUPPORTED)
        return wr_call_fail(call, err, "this system does not tell about itself in /proc");
    if (err)
        return err;
    page_begin(&page);
    page_moment(&page, "updatedAt", view.at);
    add_rate(&page, "cpuPercent", view.rates, view.cpu, 2);
    wr_json_u64(&page.json, "ramTotalBytes", view.ram_total);
    wr_json_u64(&page.json, "ramUsedBytes", view.ram_used);
    add_rate(&page, "netRxBps", view.rates, view.rx, 0);
    add_rate(&page, "netTxBps", view.rates, view.tx, 0);
    return page_end(&page, call);
}
