#include "flow/roster.h"

#include <stdio.h>
#include <string.h>

#include "base/rand.h"
#include "testing/settle.h"
#include "testing/test.h"

static struct roster *make(size_t guests)
{
    struct roster *roster = NULL;
    CHECK_OK(roster_new(&roster, "test.roster", guests));
    return roster;
}

static wr_err enter(struct roster *roster, const char *key, struct wr_guest **ret)
{
    return roster_enter(roster, key, strlen(key), 100, ret);
}

/* Whether a key is remembered: its first bucket was marked. */
static bool remembered(struct roster *roster, const char *key)
{
    struct wr_guest *guest;
    CHECK_OK(enter(roster, key, &guest));
    bool marked = atomic_load(&guest->buckets[0].full_at) == 7;
    roster_leave(roster, guest);
    return marked;
}

static void visit(struct roster *roster, const char *key)
{
    struct wr_guest *guest;
    CHECK_OK(enter(roster, key, &guest));
    atomic_store(&guest->buckets[0].full_at, 7);
    roster_leave(roster, guest);
}

TEST(the_same_key_is_the_same_guest)
{
    struct roster *roster = make(10);
    struct wr_guest *a, *b, *c;
    CHECK_OK(enter(roster, "ada", &a));
    CHECK_OK(enter(roster, "ada", &b));
    CHECK_OK(enter(roster, "adam", &c));
    CHECK(a == b && a != c);
    CHECK_EQ(3, roster_stat(roster).in);
    CHECK_EQ(2, roster_stat(roster).guests);
    roster_leave(roster, a);
    roster_leave(roster, b);
    roster_leave(roster, c);
    CHECK_EQ(0, roster_stat(roster).in);
    CHECK_EQ(2, roster_stat(roster).guests);
    roster_free(roster);
}

TEST(no_more_are_in_under_a_key_than_allowed)
{
    struct roster *roster = make(10);
    struct wr_guest *guests[3], *other;
    for (int i = 0; i < 3; i++)
        CHECK_OK(roster_enter(roster, "k", 1, 3, &guests[i]));
    CHECK_ERR(WR_BUSY, roster_enter(roster, "k", 1, 3, &other));
    CHECK_OK(roster_enter(roster, "l", 1, 3, &other));
    roster_leave(roster, other);
    roster_leave(roster, guests[0]);
    CHECK_OK(roster_enter(roster, "k", 1, 3, &guests[0]));
    for (int i = 0; i < 3; i++)
        roster_leave(roster, guests[i]);
    roster_free(roster);
}

TEST(a_guest_without_visitors_is_remembered_until_its_place_is_needed)
{
    struct roster *roster = make(3);
    visit(roster, "a");
    visit(roster, "b");
    visit(roster, "c");
    visit(roster, "a");                         /* b is now the oldest */
    visit(roster, "d");
    CHECK_EQ(1, roster_stat(roster).forgotten);
    CHECK(remembered(roster, "a") && remembered(roster, "c") && remembered(roster, "d"));
    CHECK(!remembered(roster, "b"));            /* and has taken the place of a */
    CHECK(!remembered(roster, "a"));
    CHECK_EQ(3, roster_stat(roster).guests);
    roster_free(roster);
}

TEST(a_guest_that_is_in_is_never_forgotten)
{
    struct roster *roster = make(2);
    struct wr_guest *a, *b, *c;
    CHECK_OK(enter(roster, "a", &a));
    atomic_store(&a->buckets[0].full_at, 7);
    visit(roster, "b");
    visit(roster, "c");
    CHECK_EQ(1, roster_stat(roster).forgotten);
    CHECK_OK(enter(roster, "b", &b));
    CHECK_ERR(WR_NOMEM, enter(roster, "c", &c));
    CHECK(remembered(roster, "a"));
    roster_leave(roster, b);
    CHECK_OK(enter(roster, "c", &c));
    roster_leave(roster, a);
    roster_leave(roster, c);
    roster_free(roster);
}

TEST(a_guest_is_not_forgotten_before_its_buckets_are_full_again)
{
    struct roster *roster = make(2);
    struct wr_rate rate = wr_rate_of(1, WR_S(10), 5);
    struct wr_guest *a, *b, *c;
    CHECK_OK(enter(roster, "a", &a));
    CHECK_OK(wr_bucket_take(&a->buckets[2], &rate, 2, NULL));
    roster_leave(roster, a);
    CHECK_OK(wr_sleep(wr_after(WR_S(5))));
    CHECK_OK(enter(roster, "b", &b));
    CHECK_OK(wr_bucket_take(&b->buckets[0], &rate, 1, NULL));
    roster_leave(roster, b);
    CHECK_ERR(WR_NOMEM, enter(roster, "c", &c));        /* both have used something up */
    CHECK_OK(wr_sleep(wr_after(WR_S(10) - 1)));
    CHECK_ERR(WR_NOMEM, enter(roster, "c", &c));
    CHECK_OK(wr_sleep(wr_after(1)));
    CHECK_OK(enter(roster, "c", &c));                   /* b has not, though it came later */
    CHECK_EQ(1, roster_stat(roster).forgotten);
    CHECK_OK(enter(roster, "a", &a));
    CHECK_EQ(4, wr_bucket_level(&a->buckets[2], &rate));
    roster_leave(roster, a);
    roster_leave(roster, c);
    roster_free(roster);
}

