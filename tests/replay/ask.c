/* ask.c - asks all sources of a replay server about works, as the service does: identifiers
 * always, titles until one has it.
 *
 *     ask BASE < works      a line for each work: title, DOI, arXiv id, address
 *
 * Each source is at BASE/<slug>.  Prints what each question came to, and how long it all took.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/run.h>
#include <weir/scope.h>

#include "biblio/fold.h"
#include "source/answer.h"
#include "source/sources.h"

#define WORKS_MAX 1000
#define LINE_MAX_ 2000
#define SLOTS_MAX (SOURCE_COUNT * SOURCE_QUESTIONS_MAX)
#define DEADLINE WR_S(600)

struct asked { size_t place; struct source_question question; };

struct cited {
    struct bib_work work;
    const char *url;
    char line[LINE_MAX_];
    struct wr_gather *gather;
    struct asked asked[SLOTS_MAX];
    uint32_t slots;
};

static struct cited works[WORKS_MAX];
static size_t work_count;
static struct wr_arena arena = { .max = 16 << 20 };
static char bases[SOURCES_MAX][300];

static bool read_line(struct cited *cited)
{
    const char **const fields[] = { &cited->work.title, &cited->work.doi,
                                    &cited->work.arxiv_id, &cited->url };
    if (!fgets(cited->line, sizeof(cited->line), stdin))
        return false;
    cited->line[strcspn(cited->line, "\n")] = '\0';
    char *rest = cited->line;
    for (size_t i = 0; i < 4 && rest; i++) {
        char *field = strsep(&rest, "\t");
        *fields[i] = *field ? field : NULL;
    }
    cited->work.urls = &cited->url;
    cited->work.url_count = cited->url != NULL;
    return true;
}

/* A record with the very title is enough. */
static bool settles(const void *arg)
{
    const struct drainer_answer *answer = arg;
    const struct cited *cited = answer->about;
    struct wr_arena own = WR_ARENA(1 << 20);
    struct bib_record *records;
    size_t count = 0;
    bool found = false;
    if (!answer->records || answer_unpack(answer->records, &own, &records, &count))
        count = 0;
    for (size_t i = 0; i < count && !found; i++) {
        char one[BIB_FOLD_MAX], other[BIB_FOLD_MAX];
        struct wr_text a = WR_TEXT(one), b = WR_TEXT(other);
        if (!records[i].work.title || !cited->work.title)
            continue;
        bib_fold(&a, records[i].work.title, strlen(records[i].work.title));
        bib_fold(&b, cited->work.title, strlen(cited->work.title));
        found = strcmp(one, other) == 0;
    }
    wr_arena_free(&own);
    return found;
}

static void plan(struct cited *cited, const struct sources *sources)
{
    for (size_t i = 0; i < SOURCE_COUNT; i++) {
        struct source_question questions[SOURCE_QUESTIONS_MAX];
        struct drainer *drainer = sources_drainer(sources, i);
        size_t count = source_questions(sources_driver(i), drainer_keyed(drainer),
                                        &cited->work, &arena, questions);
        for (size_t k = 0; k < count; k++)
            cited->asked[cited->slots++] = (struct asked){ i, questions[k] };
    }
}

static wr_err send_all(struct cited *cited, const struct sources *sources)
{
    plan(cited, sources);
    wr_err err = cited->slots == 0 ? WR_INVALID : wr_gather_new(&cited->gather,
        &(struct wr_gather_conf){ .name = "ask", .sources = cited->slots,
                                  .size = sizeof(struct drainer_answer), .settles = settles });
    for (uint32_t i = 0; i < cited->slots && !err; i++)
        err = drainer_ask(sources_drainer(sources, cited->asked[i].place),
                          &(struct drainer_job){
                              .question = cited->asked[i].question, .slot = i,
                              .gather = wr_gather_ref(cited->gather), .about = cited,
                              .deadline = wr_after(DEADLINE) }, wr_after(DEADLINE));
    return err;
}

static wr_err wait_for(struct cited *cited)
{
    wr_err err = wr_gather_wait(cited->gather, wr_after(DEADLINE));
    for (uint32_t i = 0; i < cited->slots && !err; i++) {
        struct drainer_answer answer = { 0 };
        wr_err result = wr_gather_result(cited->gather, i, &answer);
        const struct asked *asked = &cited->asked[i];
        printf("%zu\t%s\t%s\t%s\t%s\n", (size_t)(cited - works),
               sources_driver(asked->place)->slug, source_by_name(asked->question.by),
               asked->question.text, wr_err_name(result));
        wr_bytes_unref(answer.records);
    }
    return err;
}

static wr_err run(void *arg)
{
    static const struct wr_fetch_range here = {
        .ip = { .kind = WR_ADDR_IP4, .ip = { 127 } }, .bits = 8,
    };
    struct sources_conf conf = { .allow = &here, .allow_count = 1 };
    struct sources *sources;
    for (size_t i = 0; i < SOURCES_MAX; i++) {
        snprintf(bases[i], sizeof(bases[i]), "%s/%s", (const char *)arg,
                 sources_driver(i)->slug);
        conf.settings[i].base = bases[i];
    }
    wr_err err = sources_open(&sources, &conf);
    if (err)
        return err;
    wr_time begun = wr_now();
    for (size_t i = 0; i < work_count && !err; i++)
        err = send_all(&works[i], sources);
    for (size_t i = 0; i < work_count && !err; i++)
        err = wait_for(&works[i]);
    printf("wall\t%.3f\n", (double)(wr_now() - begun) / 1e9);
    sources_close(sources, wr_after(WR_S(2)));
    for (size_t i = 0; i < work_count; i++)
        wr_gather_unref(works[i].gather);
    return err;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: ask BASE < works\n");
        return 2;
    }
    while (work_count < WORKS_MAX && read_line(&works[work_count]))
        work_count++;
    wr_err err = wr_run(&(struct wr_run_conf){ 0 }, run, argv[1]);
    if (err)
        fprintf(stderr, "ask: %s\n", wr_err_text(err));
    return err != WR_OK;
}
