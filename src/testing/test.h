/* test.h - unit tests: a function per claim, run in a runtime of its own.
 *
 *     TEST(a_full_channel_refuses_at_once) { CHECK_ERR(WR_BUSY, ...); }
 *
 * The name is the claim.  Each TEST runs as the first task of its own wr_run
 * with the virtual clock, so times are exact and nothing sleeps; the number of
 * workers comes from WEIR_THREADS.  Output is TAP.
 *
 *   TEST(name)                  in a runtime
 *   TEST_PLAIN(name)            outside any runtime
 *   TEST_DIES(name, regex)      in a child process, in a runtime; must end by
 *                               SIGABRT or SIGSEGV, with standard error
 *                               matching the extended regular expression
 *   TEST_DIES_PLAIN(name, re)   the same outside any runtime
 *   TEST_PANICS(name, regex)    in a child process, in a runtime; the panic is
 *                               contained: wr_run returns WR_PANIC
 *
 * The program takes the names of the tests to run (none: all), or -l to list.
 */
#ifndef WR_TESTING_TEST_H
#define WR_TESTING_TEST_H

#include <stdbool.h>

#include <weir/err.h>
#include <weir/panic.h>

enum test_kind { TEST_RUNS, TEST_IS_PLAIN, TEST_ENDS, TEST_ENDS_PLAIN, TEST_IS_CONTAINED };

struct test {
    const char *name;
    void (*fn)(void);
    enum test_kind kind;
    const char *regex;      /* what standard error of a child must match */
    struct test *next;
};

void test_register(struct test *test);

#define TEST_(name_, kind_, regex_) \
    static void name_(void); \
    __attribute__((constructor)) static void name_##_register(void) \
    { \
        static struct test self = \
            { .name = #name_, .fn = name_, .kind = kind_, .regex = regex_ }; \
        test_register(&self); \
    } \
    static void name_(void)

#define TEST(name)                   TEST_(name, TEST_RUNS, NULL)
#define TEST_PLAIN(name)             TEST_(name, TEST_IS_PLAIN, NULL)
#define TEST_DIES(name, regex)       TEST_(name, TEST_ENDS, regex)
#define TEST_DIES_PLAIN(name, regex) TEST_(name, TEST_ENDS_PLAIN, regex)
#define TEST_PANICS(name, regex)     TEST_(name, TEST_IS_CONTAINED, regex)

/* A check that fails is reported and fails the test, which goes on: from any
 * fiber or thread.  All of them return whether the check held. */
#define CHECK(cond)         test_check(WR_HERE, #cond, (cond))
#define CHECK_EQ(want, got) test_equal(WR_HERE, #got, (long long)(want), (long long)(got))
#define CHECK_STR(want, got) test_string(WR_HERE, #got, want, got)
#define CHECK_ERR(want, call) test_err(WR_HERE, #call, want, call)
#define CHECK_OK(call)      CHECK_ERR(WR_OK, call)

/* A check without which the rest makes no sense: returns from the function.
 * In a function with a result, give the result: REQUIRE(item, WR_NOMEM). */
#define REQUIRE(cond, ...) do { if (!CHECK(cond)) return __VA_ARGS__; } while (0)
#define REQUIRE_OK(call, ...) do { if (!CHECK_OK(call)) return __VA_ARGS__; } while (0)

/* Leave the test and count it as skipped.  For what a machine or a build
 * cannot show, never for what does not work. */
#define SKIP(reason) do { test_skip(reason); return; } while (0)

/* How often to repeat what only shows itself by repetition: `full` times, or a
 * fraction of that (never 0) where everything is slower: valgrind, emulation.
 * The divisor is in WEIR_TEST_SLOW. */
int test_rounds(int full);

/* Whether another processor is being emulated (WEIR_TEST_EMULATED): the
 * emulator has threads and messages of its own, and knows no stack guards. */
bool test_emulated(void);

bool test_check(const char *place, const char *text, bool held);
bool test_equal(const char *place, const char *text, long long want, long long got);
bool test_string(const char *place, const char *text, const char *want, const char *got);
bool test_err(const char *place, const char *text, wr_err want, wr_err got);
void test_skip(const char *reason);

/* Where the thread sanitizer looks on. */
#if defined(__SANITIZE_THREAD__)
#define IN_TSAN true
#elif defined(__has_feature)
#define IN_TSAN __has_feature(thread_sanitizer)
#else
#define IN_TSAN false
#endif

#endif
