#include "dht/proxy.h"

#include "testing/proxy_rig.h"
#include "testing/settle.h"
#include "testing/test.h"

static const unsigned char key[PROXY_KEY] = { 0xab, 1, 2, 3 };

/* What was read, as a text: a value as it is, "(long)" and "(other)", each with a blank. */
struct read { char text[4000]; size_t count; wr_time first; wr_err stop; };

static wr_err note(struct proxy_reading *reading, enum proxy_line line, const void *bytes,
                   size_t len)
{
    struct read *read = reading->arg;
    size_t at = strlen(read->text);
    if (read->count++ == 0)
        read->first = wr_now();
    if (line == PROXY_VALUE)
        snprintf(read->text + at, sizeof(read->text) - at, "%.*s ", (int)len,
                 (const char *)bytes);
    else
        snprintf(read->text + at, sizeof(read->text) - at, "%s ",
                 line == PROXY_OVERSIZED ? "(long)" : "(other)");
    return read->stop;
}

static struct wr_fetch_client *client_of(void)
{
    struct wr_fetch_client *client = NULL;
    CHECK_OK(wr_fetch_client_new(&client, &(struct wr_fetch_conf){
        .name = "test", .plain = true, .internal = true }));
    return client;
}

static wr_err get(struct wr_fetch_client *client, const struct cloud *cloud, struct read *read,
                  wr_time within)
{
    struct proxy_reading reading = { .take = note, .arg = read, .enough = WR_NEVER };
    *read = (struct read){ .stop = read->stop };
    return proxy_get(&(struct proxy){ client, cloud->urls[0] }, key, &reading,
                     wr_after(within));
}

/* A cloud with one proxy, and a client of it. */
struct pair { struct cloud cloud; struct wr_fetch_client *client; };

static struct pair *pair_open(void)
{
    struct pair *pair = calloc(1, sizeof(*pair));
    cloud_open(&pair->cloud, 1);
    pair->client = client_of();
    return pair;
}

static void pair_close(struct pair *pair)
{
    wr_fetch_client_close(pair->client, wr_after(WR_S(1)));
    cloud_close(&pair->cloud);
    free(pair);
}

TEST(what_was_put_is_what_is_got_whatever_its_length)
{
    struct pair *pair = pair_open();
    struct proxy proxy = { pair->client, pair->cloud.urls[0] };
    struct read read = { 0 };
    CHECK_OK(proxy_put(&proxy, key, 1, "a", 1, wr_after(WR_S(1))));
    CHECK_OK(proxy_put(&proxy, key, 2, "bb", 2, wr_after(WR_S(1))));
    CHECK_OK(proxy_put(&proxy, key, UINT64_MAX, "cc~>?", 5, wr_after(WR_S(1))));
    CHECK_OK(proxy_put(&proxy, key, 2, "not this", 8, wr_after(WR_S(1))));
    CHECK_OK(get(pair->client, &pair->cloud, &read, WR_S(1)));
    CHECK_STR("a bb cc~>? ", read.text);
    CHECK_EQ(1, wr_fetch_client_stat(pair->client).connects);
    pair_close(pair);
}

TEST(a_key_without_values_is_an_answer_without_values)
{
    struct pair *pair = pair_open();
    struct read read = { 0 };
    CHECK_OK(get(pair->client, &pair->cloud, &read, WR_S(1)));
    CHECK_EQ(0, read.count);
    pair_close(pair);
}

TEST(values_that_are_too_long_or_strange_are_told_apart)
{
    struct pair *pair = pair_open();
    struct read read = { 0 };
    char *body = calloc(1, 20000), *at = body;
    at += snprintf(at, 200, "{\"data\":\"aGVsbG8=\",\"id\":\"1\"}\n\n{\"cypher\":\"xx\"}\n"
                   "{\"data\":\"aGVs-G8=\"}\n{\"data\":\"aGVsbG8\"}\n{\"data\":7}\n");
    at += snprintf(at, 20, "{\"data\":\"");
    memset(at, 'A', 1368);              /* 1026 bytes */
    at = stpcpy(at + 1368, "\"}\n{\"data\":\"");
    memset(at, 'A', 5000);
    stpcpy(at + 5000, "\"}\n{\"data\":\"Yg==\"}");
    bool is_full;
    struct proxy_reading reading = { .take = note, .arg = &read, .enough = WR_NEVER };
    struct proxy_lines *lines = calloc(1, sizeof(*lines));
    lines->reading = &reading;
    CHECK_OK(proxy_lines_add(lines, body, strlen(body), &is_full));
    CHECK(!is_full);
    CHECK_OK(proxy_lines_end(lines));
    CHECK_STR("hello (other) (other) (other) (other) (long) (long) b ", read.text);
    free(lines);
    free(body);
    pair_close(pair);
}

