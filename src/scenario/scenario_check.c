/* scenario_check.c - papers, the engine that checks them, and sources, over a bad network.
 *
 * Several papers are checked at a time.  What they cite is known to a library, to both
 * catalogues or one of them, to the web alone, or to nobody; some have a DOI of another work,
 * some were retracted.  The sources refuse, fail, say half of it or something else, and are
 * late.  Now and then a paper is given up, its time is over, or all is ended from above.
 *
 * Each reference gets one finding.  What somebody knows is never "not found", and what nobody
 * knows is so only when all have been asked and have answered.  What a library has is looked
 * for nowhere else, but where its identifier leads is.  And no source is asked more often than
 * it allows.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/http.h>
#include <weir/stream.h>

#include "library/writer.h"
#include "scenario/scenarios.h"
#include "svc/check/engine.h"

#define SOURCES_HOST "10.0.0.2"
#define NODE_HOST "10.0.0.3"
#define PAPERS 4
#define REFERENCES 7            /* of each paper */
#define WORKS 24
#define TIMEOUT WR_S(1)
#define OVER_WITHIN WR_S(5)     /* everything has ended so soon after it was told to */

/* Who knows a work: its number modulo KINDS. */
enum kind {
    BY_BOTH, BY_CROSSREF, BY_DBLP, BY_THE_WEB, BY_NOBODY, BY_THE_LIBRARY,
    WITH_A_FOREIGN_DOI,         /* known to both */
    RETRACTED,                  /* known to Crossref, by its DOI too */
    KINDS,
};

enum source { CROSSREF, DBLP, WEB, SOURCES };

static const struct {
    const char *name, *slug;
    wr_time interval;
} sources_of_it[SOURCES] = {
    [CROSSREF] = { "CrossRef", "crossref", WR_MS(100) },
    [DBLP] = { "DBLP", "dblp", WR_MS(150) },
    [WEB] = { "Web Search", "web_search", WR_MS(200) },
};

struct world;

/* A paper, and what has been told of it. */
struct course {
    struct world *world;
    struct wr_scope *scope;
    unsigned works[REFERENCES];
    unsigned begun[REFERENCES], done[REFERENCES];
    size_t count;               /* of those that are done */
    bool over;
};

struct world {
    struct wr_http *http;
    bool open;
    bool ended;                 /* from above */
    wr_time begun;              /* when the first question can have been asked */
    uint64_t arrived[SOURCES];
    void *library_bytes;
    struct library *library;
    struct sources *sources;
    struct check_engine *engine;
    struct course courses[PAPERS];
    uint64_t outcomes[BIB_OUTCOME_COUNT];
    uint64_t cut_short;
    uint64_t told;              /* of all reports, as one number */
};

/* ---- works ---- */

static enum kind kind_of(unsigned work)
{
    return work % KINDS;
}

static bool has_doi(unsigned work)
{
    return kind_of(work) >= BY_THE_LIBRARY;
}

/* So different that none is taken for another. */
static const char *const titles[WORKS] = {
    "Quiet rivers under the northern bridge", "Copper kettles, whistling all night long",
    "Ninety ways across the frozen lake", "Where the swallows spend their winters",
    "Glass, sand and the heat between", "Letters to an absent lighthouse keeper",
    "Moss grows slower than you think", "Seven brass clocks that disagree",
    "Harvest songs of the lower valley", "Birch bark as paper and shelter",
    "Thunder heard from beneath the sea", "Old maps with imaginary islands",
    "Weaving patterns nobody wrote down", "Foxes that visit city gardens",
    "Salt roads through the mountains", "Umbrella makers of the rainy coast",
    "Pigments ground from blue stones", "Kites flown above battlefields",
    "Dust storms and the colour of dawn", "Echoes measured inside empty halls",
    "Juggling five torches in the wind", "Very small orchestras at home",
    "Yeast, bread, beer and patience", "Rope bridges and those who mend them",
};

