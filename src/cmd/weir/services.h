/* services.h - the services that this program has, made and given back together. */
#ifndef WEIR_CMD_SERVICES_H
#define WEIR_CMD_SERVICES_H

#include "svc/service.h"

#define SERVICES_COUNT 1

struct check_service;

struct services {
    struct check_service *check;
    struct node_service rows[SERVICES_COUNT];   /* for node_start */
};

/* Errors: NOMEM. */
wr_err services_make(struct services *ret);

/* No node may have them.  What is all zero is fine. */
void services_free(struct services *services);

#endif
