#include "store/evidence.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "store/verb.h"

#define ID_DIGITS 24

const char *store_evidence_id(char *ret, const char *prefix, struct store_parts parts)
{
    char digits[WR_HASH_TEXT];
    struct wr_hash_state state;
    WR_ASSERT(strlen(prefix) <= STORE_EVIDENCE_PREFIX_MAX);
    wr_hash_begin(&state);
    for (size_t i = 0; i < parts.count; i++)
        wr_hash_add(&state, parts.parts[i], strlen(parts.parts[i]) + 1);
    struct wr_hash hash = wr_hash_end(&state);
    snprintf(ret, STORE_EVIDENCE_ID, "%s%.*s", prefix, ID_DIGITS, wr_hash_print(&hash, digits));
    return ret;
}

#define EDGES_AS(relation) "(select count(*) from claims c join edges e" \
    " on e.target_type = 'claim' and e.target_id = c.id" \
    " where c.task_id = ?1 and e.relation = '" relation "')"

static const struct store_verb count_all = {
    .name = "evidence.count",
    .sqlite = { "select (select count(*) from task_pages t join pages p on p.id = t.page_id"
                "  where t.task_id = ?1 and p.fetched_at is not null),"
                " (select count(*) from task_pages t join fragments f on f.page_id = t.page_id"
                "  where t.task_id = ?1),"
                " (select count(*) from claims where task_id = ?1), "
                EDGES_AS("supports") ", " EDGES_AS("refutes") ", " EDGES_AS("neutral") },
};

wr_err store_evidence_count(struct store *store, const char *task, struct store_evidence *ret,
                            wr_time deadline)
{
    struct store_rows rows;
    wr_err err = store_do(store, &count_all, STORE_VALUES(STORE_TEXT(task)), &rows, deadline);
    if (err)
        return err;
    uint64_t *const counts[] = { &ret->pages, &ret->fragments, &ret->claims, &ret->supporting,
                                 &ret->refuting, &ret->neutral };
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        *counts[i] = (uint64_t)store_int(&rows, 0, i);
    store_rows_free(&rows);
    return WR_OK;
}

static const struct store_verb top_domains = {
    .name = "evidence.domains",
    .sqlite = { "select p.domain, count(*) from task_pages t join pages p on p.id = t.page_id"
                " where t.task_id = ?1 and p.fetched_at is not null group by p.domain"
                " order by count(*) desc, p.domain limit "
                WR_STR(STORE_EVIDENCE_TOP_MAX) },
};

wr_err store_evidence_domains(struct store *store, const char *task, struct store_rows *ret,
                              wr_time deadline)
{
    return store_do(store, &top_domains, STORE_VALUES(STORE_TEXT(task)), ret, deadline);
}

static const struct store_verb sources = {
    .name = "evidence.sources",
    .sqlite = { "select p.domain, count(*), sum(case when p.page_type = 'academic_paper' then 1"
                " else 0 end) from task_pages t join pages p on p.id = t.page_id"
                " where t.task_id = ?1 and p.fetched_at is not null group by p.domain"
                " order by count(*) desc, p.domain limit "
                WR_STR(STORE_EVIDENCE_SOURCES_MAX) },
};

wr_err store_evidence_sources(struct store *store, const char *task, struct store_rows *ret,
                              wr_time deadline)
{
    return store_do(store, &sources, STORE_VALUES(STORE_TEXT(task)), ret, deadline);
}
