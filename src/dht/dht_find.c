/* dht_find.c - a lookup: legs that put what they are told into one set.
 *
 * The answers that travel through the hedge are empty.  What matters lies in the search, which
 * is on the stack of who asked: the records that any leg has brought so far, verified, and who
 * has said what.  So nothing that a leg has brought is lost when it is cut off, and a lookup at
 * its deadline has what there is.
 */
#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>
#include <weir/task.h>

#include "dht/dht_int.h"

#define RANK 900                        /* of its lock: nothing is taken under it */
#define QUIET 5                         /* that part of `linger` without news is the end */
#define ROOM_FIRST 16

/* What is known of a signature.  UNKNOWN: who had begun with it could not end it. */
enum known { UNKNOWN, BEING_CHECKED, GOOD, BAD, TOO_MANY };

struct check { uint64_t mark; enum known known; };      /* the beginning of the value's hash */

struct search {
    struct dht *dht;
    const struct dht_wanted *wanted;
    unsigned char key[DHT_KEY];
    wr_time begun;
    uint32_t possible;                  /* of this try: so many may be asked */
    _Atomic uint32_t asked, ended, none, good;
    _Atomic wr_time first;              /* how long it took who answered first */
    atomic_bool is_none;                /* that is the answer */
    struct wr_mutex lock;               /* of all below */
    struct dht_set set;
    struct check *checks;               /* of all who were asked: of the same bytes one */
    size_t check_count, check_room;
    uint32_t checked[DHT_PROXIES_MAX];  /* so many of them for what this one has brought */
    wr_time alpha_took, beta_took;
};

/* One target's part in it. */
struct leg {
    struct search *search;
    uint32_t target;
    size_t good;
    bool too_many;                      /* it has brought more than was checked */
    wr_time latest;
};

_Static_assert(PROXY_VALUE_MAX >= DHT_RECORD_MAX && PROXY_KEY == DHT_KEY, "records are values");
_Static_assert(TARGETS_MAX == DHT_PROXIES_MAX, "proxies are targets");

/* ---- values ---- */

/* A place for one more.  The lock is held. */
static wr_err make_room(struct search *search)
{
    if (search->check_count < search->check_room)
        return WR_OK;
    size_t room = search->check_room ? 2 * search->check_room : ROOM_FIRST;
    struct check *checks = realloc(search->checks, room * sizeof(*checks));
    if (!checks)
        return WR_NOMEM;
    search->checks = checks;
    search->check_room = room;
    return WR_OK;
}

/* What is known about a value with this hash.  UNKNOWN: the caller is to check it, and to say
 * what came of it.  Each of those that are asked has checks of its own: a liar uses up his. */
static wr_err look_up(struct leg *leg, uint64_t mark, size_t *ret_place, enum known *ret)
{
    struct search *search = leg->search;
    uint32_t *checked = &search->checked[leg->target];
    size_t at = 0;
    wr_err err = WR_OK;
    wr_mutex_lock(&search->lock);
    while (at < search->check_count && search->checks[at].mark != mark)
        at++;
    *ret_place = at;
    *ret = at < search->check_count ? search->checks[at].known : UNKNOWN;
    if (*ret == UNKNOWN && *checked == DHT_CHECKS_MAX)
        *ret = TOO_MANY;
    if (*ret == UNKNOWN && at == search->check_count) {
        err = make_room(search);
        search->check_count += !err;
    }
    if (*ret == UNKNOWN && !err) {
        search->checks[at] = (struct check){ mark, BEING_CHECKED };
        ++*checked;
    }
    wr_mutex_unlock(&search->lock);
    return err;
}

/* What came of it: UNKNOWN, GOOD or BAD.  A record for which there is no memory is as if nobody
 * had seen it. */
static wr_err settle(struct search *search, size_t place, const struct dht_record *record,
                     enum known known)
{
    wr_mutex_lock(&search->lock);
    wr_err err = known == GOOD ? dht_set_add(&search->set, record) : WR_OK;
    search->checks[place].known = err ? UNKNOWN : known;
    wr_mutex_unlock(&search->lock);
    return err;
}

/* Others run before each: one takes a tenth of a millisecond.  Who is canceled leaves it to who
 * comes next. */
static wr_err check(struct leg *leg, size_t place, const struct dht_record *record,
                    const void *bytes, size_t len, enum known *ret)
{
    wr_err err = wr_yield();
    if (!err)
        *ret = dht_check(leg->search->dht, record, bytes, len) ? BAD : GOOD;
    wr_err kept = settle(leg->search, place, record, *ret);
    return err ? err : kept;
}

