/* pg.c - see pg.h. */
#include "store/pg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRITERS 2
#define READERS 4
#define QUEUE_MAX 4096
#define SWEEP WR_S(2)
#define LOCK_RANK 510
#define CHECK_ROWS_MAX WR_S(600)

wr_time pg_pause(struct pg *self, unsigned failures)
{
    wr_time pause = PG_PAUSE_MIN;
    for (unsigned i = 1; i < failures && pause < PG_PAUSE_MAX; i++)
        pause *= 2;
    pause = pause < PG_PAUSE_MAX ? pause : PG_PAUSE_MAX;
    return wr_rand_draw(&self->jitter, pause / 2, pause);
}

/* ---- opening and closing ---- */

static void discard(struct pg *self)
{
    struct pg_conn *conn;
    if (self->scope) {
        wr_scope_cancel(self->scope);
        (void)!wr_scope_close(self->scope);
    }
    pg_ear_close(self->ear);
    while (self->broken && !wr_chan_recv(self->broken, &conn, WR_NOW))
        pg_close(conn);
    while (self->spare_count)
        pg_close(self->spare[--self->spare_count]);
    for (size_t i = 0; i < STORE_ASKS_MAX; i++)
        pg_close(self->askers[i].conn);
    if (self->health.state == STORE_DEGRADED)
        wr_gauge_add(self->figures.degraded, -1);
    wr_chan_free(self->broken);
    wr_sem_free(self->reading);
    wr_desk_free(self->desk);
    wr_mutex_fini(&self->guard);
    free(self->url);
    free(self);
}

/* Its tasks end at their next wait; a batch that is under way is cut off, but nobody waits for
 * one when a store is closed. */
static void pg_shut(void *engine, wr_time deadline)
{
    (void)deadline;
    discard(engine);
}

static wr_err pg_new(struct pg **ret, const struct store_conf *conf)
{
    struct pg *self = calloc(1, sizeof(*self));
    if (!self)
        return WR_NOMEM;
    *ret = self;
    self->guard = (struct wr_mutex)WR_MUTEX("store.pg", LOCK_RANK);
    meter_init(&self->figures);
    wr_rand_share_from_world(&self->jitter);
    self->writer_count = conf->writers ? conf->writers : WRITERS;
    self->reader_count = conf->readers ? conf->readers : READERS;
    self->batch_max = conf->batch_max ? conf->batch_max : PG_BATCH_MAX;
    self->read_max = conf->read_max;
    self->sweep = conf->sweep ? conf->sweep : SWEEP;
    WR_ASSERT(self->reader_count <= PG_READERS_MAX && self->batch_max <= PG_BATCH_MAX);
    self->url = strdup(conf->url);
    wr_err err = self->url ? WR_OK : WR_NOMEM;
    if (!err)
        err = wr_desk_new(&self->desk, "store.writer",
                          conf->queue_max ? conf->queue_max : QUEUE_MAX, self->writer_count);
    if (!err)
        err = wr_sem_new(&self->reading, "store.readers", self->reader_count);
    if (!err)
        err = wr_sem_try_acquire_many(self->reading, self->reader_count);
    if (!err)
        err = wr_chan_new(&self->broken, &(struct wr_chan_conf){
            .name = "store.broken", .item_size = sizeof(struct pg_conn *),
            .cap = self->reader_count, .policy = WR_REJECT });
    if (!err)
        err = wr_scope_new(&self->scope, &(struct wr_scope_conf){
            .name = "store", .deadline = WR_NEVER, .independent = true });
    return err;
}

static wr_err make_tables(struct pg *self, struct store_why *why, wr_time deadline)
{
    struct pg_conn *conn;
    wr_err err = pg_open(&conn, self->url, &(struct pg_limits){ 0 }, why, deadline);
    if (err)
        return err;
    err = pg_schema(conn, self->channel, why, deadline);
    pg_close(conn);
    return err;
}

static wr_err start(struct pg *self)
{
    wr_err err = wr_scope_go(self->scope, "store.mender", pg_mend, self);
    for (unsigned i = 0; i < self->writer_count && !err; i++)
        err = wr_scope_go(self->scope, "store.writer", pg_write, self);
    return err;
}

