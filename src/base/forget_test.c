/* forget_test.c - what was given back says nothing any more. */
#include "base/forget.h"

#include <stdint.h>
#include <stdlib.h>

#include "testing/test.h"

#define SIZE ((size_t)300)

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WATCHED                 /* who looks at freed memory is stopped */
#endif
#endif

/* Whether its bytes are still there; the allocator's own words at the beginning apart. */
static bool remembers(uintptr_t where)
{
    static const char wanted[] = "sesame sesame";
    const volatile char *at = (const volatile char *)where;
    size_t same = 0;
    for (size_t i = 64; i < SIZE; i++) {
        same = at[i] == wanted[same] ? same + 1 : 0;
        if (!wanted[same])
            return true;
    }
    return false;
}

static char *told(void)
{
    char *memory = malloc(SIZE);
    REQUIRE(memory, NULL);
    for (size_t i = 0; i < SIZE; i++)
        memory[i] = "sesame sesame "[i % 14];
    return memory;
}

TEST_PLAIN(a_process_that_does_not_forget_leaves_memory_as_it_is)
{
    char *memory = told();
    CHECK(!wr_forgets());
    wr_forget(memory, SIZE);
    CHECK(remembers((uintptr_t)memory));
    memory = wr_forget_realloc(memory, 2 * SIZE);
    CHECK(remembers((uintptr_t)memory));
    wr_forget_free(memory);
    wr_forget_free(NULL);
}

TEST_PLAIN(what_is_given_back_is_wiped)
{
#if defined(WATCHED)
    SKIP("a sanitizer watches freed memory");
#endif
    if (test_rounds(1000) != 1000)
        SKIP("valgrind watches freed memory");
    wr_forget_from_now();
    char *memory = told();
    uintptr_t first = (uintptr_t)memory;
    memory = wr_forget_realloc(memory, 100 * SIZE);
    CHECK(memory && remembers((uintptr_t)memory));
    CHECK(first != (uintptr_t)memory && !remembers(first));
    wr_forget_free(memory);
    memory = told();
    uintptr_t second = (uintptr_t)memory;
    wr_forget_free(memory);
    CHECK(!remembers(second));
}

TEST_PLAIN(what_stays_can_be_wiped)
{
    char *memory = told();
    wr_forget_from_now();
    wr_forget(memory, SIZE);
    CHECK(!remembers((uintptr_t)memory));
    wr_forget_free(memory);
}
