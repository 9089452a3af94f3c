#include <weir/admit.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/rand.h"
#include "testing/settle.h"
#include "testing/test.h"

static struct wr_admit *make(struct wr_admit_limits limits, size_t addresses)
{
    struct wr_admit *admit = NULL;
    CHECK_OK(wr_admit_new(&admit, &limits, addresses));
    return admit;
}

static struct wr_addr at(const char *text)
{
    struct wr_addr addr = { 0 };
    CHECK_OK(wr_addr_parse_ip(&addr, text, 4711));
    return addr;
}

static wr_err come(struct wr_admit *admit, const char *from, struct wr_guest **ret)
{
    struct wr_addr addr = at(from);
    struct wr_admit_refusal why;
    return wr_admit_connection(admit, &addr, ret, &why);
}

/* Why a connection from there would be refused; "" when it would not be. */
static const char *reason(struct wr_admit *admit, const char *from, wr_time *ret_wait)
{
    struct wr_addr addr = at(from);
    struct wr_admit_refusal why = { .reason = "" };
    struct wr_guest *guest;
    if (!wr_admit_connection(admit, &addr, &guest, &why))
        wr_admit_leave(admit, guest);
    *ret_wait = why.wait;
    return why.reason;
}

/* ---- connections at the same time ---- */

TEST(an_address_has_as_many_connections_as_the_limit_and_others_do_not_notice)
{
    struct wr_admit *admit = make((struct wr_admit_limits){ 0 }, 0);
    struct wr_guest *guests[257], *other;
    wr_time wait;
    for (int i = 0; i < 256; i++)
        CHECK_OK(come(admit, "192.0.2.1", &guests[i]));
    CHECK_ERR(WR_BUSY, come(admit, "192.0.2.1", &guests[256]));
    CHECK_STR("ip_connections", reason(admit, "192.0.2.1", &wait));
    CHECK_EQ(WR_S(1), wait);
    CHECK_OK(come(admit, "192.0.2.2", &other));
    wr_admit_leave(admit, other);
    wr_admit_leave(admit, guests[0]);
    CHECK_OK(come(admit, "192.0.2.1", &guests[0]));
    for (int i = 0; i < 256; i++)
        wr_admit_leave(admit, guests[i]);
    wr_admit_free(admit);
}

TEST(loopback_counts_like_any_other)
{
    struct wr_admit *admit = make((struct wr_admit_limits){ .connections = 1 }, 0);
    struct wr_guest *first, *second;
    CHECK_OK(come(admit, "127.0.0.1", &first));
    CHECK_ERR(WR_BUSY, come(admit, "127.0.0.1", &second));
    CHECK_OK(come(admit, "127.0.0.2", &second));
    wr_admit_leave(admit, first);
    wr_admit_leave(admit, second);
    wr_admit_free(admit);
}

TEST(ip6_counts_by_its_network_of_64_bits_and_ip4_is_ip4_however_written)
{
    struct wr_admit *admit = make((struct wr_admit_limits){ .connections = 1 }, 0);
    struct wr_guest *guests[4], *other;
    CHECK_OK(come(admit, "2001:db8:1:2::1", &guests[0]));
    CHECK_ERR(WR_BUSY, come(admit, "2001:db8:1:2:ffff:ffff:ffff:ffff", &other));
    CHECK_OK(come(admit, "2001:db8:1:3::1", &guests[1]));
    CHECK_OK(come(admit, "192.0.2.7", &guests[2]));
    CHECK_ERR(WR_BUSY, come(admit, "::ffff:192.0.2.7", &other));
    CHECK_OK(come(admit, "::ffff:192.0.2.8", &guests[3]));
    for (int i = 0; i < 4; i++)
        wr_admit_leave(admit, guests[i]);
    wr_admit_free(admit);
}

