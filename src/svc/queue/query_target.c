/* query_target.c - a query as a target: searched for on the web and in catalogues of papers.
 *
 * All are asked at once, and one that fails is no matter for the others.  What they found is
 * made one list, and papers that only the web has are looked up by their ids.  Papers with an
 * abstract are kept as they are; of the rest the pages are fetched, in order, as far as the
 * budget goes, and as long as they say something new.
 */
#include <stdio.h>
#include <string.h>

#include <weir/offload.h>
#include <weir/scope.h>

#include "base/json.h"
#include "source/scholar_merge.h"
#include "store/query_log.h"
#include "svc/queue/complement.h"
#include "svc/queue/doi_address.h"
#include "svc/queue/errand.h"
#include "svc/queue/identity.h"
#include "svc/queue/scholar_page.h"

#define ARENA_MAX ((size_t)16 << 20)
#define PAPERS_MAX 10                   /* of each catalogue */
#define PAGES_MAX 15                    /* unless the options say another number */
#define CITED_PAPERS_MAX 5              /* of which the citations are followed */
#define RESULTS_WANTED 20               /* with less the engines' next page is asked for */
#define SEARCH_WITHIN WR_S(60)
#define COMPLEMENT_WITHIN WR_S(45)

struct search {
    struct errand *errand;
    const char *query;
    wr_time until;
    struct scholar_found papers[SCHOLAR_APIS];
    struct serp_found pages[SERP_PAGES_MAX];
    wr_err paper_errs[SCHOLAR_APIS], page_errs[SERP_PAGES_MAX];
    struct wr_arena arenas[SCHOLAR_APIS + 1];   /* of each who is asked, and of the list */
    struct wr_arena arena;
    struct scholar_list list;
    wr_err merge_err;
    size_t tried;                       /* pages that were to be fetched */
};

/* ---- asking ---- */

static void search_papers(struct search *search, enum scholar_api api)
{
    struct explorer *explorer = search->errand->explorer;
    search->paper_errs[api] = scholar_search(&search->papers[api], &(struct scholar_ask){
        .sources = *explorer->sources, .api = api, .text = search->query, .limit = PAPERS_MAX,
        .arena = &search->arenas[api] }, search->until);
}

static wr_err search_semantic_scholar(void *arg)
{
    search_papers(arg, SCHOLAR_SEMANTIC_SCHOLAR);
    return WR_OK;
}

static wr_err search_openalex(void *arg)
{
    search_papers(arg, SCHOLAR_OPENALEX);
    return WR_OK;
}

static uint32_t engines_of(const struct errand *errand)
{
    uint32_t engines = 0;
    if (!json_is_array(json_object_get(errand->options, "serp_engines")))
        return 0;
    for (unsigned i = 0; i < SERP_ENGINES; i++)
        if (errand_wants(errand, "serp_engines", serp_engine_name((enum serp_engine)i)))
            engines |= SERP_BIT(i);
    return engines;
}

/* Their first page, and the second if that is short.  That is asked of who has given the first,
 * never of engines that are a last resort. */
static wr_err search_web(void *arg)
{
    struct search *search = arg;
    uint32_t named = engines_of(search->errand);
    size_t found = 0;
    for (unsigned i = 0; i < SERP_PAGES_MAX && found < RESULTS_WANTED; i++) {
        struct serp_found *page = &search->pages[i];
        search->page_errs[i] = serp_search(page, search->errand->explorer->serp,
                                           &(struct serp_ask){
                                               .query = search->query, .page = i + 1,
                                               .engines = named,
                                               .arena = &search->arenas[SCHOLAR_APIS] },
                                           search->until);
        bool last_resort = !named && page->asked && !(page->asked & SERP_PREFERRED);
        if (search->page_errs[i] || page->count == 0 || last_resort)
            break;
        found += page->count;
    }
    return WR_OK;
}

static bool wants_api(const struct search *search, enum scholar_api api)
{
    return errand_wants(search->errand, "academic_apis", scholar_api_name(api));
}

static wr_err ask_all(struct search *search)
{
    static const wr_task_fn catalogues[SCHOLAR_APIS] = { search_semantic_scholar,
                                                        search_openalex };
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "queue.search",
                                                               .deadline = WR_NEVER });
    if (err)
        return err;
    err = wr_scope_go(scope, "queue.search_web", search_web, search);
    for (unsigned api = 0; api < SCHOLAR_APIS && !err; api++)
        if (wants_api(search, (enum scholar_api)api))
            err = wr_scope_go(scope, "queue.search_papers", catalogues[api], search);
    if (!err)
        err = wr_scope_join(scope, WR_NEVER);
    wr_err closed = wr_scope_close(scope);
    return err ? err : closed ? closed : wr_scope_check();
}

/* ---- what went wrong ---- */

static bool is_blocked(const struct serp_trouble *trouble)
{
    return trouble->kind == SERP_CAPTCHA || trouble->kind == SERP_BLOCKED;
}

