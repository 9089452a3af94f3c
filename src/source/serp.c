/* serp.c - see serp.h.
 *
 * The state of the engines is a few words each, under one lock that nobody waits under.  Who
 * finds none that may be asked waits for the earliest moment, or until somebody gives one back.
 */
#include "source/serp.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>
#include <weir/select.h>
#include <weir/task.h>
#include <weir/timer.h>
#include <weir/watch.h>

#include "base/hash.h"
#include "biblio/fold.h"
#include "source/asking.h"
#include "source/reading.h"
#include "source/serp_read.h"

#define LOCK_RANK 410
#define FAILURES_MAX 2                  /* in a row; then it is left alone */
#define ALONE WR_S(30 * 60)
#define ALONE_DOUBLINGS 2               /* to two hours */
#define TIMEOUT WR_S(30)                /* of one query */
#define DAY WR_S(24 * 3600)
#define KEY_VERSION 1

#define ALL ((1u << SERP_ENGINES) - 1)

static const struct {
    const char *name;
    wr_time gap;
    unsigned a_day;
    const char *page;                   /* with the query behind it */
} policies[] = {
    [SERP_DUCKDUCKGO] = { "duckduckgo", WR_S(2), 0, "https://duckduckgo.com/?q=" },
    [SERP_MOJEEK] = { "mojeek", WR_S(4), 0, "https://www.mojeek.com/search?q=" },
    [SERP_GOOGLE] = { "google", WR_S(20), 10, "https://www.google.com/search?q=" },
    [SERP_BRAVE] = { "brave", WR_S(10), 50, "https://search.brave.com/search?q=" },
    [SERP_ECOSIA] = { "ecosia", WR_S(3), 0, "https://www.ecosia.org/search?q=" },
    [SERP_STARTPAGE] = { "startpage", WR_S(5), 0,
                         "https://www.startpage.com/sp/search?query=" },
    [SERP_BING] = { "bing", WR_S(20), 10, "https://www.bing.com/search?q=" },
};

static const char *const kinds[] = {
    [SERP_CAPTCHA] = "captcha", [SERP_BLOCKED] = "blocked", [SERP_TIMEOUT] = "timeout",
    [SERP_OTHER] = "other",
};

struct engine {
    wr_time next;                       /* the gap is over */
    wr_time alone_until;
    unsigned failures;                  /* in a row */
    unsigned times_alone;               /* in a row */
    enum serp_kind last;
    bool busy;
    int64_t day;                        /* since 1970 */
    unsigned today;
    uint64_t asked, failed;
};

struct serp {
    struct serp_conf conf;
    struct wr_mutex lock;               /* of the engines, and of who writes the watch */
    struct engine engines[SERP_ENGINES];
    struct wr_watch *freed;             /* an engine was given back */
    struct wr_watch_writer freed_writer;
    uint64_t turns;
};

const char *serp_engine_name(enum serp_engine engine)
{
    return policies[engine].name;
}

enum serp_engine serp_engine_find(const char *name)
{
    enum serp_engine engine = 0;
    while (engine < SERP_ENGINES && strcmp(policies[engine].name, name) != 0)
        engine++;
    return engine;
}

void serp_engine_page(struct wr_text *ret, enum serp_engine engine, const char *query)
{
    wr_text_str(ret, policies[engine].page);
    request_escape(ret, query, "");
}

const char *serp_kind_name(enum serp_kind kind)
{
    return kinds[kind];
}

/* ---- when an engine may be asked ---- */

/* With the lock, like all of these. */
static void turn_day(struct engine *engine)
{
    int64_t day = wr_wall().ns / DAY;
    if (day != engine->day) {
        engine->day = day;
        engine->today = 0;
    }
}

static bool had_its_day(const struct engine *engine, unsigned a_day)
{
    return a_day && engine->today >= a_day;
}

static wr_time next_of(struct serp *serp, enum serp_engine which, wr_time now)
{
    struct engine *engine = &serp->engines[which];
    wr_time next = engine->next > engine->alone_until ? engine->next : engine->alone_until;
    turn_day(engine);
    if (had_its_day(engine, policies[which].a_day)) {
        wr_time midnight = now + DAY - wr_wall().ns % DAY;
        next = next > midnight ? next : midnight;
    }
    return next;
}

/* Who of these may be asked now, and is; else when somebody may, and whether it is worth
 * waiting for those who are busy. */
