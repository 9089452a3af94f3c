#include "svc/index/dht_line.h"

#include <weir/task.h>

#include "testing/settle.h"
#include "testing/test.h"

static struct dht_line *line;
static int some_dht;
#define DHT ((struct dht *)&some_dht)

struct user {
    wr_time uses_for;
    bool panics;
    wr_err err;
    wr_time ended;
};

static wr_err use(void *arg)
{
    struct user *user = arg;
    struct dht_hold hold;
    user->err = dht_line_take(line, &hold);
    if (!user->err) {
        CHECK(hold.dht == DHT);
        wr_err err = wr_sleep(wr_after(user->uses_for));
        if (user->panics)
            wr_panic("on purpose");
        user->err = dht_line_give(&hold, err);
    }
    user->ended = wr_now();
    return WR_OK;
}

TEST(without_one_nobody_waits)
{
    struct user user = { .uses_for = WR_S(1) };
    wr_time began = wr_now();
    REQUIRE_OK(dht_line_new(&line));
    CHECK(!dht_line_is_up(line));
    CHECK_OK(use(&user));
    CHECK_ERR(WR_DEGRADED, user.err);
    CHECK_EQ(began, user.ended);
    dht_line_detach(line);
    dht_line_free(line);
}

TEST(who_detaches_it_has_it_for_himself)
{
    struct user users[3] = { { .uses_for = WR_MS(1) }, { .uses_for = WR_S(9) },
                             { .uses_for = WR_S(9) } };
    struct wr_scope *scope = scope_open();
    REQUIRE_OK(dht_line_new(&line));
    CHECK_OK(dht_line_attach(line, DHT));
    CHECK(dht_line_is_up(line));
    for (int i = 0; i < 3; i++)
        go(scope, use, &users[i]);
    CHECK_OK(wr_sleep(wr_after(WR_MS(2))));
    wr_time cut = wr_now();
    dht_line_detach(line);
    CHECK_EQ(cut, wr_now());
    CHECK(!dht_line_is_up(line));
    CHECK_OK(users[0].err);
    scope_done(scope);
    for (int i = 1; i < 3; i++) {
        CHECK_ERR(WR_DEGRADED, users[i].err);
        CHECK_EQ(cut, users[i].ended);
    }
    dht_line_free(line);
}

/* As a child that is aborted does. */
static wr_err detach_when_canceled(void *arg)
{
    (void)arg;
    CHECK_ERR(WR_CANCELED, wr_sleep(wr_after(WR_S(99))));
    dht_line_detach(line);
    CHECK(!dht_line_is_up(line));
    return WR_OK;
}

TEST(a_canceled_task_waits_for_its_users_all_the_same)
{
    struct user user = { .uses_for = WR_S(9) };
    struct wr_scope *users = scope_open(), *owner = scope_open();
    REQUIRE_OK(dht_line_new(&line));
    CHECK_OK(dht_line_attach(line, DHT));
    go(users, use, &user);
    go(owner, detach_when_canceled, NULL);
    CHECK_OK(wr_scope_close(owner));
    scope_done(users);
    CHECK_ERR(WR_DEGRADED, user.err);
    CHECK_OK(dht_line_attach(line, DHT));       /* and again */
    struct user other = { .uses_for = WR_MS(1) };
    CHECK_OK(use(&other));
    CHECK_OK(other.err);
    dht_line_detach(line);
    dht_line_free(line);
}

TEST(who_was_canceled_by_his_own_is_told_so)
{
    struct user user = { .uses_for = WR_S(9) };
    struct wr_scope *scope = scope_open();
    REQUIRE_OK(dht_line_new(&line));
    CHECK_OK(dht_line_attach(line, DHT));
    go(scope, use, &user);
    wr_scope_cancel(scope);
    CHECK_OK(wr_scope_close(scope));
    CHECK_ERR(WR_CANCELED, user.err);
    dht_line_detach(line);
    dht_line_free(line);
}

TEST(a_user_that_panics_holds_it_no_more)
{
    struct user user = { .uses_for = WR_MS(1), .panics = true };
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "users", .deadline = WR_NEVER, .independent = true }));
    REQUIRE_OK(dht_line_new(&line));
    CHECK_OK(dht_line_attach(line, DHT));
    go(scope, use, &user);
    (void)!wr_scope_join(scope, WR_NEVER);
    (void)!wr_scope_close(scope);
    dht_line_detach(line);
    dht_line_free(line);
}