static struct bib_work cite(struct wr_arena *arena, unsigned number)
{
    static const struct bib_name lovelace = { "Lovelace", "Ada" };
    char doi[40];
    snprintf(doi, sizeof(doi), "10.1000/w%u", number);
    return (struct bib_work){
        .title = titles[number], .authors = &lovelace, .author_count = 1,
        .year = 1843, .doi = has_doi(number) ? wr_arena_str(arena, doi) : NULL };
}

/* ---- the sources ---- */

/* Whether it has answered in a way that says nothing of any work. */
static bool misbehave(struct wr_call *call, wr_err *ret)
{
    *ret = wr_sleep(some_time(WR_MS(200)));
    if (*ret)
        return true;
    switch (wr_sim_below(14)) {
    case 0:
        wr_call_status(call, 429);
        wr_call_reply_header(call, "Retry-After", "1");
        return true;
    case 1: *ret = WR_IO; return true;
    case 2: wr_call_print(call, "{\"message\":{\"result\":{\"results\":["); return true;
    case 3: wr_call_print(call, "<html>We are sorry.</html>"); return true;
    case 4: wr_call_print(call, "{\"message\":7,\"result\":[],\"results\":\"\"}"); return true;
    case 5: *ret = wr_sleep(wr_after(2 * TIMEOUT)); return *ret;
    default: return false;
    }
}

/* Which work a query is about: no two begin alike. */
static unsigned work_in(const char *query)
{
    unsigned work = 0;
    WR_ASSERT(query);
    query += strspn(query, "\"");
    while (strncmp(titles[work], query, strcspn(query, " ,")) != 0)
        WR_ASSERT(++work < WORKS);
    WR_ASSERT(kind_of(work) != BY_THE_LIBRARY);     /* which is known already */
    return work;
}

static void print_csl(struct wr_call *call, unsigned work)
{
    wr_call_print(call, "{\"title\":[\"%s\"],\"author\":[{\"given\":\"Ada\",\"family\":"
                  "\"Lovelace\"}],\"issued\":{\"date-parts\":[[1843]]},\"DOI\":\"10.1000/%c%u\""
                  ",\"type\":\"journal-article\"%s}", titles[work],
                  kind_of(work) == WITH_A_FOREIGN_DOI ? 'v' : 'w', work,
                  kind_of(work) == RETRACTED ? ",\"updated-by\":[{\"type\":\"retraction\","
                                               "\"DOI\":\"10.1000/notice\"}]" : "");
}

static wr_err crossref_title(struct wr_call *call)
{
    struct world *world = wr_call_arg(call);
    unsigned work = work_in(wr_call_query(call, "query.title"));
    wr_err err;
    world->arrived[CROSSREF]++;
    if (misbehave(call, &err))
        return err;
    enum kind kind = kind_of(work);
    bool there = kind == BY_BOTH || kind == BY_CROSSREF || kind >= WITH_A_FOREIGN_DOI;
    wr_call_print(call, "{\"message\":{\"total-results\":%d,\"items\":[", there);
    if (there)
        print_csl(call, work);
    wr_call_print(call, "]}}");
    return WR_OK;
}

static wr_err crossref_doi(struct wr_call *call)
{
    struct world *world = wr_call_arg(call);
    unsigned work = (unsigned)strtoul(wr_call_param(call, "name") + 1, NULL, 10);
    wr_err err;
    WR_ASSERT(has_doi(work));
    world->arrived[CROSSREF]++;
    if (misbehave(call, &err))
        return err;
    wr_call_print(call, "{\"message\":");
    if (kind_of(work) == WITH_A_FOREIGN_DOI)
        wr_call_print(call, "{\"title\":[\"Of clouds, hail and thunder\"],\"author\":[{"
                      "\"family\":\"Howard\",\"given\":\"Luke\"}],\"DOI\":\"10.1000/w%u\"}",
                      work);
    else
        print_csl(call, work);
    wr_call_print(call, "}");
    return WR_OK;
}

