/* services.c - the services that this program has. */
#include "cmd/weir/services.h"

#include "cmd/weir/weir.h"
#include "conf/node_keys.h"
#include "svc/check/keys.h"
#include "svc/check/service.h"

const char *const weir_services[] = { "check", NULL };

const struct wr_conf_table *const weir_tables[] = { &wr_node_keys, &check_keys, NULL };

wr_err services_make(struct services *ret)
{
    *ret = (struct services){ 0 };
    wr_err err = check_service_new(&ret->check);
    if (!err)
        ret->rows[0] = *check_service_row(ret->check);
    return err;
}

void services_free(struct services *services)
{
    check_service_free(services->check);
    *services = (struct services){ 0 };
}
