/* route.h - which handler a path belongs to.
 *
 * Routes without parameters are found by a hash of the path; those with some are
 * tried one after the other, in the order of the table.  Parameters match one
 * segment, never an empty one.
 */
#ifndef WR_NET_ROUTE_H
#define WR_NET_ROUTE_H

#include <weir/http.h>

#define PARAMS_MAX 4
#define SEGMENTS_MAX 16

struct routes;

/* The parts of a path that stand for a route's parameters, in their order.  They
 * are cut out of the path in place. */
struct params { const char *value[PARAMS_MAX]; };

struct found {
    const struct wr_route *route;   /* NULL: none for this path and method */
    size_t index;                   /* of the route in the table */
    bool path_known;                /* ... but there are others for the path */
};

/* Errors: NOMEM.  A table that contradicts itself is a panic at `place`. */
wr_err routes_new(struct routes **ret, const struct wr_route *table, size_t count,
                  const char *place);
void routes_free(struct routes *routes);

/* `path` is decoded and may be cut. */
struct found routes_find(const struct routes *routes, const char *method, char *path,
                         struct params *ret);

/* The value of a parameter by its name; NULL when the route has none of that name. */
const char *route_param(const struct wr_route *route, const struct params *params,
                        const char *name);

/* The methods that a path has, for the Allow header: "GET, HEAD, POST". */
void routes_allowed(const struct routes *routes, char *path, char *buf, size_t size);

#endif
