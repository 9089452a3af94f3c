/* diary.c - see diary.h. */
#include "svc/node/diary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/chan.h>
#include <weir/log.h>
#include <weir/metric.h>
#include <weir/select.h>
#include <weir/timer.h>

#include "net/json_in.h"
#include "store/audit.h"
#include "svc/node/node_int.h"
#include "svc/node/page.h"

#define WRITE_WITHIN WR_S(2)
#define TRY_AGAIN WR_S(1)
#define PRUNE_EVERY WR_S(3600)
#define PRUNE_AT_ONCE 1000
#define PAGE_BYTES ((size_t)1 << 20)

static struct wr_metric events_total = {
    .name = "audit_events_total",
    .help = "Events of the audit: stored, or lost, as the store took none for too long.",
    .type = WR_COUNTER, .labels = { "result" }, .series_max = 2,
};

/* An event on its way. */
struct entry { char type[40], actor[WR_ADDR_TEXT_MAX], request[65], detail[256]; };

struct diary {
    struct store *store;
    struct wr_chan *entries;
    struct wr_counter *stored, *lost;
};

static void count_lost(void *entry)
{
    (void)entry;
    wr_counter_add(wr_metric_counter(&events_total, "lost"), 1);
}

wr_err diary_new(struct diary **ret, struct store *store)
{
    struct diary *diary = calloc(1, sizeof(*diary));
    if (!diary)
        return WR_NOMEM;
    diary->store = store;
    diary->stored = wr_metric_counter(&events_total, "stored");
    diary->lost = wr_metric_counter(&events_total, "lost");
    wr_err err = wr_chan_new(&diary->entries, &(struct wr_chan_conf){
        .name = "node.audit", .item_size = sizeof(struct entry), .cap = DIARY_QUEUE,
        .policy = WR_DROP_OLDEST, .drop = count_lost });
    if (err) {
        free(diary);
        return err;
    }
    *ret = diary;
    return WR_OK;
}

void diary_free(struct diary *diary)
{
    if (!diary)
        return;
    wr_chan_free(diary->entries);
    free(diary);
}

/* ---- noting ---- */

static void copy(char *to, size_t room, const char *from)
{
    snprintf(to, room, "%s", from ? from : "");
}

void diary_note(struct diary *diary, const struct diary_event *event)
{
    struct entry entry = { 0 };
    copy(entry.type, sizeof(entry.type), event->type);
    copy(entry.actor, sizeof(entry.actor), event->actor ? event->actor : "node");
    copy(entry.request, sizeof(entry.request), event->request);
    copy(entry.detail, sizeof(entry.detail), event->detail);
    if (!event->told)
        wr_log(WR_WARN, "audit", WR_F_STR("type", entry.type), WR_F_STR("actor", entry.actor),
               WR_F_STR("corr_id", entry.request));
    if (diary->store)
        (void)!wr_chan_send(diary->entries, &entry, WR_NOW);
}

void diary_call(struct diary *diary, struct wr_call *call, const char *type)
{
    char text[WR_ADDR_TEXT_MAX];
    diary_note(diary, &(struct diary_event){
        .type = type, .actor = wr_addr_print(wr_call_peer(call), text),
        .request = wr_call_corr_id(call) });
}

/* ---- writing ---- */

static wr_err put(struct diary *diary, const struct entry *entry, wr_time deadline)
{
    wr_err err = store_audit_add(diary->store, &(struct store_event){
        .type = entry->type, .actor = entry->actor,
        .request = entry->request[0] ? entry->request : NULL,
        .detail = entry->detail[0] ? entry->detail : NULL }, deadline);
    if (!err)
        wr_counter_add(diary->stored, 1);
    return err;
}

/* What has to end says what it still can. */
static void write_the_rest(struct diary *diary, const struct entry *held)
{
    wr_time deadline = wr_after(DIARY_LAST_WORD);
    struct entry entry;
    if (held && put(diary, held, deadline))
        wr_counter_add(diary->lost, 1);
    while (!wr_chan_recv(diary->entries, &entry, WR_NOW))
        if (put(diary, &entry, deadline))
            wr_counter_add(diary->lost, 1);
}

/* What cannot be pruned now is pruned another time. */
static void prune(struct diary *diary)
{
    uint64_t count = 0;
    struct wr_wall before = { wr_wall().ns - DIARY_KEPT };
    while (!store_audit_prune(diary->store, before, PRUNE_AT_ONCE, &count,
                              wr_after(WRITE_WITHIN))
           && count == PRUNE_AT_ONCE)
        ;
}

