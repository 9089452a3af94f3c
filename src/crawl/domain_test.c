#include "crawl/domain.h"

#include <stdio.h>
#include <string.h>

#include <weir/scope.h>
#include <weir/task.h>

#include "testing/settle.h"
#include "testing/test.h"

static char why[DOMAIN_WHY];

static struct domains *make(struct domain_conf conf)
{
    struct domains *domains = NULL;
    CHECK_OK(domains_new(&domains, &conf));
    return domains;
}

/* Five seconds, and a jitter that is known. */
static const struct domain_conf steady = {
    .interval = WR_S(5), .jitter_min = WR_S(2), .jitter_max = WR_S(2),
};

/* A visit of no duration: its error, or that of the way to it. */
static wr_err visit_until(struct domains *domains, const char *name,
                          enum domain_verdict verdict, wr_time retry_after, wr_time deadline)
{
    struct domain *domain;
    wr_err err = domain_enter(&domain, domains, name, why, deadline);
    if (err)
        return err;
    err = domain_turn(domain, why, deadline);
    domain_leave(domain, err ? DOMAIN_NOTHING : verdict, err ? 0 : retry_after);
    return err;
}

static wr_err visit(struct domains *domains, const char *name, enum domain_verdict verdict)
{
    return visit_until(domains, name, verdict, 0, WR_NEVER);
}

/* ---- turns ---- */

TEST(turns_are_an_interval_and_a_jitter_apart)
{
    struct domains *domains = make(steady);
    wr_time begun = wr_now();
    for (int i = 0; i < 4; i++) {
        CHECK_OK(visit(domains, "a.org", DOMAIN_GOOD));
        CHECK_EQ(WR_S(7) * i, wr_now() - begun);
    }
    CHECK_EQ(4, domain_stat(domains, "a.org").today);
    domains_free(domains);
}

TEST(the_jitter_differs_and_keeps_its_bounds)
{
    struct domains *domains = make((struct domain_conf){ .interval = WR_S(5) });
    wr_time last = 0, least = WR_NEVER, most = 0;
    for (int i = 0; i < 100; i++) {
        CHECK_OK(visit(domains, "a.org", DOMAIN_GOOD));
        wr_time span = wr_now() - last;
        if (i > 0 && span < least)
            least = span;
        if (i > 0 && span > most)
            most = span;
        last = wr_now();
    }
    CHECK(least >= WR_MS(6500) && least < WR_S(7));
    CHECK(most <= WR_MS(10500) && most > WR_S(10));
    domains_free(domains);
}

TEST(domains_do_not_wait_for_one_another)
{
    struct domains *domains = make(steady);
    wr_time begun = wr_now();
    CHECK_OK(visit(domains, "a.org", DOMAIN_GOOD));
    CHECK_OK(visit(domains, "b.org", DOMAIN_GOOD));
    CHECK_OK(visit(domains, "a.org:8080", DOMAIN_GOOD));
    CHECK_EQ(0, wr_now() - begun);
    CHECK_EQ(3, domains_count(domains));
    domains_free(domains);
}

TEST(without_an_interval_there_is_no_wait)
{
    struct domains *domains = make((struct domain_conf){ .daily = 5000 });
    wr_time begun = wr_now();
    for (int i = 0; i < 1000; i++)
        CHECK_OK(visit(domains, "a.org", DOMAIN_GOOD));
    CHECK_EQ(0, wr_now() - begun);
    domains_free(domains);
}

TEST(a_turn_that_is_too_late_is_not_waited_for)
{
    struct domains *domains = make(steady);
    CHECK_OK(visit(domains, "a.org", DOMAIN_GOOD));
    wr_time begun = wr_now();
    CHECK_ERR(WR_TIMEOUT, visit_until(domains, "a.org", DOMAIN_GOOD, 0, wr_after(WR_S(6))));
    CHECK_EQ(0, wr_now() - begun);
    CHECK_STR("the next turn of a.org is in 7000 ms, after the deadline", why);
    CHECK_OK(visit_until(domains, "a.org", DOMAIN_GOOD, 0, wr_after(WR_S(7))));
    CHECK_EQ(2, domain_stat(domains, "a.org").today);
    domains_free(domains);
}

