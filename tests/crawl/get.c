/* get.c - fetches pages as the queue does, from sites on loopback.
 *
 *     get INTERVAL_MS DEADLINE_MS < addresses      a line each: URL, or URL tab cookie
 *
 * Those of a block of lines are fetched at once, an empty line ends a block; a page that comes
 * again is asked for again, and is kept meanwhile.  Prints a line of JSON for each, in order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/run.h>
#include <weir/scope.h>

#include "base/json.h"
#include "crawl/crawl.h"

#define ASKED_MAX 256
#define LINE_MAX_ 2100

struct asked {
    char line[LINE_MAX_];
    const char *cookie;
    unsigned block;
    struct crawl_page page;
    struct crawl_page kept;
    wr_err err;
};

static struct asked asked[ASKED_MAX];
static size_t asked_count;
static struct crawl *crawl;
static wr_time interval, patience;

/* ---- what is kept, each page once: blocks come one after another ---- */

static struct asked *keeper(const char *url)
{
    for (size_t i = 0; i < asked_count; i++)
        if (strcmp(asked[i].line, url) == 0)
            return &asked[i];
    return NULL;
}

static char *copy(const char *text)
{
    return text ? strdup(text) : NULL;
}

static void copy_page(struct crawl_page *ret, const struct crawl_page *page)
{
    *ret = *page;
    ret->url = copy(page->url);
    ret->etag = copy(page->etag);
    ret->last_modified = copy(page->last_modified);
    ret->bytes = page->bytes ? wr_bytes_ref(page->bytes) : NULL;
}

static wr_err recall(void *self, const char *url, struct crawl_page *ret, wr_time deadline)
{
    (void)self;
    (void)deadline;
    struct asked *one = keeper(url);
    if (!one || !one->kept.bytes)
        return WR_NOTFOUND;
    copy_page(ret, &one->kept);
    return WR_OK;
}

static wr_err keep(void *self, const char *url, const struct crawl_page *page, wr_time deadline)
{
    (void)self;
    (void)deadline;
    struct asked *one = keeper(url);
    if (!one)
        return WR_OK;
    crawl_page_free(&one->kept);
    copy_page(&one->kept, page);
    return WR_OK;
}

/* ---- fetching ---- */

static wr_err get(void *arg)
{
    struct asked *one = arg;
    one->err = crawl_get(crawl, &(struct crawl_ask){ .url = one->line, .cookie = one->cookie,
                                                     .accept_pdf = true, .renew = true },
                         &one->page, wr_after(patience));
    return WR_OK;
}

static wr_err get_block(unsigned block)
{
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "get",
                                                               .deadline = WR_NEVER });
    for (size_t i = 0; i < asked_count && !err; i++)
        if (asked[i].block == block)
            err = wr_scope_go(scope, "get.page", get, &asked[i]);
    wr_err ended = wr_scope_join(scope, wr_after(2 * patience));
    wr_err closed = wr_scope_close(scope);
    return err ? err : ended ? ended : closed;
}

static void print(const struct asked *one)
{
    static char bytes[8000];
    struct wr_text text = WR_TEXT(bytes);
    struct wr_json json = wr_json_to(&text);
    const struct crawl_page *page = &one->page;
    wr_json_object(&json, NULL);
    wr_json_str(&json, "asked", one->line);
    wr_json_str(&json, "outcome", crawl_outcome_name(page->outcome));
    wr_json_str(&json, "error", wr_err_name(one->err));
    wr_json_u64(&json, "status", page->status);
    wr_json_str(&json, "url", page->url);
    wr_json_str(&json, "media", media_name(page->media));
    wr_json_str(&json, "challenge", challenge_name(page->challenge));
    wr_json_u64(&json, "redirects", page->redirects);
    wr_json_u64(&json, "size", page->bytes ? page->bytes->len : 0);
    wr_json_str(&json, "why", page->why);
    wr_json_end(&json);
    printf("%s\n", bytes);
}

static wr_err run(void *arg)
{
    static const struct wr_fetch_range here = {
        .ip = { .kind = WR_ADDR_IP4, .ip = { 127 } }, .bits = 8,
    };
    static const struct crawl_memory memory = { .recall = recall, .keep = keep };
    const unsigned *blocks = arg;
    wr_err err = crawl_open(&crawl, &(struct crawl_conf){
        .fetch = { .allow = &here, .allow_count = 1 }, .memory = &memory,
        .domain = { .interval = interval, .jitter_min = 1, .jitter_max = 1 } });
    for (unsigned i = 0; i <= *blocks && !err; i++)
        err = get_block(i);
    for (size_t i = 0; i < asked_count; i++) {
        print(&asked[i]);
        crawl_page_free(&asked[i].page);
        crawl_page_free(&asked[i].kept);
    }
    crawl_close(crawl);
    return err;
}

int main(int argc, char **argv)
{
    unsigned blocks = 0;
    if (argc < 3) {
        fprintf(stderr, "usage: get INTERVAL_MS DEADLINE_MS < addresses\n");
        return 2;
    }
    interval = WR_MS(strtol(argv[1], NULL, 10));
    patience = WR_MS(strtol(argv[2], NULL, 10));
    while (asked_count < ASKED_MAX
           && fgets(asked[asked_count].line, LINE_MAX_, stdin)) {
        struct asked *one = &asked[asked_count];
        one->line[strcspn(one->line, "\n")] = '\0';
        char *tab = strchr(one->line, '\t');
        if (tab)
            *tab = '\0';
        one->cookie = tab ? tab + 1 : NULL;
        one->block = blocks;
        if (one->line[0])
            asked_count++;
        else
            blocks++;
    }
    wr_err err = wr_run(&(struct wr_run_conf){ 0 }, run, &blocks);
    if (err)
        fprintf(stderr, "get: %s\n", wr_err_text(err));
    return err != WR_OK;
}
