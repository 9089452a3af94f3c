/* sessions.c - sessions that go on from one request to the next. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>
#include <weir/panic.h>
#include <weir/time.h>

#include "base/world.h"
#include "mcp/sessions.h"

#define LOCK_RANK 690

struct place {
    char id[MCP_SESSION_ID];        /* empty: it is not found any more */
    struct mcp_session *session;    /* NULL: free */
    unsigned holders;
    wr_time held_at;
};

struct mcp_sessions {
    const struct mcp_offer *offer;
    struct wr_mutex lock;
    size_t max;
    struct place places[];
};

wr_err mcp_sessions_new(struct mcp_sessions **ret, const struct mcp_offer *offer, size_t max)
{
    struct mcp_sessions *sessions = calloc(1, sizeof(*sessions) + max * sizeof(struct place));
    if (!sessions)
        return WR_NOMEM;
    sessions->offer = offer;
    sessions->max = max;
    sessions->lock = (struct wr_mutex)WR_MUTEX("mcp.sessions", LOCK_RANK);
    *ret = sessions;
    return WR_OK;
}

void mcp_sessions_free(struct mcp_sessions *sessions)
{
    if (!sessions)
        return;
    for (size_t i = 0; i < sessions->max; i++) {
        WR_ASSERT(!sessions->places[i].holders);
        mcp_session_free(sessions->places[i].session);
    }
    wr_mutex_fini(&sessions->lock);
    free(sessions);
}

/* One that is free, else the one to give up; NULL: all are held. */
static struct place *choose(struct mcp_sessions *sessions)
{
    struct place *best = NULL;
    for (size_t i = 0; i < sessions->max; i++) {
        struct place *place = &sessions->places[i];
        if (!place->session)
            return place;
        if (!place->holders && (!best || place->held_at < best->held_at))
            best = place;
    }
    return best;
}

static struct place *find(struct mcp_sessions *sessions, const char *id)
{
    for (size_t i = 0; id[0] && i < sessions->max; i++)
        if (strcmp(sessions->places[i].id, id) == 0)
            return &sessions->places[i];
    return NULL;
}

wr_err mcp_sessions_open(struct mcp_sessions *sessions, struct mcp_session **ret,
                         char ret_id[MCP_SESSION_ID])
{
    unsigned char random[(MCP_SESSION_ID - 1) / 2];
    struct mcp_session *session, *before = NULL;
    wr_err err = mcp_session_new(&session, sessions->offer);
    if (err)
        return err;
    wr_world->entropy(random, sizeof(random));
    for (size_t i = 0; i < sizeof(random); i++)
        snprintf(ret_id + 2 * i, 3, "%02x", random[i]);
    wr_mutex_lock(&sessions->lock);
    struct place *place = choose(sessions);
    if (place) {
        before = place->session;
        *place = (struct place){ .session = session, .holders = 1, .held_at = wr_now() };
        memcpy(place->id, ret_id, sizeof(place->id));
    }
    wr_mutex_unlock(&sessions->lock);
    mcp_session_free(place ? before : session);
    if (!place)
        return WR_BUSY;
    *ret = session;
    return WR_OK;
}

struct mcp_session *mcp_sessions_hold(struct mcp_sessions *sessions, const char *id)
{
    wr_mutex_lock(&sessions->lock);
    struct place *place = find(sessions, id);
    if (place) {
        place->holders++;
        place->held_at = wr_now();
    }
    struct mcp_session *session = place ? place->session : NULL;
    wr_mutex_unlock(&sessions->lock);
    return session;
}

/* Free it, if nobody finds it and nobody holds it. */
static struct mcp_session *let_go(struct place *place)
{
    struct mcp_session *session = place->session;
    if (place->holders || place->id[0])
        return NULL;
    place->session = NULL;
    return session;
}

void mcp_sessions_release(struct mcp_sessions *sessions, struct mcp_session *session)
{
    struct mcp_session *over = NULL;
    wr_mutex_lock(&sessions->lock);
    for (size_t i = 0; i < sessions->max; i++)
        if (sessions->places[i].session == session) {
            WR_ASSERT(sessions->places[i].holders);
            sessions->places[i].holders--;
            over = let_go(&sessions->places[i]);
            break;
        }
    wr_mutex_unlock(&sessions->lock);
    mcp_session_free(over);
}

bool mcp_sessions_end(struct mcp_sessions *sessions, const char *id)
{
    struct mcp_session *over = NULL;
    wr_mutex_lock(&sessions->lock);
    struct place *place = find(sessions, id);
    if (place) {
        place->id[0] = '\0';
        over = let_go(place);
    }
    wr_mutex_unlock(&sessions->lock);
    mcp_session_free(over);
    return place;
}
