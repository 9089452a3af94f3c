/* removal.c - see removal.h.
 *
 * Each step finds what is left by itself, so it can be done again, and by several at once.
 */
#include "store/removal.h"

#include <stdio.h>
#include <string.h>

#include "store/blob.h"
#include "store/schema.h"
#include "store/verb.h"

#define KEPT_MS "3600000"               /* STORE_REMOVAL_KEPT */
#define PAGES_AT_ONCE 16
#define NO_TASK ""                      /* whose pages are those that nobody has */

_Static_assert(STORE_REMOVAL_KEPT == WR_MS(3600000), "statements say something else");

#define INDEXES \
    "create index intervention_task on intervention_queue (task_id);" \
    "create index intervention_over on intervention_queue (completed_at)" \
    " where completed_at is not null;" \
    "create index queries_age on queries (executed_at);" \
    "create index pages_content on pages (content_hash) where content_hash is not null;"

/* Blobs that a page had: whether another has them is looked at when they are due. */
const struct store_step store_removal_tables = {
    .sqlite = "create table removals (task text primary key, at integer not null,"
              "  cleared integer not null) strict, without rowid;"
              "create table blob_doubts (cid text primary key, at integer not null)"
              "  strict, without rowid;" INDEXES
              "create trigger pages_other_bytes after update of content_hash on pages"
              "  when old.content_hash <> new.content_hash begin"
              "  insert into blob_doubts values (old.content_hash, coalesce(new.fetched_at, 0))"
              "  on conflict do update set at = max(at, excluded.at); end;",
    .postgres =
        "create table removals (task text collate \"C\" primary key, at bigint not null,"
        "  cleared bigint not null);"
        "create table blob_doubts (cid text collate \"C\" primary key, at bigint not "
        "null);" INDEXES
        "create function pages_other_bytes() returns trigger language plpgsql as $$ begin"
        "  insert into blob_doubts values (old.content_hash, coalesce(new.fetched_at, 0))"
        "  on conflict (cid) do update set at = greatest(blob_doubts.at, excluded.at);"
        "  return null; end $$;"
        "create trigger pages_other_bytes after update of content_hash on pages for each row"
        "  when (old.content_hash <> new.content_hash)"
        "  execute function pages_other_bytes();",
};

/* ---- the beginning ---- */

#define NONE_OPEN " not exists (select 1 from job where task = ?1)"

static const struct store_verb lock_task = {
    .name = "removal.lock", .postgres = "select 1 from tasks where id = ?1 for update",
};

static const struct store_verb begin = {
    .name = "removal.begin",
    .writes = true,
    .undo = true,
    .first = &lock_task,
    .sqlite = { "insert into removals select id, now_ms(), 0 from tasks where id = ?1 "
                "and" NONE_OPEN,
                "delete from tasks where id = ?1 and" NONE_OPEN,
                "select (select count(*) from removals where task = ?1),"
                " (select count(*) from tasks where id = ?1)" },
    .postgres = "with gone as (delete from tasks where id = ?1 and" NONE_OPEN
                "  returning id), noted as (insert into removals select id, now_ms(), 0"
                "  from gone on conflict do nothing)"
                " select (select count(*) from gone)"
                " + (select count(*) from removals where task = ?1),"
                " (select count(*) from tasks where id = ?1)",
};

wr_err store_removal_begin(struct store *store, const char *task, wr_time deadline)
{
    struct store_rows rows;
    wr_err err = store_do(store, &begin, STORE_VALUES(STORE_TEXT(task)), &rows, deadline);
    if (!err && !store_int(&rows, 0, 0))
        err = store_int(&rows, 0, 1) ? WR_DENIED : WR_NOTFOUND;
    store_rows_free(&rows);
    return err;
}

/* ---- what is a task's by its name ---- */

static const struct store_verb drop_jobs = {
    .name = "removal.jobs", .writes = true,
    .sqlite = { "delete from job_done where id in (select id from job_done where task = ?1"
                " limit ?2)" },
};

static const struct store_verb drop_auths = {
    .name = "removal.auths", .writes = true,
    .sqlite = { "delete from intervention_queue where id in (select id from"
                " intervention_queue where task_id = ?1 limit ?2)" },
};

#define SOME_QUERIES "(select id from queries where task_id = ?1 order by id limit ?2)"

static const struct store_verb drop_queries = {
    .name = "removal.queries", .writes = true, .undo = true,
    .sqlite = { "delete from serp_items where query_id in " SOME_QUERIES,
                "delete from queries where id in " SOME_QUERIES },
    .postgres = "with these as materialized " SOME_QUERIES ", items as (delete from serp_items"
                "  where query_id in (select id from these))"
                " delete from queries where id in (select id from these)",
};

