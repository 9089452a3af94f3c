/* fetch_curl_test.c - the contract of the client by libcurl, whose clock is the real
 * one. */
#include <weir/run.h>

#include "testing/test.h"

static wr_err run_body(void *arg)
{
    void (**body)(void) = arg;
    (*body)();
    return WR_OK;
}

static void run_real(void (*body)(void))
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, run_body, &body));
}

#define CONTRACT(name) \
    static void name##_body(void); \
    TEST_PLAIN(name) { run_real(name##_body); } \
    static void name##_body(void)
#define PLAIN false
#define SLACK (WR_MS(500) * 1000 / test_rounds(1000))
#include "testing/fetch_contract.h"