static wr_err dblp_title(struct wr_call *call)
{
    struct world *world = wr_call_arg(call);
    unsigned work = work_in(wr_call_query(call, "q"));
    wr_err err;
    world->arrived[DBLP]++;
    if (misbehave(call, &err))
        return err;
    enum kind kind = kind_of(work);
    if (kind == BY_BOTH || kind == BY_DBLP || kind == WITH_A_FOREIGN_DOI)
        wr_call_print(call, "{\"result\":{\"hits\":{\"hit\":[{\"info\":{\"title\":\"%s"
                      ".\",\"year\":\"1843\",\"authors\":{\"author\":{\"text\":"
                      "\"Ada Lovelace\"}}}}]}}}", titles[work]);
    else
        wr_call_print(call, "{\"result\":{\"hits\":{\"@total\":\"0\"}}}");
    return WR_OK;
}

static wr_err web_search(struct wr_call *call)
{
    struct world *world = wr_call_arg(call);
    unsigned work = work_in(wr_call_query(call, "q"));
    wr_err err;
    world->arrived[WEB]++;
    if (misbehave(call, &err))
        return err;
    if (kind_of(work) == BY_THE_WEB)
        wr_call_print(call, "{\"results\":[{\"title\":\"%s\",\"url\":"
                      "\"https://example.org/%u\"}]}", titles[work], work);
    else
        wr_call_print(call, "{\"results\":[]}");
    return WR_OK;
}

static wr_err serve(void *arg)
{
    struct world *world = arg;
    struct wr_listener *listener;
    struct wr_addr addr;
    MUST(wr_addr_parse(&addr, SOURCES_HOST ":80"));
    MUST(wr_listen(&listener, &addr));
    world->open = true;
    wr_err err = wr_http_serve(world->http, listener);
    wr_listener_close(listener);
    return err;
}

static wr_err sources_host(void *arg)
{
    return wr_sim_host(SOURCES_HOST, serve, arg);
}

/* ---- what must be true of a finding ---- */

struct heard { unsigned answers[CHECK_ANSWER_COUNT]; bool web, doi; enum check_answer of_doi; };

static struct heard hear(const struct check_finding *finding)
{
    struct heard heard = { 0 };
    for (size_t i = 0; i < finding->asked_count; i++) {
        const struct check_asked *asked = &finding->asked[i];
        heard.answers[asked->answer]++;
        heard.web |= strcmp(asked->source, sources_of_it[WEB].name) == 0;
        if (strcmp(asked->source, sources_of_it[CROSSREF].name) == 0 && !heard.doi
            && finding->reference->work.doi) {
            heard.doi = true;
            heard.of_doi = asked->answer;
        }
    }
    return heard;
}

static void check_outcome(const struct check_finding *finding, enum kind kind,
                          const struct heard *heard)
{
    unsigned silent = heard->answers[CHECK_FAILED] + heard->answers[CHECK_NOT_ASKED];
    switch (finding->verdict.outcome) {
    case BIB_VERIFIED: WR_ASSERT(kind != BY_NOBODY && finding->evidence_count > 0); return;
    case BIB_MISMATCH: WR_ASSERT(kind == WITH_A_FOREIGN_DOI); return;
    case BIB_NOT_FOUND: WR_ASSERT(kind == BY_NOBODY && !silent && heard->web); return;
    case BIB_INCONCLUSIVE: WR_ASSERT(silent && finding->reason); return;
    default: wr_panic("nothing is skipped here");
    }
}