struct choice {
    uint32_t taken;
    wr_time earliest;
    bool busy;
    bool shunned;                       /* all are left alone, or had their day */
};

static struct choice choose(struct serp *serp, uint32_t wanted)
{
    struct choice choice = { .earliest = WR_NEVER, .shunned = true };
    wr_time now = wr_now();
    for (enum serp_engine i = 0; i < SERP_ENGINES; i++) {
        struct engine *engine = &serp->engines[i];
        if (!(wanted & SERP_BIT(i)))
            continue;
        wr_time next = next_of(serp, i, now);
        bool shunned = engine->alone_until > now || had_its_day(engine, policies[i].a_day);
        choice.shunned &= shunned;
        choice.busy |= engine->busy && !shunned;
        if (engine->busy)
            continue;
        if (next < choice.earliest)
            choice.earliest = next;
        if (next > now)
            continue;
        engine->busy = true;
        engine->today++;
        engine->asked++;
        choice.taken |= SERP_BIT(i);
    }
    return choice;
}

static struct choice choose_any(struct serp *serp, uint32_t wanted)
{
    wr_mutex_lock(&serp->lock);
    struct choice choice = choose(serp, wanted ? wanted : SERP_PREFERRED);
    if (!wanted && choice.shunned) {        /* for those who are in their gap we wait */
        struct choice other = choose(serp, ALL & ~SERP_PREFERRED);
        choice.taken = other.taken;
        choice.shunned &= other.shunned;
        choice.busy |= other.busy;
        if (other.earliest < choice.earliest)
            choice.earliest = other.earliest;
    }
    wr_mutex_unlock(&serp->lock);
    return choice;
}

static void note_failure(struct engine *engine, enum serp_kind kind)
{
    engine->failed++;
    engine->last = kind;
    engine->failures++;
    if (engine->failures < FAILURES_MAX && engine->times_alone == 0)
        return;
    unsigned doublings = engine->times_alone < ALONE_DOUBLINGS ? engine->times_alone
                                                               : ALONE_DOUBLINGS;
    engine->alone_until = wr_now() + (ALONE << doublings);
    engine->times_alone++;
    engine->failures = 0;
}

static void pardon(struct engine *engine)
{
    engine->failures = engine->times_alone = 0;
    engine->alone_until = 0;
}

/* Whoever waits should look again. */
static void tell(struct serp *serp)
{
    serp->turns++;
    wr_watch_set(&serp->freed_writer, &serp->turns);
}

/* Give engines back; of those that have answered at all it is known how they were. */
static void give_back(struct serp *serp, uint32_t taken, const struct serp_found *found)
{
    wr_mutex_lock(&serp->lock);
    for (enum serp_engine i = 0; i < SERP_ENGINES; i++) {
        if (!(taken & SERP_BIT(i)))
            continue;
        size_t at = 0;
        serp->engines[i].busy = false;
        serp->engines[i].next = wr_now() + policies[i].gap;
        while (found && at < found->trouble_count && found->troubles[at].engine != i)
            at++;
        if (found && at < found->trouble_count)
            note_failure(&serp->engines[i], found->troubles[at].kind);
        else if (found)
            pardon(&serp->engines[i]);
    }
    tell(serp);
    wr_mutex_unlock(&serp->lock);
}

void serp_pardon(struct serp *serp, enum serp_engine engine)
{
    wr_mutex_lock(&serp->lock);
    pardon(&serp->engines[engine]);
    tell(serp);
    wr_mutex_unlock(&serp->lock);
}

struct serp_stat serp_stat(struct serp *serp, enum serp_engine which)
{
    wr_time now = wr_now();
    wr_mutex_lock(&serp->lock);
    const struct engine *engine = &serp->engines[which];
    struct serp_stat stat = { .next = next_of(serp, which, now), .asked = engine->asked,
                              .failed = engine->failed, .today = engine->today,
                              .last = engine->last, .alone = engine->alone_until > now };
    wr_mutex_unlock(&serp->lock);
    return stat;
}

/* ---- one query ---- */

struct query {
    struct serp *serp;
    const struct serp_ask *ask;
    struct serp_found *found;
    struct source_question question;
    struct source_reading reading;
    unsigned page;
    uint32_t taken;
    wr_time deadline;
    struct source_reply reply;
    wr_err read_err;
};

