#include "svc/index/book.h"

#include <stdio.h>

#include <weir/scope.h>
#include <weir/task.h>

#include "testing/metric_rig.h"
#include "testing/settle.h"
#include "testing/store_rig.h"

#define SOON wr_after(WR_S(20))

static struct book *open_book(struct store *store)
{
    struct book *book = NULL;
    CHECK_OK(book_new(&book, &(struct book_conf){ .store = store, .self = "me" }));
    return book;
}

/* What is written down, as "provider role objects bytes failed;...". */
static const char *written(struct store *store)
{
    static char text[1000];
    struct store_servings list = { 0 };
    size_t len = 0;
    text[0] = '\0';
    CHECK_OK(store_serving_list(store, &(struct store_serving_ask){
        .from = 0, .to = INT64_MAX, .max = 20 }, &list, SOON));
    for (size_t i = 0; i < list.count; i++) {
        struct store_serving row = store_serving_at(&list, i);
        CHECK_STR("me", row.reporter);
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s %d %llu %llu %llu;",
                                row.provider, (int)row.role, (unsigned long long)row.objects,
                                (unsigned long long)row.bytes, (unsigned long long)row.failed);
    }
    store_servings_free(&list);
    return text;
}

STORE_TEST(what_was_counted_is_written_and_adds_up)
{
    struct book *book = open_book(store);
    book_served(book, 10);
    book_served(book, 20);
    book_served_in_vain(book);
    book_received(book, "you", 5);
    book_failed(book, "her");
    CHECK_STR("", written(store));
    CHECK_OK(book_write(book, SOON));
    CHECK_STR("her 2 0 0 1;me 1 2 30 1;you 2 1 5 0;", written(store));
    CHECK_OK(book_write(book, SOON));           /* nothing new, nothing twice */
    CHECK_STR("her 2 0 0 1;me 1 2 30 1;you 2 1 5 0;", written(store));
    book_received(book, "you", 6);
    CHECK_OK(book_write(book, SOON));
    CHECK_STR("her 2 0 0 1;me 1 2 30 1;you 2 2 11 0;", written(store));
    book_free(book);
}

LOCAL_TEST(what_is_not_written_in_time_is_written_the_next_time_and_once)
{
    struct book *book = open_book(store);
    book_received(book, "you", 5);
    /* The store may have been faster than who waits for it: then it is there, and once, too. */
    wr_err err = book_write(book, wr_now() - 1);
    CHECK(err == WR_TIMEOUT || err == WR_OK);
    book_received(book, "you", 6);
    CHECK_OK(book_write(book, SOON));
    CHECK_STR("you 2 2 11 0;", written(store));
    book_free(book);
}

struct run { struct book *book; struct wr_once *drain; wr_err result; };

static wr_err run_book(void *arg)
{
    struct run *run = arg;
    return run->result = book_run(run->book, run->drain);
}

LOCAL_TEST(it_is_written_every_ten_seconds_and_at_the_end)
{
    struct run run = { .book = open_book(store), .result = WR_PANIC };
    struct wr_scope *scope;
    CHECK_OK(wr_once_new(&run.drain, "test.drain", 0));
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.book",
                                                           .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "test.book", run_book, &run));
    settle();
    book_served(run.book, 1);
    CHECK_OK(wr_sleep(wr_after(BOOK_EVERY - WR_MS(1))));
    CHECK_STR("", written(store));
    CHECK_OK(wr_sleep(wr_after(WR_MS(2))));
    CHECK_STR("me 1 1 1 0;", written(store));
    book_served(run.book, 2);
    CHECK_OK(wr_once_set(run.drain, NULL));
    settle();
    CHECK_OK(run.result);
    CHECK_OK(wr_scope_close(scope));
    CHECK_STR("me 1 2 3 0;", written(store));
    wr_once_free(run.drain);
    book_free(run.book);
}

LOCAL_TEST(an_hour_that_has_passed_meanwhile_is_another_row)
{
    struct book *book = open_book(store);
    book_served(book, 1);
    CHECK_OK(wr_sleep(wr_after(WR_S(3600))));
    book_served(book, 2);
    CHECK_OK(book_write(book, SOON));
    CHECK_STR("me 1 1 1 0;me 1 1 2 0;", written(store));
    book_free(book);
}

LOCAL_TEST(what_there_is_no_room_for_is_counted_as_lost)
{
    struct book *book = open_book(store);
    char id[16];
    int64_t lost = metric_value("index_serving_lost_total{svc=\"index\"}");
    for (int i = 0; i < STORE_SERVING_ADD_MAX + 3; i++) {
        snprintf(id, sizeof(id), "p%d", i);
        book_received(book, id, 1);
    }
    book_received(book, "p0", 1);               /* who is known has room */
    CHECK_EQ((lost < 0 ? 0 : lost) + 3,
             metric_value("index_serving_lost_total{svc=\"index\"}"));
    CHECK_OK(book_write(book, SOON));
    book_free(book);
}

LOCAL_TEST(hours_of_long_ago_are_forgotten)
{
    struct run run = { .book = open_book(store) };
    struct store_serving old = { .hour = store_serving_hour(wr_wall()) - BOOK_HOURS - 1,
                                 .provider = "old", .role = STORE_SERVED, .objects = 1 };
    struct store_serving kept = { .hour = old.hour + 1, .provider = "kept",
                                  .role = STORE_SERVED, .objects = 1 };
    struct wr_scope *scope;
    CHECK_OK(store_serving_add(store, "me", 1, &old, 1, SOON));
    CHECK_OK(store_serving_add(store, "me", 2, &kept, 1, SOON));
    CHECK_OK(wr_once_new(&run.drain, "test.drain", 0));
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.book",
                                                           .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "test.book", run_book, &run));
    CHECK_OK(wr_sleep(wr_after(BOOK_EVERY + WR_MS(1))));
    CHECK_STR("kept 1 1 0 0;", written(store));
    CHECK_OK(wr_once_set(run.drain, NULL));
    CHECK_OK(wr_scope_close(scope));
    wr_once_free(run.drain);
    book_free(run.book);
}
