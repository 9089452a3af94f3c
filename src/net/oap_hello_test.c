#include "net/oap_hello.h"

#include <stdlib.h>
#include <string.h>

#include "net/oap.h"
#include "testing/test.h"

static size_t agreed(const char *text)
{
    size_t frame_max = OAP_FRAME_MAX;
    return oap_hello_read(&frame_max, text, strlen(text)) ? frame_max : 0;
}

TEST_PLAIN(a_hello_is_a_name_or_none)
{
    CHECK_EQ(OAP_FRAME_MAX, agreed("{\"ua\":\"sdk/0.1\"}"));
    CHECK_EQ(OAP_FRAME_MAX, agreed(" { \"ua\" : null } "));
}

TEST_PLAIN(frames_become_smaller_never_larger)
{
    CHECK_EQ(65536, agreed("{\"ua\":null,\"max_frame\":65536}"));
    CHECK_EQ(1024, agreed("{\"max_frame\":1024,\"ua\":null}"));
    CHECK_EQ(OAP_FRAME_MAX, agreed("{\"ua\":null,\"max_frame\":9999999999}"));
}

TEST_PLAIN(what_is_no_hello_is_refused)
{
    static const char *const wrong[] = {
        "", "{}", "null", "[]", "{\"ua\":1}", "{\"ua\":null", "{\"ua\":null}x", "\"ua\"",
        "{\"ua\":null,\"more\":1}", "{\"ua\":null,\"ua\":null}",
        "{\"ua\":null,\"max_frame\":1023}",
        "{\"ua\":null,\"max_frame\":-1}", "{\"ua\":null,\"max_frame\":\"x\"}",
        "{\"ua\":null,\"max_frame\":1.5}", "\xff\xff",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        CHECK_EQ(0, agreed(wrong[i]));
}

/* In a run, on the stack of a fiber. */
TEST(what_nests_too_deep_is_refused)
{
    static char deep[4096] = "{\"ua\":";
    memset(deep + 6, '[', sizeof(deep) - 7);
    CHECK_EQ(0, agreed(deep));
    CHECK_EQ(0, agreed("{\"ua\":[[[[[[[[[[[[[]]]]]]]]]]]]]}"));
}

TEST_PLAIN(the_answer_is_as_it_was_agreed)
{
    char buf[200];
    struct wr_text text = WR_TEXT(buf);
    oap_hello_write(&text, 1048576, 64, true);
    CHECK_STR("{\"max_frame\":1048576,\"max_inflight\":64,\"flags_supported\":255,"
              "\"versions\":[1],\"transports\":[\"tcp+tls\"]}", buf);
    size_t frame_max = OAP_FRAME_MAX;
    CHECK(oap_hello_read_answer(&frame_max, buf, strlen(buf)));
    CHECK_EQ(1048576, frame_max);
    CHECK(!oap_hello_read_answer(&frame_max, "{}", 2));
}
