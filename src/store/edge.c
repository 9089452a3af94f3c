#include "store/edge.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "store/evidence.h"
#include "store/schema.h"

#define JUDGEMENTS_BYTES_MAX (1 << 20)
#define IS_JUDGEMENT "source_type = 'fragment' and target_type = 'claim'" \
    " and relation in ('supports', 'refutes', 'neutral')"

#define EDGE_INDEXES \
    "create index edges_source on edges (source_id, relation);" \
    "create index edges_target on edges (target_id, relation);" \
    "create unique index edges_judgement on edges (source_id, target_id) where " IS_JUDGEMENT \
    ";create index nli_corrections_edge on nli_corrections (edge_id);"

const struct store_step store_edge_tables = {
    .sqlite =
        "create table edges (id text primary key, source_type text not null,"
        "  source_id text not null, target_type text not null, target_id text not null,"
        "  relation text not null, nli_label text, nli_edge_confidence real, nli_model text,"
        "  citation_source text, citation_context text,"
        "  edge_human_corrected integer not null default 0, edge_correction_reason text,"
        "  edge_corrected_at integer, cause_id text, created_at integer not null) strict;"
        "create table nli_corrections (id text primary key, edge_id text not null,"
        "  task_id text, premise text, nli_hypothesis text, predicted_label text,"
        "  predicted_confidence real, correct_label text not null, reason text,"
        "  created_at integer not null) strict;" EDGE_INDEXES,
    .postgres =
        "create table edges (id text collate \"C\" primary key, source_type text not null,"
        "  source_id text collate \"C\" not null, target_type text not null,"
        "  target_id text collate \"C\" not null, relation text not null, nli_label text,"
        "  nli_edge_confidence double precision, nli_model text, citation_source text,"
        "  citation_context text, edge_human_corrected bigint not null default 0,"
        "  edge_correction_reason text, edge_corrected_at bigint, cause_id text,"
        "  created_at bigint not null);"
        "create table nli_corrections (id text collate \"C\" primary key,"
        "  edge_id text not null, task_id text, premise text, nli_hypothesis text,"
        "  predicted_label text, predicted_confidence double precision,"
        "  correct_label text not null, reason text, created_at bigint not null);"
        EDGE_INDEXES,
};

static const char *const words[] = {
    [STORE_SUPPORTS] = "supports", [STORE_REFUTES] = "refutes", [STORE_NEUTRAL] = "neutral",
    [STORE_ORIGIN] = "origin", [STORE_CITES] = "cites",
};

const char *store_relation_text(enum store_relation relation)
{
    WR_ASSERT(relation >= STORE_SUPPORTS && relation <= STORE_CITES);
    return words[relation];
}