TEST(thousands_of_guests_are_told_apart_and_come_and_go)
{
    struct roster *roster = make(4096);
    static struct wr_guest *guests[3000];
    char key[32];
    for (int i = 0; i < 3000; i++) {
        snprintf(key, sizeof(key), "guest number %d", i);
        CHECK_OK(enter(roster, key, &guests[i]));
        atomic_store(&guests[i]->buckets[1].full_at, i);
    }
    for (int i = 0; i < 3000; i++) {
        struct wr_guest *again;
        snprintf(key, sizeof(key), "guest number %d", i);
        CHECK_OK(enter(roster, key, &again));
        CHECK(again == guests[i] && atomic_load(&again->buckets[1].full_at) == i);
        roster_leave(roster, again);
        roster_leave(roster, again);
    }
    for (int i = 0; i < 20000; i++)
        visit(roster, (snprintf(key, sizeof(key), "other %d", i), key));
    struct roster_stat stat = roster_stat(roster);
    CHECK_EQ(4096, stat.guests);
    CHECK_EQ(0, stat.in);
    CHECK_EQ(3000 + 20000 - 4096, stat.forgotten);
    roster_free(roster);
}

/* Against the plainest table there is: an array, searched from end to end. */
struct model { int key, in; uint64_t idle_since; };

static struct model *model_find(struct model *models, int key)
{
    struct model *oldest = NULL;
    for (int i = 0; i < 5; i++)
        if (models[i].key == key)
            return &models[i];
    for (int i = 0; i < 5; i++)
        if (!models[i].in && (!oldest || models[i].idle_since < oldest->idle_since))
            oldest = &models[i];
    if (oldest)
        *oldest = (struct model){ .key = key, .idle_since = oldest->idle_since };
    return oldest;
}

TEST(it_does_what_the_plainest_table_does)
{
    struct roster *roster = make(5);
    struct model models[5] = { 0 };
    struct wr_guest *held[5] = { 0 };
    struct wr_rand rand;
    wr_rand_seed(&rand, 3);
    for (uint64_t step = 1; step < 20000; step++) {
        int key = (int)wr_rand_span(&rand, 1, 9), leaver = (int)wr_rand_below(&rand, 5);
        struct wr_guest *guest;
        if (wr_rand_below(&rand, 2) && models[leaver].in) {
            roster_leave(roster, held[leaver]);
            if (--models[leaver].in == 0)
                models[leaver].idle_since = step;
            continue;
        }
        struct model *model = model_find(models, key);
        wr_err want = !model ? WR_NOMEM : model->in >= 3 ? WR_BUSY : WR_OK;
        CHECK_ERR(want, roster_enter(roster, &key, sizeof(key), 3, &guest));
        if (!want) {
            CHECK(model->in == 0 || held[model - models] == guest);
            held[model - models] = guest;
            CHECK_EQ(++model->in, (int)guest->in);
        }
    }
    for (int i = 0; i < 5; i++)
        while (models[i].in-- > 0)
            roster_leave(roster, held[i]);
    roster_free(roster);
}

/* ---- on several workers ---- */

static _Atomic int inside[7];

static wr_err come_and_go(void *arg)
{
    struct roster *roster = arg;
    struct wr_guest *guest;
    for (int i = 0; i < test_rounds(2000); i++) {
        char key[2] = { (char)('a' + i % 7), '\0' };
        wr_err err = roster_enter(roster, key, 1, 4, &guest);
        if (err)
            continue;
        CHECK(guest->key[0] == (unsigned char)key[0]);
        CHECK(atomic_fetch_add(&inside[i % 7], 1) < 4);
        atomic_fetch_sub(&inside[i % 7], 1);
        roster_leave(roster, guest);
    }
    return WR_OK;
}

TEST(guests_come_and_go_on_all_workers_at_once)
{
    struct roster *roster = make(5);
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 8; i++)
        CHECK_OK(wr_scope_go(scope, "test.guest", come_and_go, roster));
    scope_done(scope);
    CHECK_EQ(0, roster_stat(roster).in);
    roster_free(roster);
}

TEST_PANICS(who_is_not_in_cannot_leave, "was_in")
{
    struct roster *roster = make(1);
    struct wr_guest *guest = NULL;
    CHECK_OK(enter(roster, "a", &guest));
    roster_leave(roster, guest);
    roster_leave(roster, guest);
}