/* Wait until somebody may be asked: until a moment, or until one is given back. */
static wr_err wait_for_one(struct wr_watch_reader *freed, wr_time until)
{
    struct wr_timer timer = { 0 };
    uint64_t turns;
    struct wr_case cases[] = { WR_CASE_WATCH(freed, &turns), WR_CASE_TIMER(&timer) };
    size_t which;
    wr_timer_set(&timer, until);
    wr_err err = wr_select(&which, cases, 2, WR_NEVER);
    wr_timer_clear(&timer);
    return err;
}

static wr_err take_engines(struct query *query)
{
    struct wr_watch_reader freed = wr_watch_reader(query->serp->freed);
    for (;;) {
        struct choice choice = choose_any(query->serp, query->ask->engines);
        query->taken = choice.taken;
        if (query->taken)
            return WR_OK;
        if (choice.shunned && choice.earliest > query->deadline)
            return reading_fail(&query->reading, WR_OPENCIRCUIT, "all engines have failed and "
                                "are left alone, or had their day");
        if ((!choice.busy && choice.earliest > query->deadline) || wr_now() >= query->deadline)
            return reading_fail(&query->reading, WR_TIMEOUT, "no engine may be asked before "
                                "the deadline");
        wr_err err = wait_for_one(&freed, choice.earliest < query->deadline ? choice.earliest
                                                                            : query->deadline);
        if (err)
            return reading_fail(&query->reading, err, "%s", wr_err_text(err));
    }
}

static void break_off(void *arg)
{
    const struct query *query = arg;
    give_back(query->serp, query->taken, NULL);
}

static void run_read(void *arg)
{
    struct query *query = arg;
    query->read_err = serp_read(query->found, &query->reading, &query->reply);
}

static wr_err read_reply(struct query *query, const char *bytes, size_t len, unsigned status)
{
    query->reply = (struct source_reply){ .status = status, .bytes = bytes, .len = len };
    wr_err err = asking_read(run_read, query, len, query->deadline);
    if (err)
        return reading_fail(&query->reading, err, "its answer could not be read: %s",
                            wr_err_text(err));
    return query->read_err;
}

static void write_path(const struct query *query, struct wr_text *path)
{
    bool first = true;
    wr_text_str(path, "/search?q=");
    request_escape(path, query->ask->query, "");
    wr_text_format(path, "&format=json&pageno=%u&engines=", query->page);
    for (enum serp_engine i = 0; i < SERP_ENGINES; i++)
        if (query->taken & SERP_BIT(i)) {
            wr_text_format(path, "%s%s", first ? "" : ",", policies[i].name);
            first = false;
        }
}

/* ---- what is remembered ---- */

struct key { char bytes[64 + WR_HASH_SIZE]; size_t len; };

static struct key key_of(const struct query *query)
{
    struct key key;
    char buf[BIB_FOLD_MAX];
    struct wr_text folded = WR_TEXT(buf);
    struct wr_text head = wr_text_over(key.bytes, sizeof(key.bytes) - WR_HASH_SIZE);
    struct wr_hash_state state;
    bib_fold_words(&folded, query->ask->query, strlen(query->ask->query));
    wr_hash_begin(&state);
    wr_hash_add(&state, folded.at, folded.len);
    struct wr_hash hash = wr_hash_end(&state);
    wr_text_format(&head, "%d serp %u %x ", KEY_VERSION, query->page, query->ask->engines);
    memcpy(key.bytes + head.len, hash.bytes, WR_HASH_SIZE);
    key.len = head.len + WR_HASH_SIZE;
    return key;
}

static bool recall(struct query *query, const struct key *key)
{
    struct wr_bytes *bytes;
    struct wr_cache *cache = query->serp->conf.cache;
    if (!cache || wr_cache_get(cache, key->bytes, key->len, &bytes) != WR_CACHE_HIT)
        return false;
    wr_err err = read_reply(query, (const char *)bytes->data, bytes->len, 200);
    wr_bytes_unref(bytes);
    return !err;
}

static void remember(const struct query *query, const struct key *key,
                     const struct wr_fetch_reply *reply)
{
    struct wr_bytes *bytes;
    if (!query->serp->conf.cache || query->found->trouble_count || !query->found->count
        || wr_bytes_copy(&bytes, reply->body, reply->body_len))
        return;
    wr_cache_put(query->serp->conf.cache, key->bytes, key->len, bytes);
    wr_bytes_unref(bytes);
}

