/* evidence.h - what research has found: names and bounds that its tables share.
 *
 *     char id[STORE_EVIDENCE_ID];
 *     store_evidence_id(id, "page_", STORE_PARTS(url));
 *     ...
 *     err = store_evidence_count(store, task, &counts, deadline);
 *
 * Pages, fragments, edges and works are everybody's; claims, queries and which pages a task has
 * seen are a task's.  The tables have the names that people know from the reference program,
 * since they are asked in SQL too (sql_read.h): pages, task_pages (webpage.h), resource_index
 * (resource.h), fragments (fragment.h), claims (claim.h), edges, nli_corrections (edge.h),
 * works, work_authors, work_identifiers (publication.h), embeddings (embedding.h), queries,
 * serp_items (query_log.h), domain_override_rules (domain_rule.h).  Moments are milliseconds
 * since 1970.
 *
 * An id is made of what the thing is: the same page, fragment, claim or edge has the same id on
 * every node and at every attempt.  So writing one twice writes it once, whoever does, and
 * nothing has to be looked up before it can be referred to.
 */
#ifndef WR_STORE_EVIDENCE_H
#define WR_STORE_EVIDENCE_H

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

#define STORE_EVIDENCE_ID 32        /* bytes of an id, with the zero byte */
#define STORE_EVIDENCE_PREFIX_MAX 7
#define STORE_EVIDENCE_TOP_MAX 10   /* domains that are named in a count */
#define STORE_EVIDENCE_SOURCES_MAX 2000     /* ... in all that a task has */

struct store_parts { const char *const *parts; size_t count; };
#define STORE_PARTS(...) ((struct store_parts){ \
    (const char *const[]){ __VA_ARGS__ }, \
    sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *) })

/* The prefix and 24 hex digits of the hash of the parts; where one ends and the next begins
 * makes a difference.  ret has STORE_EVIDENCE_ID bytes.  Returns ret. */
const char *store_evidence_id(char *ret, const char *prefix, struct store_parts parts);

/* What a task has found.  Pages are those of task_pages that were fetched, fragments are
 * theirs, edges are those to its claims. */
struct store_evidence {
    uint64_t pages, fragments, claims;
    uint64_t supporting, refuting, neutral;
};

wr_err store_evidence_count(struct store *store, const char *task, struct store_evidence *ret,
                            wr_time deadline);

/* The domains that most of a task's pages are from, the most first; one fetched page each
 * counts.  Free the rows: name, pages. */
struct store_rows;
wr_err store_evidence_domains(struct store *store, const char *task, struct store_rows *ret,
                              wr_time deadline);

/* All of them, with how many of the pages are papers.  Free the rows: name, pages, papers. */
wr_err store_evidence_sources(struct store *store, const char *task, struct store_rows *ret,
                              wr_time deadline);

#endif
