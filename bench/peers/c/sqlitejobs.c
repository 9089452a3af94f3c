/* The same cycle as a program without a writer of its own would do it: SQLite with
 * synchronous=FULL, a transaction for each of insert, claim and complete.  SQLite has one writer
 * at a time, so one client stands for any number.
 * usage: sqlitejobs FILE [seconds] [finished rows] */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static sqlite3 *db;

static void must(int code)
{
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW)
        return;
    fprintf(stderr, "sqlitejobs: %s\n", sqlite3_errmsg(db));
    exit(1);
}

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static sqlite3_stmt *prepare(const char *sql)
{
    sqlite3_stmt *statement;
    must(sqlite3_prepare_v2(db, sql, -1, &statement, NULL));
    return statement;
}

static long long step(sqlite3_stmt *statement)
{
    int code = sqlite3_step(statement);
    long long id = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    while (code == SQLITE_ROW)
        code = sqlite3_step(statement);
    must(code);
    must(sqlite3_reset(statement));
    return id;
}

static void make_tables(const char *path, long long rows)
{
    char sql[400];
    unlink(path);
    must(sqlite3_open(path, &db));
    must(sqlite3_exec(db, "pragma journal_mode = wal; pragma synchronous = off;"
                      "create table job (id integer primary key, state integer not null,"
                      " priority integer not null, lease integer, input text);"
                      "create index ready on job (priority, id) where state = 0", NULL, NULL,
                      NULL));
    snprintf(sql, sizeof(sql),
             "with recursive n(i) as (select 1 union all select i + 1 from n where i < %lld)"
             " insert into job (state, priority, input) select 2, 1,"
             " '{\"kind\":\"query\",\"query\":\"what is a weir\"}' from n", rows);
    if (rows > 0)
        must(sqlite3_exec(db, sql, NULL, NULL, NULL));
    must(sqlite3_exec(db, "pragma wal_checkpoint(truncate); pragma synchronous = full", NULL,
                      NULL, NULL));
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    double span = argc > 2 ? atof(argv[2]) : 10;
    make_tables(argv[1], argc > 3 ? atoll(argv[3]) : 1000000);
    sqlite3_stmt *insert = prepare("insert into job (state, priority, input) values (0, 1,"
                                   " '{\"kind\":\"query\",\"query\":\"what is a weir\"}')");
    sqlite3_stmt *claim = prepare("update job set state = 1, lease = unixepoch() + 30 where id ="
                                  " (select id from job where state = 0 order by priority, id"
                                  " limit 1) returning id");
    sqlite3_stmt *complete = prepare("update job set state = 2 where id = ?1 and state = 1");
    double begun = now(), took;
    long cycles = 0;
    do {
        step(insert);
        must(sqlite3_bind_int64(complete, 1, step(claim)));
        step(complete);
        cycles++;
    } while ((took = now() - begun) < span);
    printf("sqlite_jobs_per_s %.0f\n", (double)cycles / took);
    sqlite3_finalize(insert);
    sqlite3_finalize(claim);
    sqlite3_finalize(complete);
    sqlite3_close(db);
    return 0;
}
