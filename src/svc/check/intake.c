/* intake.c - the documents that were handed in: those that wait, and the reports. */
#include "svc/check/intake.h"

#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>
#include <weir/metric.h>

#include "store/cache_row.h"

#define KEPT_MAX 256
#define BYTES_MAX ((size_t)256 << 20)
#define TTL WR_S(24 * 3600)
#define WAITING_MAX 64
#define WAITING_BYTES_MAX ((size_t)512 << 20)
#define ROWS "check.report"             /* the cache of the store that has them */

static struct wr_metric kept_metric = {
    .name = "check_reports", .help = "Documents and reports that are kept in memory.",
    .type = WR_GAUGE, .svc = "check",
};
static struct wr_metric refused_metric = {
    .name = "check_refused_total", .help = "Documents that were refused because many wait.",
    .type = WR_COUNTER, .svc = "check",
};

/* In the order in which they came. */
struct kept { struct dossier *dossier; size_t body; };

struct intake {
    struct wr_mutex guard;
    struct intake_conf conf;
    struct wr_chan *waiting;
    struct kept *kept;
    size_t count, room;
    size_t waiting_bytes;           /* of bodies whose dossiers have not ended */
};

static void drop_waiting(void *item)
{
    struct dossier *dossier = *(struct dossier **)item;
    dossier_fail(dossier, WR_DRAINING, "the node was stopped before it was its turn");
    dossier_unref(dossier);
}

static void fill(struct intake_conf *to, const struct intake_conf *from)
{
    to->kept_max = from->kept_max ? from->kept_max : KEPT_MAX;
    to->bytes_max = from->bytes_max ? from->bytes_max : BYTES_MAX;
    to->ttl = from->ttl ? from->ttl : TTL;
    to->waiting_bytes_max = from->waiting_bytes_max ? from->waiting_bytes_max
                                                    : WAITING_BYTES_MAX;
}

wr_err intake_new(struct intake **ret, const struct intake_conf *conf)
{
    struct intake *intake = calloc(1, sizeof(*intake));
    if (!intake)
        return WR_NOMEM;
    intake->guard = (struct wr_mutex)WR_MUTEX("check.intake", 690);
    fill(&intake->conf, conf);
    intake->conf.store = conf->store;
    intake->conf.waiting_max = conf->waiting_max ? conf->waiting_max : WAITING_MAX;
    wr_err err = wr_chan_new(&intake->waiting, &(struct wr_chan_conf){
        .name = "check.documents", .item_size = sizeof(struct dossier *),
        .cap = intake->conf.waiting_max, .policy = WR_REJECT, .drop = drop_waiting });
    if (err) {
        free(intake);
        return err;
    }
    *ret = intake;
    return WR_OK;
}

void intake_free(struct intake *intake)
{
    if (!intake)
        return;
    wr_chan_close(intake->waiting);
    wr_chan_free(intake->waiting);
    for (size_t i = 0; i < intake->count; i++)
        dossier_unref(intake->kept[i].dossier);
    free(intake->kept);
    wr_mutex_fini(&intake->guard);
    free(intake);
}

void intake_tune(struct intake *intake, const struct intake_conf *conf)
{
    wr_mutex_lock(&intake->guard);
    fill(&intake->conf, conf);
    wr_mutex_unlock(&intake->guard);
    intake_tidy(intake);
}

struct wr_chan *intake_waiting(struct intake *intake)
{
    return intake->waiting;
}

/* ---- the list, with its guard held ---- */

static bool has_ended(struct dossier *dossier, struct dossier_view *view)
{
    *view = dossier_view(dossier);
    return view->state == DOSSIER_DONE || view->state == DOSSIER_FAILED;
}

static void remove_at(struct intake *intake, size_t index)
{
    intake->waiting_bytes -= intake->kept[index].body;
    dossier_unref(intake->kept[index].dossier);
    memmove(&intake->kept[index], &intake->kept[index + 1],
            (intake->count - index - 1) * sizeof(*intake->kept));
    intake->count--;
}

static struct kept *place_of(struct intake *intake, const char *id)
{
    for (size_t i = 0; i < intake->count; i++)
        if (strcmp(dossier_id(intake->kept[i].dossier), id) == 0)
            return &intake->kept[i];
    return NULL;
}

/* The oldest go first; those that have not ended stay. */
static void tidy(struct intake *intake, size_t more)
{
    struct dossier_view view;
    size_t bytes = 0, over = 0;
    for (size_t i = 0; i < intake->count; i++)
        bytes += dossier_view(intake->kept[i].dossier).bytes;
    if (intake->count + more > intake->conf.kept_max)
        over = intake->count + more - intake->conf.kept_max;
    for (size_t i = 0; i < intake->count;) {
        bool ended = has_ended(intake->kept[i].dossier, &view);
        bool old = ended && wr_now() - view.ended >= intake->conf.ttl;
        if (!ended || !(old || over > 0 || bytes > intake->conf.bytes_max)) {
            i++;
            continue;
        }
        bytes -= view.bytes;
        over -= over > 0;
        remove_at(intake, i);
    }
    wr_gauge_set(wr_metric_gauge(&kept_metric), (int64_t)intake->count);
}

static bool make_room(struct intake *intake)
{
    if (intake->count < intake->room)
        return true;
    size_t room = intake->room ? 2 * intake->room : 16;
    struct kept *kept = realloc(intake->kept, room * sizeof(*kept));
    if (kept) {
        intake->kept = kept;
        intake->room = room;
    }
    return kept;
}

