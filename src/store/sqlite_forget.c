/* sqlite_forget.c - see sqlite_forget.h. */
#include "store/sqlite_forget.h"

#include <malloc.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/forget.h"

static void *take(int size)
{
    return malloc((size_t)size);
}

static void *change(void *memory, int size)
{
    return wr_forget_realloc(memory, (size_t)size);
}

static int size_of(void *memory)
{
    return (int)malloc_usable_size(memory);
}

static int round_up(int size)
{
    return (size + 7) & ~7;
}

static int begin(void *unused)
{
    (void)unused;
    return SQLITE_OK;
}

static void end(void *unused)
{
    (void)unused;
}

static const sqlite3_mem_methods forgetful = { .xMalloc = take, .xFree = wr_forget_free,
                                               .xRealloc = change, .xSize = size_of,
                                               .xRoundup = round_up, .xInit = begin,
                                               .xShutdown = end };

void sqlite_forget_install(void)
{
    static atomic_bool done;
    if (!atomic_exchange(&done, true) && wr_forgets())
        (void)sqlite3_config(SQLITE_CONFIG_MALLOC, &forgetful);
}