/* Whether the signature is right.  What another has begun to check is waited for: that is soon,
 * and he waits for nothing but his turn. */
static wr_err verify(struct leg *leg, const struct dht_record *record, const void *bytes,
                     size_t len, enum known *ret)
{
    struct wr_hash hash = wr_hash_of(bytes, len);
    uint64_t mark;
    size_t place;
    memcpy(&mark, hash.bytes, sizeof(mark));
    wr_err err = look_up(leg, mark, &place, ret);
    while (!err && *ret == BEING_CHECKED) {
        err = wr_yield();
        err = err ? err : look_up(leg, mark, &place, ret);
    }
    return err || *ret != UNKNOWN ? err : check(leg, place, record, bytes, len, ret);
}

/* What is good is enough, after a while: a short one if nothing more comes. */
static void note_record(struct leg *leg, struct proxy_reading *reading)
{
    wr_time linger = leg->search->dht->conf.linger, quiet = wr_after(linger / QUIET);
    if (leg->good++ == 0)
        leg->latest = wr_after(linger);
    reading->enough = quiet < leg->latest ? quiet : leg->latest;
}

static wr_err take(struct proxy_reading *reading, enum proxy_line line, const void *bytes,
                   size_t len)
{
    struct leg *leg = reading->arg;
    struct search *search = leg->search;
    struct dht_record record;
    enum known known;
    if (dht_weigh(search->dht, &record, search->wanted, line, bytes, len))
        return wr_yield();
    wr_err err = verify(leg, &record, bytes, len, &known);
    if (!err && known == GOOD)
        note_record(leg, reading);
    if (!err && known == TOO_MANY) {
        leg->too_many = true;
        reading->enough = WR_NOW;
    }
    return err;
}

/* ---- a leg ---- */

/* In which wave the target is: its place among those that the hedge chooses from. */
static bool is_extra(const struct dht *dht, const struct wr_ask *ask)
{
    uint32_t place = 0;
    while (place < ask->target_count && ask->targets[place] != ask->target)
        place++;
    return place >= dht->conf.alpha;
}

static void note_good(struct search *search, const struct wr_ask *ask)
{
    struct dht *dht = search->dht;
    wr_time took = wr_now() - search->begun;
    bool extra = is_extra(dht, ask);
    wr_mutex_lock(&search->lock);
    wr_time *which = extra ? &search->beta_took : &search->alpha_took;
    *which = *which ? *which : took > 0 ? took : 1;
    wr_mutex_unlock(&search->lock);
    bool is_first = atomic_fetch_add(&search->good, 1) == 0;
    targets_note(&dht->targets, ask->target, is_first ? TARGET_FIRST : TARGET_ANSWERED);
}

/* One more says that there is none.  When all have been asked, the last to say so settles it;
 * if others are silent, and most are not, they are given a little more time. */
static wr_err note_none(struct search *search, wr_time deadline)
{
    uint32_t none = atomic_fetch_add(&search->none, 1) + 1;
    uint32_t asked = atomic_load(&search->asked);
    if (asked < search->possible || 2 * none <= asked)
        return WR_OK;
    if (atomic_load(&search->ended) < asked) {
        wr_time until = wr_after(search->dht->conf.linger);
        wr_err err = wr_sleep(until < deadline ? until : deadline);
        if (err)
            return err;
    }
    if (atomic_load(&search->good) == 0)
        atomic_store(&search->is_none, true);
    return WR_OK;
}

static wr_err ask_target(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct dht *dht = way->self;
    struct leg leg = { .search = (struct search *)(uintptr_t)ask->question,
                       .target = ask->target };
    struct search *search = leg.search;
    struct proxy_reading reading = { .take = take, .arg = &leg, .enough = WR_NEVER };
    uint32_t pass;
    wr_err err = wr_breaker_enter(dht->breakers, ask->target, &pass);
    if (err)
        return err;
    atomic_fetch_add(&search->asked, 1);
    wr_time begun = wr_now();
    err = proxy_get(&dht->proxies[ask->target], search->key, &reading, deadline);
    if (err && err != WR_CANCELED && leg.good > 0)
        err = WR_OK;                    /* it broke off, after it had said something */
    wr_time took = wr_now() - begun;
    dht_tell(dht, ask->target, pass, err, took, atomic_load(&search->first));
    if (!err)
        dht_tell_first(&search->first, took);
    atomic_fetch_add(&search->ended, 1);
    if (!err && leg.good > 0)
        note_good(search, ask);
    else if (!err && (leg.too_many || reading.cut))
        err = WR_QUARANTINE;            /* there may be something good in the rest */
    else if (!err)
        err = note_none(search, deadline);
    return err ? err : wr_bytes_new(&ask->answer, 0);
}

