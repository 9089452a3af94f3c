/* stranger_rig.h - a site of strangers on loopback: what it says is a table of paths, and what
 * it is asked is written down.  Time is virtual, so arrivals are exact.
 *
 *     struct stranger stranger = { .pages = {
 *         { "/robots.txt", .status = 404 },
 *         { "/a", .body = "<p>hello</p>" } } };
 *     stranger_open(&stranger);
 *     ...stranger_url(&stranger, "a.test", "/a")
 *     CHECK_STR("/robots.txt /a", stranger_paths(&stranger));
 *     stranger_close(&stranger);
 *
 * The names a.test to e.test are the site's (STRANGER_FETCH).  A path that is not in the table
 * is 404.  Of several rows for one path each is said once, and the last for ever.
 */
#ifndef WR_TESTING_STRANGER_RIG_H
#define WR_TESTING_STRANGER_RIG_H

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/fetch.h>
#include <weir/lock.h>
#include <weir/scope.h>
#include <weir/stream.h>
#include <weir/task.h>

#include "testing/settle.h"
#include "testing/test.h"

#define RIG_STRANGER __attribute__((unused)) static
#define STRANGER_ROWS 24
#define STRANGER_LOG 300

struct stranger_page {
    const char *path;               /* with the query */
    unsigned status;                /* 0: 200 */
    const char *headers;            /* "Retry-After: 7\r\n"; NULL: a page of HTML */
    const char *body;
    size_t body_len;                /* 0: that of the text */
    wr_time delay;
    bool silent;                    /* it hangs up without a word */
    bool short_of;                  /* ... after half of the body */
    bool said;                      /* the rig's own */
};

struct stranger {
    struct stranger_page pages[STRANGER_ROWS];
    struct wr_listener *listener;
    struct wr_scope *scope;
    struct wr_mutex lock;           /* of all below */
    unsigned asked, inside, most_inside;
    wr_time at[STRANGER_LOG];
    char heads[STRANGER_LOG][600];
};

struct stranger_conn { struct stranger *stranger; struct wr_stream *stream; };

/* The row for a request, and that it came. */
RIG_STRANGER struct stranger_page stranger_row(struct stranger *stranger, const char *head)
{
    const char *path = strchr(head, ' ');
    size_t len = path ? strcspn(++path, " ") : 0;
    struct stranger_page *row = NULL, page = { .status = 404, .body = "nothing here" };
    wr_mutex_lock(&stranger->lock);
    if (stranger->asked < STRANGER_LOG) {
        stranger->at[stranger->asked] = wr_now();
        snprintf(stranger->heads[stranger->asked], sizeof(stranger->heads[0]), "%.599s", head);
    }
    stranger->asked++;
    if (++stranger->inside > stranger->most_inside)
        stranger->most_inside = stranger->inside;
    for (size_t i = 0; i < STRANGER_ROWS && stranger->pages[i].path; i++) {
        struct stranger_page *one = &stranger->pages[i];
        if (strlen(one->path) != len || strncmp(one->path, path, len) != 0)
            continue;
        row = one;
        if (!one->said)
            break;
    }
    if (row) {
        row->said = true;
        page = *row;
    }
    wr_mutex_unlock(&stranger->lock);
    return page;
}

RIG_STRANGER void stranger_say(struct wr_stream *stream, const struct stranger_page *page)
{
    const char *body = page->body ? page->body : "";
    size_t len = page->body_len ? page->body_len : strlen(body), written;
    char head[600];
    int head_len = snprintf(head, sizeof(head),
                            "HTTP/1.1 %u X\r\nContent-Length: %zu\r\nConnection: close\r\n"
                            "%s\r\n", page->status ? page->status : 200,
                            page->status == 304 ? 0 : len,
                            page->headers ? page->headers : "Content-Type: text/html\r\n");
    struct wr_piece pieces[] = { { head, (size_t)head_len },
                                 { body, page->short_of ? len / 2 : len } };
    (void)!wr_stream_write(stream, &written, pieces, len && page->status != 304 ? 2 : 1,
                           WR_NEVER);
}