/* ---- the search ---- */

static wr_err no_answer(struct query *query, wr_err err, const char *why)
{
    if (err == WR_NOTFOUND || err == WR_UNSUPPORTED)
        err = WR_IO;
    if (err == WR_OPENCIRCUIT)
        why = "failed too often and is left alone for a while";
    return reading_fail(&query->reading, err, "%s", why[0] ? why : wr_err_text(err));
}

static wr_err fetch(struct query *query, struct drainer *drainer, const struct key *key)
{
    char buf[SOURCE_URL_MAX];
    struct wr_text path = WR_TEXT(buf);
    struct wr_fetch_reply reply = { 0 };
    write_path(query, &path);
    if (path.cut)
        return reading_fail(&query->reading, WR_INVALID, "the query is too long to be sent");
    wr_err err = drainer_fetch(drainer, buf, SOURCE_BODY_MAX, TIMEOUT, &reply,
                               query->deadline);
    err = err ? no_answer(query, err, reply.why)
              : read_reply(query, reply.body, reply.body_len, reply.status);
    if (!err)
        remember(query, key, &reply);
    wr_fetch_reply_free(&reply);
    return err;
}

static wr_err search(struct query *query)
{
    struct drainer *drainer = sources_drainer(query->serp->conf.sources, SOURCES_WEB_SEARCH);
    struct wr_cleanup cleanup = { .fn = break_off, .arg = query };
    if (!drainer)
        return reading_fail(&query->reading, WR_UNSUPPORTED,
                            "no SearxNG is configured (check.searxng)");
    struct key key = key_of(query);
    if (recall(query, &key))
        return WR_OK;
    wr_err err = take_engines(query);
    if (err)
        return err;
    wr_cleanup_push(&cleanup);
    err = fetch(query, drainer, &key);
    wr_cleanup_pop(&cleanup);
    give_back(query->serp, query->taken, err ? NULL : query->found);
    return err;
}

static bool says_something(const char *query)
{
    char buf[BIB_FOLD_MAX];
    struct wr_text folded = WR_TEXT(buf);
    bib_fold_words(&folded, query, strlen(query));
    return folded.len > 0;
}

wr_err serp_search(struct serp_found *ret, struct serp *serp, const struct serp_ask *ask,
                   wr_time deadline)
{
    struct query query = {
        .serp = serp, .ask = ask, .found = ret, .page = ask->page ? ask->page : 1,
        .question = { .by = SOURCE_BY_TITLE, .text = ask->query }, .deadline = deadline,
        .reading = { .driver = &source_web_search, .arena = ask->arena } };
    WR_ASSERT(ask->query && ask->arena && !(ask->engines & ~ALL));
    *ret = (struct serp_found){ 0 };
    query.reading.question = &query.question;
    wr_err err;
    if (strlen(ask->query) > SERP_QUERY_MAX || !says_something(ask->query))
        err = reading_fail(&query.reading, WR_INVALID,
                           "a query has 1 to %d bytes, with a letter or digit among them",
                           SERP_QUERY_MAX);
    else if (query.page > SERP_PAGES_MAX)
        err = reading_fail(&query.reading, WR_INVALID,
                           "page %u is asked for; there are 1 to %d", query.page,
                           SERP_PAGES_MAX);
    else
        err = search(&query);
    ret->asked = query.taken;
    if (err)
        memcpy(ret->why, query.reading.why, sizeof(ret->why));
    return err;
}

/* ---- life ---- */

wr_err serp_new(struct serp **ret, const struct serp_conf *conf)
{
    struct serp *serp = calloc(1, sizeof(*serp));
    if (!serp)
        return WR_NOMEM;
    serp->conf = *conf;
    serp->lock = (struct wr_mutex)WR_MUTEX("source.serp", LOCK_RANK);
    wr_err err = wr_watch_new(&serp->freed, &serp->freed_writer, &(struct wr_watch_conf){
        .name = "source.engines", .size = sizeof(serp->turns), .initial = &serp->turns });
    if (err)
        serp_free(serp);
    else
        *ret = serp;
    return err;
}

void serp_free(struct serp *serp)
{
    if (!serp)
        return;
    wr_watch_free(serp->freed);
    wr_mutex_fini(&serp->lock);
    free(serp);
}
