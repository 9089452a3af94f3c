/* fetch_easy_test.c - what libcurl's errors are to us. */
#include <stdio.h>
#include <string.h>

#include "net/fetch_curl.h"
#include "testing/test.h"

static struct exchange exchange;

static wr_err failed(CURLcode code, wr_err refused, const char *error)
{
    memset(&exchange, 0, sizeof(exchange));
    exchange.url = (char *)"http://a.example/";
    exchange.refused = refused;
    snprintf(exchange.error, sizeof(exchange.error), "%s", error);
    return exchange_failed(&exchange, code);
}

TEST_PLAIN(an_error_of_libcurl_is_one_of_ours_with_its_words)
{
    CHECK_ERR(WR_IO, failed(CURLE_COULDNT_CONNECT, WR_OK, "Failed to connect"));
    CHECK_STR("http://a.example/: Failed to connect", exchange.why);
    CHECK_ERR(WR_IO, failed(CURLE_RECV_ERROR, WR_OK, ""));
    CHECK_STR("http://a.example/: Failure when receiving data from the peer", exchange.why);
    CHECK_ERR(WR_NOTFOUND, failed(CURLE_COULDNT_RESOLVE_HOST, WR_OK, ""));
    CHECK_ERR(WR_NOMEM, failed(CURLE_OUT_OF_MEMORY, WR_OK, ""));
    CHECK_ERR(WR_TIMEOUT, failed(CURLE_OPERATION_TIMEDOUT, WR_OK, ""));
}

TEST_PLAIN(what_a_callback_refused_is_not_libcurls_to_name)
{
    CHECK_ERR(WR_NOFILE, failed(CURLE_COULDNT_CONNECT, WR_NOFILE, "Couldn't connect"));
    CHECK_STR("http://a.example/: out of file descriptors", exchange.why);
}
