/* explorer.c - see explorer.h. */
#include "svc/queue/explorer.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <weir/addr.h>
#include <weir/cache.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "store/domain_rule.h"
#include "svc/queue/explorer_int.h"
#include "svc/queue/page_memory.h"

#define RULE_WITHIN WR_S(10)             /* a page waits for it, and is not had without */
#define JITTER_MIN WR_MS(1500)          /* unless the longest is shorter */
#define FOUND_MAX 10000                 /* answers of search engines that are remembered, */
#define FOUND_BYTES ((size_t)64 << 20)  /* ... as they came */
#define JANITOR_TICK WR_S(10)
#define CHAIN_WITHIN WR_S(5)
#define LOCK_RANK 405

wr_err explorer_new(struct explorer **ret, struct sources *const *sources)
{
    struct explorer *explorer = calloc(1, sizeof(*explorer));
    if (!explorer)
        return WR_NOMEM;
    explorer->sources = sources;
    explorer->lock = (struct wr_mutex)WR_MUTEX("queue.explorer", LOCK_RANK);
    turns_init(&explorer->verifying);
    *ret = explorer;
    return WR_OK;
}

void explorer_free(struct explorer *explorer)
{
    if (!explorer)
        return;
    turns_fini(&explorer->verifying);
    wr_mutex_fini(&explorer->lock);
    free(explorer);
}

/* ---- the configuration ---- */

/* "10.0.0.0/8", or an address alone. */
static bool read_range(struct wr_fetch_range *ret, const char *word)
{
    char ip[64];
    size_t len = strcspn(word, "/");
    if (len >= sizeof(ip))
        return false;
    memcpy(ip, word, len);
    ip[len] = '\0';
    bool is_v6 = strchr(ip, ':');
    ret->bits = word[len] ? (unsigned)strtoul(word + len + 1, NULL, 10) : is_v6 ? 128 : 32;
    return ret->bits <= (is_v6 ? 128 : 32) && wr_addr_parse_ip(&ret->ip, ip, 0) == WR_OK;
}

static size_t read_ranges(struct explorer *explorer, const struct wr_conf *conf)
{
    const char *const *words;
    size_t count = 0, said = wr_conf_words(conf, "queue.fetch.allow", &words);
    for (size_t i = 0; i < said && count < EXPLORER_ALLOW_MAX; i++)
        count += read_range(&explorer->allow[count], words[i]);
    return count;
}

static struct domain_conf read_domain(const struct wr_conf *conf)
{
    wr_time jitter = wr_conf_duration(conf, "queue.fetch.jitter");
    wr_time cooldown = wr_conf_duration(conf, "queue.fetch.cooldown");
    return (struct domain_conf){
        .interval = wr_conf_duration(conf, "queue.fetch.interval"),
        .jitter_min = jitter < JITTER_MIN ? jitter : JITTER_MIN,
        .jitter_max = jitter ? jitter : 1,      /* zero would be the usual one */
        .daily = (uint32_t)wr_conf_int(conf, "queue.fetch.daily"),
        .cooldown = cooldown, .cooldown_max = 4 * cooldown };
}

static struct browser_conf read_browser(const struct wr_conf *conf)
{
    const char *path = wr_conf_text(conf, "queue.browser.command");
    return (struct browser_conf){
        .path = path && *path ? path : NULL,
        .tabs = (unsigned)wr_conf_int(conf, "queue.browser.tabs"),
        .time_max = wr_conf_duration(conf, "queue.browser.timeout"),
        .loads_max = (unsigned)wr_conf_int(conf, "queue.browser.loads"),
        .load_bytes_max = wr_conf_size(conf, "queue.browser.load_bytes"),
        .memory_max = wr_conf_size(conf, "queue.browser.memory") };
}

/* What people have said of a domain (feedback). */
static wr_err check_rule(void *arg, const char *host)
{
    struct explorer *explorer = arg;
    enum store_domain_rule rule = STORE_DOMAIN_NONE;
    wr_err err = store_domain_rule_find(explorer->store, host, &rule, wr_after(RULE_WITHIN));
    return err ? err : rule == STORE_DOMAIN_BLOCK ? WR_DENIED : WR_OK;
}

void explorer_set(struct explorer *explorer, const struct wr_conf *conf, struct store *store,
                  const struct meaning *meaning)
{
    explorer->store = store;
    explorer->meaning = meaning;
    explorer->memory = page_memory(store);
    explorer->crawl_conf = (struct crawl_conf){
        .mailto = wr_conf_text(conf, "check.mailto"), .memory = &explorer->memory,
        .domain = read_domain(conf), .browser = read_browser(conf),
        .at_once = (unsigned)wr_conf_int(conf, "queue.fetch.at_once"),
        .timeout = wr_conf_duration(conf, "queue.fetch.timeout"),
        .body_max = wr_conf_size(conf, "queue.fetch.page_bytes"),
        .pdf_max = wr_conf_size(conf, "queue.fetch.pdf_bytes"),
        .redirects_max = (unsigned)wr_conf_int(conf, "queue.fetch.redirects"),
        .ttl = wr_conf_duration(conf, "queue.fetch.ttl"),
        .fetch = { .allow = explorer->allow }, .listed = check_rule, .listed_arg = explorer };
    explorer->crawl_conf.fetch.allow_count = read_ranges(explorer, conf);
}