RIG_STRANGER wr_err stranger_answer(void *arg)
{
    struct stranger_conn *conn = arg;
    struct stranger *stranger = conn->stranger;
    char head[2000] = "";
    size_t len = 0, got = 1;
    wr_err err = WR_OK;
    while (!err && got > 0 && !strstr(head, "\r\n\r\n") && len < sizeof(head) - 1) {
        err = wr_stream_read(conn->stream, &got, head + len, sizeof(head) - 1 - len, WR_NEVER);
        len += err ? 0 : got;
    }
    if (!err && got > 0) {
        struct stranger_page page = stranger_row(stranger, head);
        if (page.delay)
            err = wr_sleep(wr_after(page.delay));
        if (!err && !page.silent)
            stranger_say(conn->stream, &page);
        wr_mutex_lock(&stranger->lock);
        stranger->inside--;
        wr_mutex_unlock(&stranger->lock);
    }
    wr_stream_close(conn->stream);
    free(conn);
    return WR_OK;
}

RIG_STRANGER wr_err stranger_serve(void *arg)
{
    struct stranger *stranger = arg;
    struct wr_conn incoming;
    wr_err err;
    while (!(err = wr_accept(stranger->listener, &incoming, WR_NEVER))) {
        struct stranger_conn *conn = malloc(sizeof(*conn));
        conn->stranger = stranger;
        if (wr_stream_open(&conn->stream, &incoming)
            || wr_scope_go(stranger->scope, "test.stranger", stranger_answer, conn))
            free(conn);
    }
    return err;
}

RIG_STRANGER void stranger_open(struct stranger *stranger)
{
    struct wr_addr addr;
    stranger->lock = (struct wr_mutex)WR_MUTEX("test.stranger", 2000);
    CHECK_OK(wr_addr_parse(&addr, "127.0.0.1:0"));
    REQUIRE_OK(wr_listen(&stranger->listener, &addr));
    CHECK_OK(wr_scope_new(&stranger->scope, &(struct wr_scope_conf){
        .name = "test.stranger", .deadline = WR_NEVER, .independent = true }));
    CHECK_OK(wr_scope_go(stranger->scope, "test.strangers", stranger_serve, stranger));
}

RIG_STRANGER void stranger_close(struct stranger *stranger)
{
    wr_scope_cancel(stranger->scope);
    (void)!wr_scope_close(stranger->scope);
    wr_listener_close(stranger->listener);
    wr_mutex_fini(&stranger->lock);
}

RIG_STRANGER const char *stranger_url(const struct stranger *stranger, const char *host,
                                      const char *path)
{
    static char texts[16][300];
    static _Atomic unsigned next;
    char *text = texts[atomic_fetch_add(&next, 1) % 16];
    snprintf(text, sizeof(texts[0]), "http://%s:%u%s", host,
             wr_listener_addr(stranger->listener)->port, path);
    return text;
}

/* All paths that were asked for, in their order. */
RIG_STRANGER const char *stranger_paths(struct stranger *stranger)
{
    static char text[4000];
    size_t len = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < stranger->asked && i < STRANGER_LOG; i++) {
        const char *path = strchr(stranger->heads[i], ' ') + 1;
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%.*s", i ? " " : "",
                                (int)strcspn(path, " "), path);
    }
    return text;
}

#define STRANGER_HERE { .kind = WR_ADDR_IP4, .ip = { 127, 0, 0, 1 } }
RIG_STRANGER const struct wr_fetch_range stranger_range = {
    .ip = { .kind = WR_ADDR_IP4, .ip = { 127 } }, .bits = 8,
};
RIG_STRANGER const struct wr_fetch_host stranger_hosts[] = {
    { "a.test", STRANGER_HERE }, { "b.test", STRANGER_HERE }, { "c.test", STRANGER_HERE },
    { "d.test", STRANGER_HERE }, { "e.test", STRANGER_HERE }, { "a.test.", STRANGER_HERE },
    { "inside.test", { .kind = WR_ADDR_IP4, .ip = { 10, 0, 0, 1 } } },
};

/* How to fetch from it. */
#define STRANGER_FETCH { .name = "test", .plain = true, .allow = &stranger_range, \
    .allow_count = 1, .hosts = stranger_hosts, \
    .host_count = sizeof(stranger_hosts) / sizeof(stranger_hosts[0]) }

#endif