bool dht_search_satisfies(const struct wr_ask *ask, const struct wr_bytes *answer)
{
    const struct search *search = ask->question;
    uint32_t good = atomic_load(&search->good), ended = atomic_load(&search->ended);
    bool is_over = ended == search->possible && ended == atomic_load(&search->asked);
    (void)answer;
    return atomic_load(&search->is_none) || good >= search->dht->conf.quorum
           || (good > 0 && is_over);
}

/* ---- a try ---- */

static bool has_records(struct search *search)
{
    wr_mutex_lock(&search->lock);
    bool has = search->set.count > 0;
    wr_mutex_unlock(&search->lock);
    return has;
}

/* What a try has come to.  Whoever was asked and could not answer does not make a nothing of
 * most others into an error. */
static wr_err judge(struct search *search, wr_err err)
{
    if (err == WR_CANCELED)
        return err;
    if (has_records(search))
        return WR_OK;
    uint32_t none = atomic_load(&search->none), asked = atomic_load(&search->asked);
    return !err || (none > 0 && 2 * none > asked) ? WR_NOTFOUND : err;
}

static wr_err try_all(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct dht *dht = way->self;
    struct search *search = (struct search *)(uintptr_t)ask->question;
    uint32_t order[TARGETS_MAX];
    uint32_t count = targets_order(&dht->targets, dht->breakers, order);
    if (count == 0)
        return WR_OPENCIRCUIT;
    count = dht->conf.unhedged ? 1 : count;
    uint32_t most = dht->conf.alpha + dht->conf.beta;
    search->possible = count < most ? count : most;
    search->asked = search->ended = search->none = search->good = 0;
    search->first = 0;
    struct wr_ask hedged = { .question = search, .targets = order, .target_count = count,
                             .safe = true };
    wr_err err = wr_way_ask(WR_HEDGED(dht->hedge, WR_WAY(ask_target, dht)), &hedged, deadline);
    ask->retry_after = hedged.retry_after;
    wr_ask_done(&hedged);
    return judge(search, err);
}

/* ---- a lookup ---- */

static void take_found(struct dht_found *ret, struct search *search)
{
    *ret = (struct dht_found){
        .records = search->set.records, .count = search->set.count,
        .alpha_took = search->alpha_took, .beta_took = search->beta_took,
        .winner = !search->beta_took ? DHT_ALPHA : search->alpha_took ? DHT_TIE : DHT_BETA,
    };
    search->set = (struct dht_set){ .kind = search->set.kind };
}

wr_err dht_find(struct dht *dht, const struct dht_wanted *wanted, struct dht_found *ret,
                wr_time deadline)
{
    *ret = (struct dht_found){ 0 };
    atomic_fetch_add_explicit(&dht->lookups, 1, memory_order_relaxed);
    if (wanted->kind == DHT_NAME && dht->conf.trusted_count == 0) {
        atomic_fetch_add_explicit(&dht->none, 1, memory_order_relaxed);
        return WR_NOTFOUND;
    }
    struct search search = { .dht = dht, .wanted = wanted, .begun = wr_now(),
                             .lock = WR_MUTEX("dht.search", RANK),
                             .set = { .kind = wanted->kind } };
    dht_key_of(search.key, wanted);
    struct wr_ask ask = { .question = &search, .safe = true };
    wr_err err = wr_way_ask(WR_RETRIED(dht->retry, WR_WAY(try_all, dht)), &ask, deadline);
    wr_ask_done(&ask);
    if (!err)
        take_found(ret, &search);
    if (err == WR_NOTFOUND)
        atomic_fetch_add_explicit(&dht->none, 1, memory_order_relaxed);
    dht_set_free(&search.set);
    free(search.checks);
    wr_mutex_fini(&search.lock);
    return err;
}

void dht_found_free(struct dht_found *found)
{
    struct dht_set set = { .records = found->records };
    dht_set_free(&set);
    found->records = NULL;
    found->count = 0;
}
