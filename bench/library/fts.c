/* fts.c - the peer: the same titles in SQLite's full-text index (FTS5), all words, by bm25.
 *
 *     fts ACL.lib FOLDER COUNT
 *
 * COUNT 0: the titles of the library, else those of FOLDER/COUNT.lib, which `lookup` makes.
 * The database is made once and kept.  A title with a slip in it has a word that is nowhere, so
 * only titles that are there and titles that are not are asked for.
 */
#include <ctype.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library/library.h"
#include "measure.h"
#include "titles.h"

#define QUESTIONS 300

static void must(sqlite3 *db, int got)
{
    if (got != SQLITE_OK && got != SQLITE_DONE && got != SQLITE_ROW)
        wr_panic("sqlite: %s", sqlite3_errmsg(db));
}

static void title_of(const struct library *lib, uint64_t number, char *ret)
{
    struct wr_arena arena = WR_ARENA(4 << 20);
    struct bib_record record;
    MUST(library_record(lib, number, &arena, &record));
    snprintf(ret, TITLE_MAX, "%.500s", record.work.title ? record.work.title : "");
    wr_arena_free(&arena);
}

static void fill(sqlite3 *db, const struct library *lib)
{
    char title[TITLE_MAX];
    sqlite3_stmt *insert;
    must(db, sqlite3_exec(db, "CREATE VIRTUAL TABLE titles USING fts5(title); BEGIN", NULL,
                          NULL, NULL));
    must(db, sqlite3_prepare_v2(db, "INSERT INTO titles VALUES (?)", -1, &insert, NULL));
    for (uint64_t i = 0; i < library_info(lib).records; i++) {
        title_of(lib, i, title);
        must(db, sqlite3_bind_text(insert, 1, title, -1, SQLITE_STATIC));
        must(db, sqlite3_step(insert));
        must(db, sqlite3_reset(insert));
    }
    must(db, sqlite3_finalize(insert));
    must(db, sqlite3_exec(db, "COMMIT; INSERT INTO titles(titles) VALUES ('optimize')", NULL,
                          NULL, NULL));
}

/* Letters and digits are words, each in quotes; everything else would be syntax. */
static void words_of(const char *title, char *ret, size_t size)
{
    size_t len = 0;
    bool open = false;
    for (; *title && len + 4 < size; title++) {
        bool inside = isalnum((unsigned char)*title) || (unsigned char)*title >= 0x80;
        if (inside != open) {
            ret[len++] = '"';
            if (open)
                ret[len++] = ' ';
        }
        open = inside;
        if (inside)
            ret[len++] = *title;
    }
    if (open)
        ret[len++] = '"';
    ret[len] = '\0';
}

static void run(sqlite3 *db, const struct library *lib, const char *name, bool miss)
{
    static int64_t samples[QUESTIONS];
    char question[TITLE_MAX], title[TITLE_MAX], other[TITLE_MAX], words[2 * TITLE_MAX];
    char prefix[80];
    uint64_t records = library_info(lib).records, random = MEASURE_SEED + 7;
    sqlite3_stmt *select;
    must(db, sqlite3_prepare_v2(db, "SELECT rowid, title FROM titles WHERE titles MATCH ? "
                                "ORDER BY rank LIMIT 8", -1, &select, NULL));
    for (size_t i = 0; i < QUESTIONS; i++) {
        title_of(lib, measure_random(&random) % records, title);
        title_of(lib, measure_random(&random) % records, other);
        memcpy(question, title, sizeof(question));
        if (miss)
            titles_splice(question, title, other);
        words_of(question, words, sizeof(words));
        int64_t began = measure_time(1);
        must(db, sqlite3_bind_text(select, 1, words, -1, SQLITE_STATIC));
        while (sqlite3_step(select) == SQLITE_ROW)
            continue;
        must(db, sqlite3_reset(select));
        samples[i] = measure_time(1) - began;
    }
    must(db, sqlite3_finalize(select));
    snprintf(prefix, sizeof(prefix), "fts_%s_%s", name, miss ? "miss" : "hit");
    measure_percentiles(prefix, samples, QUESTIONS);
}

int main(int argc, char **argv)
{
    struct library *lib = NULL;
    struct library_why why;
    char path[1024], db_path[1100], name[32] = "acl";
    uint64_t count = measure_arg(argc, argv, 3, 0);
    sqlite3 *db;
    if (argc < 3)
        wr_panic("fts ACL.lib FOLDER COUNT");
    snprintf(path, sizeof(path), "%s", argv[1]);
    if (count > 0) {
        snprintf(path, sizeof(path), "%s/%llu.lib", argv[2], (unsigned long long)count);
        snprintf(name, sizeof(name), "%llum", (unsigned long long)(count / 1000000));
    }
    if (library_open(&lib, path, &why))
        wr_panic("%s", why.text);
    snprintf(db_path, sizeof(db_path), "%s/%s.fts", argv[2], name);
    bool made = access(db_path, F_OK) == 0;
    must(NULL, sqlite3_open(db_path, &db));
    if (!made)
        fill(db, lib);
    run(db, lib, name, false);
    run(db, lib, name, true);
    sqlite3_close(db);
    library_close(lib);
    return 0;
}