/* All engines are left alone: none was asked. */
static bool all_blocked(const struct search *search)
{
    return search->page_errs[0] == WR_OPENCIRCUIT && search->pages[0].asked == 0;
}

/* Where a person sees what the engine wants. */
static void await_engine(struct search *search, const struct serp_trouble *trouble)
{
    char buf[3 * SERP_QUERY_MAX + 100];
    struct wr_text url = WR_TEXT(buf);
    serp_engine_page(&url, trouble->engine, search->query);
    errand_await(search->errand, url.at, serp_engine_name(trouble->engine),
                 serp_kind_name(trouble->kind));
}

static void tell_engines(struct search *search)
{
    for (size_t i = 0; i < search->pages[0].trouble_count; i++) {
        const struct serp_trouble *trouble = &search->pages[0].troubles[i];
        errand_trouble(search->errand, serp_engine_name(trouble->engine),
                       trouble->kind == SERP_CAPTCHA ? "AUTH_REQUIRED" : "SERP_SEARCH_FAILED",
                       "%s", trouble->text);
        if (is_blocked(trouble))
            await_engine(search, trouble);
    }
}

/* The second page is more of the same: without it there is less, and nothing has failed. */
static void tell_second(struct search *search)
{
    const struct serp_found *page = &search->pages[1];
    if (search->page_errs[1])
        errand_note(search->errand, "web search, page 2", "SERP_SEARCH_FAILED", page->why);
    for (size_t i = 0; i < page->trouble_count; i++)
        errand_note(search->errand, serp_engine_name(page->troubles[i].engine),
                    "SERP_SEARCH_FAILED", page->troubles[i].text);
}

/* One of those who are asked did not answer, or could not be asked at all. */
static void tell(struct search *search, bool any, const char *about, const char *code,
                 const char *why, wr_err err)
{
    if (err == WR_UNSUPPORTED && any)
        errand_note(search->errand, about, "NOT_CONFIGURED", why);
    else if (err)
        errand_trouble(search->errand, about, err == WR_UNSUPPORTED ? "NOT_CONFIGURED" : code,
                       "%s", why);
}

static void tell_troubles(struct search *search)
{
    bool any = search->page_errs[0] != WR_UNSUPPORTED;
    for (unsigned api = 0; api < SCHOLAR_APIS; api++)
        any |= wants_api(search, (enum scholar_api)api)
               && search->paper_errs[api] != WR_UNSUPPORTED;
    tell(search, any, "web search", all_blocked(search) ? "ALL_ENGINES_BLOCKED"
                                                        : "SERP_SEARCH_FAILED",
         search->pages[0].why, search->page_errs[0]);
    tell_engines(search);
    tell_second(search);
    for (unsigned api = 0; api < SCHOLAR_APIS; api++)
        tell(search, any, scholar_api_name((enum scholar_api)api), "SOURCE_FAILED",
             search->papers[api].why, search->paper_errs[api]);
}

/* The code, if nothing comes of it. */
static const char *failed_with(const struct search *search)
{
    wr_err err = search->page_errs[0];
    return search->tried         ? "ALL_FETCHES_FAILED"
           : all_blocked(search) ? "ALL_ENGINES_BLOCKED"
           : search->pages[0].trouble_count || (err && err != WR_UNSUPPORTED)
               ? "SERP_SEARCH_FAILED"
               : NULL;
}

/* ---- what was found ---- */

static void merge(void *arg)
{
    struct search *search = arg;
    search->merge_err = scholar_merge(&search->list, &(struct scholar_merging){
        .papers = { &search->papers[0], &search->papers[1] },
        .pages = { &search->pages[0], &search->pages[1] }, .arena = &search->arena });
}

static wr_err log_query(struct search *search)
{
    char id[QUEUE_ID];
    size_t count = 0;
    struct store_hit *hits = wr_arena_alloc(&search->arena, (size_t)SERP_PAGES_MAX
                                                            * SERP_RESULTS_MAX * sizeof(*hits));
    if (!hits)
        return WR_NOMEM;
    for (unsigned page = 0; page < SERP_PAGES_MAX; page++)
        for (size_t i = 0; i < search->pages[page].count; i++) {
            const struct serp_result *result = &search->pages[page].results[i];
            hits[count++] = (struct store_hit){
                .engine = result->engine ? result->engine : "web", .url = result->url,
                .title = result->title, .snippet = result->snippet, .published = result->date,
                .rank = result->rank, .page = page + 1 };
        }
    return store_query_put(search->errand->explorer->store, &(struct store_query){
        .id = queue_id(id, "q_"), .task = queue_work_task(search->errand->work),
        .text = search->query, .cause = queue_work_job(search->errand->work), .hits = hits,
        .hit_count = count }, search->errand->until);
}

