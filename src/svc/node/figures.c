/* figures.c - see figures.h. */
#include "svc/node/figures.h"

#include <stdlib.h>

#include <weir/lock.h>
#include <weir/metric.h>
#include <weir/task.h>

#define RANK_COUNTERS 30
#define FIRST ((size_t)64 << 10)
#define MAX ((size_t)4 << 20)
#define WITHIN WR_MS(100)

struct figures {
    struct wr_mutex lock;           /* of what follows */
    wr_time since;                  /* so many were written from here on: */
    unsigned written;
    char *text;                     /* the last one, of when it was begun; NULL: none */
    size_t len;
    wr_time at;
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

void figures_free(struct figures *figures)
{
    if (!figures)
        return;
    wr_mutex_fini(&figures->lock);
    free(figures->text);
    free(figures);
}

/* They are read by one at a time, which takes a moment: who comes then looks again. */
static wr_err write_text(size_t *len, char *buf, size_t cap)
{
    wr_time until = wr_after(WITHIN);
    wr_err err;
    while ((err = wr_metric_write(len, buf, cap)) == WR_BUSY && wr_now() < until)
        if (wr_yield())
            break;
    return err;
}

/* How long they are is known when they are written: a second time with room enough. */
static wr_err make_text(char **ret, size_t *ret_len)
{
    wr_err err = WR_NOMEM;
    *ret = NULL;
    *ret_len = FIRST;
    for (int i = 0; i < 3 && err == WR_NOMEM && *ret_len <= MAX; i++) {
        size_t cap = *ret_len + *ret_len / 8 + 1;
        free(*ret);
        *ret = malloc(cap);
        err = *ret ? write_text(ret_len, *ret, cap) : WR_NOMEM;
    }
    return err;
}

/* Whether they were written often enough of late, and the last ones do. */
static bool serve_again(struct figures *figures, struct wr_call *call, wr_time now)
{
    wr_mutex_lock(&figures->lock);
    if (now - figures->since >= FIGURES_SPAN) {
        figures->since = now;
        figures->written = 0;
    }
    bool enough = figures->written >= FIGURES_FRESH_MAX && figures->text
        && now - figures->at < FIGURES_SPAN;
    if (enough)
        wr_call_write(call, figures->text, figures->len);
    else
        figures->written++;
    wr_mutex_unlock(&figures->lock);
    return enough;
}

/* Who asks for them now and then leaves nothing behind.  Returns what is not needed. */
static char *keep(struct figures *figures, char *text, size_t len, wr_time at)
{
    wr_mutex_lock(&figures->lock);
    if (figures->written > 1 && (!figures->text || at >= figures->at)) {
        char *old = figures->text;
        figures->text = text;
        figures->len = len;
        figures->at = at;
        text = old;
    }
    wr_mutex_unlock(&figures->lock);
    return text;
}

wr_err figures_serve(struct figures *figures, struct wr_call *call)
{
    wr_time now = wr_now();
    char *text;
    size_t len;
    wr_call_type(call, "text/plain; version=0.0.4; charset=utf-8");
    if (serve_again(figures, call, now))
        return WR_OK;
    wr_err err = make_text(&text, &len);
    if (!err) {
        wr_call_write(call, text, len);
        text = keep(figures, text, len, now);
    }
    free(text);
    return err;
}
