/* index_tool.c - see index_tool.h. */
#include "svc/index/index_tool.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "mcp/request.h"
#include "svc/index/announcer.h"
#include "svc/index/catalog.h"
#include "svc/index/index_answer.h"
#include "svc/index/scribe.h"

#define WRITE_WITHIN WR_S(5)

static wr_err desk_of(struct mcp_request *request, struct index_desk **ret)
{
    *ret = mcp_request_arg(request);
    if ((*ret)->store)
        return WR_OK;
    return mcp_request_fail(request, WR_UNSUPPORTED, "there is no index here: the service "
                            "\"index\" is not enabled, or has no store");
}

static wr_err take_key(struct mcp_request *request, const char *name, bool cid,
                       struct index_key *ret)
{
    const char *clause;
    if (index_key_read(ret, mcp_request_string(request, name, NULL), &clause))
        return mcp_request_fail(request, WR_INVALID, "\"%s\": %s", name, clause);
    if (cid && ret->is_name)
        return mcp_request_fail(request, WR_INVALID, "\"%s\" is a content id: b3: and 64 hex "
                                "digits; resolve has that of a name", name);
    return WR_OK;
}

static wr_time deadline_of(struct index_desk *desk)
{
    const struct index_settings *settings = wr_cell_get(desk->settings);
    wr_time deadline = wr_after(settings->deadline);
    wr_cell_put(desk->settings, settings);
    return deadline;
}

static wr_err fail(struct mcp_request *request, wr_err err)
{
    const char *why = err == WR_NOTFOUND   ? "nobody knows of it"
                      : err == WR_TIMEOUT  ? "nobody has answered in time; try again"
                      : err == WR_BUSY     ? "as many lookups wait as may; try again"
                      : err == WR_DEGRADED ? "this node does not know, and nobody else could "
                                             "be asked: that does not mean that there is none"
                                         : wr_err_text(err);
    return mcp_request_fail(request, err, "%s", why);
}

/* What is structured is what is read, too. */
static wr_err finish(struct mcp_request *request, wr_err err)
{
    struct wr_text *text = mcp_request_structured(request);
    if (err)
        return fail(request, err);
    wr_text_bytes(mcp_request_text(request), text->at, text->len);
    return WR_OK;
}

static wr_err wait(struct mcp_request *request, const struct index_quota *quota)
{
    return mcp_request_fail(request, WR_BUSY, "the quota of this minute is used up; try again "
                            "in %lld s", (long long)((quota->wait + WR_S(1) - 1) / WR_S(1)));
}

static wr_err resolve(struct mcp_request *request)
{
    struct index_desk *desk;
    struct index_key key;
    char etag[WR_CID_TEXT];
    wr_err err = desk_of(request, &desk);
    if (!err)
        err = take_key(request, "key", false, &key);
    if (err)
        return err;
    struct index_quota quota = { .share = mcp_request_share(request) };
    err = index_answer_resolve(desk, &quota, &key,
                               mcp_request_boolean(request, "fresh", false),
                               mcp_request_structured(request), etag, deadline_of(desk));
    return quota.is_used_up ? wait(request, &quota) : finish(request, err);
}

static wr_err providers(struct mcp_request *request)
{
    struct index_desk *desk;
    struct index_key key;
    char etag[WR_CID_TEXT];
    wr_err err = desk_of(request, &desk);
    if (!err)
        err = take_key(request, "cid", true, &key);
    if (err)
        return err;
    struct index_wish wish = {
        .fresh = mcp_request_boolean(request, "fresh", false),
        .limit = (size_t)mcp_request_integer(request, "limit", RANK_LIMIT),
        .region = mcp_request_string(request, "region", NULL) };
    struct index_quota quota = { .share = mcp_request_share(request) };
    err = index_answer_providers(desk, &quota, &key, &wish, mcp_request_structured(request),
                                 etag, deadline_of(desk));
    return quota.is_used_up ? wait(request, &quota) : finish(request, err);
}

