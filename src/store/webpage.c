#include "store/webpage.h"

#include <stdio.h>
#include <string.h>

#include <weir/offload.h>

#include "base/json.h"
#include "store/schema.h"

const struct store_step store_page_tables = {
    .sqlite =
        "create table pages (id text primary key, url text not null unique, final_url text,"
        "  domain text not null, page_type text, fetch_method text, http_status integer,"
        "  content_type text, content_hash text, content_length integer, title text,"
        "  canonical_id text, language text, fetched_at integer, etag text, last_modified text,"
        "  error_message text, cause_id text, created_at integer not null) strict;"
        "create index pages_domain on pages (domain);"
        "create index pages_canonical on pages (canonical_id) where canonical_id is not null;"
        "create table task_pages (task_id text not null, page_id text not null,"
        "  reason text, depth integer not null, source_page_id text,"
        "  created_at integer not null, primary key (task_id, page_id)) strict, without rowid;"
        "create index task_pages_page on task_pages (page_id);",
    .postgres =
        "create table pages (id text collate \"C\" primary key, url text not null,"
        "  final_url text, domain text not null, page_type text, fetch_method text,"
        "  http_status bigint, content_type text, content_hash text, content_length bigint,"
        "  title text, canonical_id text, language text, fetched_at bigint, etag text,"
        "  last_modified text, error_message text, cause_id text, created_at bigint not null);"
        "create unique index pages_url on pages (md5(url));"
        "create index pages_domain on pages (domain);"
        "create index pages_canonical on pages (canonical_id) where canonical_id is not null;"
        "create table task_pages (task_id text collate \"C\" not null,"
        "  page_id text collate \"C\" not null, reason text, depth bigint not null,"
        "  source_page_id text, created_at bigint not null, primary key (task_id, page_id));"
        "create index task_pages_page on task_pages (page_id);",
};

/* ---- putting: as JSON, which the statements take apart ---- */

#define PAGE_COLUMNS "id, url, final_url, domain, page_type, fetch_method, http_status," \
    " content_type, content_hash, content_length, title, canonical_id, language, etag," \
    " last_modified, error_message, cause_id"
#define INTO_PAGES "insert into pages (" PAGE_COLUMNS ", fetched_at, created_at)"
#define INTO_TASK "insert into task_pages (task_id, page_id, reason, depth, source_page_id," \
    " created_at)"
#define INTO_FRAGMENTS "insert into fragments (id, page_id, fragment_type, position," \
    " text_content, heading_context, heading_hierarchy, char_start, char_end, text_hash," \
    " cause_id, created_at)"
#define INTO_CLAIMS "insert into claims (id, task_id, claim_text, claim_type," \
    " llm_claim_confidence, cause_id, created_at)"
#define INTO_EDGES "insert into edges (id, source_type, source_id, target_type, target_id," \
    " relation, cause_id, created_at)"

/* Who gives bytes gives all that was said of them: the mark of older ones is none of these. */
#define WITH_CONTENT(column) "case when excluded.content_hash is null then" \
    " coalesce(excluded." column ", pages." column ") else excluded." column " end"
/* What is not given stays as it was. */
#define PAGE_AGAIN " on conflict (id) do update set fetched_at =" \
    " case when excluded.http_status is null then coalesce(pages.fetched_at," \
    " excluded.fetched_at) else excluded.fetched_at end," \
    " error_message = excluded.error_message," \
    " final_url = coalesce(excluded.final_url, pages.final_url)," \
    " page_type = coalesce(excluded.page_type, pages.page_type)," \
    " fetch_method = coalesce(excluded.fetch_method, pages.fetch_method)," \
    " http_status = coalesce(excluded.http_status, pages.http_status)," \
    " content_type = coalesce(excluded.content_type, pages.content_type)," \
    " content_hash = coalesce(excluded.content_hash, pages.content_hash)," \
    " content_length = coalesce(excluded.content_length, pages.content_length)," \
    " title = coalesce(excluded.title, pages.title)," \
    " canonical_id = coalesce(excluded.canonical_id, pages.canonical_id)," \
    " language = coalesce(excluded.language, pages.language)," \
    " etag = " WITH_CONTENT("etag") "," \
    " last_modified = " WITH_CONTENT("last_modified") "," \
    " cause_id = coalesce(excluded.cause_id, pages.cause_id)"

