/* name_test.c - tests of name.c. */
#include "conf/name.h"

#include "testing/test.h"

static const char *nearest(const char *wanted)
{
    static struct nearest found;
    static const char *const names[] = { "http_addr", "metrics_addr", "max_conns",
                                         "limits.max_body_bytes", "overlay.max_body_bytes",
                                         "tls.key_path", "data" };
    found = (struct nearest){ .wanted = wanted };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        wr_nearest_try(&found, names[i]);
    return found.name;
}

TEST_PLAIN(a_key_has_a_variable_and_a_flag)
{
    char buf[WR_NAME_MAX];
    CHECK_STR("WEIR_LIMITS_MAX_BODY_BYTES", wr_name_env(buf, "limits.max_body_bytes"));
    CHECK_STR("--limits-max-body-bytes", wr_name_flag(buf, "limits.max_body_bytes"));
}

TEST_PLAIN(the_distance_counts_letters_put_in_left_out_and_changed)
{
    CHECK_EQ(0, wr_name_distance("abc", "abc"));
    CHECK_EQ(1, wr_name_distance("abc", "abbc"));
    CHECK_EQ(1, wr_name_distance("abc", "ac"));
    CHECK_EQ(1, wr_name_distance("abc", "axc"));
    CHECK_EQ(3, wr_name_distance("kitten", "sitting"));
    CHECK_EQ(3, wr_name_distance("", "abc"));
    CHECK_EQ(3, wr_name_distance("abc", ""));
}

TEST_PLAIN(the_nearest_name_is_found)
{
    CHECK_STR("http_addr", nearest("http_adr"));
    CHECK_STR("http_addr", nearest("htpp_addr"));
    CHECK_STR("max_conns", nearest("max_con"));
    CHECK_STR("tls.key_path", nearest("tls.key"));
    CHECK_STR("data", nearest("date"));
}

TEST_PLAIN(a_key_without_its_table_is_found)
{
    CHECK_STR("limits.max_body_bytes", nearest("max_body_bytes"));
}

TEST_PLAIN(what_is_far_from_all_has_no_nearest)
{
    CHECK_STR("", nearest("color"));
    CHECK_STR("", nearest("dxxx"));
    CHECK_STR("", nearest(""));
}

TEST_PLAIN(a_name_longer_than_any_key_is_far)
{
    char long_name[300];
    for (size_t i = 0; i < sizeof(long_name) - 1; i++)
        long_name[i] = 'a';
    long_name[sizeof(long_name) - 1] = '\0';
    CHECK_STR("", nearest(long_name));
    CHECK_EQ(299, wr_name_distance("data", long_name));
}

TEST_PLAIN(a_service_has_the_name_of_its_program_too)
{
    CHECK(wr_name_is_service("index", "index") && wr_name_is_service("svc-index", "index"));
    CHECK(!wr_name_is_service("svc-inde", "index") && !wr_name_is_service("svc", "index"));
    CHECK(!wr_name_is_service("svc-svc-index", "index"));
}

TEST_PLAIN(words_between_spaces_come_one_by_one)
{
    const char *at = "  one two ";
    size_t len = wr_name_next(&at);
    CHECK(len == 3 && at[0] == 'o');
    at += len;
    len = wr_name_next(&at);
    CHECK(len == 3 && at[0] == 't');
    at += len;
    CHECK_EQ(0, wr_name_next(&at));
}
