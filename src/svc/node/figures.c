/* figures.c - see figures.h. */
#include "svc/node/figures.h"

#include <stdatomic.h>
#include <stdlib.h>

#include <weir/lock.h>
#include <weir/metric.h>
#include <weir/task.h>

#define RANK_COUNTERS 30
#define SHEET_GUESS ((size_t)64 << 10)  /* how long it is taken to be at first ... */
#define SHEET_MAX ((size_t)4 << 20)     /* ... and at most */
#define READ_WITHIN WR_MS(100)

/* The page as it was at some time.  It is copied outside of the lock, which takes longer
 * than others should wait: so whoever has one counts. */
struct sheet {
    _Atomic unsigned holders;
    wr_time at;                     /* when it was begun */
    size_t len;
    char text[];
};

struct figures {
    struct wr_mutex lock;           /* of what follows */
    wr_time since;                  /* so many were written from here on: */
    unsigned written;
    struct sheet *last;             /* NULL: none */
};

wr_err figures_new(struct figures **ret)
{
    struct figures *figures = calloc(1, sizeof(*figures));
    if (!figures)
        return WR_NOMEM;
    figures->lock = (struct wr_mutex)WR_MUTEX("node.figures", RANK_COUNTERS);
    *ret = figures;
    return WR_OK;
}

static void let_go(struct sheet *sheet)
{
    if (sheet && atomic_fetch_sub(&sheet->holders, 1) == 1)
        free(sheet);
}

void figures_free(struct figures *figures)
{
    if (!figures)
        return;
    wr_mutex_fini(&figures->lock);
    let_go(figures->last);
    free(figures);
}

/* They are read by one at a time, which takes a moment: who comes then looks again. */
static wr_err write_text(size_t *len, char *buf, size_t cap)
{
    wr_time until = wr_after(READ_WITHIN);
    wr_err err;
    while ((err = wr_metric_write(len, buf, cap)) == WR_BUSY && wr_now() < until)
        if (wr_yield())
            break;
    return err;
}

/* How long they are is known when they are written: a second time with room enough. */
static wr_err make_sheet(struct sheet **ret, wr_time now)
{
    wr_err err = WR_NOMEM;
    struct sheet *sheet = NULL;
    size_t len = SHEET_GUESS;
    for (int i = 0; i < 3 && err == WR_NOMEM && len <= SHEET_MAX; i++) {
        size_t cap = len + len / 8 + 1;
        free(sheet);
        sheet = malloc(sizeof(*sheet) + cap);
        err = sheet ? write_text(&len, sheet->text, cap) : WR_NOMEM;
    }
    if (err) {
        free(sheet);
        return err;
    }
    atomic_init(&sheet->holders, 1);
    sheet->at = now;
    sheet->len = len;
    *ret = sheet;
    return WR_OK;
}

/* The last one, when they were written often enough of late and it does; else NULL. */
static struct sheet *take_last(struct figures *figures, wr_time now)
{
    struct sheet *sheet = NULL;
    wr_mutex_lock(&figures->lock);
    if (now - figures->since >= FIGURES_SPAN) {
        figures->since = now;
        figures->written = 0;
    }
    if (figures->written >= FIGURES_FRESH_MAX && figures->last
        && now - figures->last->at < FIGURES_SPAN) {
        sheet = figures->last;
        atomic_fetch_add(&sheet->holders, 1);
    } else {
        figures->written++;
    }
    wr_mutex_unlock(&figures->lock);
    return sheet;
}

/* Who asks for them now and then leaves nothing behind. */
static void keep(struct figures *figures, struct sheet *sheet)
{
    struct sheet *old = NULL;
    wr_mutex_lock(&figures->lock);
    if (figures->written > 1 && (!figures->last || sheet->at >= figures->last->at)) {
        old = figures->last;
        figures->last = sheet;
        atomic_fetch_add(&sheet->holders, 1);
    }
    wr_mutex_unlock(&figures->lock);
    let_go(old);
}

wr_err figures_serve(struct figures *figures, struct wr_call *call)
{
    wr_time now = wr_now();
    wr_call_type(call, "text/plain; version=0.0.4; charset=utf-8");
    struct sheet *sheet = take_last(figures, now);
    wr_err err = WR_OK;
    if (!sheet) {
        err = make_sheet(&sheet, now);
        if (!err)
            keep(figures, sheet);
    }
    if (!err)
        wr_call_write(call, sheet->text, sheet->len);
    let_go(sheet);
    return err;
}
