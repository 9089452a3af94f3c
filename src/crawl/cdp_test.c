#include "crawl/cdp.h"

#include <stdlib.h>
#include <string.h>

#include <weir/run.h>

#include "testing/test.h"

/* A shell in the place of a browser. */
static struct wr_program *start(const char *script)
{
    struct wr_program *program = NULL;
    char why[WR_PROGRAM_WHY];
    CHECK_OK(wr_program_start(&program, &(struct wr_program_conf){
        .path = "/bin/sh", .args = (const char *const[]){ "sh", "-c", script, NULL },
        .env = (const char *const[]){ "PATH=/usr/bin:/bin", NULL }, .talk = true }, why,
        wr_after(WR_S(10))));
    return program;
}

static wr_err echo_calls(void *arg)
{
    (void)arg;
    struct wr_program *program = start("cat <&3 >&4");
    REQUIRE(program, WR_OK);
    struct cdp cdp = CDP(program);
    json_t *message = NULL;
    uint64_t first, second;
    wr_json_str(cdp_begin(&cdp, "Page.navigate"), "url", "a\"\n");
    CHECK_OK(cdp_send(&cdp, &first, wr_after(WR_S(10))));
    strncpy(cdp.session, "S1", sizeof(cdp.session) - 1);
    CHECK_OK(cdp_bytes(cdp_begin(&cdp, "Fetch.fulfillRequest"), "body", "\xFB\xFF\xFE!", 4,
                       WR_NOW));
    CHECK_OK(cdp_send(&cdp, &second, wr_after(WR_S(10))));
    CHECK_EQ(first + 1, second);
    REQUIRE_OK(cdp_next(&cdp, &message, wr_after(WR_S(10))), WR_OK);
    CHECK_STR("Page.navigate", cdp_text(message, "method", NULL));
    CHECK_STR("a\"\n", cdp_text(message, "params", "url", NULL));
    CHECK(!cdp_text(message, "sessionId", NULL));
    CHECK(!cdp_text(message, "params", NULL));          /* no text */
    CHECK(!cdp_text(message, "nothing", "at", "all", NULL));
    CHECK_EQ(first, json_integer_value(json_object_get(message, "id")));
    json_decref(message);
    REQUIRE_OK(cdp_next(&cdp, &message, wr_after(WR_S(10))), WR_OK);
    CHECK_STR("S1", cdp_text(message, "sessionId", NULL));
    CHECK_STR("+//+IQ==", cdp_text(message, "params", "body", NULL));
    json_decref(message);
    cdp_fini(&cdp);
    wr_program_close(program);
    return WR_OK;
}

TEST_PLAIN(what_is_sent_is_a_message_each)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, echo_calls, NULL));
}

static wr_err read_pieces(void *arg)
{
    (void)arg;
    struct wr_program *program = start(
        "printf '{\"a\":\"1\"}\\0{\"a\":' >&4; printf '\"2\"}\\0nonsense\\0{\"half' >&4");
    REQUIRE(program, WR_OK);
    struct cdp cdp = CDP(program);
    json_t *message = NULL;
    for (int i = 1; i <= 2; i++) {
        REQUIRE_OK(cdp_next(&cdp, &message, wr_after(WR_S(10))), WR_OK);
        CHECK_STR(i == 1 ? "1" : "2", cdp_text(message, "a", NULL));
        json_decref(message);
    }
    CHECK_ERR(WR_INVALID, cdp_next(&cdp, &message, wr_after(WR_S(10))));
    CHECK_ERR(WR_CLOSED, cdp_next(&cdp, &message, wr_after(WR_S(10))));
    cdp_fini(&cdp);
    wr_program_close(program);
    return WR_OK;
}

TEST_PLAIN(messages_come_in_any_pieces_and_end_with_the_browser)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, read_pieces, NULL));
}

static wr_err read_large(void *arg)
{
    (void)arg;
    struct wr_program *program = start(
        "printf '{\"a\":\"' >&4; head -c 1000000 /dev/zero | tr '\\0' x >&4;"
        "printf '\"}\\0' >&4; head -c 60000000 /dev/zero | tr '\\0' x >&4");
    REQUIRE(program, WR_OK);
    struct cdp cdp = CDP(program);
    json_t *message = NULL;
    REQUIRE_OK(cdp_next(&cdp, &message, wr_after(WR_S(60))), WR_OK);
    CHECK_EQ(1000000, strlen(cdp_text(message, "a", NULL)));
    json_decref(message);
    CHECK_ERR(WR_DENIED, cdp_next(&cdp, &message, wr_after(WR_S(60))));
    cdp_fini(&cdp);
    wr_program_close(program);
    return WR_OK;
}

TEST_PLAIN(a_message_may_be_large_and_not_without_bound)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, read_large, NULL));
}

static wr_err wait_in_vain(void *arg)
{
    (void)arg;
    struct wr_program *program = start("read x <&3");
    REQUIRE(program, WR_OK);
    struct cdp cdp = CDP(program);
    json_t *message = NULL;
    CHECK_ERR(WR_TIMEOUT, cdp_next(&cdp, &message, wr_after(WR_MS(20))));
    cdp_fini(&cdp);
    wr_program_close(program);
    return WR_OK;
}

TEST_PLAIN(a_browser_that_says_nothing_is_waited_for_until_the_deadline)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, wait_in_vain, NULL));
}
