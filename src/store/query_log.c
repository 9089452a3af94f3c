#include "store/query_log.h"

#include "base/json.h"
#include "store/schema.h"
#include "store/verb.h"

const struct store_step store_query_tables = {
    .sqlite =
        "create table queries (id text primary key, task_id text not null,"
        "  query_text text not null, query_type text, engines_used text,"
        "  result_count integer not null, cause_id text,"
        "  executed_at integer not null) strict;"
        "create index queries_task on queries (task_id);"
        "create table serp_items (query_id text not null, position integer not null,"
        "  engine text not null, rank integer not null, page_number integer not null,"
        "  url text not null, title text, snippet text, published_date text,"
        "  primary key (query_id, position)) strict, without rowid;"
        "create index serp_items_url on serp_items (url);",
    .postgres =
        "create table queries (id text collate \"C\" primary key, task_id text not null,"
        "  query_text text not null, query_type text, engines_used text,"
        "  result_count bigint not null, cause_id text, executed_at bigint not null);"
        "create index queries_task on queries (task_id);"
        "create table serp_items (query_id text collate \"C\" not null,"
        "  position bigint not null, engine text not null, rank bigint not null,"
        "  page_number bigint not null, url text not null, title text, snippet text,"
        "  published_date text, primary key (query_id, position));"
        "create index serp_items_url on serp_items (md5(url));",
};

#define INTO_QUERIES "insert into queries (id, task_id, query_text, query_type," \
    " engines_used, result_count, cause_id, executed_at)"
#define INTO_ITEMS "insert into serp_items (query_id, position, engine, rank, page_number," \
    " url, title, snippet, published_date)"

static const struct store_verb put = {
    .name = "query.put", .writes = true, .undo = true,
    .sqlite = {
        INTO_QUERIES
        " select ?1 ->> 'id', ?1 ->> 'task', ?1 ->> 'text', ?1 ->> 'type',"
        " ?1 ->> 'engines', json_array_length(?1, '$.hits'), ?1 ->> 'cause', now_ms()"
        " where true on conflict (id) do nothing",
        INTO_ITEMS
        " select ?1 ->> 'id', key, value ->> 'engine', value ->> 'rank',"
        " value ->> 'page', value ->> 'url', value ->> 'title', value ->> 'snippet',"
        " value ->> 'published' from json_each(?1, '$.hits') where true"
        " on conflict (query_id, position) do nothing",
    },
    .postgres =
        "with doc as (select ?1::jsonb as d),"
        " q as (" INTO_QUERIES
        "  select d ->> 'id', d ->> 'task', d ->> 'text', d ->> 'type',"
        "  d ->> 'engines', jsonb_array_length(d -> 'hits'), d ->> 'cause', now_ms()"
        "  from doc on conflict (id) do nothing)"
        " " INTO_ITEMS
        " select d ->> 'id', one.place - 1, one.value ->> 'engine',"
        " (one.value ->> 'rank')::bigint, (one.value ->> 'page')::bigint,"
        " one.value ->> 'url', one.value ->> 'title', one.value ->> 'snippet',"
        " one.value ->> 'published' from doc,"
        " jsonb_array_elements(d -> 'hits') with ordinality as one (value, place)"
        " on conflict (query_id, position) do nothing",
};

/* What is not given is left out, and read as null. */
static void write_str(struct wr_json *json, const char *key, const char *value)
{
    if (value)
        wr_json_str(json, key, value);
}

static void write_hit(struct wr_json *json, const struct store_hit *hit)
{
    wr_json_object(json, NULL);
    wr_json_str(json, "engine", hit->engine);
    wr_json_u64(json, "rank", hit->rank);
    wr_json_u64(json, "page", hit->page);
    wr_json_str(json, "url", hit->url);
    write_str(json, "title", hit->title);
    write_str(json, "snippet", hit->snippet);
    write_str(json, "published", hit->published);
    wr_json_end(json);
}

wr_err store_query_put(struct store *store, const struct store_query *query, wr_time deadline)
{
    if (query->hit_count > STORE_QUERY_HITS_MAX)
        return WR_INVALID;
    struct wr_text text = wr_text_heap(STORE_QUERY_BYTES_MAX);
    struct wr_json json = wr_json_to(&text);
    wr_json_object(&json, NULL);
    wr_json_str(&json, "id", query->id);
    wr_json_str(&json, "task", query->task);
    wr_json_str(&json, "text", query->text);
    write_str(&json, "type", query->type);
    write_str(&json, "engines", query->engines);
    write_str(&json, "cause", query->cause);
    wr_json_array(&json, "hits");
    for (size_t i = 0; i < query->hit_count; i++)
        write_hit(&json, &query->hits[i]);
    wr_json_end(&json);
    wr_json_end(&json);
    wr_err err = text.cut ? WR_INVALID
        : store_do(store, &put, STORE_VALUES(STORE_TEXT(text.at)), NULL, deadline);
    wr_text_free(&text);
    return err;
}

#define OLD "(select id from queries where executed_at < ?1 order by executed_at, id limit ?2)"

static const struct store_verb prune = {
    .name = "query.prune", .writes = true, .undo = true,
    .sqlite = { "delete from serp_items where query_id in " OLD,
                "delete from queries where id in " OLD },
    .postgres = "with old as materialized " OLD ", items as (delete from serp_items"
                "  where query_id in (select id from old))"
                " delete from queries where id in (select id from old)",
};

wr_err store_query_prune(struct store *store, struct wr_wall before, size_t max, uint64_t *ret,
                         wr_time deadline)
{
    WR_ASSERT(max > 0 && max <= STORE_QUERY_PRUNE_MAX);
    return store_change(store, &prune, STORE_VALUES(
        STORE_INT(before.ns / WR_MS(1)), STORE_INT((int64_t)max)), ret, deadline);
}
