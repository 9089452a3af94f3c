#include "store/sqlite_quota.h"

#include <sqlite3.h>
#include <stdint.h>

static sqlite3_mem_methods base;

static _Thread_local struct { size_t used, max; bool on, refused; } quota;

static bool allowed(size_t more)
{
    if (!quota.on || more <= quota.max - quota.used)
        return true;
    quota.refused = true;
    return false;
}

static void account(size_t less, size_t more)
{
    if (!quota.on)
        return;
    /* What was taken before the beginning may be given back after it. */
    quota.used = (quota.used > less ? quota.used - less : 0) + more;
    if (quota.used > quota.max)
        quota.used = quota.max;
}

static void *take(int size)
{
    void *at = allowed((size_t)size) ? base.xMalloc(size) : NULL;
    if (at)
        account(0, (size_t)base.xSize(at));
    return at;
}

static void give(void *at)
{
    if (at)
        account((size_t)base.xSize(at), 0);
    base.xFree(at);
}

static void *change(void *at, int size)
{
    size_t before = at ? (size_t)base.xSize(at) : 0;
    size_t more = (size_t)size > before ? (size_t)size - before : 0;
    void *now = allowed(more) ? base.xRealloc(at, size) : NULL;
    if (now)
        account(before, (size_t)base.xSize(now));
    return now;
}

void sqlite_quota_install(void)
{
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &base) != SQLITE_OK)
        return;
    sqlite3_mem_methods counted = base;
    counted.xMalloc = take;
    counted.xFree = give;
    counted.xRealloc = change;
    (void)sqlite3_config(SQLITE_CONFIG_MALLOC, &counted);
}

void sqlite_quota_begin(size_t max)
{
    quota.max = max;
    quota.used = 0;
    quota.refused = false;
    quota.on = true;
}

bool sqlite_quota_end(void)
{
    quota.on = false;
    return quota.refused;
}
