/* supply.h - the sources of the node, for all of its services.
 *
 *     err = supply_new(&supply);
 *     err = check_service_new(&check, supply_sources(supply));
 *     rows[0] = *supply_row(supply);               (before those who ask)
 *     ...
 *     supply_free(supply);
 *
 * A source counts all that comes from us, so in a node there is one drainer for each, whoever
 * asks (source/sources.h).  They are there from when the row is opened until it is closed, so
 * a service that breaks down and begins anew finds them as they were.  What is remembered of
 * their answers belongs to them too, in memory and, unless the node is to forget, in its store.
 *
 * One task is supervised, sources.service, and below it a task for each source by itself.  In a
 * drain it is told to finish when the services that ask are gone.
 */
#ifndef WR_SVC_SUPPLY_H
#define WR_SVC_SUPPLY_H

#include "svc/service.h"

struct sources;                     /* source/sources.h */
struct supply;

/* Errors: NOMEM. */
wr_err supply_new(struct supply **ret);

/* For the node; it lives as long as the supply. */
const struct node_service *supply_row(const struct supply *supply);

/* Where the sources are: NULL while it is not open.  It lives as long as the supply. */
struct sources *const *supply_sources(const struct supply *supply);

/* No node may have it.  NULL is allowed. */
void supply_free(struct supply *supply);

#endif