TEST(what_robots_want_is_a_lower_bound)
{
    struct domains *domains = make(steady);
    struct domain *domain;
    struct robots *rules = NULL;
    static const char slow[] = "User-agent: *\nCrawl-delay: 20\n";
    CHECK_OK(robots_parse(&rules, slow, sizeof(slow) - 1, "weir"));
    REQUIRE_OK(domain_enter(&domain, domains, "a.org", why, WR_NEVER));
    domain_put_robots(domain, true, &(struct domain_robots){ .rules = rules });
    domain_leave(domain, DOMAIN_NOTHING, 0);
    wr_time begun = wr_now();
    CHECK_OK(visit(domains, "a.org", DOMAIN_GOOD));
    CHECK_OK(visit(domains, "a.org", DOMAIN_GOOD));
    CHECK_EQ(WR_S(20), wr_now() - begun);
    domains_free(domains);
}

struct visitor { struct domains *domains; int inside, most; wr_time at[3]; int count; };

static wr_err stay(void *arg)
{
    struct visitor *visitor = arg;
    struct domain *domain;
    REQUIRE_OK(domain_enter(&domain, visitor->domains, "a.org", why, WR_NEVER), WR_OK);
    CHECK_OK(domain_turn(domain, why, WR_NEVER));
    visitor->at[visitor->count++] = wr_now();
    if (++visitor->inside > visitor->most)
        visitor->most = visitor->inside;
    CHECK_OK(wr_sleep(wr_after(WR_S(60))));
    visitor->inside--;
    domain_leave(domain, DOMAIN_GOOD, 0);
    return WR_OK;
}

TEST(one_at_a_time_is_inside)
{
    struct visitor visitor = { .domains = make(steady) };
    struct wr_scope *scope;
    wr_time begun = wr_now();
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test",
                                                             .deadline = WR_NEVER }));
    for (int i = 0; i < 3; i++)
        CHECK_OK(wr_scope_go(scope, "test.stay", stay, &visitor));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
    CHECK_EQ(1, visitor.most);
    CHECK_EQ(WR_S(120), visitor.at[2] - begun);
    domains_free(visitor.domains);
}

/* ---- the day ---- */

TEST(a_day_has_so_many_turns_and_the_next_one_has_its_own)
{
    struct domains *domains = make((struct domain_conf){ .daily = 3 });
    for (int i = 0; i < 3; i++)
        CHECK_OK(visit(domains, "a.org", DOMAIN_GOOD));
    CHECK_ERR(WR_BUSY, visit(domains, "a.org", DOMAIN_GOOD));
    CHECK_STR("a.org was asked 3 times today, which is the most it may be; the next day begins "
              "at 0:00 UTC", why);
    CHECK_OK(visit(domains, "b.org", DOMAIN_GOOD));
    CHECK_OK(wr_sleep(wr_after(WR_S(24 * 3600))));
    CHECK_OK(visit(domains, "a.org", DOMAIN_GOOD));
    CHECK_EQ(1, domain_stat(domains, "a.org").today);
    domains_free(domains);
}

TEST(what_goes_with_a_turn_is_one_of_the_day_but_waits_for_none)
{
    struct domains *domains = make((struct domain_conf){ .interval = WR_S(5), .daily = 2 });
    struct domain *domain;
    wr_time begun = wr_now();
    REQUIRE_OK(domain_enter(&domain, domains, "a.org", why, WR_NEVER));
    CHECK_OK(domain_extra(domain, why));
    CHECK_OK(domain_extra(domain, why));
    CHECK_ERR(WR_BUSY, domain_extra(domain, why));
    CHECK_EQ(0, wr_now() - begun);
    domain_leave(domain, DOMAIN_NOTHING, 0);
    domains_free(domains);
}

/* ---- being left alone ---- */

TEST(who_blocks_us_is_left_alone_and_longer_each_time)
{
    struct domains *domains = make(steady);
    static const int hours[] = { 1, 2, 4, 4 };
    for (int i = 0; i < 4; i++) {
        CHECK_OK(visit(domains, "a.org", DOMAIN_BLOCKED));
        CHECK_EQ(WR_S(3600) * hours[i], domain_stat(domains, "a.org").cooling);
        CHECK_ERR(WR_OPENCIRCUIT, visit(domains, "a.org", DOMAIN_GOOD));
        CHECK_OK(wr_sleep(wr_after(domain_stat(domains, "a.org").cooling)));
    }
    CHECK_OK(visit(domains, "a.org", DOMAIN_GOOD));
    CHECK_OK(visit(domains, "a.org", DOMAIN_BLOCKED));
    CHECK_EQ(WR_S(3600), domain_stat(domains, "a.org").cooling);
    domains_free(domains);
}

