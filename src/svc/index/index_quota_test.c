#include "svc/index/index_quota.h"

#include <weir/task.h>

#include "testing/index_node_rig.h"

static wr_err take(const char *share, enum index_quota_of which, struct index_quota *ret)
{
    *ret = (struct index_quota){ .share = share };
    return index_quota_take(ret, index_service_desk(service), which);
}

TEST(each_has_so_many_of_a_minute_and_one_more_when_its_time_has_come)
{
    struct rig rig;
    struct index_quota quota;
    index_node_begin(&rig, (const char *const[]){ "--index-quotas-resolves-per-min=2", NULL });
    CHECK_OK(take("ada", INDEX_QUOTA_RESOLVES, &quota));
    CHECK_EQ(2, quota.rate.burst);
    CHECK_EQ(1, quota.left);
    CHECK_OK(take("ada", INDEX_QUOTA_RESOLVES, &quota));
    CHECK_ERR(WR_BUSY, take("ada", INDEX_QUOTA_RESOLVES, &quota));
    CHECK(quota.is_used_up);
    CHECK_EQ(WR_S(30), quota.wait);
    CHECK_OK(take("bob", INDEX_QUOTA_RESOLVES, &quota));
    CHECK_OK(wr_sleep(wr_after(quota.wait + WR_S(30))));
    CHECK_OK(take("ada", INDEX_QUOTA_RESOLVES, &quota));
    CHECK(!quota.is_used_up);
    index_node_end(&rig);
}

TEST(what_has_no_quota_is_not_counted_and_the_two_are_apart)
{
    struct rig rig;
    struct index_quota quota;
    index_node_begin(&rig, (const char *const[]){ "--index-quotas-providers-per-min=1", NULL });
    for (int i = 0; i < 100; i++)
        CHECK_OK(take("ada", INDEX_QUOTA_RESOLVES, &quota));
    CHECK_EQ(0, quota.rate.burst);
    CHECK_OK(take("ada", INDEX_QUOTA_PROVIDERS, &quota));
    CHECK_ERR(WR_BUSY, take("ada", INDEX_QUOTA_PROVIDERS, &quota));
    CHECK_OK(take("ada", INDEX_QUOTA_RESOLVES, &quota));
    index_node_end(&rig);
}
