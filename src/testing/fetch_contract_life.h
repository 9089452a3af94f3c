/* fetch_contract_life.h - the part of fetch_contract.h about time: deadlines, cancels,
 * connections, and the end of a client.  Included there. */
#ifndef WR_TESTING_FETCH_CONTRACT_LIFE_H
#define WR_TESTING_FETCH_CONTRACT_LIFE_H

/* ---- time ---- */

RIG void check_took(wr_time since, wr_time span)
{
    wr_time took = wr_now() - since;
    CHECK(took >= span && took <= span + SLACK);
}

CONTRACT(the_deadline_ends_a_request_on_time)
{
    WITH_SITE(CONF(0));
    struct wr_fetch_reply reply;
    wr_time since = wr_now();
    CHECK_ERR(WR_TIMEOUT, wr_fetch(client, &(struct wr_fetch_request){
        .url = url_of(&site, "/hold") }, &reply, wr_after(WR_MS(300))));
    check_took(since, WR_MS(300));
    contains(reply.why, "deadline passed while waiting for http://127.0.0.1:");
    wr_fetch_reply_free(&reply);
    CHECK_EQ(0, wr_fetch_client_stat(client).requests);
    DONE();
}

CONTRACT(the_deadline_of_the_scope_ends_it_too)
{
    WITH_SITE(CONF(0));
    struct wr_fetch_reply reply;
    struct wr_scope *scope;
    wr_time since = wr_now();
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "test.brief", .deadline = wr_after(WR_MS(300)) }));
    wr_scope_enter(scope);
    CHECK_ERR(WR_TIMEOUT, wr_fetch(client, &(struct wr_fetch_request){
        .url = url_of(&site, "/hold") }, &reply, WR_NEVER));
    wr_scope_leave(scope);
    (void)!wr_scope_close(scope);
    check_took(since, WR_MS(300));
    wr_fetch_reply_free(&reply);
    DONE();
}

struct asker {
    struct wr_fetch_client *client;
    const char *url;
    wr_time deadline;
    _Atomic int ended;
    _Atomic int by[WR_ERR_COUNT];
};

RIG wr_err ask_for(void *arg)
{
    struct asker *asker = arg;
    struct wr_fetch_reply reply;
    wr_err err = wr_fetch(asker->client, &(struct wr_fetch_request){ .url = asker->url },
                          &reply, asker->deadline);
    atomic_fetch_add(&asker->by[err], 1);
    atomic_fetch_add(&asker->ended, 1);
    wr_fetch_reply_free(&reply);
    return WR_OK;
}

/* Wait until a condition holds; time passes meanwhile. */
#define UNTIL(cond) \
    do { \
        wr_time until_ = wr_after(WR_S(10)); \
        while (!(cond) && wr_now() < until_) \
            CHECK_OK(wr_sleep(wr_after(WR_MS(1)))); \
        CHECK(cond); \
    } while (0)

CONTRACT(a_cancel_ends_what_is_under_way_at_once_and_its_connections)
{
    WITH_SITE(CONF(.host_connections_max = 50));
    struct asker asker = { .client = client, .url = url_of(&site, "/hold"),
                           .deadline = WR_NEVER };
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 20; i++)
        CHECK_OK(wr_scope_go(scope, "test.asker", ask_for, &asker));
    UNTIL(wr_http_connections(site.http) == 20);
    wr_time since = wr_now();
    wr_scope_cancel(scope);
    CHECK_OK(wr_scope_close(scope));
    check_took(since, 0);
    CHECK_EQ(20, asker.by[WR_CANCELED]);
    CHECK_EQ(0, wr_fetch_client_stat(client).requests);
    UNTIL(wr_http_connections(site.http) == 0);
    DONE();
}

/* ---- connections ---- */

CONTRACT(a_connection_is_used_again)
{
    WITH_SITE(CONF(0));
    for (int i = 0; i < 5; i++)
        CHECK_STR("200 hello", get(client, url_of(&site, "/hello")));
    CHECK_EQ(1, wr_fetch_client_stat(client).connects);
    DONE();
}