static void check_finding(const struct world *world, const struct check_finding *finding,
                          unsigned work)
{
    const struct heard heard = hear(finding);
    enum kind kind = kind_of(work);
    uint32_t flags = finding->verdict.flags;
    check_outcome(finding, kind, &heard);
    WR_ASSERT(heard.doi == has_doi(work));
    WR_ASSERT(!heard.doi || heard.of_doi != CHECK_NOT_ASKED || world->ended);
    if (kind == BY_THE_LIBRARY)
        WR_ASSERT(finding->verdict.outcome == BIB_VERIFIED && finding->asked_count == 1);
    if (heard.doi && heard.of_doi == CHECK_FOUND)
        WR_ASSERT(kind == BY_THE_LIBRARY
                  || flags & (kind == RETRACTED ? BIB_FLAG(RETRACTED)
                                                : BIB_FLAG(FOREIGN_IDENTIFIER)));
    /* The web is the last to be asked: when nobody has found the work itself. */
    if (heard.web && kind != BY_THE_WEB)
        WR_ASSERT(heard.answers[CHECK_FOUND]
                  == (kind == WITH_A_FOREIGN_DOI && heard.of_doi == CHECK_FOUND));
}

static void take_report(struct world *world, const struct course *course,
                        const struct check_report *report)
{
    bool all = true;
    WR_ASSERT(report->count == REFERENCES);
    for (size_t i = 0; i < REFERENCES; i++) {
        const struct check_finding *finding = &report->findings[i];
        all &= course->done[i];
        WR_ASSERT(course->done[i] <= 1);
        if (course->done[i])
            check_finding(world, finding, course->works[i]);
        else
            WR_ASSERT(finding->verdict.outcome == BIB_INCONCLUSIVE && finding->reason);
        world->outcomes[finding->verdict.outcome]++;
    }
    WR_ASSERT(report->cut_short == !all);
    world->cut_short += report->cut_short;
    struct wr_text text = wr_text_heap(1 << 20);
    check_write_json(&text, &report, 1);
    for (size_t i = 0; i < text.len; i++)
        world->told = state_mix(world->told, (unsigned char)text.at[i]);
    wr_text_free(&text);
}

/* ---- those who have papers ---- */

static void hear_event(void *arg, const struct check_event *event)
{
    struct course *course = arg;
    WR_ASSERT(!course->over && event->total == REFERENCES);
    if (event->kind == CHECK_EVENT_BEGUN) {
        course->begun[event->index]++;
        return;
    }
    course->done[event->index]++;
    WR_ASSERT(course->begun[event->index] == 1 && event->done == ++course->count);
}

static struct check_paper *make_paper(struct course *course)
{
    struct wr_arena arena = WR_ARENA(1 << 20);
    struct check_paper *paper;
    struct bib_references references = {
        .at = wr_arena_alloc(&arena, REFERENCES * sizeof(struct bib_reference)),
        .count = REFERENCES };
    for (uint32_t i = 0; i < REFERENCES; i++) {
        course->works[i] = (unsigned)wr_sim_below(WORKS);
        references.at[i] = (struct bib_reference){ .work = cite(&arena, course->works[i]),
                                                   .raw = "raw", .number = i + 1 };
    }
    MUST(check_paper_new(&paper, &(struct check_paper_conf){
        .file = "paper", .references = references, .event = hear_event, .arg = course }));
    wr_arena_free(&arena);
    return paper;
}

static wr_err check_paper(void *arg)
{
    struct course *course = arg;
    struct world *world = course->world;
    struct check_paper *paper = make_paper(course);
    wr_time within = wr_sim_below(4) ? WR_S(1000) : (wr_time)wr_sim_below((uint64_t)WR_S(20));
    wr_err err = wr_scope_new(&course->scope, &(struct wr_scope_conf){
        .name = "check.paper", .deadline = wr_after(within) });
    if (!err) {
        wr_scope_enter(course->scope);
        err = check_engine_check(world->engine, paper, WR_NEVER);
        wr_scope_leave(course->scope);
    }
    course->over = true;
    WR_ASSERT(err == WR_OK || err == WR_TIMEOUT || err == WR_CANCELED);
    WR_ASSERT(err || course->count == REFERENCES);
    check_paper_end(paper);
    take_report(world, course, check_paper_report(paper));
    check_paper_unref(paper);
    struct wr_scope *scope = course->scope;
    course->scope = NULL;
    (void)!wr_scope_close(scope);
    return WR_OK;
}

