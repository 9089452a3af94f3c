/* citation_job.c - who cites, and is cited by, the papers that a target found.
 *
 * Each paper's neighbours in the graph are ranked by how many words they share with what was
 * asked and by how often they are cited among themselves, half each; the best are kept, with
 * an edge `cites`.  It has a budget of its own, and no page of the task's is used.
 */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <weir/offload.h>

#include "base/json.h"
#include "extract/words.h"
#include "store/webpage.h"
#include "store/task.h"
#include "svc/queue/explorer_int.h"
#include "svc/queue/page_memory.h"
#include "svc/queue/scholar_page.h"

#define PAPERS_MAX 5
#define LINKS_MAX 30                    /* of a paper, in each direction */
#define KEPT_MAX 10                     /* of those, in both */
#define ARENA_MAX ((size_t)16 << 20)
#define WITHIN WR_S(240)

struct graph {
    struct explorer *explorer;
    struct queue_work *work;
    json_t *input;
    char *hypothesis;
    wr_time until;
    struct wr_arena arena;
    uint64_t papers, found, edges, kept;
    size_t failures;
    char why[SOURCE_WHY_MAX];
};

/* A neighbour, and which way the edge goes. */
struct neighbour {
    const struct scholar_paper *paper;
    bool citing;
    unsigned score;                     /* thousandths */
};

struct ranking {
    const char *about;
    struct neighbour *neighbours;
    size_t count;
};

/* ---- which of them matter ---- */

/* Among how many of them it is cited more often, in thousandths. */
static unsigned impact(const struct ranking *ranking, size_t of)
{
    size_t below = 0;
    int64_t mine = ranking->neighbours[of].paper->citations;
    for (size_t i = 0; i < ranking->count; i++)
        below += ranking->neighbours[i].paper->citations < mine;
    return (unsigned)(below * 1000 / ranking->count);
}

static int by_score(const void *one, const void *other)
{
    const struct neighbour *a = one, *b = other;
    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    return strcmp(a->paper->id, b->paper->id);
}

/* On a thread that may compute. */
static void rank(void *arg)
{
    struct ranking *ranking = arg;
    static _Thread_local struct extract_words about, title, abstract;
    extract_words(&about, ranking->about, strlen(ranking->about));
    for (size_t i = 0; i < ranking->count; i++) {
        const struct scholar_paper *paper = ranking->neighbours[i].paper;
        extract_words(&title, paper->title, strlen(paper->title));
        unsigned shared = extract_words_shared(&about, &title);
        if (paper->abstract) {
            extract_words(&abstract, paper->abstract, strlen(paper->abstract));
            unsigned more = extract_words_shared(&about, &abstract);
            shared = more > shared ? more : shared;
        }
        ranking->neighbours[i].score = (shared + impact(ranking, i)) / 2;
    }
    qsort(ranking->neighbours, ranking->count, sizeof(struct neighbour), by_score);
}

/* ---- keeping them ---- */

static wr_err keep_paper(struct graph *graph, const struct scholar_paper *paper,
                         char page[STORE_EVIDENCE_ID])
{
    struct scholar_kept kept;
    wr_err err = scholar_page_keep(&(struct scholar_keep){
        .store = graph->explorer->store, .task = queue_work_task(graph->work),
        .hypothesis = graph->hypothesis, .reason = "citation_chase", .paper = paper }, &kept,
        graph->until);
    memcpy(page, kept.page, sizeof(kept.page));
    graph->kept += !err;
    return err;
}

/* An edge from who cites to who is cited. */
static wr_err keep_edge(struct graph *graph, const char *from, const struct scholar_paper *to)
{
    char url[SCHOLAR_PAGE_URL], domain[PAGE_DOMAIN_MAX];
    uint64_t new = 0;
    scholar_page_url(to, url);
    page_domain(url, domain);
    wr_err err = store_page_cite(graph->explorer->store, from, scholar_api_name(to->api),
                                 &(struct store_cited){ .url = url, .domain = domain,
                                                        .title = to->title }, 1, &new,
                                 graph->until);
    graph->edges += new;
    return err;
}

static wr_err keep_best(struct graph *graph, const struct scholar_paper *paper,
                        const struct ranking *ranking)
{
    char own[STORE_EVIDENCE_ID], page[STORE_EVIDENCE_ID];
    wr_err err = keep_paper(graph, paper, own);
    for (size_t i = 0; i < ranking->count && i < KEPT_MAX && !err; i++) {
        const struct neighbour *neighbour = &ranking->neighbours[i];
        err = keep_paper(graph, neighbour->paper, page);
        if (!err)
            err = neighbour->citing ? keep_edge(graph, page, paper)
                                    : keep_edge(graph, own, neighbour->paper);
    }
    return err;
}

/* ---- asking ---- */

