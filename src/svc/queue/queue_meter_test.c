/* queue_meter_test.c - what operators see of jobs. */
#include "svc/queue/queue_meter.h"

#include "testing/metric_rig.h"

TEST(a_job_is_counted_with_how_long_it_waited_and_ran)
{
    struct wr_wall before = { wr_wall().ns - WR_S(2) };
    queue_meter_claimed(&(struct store_job){ .kind = "verify_nli", .queued_at = before });
    CHECK_EQ(0, metric_value("queue_wait_seconds_bucket{kind=\"verify_nli\",svc=\"queue\","
                             "le=\"1\"}"));
    CHECK_EQ(1, metric_value("queue_wait_seconds_bucket{kind=\"verify_nli\",svc=\"queue\","
                             "le=\"5\"}"));
    queue_meter_ended(&queue_kinds[QUEUE_VERIFY], "failed", WR_S(3));
    CHECK_EQ(3, metric_value("queue_run_seconds_sum{kind=\"verify_nli\",svc=\"queue\"}"));
    CHECK_EQ(1, metric_value("queue_jobs_total{kind=\"verify_nli\",result=\"failed\","
                             "svc=\"queue\"}"));
    queue_meter_ended(NULL, "failed", 0);
    CHECK_EQ(1, metric_value("queue_jobs_total{kind=\"other\",result=\"failed\","
                             "svc=\"queue\"}"));
}

TEST(what_is_open_is_shown_by_slot_kind_and_state)
{
    struct store_counts counts = { .count = 1, .counts = { { .kind = "target_queue" } } };
    counts.counts[0].jobs[STORE_JOB_QUEUED] = 7;
    counts.counts[0].jobs[STORE_JOB_COMPLETED] = 3;
    queue_meter_depth(&counts);
    CHECK_EQ(7, metric_value("queue_jobs{slot=\"network_client\",kind=\"target_queue\","
                             "state=\"queued\",svc=\"queue\"}"));
    CHECK_EQ(0, metric_value("queue_jobs{slot=\"cpu_nlp\",kind=\"verify_nli\","
                             "state=\"running\",svc=\"queue\"}"));
    counts.count = 0;                       /* none any more is none, and not the last */
    queue_meter_depth(&counts);
    CHECK_EQ(0, metric_value("queue_jobs{slot=\"network_client\",kind=\"target_queue\","
                             "state=\"queued\",svc=\"queue\"}"));
}
