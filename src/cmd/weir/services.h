/* services.h - the services that this program has, made and given back together. */
#ifndef WEIR_CMD_SERVICES_H
#define WEIR_CMD_SERVICES_H

#include "mcp/endpoint.h"
#include "mcp/offer.h"
#include "svc/index/index_tool.h"
#include "svc/queue/queue_report.h"
#include "svc/queue/queue_tool.h"
#include "svc/service.h"

enum { SERVICE_SOURCES, SERVICE_CHECK, SERVICE_QUEUE, SERVICE_INDEX, SERVICE_MCP,
       SERVICES_COUNT };

#define SERVICES_TOOLS (1 + QUEUE_TOOLS + INDEX_TOOLS)
#define SERVICES_RESOURCES (1 + QUEUE_RESOURCES)
#define SERVICES_PROMPTS 2

struct check_service;
struct index_service;
struct queue_service;
struct supply;

struct services {
    struct supply *supply;
    struct check_service *check;
    struct explorer *explorer;
    struct queue_service *queue;
    struct index_service *index;
    struct mcp_tool tools[SERVICES_TOOLS];  /* what all of them offer agents */
    struct mcp_resource resources[SERVICES_RESOURCES];
    struct mcp_prompt prompts[SERVICES_PROMPTS];
    struct mcp_tasks tasks;
    struct mcp_offer offer;
    struct mcp_endpoint *endpoint;
    struct wr_route mcp_routes[MCP_ROUTE_COUNT];
    struct node_service rows[SERVICES_COUNT];   /* for node_start: who asks comes last */
};

/* It points into itself and must stay where it is.  Errors: NOMEM. */
wr_err services_make(struct services *ret);

/* No node may have them.  What is all zero is fine. */
void services_free(struct services *services);

#endif
