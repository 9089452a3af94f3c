#include "svc/queue/job_kind.h"

#include "testing/test.h"

TEST(a_kind_is_found_by_its_name_and_runs_in_its_slot)
{
    const struct queue_kind *kind = queue_kind_find("verify_nli");
    CHECK(kind == &queue_kinds[QUEUE_VERIFY]);
    CHECK_EQ(45, kind->priority);
    CHECK_STR("cpu_nlp", queue_slot_names[kind->slot]);
    CHECK_STR("vnli_", kind->prefix);
    CHECK(!queue_kind_find("unknown"));
}

TEST(every_slot_has_a_name_and_the_list_ends)
{
    for (size_t i = 0; i < QUEUE_SLOTS; i++)
        CHECK(queue_slot_names[i]);
    CHECK(!queue_slot_names[QUEUE_SLOTS]);
}
