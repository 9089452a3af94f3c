/* queue_amnesia_test.c - with amnesia on, nothing is left of what was asked.
 *
 * Alone in its program: SQLite takes its memory as it was told before its first use.
 */
#include <weir/file.h>
#include <weir/run.h>
#include <weir/task.h>

#include "base/forget.h"
#include "mcp/message.h"
#include "rt/sanitize.h"
#include "testing/heap_rig.h"
#include "testing/queue_node_rig.h"

static wr_err live(void *unused)
{
    struct rig rig;
    char text[200], mark[MARK_LEN + 1];
    (void)unused;
    queue_node_begin(&rig, NULL);
    struct wr_file_writes before = wr_file_writes();
    make_mark(mark, 'Q');
    queue_node_task(&rig);
    snprintf(text, sizeof(text), "{\"targets\":[\"ok %s\"]}", mark);
    CHECK_EQ(200, queue_node_post(&rig, "/targets", text));
    settle();
    CHECK_EQ(200, queue_node_get(&rig, "?detail=full"));
    CHECK(says(mark));
    CHECK(count_in_heap('Q') > 0);          /* the scan sees it while it is kept */
    explicit_bzero(text, sizeof(text));
    explicit_bzero(mark, sizeof(mark));
    CHECK_EQ(before.done, wr_file_writes().done);
    queue_node_end(&rig);
    return WR_OK;
}

TEST_PLAIN(of_a_target_nothing_is_left_in_memory_or_on_the_disk)
{
#if defined(ASAN) || defined(TSAN)
    SKIP("a sanitizer keeps freed memory, and terabytes of its own");
#endif
    if (test_rounds(1000) != 1000)
        SKIP("valgrind keeps freed memory");
    wr_forget_from_now();
    mcp_message_forgets();                  /* whose JSON is everybody's */
    CHECK_OK(wr_run(&(struct wr_run_conf){ .virtual_clock = true }, live, NULL));
    explicit_bzero(&answer, sizeof(answer));
    CHECK_EQ(0, count_in_heap('Q'));
}
