/* oap_leave_test.c - who was let in is told of when he leaves: once, and not too early. */
#include "testing/oap_rig.h"

static int inside, left;

static wr_err let_in(void *arg, struct wr_oap_call *call, const void *cap, size_t len)
{
    (void)arg, (void)len;
    if (len && memcmp(cap, "evil", 4) == 0)
        return WR_DENIED;
    inside++;
    *wr_oap_memo(call) = &inside;
    return WR_OK;
}

static void let_go(void *arg, struct wr_oap_call *call)
{
    (void)arg;
    CHECK(*wr_oap_memo(call) == &inside);
    inside--;
    left++;
}

TEST(who_was_let_in_leaves_once_however_it_ends)
{
    struct site site;
    struct peer peer;
    inside = left = 0;
    meet(&site, &peer, 1, 1, (struct wr_oap_conf){ .auth = let_in, .leave = let_go });
    say(&peer, ECHO, 1, "answered");
    CHECK_BEGINS("200 ", hear(&peer));
    settle();
    CHECK_EQ(1, left);
    say_as(&peer, OAP_REQ | OAP_START | OAP_END, ECHO, 2, "evil", "");
    CHECK_BEGINS("403 ", hear(&peer));
    CHECK_EQ(1, left);                          /* he was never in */
    say(&peer, STUBBORN, 3, "");                /* his worker is not done when he is told */
    CHECK_BEGINS("503 ", hear(&peer));
    CHECK_EQ(1, inside);
    CHECK_EQ(1, left);
    (void)!wr_once_set(gate, NULL);
    settle();
    CHECK_EQ(0, inside);
    CHECK_EQ(2, left);
    leave(&site, &peer);
    CHECK_EQ(2, left);
}

TEST(what_is_refused_before_its_end_has_left_already)
{
    struct site site;
    struct peer peer;
    static char text[200];
    inside = left = 0;
    memset(text, 'x', sizeof(text) - 1);
    meet(&site, &peer, 1, 1, (struct wr_oap_conf){ .auth = let_in, .leave = let_go });
    say_as(&peer, OAP_REQ | OAP_START, SMALL, 1, "", text);
    CHECK_BEGINS("413 ", hear(&peer));
    CHECK_EQ(1, left);
    leave(&site, &peer);
    CHECK_EQ(0, inside);
    CHECK_EQ(1, left);
}

TEST(who_hangs_up_has_left_when_his_worker_is_done)
{
    struct site site;
    struct peer peer;
    inside = left = 0;
    meet(&site, &peer, 1, 1, (struct wr_oap_conf){ .auth = let_in, .leave = let_go });
    say(&peer, GATED, 1, "");
    settle();
    hang_up(&peer);
    settle();
    CHECK_EQ(1, inside);
    (void)!wr_once_set(gate, NULL);
    settle();
    CHECK_EQ(0, inside);
    CHECK_EQ(1, left);
    close_site(&site);
}
