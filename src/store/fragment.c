#include "store/fragment.h"

#include "store/fragment_scope.h"
#include "store/match.h"
#include "store/schema.h"

#define FEW_WORDS 3

/* No trigger keeps the index in a file: a file's own text must not be trusted to write to
 * virtual tables (trusted_schema), so who writes fragments does.
 * FTS5 splits at every sign that is no letter and no digit; so that a server does too, and does
 * not take a/b for a file and a.b for a host, it gets spaces for the signs of ASCII. */
const struct store_step store_fragment_tables = {
    .sqlite =
        "create table fragments (seq integer primary key, id text not null unique,"
        "  page_id text not null, fragment_type text, position integer not null,"
        "  heading_context text, heading_hierarchy text, char_start integer,"
        "  char_end integer, text_hash text not null, cause_id text,"
        "  created_at integer not null, text_content text not null) strict;"
        "create index fragments_page on fragments (page_id, position);"
        "create index fragments_hash on fragments (text_hash);"
        "create virtual table fragments_fts using fts5 (text_content,"
        "  heading_context, content = 'fragments', content_rowid = 'seq',"
        "  tokenize = 'unicode61 remove_diacritics 0');",
    .postgres =
        "create table fragments (seq bigint generated always as identity,"
        "  id text collate \"C\" primary key, page_id text collate \"C\" not null,"
        "  fragment_type text, position bigint not null, heading_context text,"
        "  heading_hierarchy text, char_start bigint, char_end bigint,"
        "  text_hash text not null, cause_id text, created_at bigint not null,"
        "  text_content text not null, words tsvector generated always as"
        "  (to_tsvector('simple', translate(text_content || ' '"
        "   || coalesce(heading_context, ''),"
        "   '!\"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~', repeat(' ', 32)))) stored);"
        "create index fragments_page on fragments (page_id, position);"
        "create index fragments_hash on fragments (text_hash);"
        "create index fragments_words on fragments using gin (words);",
};

#define COLUMNS "f.id, f.page_id, p.url, p.domain, p.title, f.fragment_type," \
    " f.heading_context, f.text_content"

/* Which ones are looked at, by ?2 the task and ?3 the claim. */
#define IN_SCOPE "(cast(?2 as text) is null or exists (select 1 from task_pages t" \
    "  where t.task_id = ?2 and t.page_id = f.page_id)) and " STORE_FRAGMENT_MAY_JUDGE("?3")

static const struct store_verb search = {
    .name = "fragment.search",
    .sqlite = { "with hit as materialized"
                " (select f.seq as seq, fragments_fts.rank as score from fragments_fts"
                "  join fragments f on f.seq = fragments_fts.rowid"
                "  where fragments_fts match ?1 and " IN_SCOPE
                "  order by fragments_fts.rank, f.seq limit ?4)"
                " select " COLUMNS
                ", -hit.score from hit join fragments f using (seq)"
                " join pages p on p.id = f.page_id order by hit.score, f.seq" },
    .postgres = "with hit as materialized"
                " (select f.id, ts_rank(f.words, q, 1) as score from fragments f,"
                "  websearch_to_tsquery('simple', ?1) q"
                "  where f.words @@ q and " IN_SCOPE
                "  order by score desc, f.seq limit ?4)"
                " select " COLUMNS
                ", hit.score::double precision from hit join fragments f using (id)"
                " join pages p on p.id = f.page_id order by hit.score desc, f.seq",
};

static wr_err search_by(struct store *store, const struct store_fragment_query *query,
                        size_t words, struct store_fragments *ret, wr_time deadline)
{
    char buf[STORE_MATCH_MAX];
    struct wr_text match = WR_TEXT(buf);
    *ret = (struct store_fragments){ 0 };
    if (!store_match(&match, query->sentence, words))
        return WR_OK;
    wr_err err = store_do(store, &search, STORE_VALUES(
        STORE_TEXT(buf), STORE_TEXT(query->task), STORE_TEXT(query->claim),
        STORE_INT((int64_t)query->max)), &ret->rows, deadline);
    ret->count = ret->rows.count;
    return err;
}

/* All that has one of the words is scored, which in a large store, with common words, takes
 * longer than one read may. */
wr_err store_fragment_search(struct store *store, const struct store_fragment_query *query,
                             struct store_fragments *ret, wr_time deadline)
{
    WR_ASSERT(query->max > 0 && query->max <= STORE_FRAGMENT_LIST_MAX);
    wr_err err = search_by(store, query, 0, ret, deadline);
    if (err == WR_TIMEOUT && wr_now() < deadline)
        err = search_by(store, query, FEW_WORDS, ret, deadline);
    return err;
}

static const struct store_verb get = {
    .name = "fragment.get",
    .sqlite = { "select " COLUMNS ", null from fragments f join pages p on p.id = f.page_id"
                " where f.id = ?1" },
};

wr_err store_fragment_get(struct store *store, const char *id, struct store_fragments *ret,
                          wr_time deadline)
{
    wr_err err = store_do(store, &get, STORE_VALUES(STORE_TEXT(id)), &ret->rows, deadline);
    ret->count = ret->rows.count;
    return err ? err : ret->count ? WR_OK : WR_NOTFOUND;
}

static const struct store_verb list = {
    .name = "fragment.list",
    .sqlite = { "select " COLUMNS ", null from fragments f join pages p on p.id = f.page_id"
                " where f.page_id = ?1 order by f.position, f.seq limit ?2" },
};

wr_err store_fragment_list(struct store *store, const char *page, size_t max,
                           struct store_fragments *ret, wr_time deadline)
{
    WR_ASSERT(max > 0 && max <= STORE_FRAGMENT_LIST_MAX);
    wr_err err = store_do(store, &list, STORE_VALUES(STORE_TEXT(page), STORE_INT((int64_t)max)),
                          &ret->rows, deadline);
    ret->count = ret->rows.count;
    return err;
}

struct store_fragment store_fragment_at(const struct store_fragments *fragments, size_t i)
{
    const struct store_rows *rows = &fragments->rows;
    bool scored = store_value_at(rows, i, 8).type == STORE_IS_REAL;
    return (struct store_fragment){
        .id = store_text(rows, i, 0), .page = store_text(rows, i, 1),
        .url = store_text(rows, i, 2), .domain = store_text(rows, i, 3),
        .title = store_text(rows, i, 4), .type = store_text(rows, i, 5),
        .heading = store_text(rows, i, 6), .text = store_text(rows, i, 7),
        .score = scored ? store_real(rows, i, 8) : 0 };
}

void store_fragments_free(struct store_fragments *fragments)
{
    store_rows_free(&fragments->rows);
    fragments->count = 0;
}
