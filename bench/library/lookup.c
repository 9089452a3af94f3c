/* lookup.c - how fast a local library answers, and how often with the right record.
 *
 *     lookup ACL.lib FOLDER COUNT
 *
 * COUNT 0: the library itself.  Else one of so many made titles, which is built once and kept
 * in the folder.  Questions: titles that are there, with 0 to 3 slips of the hand, and titles
 * that are not there, spliced from two that are.  The best match was found when the first
 * answer is at least as near to the question as the title it was made from.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "biblio/fold.h"
#include "biblio/ratio.h"
#include "library/library.h"
#include "titles.h"
#include "library/writer.h"
#include "measure.h"

#define QUESTIONS 10000
#define ANSWERS 8

static void build(const struct titles *titles, const char *path, uint64_t count)
{
    struct library_writer *writer;
    struct library_why why;
    char title[TITLE_MAX];
    uint64_t random = MEASURE_SEED;
    int64_t began = measure_time(1);
    MUST(library_writer_open(&writer, &(struct library_plan){ .out = path, .kind = "jsonl",
        .name = "made", .input = "Zipf" }, &why));
    for (uint64_t i = 0; i < count; i++) {
        titles_make(titles, &random, title);
        struct bib_record record = { .work = { .title = title, .year = 2000 } };
        MUST(library_writer_add(writer, &record));
    }
    fprintf(stderr, "added in %.1f s\n", (double)(measure_time(1) - began) / 1e9);
    MUST(library_writer_finish(writer, &why));
    library_writer_close(writer);
    fprintf(stderr, "built %s: %llu titles in %.1f s\n", path, (unsigned long long)count,
            (double)(measure_time(1) - began) / 1e9);
}

static unsigned nearness_between(const char *one, const char *other)
{
    char a[BIB_FOLD_MAX], b[BIB_FOLD_MAX];
    struct wr_text left = WR_TEXT(a), right = WR_TEXT(b);
    bib_fold(&left, one, strlen(one));
    bib_fold(&right, other, strlen(other));
    return bib_ratio(left.at, left.len, right.at, right.len);
}

/* One question; whether its answer is as good as `true_title`. */
static bool ask(const struct library *lib, const char *question, const char *true_title,
                int64_t *ret_ns)
{
    struct bib_record found[ANSWERS];
    struct wr_arena arena = WR_ARENA(4 << 20);
    struct bib_work cited = { .title = question };
    int64_t began = measure_time(1);
    size_t count = library_find(lib, &cited, &arena, found, ANSWERS);
    *ret_ns = measure_time(1) - began;
    bool good = count > 0
        && nearness_between(question, found[0].work.title)
            >= nearness_between(question, true_title);
    wr_arena_free(&arena);
    return good;
}

static void title_of(const struct library *lib, uint64_t number, char *ret)
{
    struct wr_arena arena = WR_ARENA(4 << 20);
    struct bib_record record;
    MUST(library_record(lib, number, &arena, &record));
    snprintf(ret, TITLE_MAX, "%.500s", record.work.title ? record.work.title : "");
    wr_arena_free(&arena);
}

/* `slips` 0 to 3, or a splice: -1. */
static void run(const struct library *lib, const char *name, int slips)
{
    static int64_t samples[QUESTIONS];
    char question[TITLE_MAX], title[TITLE_MAX], other[TITLE_MAX], prefix[80];
    uint64_t records = library_info(lib).records, random = MEASURE_SEED + 7;
    size_t good = 0;
    for (size_t i = 0; i < QUESTIONS; i++) {
        title_of(lib, measure_random(&random) % records, title);
        memcpy(question, title, sizeof(question));
        if (slips >= 0)
            titles_slip(question, (unsigned)slips, &random);
        else {
            title_of(lib, measure_random(&random) % records, other);
            titles_splice(question, title, other);
        }
        good += ask(lib, question, title, &samples[i]);
    }
    snprintf(prefix, sizeof(prefix), "library_%s_%s", name,
             slips < 0 ? "miss" : slips == 0 ? "hit" : slips == 1 ? "slip1"
                                            : slips == 2 ? "slip2" : "slip3");
    measure_percentiles(prefix, samples, QUESTIONS);
    if (slips >= 0)
        printf("%s_found_percent %.3f\n", prefix, 100.0 * (double)good / QUESTIONS);
}

int main(int argc, char **argv)
{
    struct library *lib = NULL, *source = NULL;
    struct library_why why;
    char path[1024], name[32] = "acl";
    uint64_t count = measure_arg(argc, argv, 3, 0);
    if (argc < 3 || library_open(&source, argv[1], &why))
        wr_panic("lookup ACL.lib FOLDER COUNT");
    if (count > 0) {
        struct titles titles;
        snprintf(path, sizeof(path), "%s/%llu.lib", argv[2], (unsigned long long)count);
        snprintf(name, sizeof(name), "%llum", (unsigned long long)(count / 1000000));
        if (access(path, F_OK) != 0) {
            titles_read(&titles, source);
            build(&titles, path, count);
        }
        MUST(library_open(&lib, path, &why));
    } else
        lib = source;
    MUST(library_verify(lib, &why));        /* and all of it is in memory */
    struct library_info info = library_info(lib);
    printf("library_%s_bytes_per_record %.1f\n", name,
           (double)info.bytes / (double)info.records);
    for (int slips = -1; slips <= 3; slips++)
        run(lib, name, slips);
    return 0;
}