static wr_err ask_links(struct graph *graph, const struct scholar_paper *paper, bool citing,
                        struct scholar_found *ret)
{
    struct scholar_ask ask = { .sources = *graph->explorer->sources, .api = paper->api,
                               .text = paper->id, .limit = LINKS_MAX, .arena = &graph->arena };
    wr_err err = citing ? scholar_citing(ret, &ask, graph->until)
                        : scholar_cited(ret, &ask, graph->until);
    if (err) {
        ret->count = 0;
        graph->failures++;
        memcpy(graph->why, ret->why, sizeof(graph->why));
    }
    return err == WR_CANCELED ? err : WR_OK;
}

static const char *about_of(struct graph *graph)
{
    const char *query = json_string_value(json_object_get(graph->input, "query"));
    return query && *query ? query : graph->hypothesis;
}

static wr_err follow_paper(struct graph *graph, const struct scholar_paper *paper)
{
    struct scholar_found cited = { 0 }, citing = { 0 };
    struct neighbour neighbours[2 * LINKS_MAX];
    struct ranking ranking = { .about = about_of(graph), .neighbours = neighbours };
    wr_err err = ask_links(graph, paper, false, &cited);
    if (!err)
        err = ask_links(graph, paper, true, &citing);
    for (size_t i = 0; !err && i < cited.count && i < LINKS_MAX; i++)
        neighbours[ranking.count++] = (struct neighbour){ .paper = &cited.papers[i] };
    for (size_t i = 0; !err && i < citing.count && i < LINKS_MAX; i++)
        neighbours[ranking.count++] = (struct neighbour){ .paper = &citing.papers[i],
                                                          .citing = true };
    graph->papers += !err;
    graph->found += ranking.count;
    if (err || ranking.count == 0)
        return err;
    err = wr_offload(rank, &ranking, graph->until);
    return err ? err : keep_best(graph, paper, &ranking);
}

/* By either catalogue, the first that knows it. */
static wr_err find_paper(struct graph *graph, const char *id, struct scholar_found *ret)
{
    wr_err err = WR_NOTFOUND;
    for (unsigned api = 0; api < SCHOLAR_APIS && err && err != WR_CANCELED; api++)
        err = scholar_look(ret, &(struct scholar_ask){
            .sources = *graph->explorer->sources, .api = (enum scholar_api)api, .text = id,
            .arena = &graph->arena }, graph->until);
    if (err) {
        graph->failures++;
        memcpy(graph->why, ret->why, sizeof(graph->why));
    }
    return err;
}

static wr_err follow_all(struct graph *graph)
{
    const json_t *papers = json_object_get(graph->input, "papers"), *id;
    size_t i;
    wr_err err = WR_OK;
    json_array_foreach((json_t *)(uintptr_t)papers, i, id)
    {
        struct scholar_found found;
        if (i == PAPERS_MAX || !json_is_string(id))
            break;
        wr_err missed = find_paper(graph, json_string_value(id), &found);
        if (missed == WR_CANCELED)
            return missed;
        if (!missed)
            err = follow_paper(graph, &found.papers[0]);
        if (err)
            break;
    }
    return err;
}

/* ---- the whole ---- */

static wr_err read_input(struct graph *graph)
{
    struct store_tasks tasks;
    graph->input = json_loads(queue_work_input(graph->work), JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_array(json_object_get(graph->input, "papers")))
        return queue_work_fail(graph->work, WR_INVALID, "INVALID_PARAMS",
                               "the job names no papers");
    wr_err err = store_task_get(graph->explorer->store, queue_work_task(graph->work), &tasks,
                                graph->until);
    graph->hypothesis = err ? NULL : strdup(tasks.tasks[0].hypothesis);
    store_tasks_free(&tasks);
    return err ? err : graph->hypothesis ? WR_OK : WR_NOMEM;
}

static wr_err write_result(struct graph *graph)
{
    if (graph->papers == 0 && graph->failures)
        return queue_work_fail(graph->work, WR_IO, "SOURCE_FAILED", "%s", graph->why);
    struct wr_json json = wr_json_to(queue_work_output(graph->work));
    wr_json_object(&json, NULL);
    wr_json_bool(&json, "ok", true);
    wr_json_u64(&json, "papers_processed", graph->papers);
    wr_json_u64(&json, "citations_found", graph->found);
    wr_json_u64(&json, "edges_created", graph->edges);
    wr_json_u64(&json, "papers_persisted", graph->kept);
    wr_json_str(&json, "method", "lexical");
    wr_json_end(&json);
    return WR_OK;
}

wr_err follow_citations(void *arg, struct queue_work *work)
{
    struct graph graph = { .explorer = arg, .work = work, .until = wr_after(WITHIN),
                           .arena = WR_ARENA(ARENA_MAX) };
    wr_err err = read_input(&graph);
    if (!err && *graph.explorer->sources)
        err = follow_all(&graph);
    if (!err)
        err = write_result(&graph);
    json_decref(graph.input);
    free(graph.hypothesis);
    wr_arena_free(&graph.arena);
    return err;
}