static wr_err keep_papers(struct search *search)
{
    struct errand *errand = search->errand;
    wr_err err = WR_OK;
    for (size_t i = 0; i < search->list.count && !err; i++) {
        const struct scholar_paper *paper = search->list.entries[i].paper;
        struct scholar_kept kept;
        if (!paper || !paper->abstract)
            continue;
        err = scholar_page_keep(&(struct scholar_keep){
            .store = errand->explorer->store, .task = queue_work_task(errand->work),
            .hypothesis = errand->hypothesis, .reason = "academic_api", .paper = paper },
            &kept, errand->until);
        errand->papers += !err;
        errand->fragments += kept.fragments;
        errand->claims += kept.claims;
    }
    return err;
}

/* Before pages are fetched: so that no time that runs out loses it. */
static wr_err chain_citations(struct search *search)
{
    struct wr_text text = wr_text_heap(64 << 10);
    struct wr_json json = wr_json_to(&text);
    size_t count = 0;
    wr_json_object(&json, NULL);
    wr_json_str(&json, "query", search->query);
    wr_json_array(&json, "papers");
    for (size_t i = 0; i < search->list.count && count < CITED_PAPERS_MAX; i++) {
        const struct scholar_paper *paper = search->list.entries[i].paper;
        if (!paper || !paper->abstract)
            continue;
        char id[2100];
        snprintf(id, sizeof(id), paper->doi ? "DOI:%.2000s" : "%.2000s",
                 paper->doi ? paper->doi : paper->id);
        wr_json_str(&json, NULL, id);
        count++;
    }
    wr_json_end(&json);
    wr_json_end(&json);
    wr_err err = !count || text.cut ? WR_OK
                 : queue_work_chain(search->errand->work, QUEUE_CITATIONS, search->query,
                                    text.at, search->errand->until);
    wr_text_free(&text);
    return err;
}

/* The address of a result as its page is kept; NULL: it was there before. */
static const char *next_url(struct search *search, const char **urls, size_t count,
                            const char *found)
{
    char url[ADDRESS_MAX + 1], doi[DOI_MAX + 1];
    const char *clause;
    if (address_read(url, found, &clause))
        return found;                   /* who visits it says why not */
    if (doi_of_resolver(url, doi) && doi_address(url, doi))
        return found;
    for (size_t i = 0; i < count; i++)
        if (strcmp(urls[i], url) == 0)
            return NULL;
    return wr_arena_str(&search->arena, url);
}

static wr_err fetch_pages(struct search *search)
{
    struct errand *errand = search->errand;
    size_t left = (size_t)errand_number(errand, "budget_pages", PAGES_MAX);
    const char **urls = wr_arena_alloc(&search->arena, (search->list.count + 1)
                                                       * sizeof(*urls));
    wr_err err = urls ? WR_OK : WR_NOMEM;
    for (size_t i = 0; i < search->list.count && search->tried < left && !err; i++) {
        const struct scholar_entry *entry = &search->list.entries[i];
        if (errand->dull >= ERRAND_DULL_MAX)
            break;
        if (!entry->page || (entry->paper && entry->paper->abstract))
            continue;
        const char *url = next_url(search, urls, search->tried, entry->page->url);
        if (!url)
            continue;
        urls[search->tried++] = url;
        err = errand_visit(errand, url, "serp", 0);
    }
    return err;
}

/* ---- the whole ---- */

static wr_err work_through(struct search *search)
{
    if (!*search->errand->explorer->sources)
        return queue_work_fail(search->errand->work, WR_UNSUPPORTED, "NOT_CONFIGURED", "there "
                               "is nobody to be asked: no SearxNG (check.searxng), and no "
                               "catalogue of papers");
    wr_err err = ask_all(search);
    if (err)
        return err;
    tell_troubles(search);
    err = wr_offload(merge, search, search->errand->until);
    err = err ? err : search->merge_err;
    if (!err)
        err = log_query(search);
    wr_time within = wr_after(COMPLEMENT_WITHIN), until = search->errand->until;
    if (!err)
        err = complement_papers(search->errand, &search->list, &search->arena,
                                within < until ? within : until);
    if (!err)
        err = keep_papers(search);
    if (!err)
        err = chain_citations(search);
    return err ? err : fetch_pages(search);
}

wr_err explore_query(struct explorer *explorer, struct queue_work *work)
{
    struct errand errand;
    struct search search = { .errand = &errand, .arena = WR_ARENA(ARENA_MAX),
                             .until = wr_after(SEARCH_WITHIN) };
    for (size_t i = 0; i < SCHOLAR_APIS + 1; i++)
        search.arenas[i] = (struct wr_arena)WR_ARENA(ARENA_MAX);
    wr_err err = errand_begin(&errand, explorer, work);
    search.query = err ? NULL : errand_text(&errand, "query");
    if (!err && !search.query)
        err = queue_work_fail(work, WR_INVALID, "INVALID_PARAMS", "the target has no query");
    if (!err && !(errand.novelty = novelty_new()))
        err = WR_NOMEM;
    if (!err)
        err = work_through(&search);
    errand.failed_with = failed_with(&search);
    err = errand_end(&errand, err);
    for (size_t i = 0; i < SCHOLAR_APIS + 1; i++)
        wr_arena_free(&search.arenas[i]);
    wr_arena_free(&search.arena);
    return err;
}
