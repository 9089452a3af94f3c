/* signal_rule_test.c - signals that cannot be values, asked for on purpose. */
#include <weir/signal.h>

#include <signal.h>

#include "testing/test.h"

static void refused(int number)
{
    struct wr_signal *signals;
    (void)!wr_signal_open(&signals, &number, 1);
}

#define REFUSED(number, why) \
    "panic at src/rt/signal_rule_test\\.c:[0-9]+: signal " number " cannot be caught \\(" why

TEST_PANICS(a_signal_that_nobody_can_catch_is_refused,
            REFUSED("9", "SIGKILL: the system lets nobody catch it"))
{
    refused(SIGKILL);
}

TEST_PANICS(a_fault_is_refused_because_it_would_come_again_for_ever,
            REFUSED("11", "SIGSEGV: what caused it would cause it again"))
{
    refused(SIGSEGV);
}

TEST_PANICS(the_signal_of_the_runtime_itself_is_refused,
            REFUSED("[0-9]+", "SIGURG: the runtime looks with it into workers that stall"))
{
    refused(SIGURG);
}

TEST_PANICS(a_signal_of_the_c_library_is_refused,
            REFUSED("33", "the C library keeps it to itself"))
{
    refused(33);
}

TEST_PANICS(a_number_beyond_all_signals_is_refused, REFUSED("65", "there is none"))
{
    refused(65);
}

TEST_PANICS(no_signals_are_too_few,
            "panic at src/rt/signal_rule_test\\.c:[0-9]+: "
            "0 signals; 1 to 16 are allowed")
{
    struct wr_signal *signals;
    (void)!wr_signal_open(&signals, NULL, 0);
}
