/* pg_ear.c - word between nodes; see pg.h.
 *
 * All speak by one channel, and say the name: so a node hears of a name before it knows that
 * it will wait for it, and there is one LISTEN, made before anything else.  What is said is
 * said after the commit, by this connection alone, each name once in a few milliseconds: a
 * NOTIFY inside the transactions would have them wait for one another.
 *
 * Word may be lost with the connection.  So everybody is woken after each LISTEN, and now and
 * then besides: the one poll there is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/select.h>
#include <weir/task.h>

#include "store/pg.h"

#define GATHER WR_MS(3)             /* names that are told within this are told once */
#define ASK_TIME_MAX WR_S(5)
#define LOCK_RANK 520
#define ALL "*"                     /* look at everything */
#define NAMES_MAX 256
#define WORD_MAX ((size_t)NAMES_MAX * (WAKE_NAME_MAX + 1))

struct pg_ear {
    struct pg *pg;
    struct wakes *wakes;
    struct pg_conn *conn;           /* the listening task's */
    struct wr_watch *told;
    struct wr_mutex lock;           /* of all below */
    struct wr_watch_writer writer;
    uint64_t version;
    size_t count;
    char names[NAMES_MAX][WAKE_NAME_MAX];   /* to be told */
    char words[WORD_MAX];           /* the listening task's: as they are told */
};

static const struct store_verb tell = {
    .name = "wake.tell",
    .postgres = "select pg_notify(?1, name) from"
                " unnest(string_to_array(?2, chr(10))) as name",
};

/* ---- any fiber ---- */

/* With too many names, or one that cannot be said, it is word to look at everything. */
void pg_ear_tell(struct pg_ear *ear, const char *name)
{
    size_t i = 0;
    if (strlen(name) >= WAKE_NAME_MAX || strchr(name, '\n'))
        name = ALL;
    wr_mutex_lock(&ear->lock);
    while (i < ear->count && strcmp(ear->names[i], name) != 0)
        i++;
    if (i == NAMES_MAX) {
        ear->count = 1;
        snprintf(ear->names[0], WAKE_NAME_MAX, "%s", ALL);
    } else if (i == ear->count) {
        snprintf(ear->names[ear->count++], WAKE_NAME_MAX, "%s", name);
        if (ear->count == 1) {
            ear->version++;
            wr_watch_set(&ear->writer, &ear->version);
        }
    }
    wr_mutex_unlock(&ear->lock);
}

/* ---- the task ---- */

/* Take all names, one to a line; false: there is none. */
static bool take_names(struct pg_ear *ear, char *ret)
{
    size_t len = 0;
    wr_mutex_lock(&ear->lock);
    for (size_t i = 0; i < ear->count; i++)
        len += (size_t)snprintf(ret + len, WORD_MAX - len, "%s%s", i ? "\n" : "",
                                ear->names[i]);
    bool any = ear->count > 0;
    ear->count = 0;
    wr_mutex_unlock(&ear->lock);
    return any;
}

/* It may not have been heard: it is said again when there is a connection. */
static void take_back(struct pg_ear *ear, char *names)
{
    for (char *name; (name = strsep(&names, "\n"));)
        pg_ear_tell(ear, name);
}

static wr_err speak(struct pg_ear *ear)
{
    char *names = ear->words;
    size_t at;
    if (!take_names(ear, names))
        return WR_OK;
    struct store_act act = { .verb = &tell, .values = STORE_VALUES(
        STORE_TEXT(ear->pg->channel), STORE_TEXT(names)) };
    wr_err err = pg_batch(ear->conn, &(struct store_act *){ &act }, 1, &at,
                          wr_after(ASK_TIME_MAX));
    store_rows_free(&act.rows);
    if (err)
        take_back(ear, names);
    return err;
}

static wr_err hear(struct pg_ear *ear)
{
    char name[WAKE_NAME_MAX];
    wr_err err;
    while (!(err = pg_heard(ear->conn, name, sizeof(name))))
        wakes_hear(ear->wakes, strcmp(name, ALL) == 0 ? NULL : name);
    return err == WR_NOTFOUND ? WR_OK : err;
}