TEST(why_it_is_left_alone_is_a_sentence)
{
    struct domains *domains = make(steady);
    CHECK_OK(visit(domains, "a.org", DOMAIN_BLOCKED));
    CHECK_ERR(WR_OPENCIRCUIT, visit(domains, "a.org", DOMAIN_GOOD));
    CHECK_STR("a.org is left alone for another 3600 s, as it refused or failed too often", why);
    domains_free(domains);
}

TEST(five_failures_on_end_are_enough)
{
    struct domains *domains = make(steady);
    for (int i = 0; i < 4; i++)
        CHECK_OK(visit(domains, "a.org", DOMAIN_BAD));
    CHECK_OK(visit(domains, "a.org", DOMAIN_GOOD));
    for (int i = 0; i < 4; i++)
        CHECK_OK(visit(domains, "a.org", DOMAIN_BAD));
    CHECK_EQ(0, domain_stat(domains, "a.org").cooling);
    CHECK_OK(visit(domains, "a.org", DOMAIN_BAD));
    CHECK_EQ(WR_S(3600), domain_stat(domains, "a.org").cooling);
    domains_free(domains);
}

TEST(after_a_time_alone_there_is_one_try)
{
    struct domains *domains = make(steady);
    CHECK_OK(visit(domains, "a.org", DOMAIN_BLOCKED));
    CHECK_OK(wr_sleep(wr_after(WR_S(3600))));
    CHECK_OK(visit(domains, "a.org", DOMAIN_BAD));
    CHECK_EQ(WR_S(7200), domain_stat(domains, "a.org").cooling);
    domains_free(domains);
}

TEST(a_refusal_makes_the_next_turn_late_and_three_are_enough)
{
    struct domains *domains = make(steady);
    CHECK_OK(visit(domains, "a.org", DOMAIN_BUSY));
    CHECK_EQ(WR_S(30), domain_stat(domains, "a.org").turn_in);
    CHECK_OK(visit_until(domains, "a.org", DOMAIN_BUSY, WR_S(100), WR_NEVER));
    CHECK_EQ(WR_S(100), domain_stat(domains, "a.org").turn_in);
    CHECK_EQ(0, domain_stat(domains, "a.org").cooling);
    CHECK_OK(visit_until(domains, "a.org", DOMAIN_BUSY, WR_S(5000), WR_NEVER));
    CHECK_EQ(WR_S(5000), domain_stat(domains, "a.org").cooling);
    domains_free(domains);
}

TEST(nobody_makes_us_wait_for_ever)
{
    struct domains *domains = make(steady);
    CHECK_OK(visit_until(domains, "a.org", DOMAIN_BUSY, WR_S(99999999), WR_NEVER));
    CHECK_EQ(WR_S(4 * 3600), domain_stat(domains, "a.org").turn_in);
    domains_free(domains);
}

TEST(a_domain_can_be_released)
{
    struct domains *domains = make(steady);
    CHECK_OK(visit(domains, "a.org", DOMAIN_BLOCKED));
    domain_release(domains, "a.org");
    domain_release(domains, "nowhere.org");
    CHECK_OK(visit(domains, "a.org", DOMAIN_BLOCKED));
    CHECK_EQ(WR_S(3600), domain_stat(domains, "a.org").cooling);
    domains_free(domains);
}

/* ---- the table ---- */

TEST(the_domain_that_was_left_longest_ago_makes_room)
{
    struct domains *domains = make((struct domain_conf){ .domains_max = 3 });
    static const char *const names[] = { "a.org", "b.org", "c.org", "a.org", "d.org" };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        CHECK_OK(visit(domains, names[i], DOMAIN_GOOD));
        CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    }
    CHECK_EQ(3, domains_count(domains));
    CHECK_EQ(2, domain_stat(domains, "a.org").today);
    CHECK_EQ(0, domain_stat(domains, "b.org").today);
    CHECK_EQ(1, domain_stat(domains, "c.org").today);
    domains_free(domains);
}

