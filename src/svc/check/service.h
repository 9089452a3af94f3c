/* service.h - checking references, as a service of the node.
 *
 *     POST   /v1/check                 a document -> 202 and an id
 *     GET    /v1/check/{id}            its report, in a form; 202 while there is none
 *     GET    /v1/check/{id}/events     what happens to it, as server-sent events
 *     DELETE /v1/check/{id}            withdraw it
 *
 * One task is supervised, check.service: it has the engine (panel.h), and
 * `check.documents_at_once` runners below it that take documents one after the other.  When it
 * breaks down what it was at has failed, and it begins anew; what waits goes on waiting.
 */
#ifndef WR_CHECK_SERVICE_H
#define WR_CHECK_SERVICE_H

#include "svc/service.h"

struct check_service;
struct intake;                      /* intake.h */
struct sources;                     /* source/sources.h */

/* `sources` is where those of the node are when the service is opened, until it is closed;
 * NULL: nobody outside is asked.  Errors: NOMEM. */
wr_err check_service_new(struct check_service **ret, struct sources *const *sources);

/* For the node; it lives as long as the service. */
const struct node_service *check_service_row(const struct check_service *service);

/* Where its intake is: NULL while it is not open.  It lives as long as the service. */
struct intake *const *check_service_intake(const struct check_service *service);

/* No node may have it.  NULL is allowed. */
void check_service_free(struct check_service *service);

#endif