#define CLAIMS " from claims where task_id = ?1 order by seq limit ?2"
#define SOME_CLAIMS "(select id" CLAIMS ")"
#define ABOUT(claims) " from edges where target_type = 'claim' and target_id in " claims

/* The index of a file has no rows of its own: it is told what to forget. */
static const struct store_verb drop_claims = {
    .name = "removal.claims",
    .writes = true,
    .undo = true,
    .sqlite = { "delete from nli_corrections where edge_id in (select id" ABOUT(
                    SOME_CLAIMS) ")",
                "delete" ABOUT(SOME_CLAIMS),
                "delete from embeddings where target_type = 'claim' and target_id "
                "in " SOME_CLAIMS,
                "insert into claims_fts (claims_fts, rowid, claim_text)"
                " select 'delete', seq, claim_text" CLAIMS,
                "delete from claims where id in " SOME_CLAIMS },
    .postgres =
        "with these as materialized " SOME_CLAIMS ","
        " judged as (delete" ABOUT(
            "(select id from these)") " returning id),"
                                      " corrected as (delete from nli_corrections where "
                                      "edge_id in"
                                      "  (select id from judged)),"
                                      " vectors as (delete from embeddings where target_type = "
                                      "'claim'"
                                      "  and target_id in (select id from these))"
                                      " delete from claims where id in (select id from these)",
};

static const struct store_verb drop_tally = {
    .name = "removal.tally", .writes = true,
    .sqlite = { "delete from job_tally where task = ?1" },
};

/* Step after step, until one finds fewer rows than it may take. */
static wr_err drop_all(struct store *store, const struct store_verb *verb, const char *task,
                       wr_time deadline)
{
    uint64_t gone = STORE_REMOVAL_STEP;
    wr_err err = WR_OK;
    while (!err && gone == STORE_REMOVAL_STEP)
        err = store_change(store, verb, STORE_VALUES(
            STORE_TEXT(task), STORE_INT(STORE_REMOVAL_STEP)), &gone, deadline);
    return err;
}

/* ---- pages ---- */

/* Who puts a page or cites one writes to both, in this order; what he does beside us would not
 * be seen. */
static const struct store_verb lock_pages = {
    .name = "removal.lock_pages",
    .postgres = "lock table edges, task_pages in share row exclusive mode",
};

/* Page ?2 is task ?1's alone. */
#define ALONE " not exists (select 1 from task_pages where page_id = ?2 and task_id <> ?1)"
#define PARTS " from fragments where page_id = ?2 and" ALONE " order by seq limit ?3"
#define SOME_PARTS "(select id" PARTS ")"
#define BY(fragments) " from edges where source_type = 'fragment' and source_id in " fragments

static const struct store_verb drop_parts = {
    .name = "removal.fragments",
    .writes = true,
    .undo = true,
    .first = &lock_pages,
    .sqlite = { "delete from nli_corrections where edge_id in (select id" BY(SOME_PARTS) ")",
                "delete" BY(SOME_PARTS),
                "delete from embeddings where target_type = 'fragment' and target_id "
                "in " SOME_PARTS,
                "insert into fragments_fts (fragments_fts, rowid, text_content,"
                " heading_context) select 'delete', seq, text_content, heading_context" PARTS,
                "delete from fragments where id in " SOME_PARTS },
    .postgres = "with these as materialized " SOME_PARTS ","
                " said as (delete" BY(
                    "(select id from these)") " returning id),"
                                              " corrected as (delete from nli_corrections "
                                              "where edge_id in"
                                              "  (select id from said)),"
                                              " vectors as (delete from embeddings where "
                                              "target_type = 'fragment'"
                                              "  and target_id in (select id from these))"
                                              " delete from fragments where id in (select id "
                                              "from these)",
};

/* It is to go, and its work has no other page. */
#define THE_WORK "(select p.canonical_id from pages p where p.id = ?2 and" ALONE \
    " and not exists (select 1 from pages o where o.canonical_id = p.canonical_id" \
    " and o.id <> p.id))"

static const struct store_verb drop_work = {
    .name = "removal.work", .writes = true, .undo = true, .first = &lock_pages,
    .sqlite = { "delete from work_authors where canonical_id = " THE_WORK,
                "delete from work_identifiers where canonical_id = " THE_WORK,
                "delete from works where canonical_id = " THE_WORK },
    .postgres = "with one as materialized " THE_WORK ","
                " authors as (delete from work_authors where canonical_id in"
                "  (select canonical_id from one)),"
                " names as (delete from work_identifiers where canonical_id in"
                "  (select canonical_id from one))"
                " delete from works where canonical_id in (select canonical_id from one)",
};

