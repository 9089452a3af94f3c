#include "net/h1.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "testing/test.h"

/* What a row of requests comes to, as text: everything that is known of each. */
struct reading { struct h1 h1; struct head head; struct wr_text *text; };

static void add_body(void *arg, const char *bytes, size_t len)
{
    struct reading *reading = arg;
    wr_text_bytes(reading->text, bytes, len);
}

static void add_head(struct reading *reading)
{
    const struct h1 *h1 = &reading->h1;
    const struct head *head = &reading->head;
    wr_text_format(reading->text, "%s %.*s 1.%u", head->method, (int)head->target.len,
                   head->target.at, head->version - 10);
    for (size_t i = 0; i < head->count; i++)
        wr_text_format(reading->text, " <%.*s=%.*s>", (int)head->fields[i].name.len,
                       head->fields[i].name.at, (int)head->fields[i].value.len,
                       head->fields[i].value.len ? head->fields[i].value.at : "");
    wr_text_format(reading->text, "%s%s%s", h1->keep_alive ? " stays" : " goes",
                   h1->chunked ? " chunked" : "", head->expects_continue ? " expects" : "");
    if (head->length_known)
        wr_text_format(reading->text, " %llu", (unsigned long long)head->length);
    wr_text_str(reading->text, " [");
}

/* Feed what is between two places; false when the connection is over. */
static bool feed(struct reading *reading, const char *at, const char *end)
{
    enum h1_state state = H1_MORE;
    while (at < end || state == H1_HEAD) {
        size_t used;
        state = h1_feed(&reading->h1, at, (size_t)(end - at), &used);
        at += used;
        if (state == H1_HEAD)
            add_head(reading);
        if (state == H1_DONE)
            wr_text_str(reading->text, "]\n");
        if (state == H1_BAD) {
            wr_text_format(reading->text, "bad %u: %s\n", reading->h1.status,
                           reading->h1.why);
            return false;
        }
    }
    return true;
}

/* In pieces of `step` bytes, the first of `first`. */
static void read_all(struct wr_text *text, const char *bytes, size_t len, size_t first,
                     size_t step)
{
    struct reading reading = { .text = text };
    h1_open(&reading.h1, &reading.head, add_body, &reading);
    size_t at = 0, next = first < len ? first : len;
    while (at < len && feed(&reading, bytes + at, bytes + next)) {
        at = next;
        next = next + step < len ? next + step : len;
    }
}

/* The same for every way to cut it in two, and byte by byte. */
static void check_reads(const char *want, const char *bytes)
{
    size_t len = strlen(bytes);
    for (size_t first = 1; first <= len; first++) {
        struct wr_text text = wr_text_heap(10000);
        read_all(&text, bytes, len, first, first == 1 ? 1 : len);
        bool same = CHECK_STR(want, text.at);
        wr_text_free(&text);
        if (!same)
            return;
    }
}

/* ---- requests ---- */