/* In a file rows come in order and from one writer: what the full-text indexes do not have is
 * the end of the table. */
#define INDEX_FRAGMENTS "insert into fragments_fts (rowid, text_content, heading_context)" \
    " select seq, text_content, heading_context from fragments" \
    " where seq > (select coalesce(max(id), 0) from fragments_fts_docsize)"
#define INDEX_CLAIMS "insert into claims_fts (rowid, claim_text)" \
    " select seq, claim_text from claims" \
    " where seq > (select coalesce(max(id), 0) from claims_fts_docsize)"

#define INTO_CITED "insert into pages (id, url, domain, title, created_at)"
#define INTO_CITES "insert into edges (id, source_type, source_id, target_type, target_id," \
    " relation, citation_source, citation_context, created_at)"
#define CITED_COLUMNS "(id text, url text, domain text, title text, edge text, context text)"

/* ?1 is the page, ?2 its fragments, ?3 its claims, ?4 whom it cites: each text is taken apart
 * by every statement that reads it. */
static const struct store_verb put = {
    .name = "page.put", .writes = true, .undo = true,
    .sqlite = {
        INTO_PAGES
        " select p ->> 'id', p ->> 'url', p ->> 'final_url', p ->> 'domain',"
        " p ->> 'page_type', p ->> 'fetch_method', p ->> 'http_status',"
        " p ->> 'content_type', p ->> 'content_hash', p ->> 'content_length',"
        " p ->> 'title', p ->> 'canonical_id', p ->> 'language', p ->> 'etag',"
        " p ->> 'last_modified', p ->> 'error', p ->> 'cause_id', now_ms(), now_ms()"
        " from (select ?1 as p) where true" PAGE_AGAIN,
        INTO_TASK
        " select p ->> 'task', p ->> 'id', p ->> 'reason', p ->> 'depth',"
        " p ->> 'source', now_ms() from (select ?1 as p)"
        " where p ->> 'task' is not null on conflict do nothing",
        INTO_FRAGMENTS
        " select value ->> 'id', ?1 ->> 'id', value ->> 'type',"
        " value ->> 'position', value ->> 'text', value ->> 'heading',"
        " value ->> 'hierarchy', value ->> 'begin', value ->> 'end', value ->> 'hash',"
        " ?1 ->> 'cause_id', now_ms() from json_each(?2)"
        " where true on conflict (id) do nothing returning id",
        INDEX_FRAGMENTS,
        INTO_CLAIMS
        " select value ->> 'id', ?1 ->> 'task', value ->> 'text',"
        " value ->> 'type', value ->> 'confidence', ?1 ->> 'cause_id', now_ms()"
        " from json_each(?3) where true on conflict (id) do nothing",
        INDEX_CLAIMS,
        INTO_EDGES
        " select value ->> 'edge', 'fragment', value ->> 'fragment', 'claim',"
        " value ->> 'id', 'origin', ?1 ->> 'cause_id', now_ms()"
        " from json_each(?3) where true on conflict (id) do nothing",
        INTO_CITED
        " select value ->> 'id', value ->> 'url', value ->> 'domain',"
        " value ->> 'title', now_ms() from json_each(?4) where true"
        " on conflict do nothing",
        INTO_CITES
        " select value ->> 'edge', 'page', ?1 ->> 'id', 'page', value ->> 'id', 'cites',"
        " 'page', value ->> 'context', now_ms() from json_each(?4) where true"
        " on conflict do nothing",
    },
    .postgres =
        "with page as (select x.* from jsonb_to_record(?1::jsonb) as x"
        "  (id text, url text, final_url text, domain text, page_type text,"
        "  fetch_method text, http_status bigint, content_type text,"
        "  content_hash text, content_length bigint, title text, canonical_id text,"
        "  language text, etag text, last_modified text, error text, cause_id text,"
        "  task text, reason text, depth bigint, source text)),"
        " p as (" INTO_PAGES
        "  select id, url, final_url, domain, page_type, fetch_method, http_status,"
        "  content_type, content_hash, content_length, title, canonical_id, language,"
        "  etag, last_modified, error, cause_id, now_ms(), now_ms() from page"
        PAGE_AGAIN "),"
        " t as (" INTO_TASK
        "  select task, id, reason, depth, source, now_ms() from page"
        "  where task is not null on conflict do nothing),"
        " f as (" INTO_FRAGMENTS
        "  select x.id, page.id, x.type, x.position, x.text, x.heading, x.hierarchy,"
        "  x.begin, x.end, x.hash, page.cause_id, now_ms() from page,"
        "  jsonb_to_recordset(?2::jsonb) as x (id text, type text,"
        "  position bigint, text text, heading text, hierarchy text, begin bigint,"
        "  \"end\" bigint, hash text) on conflict (id) do nothing returning id),"
        " claim as (select x.* from jsonb_to_recordset(?3::jsonb)"
        "  as x (id text, text text, type text, confidence double precision,"
        "  fragment text, edge text)),"
        " c as (" INTO_CLAIMS
        "  select claim.id, task, text, type, confidence, cause_id, now_ms()"
        "  from claim, page on conflict (id) do nothing),"
        " e as (" INTO_EDGES
        "  select edge, 'fragment', fragment, 'claim', claim.id, 'origin', cause_id,"
        "  now_ms() from claim, page on conflict (id) do nothing),"
        /* One that cites itself is put above: a statement may not touch a row twice. */
        " cited as (select x.* from jsonb_to_recordset(?4::jsonb) as x " CITED_COLUMNS "),"
        " cp as (" INTO_CITED
        "  select cited.id, cited.url, cited.domain, cited.title, now_ms() from cited, page"
        "  where cited.id <> page.id order by cited.id on conflict do nothing),"
        " ce as (" INTO_CITES
        "  select edge, 'page', page.id, 'page', cited.id, 'cites', 'page', context, now_ms()"
        "  from cited, page order by edge on conflict do nothing returning 1)"
        " select f.id, cites from (select count(*) as cites from ce) as one"
        " left join f on true",
};