TEST_PLAIN(lines_beyond_the_bound_are_not_read)
{
    struct read read = { 0 };
    struct proxy_reading reading = { .take = note, .arg = &read, .enough = WR_NEVER };
    struct proxy_lines *lines = calloc(1, sizeof(*lines));
    bool is_full = false;
    lines->reading = &reading;
    for (int i = 0; i < PROXY_LINES_MAX; i++) {
        CHECK(!is_full);
        CHECK_OK(proxy_lines_add(lines, "{}\n", 3, &is_full));
    }
    CHECK(is_full);
    CHECK_EQ(PROXY_LINES_MAX, read.count);
    *lines = (struct proxy_lines){ .reading = &reading };
    char block[1024];
    memset(block, '{', sizeof(block));
    for (size_t i = 0; i < PROXY_BYTES_MAX / 1024; i++)
        CHECK_OK(proxy_lines_add(lines, block, sizeof(block), &is_full));
    CHECK(is_full);
    free(lines);
}

TEST(a_proxy_that_talks_nonsense_has_not_answered)
{
    struct pair *pair = pair_open();
    struct read read = { 0 };
    cloud_put(&pair->cloud, key, "a", 1);
    pair->cloud.proxies[0].nonsense = "<html>welcome</html>\n";
    CHECK_ERR(WR_IO, get(pair->client, &pair->cloud, &read, WR_S(1)));
    pair->cloud.proxies[0].nonsense = "[1, 2]\n";
    CHECK_ERR(WR_IO, get(pair->client, &pair->cloud, &read, WR_S(1)));
    pair->cloud.proxies[0].nonsense = NULL;
    pair->cloud.proxies[0].status = 503;
    CHECK_ERR(WR_IO, get(pair->client, &pair->cloud, &read, WR_S(1)));
    pair->cloud.proxies[0].status = 404;
    CHECK_ERR(WR_IO, get(pair->client, &pair->cloud, &read, WR_S(1)));
    pair->cloud.proxies[0].status = 429;
    CHECK_ERR(WR_BUSY, get(pair->client, &pair->cloud, &read, WR_S(1)));
    pair->cloud.proxies[0].status = 0;
    pair->cloud.proxies[0].short_of = true;
    CHECK_ERR(WR_IO, get(pair->client, &pair->cloud, &read, WR_S(1)));
    pair->cloud.proxies[0].dead = true;
    CHECK_ERR(WR_IO, get(pair->client, &pair->cloud, &read, WR_S(1)));
    pair_close(pair);
}

TEST(a_frozen_proxy_is_hung_up_on_at_the_deadline)
{
    struct pair *pair = pair_open();
    struct read read = { 0 };
    pair->cloud.proxies[0].frozen = true;
    wr_time begun = wr_now();
    CHECK_ERR(WR_TIMEOUT, get(pair->client, &pair->cloud, &read, WR_MS(1200)));
    CHECK_EQ(WR_MS(1200), wr_now() - begun);
    CHECK_OK(wr_sleep(wr_after(WR_MS(2))));
    CHECK_EQ(1, pair->cloud.proxies[0].left);
    pair_close(pair);
}

static wr_err note_and_linger(struct proxy_reading *reading, enum proxy_line line,
                              const void *bytes, size_t len)
{
    if (reading->enough == WR_NEVER)
        reading->enough = wr_after(WR_MS(50));
    return note(reading, line, bytes, len);
}

TEST(values_are_handed_on_as_they_come_and_who_has_enough_does_not_wait_for_the_end)
{
    struct pair *pair = pair_open();
    struct proxy proxy = { pair->client, pair->cloud.urls[0] };
    struct read read = { 0 };
    struct proxy_reading reading = { .take = note_and_linger, .arg = &read,
                                     .enough = WR_NEVER };
    cloud_put(&pair->cloud, key, "a", 1);
    cloud_put(&pair->cloud, key, "b", 1);
    pair->cloud.proxies[0].between = WR_MS(20);
    pair->cloud.proxies[0].stalls = WR_MS(1000);
    wr_time begun = wr_now();
    CHECK_OK(proxy_get(&proxy, key, &reading, wr_after(WR_S(2))));
    CHECK_EQ(WR_MS(20), read.first - begun);
    CHECK_EQ(WR_MS(20 + 50), wr_now() - begun);
    CHECK_STR("a b ", read.text);
    pair_close(pair);
}

TEST(a_deadline_before_there_is_enough_is_a_timeout)
{
    struct pair *pair = pair_open();
    struct proxy proxy = { pair->client, pair->cloud.urls[0] };
    struct read read = { 0 };
    struct proxy_reading reading = { .take = note_and_linger, .arg = &read,
                                     .enough = WR_NEVER };
    cloud_put(&pair->cloud, key, "a", 1);
    pair->cloud.proxies[0].stalls = WR_MS(1000);
    CHECK_ERR(WR_TIMEOUT, proxy_get(&proxy, key, &reading, wr_after(WR_MS(30))));
    pair_close(pair);
}