static wr_err pg_begin(void **ret, const struct store_conf *conf, const char *rest,
                       struct store_why *why, wr_time deadline)
{
    struct pg *self = NULL;
    (void)rest;
    store_say(why, "out of memory");
    wr_err err = pg_new(&self, conf);
    if (!err)
        err = make_tables(self, why, deadline);
    if (!err)
        err = start(self);
    if (err) {
        if (self)
            discard(self);
        return err;
    }
    *ret = self;
    return WR_OK;
}

static wr_err pg_listen(void *engine, struct wakes *wakes, struct store_why *why,
                        wr_time deadline)
{
    return pg_ear_open(engine, wakes, why, deadline);
}

static void pg_tell(void *engine, const char *name)
{
    struct pg *self = engine;
    pg_ear_tell(self->ear, name);
}

/* ---- verbs ---- */

static wr_err pg_act(void *engine, struct store_act *act, wr_time deadline, const char *place)
{
    struct pg *self = engine;
    return act->verb->writes ? wr_desk_do(self->desk, &act->item, deadline, place)
                             : pg_read(self, act, deadline);
}

/* ---- its health ---- */

static void pg_health(void *engine, struct store_health *ret)
{
    struct pg *self = engine;
    wr_mutex_lock(&self->guard);
    *ret = self->health;
    wr_mutex_unlock(&self->guard);
}

/* Every row of every table is read, and what must hold between them is looked at; checksums of
 * pages are the server's own matter, and amcheck's. */
static const struct store_verb check_all = {
    .name = "store.check",
    .postgres =
        "select 'a job is open and finished at once: ' || min(j.id) from job j"
        "  join job_done d using (id) having count(*) > 0"
        " union all select 'a job is in a state that does not exist: ' || min(id) from job"
        "  where state not between 1 and 3 or (state = 2 and lease_until is null)"
        "  having count(*) > 0"
        " union all select 'an intent belongs to no run: ' || min(i.key) from intent i"
        "  left join run r on r.key = i.run where r.key is null having count(*) > 0"
        " union all select null where (select count(*) from cache_row where answer is not null)"
        "  + (select count(*) from budget where free_us is null)"
        "  + (select count(*) from once where body is not null)"
        "  + (select count(*) from pointer where value is null)"
        "  + (select count(*) from audit where type is null)"
        "  + (select count(*) from blob where length(bytes) < 0)"
        "  + (select count(*) from ledger where amount is null)"
        "  + (select count(*) from pages where url is null)"
        "  + (select count(*) from fragments where octet_length(text_content) < 0)"
        "  + (select count(*) from claims where octet_length(claim_text) < 0)"
        "  + (select count(*) from edges where relation is null)"
        "  + (select count(*) from works where updated_at is null)"
        "  + (select count(*) from serp_items where url is null)"
        "  + (select count(*) from resource_index where status is null)"
        "  + (select count(*) from job_done where octet_length(coalesce(input, '')"
        "     || coalesce(output, '') || coalesce(error, '')) < 0) < 0",
};

static wr_err pg_check(void *engine, struct store_why *why, wr_time deadline)
{
    struct pg *self = engine;
    struct pg_conn *conn;
    size_t at;
    struct store_act act = { .verb = &check_all };
    wr_err err = pg_open(&conn, self->url, &(struct pg_limits){
        .statement = CHECK_ROWS_MAX }, why, deadline);
    if (err)
        return err;
    err = pg_batch(conn, &(struct store_act *){ &act }, 1, &at, deadline);
    if (err) {
        store_say(why, "%s", pg_said(conn));
        if (pg_failed(conn))
            pg_cancel(conn, wr_after(WR_S(1)));
    } else if (act.rows.count) {
        store_say(why, "%.200s", store_text(&act.rows, 0, 0));
        err = WR_IO;
    }
    store_rows_free(&act.rows);
    pg_close(conn);
    return err;
}

static wr_err pg_backup(void *engine, const char *path, struct store_why *why, wr_time deadline)
{
    (void)engine;
    (void)deadline;
    store_say(why, "a store on a server is not copied to %.100s: use pg_dump, or the server's "
              "own continuous archiving", path);
    return WR_UNSUPPORTED;
}

static const char *pg_path(void *engine)
{
    (void)engine;
    return NULL;
}

const struct store_engine store_pg = {
    .open = pg_begin, .close = pg_shut, .act = pg_act, .health = pg_health,
    .check = pg_check, .backup = pg_backup, .path = pg_path, .listen = pg_listen,
    .tell = pg_tell, .select = pg_select,
};