const char *store_page_id(char *ret, const char *url)
{
    return store_evidence_id(ret, "page_", STORE_PARTS(url));
}

const char *store_fragment_id(char *ret, const char *page, const char *text)
{
    return store_evidence_id(ret, "f_", STORE_PARTS(page, text));
}

const char *store_claim_id(char *ret, const char *task, const char *fragment, const char *text)
{
    return store_evidence_id(ret, "c_", STORE_PARTS(task, fragment, text));
}

/* What is not given is left out, and read as null. */
static void write_str(struct wr_json *json, const char *key, const char *value)
{
    if (value)
        wr_json_str(json, key, value);
}

static void write_page(struct wr_json *json, const struct store_page_new *new, const char *id)
{
    const struct store_page *page = &new->page;
    wr_json_object(json, NULL);
    wr_json_str(json, "id", id);
    wr_json_str(json, "url", page->url);
    wr_json_str(json, "domain", page->domain);
    write_str(json, "final_url", page->final_url);
    write_str(json, "page_type", page->page_type);
    write_str(json, "fetch_method", page->fetch_method);
    if (page->http_status)
        wr_json_i64(json, "http_status", page->http_status);
    write_str(json, "content_type", page->content_type);
    write_str(json, "content_hash", page->content_hash);
    if (page->content_length)
        wr_json_i64(json, "content_length", page->content_length);
    write_str(json, "title", page->title);
    write_str(json, "canonical_id", page->canonical_id);
    write_str(json, "language", page->language);
    write_str(json, "etag", page->etag);
    write_str(json, "last_modified", page->last_modified);
    write_str(json, "error", page->error);
    write_str(json, "cause_id", page->cause);
    write_str(json, "task", new->task);
    write_str(json, "reason", new->reason);
    wr_json_u64(json, "depth", new->depth);
    write_str(json, "source", new->source_page);
    wr_json_end(json);
}

static void write_fragments(struct wr_json *json, const struct store_page_new *new,
                            const char *page)
{
    char id[STORE_EVIDENCE_ID], hash[STORE_EVIDENCE_ID];
    wr_json_array(json, NULL);
    for (size_t i = 0; i < new->fragment_count; i++) {
        const struct store_fragment_new *fragment = &new->fragments[i];
        wr_json_object(json, NULL);
        wr_json_str(json, "id", store_fragment_id(id, page, fragment->text));
        write_str(json, "type", fragment->type);
        wr_json_str(json, "text", fragment->text);
        write_str(json, "heading", fragment->heading);
        write_str(json, "hierarchy", fragment->hierarchy);
        wr_json_u64(json, "position", fragment->position);
        wr_json_u64(json, "begin", fragment->begin);
        wr_json_u64(json, "end", fragment->end);
        wr_json_str(json, "hash", store_evidence_id(hash, "", STORE_PARTS(fragment->text)));
        wr_json_end(json);
    }
    wr_json_end(json);
}

