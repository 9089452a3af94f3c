/* failing.c - weir sim with scenarios that fail, to see how it tells. */
#include <weir/once.h>

#include "cmd/weir/weir.h"
#include "scenario/scenarios.h"

/* Fails only when the second task runs between the first one's two steps. */
struct race { int value; };

static wr_err add(void *arg)
{
    struct race *race = arg;
    int value = race->value;
    wr_sim_point("between reading and writing");
    race->value = value + 1;
    return WR_OK;
}

static wr_err run_race(void *arg)
{
    struct race *race = arg;
    struct wr_scope *scope = scope_named("race");
    MUST(wr_scope_go(scope, "race.add", add, race));
    MUST(wr_scope_go(scope, "race.add", add, race));
    (void)!wr_scope_join(scope, WR_NEVER);
    (void)!wr_scope_close(scope);
    WR_ASSERT(race->value == 2);
    return WR_OK;
}

static wr_err run_stuck(void *arg)
{
    (void)arg;
    struct wr_once *once;
    MUST(wr_once_new(&once, "never", 0));
    (void)!wr_once_wait(once, NULL, WR_NEVER);
    wr_once_free(once);
    return WR_OK;
}

static wr_err run_well(void *arg)
{
    (void)arg;
    return WR_OK;
}

static const struct scenario race = { .name = "race", .what = "an update is lost",
                                      .size = sizeof(struct race), .run = run_race };
static const struct scenario stuck = { .name = "stuck", .what = "nobody comes",
                                       .size = 1, .run = run_stuck };
static const struct scenario well = { .name = "well", .what = "nothing happens",
                                      .size = 1, .run = run_well };

const struct scenario *const wr_scenarios[] = { &race, &stuck, &well, NULL };

int main(int argc, char **argv)
{
    return weir_sim(argc, argv);
}
