/* Start and join tiny tasks, all at once and in waves of 1000: tasks that never
 * wait, and in waves also tasks that wait once.  Each figure is taken warm: a
 * tenth of the tasks runs first.
 * usage: spawn [workers] [tasks] */
#include <stdio.h>
#include <stdlib.h>

#include <weir/run.h>
#include <weir/scope.h>

#include "measure.h"

/* Each task returns a value through its own place, and whoever joins adds them
 * up: the tasks share nothing. */
struct answer {
    uint64_t question, answer;
};

struct plan {
    unsigned workers;
    uint64_t tasks;
    struct answer *answers;
};

static wr_err reply(void *arg)
{
    struct answer *answer = arg;
    answer->answer = answer->question;
    return WR_OK;
}

static wr_err reply_later(void *arg)
{
    MUST(wr_yield());
    return reply(arg);
}

static void waves(struct answer *answers, uint64_t tasks, uint64_t wave, wr_task_fn fn)
{
    struct wr_scope *scope;
    MUST(wr_scope_new(&scope,
                      &(struct wr_scope_conf){ .name = "bench.waves", .deadline = WR_NEVER }));
    uint64_t sum = 0;
    for (uint64_t i = 0; i < tasks;) {
        for (uint64_t j = 0; j < wave; j++) {
            answers[j].question = i++;
            MUST(wr_scope_go(scope, "bench.reply", fn, &answers[j]));
        }
        MUST(wr_scope_join(scope, WR_NEVER));
        for (uint64_t j = 0; j < wave; j++)
            sum += answers[j].answer;
    }
    MUST(wr_scope_close(scope));
    WR_ASSERT(sum == tasks * (tasks - 1) / 2);
}

static wr_err bench(void *arg)
{
    struct plan *plan = arg;
    const struct {
        const char *name;
        uint64_t wave;
        wr_task_fn fn;
    } kinds[] = {
        { "all", plan->tasks, reply },
        { "waves", 1000, reply },
        { "wait_waves", 1000, reply_later },
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        uint64_t warm = plan->tasks / 10;
        waves(plan->answers, warm, warm < kinds[i].wave ? warm : kinds[i].wave, kinds[i].fn);
        int64_t start = measure_time(plan->workers);
        waves(plan->answers, plan->tasks, kinds[i].wave, kinds[i].fn);
        int64_t took = measure_time(plan->workers) - start;
        printf("weir_spawn_%s_t%u_per_s %.0f\n", kinds[i].name, plan->workers,
               (double)plan->tasks / (double)took * 1e9);
    }
    return WR_OK;
}

int main(int argc, char **argv)
{
    struct plan plan = {
        .workers = (unsigned)measure_arg(argc, argv, 1, 2),
        .tasks = measure_arg(argc, argv, 2, 1000000),
    };
    plan.answers = calloc(plan.tasks, sizeof(*plan.answers));
    if (!plan.answers || plan.tasks % 10000 != 0)
        return 2;
    wr_err err = wr_run(&(struct wr_run_conf){ .workers = plan.workers }, bench, &plan);
    free(plan.answers);
    return err != WR_OK;
}
