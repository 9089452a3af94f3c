/* object_route_test.c - objects by HTTP: ours, and those of another node. */
#include "svc/index/object_route.h"

#include "testing/object_rig.h"

static struct shop shop, other;
static char large[150000];

TEST(what_was_put_is_got_again)
{
    char want[200];
    shop_open(&shop, NULL);
    CHECK_EQ(200, shop_put(&shop, cid_of("abc", 3), "", "abc", 3));
    snprintf(want, sizeof(want), "{\"cid\":\"%s\",\"bytes\":3,\"offered\":true}",
             cid_of("abc", 3));
    CHECK_STR(want, answer.body);
    CHECK_STR(cid_of("abc", 3), shop.offered);
    CHECK_EQ(200, shop_put(&shop, cid_of("abc", 3), "", "abc", 3));
    CHECK_EQ(200, shop_get(&shop, cid_of("abc", 3), ""));
    CHECK_STR("abc", answer.body);
    CHECK(strstr(answer.head, "\r\nContent-Length: 3\r\n"));
    CHECK(strstr(answer.head, "\r\nContent-Type: application/octet-stream\r\n"));
    CHECK(strstr(answer.head, "\r\nContent-Disposition: attachment"));
    CHECK(strstr(answer.head, "immutable"));
    CHECK(!strstr(answer.head, "X-Provider"));
    snprintf(want, sizeof(want), "\r\nETag: \"%s\"\r\n", cid_of("abc", 3));
    CHECK(strstr(answer.head, want));
    shop_close(&shop);
}

TEST(that_there_is_none_is_not_to_be_kept)
{
    shop_open(&shop, NULL);
    CHECK_EQ(404, shop_get(&shop, cid_of("nowhere", 7), ""));
    CHECK(!strstr(answer.head, "immutable") && !strstr(answer.head, "ETag"));
    shop_close(&shop);
}

TEST(what_is_not_to_be_offered_is_not)
{
    shop_open(&shop, NULL);
    CHECK_EQ(200, shop_put(&shop, cid_of("abc", 3), "?offer=false", "abc", 3));
    CHECK(strstr(answer.body, "\"offered\":false"));
    CHECK_STR("", shop.offered);
    CHECK_ERR(WR_NOTFOUND, catalog_is_offered(shop.desk.conf.store, cid_of("abc", 3),
                                           wr_after(WR_S(5))));
    CHECK_EQ(400, shop_put(&shop, cid_of("abc", 3), "?offer=maybe", "abc", 3));
    shop_close(&shop);
}

TEST(bytes_of_another_id_are_not_kept)
{
    shop_open(&shop, NULL);
    CHECK_EQ(409, shop_put(&shop, cid_of("abc", 3), "", "abd", 3));
    CHECK_EQ(404, shop_get(&shop, cid_of("abc", 3), ""));
    CHECK_EQ(404, shop_get(&shop, cid_of("abd", 3), ""));
    CHECK_STR("", shop.offered);
    shop_close(&shop);
}

TEST(what_is_no_content_id_is_refused)
{
    shop_open(&shop, NULL);
    CHECK_EQ(400, shop_get(&shop, "b3:12", ""));
    CHECK_EQ(400, shop_get(&shop, "name:x", ""));
    CHECK_EQ(400, shop_put(&shop, "b3:12", "", "abc", 3));
    shop_close(&shop);
}

TEST(who_has_it_is_told_so_without_looking)
{
    char header[200];
    shop_open(&shop, NULL);
    snprintf(header, sizeof(header), "If-None-Match: \"%s\"\r\n", cid_of("abc", 3));
    CHECK_EQ(304, shop_get(&shop, cid_of("abc", 3), header));
    CHECK_STR("", answer.body);
    shop_close(&shop);
}

TEST(a_part_may_be_wanted)
{
    shop_open(&shop, NULL);
    CHECK_EQ(200, shop_put(&shop, cid_of("abcdef", 6), "", "abcdef", 6));
    CHECK_EQ(206, shop_get(&shop, cid_of("abcdef", 6), "Range: bytes=2-3\r\n"));
    CHECK_STR("cd", answer.body);
    CHECK(strstr(answer.head, "\r\nContent-Range: bytes 2-3/6"));
    CHECK_EQ(416, shop_get(&shop, cid_of("abcdef", 6), "Range: bytes=9-\r\n"));
    CHECK(strstr(answer.head, "\r\nContent-Range: bytes */6"));
    shop_close(&shop);
}

TEST(an_object_of_another_node_is_fetched_and_both_count_it)
{
    for (size_t i = 0; i < sizeof(large); i++)
        large[i] = (char)('a' + i % 23);
    shop_open(&shop, NULL);
    shop_open_as(&other, "bb", NULL);
    shop.other = &other;
    CHECK_EQ(200, shop_put(&other, cid_of(large, sizeof(large)), "", large, sizeof(large)));
    CHECK_EQ(200, shop_get(&shop, cid_of(large, sizeof(large)), ""));
    CHECK(memcmp(large, answer.body, sizeof(large)) == 0);
    CHECK(strstr(answer.head, "\r\nX-Provider: bb"));
    CHECK_STR("bb 2 1 150000 0;", shop_book(&shop));
    CHECK_STR("bb 1 1 150000 0;", shop_book(&other));
    CHECK(latency_of(shop.desk.latencies, "bb") >= 0);
    shop_close(&other);
    shop_close(&shop);
}

TEST(what_another_only_says_that_it_has_is_a_bad_gateway)
{
    shop_open(&shop, NULL);
    shop_open_as(&other, "bb", NULL);
    shop.other = &other;
    CHECK_EQ(502, shop_get(&shop, cid_of("abc", 3), ""));
    CHECK(strstr(answer.body, "do not give it"));
    CHECK_STR("bb 2 0 0 1;", shop_book(&shop));
    shop.finding = WR_OPENCIRCUIT;
    CHECK_EQ(503, shop_get(&shop, cid_of("abc", 3), ""));
    shop.finding = WR_TIMEOUT;
    CHECK_EQ(504, shop_get(&shop, cid_of("abc", 3), ""));
    shop_close(&other);
    shop_close(&shop);
}
