/* main.c - runs the models of a program, in TAP.
 *
 *     model_x [-l] [name ...]           all of them, or these; -l lists them
 *     model_x --replay 0,1,1:2 name     one order: threads, and choices after a colon
 *
 * MODEL_FULL=1 takes the larger bounds, MODEL_QUICK=1 at most one preemption where
 * there is a bound, MODEL_SECONDS limits each model, and MODEL_BRIEF=1 leaves out
 * the order of what failed.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "explore_int.h"

#define SIMPLIFY_SECONDS 10
#define OUTCOMES_MAX 4096
#define COMPARE_MAX 20000      /* orders of one program, when reduction is checked */

static struct model *models, **models_end = &models;
static double deadline;

void model_register(struct model *model)
{
    *models_end = model;
    models_end = &model->next;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool enough(void)
{
    return (outcome.schedules & 255) == 0 && seconds() > deadline;
}

static void on_fault(int signal)
{
    /* Past saving, but the order that led here is what a person needs. */
    printf("not ok - %s\n# signal %d\n", settings.model->name, signal);
    report_order();
    fflush(stdout);
    _exit(1);
}

static void catch_faults(void)
{
    static unsigned char stack[256 * 1024];
    stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
    struct sigaction action = { .sa_handler = on_fault, .sa_flags = SA_ONSTACK };
    sigaltstack(&alternate, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGFPE, &action, NULL);
    sigaction(SIGILL, &action, NULL);
}

static void settle(const struct model *model)
{
    bool full = model->full && getenv("MODEL_FULL");
    unsigned preempts = full ? model->full_preempt_max : model->preempt_max;
    if (preempts > 1 && getenv("MODEL_QUICK"))
        preempts = 1;
    settings = (struct settings){
        .model = model,
        .stale_max = full ? model->full_stale_max : model->stale_max,
        .preempt_max = preempts ? (int)preempts : -1,
        .reduce = preempts == 0 && !model->unreduced,
    };
}

/* The same failure with as few preemptions as it takes. */
static void simplify(void)
{
    struct outcome found = outcome;
    struct step steps[STEPS_MAX];
    unsigned count = event_count;
    for (unsigned i = 0; i < count; i++)
        steps[i].thread = run_order(i, &steps[i].choice);
    settings.reduce = false;
    for (settings.preempt_max = 0; settings.preempt_max < 5; settings.preempt_max++) {
        deadline = seconds() + SIMPLIFY_SECONDS;
        if (!explore(enough))
            break;
        if (outcome.failure[0])
            return;
    }
    replay(steps, count);
    snprintf(outcome.failure, sizeof(outcome.failure), "%s", found.failure);
}

static void print_counts(const struct outcome *o, double took)
{
    printf(" # %llu schedules", (unsigned long long)o->schedules);
    if (o->redundant)
        printf(" (and %llu cut short)", (unsigned long long)o->redundant);
    printf(", depth %u, ", o->depth_max);
    if (!o->complete)
        printf("stopped");
    else if (settings.preempt_max >= 0)
        printf("bounded(%d)", settings.preempt_max);
    else
        printf("exhaustive");
    if (settings.stale_max)
        printf(", %u stale", settings.stale_max);
    printf(", %.2f s", took);
}

/* ---- with and without reduction: the same outcomes? ---- */

struct set {
    uint64_t *digest;
    size_t count;
};

unsigned model_seed;
static struct set *collecting;

void model_outcome(uint64_t digest)
{
    struct set *set = collecting;
    if (!set)
        return;
    for (size_t i = 0; i < set->count; i++)
        if (set->digest[i] == digest)
            return;
    if (set->count == OUTCOMES_MAX)
        model_fail("more than %d outcomes", OUTCOMES_MAX);
    set->digest[set->count++] = digest;
}

static bool same(const struct set *a, const struct set *b)
{
    size_t found = 0;
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++)
            found += a->digest[i] == b->digest[k];
    return found == a->count && a->count == b->count;
}

static bool too_many(void)
{
    return outcome.schedules >= COMPARE_MAX;
}

/* False: not to be compared, because without reduction there is no end to it. */
static bool explore_both(struct set *sets, uint64_t *runs)
{
    for (int reduce = 0; reduce < 2; reduce++) {
        settings.reduce = reduce;
        collecting = &sets[reduce];
        bool whole = explore(reduce ? NULL : too_many);
        collecting = NULL;
        runs[reduce] += outcome.schedules;
        if (!whole || outcome.failure[0])
            return whole;
    }
    return true;
}

