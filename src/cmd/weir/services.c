/* services.c - the services that this program has. */
#include "cmd/weir/services.h"

#include "base/version.h"
#include "cmd/weir/weir.h"
#include "conf/node_keys.h"
#include "svc/check/keys.h"
#include "svc/check/service.h"
#include "svc/check/tool.h"
#include "svc/sources/supply.h"
#include "svc/sources/supply_keys.h"

/* The sources are nobody's choice: they are there for those who ask them. */
const char *const weir_services[] = { "check", "mcp", NULL };

const struct wr_conf_table *const weir_tables[] = { &wr_node_keys, &check_keys, &supply_keys,
                                                   NULL };

static const char instructions[] =
    "Weir checks whether the works that a text cites exist, as cited. Before you rely on "
    "references, or hand in a text with some, call check_references.";

static void make_offer(struct services *services)
{
    struct intake *const *intake = check_service_intake(services->check);
    services->tools[0] = check_tool(intake);
    services->resources[0] = check_resource(intake);
    services->offer = (struct mcp_offer){
        .name = "weir", .title = "Weir", .version = wr_version.version,
        .instructions = instructions, .tools = services->tools, .tool_count = 1,
        .prompts = &check_prompt, .prompt_count = 1, .resources = services->resources,
        .resource_count = 1 };
}

wr_err services_make(struct services *ret)
{
    *ret = (struct services){ 0 };
    wr_err err = supply_new(&ret->supply);
    if (!err)
        err = check_service_new(&ret->check, supply_sources(ret->supply));
    if (err)
        return err;
    make_offer(ret);
    err = mcp_endpoint_new(&ret->endpoint, &ret->offer);
    if (err)
        return err;
    mcp_endpoint_routes(ret->endpoint, ret->mcp_routes);
    ret->rows[SERVICE_SOURCES] = *supply_row(ret->supply);
    ret->rows[SERVICE_CHECK] = *check_service_row(ret->check);
    ret->rows[SERVICE_MCP] = (struct node_service){
        .name = "mcp", .routes = ret->mcp_routes,
        .route_count = MCP_ROUTE_COUNT };
    return WR_OK;
}

wr_err services_open(struct services *services, const struct wr_conf *conf, char *why)
{
    wr_err err = WR_OK;
    for (; services->open < SERVICES_COUNT && !err; services->open += !err) {
        const struct node_service *row = &services->rows[services->open];
        err = row->open ? row->open(row->arg, conf, NULL, why) : WR_OK;
    }
    if (err)
        services_close(services);
    return err;
}

void services_close(struct services *services)
{
    while (services->open > 0) {
        const struct node_service *row = &services->rows[--services->open];
        if (row->close)
            row->close(row->arg);
    }
}

void services_free(struct services *services)
{
    mcp_endpoint_free(services->endpoint);
    check_service_free(services->check);
    supply_free(services->supply);
    *services = (struct services){ 0 };
}
