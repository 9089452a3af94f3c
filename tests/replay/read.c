/* read.c - reads answers of a source, as its driver does.
 *
 *     read SLUG BY < answers      an answer on each line
 *     read table                  what is known of all sources, as docs/sources.md shows it
 *
 * Prints for each answer the error or "Ok", then of its records how many there are, and how
 * many have authors, a year, a venue and an identifier.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/sources.h"

static void print_rate(wr_time interval)
{
    if (interval >= WR_S(1))
        printf("1 in %lld s | ", (long long)(interval / WR_S(1)));
    else
        printf("%lld in 1 s | ", (long long)((WR_S(1) + interval / 2) / interval));
}

static void print_row(const struct source_driver *driver)
{
    const char *comma = "";
    printf("| %s | ", driver->name);
    for (enum source_by by = 0; by < SOURCE_BY_COUNT; by++)
        if (driver->asks & SOURCE_BIT(by)) {
            printf("%s%s%s", comma, source_by_name(by),
                   driver->always & SOURCE_BIT(by) ? "!" : "");
            comma = ", ";
        }
    printf(" | ");
    if (driver->keyless)
        print_rate(driver->interval);
    else
        printf("- | ");
    if (driver->interval_keyed && (driver->key_env || driver->polite))
        print_rate(driver->interval_keyed);
    else
        printf("- | ");
    printf("%u", driver->at_once ? driver->at_once : 2);
    if (driver->at_once_keyed)
        printf(", %u with a key", driver->at_once_keyed);
    printf(" | %s | %s |\n",
           !driver->item && !driver->complete ? "-" : driver->complete ? "yes" : "no",
           driver->recorded ? "recorded" : "schema");
    if (driver->key_env)
        printf("| %s | `%s` | %s `%s` |\n", driver->name, driver->key_env,
               driver->key_header ? "header" : "parameter",
               driver->key_header ? driver->key_header : driver->key_parameter);
}

static void print_table(void)
{
    for (size_t i = 0; i < SOURCES_MAX; i++)
        print_row(sources_driver(i));
}

static enum source_by by_name(const char *name)
{
    for (enum source_by by = 0; by < SOURCE_BY_COUNT; by++)
        if (strcmp(source_by_name(by), name) == 0)
            return by;
    fprintf(stderr, "read: \"%s\" is nothing to ask by\n", name);
    exit(2);
}

static void read_answer(const struct source_driver *driver, enum source_by by, const char *line,
                        size_t len)
{
    struct wr_arena arena = WR_ARENA(16 << 20);
    struct source_question question = { .by = by, .text = "x" };
    struct source_reading reading = { .driver = driver, .question = &question,
                                      .arena = &arena };
    wr_err err = source_read(&reading, &(struct source_reply){ .status = 200, .bytes = line,
                                                               .len = len });
    size_t authors = 0, year = 0, venue = 0, identifier = 0;
    for (size_t i = 0; i < reading.count; i++) {
        const struct bib_work *work = &reading.records[i].work;
        authors += work->author_count > 0;
        year += work->year > 0;
        venue += work->venue != NULL;
        identifier += work->doi || work->arxiv_id;
    }
    printf("%s\t%zu\t%zu\t%zu\t%zu\t%zu\t%s\n", wr_err_name(err), reading.count, authors, year,
           venue, identifier, reading.why);
    wr_arena_free(&arena);
}

int main(int argc, char **argv)
{
    const struct source_driver *driver = argc == 3 ? source_find(argv[1]) : NULL;
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    if (argc == 2 && strcmp(argv[1], "table") == 0) {
        print_table();
        return 0;
    }
    if (!driver) {
        fprintf(stderr, "usage: read SLUG BY < answers\n");
        return 2;
    }
    enum source_by by = by_name(argv[2]);
    while ((len = getline(&line, &room, stdin)) > 0)
        read_answer(driver, by, line, (size_t)len);
    free(line);
    return 0;
}
