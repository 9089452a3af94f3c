/* amnesia_test.c - what a node leaves behind in memory and on disk: nothing. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <weir/file.h>
#include <weir/run.h>
#include <weir/task.h>

#include "rt/sanitize.h"
#include "testing/node_rig.h"

#define MARK_LEN 24

/* A word that stands nowhere in the program: made when it is needed. */
static void make_mark(char *mark, char kind)
{
    for (int i = 0; i < MARK_LEN; i++)
        mark[i] = (char)('a' + (i * 7 + kind) % 26);
    mark[MARK_LEN] = '\0';
}

/* How often it stands in the writable memory of this process, stacks apart. */
static int count_in_heap(char kind)
{
    char line[400], mark[MARK_LEN + 1];
    static char page[1 << 16];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    REQUIRE(maps && memory >= 0, -1);
    while (fgets(line, sizeof(line), maps)) {
        unsigned long from, to;
        char rights[8];
        if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) != 3 || rights[0] != 'r'
            || rights[1] != 'w' || strstr(line, "[stack]") || strstr(line, "/"))
            continue;
        for (unsigned long at = from; at < to; at += sizeof(page) - MARK_LEN) {
            size_t want = to - at < sizeof(page) ? to - at : sizeof(page);
            ssize_t len = pread(memory, page, want, (off_t)at);
            if (len <= 0 || (at <= (unsigned long)page && (unsigned long)page < at + want))
                continue;
            make_mark(mark, kind);
            for (char *hit = page; (hit = memmem(hit, (size_t)(page + len - hit), mark,
                                                 MARK_LEN)); hit++)
                found++;
        }
    }
    explicit_bzero(page, sizeof(page));
    explicit_bzero(mark, sizeof(mark));
    close(memory);
    fclose(maps);
    return found;
}

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
