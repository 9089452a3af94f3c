#include "store/evidence_view.h"

#include "base/text.h"
#include "store/edge.h"
#include "store/publication.h"
#include "testing/evidence_rig.h"

#define A "http://a.test/1"
#define B "http://b.test/1"
#define C "http://c.test/1"
#define D "http://d.test/1"
#define E "http://e.test/1"

static void judge(struct store *store, const char *url, const char *text, const char *claim,
                  enum store_relation relation)
{
    uint64_t new;
    struct store_judgement one = { .fragment = rig_fragment_id(url, text), .claim = claim,
                                   .relation = relation, .confidence = 0.5 };
    CHECK_OK(store_edge_judge(store, &one, 1, &new, SOON));
    CHECK_EQ(1, new);
}

static void cite(struct store *store, const char *from, const char *to)
{
    char page[STORE_EVIDENCE_ID];
    uint64_t new;
    struct store_cited cited = { .url = to, .domain = rig_domain(to), .context = "see" };
    CHECK_OK(store_page_cite(store, store_page_id(page, from), "openalex", &cited, 1, &new,
                             SOON));
    CHECK_EQ(1, new);
}

static const char *work(struct store *store, const char *title, int year, char *id)
{
    CHECK_OK(store_work_put(store, &(struct store_work){ .provider = "p",
        .provider_id = title, .title = title, .year = year, .citations = year - 1900,
        .references = -1 }, id, SOON));
    return id;
}

/* A says two things.  B (2001) supports and C (2020) refutes the first, B and C support the
 * second; D says nothing.  A and B cite C, C cites E, which nobody has read. */
static void graph(struct store *store)
{
    char old[STORE_EVIDENCE_ID], new[STORE_EVIDENCE_ID];
    work(store, "Old", 2001, old);
    work(store, "New", 2020, new);
    rig_page(store, &(struct rig_page){ .url = A, .task = "t", .title = "a",
        .fragments = { "tea", "ice" }, .claims = { "hot", "cold" } });
    rig_page(store, &(struct rig_page){ .url = B, .task = "t", .title = "b", .work = old,
        .fragments = { "tea b", "ice b" } });
    rig_page(store, &(struct rig_page){ .url = C, .task = "t", .title = "c", .work = new,
        .fragments = { "tea c", "ice c" }, .depth = 1 });
    rig_page(store, &(struct rig_page){ .url = D, .task = "t", .title = "d",
        .fragments = { "bread" } });
    rig_page(store, &(struct rig_page){ .url = A, .task = "u",
        .fragments = { "tea" }, .claims = { "other" } });
    const char *hot = rig_claim_id("t", A, "tea", "hot");
    judge(store, B, "tea b", hot, STORE_SUPPORTS);
    judge(store, C, "tea c", hot, STORE_REFUTES);
    const char *cold = rig_claim_id("t", A, "ice", "cold");
    judge(store, B, "ice b", cold, STORE_SUPPORTS);
    judge(store, C, "ice c", cold, STORE_SUPPORTS);
    cite(store, A, C);
    cite(store, B, C);
    cite(store, C, E);
}

/* All values of a column, with a comma behind each. */
static const char *column(struct store *store, const char *view, const char *task,
                          const char *name)
{
    static char buf[512];
    struct wr_text text = WR_TEXT(buf);
    struct store_answer answer;
    if (!CHECK_OK(store_view_read(store, view, task, 50, &answer, SOON)))
        return "";
    size_t at = 0;
    while (at < answer.names.columns && strcmp(store_text(&answer.names, 0, at), name) != 0)
        at++;
    CHECK(at < answer.names.columns);
    for (size_t i = 0; i < answer.rows.count && at < answer.rows.columns; i++) {
        struct store_value value = store_value_at(&answer.rows, i, at);
        if (value.type == STORE_IS_TEXT)
            wr_text_bytes(&text, value.bytes, value.len);
        else if (value.type == STORE_IS_REAL)
            wr_text_format(&text, "%.2f", value.real);
        else if (value.type == STORE_IS_INT)
            wr_text_i64(&text, value.number);
        wr_text_str(&text, ",");
    }
    store_answer_free(&answer);
    return buf;
}

STORE_TEST(claims_are_weighed)
{
    graph(store);
    CHECK_STR("hot,cold,", column(store, "v_claim_evidence_summary", "t", "claim_text"));
    CHECK_STR("1,2,", column(store, "v_claim_evidence_summary", "t", "supporting"));
    CHECK_STR("1,0,", column(store, "v_claim_evidence_summary", "t", "refuting"));
    CHECK_STR("0.50,0.67,", column(store, "v_claim_evidence_summary", "t", "support_ratio"));
    CHECK_STR("hot,", column(store, "v_contradictions", "t", "claim_text"));
    CHECK_STR("", column(store, "v_unsupported_claims", "t", "claim_text"));
    CHECK_STR("other,", column(store, "v_unsupported_claims", "u", "claim_text"));
    CHECK_STR("cold,", column(store, "v_emerging_consensus", "t", "claim_text"));
    CHECK_STR("2,", column(store, "v_emerging_consensus", "t", "domains"));
}

