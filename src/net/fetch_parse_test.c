/* fetch_parse_test.c - answers, cut in any way. */
#include "net/fetch_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/test.h"

/* "200 a=b,c=d body", or the clause that says why not; fed in pieces of this size, of
 * an answer after which the connection ends. */
static const char *parsed(const char *text, size_t piece, bool no_body)
{
    static char result[1000];
    char body[1000];
    struct fetch_head head = { 0 };
    struct answer answer;
    size_t at = 0, len = strlen(text), body_len = 0, got;
    answer_open(&answer, &head, no_body);
    while (at < len && answer.state < ANSWER_DONE) {
        size_t part = len - at < piece ? len - at : piece;
        at += answer_feed(&answer, text + at, part, body + body_len, &got);
        body_len += got;
    }
    answer_end(&answer);
    size_t used = (size_t)snprintf(result, sizeof(result), "%u ", head.status);
    for (size_t i = 0; i < head.count; i++)
        used += (size_t)snprintf(result + used, sizeof(result) - used, "%s%s=%s", i ? "," : "",
                                 head.text + head.fields[i].name,
                                 head.text + head.fields[i].value);
    snprintf(result + used, sizeof(result) - used, " %.*s%s%s", (int)body_len, body,
             answer.keep_alive ? "" : "|", at < len ? " and more" : "");
    if (answer.state == ANSWER_BAD)
        snprintf(result, sizeof(result), "%s: %s", wr_err_name(answer.err), answer.why);
    answer_close(&answer);
    fetch_head_free(&head);
    return result;
}

static void every_way(const char *want, const char *text)
{
    for (size_t piece = 1; piece <= strlen(text); piece++)
        CHECK_STR(want, parsed(text, piece, false));
}

TEST_PLAIN(an_answer_is_the_same_however_it_is_cut)
{
    every_way("200 content-length=3,x-a=b abc",
              "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-A:  b \r\n\r\nabc");
    every_way("200 transfer-encoding=chunked abcde",
              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
              "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX-After: 1\r\n\r\n");
    every_way("204  ", "HTTP/1.1 204 No Content\r\n\r\n");
    every_way("304 content-length=9 ",
              "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n");
    every_way("200 x-empty=,x-b=c,content-length=0 ",
              "HTTP/1.1 200 OK\r\nX-Empty:\r\nX-B: c\r\nContent-Length: 0\r\n\r\n");
}

TEST_PLAIN(interim_answers_are_passed_over)
{
    every_way("200 content-length=1 x",
              "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"
              "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
}

TEST_PLAIN(a_body_may_end_with_the_connection)
{
    every_way("200  all of it|", "HTTP/1.0 200 OK\r\n\r\nall of it");
    every_way("200 connection=close all of it|",
              "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall of it");
    every_way("200  |", "HTTP/1.0 200 OK\r\n\r\n");
}

TEST_PLAIN(an_answer_to_head_has_no_body)
{
    CHECK_STR("200 content-length=5 ",
              parsed("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", 100, true));
}

TEST_PLAIN(what_comes_after_an_answer_is_not_of_it)
{
    CHECK_STR("200 content-length=1 x and more",
              parsed("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK", 100,
                     false));
}

TEST_PLAIN(what_breaks_off_is_bad)
{
    every_way("Io: it breaks off in its body",
              "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab");
    every_way("Io: it breaks off in its body",
              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n");
    every_way("Io: it breaks off in its head", "HTTP/1.1 200 OK\r\nContent-Le");
    every_way("Io: it breaks off in its head", "HTTP/1.1 100 Continue\r\n\r\n");
    CHECK_STR("Io: it breaks off in its head", parsed("", 1, false));
}

TEST_PLAIN(what_is_no_answer_is_bad)
{
    every_way("Io: it is not HTTP", "220 smtp.example ESMTP\r\n");
    every_way("Io: its head has a field whose name is none",
              "HTTP/1.1 200 OK\r\nX : y\r\n\r\n");
    every_way("Io: it is not HTTP",
              "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd");
    every_way("Io: it is not HTTP",
              "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n");
    every_way("Io: it is not HTTP",
              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxy\r\n");
    every_way("Io: it changes the protocol",
              "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n");
}

TEST_PLAIN(a_head_that_is_too_large_is_refused)
{
    static char text[200000];
    size_t len = (size_t)snprintf(text, sizeof(text), "HTTP/1.1 200 OK\r\nX: ");
    memset(text + len, 'y', 70000);
    CHECK_STR("Denied: its head is larger than 64 KiB", parsed(text, 4096, false));
    for (int i = 0; i < 129; i++)
        len += (size_t)snprintf(text + len, 20, "z\r\nX: ");
    CHECK_STR("Denied: its head has more than 128 fields or 64 KiB",
              parsed(text, 4096, false));
}
