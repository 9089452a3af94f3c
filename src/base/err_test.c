#include <weir/err.h>

#include <errno.h>
#include <string.h>

#include "testing/test.h"

static wr_err by_name(const char *name)
{
    for (int err = 0; err < WR_ERR_COUNT; err++)
        if (strcmp(wr_err_name((wr_err)err), name) == 0)
            return (wr_err)err;
    return WR_ERR_COUNT;
}

TEST_PLAIN(every_kind_of_failure_the_services_name_is_a_row_with_its_status)
{
    static const struct {
        const char *name;
        wr_err err;
        int http;
        bool retryable;
    } named[] = {
        { "Busy",        WR_BUSY,        429, true },
        { "Timeout",     WR_TIMEOUT,     504, true },
        { "Canceled",    WR_CANCELED,    503, false },
        { "Lagging",     WR_LAGGED,      500, false },
        { "BrokenPipe",  WR_BROKENPIPE,  502, true },
        { "Degraded",    WR_DEGRADED,    503, false },
        { "Shed", WR_SHED, 503, true },
        { "OpenCircuit", WR_OPENCIRCUIT, 503, true },
        { "Quarantine",  WR_QUARANTINE,  409, false },
    };
    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
        wr_err err = named[i].err;
        CHECK_ERR(err, by_name(named[i].name));
        CHECK_EQ(named[i].http, wr_err_http(err));
        CHECK_EQ(named[i].retryable, wr_err_retryable(err));
    }
}

TEST_PLAIN(busy_while_draining_has_a_row_of_its_own_with_status_503)
{
    CHECK_STR("Draining", wr_err_name(WR_DRAINING));
    CHECK_EQ(503, wr_err_http(WR_DRAINING));
    CHECK(wr_err_retryable(WR_DRAINING));
}

TEST_PLAIN(names_are_distinct_and_every_row_has_a_text_and_a_plausible_status)
{
    for (int i = 0; i < WR_ERR_COUNT; i++) {
        wr_err err = (wr_err)i;
        CHECK_ERR(err, by_name(wr_err_name(err)));
        CHECK(strlen(wr_err_text(err)) > 0);
        CHECK(err == WR_OK ? wr_err_http(err) == 200 : wr_err_http(err) >= 400);
        CHECK(wr_err_http(err) < 600);
    }
}

TEST_PLAIN(success_is_zero_and_is_not_retried)
{
    CHECK_EQ(0, WR_OK);
    CHECK_STR("Ok", wr_err_name(WR_OK));
    CHECK(!wr_err_retryable(WR_OK));
}

TEST_PLAIN(each_errno_becomes_the_error_that_says_the_same)
{
    CHECK_ERR(WR_OK, wr_err_errno(0));
    CHECK_ERR(WR_NOMEM, wr_err_errno(ENOMEM));
    CHECK_ERR(WR_NOFILE, wr_err_errno(EMFILE));
    CHECK_ERR(WR_NOFILE, wr_err_errno(ENFILE));
    CHECK_ERR(WR_TIMEOUT, wr_err_errno(ETIMEDOUT));
    CHECK_ERR(WR_CANCELED, wr_err_errno(ECANCELED));
    CHECK_ERR(WR_BUSY, wr_err_errno(EAGAIN));
    CHECK_ERR(WR_BUSY, wr_err_errno(EWOULDBLOCK));
    CHECK_ERR(WR_BUSY, wr_err_errno(EBUSY));
    CHECK_ERR(WR_BROKENPIPE, wr_err_errno(EPIPE));
    CHECK_ERR(WR_BROKENPIPE, wr_err_errno(ECONNRESET));
    CHECK_ERR(WR_EXISTS, wr_err_errno(EEXIST));
    CHECK_ERR(WR_NOTFOUND, wr_err_errno(ENOENT));
    CHECK_ERR(WR_INVALID, wr_err_errno(EINVAL));
    CHECK_ERR(WR_DENIED, wr_err_errno(EACCES));
    CHECK_ERR(WR_DENIED, wr_err_errno(EPERM));
    CHECK_ERR(WR_UNSUPPORTED, wr_err_errno(ENOSYS));
    CHECK_ERR(WR_UNSUPPORTED, wr_err_errno(ENOTSUP));
}

TEST_PLAIN(an_errno_without_a_row_is_an_input_or_output_error)
{
    CHECK_ERR(WR_IO, wr_err_errno(EIO));
    CHECK_ERR(WR_IO, wr_err_errno(ENOSPC));
    CHECK_ERR(WR_IO, wr_err_errno(-1));
    CHECK_ERR(WR_IO, wr_err_errno(999999));
}

TEST_DIES_PLAIN(a_number_outside_the_table_is_a_panic, "err\\.c:[0-9]+: assertion failed")
{
    (void)wr_err_name(WR_ERR_COUNT);
}