/* Whoever gives up a paper now and then. */
static wr_err give_up(void *arg)
{
    struct course *course = arg;
    wr_err err = wr_sleep(some_time(WR_S(40)));
    if (!err && course->scope && wr_sim_below(2))
        wr_scope_cancel(course->scope);
    return err;
}

/* ---- the node ---- */

static void open_library(struct world *world)
{
    struct wr_arena arena = WR_ARENA(1 << 20);
    struct library_why why;
    struct library_writer *writer;
    size_t size;
    MUST(library_writer_open(&writer, &(struct library_plan){
        .kind = "jsonl", .name = "library", .input = "works" }, &why));
    for (unsigned work = 0; work < WORKS; work++)
        if (kind_of(work) == BY_THE_LIBRARY)
            MUST(library_writer_add(writer, &(struct bib_record){ .work = cite(&arena, work),
                                                                  .id = "of it" }));
    MUST(library_writer_finish_bytes(writer, &world->library_bytes, &size, &why));
    library_writer_close(writer);
    wr_arena_free(&arena);
    MUST(library_open_bytes(&world->library, world->library_bytes, size, &why));
}

static wr_err open_engine(struct world *world, struct sources_conf *conf)
{
    for (size_t i = 0; i < SOURCES_MAX; i++) {
        struct sources_setting *setting = &conf->settings[i];
        setting->off = true;
        for (enum source j = 0; j < SOURCES; j++)
            if (strcmp(sources_driver(i)->slug, sources_of_it[j].slug) == 0)
                *setting = (struct sources_setting){
                    .on = true, .base = "http://" SOURCES_HOST, .timeout = TIMEOUT,
                    .interval = sources_of_it[j].interval };
    }
    world->begun = wr_now();
    wr_err err = sources_open(&world->sources, conf);
    if (!err)
        err = check_engine_open(&world->engine, &(struct check_engine_conf){
            .libraries = &world->library, .library_count = 1, .sources = world->sources,
            .coordinators = 1 + (unsigned)wr_sim_below(4),
            .in_flight = 1 + (unsigned)wr_sim_below(12), .within = WR_S(30), .year = 2026 });
    return err;
}

static wr_err check_papers(struct world *world)
{
    struct wr_scope *papers, *givers = NULL;
    wr_err err = wr_scope_new(&givers, &(struct wr_scope_conf){ .name = "check.givers",
                                                                .deadline = WR_NEVER });
    if (err)
        return err;
    err = wr_scope_new(&papers, &(struct wr_scope_conf){ .name = "check.papers",
                                                         .deadline = WR_NEVER });
    for (size_t i = 0; i < PAPERS && !err; i++) {
        world->courses[i].world = world;
        err = wr_scope_go(papers, "check.paper", check_paper, &world->courses[i]);
        if (!err)
            err = wr_scope_go(givers, "check.giver", give_up, &world->courses[i]);
    }
    (void)!wr_scope_join(papers, WR_NEVER);
    (void)!wr_scope_close(papers);
    wr_scope_cancel(givers);
    (void)!wr_scope_close(givers);
    return err;
}