enum store_relation store_relation_of(const char *text)
{
    for (enum store_relation i = STORE_SUPPORTS; i <= STORE_CITES; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    return 0;
}

/* ---- judging ---- */

#define INTO_EDGES "insert into edges (id, source_type, source_id, target_type, target_id," \
    " relation, nli_label, nli_edge_confidence, nli_model, created_at)"

static const struct store_verb judge = {
    .name = "edge.judge", .writes = true,
    .sqlite = { INTO_EDGES " select value ->> 'id', 'fragment', value ->> 'fragment', 'claim',"
                " value ->> 'claim', value ->> 'relation', value ->> 'relation',"
                " value ->> 'confidence', value ->> 'by', now_ms() from json_each(?1)"
                " where true on conflict do nothing" },
    .postgres = INTO_EDGES " select id, 'fragment', fragment, 'claim', claim, relation,"
                " relation, confidence, \"by\", now_ms() from jsonb_to_recordset(?1::jsonb)"
                " as x (id text, fragment text, claim text, relation text,"
                " confidence double precision, \"by\" text) order by id"
                " on conflict do nothing",
};

static void write_one(struct wr_json *json, const struct store_judgement *one)
{
    char id[STORE_EVIDENCE_ID], confidence[32];
    double value = one->confidence >= 0 ? one->confidence < 1 ? one->confidence : 1 : 0;
    WR_ASSERT(one->relation >= STORE_SUPPORTS && one->relation <= STORE_NEUTRAL);
    int len = snprintf(confidence, sizeof(confidence), "%.17g", value);
    wr_json_object(json, NULL);
    wr_json_str(json, "id", store_evidence_id(id, "e_", STORE_PARTS(one->fragment, one->claim,
                                                                    "nli")));
    wr_json_str(json, "fragment", one->fragment);
    wr_json_str(json, "claim", one->claim);
    wr_json_str(json, "relation", words[one->relation]);
    wr_json_raw(json, "confidence", confidence, (size_t)len);
    if (one->by)
        wr_json_str(json, "by", one->by);
    wr_json_end(json);
}

wr_err store_edge_judge(struct store *store, const struct store_judgement *judgements,
                        size_t count, uint64_t *ret, wr_time deadline)
{
    *ret = 0;
    if (count > STORE_EDGE_JUDGE_MAX)
        return WR_INVALID;
    struct wr_text text = wr_text_heap(JUDGEMENTS_BYTES_MAX);
    struct wr_json json = wr_json_to(&text);
    wr_json_array(&json, NULL);
    for (size_t i = 0; i < count; i++)
        write_one(&json, &judgements[i]);
    wr_json_end(&json);
    wr_err err = text.cut ? WR_INVALID
        : store_change(store, &judge, STORE_VALUES(STORE_TEXT(text.at)), ret, deadline);
    wr_text_free(&text);
    return err;
}

/* ---- correcting ---- */

#define SAMPLE_OF \
    "insert into nli_corrections (id, edge_id, task_id, premise," \
    " nli_hypothesis, predicted_label, predicted_confidence, correct_label, reason, " \
    "created_at)"
#define FROM_EDGE " left join fragments f on f.id = e.source_id" \
    " left join claims c on c.id = e.target_id"

static const struct store_verb correct = {
    .name = "edge.correct",
    .writes = true,
    .undo = true,
    .sqlite = { "select relation from edges where id = ?1 and " IS_JUDGEMENT,
                SAMPLE_OF
                " select ?4, e.id, c.task_id, f.text_content, c.claim_text, e.relation,"
                " e.nli_edge_confidence, ?2, ?3, now_ms() from edges e" FROM_EDGE
                " where e.id = ?1 and e.relation <> ?2 and " IS_JUDGEMENT,
                "update edges set edge_human_corrected = 1, edge_correction_reason = ?3,"
                " edge_corrected_at = now_ms(), nli_label = ?2,"
                " nli_edge_confidence = iif(relation = ?2, nli_edge_confidence, 1.0), relation "
                "= ?2"
                " where id = ?1 and " IS_JUDGEMENT },
    .postgres =
        "with e as (select * from edges where id = ?1 and " IS_JUDGEMENT " for update),"
        " sample as (" SAMPLE_OF " select ?4::text, e.id, c.task_id, f.text_content,"
        "  c.claim_text, e.relation, e.nli_edge_confidence, ?2::text, ?3::text, now_ms()"
        "  from e" FROM_EDGE " where e.relation <> ?2),"
        " changed as (update edges set edge_human_corrected = 1,"
        "  edge_correction_reason = ?3, edge_corrected_at = now_ms(), nli_label = ?2,"
        "  nli_edge_confidence = case when e.relation = ?2 then e.nli_edge_confidence"
        "   else 1 end, relation = ?2 from e where edges.id = e.id)"
        " select relation from e",
};

wr_err store_edge_correct(struct store *store, const char *edge, enum store_relation relation,
                          const char *reason, const char *sample, enum store_relation *ret,
                          wr_time deadline)
{
    struct store_rows rows;
    WR_ASSERT(relation >= STORE_SUPPORTS && relation <= STORE_NEUTRAL);
    if (reason && strlen(reason) > STORE_EDGE_REASON_MAX)
        return WR_INVALID;
    wr_err err = store_do(store, &correct, STORE_VALUES(
        STORE_TEXT(edge), STORE_TEXT(words[relation]), STORE_TEXT(reason), STORE_TEXT(sample)),
        &rows, deadline);
    if (err)
        return err;
    err = rows.count ? WR_OK : WR_NOTFOUND;
    if (!err)
        *ret = store_relation_of(store_text(&rows, 0, 0));
    store_rows_free(&rows);
    return err;
}

/* ---- reading ---- */

static const struct store_verb list = {
    .name = "edge.list",
    .sqlite = { "select e.id, f.id, f.text_content, p.id, p.url, p.domain, p.title, e.relation,"
                " coalesce(e.nli_edge_confidence, -1.0), e.edge_human_corrected"
                " from edges e join fragments f on f.id = e.source_id"
                " join pages p on p.id = f.page_id"
                " where e.target_id = ?1 and e.target_type = 'claim'"
                " order by e.relation <> 'origin', e.relation = 'neutral',"
                " e.nli_edge_confidence desc, e.id limit ?2" },
};

wr_err store_edge_list(struct store *store, const char *claim, size_t max,
                       struct store_edges *ret, wr_time deadline)
{
    WR_ASSERT(max > 0 && max <= STORE_EDGE_LIST_MAX);
    wr_err err = store_do(store, &list, STORE_VALUES(STORE_TEXT(claim),
                                                     STORE_INT((int64_t)max)), &ret->rows,
                          deadline);
    ret->count = ret->rows.count;
    return err;
}

struct store_edge store_edge_at(const struct store_edges *edges, size_t i)
{
    const struct store_rows *rows = &edges->rows;
    return (struct store_edge){
        .id = store_text(rows, i, 0), .fragment = store_text(rows, i, 1),
        .text = store_text(rows, i, 2), .page = store_text(rows, i, 3),
        .url = store_text(rows, i, 4), .domain = store_text(rows, i, 5),
        .title = store_text(rows, i, 6),
        .relation = store_relation_of(store_text(rows, i, 7)),
        .confidence = store_real(rows, i, 8), .corrected = store_int(rows, i, 9) };
}

void store_edges_free(struct store_edges *edges)
{
    store_rows_free(&edges->rows);
    edges->count = 0;
}