/* Late words of somebody who was at work keep it; the next look at it finds them. */
#define LEAVES " and" ALONE " and not exists (select 1 from fragments where page_id = ?2)"
#define CITED " exists (select 1 from edges where target_type = 'page' and target_id = ?2" \
    " and source_id <> ?2)"
#define CITES " from edges where source_type = 'page' and source_id = ?2"
#define DOUBT "insert into blob_doubts select content_hash, now_ms() from pages" \
    " where id = ?2 and content_hash is not null" LEAVES " on conflict (cid) do update set" \
    " at = excluded.at"
#define ONLY_CITED_HERE "delete from pages where fetched_at is null and id in" \
    " (select target_id" CITES ") and id <> ?2 and not exists (select 1 from task_pages t" \
    " where t.page_id = pages.id) and not exists (select 1 from edges e" \
    " where e.target_type = 'page' and e.target_id = pages.id and e.source_id <> ?2)" LEAVES
#define AS_IF_UNSEEN "update pages set fetched_at = null, final_url = null," \
    " page_type = null, fetch_method = null, http_status = null, content_type = null," \
    " content_hash = null, content_length = null, language = null, etag = null," \
    " last_modified = null, error_message = null, cause_id = null where id = ?2" LEAVES \
    " and" CITED
#define UNLINK "delete from task_pages where task_id = ?1 and page_id = ?2"

static const struct store_verb drop_page = {
    .name = "removal.page", .writes = true, .undo = true, .first = &lock_pages,
    .sqlite = { DOUBT, ONLY_CITED_HERE, "delete" CITES LEAVES, AS_IF_UNSEEN,
                "delete from pages where id = ?2" LEAVES " and not" CITED, UNLINK },
    .postgres = "with doubt as (" DOUBT "), cited as (" ONLY_CITED_HERE "),"
                " cites as (delete" CITES LEAVES "), unseen as (" AS_IF_UNSEEN "),"
                " gone as (delete from pages where id = ?2" LEAVES " and not" CITED ")"
                " " UNLINK,
};

static wr_err remove_page(struct store *store, const char *task, const char *page,
                          wr_time deadline)
{
    struct store_values whole = STORE_VALUES(STORE_TEXT(task), STORE_TEXT(page));
    uint64_t gone = STORE_REMOVAL_STEP;
    wr_err err = WR_OK;
    while (!err && gone == STORE_REMOVAL_STEP)
        err = store_change(store, &drop_parts, STORE_VALUES(
            STORE_TEXT(task), STORE_TEXT(page), STORE_INT(STORE_REMOVAL_STEP)), &gone,
            deadline);
    if (!err)
        err = store_do(store, &drop_work, whole, NULL, deadline);
    return err ? err : store_do(store, &drop_page, whole, NULL, deadline);
}

static const struct store_verb list_pages = {
    .name = "removal.pages",
    .sqlite = { "select page_id from task_pages where task_id = ?1 order by page_id"
                " limit ?2" },
};

static wr_err remove_pages(struct store *store, const char *task, wr_time deadline)
{
    wr_err err = WR_OK;
    for (size_t count = PAGES_AT_ONCE; !err && count == PAGES_AT_ONCE;) {
        struct store_rows rows;
        err = store_do(store, &list_pages, STORE_VALUES(
            STORE_TEXT(task), STORE_INT(PAGES_AT_ONCE)), &rows, deadline);
        count = rows.count;
        for (size_t i = 0; !err && i < count; i++)
            err = remove_page(store, task, store_text(&rows, i, 0), deadline);
        store_rows_free(&rows);
    }
    return err;
}

/* ---- a whole task ---- */

static const struct store_verb end = {
    .name = "removal.end", .writes = true, .undo = true,
    .sqlite = { "delete from removals where task = ?1 and at <= now_ms() - " KEPT_MS,
                "update removals set cleared = 1 where task = ?1" },
    .postgres = "with over as (delete from removals where task = ?1"
                "  and at <= now_ms() - " KEPT_MS ") update removals set cleared = 1"
                " where task = ?1 and at > now_ms() - " KEPT_MS,
};

