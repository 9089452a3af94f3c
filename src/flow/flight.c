/* flight.c - questions under way, in a hash table by key. */
#include "flow/flight.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>
#include <weir/once.h>
#include <weir/task.h>

#include "base/forget.h"
#include "base/scatter.h"
#include "base/world.h"

#define LOCK_RANK 1003
#define SLOTS 1024

struct flight {
    struct flight *chain;
    struct flights *flights;
    struct wr_cleanup cleanup;      /* of the leader */
    uint64_t hash;
    uint32_t aboard;                /* under the lock */
    wr_err outcome;
    struct wr_bytes *answer;
    struct wr_once *landed;
    size_t key_len;
    unsigned char key[];
};

struct flights {
    struct wr_mutex lock;
    uint64_t seed[2];
    struct flight *slots[SLOTS];
};

wr_err flights_new(struct flights **ret, const char *name)
{
    struct flights *flights = calloc(1, sizeof(*flights));
    if (!flights)
        return WR_NOMEM;
    flights->lock = (struct wr_mutex)WR_MUTEX(name, LOCK_RANK);
    wr_world->entropy(flights->seed, sizeof(flights->seed));
    *ret = flights;
    return WR_OK;
}

void flights_free(struct flights *flights)
{
    if (!flights)
        return;
    for (size_t i = 0; i < SLOTS; i++)
        WR_ASSERT(!flights->slots[i]);
    wr_mutex_fini(&flights->lock);
    free(flights);
}

static void free_flight(struct flight *flight)
{
    if (!flight)
        return;
    wr_once_free(flight->landed);
    wr_bytes_unref(flight->answer);
    wr_forget_free(flight);
}

static struct flight **find(struct flights *flights, const void *key, size_t len, uint64_t hash)
{
    struct flight **link = &flights->slots[hash % SLOTS];
    while (*link && ((*link)->hash != hash || (*link)->key_len != len
                     || memcmp((*link)->key, key, len) != 0))
        link = &(*link)->chain;
    return link;
}

static void leave(struct flight *flight)
{
    struct flights *flights = flight->flights;
    wr_mutex_lock(&flights->lock);
    bool last = --flight->aboard == 0;
    wr_mutex_unlock(&flights->lock);
    if (last)
        free_flight(flight);
}

static void land(struct flight *flight, wr_err outcome, struct wr_bytes *answer)
{
    struct flights *flights = flight->flights;
    flight->outcome = outcome;
    flight->answer = wr_bytes_ref(answer);
    wr_mutex_lock(&flights->lock);
    *find(flights, flight->key, flight->key_len, flight->hash) = flight->chain;
    wr_mutex_unlock(&flights->lock);
    wr_err err = wr_once_set(flight->landed, NULL);
    WR_ASSERT(err == WR_OK);
    leave(flight);
}

static void land_after_panic(void *arg)
{
    land(arg, WR_PANIC, NULL);
}

static wr_err new_flight(struct flight **ret, struct flights *flights, const void *key,
                         size_t len, uint64_t hash)
{
    struct flight *flight = calloc(1, sizeof(*flight) + len);
    if (!flight || wr_once_new(&flight->landed, "flight", 0)) {
        free_flight(flight);
        return WR_NOMEM;
    }
    flight->flights = flights;
    flight->hash = hash;
    flight->aboard = 1;
    flight->key_len = len;
    memcpy(flight->key, key, len);
    flight->cleanup = (struct wr_cleanup){ .fn = land_after_panic, .arg = flight };
    *ret = flight;
    return WR_OK;
}

/* The flight is made before the lock is taken, in case there is none yet. */
wr_err flight_board(struct flights *flights, const void *key, size_t len, struct flight **ret,
                    bool *ret_leads)
{
    uint64_t hash = wr_scatter(flights->seed, key, len);
    struct flight *mine;
    wr_err err = new_flight(&mine, flights, key, len, hash);
    if (err)
        return err;
    wr_mutex_lock(&flights->lock);
    struct flight **link = find(flights, key, len, hash);
    *ret_leads = !*link;
    if (*ret_leads)
        *link = mine;
    else
        (*link)->aboard++;
    *ret = *link;
    wr_mutex_unlock(&flights->lock);
    if (*ret_leads)
        wr_cleanup_push(&mine->cleanup);
    else
        free_flight(mine);
    return WR_OK;
}

void flight_land(struct flight *flight, wr_err outcome, struct wr_bytes *answer)
{
    wr_cleanup_pop(&flight->cleanup);
    land(flight, outcome, answer);
}

void flight_hand(struct flight *flight)
{
    wr_cleanup_pop(&flight->cleanup);
    wr_mutex_lock(&flight->flights->lock);
    flight->aboard++;
    wr_mutex_unlock(&flight->flights->lock);
}

void flight_take(struct flight *flight)
{
    wr_cleanup_push(&flight->cleanup);
}

wr_err flight_wait(struct flight *flight, wr_err *ret_outcome, struct wr_bytes **ret_answer,
                   wr_time deadline)
{
    wr_err err = wr_once_wait(flight->landed, NULL, deadline);
    if (!err) {
        *ret_outcome = flight->outcome;
        *ret_answer = wr_bytes_ref(flight->answer);
    }
    leave(flight);
    return err;
}