static void write_confidence(struct wr_json *json, double value)
{
    char text[32];
    if (!(value >= 0))
        return;
    int len = snprintf(text, sizeof(text), "%.17g", value < 1 ? value : 1);
    wr_json_raw(json, "confidence", text, (size_t)len);
}

static void write_claims(struct wr_json *json, const struct store_page_new *new,
                         const char *page)
{
    char id[STORE_EVIDENCE_ID], fragment[STORE_EVIDENCE_ID], edge[STORE_EVIDENCE_ID];
    wr_json_array(json, NULL);
    for (size_t i = 0; i < new->claim_count; i++) {
        const struct store_claim_new *claim = &new->claims[i];
        WR_ASSERT(claim->fragment < new->fragment_count);
        store_fragment_id(fragment, page, new->fragments[claim->fragment].text);
        store_claim_id(id, new->task, fragment, claim->text);
        wr_json_object(json, NULL);
        wr_json_str(json, "id", id);
        wr_json_str(json, "text", claim->text);
        write_str(json, "type", claim->type);
        write_confidence(json, claim->confidence);
        wr_json_str(json, "fragment", fragment);
        wr_json_str(json, "edge", store_evidence_id(edge, "e_", STORE_PARTS(
            fragment, id, "origin")));
        wr_json_end(json);
    }
    wr_json_end(json);
}

static void write_cited(struct wr_json *json, const char *page, const struct store_cited *cited,
                        size_t count)
{
    char id[STORE_EVIDENCE_ID], edge[STORE_EVIDENCE_ID];
    wr_json_array(json, NULL);
    for (size_t i = 0; i < count; i++) {
        const struct store_cited *one = &cited[i];
        store_page_id(id, one->url);
        wr_json_object(json, NULL);
        wr_json_str(json, "id", id);
        wr_json_str(json, "url", one->url);
        wr_json_str(json, "domain", one->domain);
        write_str(json, "title", one->title);
        write_str(json, "context", one->context);
        wr_json_str(json, "edge", store_evidence_id(edge, "e_", STORE_PARTS(page, id,
                                                                            "cites")));
        wr_json_end(json);
    }
    wr_json_end(json);
}

enum { PAGE, FRAGMENTS, CLAIMS, CITED, TEXTS };

struct writing {
    const struct store_page_new *page;
    const char *id;
    struct wr_text texts[TEXTS];
};

/* A large page has millions of bytes to hash and to escape. */
static void write_there(void *arg)
{
    struct writing *writing = arg;
    const struct store_page_new *page = writing->page;
    struct wr_json json[TEXTS];
    for (size_t i = 0; i < TEXTS; i++)
        json[i] = wr_json_to(&writing->texts[i]);
    write_page(&json[PAGE], page, writing->id);
    write_fragments(&json[FRAGMENTS], page, writing->id);
    write_claims(&json[CLAIMS], page, writing->id);
    write_cited(&json[CITED], writing->id, page->cited, page->cited_count);
}

static bool too_long(const char *text, size_t max)
{
    return text && strlen(text) > max;
}

static bool page_too_long(const struct store_page_new *new)
{
    const struct store_page *page = &new->page;
    const char *const words[] = {
        page->domain, page->page_type, page->fetch_method, page->content_type,
        page->content_hash, page->canonical_id, page->language, page->etag, page->last_modified,
        page->cause, new->task, new->reason, new->source_page };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (too_long(words[i], STORE_PAGE_WORD_MAX))
            return true;
    return too_long(page->url, STORE_PAGE_URL_MAX)
        || too_long(page->final_url, STORE_PAGE_URL_MAX)
        || too_long(page->title, STORE_PAGE_TITLE_MAX)
        || too_long(page->error, STORE_PAGE_TITLE_MAX);
}

