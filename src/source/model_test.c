/* model_test.c - a model that somebody serves for us. */
#include "source/model.h"

#include "testing/model_rig.h"

static struct model_rig rig;
static struct model *endpoint;
static struct wr_scope *scope;
static struct wr_bytes *answer;
static char why[MODEL_WHY_MAX], base[80];

#define BEGIN(...) do { \
    rig = (struct model_rig){ .script = { __VA_ARGS__ } }; \
    rig.scripted = sizeof((struct model_reply[]){ __VA_ARGS__ }) \
                     / sizeof(struct model_reply); \
    begin(NULL); } while (0)

static void begin(struct wr_secret *key)
{
    model_open(&rig);
    snprintf(base, sizeof(base), "%s/", rig.base);
    REQUIRE_OK(model_new(&endpoint, &(struct model_conf){
        .name = "embedding", .url = base, .key = key, .plain = true }));
    scope = scope_open();
    go(scope, model_run, endpoint);
}

static void end(void)
{
    wr_bytes_unref(answer);
    answer = NULL;
    wr_scope_cancel(scope);
    (void)!wr_scope_close(scope);
    model_free(endpoint, WR_NOW);
    model_close(&rig);
}

static wr_err post(wr_time within)
{
    wr_bytes_unref(answer);
    answer = NULL;
    return model_post(endpoint, &(struct model_ask){
        .path = "/v1/x", .body = "{\"a\":1}", .len = 7, .answer_max = 1000 }, &answer, why,
        wr_after(within));
}

static bool says(const char *what)
{
    if (strstr(why, what))
        return true;
    printf("# %s\n", why);
    return false;
}

TEST(a_question_is_posted_as_json_behind_the_address_and_answered)
{
    BEGIN({ .body = "{\"ok\":1}" });
    CHECK_OK(post(WR_S(10)));
    CHECK_STR("{\"ok\":1}", (const char *)answer->data);
    CHECK_STR("", why);
    CHECK(strncmp(rig.heads[0], "POST /v1/x HTTP/1.1\r\n", 21) == 0);
    CHECK(strcasestr(rig.heads[0], "content-type: application/json\r\n"));
    CHECK(!strcasestr(rig.heads[0], "authorization"));
    CHECK_STR("{\"a\":1}", rig.last);
    end();
}

TEST(a_key_goes_along_as_a_bearer_token_and_is_in_no_sentence)
{
    struct wr_secret *key;
    char bytes[] = "sesame";
    CHECK_OK(wr_secret_new(&key, bytes, 6));
    rig = (struct model_rig){ .script = { { .status = 401,
        .body = "{\"error\":{\"message\":\"no such\\nuser\"}}" } }, .scripted = 1 };
    begin(key);
    CHECK_ERR(WR_DENIED, post(WR_S(10)));
    CHECK(strcasestr(rig.heads[0], "authorization: Bearer sesame\r\n"));
    CHECK(says("the embedding endpoint http://127.0.0.1:"));
    CHECK(says("/ answered /v1/x with 401: no such user"));
    CHECK(!strstr(why, "sesame"));
    CHECK_EQ(1, rig.asked);               /* it would say the same again */
    end();
    wr_secret_unref(key);
}

TEST(what_fails_for_now_is_asked_again_and_what_will_not_change_is_not)
{
    BEGIN({ .status = 500 }, { .broken_off = true, .body = "{\"a\":\"half of it\"}" },
          { .body = "[]" }, { .status = 422, .body = "{\"error\":\"too long\"}" },
          { .status = 404 });
    CHECK_OK(post(WR_S(10)));
    CHECK_EQ(3, rig.asked);
    CHECK(rig.at[1] - rig.at[0] >= WR_MS(200));
    CHECK_STR("[]", (const char *)answer->data);
    CHECK_ERR(WR_INVALID, post(WR_S(10)));
    CHECK(says("with 422: too long"));
    CHECK_ERR(WR_UNSUPPORTED, post(WR_S(10)));
    CHECK_EQ(5, rig.asked);
    CHECK(!answer);
    end();
}

TEST(who_fails_three_times_has_failed)
{
    BEGIN({ .status = 500 }, { .status = 502 }, { .status = 500, .body = "{\"error\":\"x\"}" });
    CHECK_ERR(WR_IO, post(WR_S(10)));
    CHECK_EQ(3, rig.asked);
    CHECK(says("with 500: x"));
    end();
}

TEST(who_says_that_we_ask_too_often_is_left_alone_for_as_long_as_he_says)
{
    BEGIN({ .status = 429, .headers = "Retry-After: 7\r\n" }, { .body = "1" },
          { .status = 503, .headers = "Retry-After: 3\r\n" }, { .body = "2" });
    CHECK_OK(post(WR_S(60)));
    CHECK(rig.at[1] - rig.at[0] >= WR_S(7));
    CHECK(rig.at[1] - rig.at[0] < WR_S(8));
    CHECK_OK(post(WR_S(60)));
    CHECK(rig.at[3] - rig.at[2] >= WR_S(3));
    CHECK_STR("2", (const char *)answer->data);
    end();
}

TEST(who_says_so_twice_is_not_asked_a_third_time)
{
    BEGIN({ .status = 429, .headers = "Retry-After: 1\r\n" },
          { .status = 429, .headers = "Retry-After: 1\r\n" });
    CHECK_ERR(WR_BUSY, post(WR_S(60)));
    CHECK_EQ(2, rig.asked);
    CHECK(says("with 429"));
    end();
}

TEST(an_answer_that_does_not_come_is_waited_for_until_the_deadline)
{
    BEGIN({ .delay = WR_S(100) });
    wr_time began = wr_now();
    CHECK_ERR(WR_TIMEOUT, post(WR_S(20)));
    CHECK_EQ(WR_S(20), wr_now() - began);
    CHECK(says("did not answer"));
    end();
}

TEST(an_answer_that_is_too_large_is_not_taken)
{
    static char large[3000];
    memset(large, ' ', sizeof(large) - 1);
    BEGIN({ .body = large });
    CHECK_ERR(WR_DENIED, post(WR_S(20)));
    CHECK(says("did not answer: "));
    end();
}

TEST(who_fails_all_the_time_is_not_asked_for_a_while)
{
    BEGIN({ .status = 500 }, { .status = 500 }, { .status = 500 }, { .status = 500 },
          { .status = 500 }, { .status = 500 }, { .status = 500 }, { .status = 500 },
          { .status = 500 });
    for (int i = 0; i < 3; i++)
        (void)!post(WR_S(10));
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    unsigned asked = rig.asked;
    CHECK_ERR(WR_OPENCIRCUIT, post(WR_S(1)));
    CHECK_EQ(asked, rig.asked);
    CHECK(says("has failed too often of late to be asked"));
    end();
}

TEST(who_is_not_there_is_said_to_be_not_there)
{
    struct model *nobody;
    REQUIRE_OK(model_new(&nobody, &(struct model_conf){
        .name = "nli", .url = "http://127.0.0.1:1", .plain = true }));
    CHECK_ERR(WR_IO, model_post(nobody, &(struct model_ask){ .path = "/x", .body = "{}",
        .len = 2, .answer_max = 1000 }, &answer, why, wr_after(WR_S(10))));
    CHECK(says("the nli endpoint http://127.0.0.1:1 did not answer: "));
    model_free(nobody, WR_NOW);
}