void intake_tidy(struct intake *intake)
{
    wr_mutex_lock(&intake->guard);
    tidy(intake, 0);
    wr_mutex_unlock(&intake->guard);
}

/* ---- handing in ---- */

/* With its guard held. */
static wr_err keep(struct intake *intake, struct dossier *dossier, size_t body)
{
    tidy(intake, 1);
    if (intake->count >= intake->conf.kept_max
        || intake->waiting_bytes + body > intake->conf.waiting_bytes_max)
        return WR_BUSY;
    if (!make_room(intake))
        return WR_NOMEM;
    wr_err err = wr_chan_send(intake->waiting, &dossier, WR_NOW);
    if (err)
        return err == WR_CLOSED ? WR_DRAINING : WR_BUSY;
    (void)dossier_ref(dossier);
    intake->kept[intake->count++] = (struct kept){ dossier, body };
    intake->waiting_bytes += body;
    return WR_OK;
}

wr_err intake_take(struct intake *intake, const struct dossier_conf *conf, struct dossier **ret)
{
    size_t body = conf->body->len;
    struct dossier *dossier;
    wr_err err = dossier_new(&dossier, conf);
    if (err)
        return err;
    (void)dossier_ref(dossier);             /* of who receives it */
    wr_mutex_lock(&intake->guard);
    err = keep(intake, dossier, body);
    wr_mutex_unlock(&intake->guard);
    if (!err) {
        *ret = dossier;
        return WR_OK;
    }
    wr_counter_add(wr_metric_counter(&refused_metric), 1);
    dossier_unref(dossier);
    dossier_unref(dossier);
    return err;
}

/* ---- reports ---- */

static wr_err forget(struct intake *intake, const char *id, wr_time deadline)
{
    return store_cache_put(intake->conf.store, ROWS, id, strlen(id), NULL, wr_wall(), deadline);
}

/* Whoever withdraws it meanwhile has put "nothing" there before: that is said again. */
static void put_away(struct intake *intake, struct dossier *dossier, wr_time ttl,
                     wr_time deadline)
{
    const char *id = dossier_id(dossier);
    struct wr_bytes *bytes = dossier_pack(dossier);
    struct wr_wall until = wr_wall();
    until.ns += ttl;
    if (bytes && bytes->len <= STORE_CACHE_ANSWER_MAX)
        (void)!store_cache_put(intake->conf.store, ROWS, id, strlen(id),
                               &STORE_BLOB(bytes->data, bytes->len), until, deadline);
    wr_bytes_unref(bytes);
    if (dossier_withdrawn(dossier))
        (void)!forget(intake, id, deadline);
}

void intake_ended(struct intake *intake, struct dossier *dossier, wr_time deadline)
{
    wr_mutex_lock(&intake->guard);
    struct kept *kept = place_of(intake, dossier_id(dossier));
    if (kept) {
        intake->waiting_bytes -= kept->body;
        kept->body = 0;
    }
    wr_time ttl = intake->conf.ttl;
    tidy(intake, 0);
    wr_mutex_unlock(&intake->guard);
    if (kept && intake->conf.store && dossier_view(dossier).state == DOSSIER_DONE)
        put_away(intake, dossier, ttl, deadline);
}

static wr_err fetch(struct intake *intake, const char *id, struct dossier **ret,
                    wr_time deadline)
{
    struct store_cached cached;
    wr_err err = store_cache_get(intake->conf.store, ROWS, id, strlen(id), &cached, deadline);
    if (err)
        return err;
    err = cached.nothing ? WR_NOTFOUND
                         : dossier_unpack(ret, id, cached.answer.bytes, cached.answer.len);
    store_cache_free(&cached);
    return err == WR_INVALID ? WR_NOTFOUND : err;
}

wr_err intake_find(struct intake *intake, const char *id, struct dossier **ret,
                   wr_time deadline)
{
    if (strlen(id) != DOSSIER_ID_MAX - 1)
        return WR_NOTFOUND;
    wr_mutex_lock(&intake->guard);
    tidy(intake, 0);
    struct kept *kept = place_of(intake, id);
    *ret = kept ? dossier_ref(kept->dossier) : NULL;
    wr_mutex_unlock(&intake->guard);
    if (*ret)
        return WR_OK;
    return intake->conf.store ? fetch(intake, id, ret, deadline) : WR_NOTFOUND;
}

wr_err intake_drop(struct intake *intake, const char *id, wr_time deadline)
{
    struct dossier *dossier;
    wr_err err = intake_find(intake, id, &dossier, deadline);
    if (err)
        return err;
    wr_mutex_lock(&intake->guard);
    struct kept *kept = place_of(intake, id);
    if (kept)
        remove_at(intake, (size_t)(kept - intake->kept));
    wr_mutex_unlock(&intake->guard);
    dossier_withdraw(dossier);
    dossier_unref(dossier);
    if (!intake->conf.store)
        return WR_OK;
    return forget(intake, id, deadline);
}

void intake_running(struct intake *intake, void (*each)(struct dossier *dossier))
{
    struct dossier **all;
    size_t count = 0;
    wr_mutex_lock(&intake->guard);
    all = calloc(intake->count + 1, sizeof(struct dossier *));
    for (size_t i = 0; all && i < intake->count; i++)
        if (dossier_view(intake->kept[i].dossier).state == DOSSIER_RUNNING)
            all[count++] = dossier_ref(intake->kept[i].dossier);
    wr_mutex_unlock(&intake->guard);
    for (size_t i = 0; i < count; i++) {
        each(all[i]);
        dossier_unref(all[i]);
    }
    free(all);
}
