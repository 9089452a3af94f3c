#include "svc/index/lookup_verb.h"

#include "svc/index/index_answer.h"
#include "svc/index/index_ask.h"
#include "svc/index/index_keys.h"
#include "svc/index/index_meter.h"

#define ASK_MAX 1024                    /* bytes of what it is asked with */
#define ROOM ((size_t)64 << 10)         /* ... of an answer with 32 providers, and more */

/* A handler has three quarters of it. */
#define ANSWER_WITHIN ((INDEX_DEADLINE_MAX + WR_MS(300)) / 3 * 4)

static wr_time deadline_of(const struct wr_oap_call *call, struct index_desk *index)
{
    const struct index_settings *settings = wr_cell_get(index->settings);
    wr_time deadline = wr_oap_began(call) + settings->deadline;
    wr_cell_put(index->settings, settings);
    return deadline;
}

static wr_err explain(struct wr_oap_call *call, const char *route, wr_err err,
                      const struct index_quota *quota)
{
    if (quota->is_used_up)
        return wr_oap_fail(call, err, "the quota of this minute is used up; come again in "
                           "%lld s", (long long)((quota->wait + WR_S(1) - 1) / WR_S(1)));
    switch (err) {
    case WR_BUSY:
        index_meter_refused(route);
        return wr_oap_fail(call, err, "as many lookups wait as may");
    case WR_TIMEOUT:
        index_meter_late(route);
        return wr_oap_fail(call, err, "nobody has answered in time");
    case WR_NOTFOUND: return wr_oap_fail(call, err, "nobody knows of it");
    case WR_DEGRADED:
        return wr_oap_fail(call, err, "this node does not know, and nobody else could be "
                           "asked");
    default: return err;
    }
}

static wr_err look_up(struct wr_oap_call *call)
{
    const struct object_desk *desk = wr_oap_arg(call);
    struct index_desk *index = desk->conf.index;
    uint16_t verb = wr_oap_verb_of(call)->id;
    bool providers = verb == WR_OAP_INDEX_PROVIDERS;
    struct index_ask ask;
    const char *clause;
    char etag[WR_CID_TEXT];
    size_t len;
    const void *payload = wr_oap_payload(call, &len);
    if (index_ask_read(&ask, verb, payload, len, &clause))
        return wr_oap_fail(call, WR_INVALID, "%s", clause);
    struct wr_text text = wr_text_heap(ROOM);
    struct index_wish wish = { .limit = ask.limit, .region = ask.region };
    struct index_quota quota = { .oap = call };
    wr_time deadline = deadline_of(call, index);
    wr_err err = providers
        ? index_answer_providers(index, &quota, &ask.key, &wish, &text, etag, deadline)
        : index_answer_resolve(index, &quota, &ask.key, ask.fresh, &text, etag, deadline);
    if (!err && text.cut)
        err = WR_NOMEM;
    if (!err)
        wr_oap_write(call, text.at, text.len);
    wr_text_free(&text);
    return err ? explain(call, providers ? "providers" : "resolve", err, &quota) : WR_OK;
}

void lookup_verbs(struct node_verb *ret, struct object_desk *desk)
{
    static const struct { uint16_t id; const char *name; } rows[LOOKUP_VERBS] = {
        { WR_OAP_INDEX_RESOLVE, "INDEX_RESOLVE" },
        { WR_OAP_INDEX_PROVIDERS, "INDEX_PROVIDERS" } };
    for (size_t i = 0; i < LOOKUP_VERBS; i++)
        ret[i] = (struct node_verb){
            .row = { .id = rows[i].id, .name = rows[i].name, .handler = look_up, .arg = desk,
                     .payload_max = ASK_MAX, .deadline = ANSWER_WITHIN },
            .scope = "index.read", .submit = object_desk_look_up };
}
