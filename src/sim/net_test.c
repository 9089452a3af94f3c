/* net_test.c - the simulated network keeps the contract of the real one. */
#include <weir/sim.h>

#include "testing/test.h"

/* A contract is one task's work.  In fair weather everything it says holds with any
 * schedule, whatever segments the bytes come in. */
static wr_err run_body(void *arg)
{
    void (**body)(void) = arg;
    (*body)();
    return WR_OK;
}

static void simulate(void (*body)(void))
{
    for (enum wr_sim_scheduler how = WR_SIM_RANDOM; how <= WR_SIM_FIFO; how++) {
        struct wr_sim_result result;
        CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){
            .name = "contract", .scheduler = how, .seed = 1, .seeds = 4,
            .steps_max = 1000000 }, run_body, &body));
    }
}

#define CONTRACT(name) \
    static void name##_body(void); \
    TEST_PLAIN(name) { simulate(name##_body); } \
    static void name##_body(void)
#include "testing/stream_contract.h"

/* ---- rules ---- */

static enum wr_sim_failure failure_of(wr_task_fn fn, void *arg, char *ret_message, size_t size)
{
    struct wr_sim_result result;
    (void)!wr_sim_run(&result, &(struct wr_sim_conf){ .name = "broken", .seed = 1,
                                                      .quiet = true }, fn, arg);
    snprintf(ret_message, size, "%s", result.message);
    return result.failure;
}

static wr_err leave_stream_open(void *arg)
{
    (void)arg;
    struct pair pair = open_pair("127.0.0.1:0");
    wr_stream_close(pair.server);
    wr_listener_close(pair.listener);
    return WR_OK;
}

static wr_err leave_listener_open(void *arg)
{
    (void)arg;
    (void)listen_on("127.0.0.1:0");
    return WR_OK;
}

TEST_PLAIN(what_is_still_open_when_a_run_ends_fails_it_and_is_named)
{
    char message[240];
    CHECK_EQ(WR_SIM_ERROR, failure_of(leave_stream_open, NULL, message, sizeof(message)));
    CHECK(strstr(message, "stream_contract.h") && strstr(message, "is still open"));
    CHECK_EQ(WR_SIM_ERROR, failure_of(leave_listener_open, NULL, message, sizeof(message)));
    CHECK(strstr(message, "stream_contract.h") && strstr(message, "is still open"));
}

static wr_err close_under_a_reader(void *arg)
{
    (void)arg;
    struct pair pair = open_pair("127.0.0.1:0");
    struct wr_scope *scope = scope_open();
    go(scope, read_one, pair.server);
    wr_stream_close(pair.server);
    return WR_OK;
}

static wr_err read_twice(void *arg)
{
    (void)arg;
    struct pair pair = open_pair("127.0.0.1:0");
    struct wr_scope *scope = scope_open();
    go(scope, read_one, pair.server);
    return read_one(pair.server);
}

static wr_err write_too_many(void *arg)
{
    (void)arg;
    struct pair pair = open_pair("127.0.0.1:0");
    struct wr_piece pieces[17] = { 0 };
    size_t size;
    return wr_stream_write(pair.client, &size, pieces, 17, WR_NEVER);
}

TEST_PLAIN(broken_rules_are_panics_as_they_are_with_descriptors)
{
    char message[240];
    CHECK_EQ(WR_SIM_PANIC, failure_of(close_under_a_reader, NULL, message, sizeof(message)));
    CHECK(strstr(message, "is closed while test.task#"));
    CHECK_EQ(WR_SIM_PANIC, failure_of(read_twice, NULL, message, sizeof(message)));
    CHECK(strstr(message, "two fibers wait for a readable stream"));
    CHECK_EQ(WR_SIM_PANIC, failure_of(write_too_many, NULL, message, sizeof(message)));
    CHECK(strstr(message, "17 pieces are written at once, at most 16 can be"));
}

static wr_err wait_for_ever(void *arg)
{
    (void)arg;
    struct pair pair = open_pair("127.0.0.1:0");
    wr_err err = read_one(pair.server);
    close_pair(&pair);
    return err;
}

TEST_PLAIN(a_reader_that_nobody_will_ever_write_to_is_a_deadlock)
{
    char message[240];
    CHECK_EQ(WR_SIM_DEADLOCK, failure_of(wait_for_ever, NULL, message, sizeof(message)));
}

/* ---- a line that is full ---- */

enum { LINE = 128 };

static wr_err fill_line(void *arg)
{
    (void)arg;
    static struct wr_stream *streams[LINE];
    struct wr_listener *listener = listen_on("127.0.0.1:0");
    struct wr_stream *late = NULL;
    struct wr_conn conn;
    for (int i = 0; i < LINE; i++)
        CHECK_OK(wr_connect(&streams[i], wr_listener_addr(listener), WR_NEVER));
    CHECK_ERR(WR_TIMEOUT,
              wr_connect(&late, wr_listener_addr(listener), wr_after(WR_MS(500))));
    CHECK_OK(wr_accept(listener, &conn, WR_NEVER));
    wr_conn_drop(&conn);
    wr_time before = wr_now();
    CHECK_OK(wr_connect(&late, wr_listener_addr(listener), WR_NEVER));
    CHECK(wr_now() - before < WR_S(1));
    wr_stream_close(late);
    for (int i = 0; i < LINE; i++)
        wr_stream_close(streams[i]);
    wr_listener_close(listener);
    return WR_OK;
}

TEST_PLAIN(a_line_has_an_end_and_who_does_not_fit_is_heard_later)
{
    struct wr_sim_result result;
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){ .name = "line", .seed = 1 }, fill_line,
                        NULL));
}
