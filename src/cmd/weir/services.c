/* services.c - the services that this program has. */
#include "cmd/weir/services.h"

#include "base/version.h"
#include "cmd/weir/weir.h"
#include "conf/node_keys.h"
#include "svc/check/keys.h"
#include "svc/check/service.h"
#include "svc/check/tool.h"
#include "svc/index/index_keys.h"
#include "svc/index/index_service.h"
#include "svc/index/index_tool.h"
#include "svc/node/node.h"
#include "svc/queue/queue_keys.h"
#include "svc/queue/queue_mcp.h"
#include "svc/queue/queue_service.h"
#include "svc/sources/supply.h"
#include "svc/sources/supply_keys.h"

/* The sources are nobody's choice: they are there for those who ask them. */
const char *const weir_services[] = { "check", "index", "queue", "mcp", NULL };

const struct wr_conf_table *const weir_tables[] = { &wr_node_keys, &check_keys, &index_keys,
                                                   &queue_keys, &supply_keys, NULL };

static const char instructions[] =
    "Weir checks whether the works that a text cites exist, as cited. Before you rely on "
    "references, or hand in a text with some, call check_references. It also researches "
    "questions in the background: create_task, queue_targets with queries, addresses and DOIs, "
    "get_status until it is done. It finds names and content ids (b3:...), and who has them: "
    "index_resolve, index_providers.";

static void make_offer(struct services *services)
{
    struct intake *const *intake = check_service_intake(services->check);
    struct queue_desk *desk = queue_service_desk(services->queue);
    services->tools[0] = check_tool(intake);
    queue_tools(services->tools + 1, desk);
    index_tools(services->tools + 1 + QUEUE_TOOLS, index_service_desk(services->index));
    services->resources[0] = check_resource(intake);
    queue_resources(services->resources + 1, desk);
    services->prompts[0] = queue_prompt;
    services->prompts[1] = check_prompt;
    services->tasks = queue_mcp_tasks(desk);
    services->offer = (struct mcp_offer){
        .name = "weir", .title = "Weir", .version = wr_version.version,
        .instructions = instructions, .tools = services->tools,
        .tool_count = SERVICES_TOOLS, .prompts = services->prompts,
        .prompt_count = SERVICES_PROMPTS, .resources = services->resources,
        .resource_count = SERVICES_RESOURCES, .tasks = &services->tasks };
}

static wr_err make_queue(struct services *services)
{
    struct queue_handler handlers[QUEUE_KINDS];
    wr_err err = explorer_new(&services->explorer, supply_sources(services->supply));
    if (err)
        return err;
    explorer_handlers(services->explorer, handlers);
    return queue_service_new(&services->queue, handlers, services->explorer);
}

wr_err services_make(struct services *ret)
{
    *ret = (struct services){ 0 };
    wr_err err = supply_new(&ret->supply);
    if (!err)
        err = check_service_new(&ret->check, supply_sources(ret->supply));
    if (!err)
        err = make_queue(ret);
    if (!err)
        err = index_service_new(&ret->index);
    if (err)
        return err;
    make_offer(ret);
    err = mcp_endpoint_new(&ret->endpoint, &ret->offer);
    if (err)
        return err;
    mcp_endpoint_routes(ret->endpoint, ret->mcp_routes);
    ret->mcp_routes[MCP_ROUTE_POST].policy = &node_waits;
    ret->rows[SERVICE_SOURCES] = *supply_row(ret->supply);
    ret->rows[SERVICE_CHECK] = *check_service_row(ret->check);
    ret->rows[SERVICE_QUEUE] = *queue_service_row(ret->queue);
    ret->rows[SERVICE_INDEX] = *index_service_row(ret->index);
    ret->rows[SERVICE_MCP] = (struct node_service){
        .name = "mcp", .routes = ret->mcp_routes,
        .route_count = MCP_ROUTE_COUNT };
    return WR_OK;
}

void services_free(struct services *services)
{
    mcp_endpoint_free(services->endpoint);
    index_service_free(services->index);
    queue_service_free(services->queue);
    explorer_free(services->explorer);
    check_service_free(services->check);
    supply_free(services->supply);
    *services = (struct services){ 0 };
}
