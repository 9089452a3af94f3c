/* ask_rig.h - somebody outside, as a call: answers, delays and errors by a script.
 *
 *     struct outsider crossref = { .takes = WR_MS(20) };
 *     err = wr_way_ask(WR_RETRIED(retry, OUTSIDER(&crossref)), &ask, deadline);
 *     CHECK_EQ(3, crossref.asked);
 */
#ifndef WR_TESTING_ASK_RIG_H
#define WR_TESTING_ASK_RIG_H

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <weir/ask.h>
#include <weir/task.h>

#define OUTSIDER_SCRIPT_MAX 32

struct outsider {
    wr_err script[OUTSIDER_SCRIPT_MAX];     /* one after the other, then WR_OK */
    wr_err always;                          /* ... or this, if it is an error */
    wr_time takes;
    wr_time takes_of[8];                    /* by target, if not 0 */
    wr_err always_of[8];
    wr_time retry_after;                    /* with BUSY */
    const char *text;                       /* of the answer; "answer" */
    _Atomic uint32_t asked, ended, canceled;
    _Atomic wr_time last;                   /* when it was last asked */
};

static inline wr_err outsider_ask(const struct wr_way *way, struct wr_ask *ask,
                                  wr_time deadline)
{
    struct outsider *outsider = way->self;
    uint32_t number = atomic_fetch_add(&outsider->asked, 1);
    outsider->last = wr_now();
    wr_time takes = ask->target < 8 && outsider->takes_of[ask->target]
                        ? outsider->takes_of[ask->target] : outsider->takes;
    wr_time done = wr_after(takes);
    wr_err err = wr_sleep(done < deadline ? done : deadline);
    atomic_fetch_add(&outsider->ended, 1);
    if (err) {
        atomic_fetch_add(&outsider->canceled, err == WR_CANCELED);
        return err;
    }
    if (done > deadline)
        return WR_TIMEOUT;
    err = number < OUTSIDER_SCRIPT_MAX ? outsider->script[number] : WR_OK;
    err = err ? err : outsider->always;
    if (!err && ask->target < 8)
        err = outsider->always_of[ask->target];
    ask->retry_after = err == WR_BUSY ? outsider->retry_after : 0;
    const char *text = outsider->text ? outsider->text : "answer";
    return err ? err : wr_bytes_copy(&ask->answer, text, strlen(text));
}

#define OUTSIDER(outsider) WR_WAY(outsider_ask, outsider)

static inline const char *ask_text(const struct wr_ask *ask)
{
    return ask->answer ? (const char *)ask->answer->data : "(none)";
}

#endif
