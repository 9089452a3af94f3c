/* store_int.h - what stands between the calls and the engines. */
#ifndef WR_STORE_INT_H
#define WR_STORE_INT_H

#include <weir/lane.h>
#include <weir/sem.h>

#include "store/store.h"
#include "store/verb.h"
#include "store/wake.h"

/* A verb that somebody waits for, on that fiber's stack. */
struct store_act {
    struct wr_lane_item item;       /* first: the writer's lane has it by this */
    const struct store_verb *verb;
    struct store_values values;
    struct store_rows rows;
    wr_err (*alone)(void *engine, struct store_act *act);   /* instead of a verb, on the
                                                             * writer, between transactions */
};

struct store_ask;
struct store_answer;

struct store_engine {
    /* `rest` is the url after the scheme. */
    wr_err (*open)(void **ret, const struct store_conf *conf, const char *rest,
                   struct store_why *why, wr_time deadline);
    void (*close)(void *engine, wr_time deadline);
    wr_err (*act)(void *engine, struct store_act *act, wr_time deadline, const char *place);
    void (*health)(void *engine, struct store_health *ret);
    wr_err (*check)(void *engine, struct store_why *why, wr_time deadline);
    wr_err (*backup)(void *engine, const char *path, struct store_why *why, wr_time deadline);
    const char *(*path)(void *engine);      /* of its file, beside which blobs may lie; or
                                             * NULL: they are rows */
    /* sql_read.h */
    wr_err (*select)(void *engine, const struct store_ask *ask, struct store_answer *ret,
                     struct store_why *why, wr_time deadline);
    /* Where others write too; NULL where nobody does.  From now on raise what they have
     * queued; tell them what was queued here. */
    wr_err (*listen)(void *engine, struct wakes *wakes, struct store_why *why,
                     wr_time deadline);
    void (*tell)(void *engine, const char *name);
};

extern const struct store_engine store_sqlite, store_pg;

struct store {
    const struct store_engine *engine;
    void *state;
    struct wakes wakes;
    struct wr_sem *asking;          /* sql_read.h: a unit for each that is answered */
};

/* Something was queued under this name, and committed: wake who waits, here and elsewhere. */
void store_wake(struct store *store, const char *name);

/* Say why, in the words of printf. */
void store_say(struct store_why *why, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct store_jobs;

/* Read the jobs out of its rows, as these come or in the order in which jobs are claimed. */
void store_jobs_read(struct store_jobs *jobs, bool sort);

/* The task of the job ?1 is held: a stop comes before, and is seen, or after. */
extern const struct store_verb store_job_hold_task;

/* The state of a job by the number that its row has. */
enum store_job_state store_job_state_of(int64_t state);

/* ---- rows.c: results as they are built, value by value ---- */

struct rows {
    struct store_value *values;
    size_t count, cap;              /* values */
    char *bytes;
    size_t len, bytes_cap;
    wr_err err;                     /* NOMEM, INVALID (too large); stays */
};

void rows_null(struct rows *rows);
void rows_int(struct rows *rows, int64_t number);
void rows_real(struct rows *rows, double real);
void rows_bytes(struct rows *rows, enum store_type type, const void *bytes, size_t len);

/* What was built, row by row of so many columns; nothing after an error. */
wr_err rows_done(struct rows *rows, size_t columns, struct store_rows *ret);

#endif
