/* deadline_test.c - every route of the node keeps its deadline. */
#include "testing/deadline_rig.h"

static const struct node_service service = { .name = "test", .routes = stay_routes,
                                             .route_count = 1 };

TEST(every_route_keeps_its_deadline_while_no_worker_comes_back)
{
    check_deadlines(&service);
}
