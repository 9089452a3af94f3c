/* services.h - the services that this program has, made and given back together. */
#ifndef WEIR_CMD_SERVICES_H
#define WEIR_CMD_SERVICES_H

#include "mcp/endpoint.h"
#include "mcp/offer.h"
#include "svc/service.h"

enum { SERVICE_CHECK, SERVICE_MCP, SERVICES_COUNT };

struct check_service;

struct services {
    struct check_service *check;
    struct mcp_tool tools[1];               /* what all of them offer agents */
    struct mcp_resource resources[1];
    struct mcp_offer offer;
    struct mcp_endpoint *endpoint;
    struct wr_route mcp_routes[MCP_ROUTE_COUNT];
    struct node_service rows[SERVICES_COUNT];   /* for node_start */
};

/* It points into itself and must stay where it is.  Errors: NOMEM. */
wr_err services_make(struct services *ret);

/* No node may have them.  What is all zero is fine. */
void services_free(struct services *services);

#endif