STORE_TEST(all_tasks_are_looked_at_when_none_is_named)
{
    graph(store);
    CHECK_STR("hot,cold,other,", column(store, "v_claim_evidence_summary", NULL,
                                        "claim_text"));
}

STORE_TEST(evidence_is_shown_with_where_it_is_from)
{
    graph(store);
    CHECK_STR(A "," A ",", column(store, "v_claim_origins", "t", "url"));
    CHECK_STR("hot,hot,cold,cold,", column(store, "v_evidence_chain", "t", "claim_text"));
    CHECK_STR("0.50,0.50,0.50,0.50,", column(store, "v_evidence_chain", "t", "confidence"));
    CHECK_STR(D ",", column(store, "v_orphan_sources", "t", "url"));
    CHECK_STR("New,Old,", column(store, "v_source_authority", "t", "title"));
}

STORE_TEST(the_years_of_evidence_are_shown)
{
    graph(store);
    CHECK_STR("2001,2020,", column(store, "v_evidence_timeline", "t", "year"));
    CHECK_STR("2,1,", column(store, "v_evidence_timeline", "t", "supporting"));
    CHECK_STR("0,1,", column(store, "v_evidence_timeline", "t", "refuting"));
    CHECK_STR("2001,2001,", column(store, "v_evidence_freshness", "t", "oldest_year"));
    CHECK_STR("2020,2020,", column(store, "v_evidence_freshness", "t", "newest_year"));
    CHECK_STR("-19,", column(store, "v_citation_age_gap", NULL, "gap"));
}

STORE_TEST(evidence_grows_old)
{
    char id[STORE_EVIDENCE_ID];
    int year = (int)(1970 + rig_wall().ns / WR_S(31556952));
    rig_page(store, &(struct rig_page){ .url = A, .task = "t", .fragments = { "tea" },
        .claims = { "hot" } });
    rig_page(store, &(struct rig_page){ .url = B, .task = "t", .fragments = { "tea b" },
        .work = work(store, "Now", year, id) });
    judge(store, B, "tea b", rig_claim_id("t", A, "tea", "hot"), STORE_SUPPORTS);
    CHECK_STR("", column(store, "v_outdated_evidence", "t", "claim_text"));
    pass(WR_S(INT64_C(7) * 365 * 86400));
    CHECK_STR("hot,", column(store, "v_outdated_evidence", "t", "claim_text"));
}

STORE_TEST(citations_are_followed)
{
    graph(store);
    CHECK_EQ(3 * strlen(C ","), strlen(column(store, "v_citation_flow", "t", "cited_url")));
    CHECK_STR(E "," E ",", column(store, "v_citation_chains", "t", "third_url"));
    CHECK_STR("1,", column(store, "v_bibliographic_coupling", "t", "shared"));
    CHECK_STR(E ",", column(store, "v_reference_candidates", "t", "url"));
    CHECK_STR(C ",", column(store, "v_reference_candidates", "t", "citing_url"));
    CHECK_STR("1,", column(store, "v_reference_candidates", "t", "depth"));
    CHECK_STR(C ",", column(store, "v_reference_candidates", "u", "url"));
}

STORE_TEST(every_view_can_be_read_and_has_a_name_for_each_column)
{
    struct store_answer answer;
    CHECK_EQ(17, store_view_count);
    graph(store);
    for (size_t i = 0; i < store_view_count; i++) {
        CHECK_OK(store_view_read(store, store_views[i].name, NULL, 50, &answer, SOON));
        if (answer.rows.count)
            CHECK_EQ(answer.names.columns, answer.rows.columns);
        store_answer_free(&answer);
    }
    CHECK_ERR(WR_NOTFOUND, store_view_read(store, "v_none", NULL, 50, &answer, SOON));
}

STORE_TEST(a_view_has_as_many_rows_as_were_asked_for)
{
    struct store_answer answer;
    graph(store);
    CHECK_OK(store_view_read(store, "v_evidence_chain", "t", 3, &answer, SOON));
    CHECK_EQ(3, answer.rows.count);
    CHECK(answer.truncated);
    store_answer_free(&answer);
    CHECK_OK(store_view_read(store, "v_evidence_chain", "t", 4, &answer, SOON));
    CHECK_EQ(4, answer.rows.count);
    CHECK(!answer.truncated);
    store_answer_free(&answer);
}
