#include "store/schema.h"

/* Written to see whether the store can be written. */
static const struct store_step probe_table = {
    .sqlite = "create table probe (id integer primary key, at integer not null) strict;",
    .postgres = "create table probe (id bigint primary key, at bigint not null);",
};

/* Each table's file has its step. */
const struct store_step *const store_steps[] = {
    &probe_table,
    &store_job_tables,
    &store_cache_tables,
    &store_budget_tables,
    &store_once_tables,
    &store_pointer_tables,
    &store_audit_tables,
    &store_blob_tables,
    &store_reward_tables,
    &store_once_turns,
    &store_job_ages,
    &store_task_tables,
    &store_auth_tables,
    &store_page_tables,
    &store_fragment_tables,
    &store_claim_tables,
    &store_edge_tables,
    &store_resource_tables,
    &store_work_tables,
    &store_query_tables,
    &store_domain_tables,
    &store_job_view,
    &store_embedding_tables,
    &store_task_scope,
    &store_task_rounds,
    &store_task_tally,
    &store_job_put_offs,
    &store_job_view_anew,
    &store_auth_helps,
    &store_task_kind,
    &store_removal_tables,
    &store_serving_tables,
    &store_graph_indexes,
};

const size_t store_step_count = sizeof(store_steps) / sizeof(store_steps[0]);