static wr_err run_node(void *arg)
{
    struct world *world = arg;
    struct wr_addr host;
    struct wr_cache *cache;
    MUST(wr_addr_parse(&host, SOURCES_HOST ":80"));
    const struct wr_fetch_range allowed = { .ip = host, .bits = 32 };
    MUST(wr_cache_new(&cache, &(struct wr_cache_conf){
        .name = "check.answers", .ttl = DRAINER_TTL, .ttl_nothing = DRAINER_TTL_NOTHING }));
    struct sources_conf conf = { .plain = true, .allow = &allowed, .allow_count = 1,
                                 .cache = cache };
    wr_err err = open_engine(world, &conf);
    if (!err)
        err = check_papers(world);
    WR_ASSERT(!err || err == WR_CANCELED);
    wr_time over = wr_now();
    check_engine_close(world->engine);
    sources_close(world->sources, wr_after(WR_S(1)));
    WR_ASSERT(wr_now() - over < OVER_WITHIN);
    wr_cache_free(cache);
    return WR_OK;
}

static wr_err node_host(void *arg)
{
    return wr_sim_host(NODE_HOST, run_node, arg);
}

/* ---- the run ---- */

static void note_all(const struct world *world)
{
    wr_sim_note("%" PRIu64 " verified, %" PRIu64 " differ, %" PRIu64 " not found, %" PRIu64
                " inconclusive; %" PRIu64 " papers cut short; %" PRIu64 " requests; "
                "reports %016" PRIx64, world->outcomes[BIB_VERIFIED],
                world->outcomes[BIB_MISMATCH], world->outcomes[BIB_NOT_FOUND],
                world->outcomes[BIB_INCONCLUSIVE], world->cut_short,
                world->arrived[CROSSREF] + world->arrived[DBLP] + world->arrived[WEB],
                world->told);
}

static wr_err run(void *arg)
{
    struct world *world = arg;
    const struct wr_route routes[] = {
        { .method = "GET", .path = "/works", .handler = crossref_title },
        { .method = "GET", .path = "/works/10.1000/{name}", .handler = crossref_doi },
        { .method = "GET", .path = "/search/publ/api", .handler = dblp_title },
        { .method = "GET", .path = "/search", .handler = web_search },
    };
    struct wr_route all[sizeof(routes) / sizeof(routes[0])];
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        all[i] = routes[i];
        all[i].arg = world;
        all[i].class = WR_ROUTE_LONG;
    }
    struct wr_scope *serving = scope_named("check.serving"), *node = scope_named("check.node");
    MUST(wr_http_new(&world->http, &(struct wr_http_conf){
        .routes = all, .count = sizeof(routes) / sizeof(routes[0]) }));
    open_library(world);
    MUST(wr_scope_go(serving, "check.sources", sources_host, world));
    while (!world->open)
        MUST(wr_sleep(wr_after(WR_MS(1))));
    MUST(wr_scope_go(node, "check.node", node_host, world));
    if (wr_sim_below(3) == 0) {
        MUST(wr_sleep(some_time(WR_S(20))));
        world->ended = true;
        wr_scope_cancel(node);
    }
    MUST(wr_scope_join(node, WR_NEVER));
    MUST(wr_scope_close(node));
    wr_scope_cancel(serving);
    (void)!wr_scope_close(serving);
    library_close(world->library);
    free(world->library_bytes);
    wr_http_free(world->http);
    note_all(world);
    return WR_OK;
}

static const char *invariant(void *arg)
{
    const struct world *world = arg;
    for (enum source i = 0; i < SOURCES && world->begun; i++)
        if ((wr_time)world->arrived[i]
            > 1 + (wr_now() - world->begun) / sources_of_it[i].interval)
            return "a source was asked more often than it allows";
    return NULL;
}

static uint64_t state(void *arg)
{
    const struct world *world = arg;
    uint64_t state = 0;
    for (size_t i = 0; i < PAPERS; i++)
        state = state_mix(state, world->courses[i].count);
    for (size_t i = 0; i < SOURCES; i++)
        state = state_mix(state, world->arrived[i]);
    return state;
}

const struct scenario wr_scenario_check = {
    .name = "check",
    .what = "papers checked over a bad network: each reference gets one finding, a true one",
    .size = sizeof(struct world), .run = run, .invariant = invariant, .state = state,
    .faults = WR_SIM_NET | WR_SIM_LATE,
};
