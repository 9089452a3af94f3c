#include "svc/queue/identity.h"

#include <string.h>

#include <weir/task.h>

#include "testing/test.h"

TEST(an_id_has_its_prefix_and_sorts_by_time)
{
    char one[QUEUE_ID], two[QUEUE_ID];
    queue_id(one, "tq_");
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    queue_id(two, "tq_");
    CHECK_EQ(0, strncmp(one, "tq_", 3));
    CHECK_EQ(29, strlen(one));
    CHECK(strcmp(one, two) < 0);
}

TEST(a_key_is_the_same_for_the_same_job_and_differs_with_each_part)
{
    char key[QUEUE_KEY], other[QUEUE_KEY];
    queue_key(key, "task_1", "target_queue", "a", 1);
    CHECK_STR(key, queue_key(other, "task_1", "target_queue", "a", 1));
    CHECK(strcmp(key, queue_key(other, "task_2", "target_queue", "a", 1)) != 0);
    CHECK(strcmp(key, queue_key(other, "task_1", "verify_nli", "a", 1)) != 0);
    CHECK(strcmp(key, queue_key(other, "task_1", "target_queue", "b", 1)) != 0);
}
