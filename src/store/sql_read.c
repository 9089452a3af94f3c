#include "store/sql_read.h"

#include <string.h>

#include "store/schema.h"
#include "store/store_int.h"

/* Jobs as people know them: open and finished ones together, with words for their states. */
#define STATE_WORD "case when state < 2 then 'queued' when state = 2 then 'running'" \
    " when state = 3 then 'awaiting_auth' when state = 4 then 'completed'" \
    " when state = 5 then 'failed'" \
    " else 'cancelled' end"
#define JOBS_VIEW "create view jobs as select id, task as task_id, kind, slot, priority, " \
    STATE_WORD " as state, attempt, queued_at, started_at, null as finished_at," \
    " input as input_json, null as output_json, null as error_message from job" \
    " union all select id, task, kind, slot, priority, " STATE_WORD \
    ", attempt, queued_at, started_at, finished_at, input, output, error from job_done;"

#define JOBS_ANEW "drop view jobs;" JOBS_VIEW      /* 0 had no word before */

const struct store_step store_job_view = { .sqlite = JOBS_VIEW, .postgres = JOBS_VIEW };
const struct store_step store_job_view_anew = { .sqlite = JOBS_ANEW, .postgres = JOBS_ANEW };

wr_err store_select(struct store *store, const struct store_ask *ask, struct store_answer *ret,
                    struct store_why *why, wr_time deadline)
{
    WR_ASSERT(ask->rows_max > 0 && ask->rows_max <= STORE_ASK_ROWS_MAX);
    WR_ASSERT(ask->time_max > 0 && ask->time_max <= STORE_ASK_TIME_MAX);
    WR_ASSERT(ask->steps_max > 0 && ask->steps_max <= STORE_ASK_STEPS_MAX);
    *ret = (struct store_answer){ 0 };
    store_say(why, "the statement was not begun in time");
    if (strlen(ask->sql) > STORE_ASK_SQL_MAX) {
        store_say(why, "the statement has %zu bytes, at most %d are allowed", strlen(ask->sql),
                  STORE_ASK_SQL_MAX);
        return WR_INVALID;
    }
    wr_err err = wr_sem_acquire(store->asking, deadline);
    if (err == WR_TIMEOUT || err == WR_BUSY) {
        store_say(why, "%d statements are being answered, as many as may at a time: ask again "
                  "when one is over", STORE_ASKS_MAX);
        return WR_BUSY;
    }
    if (err)
        return err;
    err = store->engine->select(store->state, ask, ret, why, deadline);
    wr_sem_release(store->asking);
    if (err)
        store_answer_free(ret);
    return err;
}

void store_answer_free(struct store_answer *answer)
{
    store_rows_free(&answer->names);
    store_rows_free(&answer->rows);
}
