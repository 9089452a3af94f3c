#include "svc/index/book.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>
#include <weir/metric.h>

#include "base/world.h"

#define ROWS STORE_SERVING_ADD_MAX
#define LOCK_RANK 731
#define WRITE_WITHIN WR_S(5)
#define LAST_WITHIN WR_S(2)             /* of a drain */
#define FORGET_AT_ONCE 1000

static struct wr_metric objects_metric = {
    .name = "index_serving_objects_total",
    .help = "Objects that went out and came in, by how it ended.",
    .type = WR_COUNTER, .labels = { "role", "result" }, .series_max = 4, .svc = "index" };
static struct wr_metric bytes_metric = {
    .name = "index_serving_bytes_total",
    .help = "Bytes of objects that went out and came in whole.",
    .type = WR_COUNTER, .labels = { "role" }, .series_max = 2, .svc = "index" };
static struct wr_metric lost_metric = {
    .name = "index_serving_lost_total",
    .help = "Counts that could not be kept, as the store took none for too long.",
    .type = WR_COUNTER, .svc = "index" };

struct page {
    size_t count;
    struct store_serving rows[ROWS];
    char ids[ROWS][STORE_SERVING_ID_MAX + 1];
};

struct book {
    struct store *store;
    char self[STORE_SERVING_ID_MAX + 1];
    struct wr_mutex lock;               /* of `open` */
    struct page *open, *closed;         /* counted into; being written, by the writer alone */
    int64_t batch;                      /* the number of `closed` */
    int64_t forgotten;                  /* the hour in which it was last looked for old ones */
};

wr_err book_new(struct book **ret, const struct book_conf *conf)
{
    struct book *book = calloc(1, sizeof(*book));
    if (!book)
        return WR_NOMEM;
    book->store = conf->store;
    book->lock = (struct wr_mutex)WR_MUTEX("index.book", LOCK_RANK);
    snprintf(book->self, sizeof(book->self), "%s", conf->self);
    book->open = calloc(1, sizeof(*book->open));
    book->closed = calloc(1, sizeof(*book->closed));
    if (!book->open || !book->closed) {
        book_free(book);
        return WR_NOMEM;
    }
    *ret = book;
    return WR_OK;
}

void book_free(struct book *book)
{
    if (!book)
        return;
    wr_mutex_fini(&book->lock);
    free(book->open);
    free(book->closed);
    free(book);
}

/* ---- counting ---- */

/* NULL: there is no room. */
static struct store_serving *row_of(struct page *page, int64_t hour, const char *provider,
                                    enum store_serving_role role)
{
    for (size_t i = 0; i < page->count; i++) {
        struct store_serving *row = &page->rows[i];
        if (row->hour == hour && row->role == role && strcmp(row->provider, provider) == 0)
            return row;
    }
    if (page->count == ROWS)
        return NULL;
    char *id = page->ids[page->count];
    snprintf(id, sizeof(page->ids[0]), "%s", provider);
    page->rows[page->count] = (struct store_serving){ .hour = hour, .provider = id,
                                                      .role = role };
    return &page->rows[page->count++];
}

static void count(struct book *book, const struct store_serving *one)
{
    const char *role = one->role == STORE_SERVED ? "served" : "received";
    int64_t hour = store_serving_hour(wr_wall());
    wr_mutex_lock(&book->lock);
    struct store_serving *row = row_of(book->open, hour, one->provider, one->role);
    if (row) {
        row->objects += one->objects;
        row->bytes += one->bytes;
        row->failed += one->failed;
    }
    wr_mutex_unlock(&book->lock);
    if (!row)
        wr_counter_add(wr_metric_counter(&lost_metric), 1);
    wr_counter_add(wr_metric_counter(&objects_metric, role, one->failed ? "failed" : "ok"), 1);
    wr_counter_add(wr_metric_counter(&bytes_metric, role), one->bytes);
}

void book_served(struct book *book, size_t bytes)
{
    count(book, &(struct store_serving){ .provider = book->self, .role = STORE_SERVED,
                                         .objects = 1, .bytes = bytes });
}

void book_served_in_vain(struct book *book)
{
    count(book, &(struct store_serving){ .provider = book->self, .role = STORE_SERVED,
                                         .failed = 1 });
}

void book_received(struct book *book, const char *provider, size_t bytes)
{
    count(book, &(struct store_serving){ .provider = provider, .role = STORE_RECEIVED,
                                         .objects = 1, .bytes = bytes });
}

void book_failed(struct book *book, const char *provider)
{
    count(book, &(struct store_serving){ .provider = provider, .role = STORE_RECEIVED,
                                         .failed = 1 });
}

/* ---- writing ---- */

/* What was counted is to be written now, under a number of its own. */
static void turn_page(struct book *book)
{
    wr_mutex_lock(&book->lock);
    struct page *page = book->open;
    book->open = book->closed;
    wr_mutex_unlock(&book->lock);
    book->closed = page;
    wr_world->entropy(&book->batch, sizeof(book->batch));
}

static wr_err write_page(struct book *book, wr_time deadline)
{
    struct page *page = book->closed;
    wr_err err = store_serving_add(book->store, book->self, book->batch, page->rows,
                                   page->count, deadline);
    if (err == WR_INVALID)              /* it never will be taken */
        wr_counter_add(wr_metric_counter(&lost_metric), page->count);
    if (!err || err == WR_INVALID)
        page->count = 0;
    return err;
}

static wr_err forget_old(struct book *book, wr_time deadline)
{
    uint64_t gone = 0;
    wr_err err = WR_OK;
    int64_t now = store_serving_hour(wr_wall());
    if (now == book->forgotten)
        return WR_OK;
    do
        err = store_serving_forget(book->store, now - BOOK_HOURS, FORGET_AT_ONCE, &gone,
                                   deadline);
    while (!err && gone == FORGET_AT_ONCE);
    if (!err)
        book->forgotten = now;
    return err;
}

wr_err book_write(struct book *book, wr_time deadline)
{
    wr_err err = book->closed->count ? write_page(book, deadline) : WR_OK;
    if (err)
        return err;
    turn_page(book);
    return book->closed->count ? write_page(book, deadline) : WR_OK;
}

wr_err book_run(void *arg, struct wr_once *drain)
{
    struct book *book = arg;
    for (;;) {
        wr_err err = wr_once_wait(drain, NULL, wr_after(BOOK_EVERY));
        if (!err)
            break;
        if (err != WR_TIMEOUT)
            return err;
        if (!book_write(book, wr_after(WRITE_WITHIN)))
            (void)!forget_old(book, wr_after(WRITE_WITHIN));
    }
    (void)!book_write(book, wr_after(LAST_WITHIN));     /* what is lost now is lost */
    return WR_OK;
}