CONTRACT(a_fresh_client_keeps_no_connection)
{
    WITH_SITE(CONF(.fresh = true));
    for (int i = 0; i < 5; i++)
        CHECK_STR("200 hello", get(client, url_of(&site, "/hello")));
    CHECK_EQ(5, wr_fetch_client_stat(client).connects);
    DONE();
}

CONTRACT(a_connection_that_the_peer_closed_meanwhile_is_replaced)
{
    struct peer peer;
    open_peer(&peer, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", false);
    struct wr_fetch_client *client = client_with((struct wr_fetch_conf){ 0 });
    for (int i = 0; i < 3; i++)
        CHECK_STR("200 ok", get(client, url_at(peer.listener, "/")));
    CHECK_EQ(3, peer.connections);
    wr_fetch_client_close(client, WR_NOW);
    close_peer(&peer);
}

CONTRACT(a_connection_at_rest_is_closed_in_the_end)
{
    WITH_SITE(CONF(.idle_max = WR_MS(200)));
    CHECK_STR("200 hello", get(client, url_of(&site, "/hello")));
    CHECK_EQ(1, wr_http_connections(site.http));
    UNTIL(wr_http_connections(site.http) == 0);
    CHECK_STR("200 hello", get(client, url_of(&site, "/hello")));
    CHECK_EQ(2, wr_fetch_client_stat(client).connects);
    DONE();
}

CONTRACT(a_host_gets_no_more_connections_than_allowed)
{
    WITH_SITE(CONF(.host_connections_max = 2));
    struct asker asker = { .client = client, .url = url_of(&site, "/hold"),
                           .deadline = WR_NEVER };
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 6; i++)
        CHECK_OK(wr_scope_go(scope, "test.asker", ask_for, &asker));
    UNTIL(wr_fetch_client_stat(client).requests == 6 && wr_http_connections(site.http) == 2);
    CHECK_OK(wr_sleep(wr_after(WR_MS(20))));
    CHECK_EQ(2, wr_http_connections(site.http));
    CHECK_OK(wr_once_set(gate, NULL));
    scope_done(scope);
    CHECK_EQ(6, asker.by[WR_OK]);
    CHECK_EQ(2, wr_fetch_client_stat(client).connects);
    DONE();
}

CONTRACT(more_requests_than_allowed_are_refused)
{
    WITH_SITE(CONF(.requests_max = 2));
    struct asker asker = { .client = client, .url = url_of(&site, "/hold"),
                           .deadline = WR_NEVER };
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 2; i++)
        CHECK_OK(wr_scope_go(scope, "test.asker", ask_for, &asker));
    UNTIL(wr_fetch_client_stat(client).requests == 2);
    CHECK_STR("Busy: the client test has 2 requests under way",
              get(client, url_of(&site, "/hello")));
    CHECK_OK(wr_once_set(gate, NULL));
    scope_done(scope);
    CHECK_STR("200 hello", get(client, url_of(&site, "/hello")));
    DONE();
}

/* ---- the end of a client ---- */

CONTRACT(closing_waits_for_what_is_under_way_and_then_ends_it)
{
    struct wr_scope *scope = scope_open();
    WITH_SITE(CONF(0));
    struct asker asker = { .client = client, .url = url_of(&site, "/hold"),
                           .deadline = WR_NEVER };
    for (int i = 0; i < 4; i++)
        CHECK_OK(wr_scope_go(scope, "test.asker", ask_for, &asker));
    UNTIL(wr_http_connections(site.http) == 4);
    wr_time since = wr_now();
    wr_fetch_client_close(client, wr_after(WR_MS(100)));
    check_took(since, WR_MS(100));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_EQ(4, asker.by[WR_CLOSED]);
    close_site(&site);
    CHECK_OK(wr_scope_close(scope));
}

