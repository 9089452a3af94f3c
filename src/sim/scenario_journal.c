/* scenario_journal.c - a service that dies, over and over, and its client.
 *
 * The service writes each request to its disk before it answers; the client
 * asks again until it is answered.  The service is killed between any two
 * steps and started again with nothing but its disk.  What was answered is on
 * the disk, each request once and in order.
 */
#include <weir/chan.h>

#include "sim/scenario.h"

#define REQUESTS 30
#define ANSWER_WITHIN WR_MS(20)

struct disk { uint64_t last, sum, entries[REQUESTS + 1]; };

struct journal {
    struct wr_chan *requests, *answers;
    struct disk disk;
    uint64_t answered, incarnations;
    bool done;
};

struct request { uint64_t number, value; };
struct answer { uint64_t number, sum; };

/* What the service knows in memory is gone with it: it begins by reading. */
struct service { struct journal *journal; uint64_t sum; };

static void recover(struct service *service)
{
    const struct disk *disk = &service->journal->disk;
    service->sum = 0;
    for (uint64_t i = 1; i <= disk->last; i++) {
        WR_ASSERT(disk->entries[i] != 0);
        service->sum += disk->entries[i];
    }
}

/* The entry first, then the number that makes it count. */
static bool append(struct service *service, const struct request *request)
{
    struct disk *disk = &service->journal->disk;
    if (!wr_sim_write(&disk->entries[request->number], &request->value, sizeof(request->value))
        || !wr_sim_write(&disk->last, &request->number, sizeof(request->number)))
        return false;
    service->sum += request->value;
    return true;
}

static wr_err serve(void *arg)
{
    struct service service = { .journal = arg };
    struct journal *j = arg;
    struct request request;
    wr_err err;
    recover(&service);
    while (!(err = wr_chan_recv(j->requests, &request, WR_NEVER))) {
        WR_ASSERT(request.number <= j->disk.last + 1);
        if (request.number > j->disk.last && !append(&service, &request))
            return WR_CANCELED;
        struct answer answer = { request.number, service.sum };
        err = wr_chan_send(j->answers, &answer, some_time(WR_MS(5)));
        if (err == WR_CANCELED)
            return err;
    }
    return err == WR_CLOSED ? WR_OK : err;
}

static wr_err keep_serving(void *arg)
{
    struct journal *j = arg;
    bool killed = true;
    wr_err err = WR_OK;
    while (killed && !j->done) {
        j->incarnations++;
        err = wr_sim_process(&killed, "journal.service", serve, j);
        if (killed && wr_sleep(some_time(WR_MS(10))))
            return WR_CANCELED;
    }
    return err;
}

/* Answers to earlier questions may still come: only the right one counts. */
static bool ask(struct journal *j, const struct request *request, uint64_t sum)
{
    wr_time deadline = wr_after(ANSWER_WITHIN);
    struct answer answer;
    if (wr_chan_send(j->requests, request, deadline))
        return false;
    while (wr_chan_recv(j->answers, &answer, deadline) == WR_OK) {
        WR_ASSERT(answer.number <= request->number);
        if (answer.number < request->number)
            continue;
        WR_ASSERT(answer.sum == sum);
        return true;
    }
    return false;
}

static wr_err ask_all(void *arg)
{
    struct journal *j = arg;
    uint64_t sum = 0;
    for (uint64_t number = 1; number <= REQUESTS; number++) {
        struct request request = { number, 1 + wr_sim_below(100) };
        sum += request.value;
        while (!ask(j, &request, sum))
            if (wr_scope_check())
                return WR_CANCELED;
        j->answered = number;
    }
    j->done = true;
    wr_chan_close(j->requests);
    return WR_OK;
}

static wr_err run(void *arg)
{
    struct journal *j = arg;
    MUST(wr_chan_new(&j->requests, &(struct wr_chan_conf){
        .name = "journal.requests", .item_size = sizeof(struct request), .cap = 1,
        .policy = WR_WAIT }));
    MUST(wr_chan_new(&j->answers, &(struct wr_chan_conf){
        .name = "journal.answers", .item_size = sizeof(struct answer), .cap = 4,
        .policy = WR_WAIT }));
    struct wr_scope *scope = scope_named("journal");
    MUST(wr_scope_go(scope, "journal.keeper", keep_serving, j));
    MUST(wr_scope_go(scope, "journal.client", ask_all, j));
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    wr_chan_free(j->requests);
    wr_chan_free(j->answers);
    WR_ASSERT(j->disk.last == REQUESTS);
    return WR_OK;
}

static const char *invariant(void *arg)
{
    const struct journal *j = arg;
    if (j->answered > j->disk.last)
        return "a request was answered and is not on the disk";
    if (j->disk.last > j->answered + 1)
        return "the disk is ahead of what was asked";
    return NULL;
}

static uint64_t state(void *arg)
{
    const struct journal *j = arg;
    uint64_t state = state_mix(0, j->answered);
    state = state_mix(state, j->disk.last);
    return state_mix(state, j->incarnations);
}

const struct scenario wr_scenario_journal = {
    .name = "journal",
    .what = "a service killed and started again with its disk: what was answered stays",
    .size = sizeof(struct journal), .run = run, .invariant = invariant, .state = state,
    .faults = WR_SIM_SLOW | WR_SIM_LATE | WR_SIM_KILL,
};