/* ---- while it runs ---- */

static void publish(struct explorer *explorer, struct crawl *crawl, struct serp *serp)
{
    wr_mutex_lock(&explorer->lock);
    explorer->crawl = crawl;
    explorer->serp = serp;
    wr_mutex_unlock(&explorer->lock);
}

static wr_err start_search(struct explorer *explorer, struct serp **ret)
{
    wr_err err = wr_cache_new(&explorer->found, &(struct wr_cache_conf){
        .name = "queue.serp", .entries_max = FOUND_MAX, .bytes_max = FOUND_BYTES,
        .ttl = SERP_TTL, .tick = JANITOR_TICK });
    if (!err)
        err = wr_scope_new(&explorer->janitor, &(struct wr_scope_conf){
            .name = "queue.serp", .deadline = WR_NEVER });
    if (!err)
        err = wr_scope_go(explorer->janitor, "queue.serp_janitor", wr_cache_run,
                          explorer->found);
    if (!err)
        err = serp_new(ret, &(struct serp_conf){ .sources = *explorer->sources,
                                                  .cache = explorer->found });
    return err;
}

wr_err explorer_start(struct explorer *explorer)
{
    struct crawl *crawl = NULL;
    struct serp *serp = NULL;
    wr_err err = crawl_open(&crawl, &explorer->crawl_conf);
    if (!err)
        err = start_search(explorer, &serp);
    publish(explorer, crawl, serp);
    if (err)
        explorer_stop(explorer);
    return err;
}

void explorer_stop(struct explorer *explorer)
{
    struct crawl *crawl = explorer->crawl;
    struct serp *serp = explorer->serp;
    publish(explorer, NULL, NULL);
    serp_free(serp);
    if (explorer->janitor) {
        wr_scope_cancel(explorer->janitor);
        (void)!wr_scope_close(explorer->janitor);
    }
    wr_cache_free(explorer->found);
    crawl_close(crawl);
    explorer->janitor = NULL;
    explorer->found = NULL;
}

void explorer_pardon(struct explorer *explorer, const char *domain)
{
    enum serp_engine engine = serp_engine_find(domain);
    wr_mutex_lock(&explorer->lock);
    if (engine < SERP_ENGINES && explorer->serp)
        serp_pardon(explorer->serp, engine);
    else if (explorer->crawl)
        crawl_release(explorer->crawl, domain);
    wr_mutex_unlock(&explorer->lock);
}

/* ---- jobs ---- */

/* What kind of target it is, before anything else is read. */
static wr_err explore(void *arg, struct queue_work *work)
{
    json_t *input = json_loads(queue_work_input(work), JSON_REJECT_DUPLICATES, NULL);
    const char *kind = json_string_value(json_object_get(json_object_get(input, "target"),
                                                         "kind"));
    bool is_url = kind && strcmp(kind, "url") == 0, is_doi = kind && strcmp(kind, "doi") == 0;
    bool known = is_url || is_doi || (kind && strcmp(kind, "query") == 0);
    json_decref(input);
    if (!known)
        return queue_work_fail(work, WR_INVALID, "INVALID_PARAMS", "the target of this job is "
                               "no query, url or doi");
    return is_url ? explore_url(arg, work) : is_doi ? explore_doi(arg, work)
                                                    : explore_query(arg, work);
}

struct verifying { struct explorer *explorer; struct turn turn; };

static void give_up_turn(void *arg)
{
    struct verifying *verifying = arg;
    (void)turns_end(&verifying->explorer->verifying, &verifying->turn);
}

/* It looks at all claims that a page may bear on, and each page asks for it: of those that ask
 * while one is at it, one follows. */
static wr_err verify(void *arg, struct queue_work *work)
{
    struct verifying verifying = { .explorer = arg };
    struct turns *turns = &verifying.explorer->verifying;
    if (!turns_begin(turns, &verifying.turn, queue_work_task(work))) {
        wr_text_str(queue_work_output(work), "{\"ok\":true,\"status\":\"joined\"}");
        return WR_OK;
    }
    struct wr_cleanup cleanup = { .fn = give_up_turn, .arg = &verifying };
    wr_cleanup_push(&cleanup);
    wr_err err = verify_claims(arg, work);
    wr_cleanup_pop(&cleanup);
    bool follows = turns_end(turns, &verifying.turn);
    if (follows && !err)
        queue_work_then(work, QUEUE_VERIFY, NULL, NULL);
    else if (follows)                   /* what comes with a good end would not */
        (void)!queue_work_chain(work, QUEUE_VERIFY, NULL, NULL, wr_after(CHAIN_WITHIN));
    return err;
}

void explorer_handlers(struct explorer *explorer, struct queue_handler *ret)
{
    memset(ret, 0, QUEUE_KINDS * sizeof(*ret));
    ret[QUEUE_TARGET] = (struct queue_handler){ .run = explore, .arg = explorer };
    ret[QUEUE_CITATIONS] = (struct queue_handler){ .run = follow_citations, .arg = explorer };
    ret[QUEUE_VERIFY] = (struct queue_handler){ .run = verify, .arg = explorer };
    if (explorer->meaning && explorer->meaning->embedder)
        ret[QUEUE_EMBED] = (struct queue_handler){ .run = embed_texts, .arg = explorer };
}