wr_err diary_run(void *arg, struct wr_once *drain)
{
    struct diary *diary = arg;
    struct wr_timer again = { 0 }, old = { 0 };
    struct entry entry;
    bool held = false;                      /* one that the store did not take */
    struct wr_case cases[] = {
        WR_CASE_ONCE(drain, NULL), WR_CASE_TIMER(&old), WR_CASE_TIMER(&again),
        WR_CASE_RECV(diary->entries, &entry),
    };
    size_t which = 0;
    wr_err err;
    if (diary->store)
        wr_timer_set(&old, wr_after(PRUNE_EVERY));
    while (!(err = wr_select(&which, cases, held ? 3 : 4, WR_NEVER)) && which != 0) {
        if (which == 1) {
            prune(diary);
            wr_timer_set(&old, wr_after(PRUNE_EVERY));
            continue;
        }
        held = put(diary, &entry, wr_after(WRITE_WITHIN));
        if (held)
            wr_timer_set(&again, wr_after(TRY_AGAIN));
        else
            wr_timer_clear(&again);
    }
    wr_timer_clear(&again);
    wr_timer_clear(&old);
    if (!err && diary->store)
        write_the_rest(diary, held ? &entry : NULL);
    return err;
}

/* ---- what operators see of it ---- */

/* A number of the query; false: it is none, or out of bounds. */
static bool number_of(struct wr_call *call, const char *name, int64_t least, int64_t most,
                      int64_t *ret)
{
    const char *text = wr_call_query(call, name);
    char *end;
    if (!text)
        return true;
    *ret = strtoll(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && *ret >= least && *ret <= most;
}

static void write_event(struct page *page, const struct store_event *event)
{
    wr_json_object(&page->json, NULL);
    wr_json_i64(&page->json, "number", event->number);
    page_moment(page, "at", event->at);
    wr_json_str(&page->json, "type", event->type);
    wr_json_str(&page->json, "actor", event->actor);
    wr_json_str(&page->json, "request_id", event->request);
    if (event->detail)
        wr_json_raw(&page->json, "detail", event->detail, strlen(event->detail));
    wr_json_end(&page->json);
}

static wr_err refuse(struct wr_call *call, struct node *node, wr_err err)
{
    struct store_health health;
    depot_health(&node->depot, &health);
    if (err == WR_IO)
        wr_call_status(call, 503);
    return err == WR_IO && health.state != STORE_OK
        ? wr_call_fail(call, err, "the store: %s", health.why.text)
        : wr_call_fail(call, err, "the store: %s", wr_err_text(err));
}

static wr_err no_record(struct wr_call *call)
{
    return wr_call_fail(call, WR_UNSUPPORTED, "under amnesia nothing is kept: the log has it");
}

wr_err diary_serve_list(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    struct store_events events;
    int64_t after = 0, limit = DIARY_PAGE_MAX;
    if (!node->diary->store)
        return no_record(call);
    if (!number_of(call, "after", 0, INT64_MAX - 1, &after)
        || !number_of(call, "limit", 1, DIARY_PAGE_MAX, &limit))
        return wr_call_fail(call, WR_INVALID, "after is a number of an event, and limit is 1 "
                            "to %d", DIARY_PAGE_MAX);
    wr_err err = store_audit_list(node->diary->store, after, (size_t)limit, &events,
                                  wr_call_deadline(call));
    if (err)
        return refuse(call, node, err);
    struct page page = { .text = wr_text_heap(PAGE_BYTES) };
    page.json = wr_json_to(&page.text);
    wr_json_object(&page.json, NULL);
    wr_json_array(&page.json, "events");
    for (size_t i = 0; i < events.count; i++) {
        struct store_event event = store_event_at(&events, i);
        write_event(&page, &event);
        after = event.number;
    }
    wr_json_end(&page.json);
    wr_json_i64(&page.json, "after", after);
    store_events_free(&events);
    return page_end(&page, call);
}

/* What an operator wants to be known: it is answered when it is on the disk. */
wr_err diary_serve_note(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    char actor[WR_ADDR_TEXT_MAX];
    size_t len;
    const char *body = wr_call_body(call, &len);
    if (!node->diary->store)
        return no_record(call);
    json_t *wish = json_in_object(body, len);
    const char *note = json_string_value(json_object_get(wish, "note"));
    if (!note || !*note || strlen(note) > DIARY_NOTE_MAX || json_object_size(wish) != 1) {
        json_decref(wish);
        return wr_call_fail(call, WR_INVALID, "the body is {\"note\": \"...\"}, of 1 to %d "
                            "bytes", DIARY_NOTE_MAX);
    }
    struct page page;
    page_begin(&page);
    wr_json_str(&page.json, "note", note);
    json_decref(wish);
    wr_json_end(&page.json);
    wr_err err = page.text.cut ? WR_NOMEM
        : store_audit_add(node->diary->store, &(struct store_event){
              .type = "admin.note", .actor = wr_addr_print(wr_call_peer(call), actor),
              .request = wr_call_corr_id(call), .detail = page.text.at },
              wr_call_deadline(call));
    wr_text_free(&page.text);
    if (err)
        return refuse(call, node, err);
    wr_counter_add(node->diary->stored, 1);
    page_begin(&page);
    wr_json_str(&page.json, "status", "recorded");
    wr_call_status(call, 201);
    return page_end(&page, call);
}
