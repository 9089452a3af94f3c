#include "svc/queue/queue_why.h"

#include <string.h>

#include "testing/test.h"

TEST_PLAIN(a_reason_has_its_word_its_argument_and_its_sentence)
{
    struct queue_why why;
    CHECK_ERR(WR_INVALID, queue_why_say(&why, WR_INVALID, "INVALID_PARAMS", "wait",
                                        "wait is %d", 400));
    CHECK_STR("INVALID_PARAMS", why.code);
    CHECK_STR("wait", why.param);
    CHECK_STR("wait is 400", why.text);
}

TEST_PLAIN(a_sentence_that_is_too_long_is_cut)
{
    struct queue_why why;
    CHECK_ERR(WR_IO, queue_why_say(&why, WR_IO, "INTERNAL_ERROR", "", "%500d", 1));
    CHECK_EQ(sizeof(why.text) - 1, strlen(why.text));
}
