#include "store/evidence_view.h"

#include <string.h>

#include "store/store_int.h"

#define OF_TASK "(cast(?1 as text) is null or c.task_id = ?1)" \
    " and c.claim_adoption_status = 'adopted'"
#define PAGE_OF_TASK "(cast(?1 as text) is null or exists (select 1 from task_pages t" \
    " where t.task_id = ?1 and t.page_id = p.id))"

/* Each claim with what was judged about it. */
#define JUDGED "with judged as (select c.id, c.claim_text, c.seq," \
    " sum(case when e.relation = 'supports' then 1 else 0 end) as supports," \
    " sum(case when e.relation = 'refutes' then 1 else 0 end) as refutes," \
    " sum(case when e.relation = 'neutral' then 1 else 0 end) as neutrals," \
    " sum(case when e.relation = 'supports' then e.nli_edge_confidence else 0 end) as s," \
    " sum(case when e.relation = 'refutes' then e.nli_edge_confidence else 0 end) as r" \
    " from claims c left join edges e on e.target_id = c.id" \
    " and e.target_type = 'claim' and e.relation <> 'origin'" \
    " where " OF_TASK " group by c.id, c.claim_text, c.seq)"
#define RATIO "(1.0 + s) / (2.0 + s + r)"

/* Each claim with the pages that say something about it, and the works that these are. */
#define SOURCES " from claims c join edges e on e.target_id = c.id" \
    " and e.target_type = 'claim' join fragments f on f.id = e.source_id" \
    " join pages p on p.id = f.page_id left join works w on w.canonical_id = p.canonical_id"

#define THIS_YEAR "(now_ms() / 31556952000 + 1970)"

#define SUMMARY_SQL \
    JUDGED " select id, claim_text, supports, refutes, neutrals," " cast(" RATIO \
    " as double precision) from judged" \
    " order by supports + refutes desc, seq limit ?2"
#define CONTRADICTIONS_SQL \
    JUDGED " select id, claim_text, supports, refutes," " cast(" RATIO \
    " as double precision) from judged" " where supports > 0 and refutes > 0" \
    " order by supports + refutes desc, seq limit ?2"
#define UNSUPPORTED_SQL \
    JUDGED " select id, claim_text, refutes, neutrals from judged" \
    " where supports = 0 order by refutes desc, seq limit ?2"
#define ORIGINS_SQL \
    "select c.id, c.claim_text, f.id, p.url, p.title, p.domain" SOURCES " where " \
    OF_TASK " and e.relation = 'origin' order by c.seq, f.id limit ?2"
#define CHAIN_SQL \
    "select c.id, c.claim_text, e.relation, e.nli_edge_confidence, f.id," \
    " substr(f.text_content, 1, 300), p.url, w.title, w.year" SOURCES " where " OF_TASK \
    " and e.relation <> 'origin'" \
    " order by c.seq, e.nli_edge_confidence desc, e.id limit ?2"
#define FLOW_SQL \
    "select p.url, p.title, q.url, q.title, e.citation_source," \
    " e.citation_context from edges e join pages p on p.id = e.source_id" \
    " join pages q on q.id = e.target_id where e.relation = 'cites'" " and " \
    PAGE_OF_TASK " order by p.id, q.id limit ?2"
#define CHAINS_SQL \
    "select p.url, q.url, z.url from edges e join edges d" \
    " on d.source_id = e.target_id and d.relation = 'cites'" \
    " join pages p on p.id = e.source_id join pages q on q.id = e.target_id" \
    " join pages z on z.id = d.target_id where e.relation = 'cites'" " and " \
    PAGE_OF_TASK " order by p.id, q.id, z.id limit ?2"
#define COUPLING_SQL \
    "select p.url, q.url, count(*) from edges e join edges d" \
    " on d.target_id = e.target_id and d.relation = 'cites'" \
    " and d.source_id > e.source_id join pages p on p.id = e.source_id" \
    " join pages q on q.id = d.source_id where e.relation = 'cites'" " and " \
    PAGE_OF_TASK " group by p.id, p.url, q.id, q.url" \
    " order by count(*) desc, p.id, q.id limit ?2"
#define ORPHANS_SQL \
    "select p.id, p.url, p.title, p.domain from pages p" \
    " where p.fetched_at is not null and " PAGE_OF_TASK \
    " and not exists (select 1 from fragments f join edges e" \
    "  on e.source_id = f.id where f.page_id = p.id)" " order by p.id limit ?2"
