/* store.c - which engine a url means, and the way to it. */
#include "store/store.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/sql_read.h"
#include "store/store_int.h"

static const struct { const char *scheme; const struct store_engine *engine; } engines[] = {
    { "sqlite:", &store_sqlite },
    { "postgres://", &store_pg },
    { "postgresql://", &store_pg },
};

void store_say(struct store_why *why, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why->text, sizeof(why->text), format, args);
    va_end(args);
}

wr_err store_open(struct store **ret, const struct store_conf *conf, struct store_why *why,
                  wr_time deadline)
{
    const struct store_engine *engine = NULL;
    const char *rest = NULL;
    for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
        size_t len = strlen(engines[i].scheme);
        if (strncmp(conf->url, engines[i].scheme, len) == 0) {
            engine = engines[i].engine;
            rest = conf->url + len;
        }
    }
    if (!engine) {
        store_say(why, "store url \"%.100s\": it begins with sqlite: (then the path of a file, "
                  "or nothing to keep all in memory) or postgres://", conf->url);
        return WR_INVALID;
    }
    struct store *store = calloc(1, sizeof(*store));
    if (!store) {
        store_say(why, "out of memory");
        return WR_NOMEM;
    }
    store->engine = engine;
    wr_err err = engine->open(&store->state, conf, rest, why, deadline);
    if (err) {
        free(store);
        return err;
    }
    wakes_init(&store->wakes);
    err = wr_sem_new(&store->asking, "store.asking", STORE_ASKS_MAX);
    if (!err && engine->listen)
        err = engine->listen(store->state, &store->wakes, why, deadline);
    if (err) {
        store_close(store, WR_NOW);
        return err;
    }
    *ret = store;
    return WR_OK;
}

void store_listen(struct store *store, void (*heard)(void *arg, const char *name), void *arg)
{
    wakes_listen(&store->wakes, heard, arg);
}

bool store_is_shared(const struct store *store)
{
    return store->engine->listen != NULL;
}

void store_tell(struct store *store, const char *name)
{
    if (store->engine->tell)
        store->engine->tell(store->state, name);
}

void store_wake(struct store *store, const char *name)
{
    wakes_raise(&store->wakes, name);
    store_tell(store, name);
}

void store_close(struct store *store, wr_time deadline)
{
    if (!store)
        return;
    store->engine->close(store->state, deadline);
    wakes_fini(&store->wakes);
    wr_sem_free(store->asking);
    free(store);
}

void store_health(struct store *store, struct store_health *ret)
{
    store->engine->health(store->state, ret);
}

wr_err store_check(struct store *store, struct store_why *why, wr_time deadline)
{
    return store->engine->check(store->state, why, deadline);
}

wr_err store_backup(struct store *store, const char *path, struct store_why *why,
                    wr_time deadline)
{
    return store->engine->backup(store->state, path, why, deadline);
}

wr_err(store_do)(struct store *store, const struct store_verb *verb, struct store_values values,
                 struct store_rows *ret, wr_time deadline, const char *place)
{
    struct store_act act = { .verb = verb, .values = values };
    WR_ASSERT(values.count <= STORE_VALUES_MAX);
    wr_err err = store->engine->act(store->state, &act, deadline, place);
    if (ret && !err)
        *ret = act.rows;
    else
        store_rows_free(&act.rows);
    if (ret && err)
        *ret = (struct store_rows){ 0 };
    return err;
}

wr_err(store_change)(struct store *store, const struct store_verb *verb,
                     struct store_values values, uint64_t *ret, wr_time deadline,
                     const char *place)
{
    struct store_rows rows;
    wr_err err = (store_do)(store, verb, values, &rows, deadline, place);
    *ret = rows.changed;
    store_rows_free(&rows);
    return err;
}

wr_err(store_change_one)(struct store *store, const struct store_verb *verb,
                         struct store_values values, wr_time deadline, const char *place)
{
    uint64_t changed;
    wr_err err = (store_change)(store, verb, values, &changed, deadline, place);
    return err ? err : changed ? WR_OK : WR_NOTFOUND;
}
