/* search.c - asks catalogues for papers and SearxNG for pages, as who does research does.
 *
 *     search BASE [SEARXNG] < questions
 *
 * A question is a line: what is asked (search, look, cited, citing or web), of whom (a
 * catalogue, or an engine), and the text, with tabs between them.  Each catalogue is at
 * BASE/<slug>.  Prints the number of the question and a find, a line each, or why there is
 * none.
 */
#include <stdio.h>
#include <string.h>

#include <weir/run.h>

#include "source/scholar.h"
#include "source/serp.h"

#define WITHIN WR_S(60)

static struct sources *sources;
static struct serp *serp;

static wr_err ask_papers(unsigned number, const char *what, const char *who, const char *text)
{
    struct wr_arena arena = WR_ARENA(4 << 20);
    struct scholar_found found;
    struct scholar_ask ask = { .sources = sources, .api = scholar_api_find(who), .text = text,
                               .limit = 20, .arena = &arena };
    wr_err err = ask.api == SCHOLAR_APIS ? WR_INVALID
                 : strcmp(what, "search") == 0 ? scholar_search(&found, &ask, wr_after(WITHIN))
                 : strcmp(what, "look") == 0 ? scholar_look(&found, &ask, wr_after(WITHIN))
                 : strcmp(what, "cited") == 0 ? scholar_cited(&found, &ask, wr_after(WITHIN))
                                              : scholar_citing(&found, &ask, wr_after(WITHIN));
    if (err && ask.api < SCHOLAR_APIS)
        printf("%u\t%s\t%s\n", number, wr_err_name(err), found.why);
    for (size_t i = 0; !err && i < found.count; i++) {
        const struct scholar_paper *paper = &found.papers[i];
        printf("%u\t%s\t%s\t%d\t%s\t%s\n", number, paper->title, paper->doi ? paper->doi : "",
               paper->year, paper->id, paper->abstract ? paper->abstract : "");
    }
    wr_arena_free(&arena);
    return WR_OK;
}

static wr_err ask_web(unsigned number, const char *who, const char *text)
{
    struct wr_arena arena = WR_ARENA(4 << 20);
    struct serp_found found;
    enum serp_engine engine = serp_engine_find(who);
    wr_err err = serp_search(&found, serp, &(struct serp_ask){
        .query = text, .engines = engine < SERP_ENGINES ? SERP_BIT(engine) : 0,
        .arena = &arena }, wr_after(WITHIN));
    if (err)
        printf("%u\t%s\t%s\n", number, wr_err_name(err), found.why);
    for (size_t i = 0; i < found.count; i++)
        printf("%u\t%s\t%s\t%s\n", number, found.results[i].title, found.results[i].url,
               found.results[i].engine ? found.results[i].engine : "");
    for (size_t i = 0; i < found.trouble_count; i++)
        printf("%u\t%s\t%s\n", number, serp_engine_name(found.troubles[i].engine),
               serp_kind_name(found.troubles[i].kind));
    wr_arena_free(&arena);
    return WR_OK;
}

static wr_err ask_all(void)
{
    char line[2000];
    for (unsigned number = 0; fgets(line, sizeof(line), stdin); number++) {
        char *rest = line;
        line[strcspn(line, "\n")] = '\0';
        const char *what = strsep(&rest, "\t"), *who = strsep(&rest, "\t");
        if (!who || !rest)
            return WR_INVALID;
        wr_err err = strcmp(what, "web") == 0 ? ask_web(number, who, rest)
                                              : ask_papers(number, what, who, rest);
        if (err)
            return err;
    }
    return WR_OK;
}

static wr_err run(void *arg)
{
    static const struct wr_fetch_range here = {
        .ip = { .kind = WR_ADDR_IP4, .ip = { 127 } }, .bits = 8,
    };
    static char bases[SOURCES_MAX][300];
    char **argv = arg;
    struct sources_conf conf = { .allow = &here, .allow_count = 1 };
    for (size_t i = 0; i < SOURCES_MAX; i++) {
        snprintf(bases[i], sizeof(bases[i]), "%s/%s", argv[1], sources_driver(i)->slug);
        conf.settings[i] = (struct sources_setting){ .base = bases[i], .interval = WR_MS(20) };
    }
    conf.settings[SOURCES_WEB_SEARCH].on = argv[2];
    conf.settings[SOURCES_WEB_SEARCH].base = argv[2];
    wr_err err = sources_open(&sources, &conf);
    if (!err)
        err = serp_new(&serp, &(struct serp_conf){ .sources = sources });
    if (!err)
        err = ask_all();
    serp_free(serp);
    sources_close(sources, wr_after(WR_S(2)));
    return err;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: search BASE [SEARXNG] < questions\n");
        return 2;
    }
    wr_err err = wr_run(&(struct wr_run_conf){ 0 }, run, argv);
    if (err)
        fprintf(stderr, "search: %s\n", wr_err_text(err));
    return err != WR_OK;
}
