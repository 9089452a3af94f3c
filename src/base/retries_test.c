#include "base/retries.h"

#include <weir/metric.h>

#include "testing/test.h"

TEST_PLAIN(each_operation_has_its_own_count)
{
    wr_counter_add(wr_retries_of("one"), 2);
    wr_counter_add(wr_retries_of("other"), 1);
    CHECK_EQ(2, wr_counter_get(wr_retries_of("one")));
    CHECK_EQ(1, wr_counter_get(wr_retries_of("other")));
}
