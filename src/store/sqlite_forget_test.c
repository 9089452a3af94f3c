/* sqlite_forget_test.c - what SQLite gives back is empty. */
#include "store/sqlite_forget.h"

#include <sqlite3.h>
#include <string.h>

#include "base/forget.h"
#include "rt/sanitize.h"
#include "testing/heap_rig.h"

TEST_PLAIN(of_what_sqlite_has_given_back_nothing_is_left)
{
#if defined(ASAN) || defined(TSAN)
    SKIP("a sanitizer keeps freed memory, and terabytes of its own");
#endif
    if (test_rounds(1000) != 1000)
        SKIP("valgrind keeps freed memory");
    wr_forget_from_now();
    sqlite_forget_install();
    char *text = sqlite3_malloc(100), *longer;
    REQUIRE(text);
    make_mark(text, 'S');
    longer = sqlite3_realloc(text, 100000);
    REQUIRE(longer);
    CHECK_EQ(1, count_in_heap('S'));        /* moved, and wiped where it was */
    sqlite3_free(longer);
    CHECK_EQ(0, count_in_heap('S'));
}
