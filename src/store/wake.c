/* wake.c - a watch for each name, written under a lock: many may raise it at once. */
#include "store/wake.h"

#include <string.h>

#define LOCK_RANK 500

void wakes_init(struct wakes *wakes)
{
    *wakes = (struct wakes){ .lock = WR_MUTEX("store.wakes", LOCK_RANK) };
}

void wakes_fini(struct wakes *wakes)
{
    for (size_t i = 0; i < wakes->count; i++) {
        wr_watch_close(&wakes->wakes[i].writer);
        wr_watch_free(wakes->wakes[i].watch);
    }
    wr_mutex_fini(&wakes->lock);
}

/* The lock is held. */
static struct wake *find(struct wakes *wakes, const char *name)
{
    for (size_t i = 0; i < wakes->count; i++)
        if (strcmp(wakes->wakes[i].name, name) == 0)
            return &wakes->wakes[i];
    return NULL;
}

static void raise_one(struct wake *wake)
{
    wake->raised++;
    wr_watch_set(&wake->writer, &wake->raised);
}

void wakes_raise(struct wakes *wakes, const char *name)
{
    wr_mutex_lock(&wakes->lock);
    struct wake *wake = find(wakes, name);
    if (wake)
        raise_one(wake);
    wr_mutex_unlock(&wakes->lock);
}

void wakes_hear(struct wakes *wakes, const char *name)
{
    wr_mutex_lock(&wakes->lock);
    for (size_t i = 0; i < wakes->count; i++)
        if (!name || strcmp(wakes->wakes[i].name, name) == 0)
            raise_one(&wakes->wakes[i]);
    if (wakes->heard)
        wakes->heard(wakes->arg, name);
    wr_mutex_unlock(&wakes->lock);
}

void wakes_listen(struct wakes *wakes, void (*heard)(void *arg, const char *name), void *arg)
{
    wr_mutex_lock(&wakes->lock);
    wakes->heard = heard;
    wakes->arg = arg;
    wr_mutex_unlock(&wakes->lock);
}

/* The lock is held. */
static wr_err add(struct wakes *wakes, const char *name, struct wake **ret)
{
    size_t len = strlen(name);
    if (len >= WAKE_NAME_MAX)
        return WR_INVALID;
    if (wakes->count == WAKES_MAX)
        return WR_BUSY;
    struct wake *wake = &wakes->wakes[wakes->count];
    *wake = (struct wake){ 0 };
    memcpy(wake->name, name, len + 1);
    wr_err err = wr_watch_new(&wake->watch, &wake->writer, &(struct wr_watch_conf){
        .name = "store.wake", .size = sizeof(wake->raised), .initial = &wake->raised });
    if (err)
        return err;
    wakes->count++;
    *ret = wake;
    return WR_OK;
}

wr_err wakes_wait(struct wakes *wakes, const char *name, uint64_t *seen, wr_time deadline,
                  const char *place)
{
    wr_err err = WR_OK;
    wr_mutex_lock(&wakes->lock);
    struct wake *wake = find(wakes, name);
    if (!wake)
        err = add(wakes, name, &wake);
    struct wr_watch *watch = wake ? wake->watch : NULL;
    wr_mutex_unlock(&wakes->lock);
    if (err)
        return err;
    uint64_t raised;
    struct wr_watch_reader reader = { .watch = watch, .seen = *seen };
    err = (wr_watch_wait)(&reader, &raised, deadline, place);
    *seen = reader.seen;
    return err;
}