static bool run_compare(unsigned number, const struct model *model)
{
    static uint64_t room[2][OUTCOMES_MAX];
    uint64_t runs[2] = { 0 }, outcomes = 0;
    unsigned compared = 0;
    double start = seconds();
    settle(model);
    for (model_seed = 1; model_seed <= model->compare; model_seed++) {
        struct set sets[2] = { { .digest = room[0] }, { .digest = room[1] } };
        if (!explore_both(sets, runs))
            continue;
        compared++;
        outcomes += sets[0].count;
        if (outcome.failure[0] || !same(&sets[0], &sets[1])) {
            printf("not ok %u - %s # seed %u: %zu outcomes, reduced %zu; %s\n", number,
                   model->name, model_seed, sets[0].count, sets[1].count, outcome.failure);
            return false;
        }
    }
    printf("ok %u - %s # %u programs, %llu outcomes: %llu schedules, reduced %llu, %.2f s\n",
           number, model->name, compared, (unsigned long long)outcomes,
           (unsigned long long)runs[0], (unsigned long long)runs[1], seconds() - start);
    return true;
}

static bool run_model(unsigned number, const struct model *model)
{
    if (model->compare)
        return run_compare(number, model);
    const char *limit = getenv("MODEL_SECONDS");
    settle(model);
    double start = seconds();
    deadline = start + (limit ? strtod(limit, NULL) : 600);
    explore(enough);
    struct outcome o = outcome;
    double took = seconds() - start;
    bool failed = o.failure[0] != '\0';
    bool ok = model->expect ? strstr(o.failure, model->expect) != NULL : !failed && o.complete;
    if (!failed && model->schedules && o.schedules != model->schedules)
        ok = false;
    printf("%s %u - %s", ok ? "ok" : "not ok", number, model->name);
    print_counts(&o, took);
    printf("%s%s\n", model->expect && ok ? ", found: " : "",
           model->expect && ok ? model->expect : "");
    if (!ok && model->schedules)
        printf("# %llu schedules expected\n", (unsigned long long)model->schedules);
    if (!ok && model->expect)
        printf("# expected to find: %s\n", model->expect);
    if (!ok && failed && getenv("MODEL_BRIEF")) {
        printf("# %.*s\n", (int)strcspn(o.failure, "\n"), o.failure);
    } else if (!ok && failed) {
        simplify();
        printf("# %s\n", outcome.failure);
        report_order();
    }
    fflush(stdout);
    return ok;
}

static int run_replay(const char *order, const struct model *model)
{
    struct step steps[STEPS_MAX];
    unsigned count = 0;
    char *end;
    while (*order && count < STEPS_MAX) {
        steps[count].thread = (unsigned)strtoul(order, &end, 10) + 1;
        steps[count].choice = *end == ':' ? (unsigned)strtoul(end + 1, &end, 10) : 0;
        count++;
        order = *end == ',' ? end + 1 : end;
        if (order == end && *end)
            return 2;
    }
    settle(model);
    replay(steps, count);
    printf("# %s\n", outcome.failure[0] ? outcome.failure : "nothing failed");
    report_order();
    return outcome.failure[0] != '\0';
}

static bool selected(const struct model *model, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], model->name) == 0)
            return true;
    return argc == 1;
}

int main(int argc, char **argv)
{
    report_open();
    heap_open();
    threads_open();
    shadow_open();
    catch_faults();
    if (argc == 4 && strcmp(argv[1], "--replay") == 0) {
        for (struct model *model = models; model; model = model->next)
            if (strcmp(model->name, argv[3]) == 0)
                return run_replay(argv[2], model);
        fprintf(stderr, "no model is called %s\n", argv[3]);
        return 2;
    }
    bool list = argc == 2 && strcmp(argv[1], "-l") == 0;
    unsigned count = 0, number = 0, failed = 0;
    for (struct model *model = models; model; model = model->next) {
        if (list)
            printf("%s\n", model->name);
        count += selected(model, argc, argv);
    }
    if (list)
        return 0;
    printf("1..%u\n", count);
    for (struct model *model = models; model; model = model->next)
        if (selected(model, argc, argv))
            failed += !run_model(++number, model);
    return failed != 0;
}
