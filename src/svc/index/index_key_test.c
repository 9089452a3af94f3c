#include "svc/index/index_key.h"

#include <string.h>

#include "testing/test.h"

#define DIGITS "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct index_key key;
static const char *clause;

static wr_err take(const char *text)
{
    memset(&key, 0xaa, sizeof(key));
    clause = NULL;
    wr_err err = index_key_read(&key, text, &clause);
    CHECK((err == WR_OK) == (clause == NULL));
    if (err)
        CHECK_EQ(0xaa, (unsigned char)key.text[0]);
    return err;
}

TEST_PLAIN(a_content_id_has_one_form)
{
    REQUIRE_OK(take("b3:" DIGITS));
    CHECK(!key.is_name);
    CHECK_STR("b3:" DIGITS, key.text);
    CHECK_EQ(0x23, key.cid.bytes[1]);
    CHECK_EQ(0xef, key.cid.bytes[31]);
    static const char *const wrong[] = {
        "b3:", "b3:" DIGITS "0", "b3: " DIGITS, "b3:" DIGITS " ",
        "b3:0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef",
        "b3:g123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "b3:123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        CHECK_ERR(WR_INVALID, take(wrong[i]));
        CHECK_STR("a content id is b3: and 64 hex digits in lower case", clause);
    }
}

TEST_PLAIN(a_key_says_which_of_the_two_it_is)
{
    static const char *const wrong[] = {
        "", DIGITS, ("B3:" DIGITS), "Name:a", "name", "nam:a", " name:a", "weir.example", "b3",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        CHECK_ERR(WR_INVALID, take(wrong[i]));
        CHECK(strstr(clause, "a key is b3:") == clause);
    }
}

TEST_PLAIN(a_name_is_kept_small_and_without_blanks_around_it)
{
    REQUIRE_OK(take("name:  Weir-2_b.EXAMPLE "));
    CHECK(key.is_name);
    CHECK_STR("name:weir-2_b.example", key.text);
    CHECK_STR("weir-2_b.example", index_key_name(&key));
    CHECK_EQ(0, key.cid.bytes[0]);
    REQUIRE_OK(take("name:b3"));
    CHECK_STR("b3", index_key_name(&key));
}

TEST_PLAIN(what_could_be_taken_for_something_else_is_no_name)
{
    static const char *const wrong[] = {
        "name:", "name: ", "name:.", "name:.a", "name:a.", "name:a..b", "name:..", "name:a b",
        "name:a/b", "name:a\\b", "name:a@b", "name:\ta", "name:a\n", "name:a\x7f", "name:a\x01",
        "name:\xc3\xbc", "name:a:b", ("name:b3:" DIGITS), "name:a%2e", "name:a,b", "name:. a",
        "name:`", "name:{", "name:[", "name:@",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        if (!CHECK_ERR(WR_INVALID, take(wrong[i])))
            CHECK_STR("", wrong[i]);
        CHECK(strstr(clause, "a name has 1 to 253 ") == clause);
    }
}

TEST_PLAIN(a_name_has_at_most_253_bytes_between_its_blanks)
{
    char text[5 + 2 + INDEX_NAME_MAX + 2 + 2] = "name:  ";
    memset(text + 7, 'n', INDEX_NAME_MAX);
    REQUIRE_OK(take(text));
    CHECK_EQ(INDEX_NAME_MAX, strlen(index_key_name(&key)));
    text[7 + INDEX_NAME_MAX] = ' ';
    CHECK_OK(take(text));
    text[7 + INDEX_NAME_MAX] = 'n';
    CHECK_ERR(WR_INVALID, take(text));
}

TEST_PLAIN(a_bare_name_is_read_as_that_behind_its_prefix)
{
    char buf[INDEX_NAME_MAX + 1] = "before";
    CHECK_ERR(WR_INVALID, index_name_read(buf, "a..b", &clause));
    CHECK_STR("before", buf);
    CHECK_OK(index_name_read(buf, " A.b", &clause));
    CHECK_STR("a.b", buf);
    CHECK_ERR(WR_INVALID, index_name_read(buf, "name:a", &clause));
}

TEST_PLAIN(where_it_may_be_bare_a_content_id_needs_no_prefix)
{
    struct wr_hash hash = { 0 };
    CHECK_ERR(WR_INVALID, index_cid_read(&hash, DIGITS, false, &clause));
    CHECK_STR("a content id is b3: and 64 hex digits in lower case", clause);
    CHECK_ERR(WR_INVALID, index_cid_read(&hash, " b3:" DIGITS, false, &clause));
    CHECK_EQ(0, hash.bytes[1]);
    CHECK_OK(index_cid_read(&hash, " " DIGITS "  ", true, &clause));
    CHECK_EQ(0x23, hash.bytes[1]);
    hash = (struct wr_hash){ 0 };
    CHECK_OK(index_cid_read(&hash, "b3:" DIGITS, true, &clause));
    CHECK_EQ(0x23, hash.bytes[1]);
    CHECK_ERR(WR_INVALID, index_cid_read(&hash, "\t" DIGITS, true, &clause));
    CHECK(strstr(clause, "with or without b3:") != NULL);
    CHECK_ERR(WR_INVALID, index_cid_read(&hash, "b3:b3:" DIGITS, true, &clause));
}

TEST_PANICS(a_content_id_has_no_name, "assertion failed: key->is_name")
{
    (void)!take("b3:" DIGITS);
    (void)index_key_name(&key);
}
