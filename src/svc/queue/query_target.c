/* query_target.c - a query as a target: searched for on the web and in catalogues of papers.
 *
 * All are asked at once, and one that fails is no matter for the others.  What they found is
 * made one list.  Papers with an abstract are kept as they are; of the rest the pages are
 * fetched, in order, as far as the budget goes.
 */
#include <stdio.h>
#include <string.h>

#include <weir/offload.h>
#include <weir/scope.h>

#include "base/json.h"
#include "source/scholar_merge.h"
#include "store/query_log.h"
#include "svc/queue/errand.h"
#include "svc/queue/identity.h"
#include "svc/queue/scholar_page.h"

#define ARENA_MAX ((size_t)16 << 20)
#define PAPERS_MAX 10                   /* of each catalogue */
#define PAGES_MAX 15                    /* unless the options say another number */
#define CITED_PAPERS_MAX 5              /* of which the citations are followed */
#define SEARCH_WITHIN WR_S(60)

struct search {
    struct errand *errand;
    const char *query;
    wr_time until;
    struct scholar_found papers[SCHOLAR_APIS];
    struct serp_found pages;
    wr_err paper_errs[SCHOLAR_APIS], page_err;
    struct wr_arena arenas[SCHOLAR_APIS + 1];   /* of each who is asked, and of the list */
    struct wr_arena arena;
    struct scholar_list list;
    wr_err merge_err;
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

static wr_err search_web(void *arg)
{
    struct search *search = arg;
    search->page_err = serp_search(&search->pages, search->errand->explorer->serp,
                                   &(struct serp_ask){
                                       .query = search->query, .page = 1,
                                       .engines = engines_of(search->errand),
                                       .arena = &search->arenas[SCHOLAR_APIS] },
                                   search->until);
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
    if (!*search->errand->explorer->sources)
        return WR_OK;
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

static void tell_engines(struct search *search)
{
    for (size_t i = 0; i < search->pages.trouble_count; i++) {
        const struct serp_trouble *trouble = &search->pages.troubles[i];
        const char *engine = serp_engine_name(trouble->engine);
        errand_trouble(search->errand, engine, trouble->kind == SERP_CAPTCHA ? "AUTH_REQUIRED"
                                               : "SERP_SEARCH_FAILED", "%s", trouble->text);
        if (trouble->kind == SERP_CAPTCHA || trouble->kind == SERP_BLOCKED)
            errand_await(search->errand, "", engine, serp_kind_name(trouble->kind));
    }
}

static void tell_troubles(struct search *search)
{
    if (search->page_err && search->page_err != WR_UNSUPPORTED)
        errand_trouble(search->errand, "web search", "SERP_SEARCH_FAILED", "%s",
                       search->pages.why);
    tell_engines(search);
    for (unsigned api = 0; api < SCHOLAR_APIS; api++)
        if (search->paper_errs[api] && search->paper_errs[api] != WR_UNSUPPORTED)
            errand_trouble(search->errand, scholar_api_name((enum scholar_api)api),
                           "SOURCE_FAILED", "%s", search->papers[api].why);
}

/* ---- what was found ---- */

static void merge(void *arg)
{
    struct search *search = arg;
    search->merge_err = scholar_merge(&search->list, &(struct scholar_merging){
        .papers = { &search->papers[0], &search->papers[1] }, .pages = { &search->pages },
        .arena = &search->arena });
}

static wr_err log_query(struct search *search)
{
    struct store_hit hits[SERP_RESULTS_MAX];
    char id[QUEUE_ID];
    size_t count = search->pages.count < SERP_RESULTS_MAX ? search->pages.count
                                                          : SERP_RESULTS_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct serp_result *result = &search->pages.results[i];
        hits[i] = (struct store_hit){ .engine = result->engine ? result->engine : "web",
                                      .url = result->url, .title = result->title,
                                      .snippet = result->snippet, .published = result->date,
                                      .rank = result->rank, .page = 1 };
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

static wr_err fetch_pages(struct search *search)
{
    struct errand *errand = search->errand;
    int64_t left = errand_number(errand, "budget_pages", PAGES_MAX);
    wr_err err = WR_OK;
    for (size_t i = 0; i < search->list.count && left > 0 && !err; i++) {
        const struct scholar_entry *entry = &search->list.entries[i];
        if (!entry->page || (entry->paper && entry->paper->abstract))
            continue;
        err = errand_visit(errand, entry->page->url, "serp", 0);
        left--;
    }
    return err;
}

/* ---- the whole ---- */

static wr_err work_through(struct search *search)
{
    wr_err err = ask_all(search);
    if (err)
        return err;
    tell_troubles(search);
    err = wr_offload(merge, search, search->errand->until);
    err = err ? err : search->merge_err;
    if (!err)
        err = log_query(search);
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
    if (!err)
        err = work_through(&search);
    err = errand_end(&errand, err);
    for (size_t i = 0; i < SCHOLAR_APIS + 1; i++)
        wr_arena_free(&search.arenas[i]);
    wr_arena_free(&search.arena);
    return err;
}
