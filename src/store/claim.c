#include "store/claim.h"

#include <string.h>

#include "store/match.h"
#include "store/schema.h"

const struct store_step store_claim_tables = {
    .sqlite =
        "create table claims (seq integer primary key, id text not null unique,"
        "  task_id text not null, claim_text text not null, claim_type text,"
        "  llm_claim_confidence real,"
        "  claim_adoption_status text not null default 'adopted',"
        "  claim_rejection_reason text, claim_rejected_at integer, judged_at integer,"
        "  cause_id text, created_at integer not null) strict;"
        "create index claims_task on claims (task_id, seq);"
        "create virtual table claims_fts using fts5 (claim_text,"
        "  content = 'claims', content_rowid = 'seq',"
        "  tokenize = 'unicode61 remove_diacritics 0');",
    .postgres =
        "create table claims (seq bigint generated always as identity,"
        "  id text collate \"C\" primary key, task_id text collate \"C\" not null,"
        "  claim_text text not null, claim_type text, llm_claim_confidence double precision,"
        "  claim_adoption_status text not null default 'adopted',"
        "  claim_rejection_reason text, claim_rejected_at bigint, judged_at bigint,"
        "  cause_id text, created_at bigint not null, words tsvector generated always as ("
        "to_tsvector('simple', translate(claim_text, '!\"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~',"
        "   repeat(' ', 32)))) stored);"
        "create index claims_task on claims (task_id, seq);"
        "create index claims_words on claims using gin (words);",
};

#define COLUMNS "c.id, c.task_id, c.claim_text, c.claim_type," \
    " coalesce(c.llm_claim_confidence, -1.0), c.claim_adoption_status," \
    " c.claim_rejection_reason, c.seq, now_ms()"

/* ?2: 1 when they must be due. */
static const struct store_verb list = {
    .name = "claim.list",
    .sqlite = { "select " COLUMNS " from claims c where c.task_id = ?1 and c.seq > ?3"
                " and (?2 = 0 or (c.claim_adoption_status = 'adopted' and (c.judged_at is null"
                "  or c.judged_at <= (select max(t.created_at) from task_pages t"
                "   where t.task_id = ?1))))"
                " order by c.seq limit ?4" },
    .postgres = "select " COLUMNS " from claims c where c.task_id = ?1 and c.seq > ?3"
                " and (?2::bigint = 0 or (c.claim_adoption_status = 'adopted'"
                "  and (c.judged_at is null or c.judged_at <= (select max(t.created_at)"
                "   from task_pages t where t.task_id = ?1))))"
                " order by c.seq limit ?4",
};

/* What every list of claims has in common. */
static wr_err find(struct store *store, const struct store_verb *verb,
                   struct store_values values, struct store_claims *ret, wr_time deadline)
{
    *ret = (struct store_claims){ 0 };
    wr_err err = store_do(store, verb, values, &ret->rows, deadline);
    ret->count = ret->rows.count;
    if (ret->count)
        ret->at = store_wall(&ret->rows, 0, 8);
    return err;
}

wr_err store_claim_list(struct store *store, const struct store_claim_query *query,
                        struct store_claims *ret, wr_time deadline)
{
    WR_ASSERT(query->max > 0 && query->max <= STORE_CLAIM_LIST_MAX);
    return find(store, &list, STORE_VALUES(
        STORE_TEXT(query->task), STORE_INT(query->due), STORE_INT(query->after),
        STORE_INT((int64_t)query->max)), ret, deadline);
}

static const struct store_verb search = {
    .name = "claim.search",
    .sqlite = { "select " COLUMNS " from claims_fts join claims c on c.seq = claims_fts.rowid"
                " where claims_fts match ?1 and (?2 is null or c.task_id = ?2)"
                " order by claims_fts.rank, c.seq limit ?3" },
    .postgres = "select " COLUMNS " from claims c, websearch_to_tsquery('simple', ?1) q"
                " where c.words @@ q and (?2::text is null or c.task_id = ?2)"
                " order by ts_rank(c.words, q, 1) desc, c.seq limit ?3",
};

wr_err store_claim_search(struct store *store, const char *sentence, const char *task,
                          size_t max, struct store_claims *ret, wr_time deadline)
{
    char buf[STORE_MATCH_MAX];
    struct wr_text match = WR_TEXT(buf);
    WR_ASSERT(max > 0 && max <= STORE_CLAIM_LIST_MAX);
    *ret = (struct store_claims){ 0 };
    if (!store_match(&match, sentence, 0))
        return WR_OK;
    return find(store, &search, STORE_VALUES(
        STORE_TEXT(buf), STORE_TEXT(task), STORE_INT((int64_t)max)), ret, deadline);
}

static const struct store_verb get = {
    .name = "claim.get", .sqlite = { "select " COLUMNS " from claims c where c.id = ?1" },
};

wr_err store_claim_get(struct store *store, const char *id, struct store_claims *ret,
                       wr_time deadline)
{
    wr_err err = find(store, &get, STORE_VALUES(STORE_TEXT(id)), ret, deadline);
    return err ? err : ret->count ? WR_OK : WR_NOTFOUND;
}

struct store_claim store_claim_at(const struct store_claims *claims, size_t i)
{
    const struct store_rows *rows = &claims->rows;
    return (struct store_claim){
        .id = store_text(rows, i, 0), .task = store_text(rows, i, 1),
        .text = store_text(rows, i, 2), .type = store_text(rows, i, 3),
        .confidence = store_real(rows, i, 4),
        .adopted = strcmp(store_text(rows, i, 5), "adopted") == 0,
        .rejected = store_text(rows, i, 6), .number = store_int(rows, i, 7) };
}

void store_claims_free(struct store_claims *claims)
{
    store_rows_free(&claims->rows);
    claims->count = 0;
}

/* ---- changing ---- */

static const struct store_verb judged = {
    .name = "claim.judged", .writes = true,
    .sqlite = { "update claims set judged_at = ?2 where id = ?1" },
};

wr_err store_claim_judged(struct store *store, const char *id, struct wr_wall at,
                          wr_time deadline)
{
    return store_change_one(store, &judged, STORE_VALUES(
        STORE_TEXT(id), STORE_INT(at.ns / WR_MS(1))), deadline);
}

static const struct store_verb reject = {
    .name = "claim.reject", .writes = true,
    .sqlite = { "update claims set claim_adoption_status = 'not_adopted',"
                " claim_rejection_reason = ?2, claim_rejected_at = now_ms() where id = ?1" },
};

wr_err store_claim_reject(struct store *store, const char *id, const char *reason,
                          wr_time deadline)
{
    if (strlen(reason) > STORE_CLAIM_REASON_MAX)
        return WR_INVALID;
    return store_change_one(store, &reject, STORE_VALUES(STORE_TEXT(id), STORE_TEXT(reason)),
                            deadline);
}

static const struct store_verb restore = {
    .name = "claim.restore", .writes = true,
    .sqlite = { "update claims set claim_adoption_status = 'adopted',"
                " claim_rejection_reason = null, claim_rejected_at = null where id = ?1" },
};

wr_err store_claim_restore(struct store *store, const char *id, wr_time deadline)
{
    return store_change_one(store, &restore, STORE_VALUES(STORE_TEXT(id)), deadline);
}