#define TIMELINE_SQL \
    "select w.year, sum(case when e.relation = 'supports' then 1 else 0 end)," \
    " sum(case when e.relation = 'refutes' then 1 else 0 end)," \
    " sum(case when e.relation = 'neutral' then 1 else 0 end)" SOURCES " where " OF_TASK \
    " and e.relation <> 'origin' and w.year is not null" \
    " group by w.year order by w.year limit ?2"
#define CONSENSUS_SQL \
    "select c.id, c.claim_text, count(distinct p.domain), max(w.year)" SOURCES " where " \
    OF_TASK " and e.relation = 'supports' and not exists" \
    " (select 1 from edges n where n.target_id = c.id" \
    "  and n.target_type = 'claim' and n.relation = 'refutes')" \
    " group by c.id, c.claim_text, c.seq having count(distinct p.domain) >= 2" \
    " order by count(distinct p.domain) desc, c.seq limit ?2"
#define OUTDATED_SQL \
    "select c.id, c.claim_text, max(w.year)" SOURCES " where " OF_TASK \
    " and e.relation in ('supports', 'refutes')" \
    " group by c.id, c.claim_text, c.seq having max(w.year) < " THIS_YEAR \
    " - 5 order by max(w.year), c.seq limit ?2"
#define AUTHORITY_SQL \
    "select w.canonical_id, w.title, w.year, w.venue, w.citation_count, p.url" \
    " from pages p join works w on w.canonical_id = p.canonical_id where " PAGE_OF_TASK \
    " order by coalesce(w.citation_count, 0) desc, p.id" " limit ?2"
#define IMPACT_SQL \
    "select p.id, p.url, p.domain," \
    " sum(case when e.relation = 'origin' then 1 else 0 end)," \
    " sum(case when e.relation <> 'origin' then 1 else 0 end)" SOURCES " where " OF_TASK \
    " group by p.id, p.url, p.domain" " order by count(*) desc, p.id limit ?2"
#define GAP_SQL \
    "select w.title, w.year, v.title, v.year, w.year - v.year from edges e" \
    " join pages p on p.id = e.source_id join pages q on q.id = e.target_id" \
    " join works w on w.canonical_id = p.canonical_id" \
    " join works v on v.canonical_id = q.canonical_id" \
    " where e.relation = 'cites' and w.year is not null" " and v.year is not null and " \
    PAGE_OF_TASK " order by w.year - v.year desc, p.id, q.id limit ?2"
#define FRESHNESS_SQL \
    "select c.id, c.claim_text, min(w.year), max(w.year), count(*)" SOURCES " where " \
    OF_TASK " and e.relation in ('supports', 'refutes')" \
    " and w.year is not null group by c.id, c.claim_text, c.seq" \
    " order by max(w.year) desc, c.seq limit ?2"
#define CANDIDATES_SQL \
    "select e.id, q.url, q.title, p.id, p.url, e.citation_context, t.depth" \
    " from task_pages t join edges e on e.source_id = t.page_id" \
    " and e.relation = 'cites' join pages p on p.id = e.source_id" \
    " join pages q on q.id = e.target_id" \
    " where (cast(?1 as text) is null or t.task_id = ?1)" \
    " and not exists (select 1 from task_pages s" \
    "  where s.task_id = t.task_id and s.page_id = q.id)" \
    " and not exists (select 1 from fragments f join edges o" \
    "  on o.source_id = f.id and o.relation = 'origin' join claims c" \
    "  on c.id = o.target_id where f.page_id = q.id" "  and c.task_id = t.task_id)" \
    " and q.url not like 'javascript:%' and q.url not like 'mailto:%'" \
    " and q.url not like 'tel:%' and q.url not like '#%'" \
    " order by t.depth, e.created_at desc, e.id limit ?2"