TEST(who_owes_something_does_not_make_room)
{
    struct domains *domains = make((struct domain_conf){
        .interval = WR_S(5), .domains_max = 3, .daily = 4 });
    struct domain *inside;
    CHECK_OK(visit(domains, "blocked.org", DOMAIN_BLOCKED));
    CHECK_OK(visit(domains, "often.org", DOMAIN_GOOD));
    CHECK_OK(visit(domains, "often.org", DOMAIN_GOOD));
    CHECK_OK(wr_sleep(wr_after(WR_S(60))));
    REQUIRE_OK(domain_enter(&inside, domains, "inside.org", why, WR_NEVER));
    CHECK_ERR(WR_BUSY, visit(domains, "new.org", DOMAIN_GOOD));
    CHECK_STR("3 domains are being visited or left alone for now, which is the most there may "
              "be; try again later", why);
    domain_leave(inside, DOMAIN_NOTHING, 0);
    CHECK_OK(visit(domains, "new.org", DOMAIN_GOOD));
    CHECK_ERR(WR_BUSY, visit(domains, "other.org", DOMAIN_GOOD));   /* new's next turn is due */
    CHECK(domain_stat(domains, "blocked.org").cooling > 0);
    domains_free(domains);
}

/* ---- robots ---- */

static void put(struct domains *domains, const char *name, const char *path)
{
    struct domain *domain;
    struct robots *rules = NULL;
    char file[100];
    int len = snprintf(file, sizeof(file), "User-agent: *\nDisallow: %s\n", path);
    CHECK_OK(robots_parse(&rules, file, (size_t)len, "weir"));
    REQUIRE_OK(domain_enter(&domain, domains, name, why, WR_NEVER));
    domain_put_robots(domain, false, &(struct domain_robots){ .rules = rules, .until = 7 });
    domain_leave(domain, DOMAIN_NOTHING, 0);
}

static bool has_rules(struct domains *domains, const char *name)
{
    struct domain *domain;
    REQUIRE_OK(domain_enter(&domain, domains, name, why, WR_NEVER), false);
    bool has = domain_robots(domain, false)->rules;
    domain_leave(domain, DOMAIN_NOTHING, 0);
    return has;
}

TEST(rules_stay_when_no_new_ones_could_be_read)
{
    struct domains *domains = make(steady);
    struct domain *domain;
    put(domains, "a.org", "/x");
    REQUIRE_OK(domain_enter(&domain, domains, "a.org", why, WR_NEVER));
    static const struct domain_robots none = { .until = 9, .unreachable = true };
    domain_put_robots(domain, false, &none);
    CHECK(domain_robots(domain, false)->rules);
    CHECK_EQ(9, domain_robots(domain, false)->until);
    CHECK(!domain_robots(domain, false)->unreachable);
    CHECK(!domain_robots(domain, true)->rules);
    domain_put_robots(domain, true, &none);
    CHECK(domain_robots(domain, true)->unreachable);
    domain_leave(domain, DOMAIN_NOTHING, 0);
    domains_free(domains);
}

TEST(rules_of_those_left_longest_ago_are_forgotten_first)
{
    struct robots *one = NULL;
    CHECK_OK(robots_parse(&one, "User-agent: *\nDisallow: /x\n", 28, "weir"));
    struct domains *domains = make((struct domain_conf){ .robots_max = 2 * robots_size(one) });
    robots_free(one);
    static const char *const names[] = { "a.org", "b.org", "c.org" };
    for (int i = 0; i < 3; i++) {
        put(domains, names[i], "/x");
        CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    }
    CHECK(!has_rules(domains, "a.org"));
    CHECK(has_rules(domains, "b.org"));
    CHECK(has_rules(domains, "c.org"));
    domains_free(domains);
}

/* ---- giving up ---- */

TEST(who_gives_up_waiting_leaves_nothing_behind)
{
    struct domains *domains = make(steady);
    struct domain *domain, *second;
    REQUIRE_OK(domain_enter(&domain, domains, "a.org", why, WR_NEVER));
    CHECK_ERR(WR_TIMEOUT, domain_enter(&second, domains, "a.org", why, wr_after(WR_S(3))));
    CHECK_STR("others were waiting for a.org before: deadline passed", why);
    domain_leave(domain, DOMAIN_NOTHING, 0);
    CHECK_OK(visit(domains, "a.org", DOMAIN_GOOD));
    domains_free(domains);
}
