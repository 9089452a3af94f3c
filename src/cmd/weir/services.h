/* services.h - the services that this program has, made and given back together. */
#ifndef WEIR_CMD_SERVICES_H
#define WEIR_CMD_SERVICES_H

#include "mcp/endpoint.h"
#include "mcp/offer.h"
#include "svc/service.h"

enum { SERVICE_SOURCES, SERVICE_CHECK, SERVICE_MCP, SERVICES_COUNT };

struct check_service;
struct supply;

struct services {
    struct supply *supply;
    struct check_service *check;
    struct mcp_tool tools[1];               /* what all of them offer agents */
    struct mcp_resource resources[1];
    struct mcp_offer offer;
    struct mcp_endpoint *endpoint;
    struct wr_route mcp_routes[MCP_ROUTE_COUNT];
    struct node_service rows[SERVICES_COUNT];   /* for node_start: who asks comes last */
    size_t open;                            /* of these, by services_open */
};

/* It points into itself and must stay where it is.  Errors: NOMEM. */
wr_err services_make(struct services *ret);

/* Open all, in their order, without a node and a store; and close them.
 * Errors: those of the services, with a sentence in `why`, of NODE_WHY_MAX; none is open. */
wr_err services_open(struct services *services, const struct wr_conf *conf, char *why);
void services_close(struct services *services);

/* No node may have them.  What is all zero is fine. */
void services_free(struct services *services);

#endif