const struct store_view store_views[] = {
    { "v_claim_evidence_summary",
      "Each claim with what supports and refutes it; a ratio of 0.5 is no evidence.",
      "claim_id claim_text supporting refuting neutral support_ratio",
      { .name = "view.summary", .sqlite = { SUMMARY_SQL } } },
    { "v_contradictions",
      "Claims that some sources support and others refute.",
      "claim_id claim_text supporting refuting support_ratio",
      { .name = "view.contradictions", .sqlite = { CONTRADICTIONS_SQL } } },
    { "v_unsupported_claims",
      "Claims that no other source supports.",
      "claim_id claim_text refuting neutral",
      { .name = "view.unsupported", .sqlite = { UNSUPPORTED_SQL } } },
    { "v_claim_origins",
      "Where each claim was read.",
      "claim_id claim_text fragment_id url title domain",
      { .name = "view.origins", .sqlite = { ORIGINS_SQL } } },
    { "v_evidence_chain",
      "Each judgement: the claim, the fragment, its page and its work.",
      "claim_id claim_text relation confidence fragment_id fragment_text url work_title year",
      { .name = "view.chain", .sqlite = { CHAIN_SQL } } },
    { "v_citation_flow",
      "Which page cites which.",
      "citing_url citing_title cited_url cited_title citation_source citation_context",
      { .name = "view.flow", .sqlite = { FLOW_SQL } } },
    { "v_citation_chains",
      "A page that cites one that cites another.",
      "first_url second_url third_url",
      { .name = "view.chains", .sqlite = { CHAINS_SQL } } },
    { "v_bibliographic_coupling",
      "Two pages that cite the same ones, and how many.",
      "first_url second_url shared",
      { .name = "view.coupling", .sqlite = { COUPLING_SQL } } },
    { "v_orphan_sources",
      "Pages that were read and say nothing about any claim.",
      "page_id url title domain",
      { .name = "view.orphans", .sqlite = { ORPHANS_SQL } } },
    { "v_evidence_timeline",
      "By the year of the work: how much supports, how much refutes.",
      "year supporting refuting neutral",
      { .name = "view.timeline", .sqlite = { TIMELINE_SQL } } },
    { "v_emerging_consensus",
      "Claims that two domains or more support and none refutes.",
      "claim_id claim_text domains newest_year",
      { .name = "view.consensus", .sqlite = { CONSENSUS_SQL } } },
    { "v_outdated_evidence",
      "Claims whose newest evidence is more than five years old.",
      "claim_id claim_text newest_year",
      { .name = "view.outdated", .sqlite = { OUTDATED_SQL } } },
    { "v_source_authority",
      "Works behind the pages, by how often they are cited.",
      "work_id title year venue citation_count url",
      { .name = "view.authority", .sqlite = { AUTHORITY_SQL } } },
    { "v_source_impact",
      "Pages by how many claims come from them or are judged by them.",
      "page_id url domain claims judgements",
      { .name = "view.impact", .sqlite = { IMPACT_SQL } } },
    { "v_citation_age_gap",
      "How many years lie between a work and the one that it cites.",
      "citing_title citing_year cited_title cited_year gap",
      { .name = "view.gap", .sqlite = { GAP_SQL } } },
    { "v_evidence_freshness",
      "The oldest and the newest year of the evidence of each claim.",
      "claim_id claim_text oldest_year newest_year sources",
      { .name = "view.freshness", .sqlite = { FRESHNESS_SQL } } },
    { "v_reference_candidates",
      "Pages that are cited and have not been looked at.",
      "citation_edge_id url title citing_page_id citing_url citation_context depth",
      { .name = "view.candidates", .sqlite = { CANDIDATES_SQL } } },
};

const size_t store_view_count = sizeof(store_views) / sizeof(store_views[0]);

static wr_err name_columns(const char *columns, struct store_rows *ret)
{
    struct rows rows = { 0 };
    size_t count = 0;
    for (const char *at = columns; *at; count++) {
        size_t len = strcspn(at, " ");
        rows_bytes(&rows, STORE_IS_TEXT, at, len);
        at += len + (at[len] == ' ');
    }
    return rows_done(&rows, count, ret);
}

wr_err store_view_read(struct store *store, const char *name, const char *task, size_t max,
                       struct store_answer *ret, wr_time deadline)
{
    WR_ASSERT(max > 0 && max <= STORE_ASK_ROWS_MAX);
    *ret = (struct store_answer){ 0 };
    const struct store_view *view = NULL;
    for (size_t i = 0; i < store_view_count && !view; i++)
        view = strcmp(store_views[i].name, name) == 0 ? &store_views[i] : NULL;
    if (!view)
        return WR_NOTFOUND;
    wr_err err = store_do(store, &view->verb, STORE_VALUES(
        STORE_TEXT(task), STORE_INT((int64_t)max + 1)), &ret->rows, deadline);
    if (!err)
        err = name_columns(view->columns, &ret->names);
    if (err)
        store_answer_free(ret);
    WR_ASSERT(!ret->rows.count || ret->rows.columns == ret->names.columns);
    ret->truncated = ret->rows.count > max;
    ret->rows.count = ret->truncated ? max : ret->rows.count;
    return err;
}
