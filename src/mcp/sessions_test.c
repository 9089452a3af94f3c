#include "mcp/sessions.h"

#include "testing/mcp_rig.h"

static struct mcp_sessions *sessions;
static char id[4][MCP_SESSION_ID];

static struct mcp_session *open_one(unsigned i)
{
    struct mcp_session *session = NULL;
    CHECK_OK(mcp_sessions_open(sessions, &session, id[i]));
    return session;
}

TEST(a_session_is_found_by_its_id_and_by_no_other)
{
    CHECK_OK(mcp_sessions_new(&sessions, &rig_offer, 2));
    struct mcp_session *session = open_one(0);
    CHECK_EQ(32, strlen(id[0]));
    CHECK(mcp_sessions_hold(sessions, id[0]) == session);
    CHECK(!mcp_sessions_hold(sessions, ""));
    CHECK(!mcp_sessions_hold(sessions, "x"));
    mcp_sessions_release(sessions, session);
    mcp_sessions_release(sessions, session);
    mcp_sessions_free(sessions);
}

TEST(a_new_session_takes_the_place_of_the_one_that_was_silent_longest)
{
    CHECK_OK(mcp_sessions_new(&sessions, &rig_offer, 2));
    mcp_sessions_release(sessions, open_one(0));
    settle();
    mcp_sessions_release(sessions, open_one(1));
    settle();
    mcp_sessions_release(sessions, mcp_sessions_hold(sessions, id[0]));
    mcp_sessions_release(sessions, open_one(2));
    CHECK(!mcp_sessions_hold(sessions, id[1]));
    struct mcp_session *first = mcp_sessions_hold(sessions, id[0]);
    CHECK(first);
    mcp_sessions_release(sessions, first);
    mcp_sessions_free(sessions);
}

TEST(what_somebody_holds_is_not_given_up)
{
    CHECK_OK(mcp_sessions_new(&sessions, &rig_offer, 2));
    struct mcp_session *first = open_one(0), *second = open_one(1), *third;
    CHECK_ERR(WR_BUSY, mcp_sessions_open(sessions, &third, id[2]));
    mcp_sessions_release(sessions, second);
    mcp_sessions_release(sessions, open_one(2));
    CHECK(mcp_sessions_hold(sessions, id[0]) == first);
    mcp_sessions_release(sessions, first);
    mcp_sessions_release(sessions, first);
    mcp_sessions_free(sessions);
}

TEST(a_session_that_was_ended_goes_with_the_last_who_holds_it)
{
    CHECK_OK(mcp_sessions_new(&sessions, &rig_offer, 1));
    struct mcp_session *session = open_one(0), *other;
    CHECK(mcp_sessions_end(sessions, id[0]));
    CHECK(!mcp_sessions_end(sessions, id[0]));
    CHECK(!mcp_sessions_hold(sessions, id[0]));
    CHECK_ERR(WR_BUSY, mcp_sessions_open(sessions, &other, id[1]));
    mcp_sessions_release(sessions, session);
    mcp_sessions_release(sessions, open_one(1));
    mcp_sessions_free(sessions);
}
