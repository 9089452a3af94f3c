/* pg_writer.c - one transaction for everybody who came during the last one; see pg.h. */
#include <weir/task.h>

#include "store/pg.h"

#define BATCH_TIME_MAX WR_S(15)     /* with all its repetitions */
#define STATEMENT_TIME_MAX WR_S(5)
#define LOCK_TIME_MAX WR_S(2)
#define FAULTS_MAX 3                /* repetitions of a batch; then one verb at a time */
#define CANCEL_TIME_MAX WR_S(1)

struct writer {
    struct pg *pg;
    struct pg_conn *conn;
    unsigned failures;
};

/* ---- its connection ---- */

/* The state and what the desk says of it change together: writers come and go at once. */
static void degrade(struct pg *pg, const char *why)
{
    wr_mutex_lock(&pg->guard);
    bool down = pg->writers_up == 0;
    if (down && pg->health.state == STORE_OK) {
        wr_gauge_add(pg->figures.degraded, 1);
        store_say(&pg->health.why, "%.180s; it is tried again and goes on by itself", why);
    }
    if (down) {
        pg->health.state = STORE_DEGRADED;
        wr_desk_refuse(pg->desk, WR_IO);
    }
    wr_mutex_unlock(&pg->guard);
}

static void recover(struct pg *pg)
{
    wr_mutex_lock(&pg->guard);
    pg->writers_up++;
    pg->suspect = false;
    if (pg->health.state == STORE_DEGRADED)
        wr_gauge_add(pg->figures.degraded, -1);
    pg->health.state = STORE_OK;
    pg->health.why.text[0] = '\0';
    wr_desk_refuse(pg->desk, WR_OK);
    wr_mutex_unlock(&pg->guard);
}

/* One that can be written to: where the server has refused that, it is tried. */
static wr_err connect_once(struct writer *writer, struct store_why *why)
{
    static const char probe[] = "insert into probe (id, at) values (-1, now_ms())"
                                " on conflict (id) do update set at = excluded.at";
    static const char durable[] = "select set_config('synchronous_commit', 'on', false)"
                                  " where current_setting('synchronous_commit') = 'off'";
    struct pg *pg = writer->pg;
    wr_time deadline = wr_after(PG_CONNECT_MAX);
    wr_err err = pg_open(&writer->conn, pg->url, &(struct pg_limits){
        .statement = STATEMENT_TIME_MAX, .lock = LOCK_TIME_MAX }, why, deadline);
    if (err)
        return err;
    wr_mutex_lock(&pg->guard);
    bool suspect = pg->suspect;
    wr_mutex_unlock(&pg->guard);
    err = pg_exec(writer->conn, durable, deadline);
    if (!err && suspect)
        err = pg_exec(writer->conn, probe, deadline);
    if (err) {
        store_say(why, "%s", pg_said(writer->conn));
        pg_close(writer->conn);
        writer->conn = NULL;
    }
    return err;
}

/* Try once.  Errors: that it failed. */
static wr_err connect_now(struct writer *writer)
{
    struct store_why why;
    wr_err err = connect_once(writer, &why);
    if (!err) {
        writer->failures = 0;
        recover(writer->pg);
        return WR_OK;
    }
    writer->failures++;
    if (err != WR_CANCELED)
        degrade(writer->pg, why.text);
    return err;
}

static void lose(struct writer *writer)
{
    struct pg *pg = writer->pg;
    wr_mutex_lock(&pg->guard);
    pg->writers_up--;
    pg->suspect |= pg_refused(writer->conn);
    wr_mutex_unlock(&pg->guard);
    if (pg_refused(writer->conn))
        degrade(pg, pg_said(writer->conn));
    pg_close(writer->conn);
    writer->conn = NULL;
}

/* ---- a batch ---- */

static void end(struct store_act *act, wr_err err)
{
    if (err)
        store_rows_free(&act->rows);
    act->item.err = err;
}

/* Each in a transaction of its own. */
static void write_each(struct writer *writer, struct store_act **acts, size_t count,
                       wr_time deadline)
{
    for (size_t i = 0; i < count; i++) {
        wr_err err = WR_BUSY;
        size_t at;
        for (int tries = 0; tries < FAULTS_MAX && err == WR_BUSY; tries++)
            err = pg_failed(writer->conn) ? WR_IO
                : wr_now() >= deadline ? WR_TIMEOUT
                : pg_batch(writer->conn, &acts[i], 1, &at, deadline);
        if (pg_failed(writer->conn))
            err = WR_IO;
        end(acts[i], err == WR_BUSY ? WR_TIMEOUT : err);    /* that it was not done is known */
    }
}

/* All in one transaction; without those that fail by their own fault. */
static void write_all(struct writer *writer, struct store_act **acts, size_t count)
{
    wr_time deadline = wr_after(BATCH_TIME_MAX);
    for (int faults = 0; count > 0; faults++) {
        size_t at = 0;
        if (faults == FAULTS_MAX) {
            write_each(writer, acts, count, deadline);
            return;
        }
        wr_err err = pg_batch(writer->conn, acts, count, &at, deadline);
        if (!err || pg_failed(writer->conn)) {
            for (size_t i = 0; i < count; i++)
                end(acts[i], err ? WR_IO : WR_OK);
            return;
        }
        if (err == WR_BUSY)
            continue;
        end(acts[at], err);
        for (count--; at < count; at++)
            acts[at] = acts[at + 1];
    }
}

static void note(struct pg *pg, size_t count, wr_time took)
{
    wr_mutex_lock(&pg->guard);
    pg->health.writes += count;
    pg->health.batches++;
    pg->health.batches_slow += took > METER_SLOW;
    wr_mutex_unlock(&pg->guard);
    wr_counter_add(pg->figures.writes, count);
    wr_histogram_observe(pg->figures.batch, took);
}

/* What was sent to a server that has gone meanwhile is lost; what was not sent waits for a
 * new connection. */
static void write_items(struct writer *writer, struct wr_lane_item *const *items, size_t count)
{
    struct store_act *acts[PG_BATCH_MAX];
    if (!pg_alive(writer->conn)) {
        lose(writer);
        (void)!connect_now(writer);
    }
    for (size_t i = 0; i < count; i++) {
        acts[i] = (struct store_act *)(void *)items[i];
        acts[i]->item.err = WR_IO;
    }
    if (!writer->conn)
        return;
    wr_time start = wr_now();
    write_all(writer, acts, count);
    if (!pg_failed(writer->conn)) {
        note(writer->pg, count, wr_now() - start);
        return;
    }
    if (!pg_refused(writer->conn))
        pg_cancel(writer->conn, wr_after(CANCEL_TIME_MAX));
    lose(writer);
}

wr_err pg_write(void *arg)
{
    struct writer writer = { .pg = arg };
    struct pg *pg = arg;
    wr_err err = WR_OK;
    while (!err) {
        struct wr_lane_item *items[PG_BATCH_MAX];
        size_t count;
        if (!writer.conn) {
            err = wr_scope_check();
            if (!err && connect_now(&writer))
                err = wr_sleep(wr_after(pg_pause(pg, writer.failures)));
            continue;
        }
        err = wr_desk_take(pg->desk, items, pg->batch_max, &count, WR_NEVER);
        if (err)
            break;
        write_items(&writer, items, count);
        wr_desk_done(pg->desk, items, count);
    }
    wr_desk_refuse(pg->desk, WR_CLOSED);
    pg_close(writer.conn);
    return err;
}
