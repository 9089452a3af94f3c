/* meaning_rig.h - a queue whose explorer asks models that are none (model_rig.h), and evidence
 * that is there already.
 *
 *     static struct meaning_rig rig;
 *     meaning_rig_open(&rig, store, MEANING_EMBEDS | MEANING_JUDGES);
 *     rig_page(store, &(struct rig_page){ .url = "http://a.test/1", .task = rig.task, ... });
 *     meaning_rig_job(&rig, QUEUE_VERIFY, STORE_JOB_COMPLETED);
 *     ...meaning_rig_said(&rig, QUEUE_VERIFY, STORE_JOB_COMPLETED)
 *     meaning_rig_close(&rig);
 */
#ifndef WR_TESTING_MEANING_RIG_H
#define WR_TESTING_MEANING_RIG_H

#include "svc/queue/explorer_int.h"
#include "testing/evidence_rig.h"
#include "testing/model_rig.h"
#include "testing/queue_rig.h"

#define RIG_MEANING __attribute__((unused)) static

enum { MEANING_EMBEDS = 1, MEANING_JUDGES = 2 };

struct meaning_rig {
    struct model_rig embeds, judges;    /* may have a script before they are opened */
    struct meaning meaning;
    struct wr_scope *scope;
    struct explorer *explorer;
    struct sources *none;
    struct queue_rig jobs;
    uint64_t done[QUEUE_KINDS][STORE_JOB_CANCELED + 1];
    char task[QUEUE_ID];
};

/* Zero but for scripts. */
RIG_MEANING void meaning_rig_open(struct meaning_rig *rig, struct store *store, unsigned which)
{
    struct meaning_conf conf = { 0 };
    model_open(&rig->embeds);
    model_open(&rig->judges);
    if (which & MEANING_EMBEDS)
        conf.embedding = (struct embedder_conf){ .url = rig->embeds.base, .model = "words",
                                                 .plain = true };
    if (which & MEANING_JUDGES)
        conf.nli = (struct nli_conf){ .url = rig->judges.base, .model = "judge",
                                      .plain = true };
    REQUIRE_OK(meaning_open(&rig->meaning, &conf));
    rig->scope = scope_open();
    CHECK_OK(meaning_start(&rig->meaning, rig->scope));
    CHECK_OK(explorer_new(&rig->explorer, &rig->none));
    rig->explorer->store = store;
    rig->explorer->meaning = &rig->meaning;
    explorer_handlers(rig->explorer, rig->jobs.handlers);
    queue_rig_begin(&rig->jobs, store);
    snprintf(rig->task, sizeof(rig->task), "%s", queue_rig_task(&rig->jobs));
}

RIG_MEANING void meaning_rig_close(struct meaning_rig *rig)
{
    queue_rig_stop(&rig->jobs);
    explorer_free(rig->explorer);
    wr_scope_cancel(rig->scope);
    (void)!wr_scope_close(rig->scope);
    meaning_close(&rig->meaning);
    model_close(&rig->judges);
    model_close(&rig->embeds);
}

/* Have one job of this kind done. */
RIG_MEANING void meaning_rig_job(struct meaning_rig *rig, enum queue_kind_id kind,
                                 enum store_job_state ends)
{
    CHECK(queue_rig_submit(&rig->jobs, rig->task, kind, "", NULL));
    queue_rig_until(&rig->jobs, rig->task, kind, ends, ++rig->done[kind][ends]);
}

/* What the last of the kind that ended so has said; until the next call. */
RIG_MEANING const char *meaning_rig_said(struct meaning_rig *rig, enum queue_kind_id kind,
                                         enum store_job_state state)
{
    static char text[1200];
    struct store_jobs jobs;
    snprintf(text, sizeof(text), "(none)");
    CHECK_OK(store_task_done_jobs(rig->jobs.store, rig->task, state, 16, &jobs, SOON));
    for (size_t i = jobs.count; i-- > 0;)
        if (strcmp(jobs.jobs[i].kind, queue_kinds[kind].name) == 0)
            snprintf(text, sizeof(text), "%s", jobs.jobs[i].output ? jobs.jobs[i].output
                                                                   : jobs.jobs[i].error);
    store_jobs_free(&jobs);
    return text;
}

#endif