TEST(a_unix_socket_is_of_no_address_and_counts_among_all)
{
    struct wr_admit *admit = make((struct wr_admit_limits){ .connections = 1,
                                                            .requests = { WR_S(1), 1 } }, 0);
    struct wr_addr addr = { .kind = WR_ADDR_UNIX };
    struct wr_admit_refusal why;
    struct wr_guest *guest;
    for (int i = 0; i < 10; i++) {
        CHECK_OK(wr_admit_connection(admit, &addr, &guest, &why));
        CHECK_OK(wr_admit_request(admit, guest, wr_now(), &why));
    }
    wr_admit_set_total(admit, 10);
    CHECK_ERR(WR_BUSY, wr_admit_connection(admit, &addr, &guest, &why));
    CHECK_STR("connections", why.reason);
    for (int i = 0; i < 10; i++)
        wr_admit_leave(admit, guest);
    CHECK_EQ(0, wr_admit_total(admit));
    wr_admit_free(admit);
}

TEST(there_are_as_many_connections_as_the_limit_whoever_has_them)
{
    struct wr_admit *admit = make((struct wr_admit_limits){ .connections = 2 }, 0);
    struct wr_guest *one, *two, *three;
    wr_time wait;
    wr_admit_set_total(admit, 2);
    CHECK_OK(come(admit, "192.0.2.1", &one));
    CHECK_OK(come(admit, "192.0.2.2", &two));
    for (int i = 0; i < 3; i++)
        CHECK_STR("connections", reason(admit, "192.0.2.3", &wait));
    wr_admit_leave(admit, one);
    CHECK_OK(come(admit, "192.0.2.2", &three));
    wr_admit_leave(admit, three);
    CHECK_STR("", reason(admit, "192.0.2.3", &wait));
    CHECK_EQ(1, wr_admit_total(admit));
    wr_admit_leave(admit, two);
    wr_admit_free(admit);
}

/* ---- the control plane ---- */

/* How many questions of somebody run at last, who asks as often as he can. */
static int run_all(struct wr_admit *admit, struct wr_guest *guest)
{
    struct wr_admit_refusal why;
    int asked = 0;
    while (asked < 1000 && !wr_admit_control_enter(admit, guest, &why))
        asked++;
    return asked;
}

TEST(however_much_one_address_asks_there_is_room_for_the_question_of_another)
{
    struct wr_admit *admit = make((struct wr_admit_limits){ 0 }, 0);
    struct wr_guest *guests[5];
    struct wr_admit_refusal why = { 0 };
    for (int i = 0; i < 5; i++) {
        char from[20];
        snprintf(from, sizeof(from), "192.0.2.%d", i + 1);
        CHECK_OK(come(admit, from, &guests[i]));
    }
    CHECK_EQ(WR_ADMIT_CONTROL_SHARE, run_all(admit, guests[0]));
    CHECK_ERR(WR_BUSY, wr_admit_control_enter(admit, guests[0], &why));
    CHECK_STR("ip_control_share", why.reason);
    CHECK_OK(wr_admit_control_enter(admit, guests[1], &why));
    wr_admit_control_leave(admit, guests[1]);
    for (int i = 1; i < 4; i++)
        CHECK_EQ(WR_ADMIT_CONTROL_SHARE, run_all(admit, guests[i]));
    CHECK_ERR(WR_BUSY, wr_admit_control_enter(admit, guests[4], &why));
    CHECK_STR("control_share", why.reason);         /* the bound of all */
    wr_admit_control_leave(admit, guests[0]);
    CHECK_OK(wr_admit_control_enter(admit, guests[4], &why));
    CHECK_ERR(WR_BUSY, wr_admit_control_enter(admit, NULL, &why));
    wr_admit_control_leave(admit, guests[4]);
    CHECK_OK(wr_admit_control_enter(admit, NULL, &why));
    wr_admit_control_leave(admit, NULL);
    for (int i = 0; i < 5; i++)
        wr_admit_leave(admit, guests[i]);
    wr_admit_free(admit);
}

/* How many questions somebody can pay for now. */
static int ask_all(struct wr_admit *admit, struct wr_guest *guest)
{
    struct wr_admit_refusal why;
    int asked = 0;
    while (asked < 1000 && !wr_admit_control(admit, guest, wr_now(), &why))
        asked++;
    return asked;
}