static bool cited_too_long(const struct store_cited *cited, size_t count)
{
    if (count > STORE_PAGE_CITED_MAX)
        return true;
    for (size_t i = 0; i < count; i++)
        if (too_long(cited[i].url, STORE_PAGE_URL_MAX)
            || too_long(cited[i].domain, STORE_PAGE_WORD_MAX)
            || too_long(cited[i].title, STORE_PAGE_TITLE_MAX)
            || too_long(cited[i].context, STORE_PAGE_TITLE_MAX))
            return true;
    return false;
}

static bool texts_too_long(const struct writing *writing)
{
    size_t len = 0;
    bool cut = false;
    for (size_t i = 0; i < TEXTS; i++) {
        len += writing->texts[i].len;
        cut |= writing->texts[i].cut;
    }
    return cut || len >= STORE_PAGE_BYTES_MAX;
}

static wr_err put_texts(struct store *store, const struct writing *writing,
                        struct store_page_put *ret, wr_time deadline)
{
    const struct wr_text *texts = writing->texts;
    struct store_rows rows;
    wr_err err = store_do(store, &put, STORE_VALUES(
        STORE_TEXT(texts[PAGE].at), STORE_TEXT(texts[FRAGMENTS].at),
        STORE_TEXT(texts[CLAIMS].at), STORE_TEXT(texts[CITED].at)), &rows, deadline);
    if (err)
        return err;
    /* A server says in one statement what a file says in two. */
    bool in_row = rows.columns == 2;
    bool none = in_row && !store_text(&rows, 0, 0);
    ret->fragments_new = none ? 0 : rows.count;
    ret->cited_new = in_row ? (uint64_t)store_int(&rows, 0, 1) : rows.changed;
    store_rows_free(&rows);
    return WR_OK;
}

wr_err store_page_put(struct store *store, const struct store_page_new *page,
                      struct store_page_put *ret, wr_time deadline)
{
    WR_ASSERT(page->task || !page->claim_count);
    ret->fragments_new = ret->cited_new = 0;
    if (page->fragment_count > STORE_PAGE_FRAGMENTS_MAX
        || page->claim_count > STORE_PAGE_CLAIMS_MAX || page_too_long(page)
        || cited_too_long(page->cited, page->cited_count))
        return WR_INVALID;
    struct writing writing = { .page = page, .id = store_page_id(ret->id, page->page.url) };
    for (size_t i = 0; i < TEXTS; i++)
        writing.texts[i] = wr_text_heap(STORE_PAGE_BYTES_MAX);
    wr_err err = wr_offload(write_there, &writing, deadline);
    if (!err && texts_too_long(&writing))
        err = WR_INVALID;
    if (!err)
        err = put_texts(store, &writing, ret, deadline);
    for (size_t i = 0; i < TEXTS; i++)
        wr_text_free(&writing.texts[i]);
    return err;
}

/* ---- citing ---- */

static const struct store_verb cite = {
    .name = "page.cite", .writes = true, .undo = true,
    .sqlite = {
        INTO_CITED
        " select value ->> 'id', value ->> 'url', value ->> 'domain',"
        " value ->> 'title', now_ms() from json_each(?3) where true"
        " on conflict do nothing",
        INTO_CITES
        " select value ->> 'edge', 'page', ?1, 'page', value ->> 'id', 'cites', ?2,"
        " value ->> 'context', now_ms() from json_each(?3) where true"
        " on conflict do nothing",
    },
    .postgres =
        "with x as (select * from jsonb_to_recordset(?3::jsonb) as x " CITED_COLUMNS "),"
        " p as (" INTO_CITED
        "  select id, url, domain, title, now_ms() from x order by id"
        "  on conflict do nothing) " INTO_CITES
        " select edge, 'page', ?1::text, 'page', id, 'cites', ?2::text, context,"
        " now_ms() from x order by edge on conflict do nothing",
};

wr_err store_page_cite(struct store *store, const char *page, const char *source,
                       const struct store_cited *cited, size_t count, uint64_t *ret,
                       wr_time deadline)
{
    *ret = 0;
    if (cited_too_long(cited, count))
        return WR_INVALID;
    struct wr_text text = wr_text_heap(STORE_PAGE_BYTES_MAX);
    struct wr_json json = wr_json_to(&text);
    write_cited(&json, page, cited, count);
    wr_err err = text.cut ? WR_INVALID : store_change(store, &cite, STORE_VALUES(
        STORE_TEXT(page), STORE_TEXT(source), STORE_TEXT(text.at)), ret, deadline);
    wr_text_free(&text);
    return err;
}

