#include "svc/index/latency.h"

#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>

#include "base/hash.h"
#include "svc/index/rank.h"

#define PLACES 4096
#define LOCK_RANK 730

struct place {
    char id[PROVIDER_ID];               /* empty: nobody's */
    wr_time latency, at;
};

struct latencies {
    struct wr_mutex lock;
    struct place places[PLACES];
};

wr_err latencies_new(struct latencies **ret)
{
    struct latencies *latencies = calloc(1, sizeof(*latencies));
    if (!latencies)
        return WR_NOMEM;
    latencies->lock = (struct wr_mutex)WR_MUTEX("index.latency", LOCK_RANK);
    *ret = latencies;
    return WR_OK;
}

void latencies_free(struct latencies *latencies)
{
    if (!latencies)
        return;
    wr_mutex_fini(&latencies->lock);
    free(latencies);
}

/* Ids are keys: whoever makes many of them to sit in another's place wins nothing. */
static struct place *place_of(struct latencies *latencies, const char *id)
{
    uint32_t number;
    struct wr_hash hash = wr_hash_of(id, strlen(id));
    memcpy(&number, hash.bytes, sizeof(number));
    return &latencies->places[number % PLACES];
}

static bool known(const struct place *place, const char *id, wr_time now)
{
    return strcmp(place->id, id) == 0 && now - place->at < LATENCY_OLD;
}

static void note(struct latencies *latencies, const char *id, wr_time took)
{
    struct place *place = place_of(latencies, id);
    wr_time now = wr_now();
    size_t len = strlen(id);
    if (len == 0 || len >= sizeof(place->id))
        return;
    wr_mutex_lock(&latencies->lock);
    bool mixes = known(place, id, now) && place->latency < LATENCY_FAILED
        && took < LATENCY_FAILED;
    place->latency = mixes ? place->latency - place->latency / 4 + took / 4 : took;
    place->at = now;
    memcpy(place->id, id, len + 1);
    wr_mutex_unlock(&latencies->lock);
}

void latency_seen(struct latencies *latencies, const char *id, wr_time took)
{
    note(latencies, id, took < LATENCY_FAILED ? took : LATENCY_FAILED);
}

void latency_failed(struct latencies *latencies, const char *id)
{
    note(latencies, id, LATENCY_FAILED);
}

wr_time latency_of(void *arg, const char *id)
{
    struct latencies *latencies = arg;
    struct place *place = place_of(latencies, id);
    wr_time now = wr_now();
    wr_mutex_lock(&latencies->lock);
    wr_time latency = known(place, id, now) ? place->latency : -1;
    wr_mutex_unlock(&latencies->lock);
    return latency;
}