TEST(the_control_plane_is_paid_from_a_bucket_of_its_own)
{
    struct wr_admit *admit = make((struct wr_admit_limits){ .requests = { WR_S(1), 1 },
                                                            .control = { WR_S(2), 3 } }, 0);
    struct wr_admit_refusal why = { 0 };
    struct wr_guest *guest, *other;
    CHECK_OK(come(admit, "192.0.2.1", &guest));
    CHECK_OK(come(admit, "192.0.2.2", &other));
    CHECK_OK(wr_admit_request(admit, guest, wr_now(), &why));
    CHECK_ERR(WR_BUSY, wr_admit_request(admit, guest, wr_now(), &why));
    CHECK_EQ(3, ask_all(admit, guest));
    CHECK_ERR(WR_BUSY, wr_admit_control(admit, guest, wr_now(), &why));
    CHECK_STR("ip_control_rate", why.reason);
    CHECK_EQ(WR_S(2), why.wait);
    CHECK_EQ(3, ask_all(admit, other));
    wr_admit_leave(admit, guest);
    wr_admit_leave(admit, other);
    wr_admit_free(admit);
}

/* ---- rates ---- */

TEST(new_connections_come_at_their_rate_whether_the_old_ones_stay_or_not)
{
    struct wr_admit *admit = make((struct wr_admit_limits){
        .connections = 100, .accepts = wr_rate_of(10, WR_S(1), 3) }, 0);
    wr_time wait;
    for (int i = 0; i < 3; i++)
        CHECK_STR("", reason(admit, "192.0.2.1", &wait));
    CHECK_STR("ip_accept_rate", reason(admit, "192.0.2.1", &wait));
    CHECK_EQ(WR_MS(100), wait);
    CHECK_STR("", reason(admit, "192.0.2.2", &wait));
    CHECK_OK(wr_sleep(wr_after(WR_MS(100) - 1)));
    CHECK_STR("ip_accept_rate", reason(admit, "192.0.2.1", &wait));
    CHECK_EQ(1, wait);
    CHECK_OK(wr_sleep(wr_after(1)));
    CHECK_STR("", reason(admit, "192.0.2.1", &wait));
    wr_admit_free(admit);
}

TEST(the_connections_of_an_address_share_its_rate_of_requests)
{
    struct wr_rate rate = wr_rate_of(2, WR_S(1), 4);
    struct wr_admit *admit = make((struct wr_admit_limits){ .requests = rate }, 0);
    struct wr_guest *one, *two, *other;
    struct wr_admit_refusal why;
    CHECK_OK(come(admit, "192.0.2.1", &one));
    CHECK_OK(come(admit, "192.0.2.1", &two));
    CHECK_OK(come(admit, "192.0.2.2", &other));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(wr_admit_request(admit, one, wr_now(), &why));
        CHECK_OK(wr_admit_request(admit, two, wr_now(), &why));
    }
    CHECK_ERR(WR_BUSY, wr_admit_request(admit, one, wr_now(), &why));
    CHECK_STR("ip_request_rate", why.reason);
    CHECK_EQ(WR_MS(500), why.wait);
    CHECK_ERR(WR_BUSY, wr_admit_request(admit, two, wr_now(), &why));
    CHECK_OK(wr_admit_request(admit, other, wr_now(), &why));
    wr_admit_leave(admit, one);
    wr_admit_leave(admit, two);
    CHECK_OK(come(admit, "192.0.2.1", &one));       /* to come anew does not help */
    CHECK_ERR(WR_BUSY, wr_admit_request(admit, one, wr_now(), &why));
    wr_admit_leave(admit, one);
    wr_admit_leave(admit, other);
    wr_admit_free(admit);
}

/* One address asks ten times as often as the other: each gets its own rate, exactly. */
TEST(a_greedy_address_takes_nothing_from_a_modest_one)
{
    struct wr_admit *admit = make((struct wr_admit_limits){
        .requests = wr_rate_of(100, WR_S(1), 1) }, 0);
    struct wr_guest *greedy, *modest;
    struct wr_admit_refusal why;
    unsigned greedy_had = 0, modest_had = 0;
    CHECK_OK(come(admit, "192.0.2.1", &greedy));
    CHECK_OK(come(admit, "192.0.2.2", &modest));
    wr_time start = wr_now();
    for (int ms = 0; ms < 1000; ms++) {
        CHECK_OK(wr_sleep(start + ms * WR_MS(1)));
        greedy_had += wr_admit_request(admit, greedy, wr_now(), &why) == WR_OK;
        if (ms % 10 == 0)
            modest_had += wr_admit_request(admit, modest, wr_now(), &why) == WR_OK;
    }
    CHECK_EQ(100, greedy_had);
    CHECK_EQ(100, modest_had);
    wr_admit_leave(admit, greedy);
    wr_admit_leave(admit, modest);
    wr_admit_free(admit);
}

