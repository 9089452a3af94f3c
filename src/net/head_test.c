/* head_test.c - what a request says before its body. */
#include "net/head.h"

#include <string.h>

#include "testing/test.h"

static struct slice slice(const char *text)
{
    return (struct slice){ text, strlen(text) };
}

TEST_PLAIN(a_slice_is_compared_whole_and_in_any_case)
{
    CHECK(SLICE_IS(slice("HoSt"), "host"));
    CHECK(!SLICE_IS(slice("hos"), "host"));
    CHECK(!SLICE_IS(slice("hosts"), "host"));
    CHECK(SLICE_IS(slice(""), ""));
}

TEST_PLAIN(a_token_has_no_space_no_colon_and_nothing_foreign)
{
    CHECK(slice_token(slice("X-Thing_1.~")));
    CHECK(slice_token(slice("!#$%&'*+-.^_`|~")));
    static const char *none[] = { "", "a b", "a:", "a\t", "\x80", "a\x7f", "a(b", "a/b" };
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        CHECK(!slice_token(slice(none[i])));
}

static const char *corr_of(const char *name, const char *value)
{
    static struct head head;
    head_clear(&head);
    head_note_corr(&head, &(struct field){ slice(name), slice(value) });
    return head.corr.at ? head.corr.at : "none";
}

TEST_PLAIN(an_id_of_a_request_is_printable_and_at_most_64_long)
{
    char text[66];
    memset(text, 'x', 65);
    text[65] = '\0';
    CHECK_STR("a-1", corr_of("X-Corr-ID", "a-1"));
    CHECK_STR("a-1", corr_of("x-request-id", "a-1"));
    CHECK_STR("none", corr_of("X-Corr", "a-1"));
    CHECK_STR("none", corr_of("X-Corr-ID", ""));
    CHECK_STR("none", corr_of("X-Corr-ID", "a b"));
    CHECK_STR("none", corr_of("X-Corr-ID", "a\x7f"));
    CHECK_STR("none", corr_of("X-Corr-ID", "\xc3\xa4"));
    CHECK_STR("none", corr_of("X-Corr-ID", text));
    text[64] = '\0';
    CHECK_STR(text, corr_of("X-Corr-ID", text));
}

TEST_PLAIN(x_corr_id_goes_before_x_request_id_in_either_order)
{
    struct head head;
    struct field corr = { slice("X-Corr-ID"), slice("first") };
    struct field request = { slice("X-Request-Id"), slice("second") };
    for (int i = 0; i < 2; i++) {
        head_clear(&head);
        head_note_corr(&head, i ? &corr : &request);
        head_note_corr(&head, i ? &request : &corr);
        CHECK_STR("first", head.corr.at);
    }
}
