/* index_lookups.c - see index_lookups.h. */
#include "svc/index/index_lookups.h"

#include <stdio.h>
#include <string.h>

#include "net/etag.h"
#include "svc/index/index_answer.h"
#include "svc/index/index_keys.h"
#include "svc/index/index_meter.h"

#define ROOM 24576                      /* bytes of an answer with 32 providers, and more */
#define ANSWER_WITHIN WR_MS(500)        /* after the deadline, for the answer to go out */

/* At the same time, of each: who shares a flight with others takes no place in index.work. */
#define CONCURRENCY 512

/* ---- answers ---- */

/* A lookup: of which route, by when. */
struct question {
    struct wr_call *call;
    struct index_desk *desk;
    const char *route;                  /* for metrics: "resolve" */
    struct index_key key;
    bool fresh;
    struct index_quota quota;
    wr_time deadline;
};

static bool is_true(const char *text)
{
    return text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

static wr_err begin(struct question *ret, struct wr_call *call, bool providers)
{
    const char *clause;
    *ret = (struct question){ .call = call, .route = providers ? "providers" : "resolve",
                              .quota = { .call = call },
                              .fresh = is_true(wr_call_query(call, "fresh")) };
    wr_err err = index_desk_of(call, &ret->desk);
    if (err)
        return err;
    err = index_key_read(&ret->key, wr_call_param(call, providers ? "cid" : "key"), &clause);
    if (err)
        return wr_call_fail(call, WR_INVALID, "%s", clause);
    if (providers && ret->key.is_name)
        return wr_call_fail(call, WR_INVALID, "providers are of a content id: b3: and 64 hex "
                            "digits in lower case");
    const struct index_settings *settings = wr_cell_get(ret->desk->settings);
    ret->deadline = wr_call_began(call) + settings->deadline;
    wr_cell_put(ret->desk->settings, settings);
    return WR_OK;
}

/* What is left of the quota, where there is one. */
static void say_left(const struct question *question)
{
    struct wr_call *call = question->call;
    const struct index_quota *quota = &question->quota;
    wr_time full = (wr_time)(quota->rate.burst - quota->left) * quota->rate.interval;
    char text[24];
    if (quota->rate.burst == 0)
        return;
    snprintf(text, sizeof(text), "%u", quota->rate.burst);
    wr_call_reply_header(call, "RateLimit-Limit", text);
    snprintf(text, sizeof(text), "%u", quota->left);
    wr_call_reply_header(call, "RateLimit-Remaining", text);
    snprintf(text, sizeof(text), "%lld", (long long)((full + WR_S(1) - 1) / WR_S(1)));
    wr_call_reply_header(call, "RateLimit-Reset", text);
}

static wr_err refuse(const struct question *question, wr_err err)
{
    const char *why = NULL;
    if (err == WR_BUSY)
        index_meter_refused(question->route);
    if (question->quota.is_used_up) {
        wr_call_retry_after(question->call, question->quota.wait);
        why = "the quota of this minute is used up";
    } else if (err == WR_BUSY) {
        why = "as many lookups wait as may";
    } else if (err == WR_TIMEOUT) {
        index_meter_late(question->route);
        why = "nobody has answered in time";
    } else if (err == WR_NOTFOUND) {
        why = "nobody knows of it";
    } else if (err == WR_DEGRADED) {
        why = "this node does not know, and nobody else could be asked";
    }
    return index_desk_fail(question->call, err, why);
}

static wr_err answer(const struct question *question, const struct wr_text *text,
                     const char *etag)
{
    struct wr_call *call = question->call;
    char tag[WR_CID_TEXT + 2];
    if (text->cut)
        return WR_NOMEM;
    struct wr_text quoted = WR_TEXT(tag);
    wr_text_str(&quoted, "\"");
    wr_text_str(&quoted, etag);
    wr_text_str(&quoted, "\"");
    wr_call_reply_header(call, "ETag", tag);
    wr_call_reply_header(call, "Cache-Control",
                         question->fresh ? "no-cache" : "public, max-age=5");
    unsigned status = etag_judge(call, &(struct etag_of){ .tag = tag });
    if (status) {
        wr_call_status(call, status);
        return WR_OK;
    }
    wr_call_type(call, "application/json");
    wr_call_write(call, text->at, text->len);
    return WR_OK;
}

static wr_err get_resolve(struct wr_call *call)
{
    char room[ROOM], etag[WR_CID_TEXT];
    struct wr_text text = WR_TEXT(room);
    struct question question;
    wr_err err = begin(&question, call, false);
    if (err)
        return err;
    err = index_answer_resolve(question.desk, &question.quota, &question.key, question.fresh,
                               &text, etag, question.deadline);
    say_left(&question);
    return err ? refuse(&question, err) : answer(&question, &text, etag);
}

static wr_err get_providers(struct wr_call *call)
{
    char room[ROOM], etag[WR_CID_TEXT];
    struct wr_text text = WR_TEXT(room);
    struct question question;
    wr_err err = begin(&question, call, true);
    if (err)
        return err;
    struct index_wish wish = {
        .fresh = question.fresh, .region = wr_call_query(call, "region"),
        .limit = index_desk_number(call, "limit", 1, RANK_LIMIT_MAX, RANK_LIMIT),
        .seen_within_s = index_desk_number(call, "min_freshness", 0, 1000000000, 0) };
    err = index_answer_providers(question.desk, &question.quota, &question.key, &wish, &text,
                                 etag, question.deadline);
    say_left(&question);
    return err ? refuse(&question, err) : answer(&question, &text, etag);
}

/* ---- the table ---- */

static const char resolve_gives[] =
    "{\"type\":\"object\",\"required\":[\"key\",\"kind\",\"manifest_cid\",\"source\","
    "\"integrity\",\"etag\",\"freshness_s\",\"providers_hint\"],"
    "\"properties\":{\"key\":{\"type\":\"string\"},\"kind\":{\"enum\":[\"cid\",\"name\"]},"
    "\"manifest_cid\":{\"type\":\"string\"},\"source\":{\"enum\":[\"cache\",\"db\",\"dht\"]},"
    "\"integrity\":{\"type\":\"object\",\"required\":[\"algo\",\"digest\"],"
    "\"properties\":{\"algo\":{\"type\":\"string\"},\"digest\":{\"type\":\"string\"}}},"
    "\"etag\":{\"type\":\"string\"},\"freshness_s\":{\"type\":\"number\",\"minimum\":0},"
    "\"providers_hint\":{\"type\":\"number\",\"minimum\":0},"
    "\"degraded\":{\"type\":\"boolean\"},\"manifest\":{\"type\":\"string\"},"
    "\"providers\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"id\"],"
    "\"properties\":{\"id\":{\"type\":\"string\"},\"region\":{\"type\":\"string\"},"
    "\"score\":{\"type\":\"number\",\"minimum\":0}}}}}}";
static const char providers_gives[] =
    "{\"type\":\"object\",\"required\":[\"cid\",\"providers\",\"truncated\",\"etag\"],"
    "\"properties\":{\"cid\":{\"type\":\"string\"},\"providers\":{\"type\":\"array\","
    "\"items\":{\"type\":\"object\",\"required\":[\"id\",\"addr\",\"class\",\"score\","
    "\"last_seen_s\"],\"properties\":{\"id\":{\"type\":\"string\"},"
    "\"addr\":{\"type\":\"string\"},\"region\":{\"type\":\"string\"},"
    "\"score\":{\"type\":\"number\",\"minimum\":0},\"last_seen_s\":{\"type\":\"number\","
    "\"minimum\":0},\"class\":{\"enum\":[\"region_match\",\"fresh\",\"any\"]}}}},"
    "\"hedge\":{\"type\":\"object\",\"required\":[\"alpha_ms\",\"beta_ms\",\"winner\"],"
    "\"properties\":{\"alpha_ms\":{\"type\":\"number\",\"minimum\":0},"
    "\"beta_ms\":{\"type\":\"number\",\"minimum\":0},\"winner\":{\"enum\":[\"alpha\","
    "\"beta\",\"tie\"]}}},\"truncated\":{\"type\":\"boolean\"},"
    "\"degraded\":{\"type\":\"boolean\"},\"etag\":{\"type\":\"string\"}}}";

#define LOOKUP .class = WR_ROUTE_LONG, .deadline = INDEX_DEADLINE_MAX + ANSWER_WITHIN, \
    .concurrency = CONCURRENCY, .scope = "index.read", .tag = "index"

static const struct wr_route table[INDEX_LOOKUP_ROUTES] = {
    { .method = "GET", .path = "/resolve/{key}", .handler = get_resolve, LOOKUP,
      .gives = resolve_gives,
      .summary = "The manifest of a name or a content id, and a hint at who has it.",
      .query = "fresh: true, to look for it anew" },
    { .method = "GET", .path = "/providers/{cid}", .handler = get_providers, LOOKUP,
      .gives = providers_gives, .summary = "Who has a content id, the best first.",
      .query = "limit: how many, 1 to 32; 5\nregion: where they should be\n"
               "min_freshness: seconds since they were seen, at most\n"
               "fresh: true, to look for them anew" },
};

void index_lookup_routes(struct wr_route ret[INDEX_LOOKUP_ROUTES], struct index_desk *desk)
{
    memcpy(ret, table, sizeof(table));
    for (size_t i = 0; i < INDEX_LOOKUP_ROUTES; i++)
        ret[i].arg = desk;
    index_quota_declare();
}