TEST(limits_change_while_connections_are_open)
{
    struct wr_admit *admit = make((struct wr_admit_limits){ .connections = 2 }, 0);
    struct wr_guest *one, *two, *three;
    struct wr_admit_refusal why;
    CHECK_OK(come(admit, "192.0.2.1", &one));
    CHECK_OK(come(admit, "192.0.2.1", &two));
    wr_admit_set(admit, &(struct wr_admit_limits){ .connections = 3,
                                                   .requests = wr_rate_of(1, WR_S(1), 1) });
    CHECK_OK(come(admit, "192.0.2.1", &three));
    CHECK_OK(wr_admit_request(admit, one, wr_now(), &why));
    CHECK_ERR(WR_BUSY, wr_admit_request(admit, three, wr_now(), &why));
    wr_admit_set(admit, &(struct wr_admit_limits){ .connections = 1 });
    CHECK_OK(wr_admit_request(admit, three, wr_now(), &why));
    wr_admit_leave(admit, three);
    wr_admit_leave(admit, two);
    CHECK_ERR(WR_BUSY, come(admit, "192.0.2.1", &two));
    wr_admit_leave(admit, one);
    wr_admit_free(admit);
}

/* ---- the table ---- */

TEST(when_the_table_is_full_of_open_connections_newcomers_are_refused_and_nobody_forgotten)
{
    struct wr_admit *admit = make((struct wr_admit_limits){ .connections = 1 }, 2);
    struct wr_guest *one, *two, *again;
    wr_time wait;
    CHECK_OK(come(admit, "192.0.2.1", &one));
    CHECK_OK(come(admit, "192.0.2.2", &two));
    CHECK_STR("ip_table_full", reason(admit, "192.0.2.3", &wait));
    CHECK_ERR(WR_BUSY, come(admit, "192.0.2.1", &again));
    wr_admit_leave(admit, two);
    CHECK_STR("", reason(admit, "192.0.2.3", &wait));
    wr_admit_leave(admit, one);
    wr_admit_free(admit);
}

/* Everybody's requests are written down as they pass and judged afterwards, on their
 * own: in no window of any length more than the rate. */
TEST(no_address_exceeds_its_rate_in_any_window_whoever_else_asks)
{
    enum { ADDRESSES = 5, TRIES = 3000 };
    struct wr_rate rate = wr_rate_of(50, WR_S(1), 6);
    struct wr_admit *admit = make((struct wr_admit_limits){ .requests = rate }, 0);
    struct wr_guest *guests[ADDRESSES];
    wr_time *passed[ADDRESSES];
    size_t counts[ADDRESSES] = { 0 };
    struct wr_rand rand;
    wr_rand_seed(&rand, 11);
    for (int i = 0; i < ADDRESSES; i++) {
        char text[] = "192.0.2.0";
        text[8] = (char)('1' + i);
        CHECK_OK(come(admit, text, &guests[i]));
        passed[i] = calloc(TRIES, sizeof(wr_time));
    }
    for (int i = 0; i < TRIES; i++) {
        struct wr_admit_refusal why;
        size_t who = wr_rand_below(&rand, ADDRESSES);
        if (!wr_admit_request(admit, guests[who], wr_now(), &why))
            passed[who][counts[who]++] = wr_now();
        CHECK_OK(wr_sleep(wr_after(wr_rand_span(&rand, 0, WR_MS(4)))));
    }
    for (int i = 0; i < ADDRESSES; i++) {
        CHECK(counts[i] > 100);
        for (size_t first = 0; first < counts[i]; first++)
            for (size_t last = first; last < counts[i]; last++) {
                wr_time span = passed[i][last] - passed[i][first];
                if (last - first + 1 > rate.burst + (size_t)(span / rate.interval))
                    CHECK_EQ(0, last - first + 1);
            }
        wr_admit_leave(admit, guests[i]);
        free(passed[i]);
    }
    wr_admit_free(admit);
}
