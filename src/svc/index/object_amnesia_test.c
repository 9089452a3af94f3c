/* object_amnesia_test.c - with amnesia on, nothing is left of an object that was kept, handed
 * out and fetched.
 *
 * Alone in its program: SQLite takes its memory as it was told before its first use.
 */
#include <weir/file.h>
#include <weir/run.h>

#include "base/forget.h"
#include "rt/sanitize.h"
#include "testing/heap_rig.h"
#include "testing/object_rig.h"

#define SIZE ((size_t)100000)

static struct shop shop, other;
static char bytes[SIZE];

static wr_err live(void *unused)
{
    char mark[MARK_LEN + 1], cid[WR_CID_TEXT];
    (void)unused;
    shop_open_as(&other, "bb", NULL);
    shop_open(&shop, NULL);
    shop.other = &other;
    struct wr_file_writes before = wr_file_writes();
    make_mark(mark, 'O');
    for (size_t i = 0; i + MARK_LEN <= SIZE; i += 1000)
        memcpy(bytes + i, mark, MARK_LEN);
    snprintf(cid, sizeof(cid), "%s", cid_of(bytes, SIZE));
    CHECK_EQ(200, shop_put(&other, cid, "", bytes, SIZE));
    CHECK(count_in_heap('O') > 0);          /* the scan sees it while it is kept */
    CHECK_EQ(200, shop_get(&shop, cid, ""));    /* over OAP, from the other */
    CHECK(memmem(answer.body, SIZE, mark, MARK_LEN));
    CHECK_STR("bb 2 1 100000 0;", shop_book(&shop));
    CHECK_EQ(200, shop_get(&other, cid, ""));
    explicit_bzero(mark, sizeof(mark));
    explicit_bzero(bytes, sizeof(bytes));
    CHECK_EQ(before.done, wr_file_writes().done);
    shop_close(&shop);
    shop_close(&other);
    return WR_OK;
}

TEST_PLAIN(of_an_object_nothing_is_left_in_memory_or_on_the_disk)
{
#if defined(ASAN) || defined(TSAN)
    SKIP("a sanitizer keeps freed memory, and terabytes of its own");
#endif
    if (test_rounds(1000) != 1000)
        SKIP("valgrind keeps freed memory");
    wr_forget_from_now();
    CHECK_OK(wr_run(&(struct wr_run_conf){ .virtual_clock = true }, live, NULL));
    explicit_bzero(&answer, sizeof(answer));
    CHECK_EQ(0, count_in_heap('O'));
}