TEST_PLAIN(a_request_is_read_however_it_is_cut)
{
    check_reads("GET / 1.1 <Host=a> stays 0 []\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    check_reads("GET /x?y=1 1.1 <Host=a> <X-Empty=> <Accept=text/html, */*> stays 0 []\n",
                "GET /x?y=1 HTTP/1.1\r\nHost: a\r\nX-Empty:\r\n"
                "Accept:  text/html, */* \r\n\r\n");
    check_reads("HEAD /h 1.0 goes 0 []\n", "HEAD /h HTTP/1.0\r\n\r\n");
    check_reads("GET /c 1.1 <Host=a> <Connection=close> goes 0 []\n",
                "GET /c HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    check_reads("GET /k 1.0 <Connection=keep-alive> stays 0 []\n",
                "GET /k HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    check_reads("OPTIONS * 1.1 <Host=a> stays 0 []\n", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n");
    check_reads("GET http://a/b 1.1 <Host=a> stays 0 []\n",
                "GET http://a/b HTTP/1.1\r\nHost: a\r\n\r\n");
    check_reads("GET https://A.b:443?q 1.1 <Host=a.B> stays 0 []\n",
                "GET https://A.b:443?q HTTP/1.1\r\nHost: a.B\r\n\r\n");
    check_reads("GET http://a 1.1 <Host=a:80> stays 0 []\n",
                "GET http://a HTTP/1.1\r\nHost: a:80\r\n\r\n");
}

TEST_PLAIN(a_body_is_read_by_its_length_or_its_chunks)
{
    check_reads("POST /p 1.1 <Host=a> <Content-Length=5> stays 5 [hello]\n",
                "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
    check_reads("PUT /p 1.1 <Host=a> <Content-Length=0> stays 0 []\n",
                "PUT /p HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
    check_reads("POST /p 1.1 <Host=a> <Transfer-Encoding=chunked> stays chunked "
                "[hello world]\n",
                "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                "5\r\nhello\r\n6;name=value\r\n world\r\n0\r\n\r\n");
    check_reads("POST /p 1.1 <Host=a> <Content-Length=2> <Expect=100-continue> stays expects 2"
                " [ok]\n",
                "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n"
                "\r\nok");
}

TEST_PLAIN(requests_that_follow_one_another_are_told_apart)
{
    check_reads("GET /1 1.1 <Host=a> stays 0 []\n"
                "POST /2 1.1 <Host=a> <Content-Length=3> stays 3 [abc]\n"
                "GET /3 1.1 <Host=b> stays 0 []\n",
                "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n"
                "POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
                "GET /3 HTTP/1.1\r\nHost: b\r\n\r\n");
}

TEST_PLAIN(a_header_is_found_by_its_name_in_any_case)
{
    struct reading reading = { 0 };
    struct wr_text text = wr_text_heap(100);
    static const char bytes[] = "GET / HTTP/1.1\r\nhOsT: a\r\nX-Thing: b\r\n\r\n";
    size_t used;
    reading.text = &text;
    h1_open(&reading.h1, &reading.head, add_body, &reading);
    CHECK_EQ(H1_HEAD, h1_feed(&reading.h1, bytes, sizeof(bytes) - 1, &used));
    CHECK_EQ(1, reading.head.host.len);
    const struct slice *thing = head_field(&reading.head, "x-thing");
    CHECK(thing && thing->len == 1 && thing->at[0] == 'b');
    CHECK(!head_field(&reading.head, "x-thin"));
    CHECK(!head_field(&reading.head, "x-things"));
    wr_text_free(&text);
}

/* ---- what is refused ---- */

#define HEAD "GET / HTTP/1.1\r\nHost: a\r\n"
#define POST_P "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
#define POST "POST / HTTP/1.1\r\nHost: a\r\n"

TEST_PLAIN(what_two_readers_could_understand_differently_is_refused)
{
    static const struct { const char *bytes; unsigned status; } refused[] = {
        { POST "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400 },
        { POST "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", 400 },
        { POST "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400 },
        { POST "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400 },
        { POST "Content-Length: 3, 3\r\n\r\nabc", 400 },
        { POST "Content-Length: +3\r\n\r\nabc", 400 },
        { POST "Content-Length: -3\r\n\r\nabc", 400 },
        { POST "Content-Length: 0x3\r\n\r\nabc", 400 },
        { POST "Content-Length: 3 \x0b\r\n\r\nabc", 400 },
        { POST "Content-Length: 99999999999999999999999\r\n\r\nabc", 400 },
        { POST "Content-Length:\r\n\r\nabc", 400 },
        { POST "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501 },
        { POST "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n", 400 },
        { POST "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501 },
        { POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
          400 },
        { POST "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400 },
        { POST "Transfer-Encoding: chunked\r\n\r\n5\nhello\n0\r\n\r\n", 400 },
        { POST "Transfer-Encoding: chunked\r\n\r\n5 \r\nhello\r\n0\r\n\r\n", 400 },
        { POST "Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n", 400 },
        { POST "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", 400 },
        { POST "Transfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n0\r\n\r\n", 400 },
        { "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400 },
        { HEAD "Host: b\r\n\r\n", 400 },
        { HEAD "Host : b\r\n\r\n", 400 },
        { HEAD "X y: b\r\n\r\n", 400 },
        { HEAD "X: a\r\n folded\r\n\r\n", 400 },
        { HEAD ": b\r\n\r\n", 400 },
        { HEAD "X\r\n\r\n", 400 },
        { HEAD "X: a\nY: b\r\n\r\n", 400 },
        { HEAD "X: a\rY: b\r\n\r\n", 400 },
        { "GET / HTTP/1.1\nHost: a\n\n", 400 },
        { "GET / HTTP/1.1\r\n\r\n", 400 },
        { "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400 },
        { "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400 },
        { " GET / HTTP/1.1\r\nHost: a\r\n\r\n", 400 },
        { "get / HTTP/1.1\r\nHost: a\r\n\r\n", 400 },
        { "GET x HTTP/1.1\r\nHost: a\r\n\r\n", 400 },
        { "GET http://b/x HTTP/1.1\r\nHost: a\r\n\r\n", 400 },
        { "GET http://a:81/x HTTP/1.1\r\nHost: a\r\n\r\n", 400 },
        { "GET http://a:443/x HTTP/1.1\r\nHost: a\r\n\r\n", 400 },
        { "GET http://u@a/x HTTP/1.1\r\nHost: a\r\n\r\n", 400 },
        { "GET http://ab/x HTTP/1.1\r\nHost: a\r\n\r\n", 400 },
        { "GET http://a/x HTTP/1.1\r\nHost:\r\n\r\n", 400 },
        { "GET http://a/x HTTP/1.0\r\n\r\n", 400 },
        { "GET / HTTP/9.9\r\nHost: a\r\n\r\n", 400 },
        { "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505 },
        { "GET / HTTX/1.1\r\nHost: a\r\n\r\n", 400 },
        { "GET /\r\n\r\n", 505 },
        { "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 501 },
        { HEAD "Expect: the-unexpected\r\n\r\n", 417 },
        { "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400 },
    };
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct wr_text text = wr_text_heap(10000);
        const char *bytes = refused[i].bytes;
        read_all(&text, bytes, strlen(bytes), strlen(bytes), 1);
        const char *verdict = strstr(text.at, "bad ");
        unsigned status = verdict ? (unsigned)strtoul(verdict + 4, NULL, 10) : 0;
        if (!CHECK_EQ(refused[i].status, status))
            CHECK_STR("refused", bytes);
        wr_text_free(&text);
    }
}

TEST_PLAIN(more_fields_than_there_is_room_for_are_too_many)
{
    char bytes[4096];
    struct wr_text request = WR_TEXT(bytes), text = wr_text_heap(10000);
    wr_text_str(&request, HEAD);
    for (int i = 0; i < HEAD_FIELDS_MAX; i++)
        wr_text_format(&request, "X-%d: y\r\n", i);
    wr_text_str(&request, "\r\n");
    read_all(&text, bytes, request.len, request.len, 1);
    CHECK_STR("bad 431: too many header fields\n", text.at);
    wr_text_free(&text);
}

TEST_PLAIN(fields_behind_the_body_are_read_over_and_not_without_end)
{
    check_reads("POST /p 1.1 <Host=a> <Transfer-Encoding=chunked> stays chunked [ok]\n"
                "GET / 1.1 <Host=a> stays 0 []\n",
                POST_P "2\r\nok\r\n0\r\nX-Late: 1\r\nHost: b\r\nX-Empty:\r\n\r\n" HEAD "\r\n");
    char bytes[H1_TRAILERS_MAX + 2000];
    struct wr_text request = WR_TEXT(bytes), text = wr_text_heap(20000);
    wr_text_str(&request, POST_P "0\r\n");
    while (request.len < H1_TRAILERS_MAX + 1500)
        wr_text_str(&request, "X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n");
    wr_text_str(&request, "\r\n");
    read_all(&text, bytes, request.len, request.len, 1);
    CHECK(strstr(text.at, "bad 431: the fields behind the body are too large\n"));
    wr_text_free(&text);
}

TEST_PLAIN(extensions_of_chunks_are_read_over_and_not_without_end)
{
    check_reads("POST /p 1.1 <Host=a> <Transfer-Encoding=chunked> stays chunked [ok]\n",
                POST_P "1;a=b\r\no\r\n1;d=\"e\"\r\nk\r\n0;f\r\n\r\n");
    char bytes[H1_TRAILERS_MAX + 2000];
    struct wr_text request = WR_TEXT(bytes), text = wr_text_heap(20000);
    wr_text_str(&request, POST_P "1;");
    while (request.len < H1_TRAILERS_MAX + 1500)
        wr_text_str(&request, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    read_all(&text, bytes, request.len, request.len, 1);
    CHECK(strstr(text.at, "bad 400: the extensions of the chunks are too large\n"));
    wr_text_free(&text);
}

TEST_PLAIN(a_target_of_another_scheme_or_without_a_host_field_is_refused)
{
    check_reads("bad 400: a target that is neither a path nor begins with http or https\n",
                "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n");
    check_reads("bad 400: a target that names a host needs a host field beside it\n",
                "GET http://a/ HTTP/1.0\r\n\r\n");
    check_reads("GET HTTPS://a/ 1.1 <Host=a> stays 0 []\n",
                "GET HTTPS://a/ HTTP/1.1\r\nHost: a\r\n\r\n");
}

TEST_PLAIN(after_something_bad_nothing_is_read_any_more)
{
    struct reading reading = { 0 };
    struct wr_text text = wr_text_heap(1000);
    static const char bytes[] = "nonsense\r\n\r\n", good[] = HEAD "\r\n";
    size_t used;
    reading.text = &text;
    h1_open(&reading.h1, &reading.head, add_body, &reading);
    CHECK_EQ(H1_BAD, h1_feed(&reading.h1, bytes, sizeof(bytes) - 1, &used));
    CHECK_EQ(H1_BAD, h1_feed(&reading.h1, good, sizeof(good) - 1, &used));
    CHECK_EQ(0, used);
    wr_text_free(&text);
}
