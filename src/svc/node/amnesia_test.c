/* amnesia_test.c - what a node leaves behind in memory and on disk: nothing. */
#include <weir/file.h>
#include <weir/run.h>
#include <weir/task.h>

#include "rt/sanitize.h"
#include "testing/heap_rig.h"
#include "testing/node_rig.h"

static struct answer answer;

static void serve_secrets(struct rig *rig)
{
    char header[100], mark[MARK_LEN + 1];
    make_mark(mark, 'A');
    snprintf(header, sizeof(header), "Authorization: Bearer %s\r\n", mark);
    CHECK_EQ(202, rig_ask(rig, "POST", "/api/v1/debug/crash?service=node.worker", header,
                          &answer));
    mark[0] ^= 1;                   /* a wrong one is nobody's business either */
    snprintf(header, sizeof(header), "Authorization: Bearer %s\r\n", mark);
    CHECK_EQ(401, rig_ask(rig, "GET", "/v1/hello", header, &answer));
    explicit_bzero(header, sizeof(header));
    explicit_bzero(mark, sizeof(mark));
}

static wr_err live(void *unused)
{
    struct rig rig;
    char variable[60], mark[MARK_LEN + 1];
    (void)unused;
    make_mark(mark, 'A');
    snprintf(variable, sizeof(variable), "RON_ADMIN_TOKEN=%s", mark);
    char *env[] = { variable, NULL };
    rig_env = env;
    rig_begin(&rig, NULL);
    rig_env = NULL;
    explicit_bzero(variable, sizeof(variable));
    explicit_bzero(mark, sizeof(mark));
    serve_secrets(&rig);
    CHECK(count_in_heap('A') > 0);  /* the scan sees it while it is needed */
    CHECK_OK(rig_end(&rig));
    return WR_OK;
}

TEST_PLAIN(no_secret_is_left_in_memory)
{
#if defined(ASAN) || defined(TSAN)
    SKIP("a sanitizer keeps freed memory, and terabytes of its own");
#endif
    if (test_rounds(1000) != 1000)
        SKIP("valgrind keeps freed memory");
    CHECK_OK(wr_run(&(struct wr_run_conf){ .virtual_clock = true }, live, NULL));
    explicit_bzero(&answer, sizeof(answer));
    CHECK_EQ(0, count_in_heap('A'));
}