CONTRACT(an_answer_that_is_open_outlives_its_client)
{
    WITH_SITE(CONF(.body_max = 100 << 20));
    struct wr_fetch *fetch;
    struct wr_fetch_reply head;
    char some[10];
    size_t len;
    REQUIRE_OK(wr_fetch_open(&fetch, client, &(struct wr_fetch_request){
        .url = url_of(&site, "/pour/90000000") }, &head, WR_NEVER));
    wr_fetch_client_close(client, WR_NOW);
    wr_err err = WR_OK;
    for (int i = 0; i < 10000 && !err; i++)
        err = wr_fetch_read(fetch, &len, some, sizeof(some), WR_NEVER);
    CHECK_ERR(WR_CLOSED, err);
    wr_fetch_close(fetch);
    wr_fetch_reply_free(&head);
    close_site(&site);
}

/* ---- streaming ---- */

#define POURED_IN_ALL (32u << 20)

CONTRACT(a_reader_that_does_not_read_makes_the_peer_wait)
{
    WITH_SITE(CONF(.body_max = POURED_IN_ALL));
    static char block[100000];
    struct wr_fetch *fetch;
    struct wr_fetch_reply head;
    uint64_t seen = 1, all = 0;
    size_t len;
    atomic_store(&poured, 0);
    REQUIRE_OK(wr_fetch_open(&fetch, client, &(struct wr_fetch_request){
        .url = url_of(&site, "/pour/33554432") }, &head, WR_NEVER));
    CHECK_EQ(200, head.status);
    while (seen != atomic_load(&poured)) {
        seen = atomic_load(&poured);
        CHECK_OK(wr_sleep(wr_after(WR_MS(50))));
    }
    CHECK(seen < POURED_IN_ALL / 2);
    do {
        REQUIRE_OK(wr_fetch_read(fetch, &len, block, sizeof(block), wr_after(WR_S(20))));
        all += len;
    } while (len > 0);
    CHECK_EQ(POURED_IN_ALL, all);
    wr_fetch_close(fetch);
    wr_fetch_reply_free(&head);
    DONE();
}

CONTRACT(a_read_that_timed_out_may_be_tried_again)
{
    struct peer peer;
    struct wr_fetch *fetch;
    struct wr_fetch_reply head;
    char some[10];
    size_t len;
    open_peer(&peer, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc", true);
    struct wr_fetch_client *client = client_with((struct wr_fetch_conf){ 0 });
    REQUIRE_OK(wr_fetch_open(&fetch, client, &(struct wr_fetch_request){
        .url = url_at(peer.listener, "/") }, &head, WR_NEVER));
    CHECK_OK(wr_fetch_read(fetch, &len, some, 2, wr_after(WR_S(5))));
    CHECK_EQ(2, len);
    CHECK_OK(wr_fetch_read(fetch, &len, some, 2, wr_after(WR_S(5))));
    CHECK_EQ(1, len);
    CHECK_ERR(WR_TIMEOUT, wr_fetch_read(fetch, &len, some, 2, wr_after(WR_MS(50))));
    CHECK_ERR(WR_TIMEOUT, wr_fetch_read(fetch, &len, some, 2, wr_after(WR_MS(50))));
    wr_scope_cancel(peer.scope);
    CHECK_ERR(WR_IO, wr_fetch_read(fetch, &len, some, 2, wr_after(WR_S(5))));
    CHECK(strlen(wr_fetch_why(fetch)) > 10);
    CHECK_ERR(WR_IO, wr_fetch_read(fetch, &len, some, 2, wr_after(WR_S(5))));
    wr_fetch_close(fetch);
    wr_fetch_reply_free(&head);
    wr_fetch_client_close(client, WR_NOW);
    close_peer(&peer);
}

CONTRACT(an_answer_that_is_closed_unread_does_not_disturb_the_next)
{
    WITH_SITE(CONF(.body_max = POURED_IN_ALL));
    struct wr_fetch *fetch;
    struct wr_fetch_reply head;
    for (int i = 0; i < 3; i++) {
        REQUIRE_OK(wr_fetch_open(&fetch, client, &(struct wr_fetch_request){
            .url = url_of(&site, "/pour/30000000") }, &head, WR_NEVER));
        wr_fetch_close(fetch);
        wr_fetch_reply_free(&head);
        CHECK_STR("200 hello", get(client, url_of(&site, "/hello")));
    }
    CHECK_EQ(0, wr_fetch_client_stat(client).requests);
    DONE();
}

#endif