static wr_err listen_anew(struct pg_ear *ear, struct store_why *why, wr_time deadline)
{
    char sql[PG_CHANNEL_MAX + 64];
    wr_err err = pg_open(&ear->conn, ear->pg->url, &(struct pg_limits){
        .statement = ASK_TIME_MAX }, why, deadline);
    if (err)
        return err;
    /* Word need not last: it would be synced like any other transaction. */
    snprintf(sql, sizeof(sql), "set synchronous_commit = off; listen %s", ear->pg->channel);
    err = pg_exec(ear->conn, sql, deadline);
    if (err) {
        store_say(why, "%s", pg_said(ear->conn));
        pg_close(ear->conn);
        ear->conn = NULL;
        return err;
    }
    pg_rest(ear->conn);
    return WR_OK;
}

/* Until the connection is lost, or the store is closed. */
static wr_err attend(struct pg_ear *ear, wr_time *sweep)
{
    struct wr_watch_reader told = wr_watch_reader(ear->told);
    wr_time due = WR_NOW;           /* when to speak; WR_NEVER: there is nothing to say */
    wr_err err = hear(ear);
    while (!err) {
        struct wr_fd *fd;
        uint64_t version;
        size_t which = 0;
        err = pg_fd(ear->conn, &fd);
        if (err)
            break;
        struct wr_case cases[] = { WR_CASE_FD(fd, WR_READABLE),
                                   WR_CASE_WATCH(&told, &version) };
        wr_err woke = wr_select(&which, cases, due == WR_NEVER ? 2 : 1,
                                due < *sweep ? due : *sweep);
        if (woke == WR_TIMEOUT)
            woke = wr_scope_check();
        else if (!woke && which == 1)
            due = wr_after(GATHER);
        err = woke ? woke : hear(ear);
        if (!err && wr_now() >= due) {
            due = WR_NEVER;
            err = speak(ear);
        }
        if (!err && wr_now() >= *sweep) {
            wakes_hear(ear->wakes, NULL);
            *sweep = wr_after(ear->pg->sweep);
        }
    }
    return err;
}

static wr_err listen_on(void *arg)
{
    struct pg_ear *ear = arg;
    struct store_why why;
    wr_time sweep = wr_after(ear->pg->sweep);
    unsigned failures = 0;
    wr_err err = WR_OK;
    while (!err) {
        if (ear->conn) {
            (void)!attend(ear, &sweep);
            pg_close(ear->conn);
            ear->conn = NULL;
        } else if (listen_anew(ear, &why, wr_after(PG_CONNECT_MAX))) {
            err = wr_sleep(wr_after(pg_pause(ear->pg, ++failures)));
        } else {
            failures = 0;
            wakes_hear(ear->wakes, NULL);
        }
        if (!err)
            err = wr_scope_check();
    }
    return err;
}

/* ---- opening and closing ---- */

wr_err pg_ear_open(struct pg *self, struct wakes *wakes, struct store_why *why,
                   wr_time deadline)
{
    struct pg_ear *ear = calloc(1, sizeof(*ear));
    store_say(why, "out of memory");
    if (!ear)
        return WR_NOMEM;
    self->ear = ear;
    ear->pg = self;
    ear->wakes = wakes;
    ear->lock = (struct wr_mutex)WR_MUTEX("store.ear", LOCK_RANK);
    wr_err err = wr_watch_new(&ear->told, &ear->writer, &(struct wr_watch_conf){
        .name = "store.told", .size = sizeof(ear->version), .initial = &ear->version });
    if (!err)
        err = listen_anew(ear, why, deadline);
    return err ? err : wr_scope_go(self->scope, "store.ear", listen_on, ear);
}

void pg_ear_close(struct pg_ear *ear)
{
    if (!ear)
        return;
    pg_close(ear->conn);
    if (ear->told) {
        wr_watch_close(&ear->writer);
        wr_watch_free(ear->told);
    }
    wr_mutex_fini(&ear->lock);
    free(ear);
}