/* A name gets what it stands for; either is offered from then on. */
static wr_err publish(struct mcp_request *request)
{
    struct index_desk *desk;
    struct index_key key, name = { 0 };
    const char *text = mcp_request_string(request, "name", NULL), *clause;
    struct catalog_pointer pointer = { .kind = CATALOG_SITE };
    wr_time deadline = wr_after(WRITE_WITHIN);
    wr_err err = desk_of(request, &desk);
    if (!err)
        err = take_key(request, "cid", true, &key);
    if (!err && text && index_name_read(pointer.key, text, &clause))
        err = mcp_request_fail(request, WR_INVALID, "\"name\": %s", clause);
    if (err)
        return err;
    pointer.manifest = key.cid;
    pointer.updated_at_ms = (uint64_t)(wr_wall().ns / WR_MS(1));
    if (text) {
        err = scribe_put(desk->scribe, &pointer, deadline);
        index_desk_forget(desk, "name:", pointer.key);
        snprintf(name.text, sizeof(name.text), "name:%s", pointer.key);
        name.is_name = true;
    } else {
        err = index_desk_has(desk, &key, deadline);
    }
    if (err == WR_NOTFOUND)
        return mcp_request_fail(request, WR_NOTFOUND, "this node does not have %s in its "
                                "store: put it there first (weir index publish FILE), or give "
                                "it a name", key.text);
    if (!err)
        err = announcer_offer(desk->announcer, text ? &name : &key, deadline);
    index_desk_forget(desk, "", key.text);
    struct wr_json json = wr_json_to(mcp_request_structured(request));
    wr_json_object(&json, NULL);
    wr_json_bool(&json, "ok", true);
    wr_json_str(&json, "key", text ? name.text : key.text);
    wr_json_str(&json, "cid", key.text);
    wr_json_end(&json);
    return finish(request, err);
}

/* ---- the table ---- */

static const struct mcp_field resolve_fields[] = {
    { .name = "key", .required = true, .max = 300,
      .what = "What to look for: \"name:weir.example\", or a content id, \"b3:\" and 64 hex "
              "digits." },
    { .name = "fresh", .type = MCP_BOOLEAN, .preset = "false",
      .what = "Look for it anew, whatever is remembered." },
};

static const struct mcp_field provider_fields[] = {
    { .name = "cid", .required = true, .max = 100,
      .what = "A content id: \"b3:\" and 64 hex digits." },
    { .name = "limit", .type = MCP_INTEGER, .min = 1, .max = 32, .preset = "5",
      .what = "How many, at most." },
    { .name = "region", .max = 32, .what = "Where they should be: \"eu\"." },
    { .name = "fresh", .type = MCP_BOOLEAN, .preset = "false",
      .what = "Look for them anew, whatever is remembered." },
};

static const struct mcp_field publish_fields[] = {
    { .name = "cid", .required = true, .max = 100,
      .what = "A content id that this node has in its store." },
    { .name = "name", .max = 300, .what = "A name that shall stand for it." },
};

static const char resolve_gives[] =
    "{\"type\":\"object\",\"required\":[\"key\",\"manifest_cid\",\"source\"],\"properties\":{"
    "\"key\":{\"type\":\"string\"},\"manifest_cid\":{\"type\":\"string\"},\"source\":{\"enum\":"
    "[\"cache\",\"db\",\"dht\"]},\"degraded\":{\"type\":\"boolean\"}}}";
static const char providers_gives[] =
    "{\"type\":\"object\",\"required\":[\"cid\",\"providers\"],\"properties\":{\"cid\":{"
    "\"type\":\"string\"},\"providers\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"required\":[\"id\",\"addr\"]}},\"truncated\":{\"type\":\"boolean\"},\"degraded\":{"
    "\"type\":\"boolean\"}}}";
static const char publish_gives[] =
    "{\"type\":\"object\",\"required\":[\"ok\",\"key\",\"cid\"],\"properties\":{\"ok\":{"
    "\"type\":\"boolean\"},\"key\":{\"type\":\"string\"},\"cid\":{\"type\":\"string\"}}}";

#define FIELDS(list) .fields = (list), .field_count = sizeof(list) / sizeof(*(list))

static const struct mcp_tool table[INDEX_TOOLS] = {
    { .name = "index_resolve", .title = "Resolve a name", FIELDS(resolve_fields),
      .what = "What a name stands for: the content id of its manifest, from this node's store "
              "or from others that it trusts, and who is known to have it.",
      .output = resolve_gives, .reads_only = true, .repeatable = true, .outward = true,
      .handler = resolve },
    { .name = "index_providers", .title = "Who has it", FIELDS(provider_fields),
      .what = "Nodes that say, signed, that they have a content id, the best first: near, "
              "fresh and fast. What they give is right only if its BLAKE3 hash is the id.",
      .output = providers_gives, .reads_only = true, .repeatable = true, .outward = true,
      .handler = providers },
    { .name = "index_publish", .title = "Publish", FIELDS(publish_fields),
      .what = "Let others know that this node has a content id, from now on, and let a name "
              "stand for it.",
      .output = publish_gives, .repeatable = true, .outward = true, .scope = "index.admin",
      .handler = publish },
};

void index_tools(struct mcp_tool ret[INDEX_TOOLS], struct index_desk *desk)
{
    memcpy(ret, table, sizeof(table));
    for (size_t i = 0; i < INDEX_TOOLS; i++)
        ret[i].arg = desk;
}
