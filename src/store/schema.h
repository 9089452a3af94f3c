/* schema.h - the tables, in the order in which they came to be.
 *
 * A store remembers how many of these steps it has taken and takes the others when it is
 * opened, all or none.  A step is never changed once it was released: what must change is a
 * new step.  A store that has taken more steps than there are here was written by a newer
 * program, and is refused.
 */
#ifndef WR_STORE_SCHEMA_H
#define WR_STORE_SCHEMA_H

#include <stddef.h>

#define STORE_APPLICATION_ID 0x57656972     /* "Weir", in the head of a SQLite file */

struct store_step { const char *sqlite, *postgres; };

extern const struct store_step *const store_steps[];
extern const size_t store_step_count;

extern const struct store_step store_job_tables, store_cache_tables, store_budget_tables,
    store_once_tables, store_pointer_tables, store_audit_tables,
    store_blob_tables, store_reward_tables, store_once_turns,
    store_job_ages, store_task_tables, store_task_scope, store_task_rounds, store_auth_tables,
    store_page_tables,
    store_fragment_tables, store_claim_tables, store_edge_tables, store_resource_tables,
    store_work_tables, store_query_tables, store_domain_tables, store_job_view,
    store_embedding_tables, store_task_tally, store_job_put_offs, store_job_view_anew,
    store_auth_helps, store_task_kind, store_removal_tables, store_serving_tables,
    store_graph_indexes;

#endif
