/* iostat_test.c - the two counters, under the names that people know them by. */
#include "net/iostat.h"

#include <string.h>

#include <weir/metric.h>

#include "testing/test.h"

TEST_PLAIN(each_operation_has_its_own_series)
{
    static char text[65536];
    size_t len;
    iostat_timeout(IOSTAT_CONNECT);
    iostat_timeout(IOSTAT_READ);
    iostat_timeout(IOSTAT_READ);
    iostat_timeout(IOSTAT_HANDSHAKE);
    iostat_error(IOSTAT_WRITE);
    iostat_count(IOSTAT_WRITE, WR_BROKENPIPE);
    iostat_count(IOSTAT_WRITE, WR_TIMEOUT);
    iostat_count(IOSTAT_WRITE, WR_CANCELED);
    iostat_count(IOSTAT_WRITE, WR_OK);
    REQUIRE_OK(wr_metric_write(&len, text, sizeof(text)));
    CHECK(strstr(text, "\nio_timeouts_total{op=\"connect\"} 1\n"));
    CHECK(strstr(text, "\nio_timeouts_total{op=\"read\"} 2\n"));
    CHECK(strstr(text, "\nio_timeouts_total{op=\"handshake\"} 1\n"));
    CHECK(strstr(text, "\nio_timeouts_total{op=\"write\"} 1\n"));
    CHECK(strstr(text, "\nio_errors_total{op=\"write\"} 2\n"));
}