wr_err store_removal_clear(struct store *store, const char *task, wr_time deadline)
{
    static const struct store_verb *const drops[] = { &drop_jobs, &drop_auths, &drop_queries,
                                                      &drop_claims };
    wr_err err = WR_OK;
    for (size_t i = 0; !err && i < sizeof(drops) / sizeof(drops[0]); i++)
        err = drop_all(store, drops[i], task, deadline);
    if (!err)
        err = remove_pages(store, task, deadline);
    if (!err)
        err = store_do(store, &drop_tally, STORE_VALUES(STORE_TEXT(task)), NULL, deadline);
    return err ? err : store_do(store, &end, STORE_VALUES(STORE_TEXT(task)), NULL, deadline);
}

static const struct store_verb next = {
    .name = "removal.next",
    .sqlite = { "select task from removals where cleared = 0 or at <= now_ms() - " KEPT_MS
                " order by at limit 1" },
};

wr_err store_removal_next(struct store *store, char ret_task[STORE_TASK_ID_MAX + 1],
                          wr_time deadline)
{
    struct store_rows rows;
    wr_err err = store_do(store, &next, (struct store_values){ 0 }, &rows, deadline);
    if (!err && rows.count == 0)
        err = WR_NOTFOUND;
    if (!err)
        snprintf(ret_task, STORE_TASK_ID_MAX + 1, "%s", store_text(&rows, 0, 0));
    store_rows_free(&rows);
    return err;
}

/* ---- what has grown old ---- */

#define STALE(greatest) "select id from tasks where not exists (select 1 from job" \
    " where task = tasks.id) and " greatest "(created_at, coalesce(stopped_at, 0)," \
    " coalesce((select max(finished_at) from job_tally where task = tasks.id), 0)) < ?1" \
    " order by id limit ?2"

static const struct store_verb stale = {
    .name = "removal.stale", .sqlite = { STALE("max") }, .postgres = STALE("greatest"),
};

wr_err store_removal_stale(struct store *store, struct wr_wall before, size_t max,
                           struct store_rows *ret, wr_time deadline)
{
    WR_ASSERT(max > 0 && max <= STORE_REMOVAL_LIST_MAX);
    return store_do(store, &stale, STORE_VALUES(
        STORE_INT(before.ns / WR_MS(1)), STORE_INT((int64_t)max)), ret, deadline);
}

/* There is no index of ages, which would be written to with each page: they are walked over. */
static const struct store_verb look = {
    .name = "removal.look",
    .sqlite = { "select id, case when fetched_at < ?2 and not exists (select 1 from task_pages"
                " where page_id = pages.id) then 1 else 0 end from pages where id > ?1"
                " order by id limit ?3" },
};

wr_err store_page_prune(struct store *store, char cursor[STORE_EVIDENCE_ID],
                        struct wr_wall before, uint64_t *ret, wr_time deadline)
{
    struct store_rows rows;
    *ret = 0;
    wr_err err = store_do(store, &look, STORE_VALUES(
        STORE_TEXT(cursor), STORE_INT(before.ns / WR_MS(1)), STORE_INT(STORE_PRUNE_LOOK)),
        &rows, deadline);
    for (size_t i = 0; !err && i < rows.count; i++) {
        if (!store_int(&rows, i, 1))
            continue;
        err = remove_page(store, NO_TASK, store_text(&rows, i, 0), deadline);
        *ret += !err;
    }
    bool more = rows.count == STORE_PRUNE_LOOK;
    if (!err)
        snprintf(cursor, STORE_EVIDENCE_ID, "%s",
                 more ? store_text(&rows, rows.count - 1, 0) : "");
    store_rows_free(&rows);
    return err;
}

static const struct store_verb doubts = {
    .name = "removal.doubts",
    .sqlite = { "select cid, (select count(*) from pages where content_hash = cid)"
                " from blob_doubts where at <= now_ms() - " KEPT_MS " order by at limit ?1" },
};

static const struct store_verb settle = {
    .name = "removal.settle", .writes = true,
    .sqlite = { "delete from blob_doubts where cid = ?1" },
};

wr_err store_blob_prune(struct store *store, size_t max, uint64_t *ret, wr_time deadline)
{
    struct store_rows rows;
    WR_ASSERT(max > 0 && max <= STORE_REMOVAL_LIST_MAX);
    *ret = 0;
    wr_err err = store_do(store, &doubts, STORE_VALUES(STORE_INT((int64_t)max)), &rows,
                          deadline);
    for (size_t i = 0; !err && i < rows.count; i++) {
        const char *cid = store_text(&rows, i, 0);
        if (!store_int(&rows, i, 1))
            err = store_blob_remove(store, cid, deadline);
        if (!err || err == WR_NOTFOUND || err == WR_INVALID)
            err = store_do(store, &settle, STORE_VALUES(STORE_TEXT(cid)), NULL, deadline);
        *ret += !err;
    }
    store_rows_free(&rows);
    return err;
}