/* ---- a task's pages ---- */

static const struct store_verb join = {
    .name = "page.join", .writes = true,
    .sqlite = { "insert into task_pages (task_id, page_id, reason, depth, source_page_id,"
                " created_at) select ?2, id, ?3, ?4, ?5, now_ms() from pages where id = ?1"
                " on conflict do nothing" },
    .postgres = "insert into task_pages (task_id, page_id, reason, depth, source_page_id,"
                " created_at) select ?2::text, id, ?3::text, ?4::bigint, ?5::text, now_ms()"
                " from pages where id = ?1 on conflict do nothing",
};

static const struct store_verb exists = {
    .name = "page.exists", .sqlite = { "select id from pages where id = ?1" },
};

wr_err store_page_join(struct store *store, const char *page, const char *task,
                       const char *reason, unsigned depth, const char *source_page,
                       wr_time deadline)
{
    struct store_rows rows;
    wr_err err = store_change_one(store, &join, STORE_VALUES(
        STORE_TEXT(page), STORE_TEXT(task), STORE_TEXT(reason), STORE_INT(depth),
        STORE_TEXT(source_page)), deadline);
    if (err != WR_NOTFOUND)
        return err;
    err = store_do(store, &exists, STORE_VALUES(STORE_TEXT(page)), &rows, deadline);
    size_t count = rows.count;
    store_rows_free(&rows);
    return err ? err : count ? WR_EXISTS : WR_NOTFOUND;
}

/* ---- one page ---- */

static const struct store_verb get = {
    .name = "page.get",
    .sqlite = { "select " PAGE_COLUMNS ", coalesce(fetched_at, 0),"
                " exists (select 1 from fragments f join edges e on e.source_type = 'fragment'"
                "  and e.source_id = f.id and e.relation = 'origin' join claims c"
                "  on c.id = e.target_id where f.page_id = pages.id and c.task_id = ?2)"
                " from pages where id = ?1" },
    .postgres = "select " PAGE_COLUMNS ", coalesce(fetched_at, 0),"
                " (select count(*) from (select 1 from fragments f join edges e"
                "  on e.source_type = 'fragment' and e.source_id = f.id"
                "  and e.relation = 'origin' join claims c on c.id = e.target_id"
                "  where f.page_id = pages.id and c.task_id = ?2 limit 1) as one)"
                " from pages where id = ?1",
};

wr_err store_page_get(struct store *store, const char *url, const char *task,
                      struct store_page_known *ret, wr_time deadline)
{
    char id[STORE_EVIDENCE_ID];
    *ret = (struct store_page_known){ 0 };
    wr_err err = store_do(store, &get, STORE_VALUES(
        STORE_TEXT(store_page_id(id, url)), STORE_TEXT(task)), &ret->rows, deadline);
    if (err)
        return err;
    const struct store_rows *rows = &ret->rows;
    if (rows->count == 0)
        return WR_NOTFOUND;
    ret->id = store_text(rows, 0, 0);
    ret->page = (struct store_page){
        .url = store_text(rows, 0, 1), .final_url = store_text(rows, 0, 2),
        .domain = store_text(rows, 0, 3), .page_type = store_text(rows, 0, 4),
        .fetch_method = store_text(rows, 0, 5), .http_status = (int)store_int(rows, 0, 6),
        .content_type = store_text(rows, 0, 7), .content_hash = store_text(rows, 0, 8),
        .content_length = store_int(rows, 0, 9), .title = store_text(rows, 0, 10),
        .canonical_id = store_text(rows, 0, 11), .language = store_text(rows, 0, 12),
        .etag = store_text(rows, 0, 13), .last_modified = store_text(rows, 0, 14),
        .error = store_text(rows, 0, 15), .cause = store_text(rows, 0, 16) };
    ret->fetched_at.ns = store_int(rows, 0, 17) * WR_MS(1);
    ret->claimed = store_int(rows, 0, 18);
    return WR_OK;
}

void store_page_free(struct store_page_known *page)
{
    store_rows_free(&page->rows);
}
