#include "store/domain_rule.h"

#include "testing/evidence_rig.h"

static void set(struct store *store, const char *pattern, enum store_domain_rule rule)
{
    static int number;
    char id[16];
    snprintf(id, sizeof(id), "dor_%d", number++);
    CHECK_OK(store_domain_rule_set(store, id, pattern, rule, "because", SOON));
}

static enum store_domain_rule find(struct store *store, const char *host)
{
    enum store_domain_rule rule = STORE_DOMAIN_NONE;
    CHECK_OK(store_domain_rule_find(store, host, &rule, SOON));
    return rule;
}

TEST_PLAIN(a_pattern_that_most_of_the_web_would_match_is_none)
{
    static const char *const refused[] = {
        "*", "**", "*.com", "*.org", "*.net", "*.gov", "*.edu", "*.co.jp", "*.CO.uk", "",
        "*.", ".a.com", "a..com", "a.com.", "a.*.com", "*a.com", "a b.com", "*.*.com" };
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        CHECK(!store_domain_pattern(refused[i]));
    CHECK(store_domain_pattern("*.example.org"));
    CHECK(store_domain_pattern("localhost"));
    CHECK(store_domain_pattern("*.firm.co.jp"));
}

STORE_TEST(a_rule_is_for_the_name_and_not_for_what_is_below)
{
    set(store, "Example.org", STORE_DOMAIN_BLOCK);
    CHECK_EQ(STORE_DOMAIN_BLOCK, find(store, "EXAMPLE.org"));
    CHECK_EQ(STORE_DOMAIN_NONE, find(store, "www.example.org"));
    CHECK_EQ(STORE_DOMAIN_NONE, find(store, "org"));
}

STORE_TEST(a_star_is_for_all_below_and_not_for_the_name)
{
    set(store, "*.example.org", STORE_DOMAIN_BLOCK);
    CHECK_EQ(STORE_DOMAIN_BLOCK, find(store, "a.b.example.org"));
    CHECK_EQ(STORE_DOMAIN_NONE, find(store, "example.org"));
    CHECK_EQ(STORE_DOMAIN_NONE, find(store, "badexample.org"));
}

STORE_TEST(the_nearest_rule_holds)
{
    set(store, "*.example.org", STORE_DOMAIN_BLOCK);
    set(store, "*.b.example.org", STORE_DOMAIN_UNBLOCK);
    set(store, "x.b.example.org", STORE_DOMAIN_BLOCK);
    CHECK_EQ(STORE_DOMAIN_UNBLOCK, find(store, "a.b.example.org"));
    CHECK_EQ(STORE_DOMAIN_BLOCK, find(store, "x.b.example.org"));
    CHECK_EQ(STORE_DOMAIN_BLOCK, find(store, "c.example.org"));
}

STORE_TEST(rules_are_listed_by_their_patterns)
{
    struct store_rows rows;
    set(store, "example.org", STORE_DOMAIN_BLOCK);
    set(store, "*.example.com", STORE_DOMAIN_UNBLOCK);
    CHECK_OK(store_domain_rule_list(store, &rows, SOON));
    CHECK_EQ(2, rows.count);
    CHECK_STR("*.example.com", store_text(&rows, 0, 0));
    CHECK_STR("unblock", store_text(&rows, 0, 1));
    CHECK_STR("example.org", store_text(&rows, 1, 0));
    CHECK_STR("block", store_text(&rows, 1, 1));
    store_rows_free(&rows);
}

STORE_TEST(a_rule_is_replaced_and_taken_back)
{
    set(store, "example.org", STORE_DOMAIN_BLOCK);
    set(store, "example.org", STORE_DOMAIN_UNBLOCK);
    CHECK_EQ(STORE_DOMAIN_UNBLOCK, find(store, "example.org"));
    CHECK_OK(store_domain_rule_clear(store, "EXAMPLE.org", SOON));
    CHECK_EQ(STORE_DOMAIN_NONE, find(store, "example.org"));
    CHECK_ERR(WR_NOTFOUND, store_domain_rule_clear(store, "example.org", SOON));
    CHECK_ERR(WR_INVALID, store_domain_rule_set(store, "id", "*.com", STORE_DOMAIN_BLOCK, "",
                                                SOON));
}
