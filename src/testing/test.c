/* test.c - the test program around the TESTs that registered themselves. */
#include "testing/test.h"

#include <regex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weir/run.h>

#define CHILD_OUTPUT_MAX (64 * 1024)

static struct test *first;
static struct test **last = &first;
static struct verdict {
    atomic_bool failed;
    atomic_bool contained;  /* a child's runtime ended with a contained panic */
    _Atomic(const char *) skipped;
} *verdict;                 /* shared with children, whose checks count too */

void test_register(struct test *test)
{
    *last = test;
    last = &test->next;
}

bool test_check(const char *place, const char *text, bool held)
{
    if (!held) {
        verdict->failed = true;
        printf("# %s: does not hold: %s\n", place, text);
    }
    return held;
}

bool test_equal(const char *place, const char *text, long long want, long long got)
{
    if (want != got) {
        verdict->failed = true;
        printf("# %s: %s is %lld, not %lld\n", place, text, got, want);
    }
    return want == got;
}

bool test_string(const char *place, const char *text, const char *want, const char *got)
{
    bool held = want && got ? strcmp(want, got) == 0 : want == got;
    if (!held) {
        verdict->failed = true;
        printf("# %s: %s is \"%s\", not \"%s\"\n", place, text, got ? got : "(null)",
               want ? want : "(null)");
    }
    return held;
}

bool test_err(const char *place, const char *text, wr_err want, wr_err got)
{
    if (want != got) {
        verdict->failed = true;
        printf("# %s: %s is %s, not %s\n", place, text, wr_err_name(got), wr_err_name(want));
    }
    return want == got;
}

void test_skip(const char *reason)
{
    verdict->skipped = reason;
}

int test_rounds(int full)
{
    const char *text = getenv("WEIR_TEST_SLOW");
    long divisor = text ? strtol(text, NULL, 10) : 1;
    return divisor > 1 && full > divisor ? (int)(full / divisor) : divisor > 1 ? 1 : full;
}

bool test_emulated(void)
{
    return getenv("WEIR_TEST_EMULATED");
}

static wr_err call(void *arg)
{
    const struct test *test = arg;
    test->fn();
    return WR_OK;
}

static wr_err run(struct test *test)
{
    return wr_run(&(struct wr_run_conf){ .virtual_clock = true }, call, test);
}

/* The child speaks through its standard error and the way it ends. */
_Noreturn static void be_child(struct test *test, int output)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    dup2(output, STDERR_FILENO);
    wr_err err = WR_OK;
    if (test->kind == TEST_ENDS_PLAIN)
        test->fn();
    else
        err = run(test);
    fflush(stdout);
    verdict->contained = err == WR_PANIC;
    _exit(EXIT_SUCCESS);
}

static bool ended_as_claimed(const struct test *test, int status)
{
    if (test->kind == TEST_IS_CONTAINED)
        return WIFEXITED(status) && verdict->contained;
    return WIFSIGNALED(status) && (WTERMSIG(status) == SIGABRT || WTERMSIG(status) == SIGSEGV);
}

static bool matches(const char *regex, const char *text)
{
    regex_t compiled;
    if (regcomp(&compiled, regex, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    bool found = regexec(&compiled, text, 0, NULL, 0) == 0;
    regfree(&compiled);
    return found;
}

static void run_child(struct test *test)
{
    static char text[CHILD_OUTPUT_MAX];
    FILE *output = tmpfile();
    fflush(stdout);
    pid_t pid = output ? fork() : -1;
    if (pid == 0)
        be_child(test, fileno(output));

    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        verdict->failed = true;
        printf("# no child process could be started\n");
        return;
    }
    rewind(output);
    text[fread(text, 1, sizeof(text) - 1, output)] = '\0';
    fclose(output);

    bool ended = ended_as_claimed(test, status);
    if (verdict->skipped || (ended && matches(test->regex, text)))
        return;
    verdict->failed = true;
    const char *claimed = ended ? "as claimed" : "not as claimed";
    if (WIFSIGNALED(status))
        printf("# ended by signal %d, %s\n", WTERMSIG(status), claimed);
    else
        printf("# ended %s a contained panic, %s\n", verdict->contained ? "by" : "without",
               claimed);
    printf("# standard error should match: %s\n", test->regex);
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
        printf("#   %s\n", line);
}

static bool in_child(const struct test *test)
{
    return test->regex;
}

static bool run_one(struct test *test, int number)
{
    verdict->failed = false;
    verdict->contained = false;
    verdict->skipped = NULL;
    if (in_child(test)) {
        run_child(test);
    } else if (test->kind == TEST_IS_PLAIN) {
        test->fn();
    } else {
        wr_err err = run(test);
        test_err("wr_run", test->name, WR_OK, err);
    }
    printf("%s %d - %s", verdict->failed ? "not ok" : "ok", number, test->name);
    if (verdict->skipped)
        printf(" # SKIP %s", verdict->skipped);
    putchar('\n');
    fflush(stdout);
    return !verdict->failed;
}

static bool wanted(const struct test *test, char **names)
{
    if (!*names)
        return true;
    for (; *names; names++)
        if (strcmp(*names, test->name) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "-l") == 0) {
        for (struct test *test = first; test; test = test->next)
            puts(test->name);
        return EXIT_SUCCESS;
    }
    int count = 0;
    for (struct test *test = first; test; test = test->next)
        count += wanted(test, argv + 1);
    if (count == 0) {
        fprintf(stderr, "%s: no such test; -l lists them\n", argv[0]);
        return EXIT_FAILURE;
    }
    printf("1..%d\n", count);
    verdict = mmap(NULL, sizeof(*verdict), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                   -1, 0);
    if (verdict == MAP_FAILED)
        return EXIT_FAILURE;

    /* Children first: they are forked while the process has one thread and has
     * never had a runtime. */
    int number = 0, good = 0;
    for (int children = 1; children >= 0; children--)
        for (struct test *test = first; test; test = test->next)
            if (wanted(test, argv + 1) && in_child(test) == (bool)children)
                good += run_one(test, ++number);
    return good == count ? EXIT_SUCCESS : EXIT_FAILURE;
}