TEST(an_error_of_who_takes_ends_the_reading)
{
    struct pair *pair = pair_open();
    struct read read = { .stop = WR_EXISTS };
    cloud_put(&pair->cloud, key, "a", 1);
    cloud_put(&pair->cloud, key, "b", 1);
    CHECK_ERR(WR_EXISTS, get(pair->client, &pair->cloud, &read, WR_S(1)));
    CHECK_EQ(1, read.count);
    pair_close(pair);
}

TEST(a_node_that_knows_no_other_has_what_was_put_and_says_so)
{
    struct pair *pair = pair_open();
    struct proxy proxy = { pair->client, pair->cloud.urls[0] };
    struct read read = { 0 };
    uint64_t nodes = 99;
    CHECK_OK(proxy_ping(&proxy, &nodes, wr_after(WR_S(1))));
    CHECK_EQ(7, nodes);
    pair->cloud.proxies[0].alone = true;
    CHECK_ERR(WR_DEGRADED, proxy_put(&proxy, key, 1, "a", 1, wr_after(WR_S(1))));
    CHECK_OK(proxy_ping(&proxy, &nodes, wr_after(WR_S(1))));
    CHECK_EQ(0, nodes);
    CHECK_OK(get(pair->client, &pair->cloud, &read, WR_S(1)));
    CHECK_STR("a ", read.text);
    pair->cloud.proxies[0].status = 502;
    CHECK_ERR(WR_IO, proxy_put(&proxy, key, 2, "b", 1, wr_after(WR_S(1))));
    CHECK_ERR(WR_IO, proxy_ping(&proxy, &nodes, wr_after(WR_S(1))));
    pair_close(pair);
}

TEST_PLAIN(a_ping_that_is_none_is_an_error)
{
    static const char *const wrong[] = { "", "[]", "{}", "{\"ipv4\":7}", "{\"ipv4\":{}}",
                                         "{\"ipv4\":{\"good\":-1}}",
                                         "{\"ipv4\":{\"good\":\"7\"}}" };
    uint64_t nodes;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        CHECK_ERR(WR_IO, proxy_nodes_read(&nodes, wrong[i], strlen(wrong[i])));
    const char *both = "{\"ipv4\":{\"good\":2},\"ipv6\":{\"good\":3}}";
    CHECK_OK(proxy_nodes_read(&nodes, both, strlen(both)));
    CHECK_EQ(5, nodes);
}

struct listening { struct proxy proxy; struct proxy_reading reading; wr_err err; };

static wr_err listen(void *arg)
{
    struct listening *listening = arg;
    listening->err = proxy_listen(&listening->proxy, key, &listening->reading,
                                  wr_after(WR_S(5)));
    return WR_OK;
}

TEST(who_listens_hears_of_what_is_put_later_until_the_deadline)
{
    struct pair *pair = pair_open();
    struct read read = { 0 };
    struct listening listening = {
        .proxy = { pair->client, pair->cloud.urls[0] },
        .reading = { .take = note, .arg = &read, .enough = WR_NEVER },
    };
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "test", .deadline = WR_NEVER }));
    cloud_put(&pair->cloud, key, "a", 1);
    CHECK_OK(wr_scope_go(scope, "test.listener", listen, &listening));
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_STR("a ", read.text);
    cloud_put(&pair->cloud, key, "b", 1);
    CHECK_OK(wr_sleep(wr_after(WR_MS(2))));
    CHECK_STR("a b ", read.text);
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_ERR(WR_TIMEOUT, listening.err);
    CHECK_OK(wr_scope_close(scope));
    pair_close(pair);
}

TEST_PLAIN(an_address_has_no_path_and_is_kept_without_a_slash)
{
    char url[PROXY_URL_MAX + 1];
    const char *why;
    CHECK_OK(proxy_url_read(url, "HTTP://Proxy.Example:8081/", &why));
    CHECK_STR("http://proxy.example:8081", url);
    CHECK_OK(proxy_url_read(url, "https://127.0.0.1", &why));
    CHECK_STR("https://127.0.0.1", url);
    static const char *const wrong[] = { "", "ftp://a/", "http://a/path", "http://a/?q",
                                         "http://u:p@a/", "a:80" };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        CHECK_ERR(WR_INVALID, proxy_url_read(url, wrong[i], &why));
    char text[400] = "http://";
    memset(text + 7, 'a', 250);
    CHECK_ERR(WR_INVALID, proxy_url_read(url, text, &why));
}
