#include "svc/index/object_route.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "net/etag.h"
#include "svc/index/catalog.h"
#include "svc/index/index_desk.h"
#include "svc/index/index_key.h"

#define GET_WITHIN WR_S(60)
#define PUT_WITHIN WR_S(60)
#define BODY_WITHIN WR_S(40)
#define AT_ONCE 32                      /* each has an object in memory */
#define PART ((size_t)64 << 10)
#define TAG_TEXT (WR_CID_TEXT + 2)

/* The key in the path, if there is anybody to be asked for it. */
static wr_err read_cid(struct wr_call *call, struct index_key *ret)
{
    const struct object_desk *desk = wr_call_arg(call);
    const char *clause;
    if (!desk->object)
        return wr_call_fail(call, WR_UNSUPPORTED, "there is no index here: it needs a store");
    wr_err err = index_key_read(ret, wr_call_param(call, "cid"), &clause);
    if (!err && ret->is_name) {
        clause = "an object has a content id: b3: and 64 hex digits in lower case";
        err = WR_INVALID;
    }
    return err ? wr_call_fail(call, err, "%s", clause) : WR_OK;
}

/* ---- GET ---- */

static wr_err explain(struct wr_call *call, wr_err err)
{
    switch (err) {
    case WR_NOTFOUND: return wr_call_fail(call, err, "nobody has an object of this id");
    case WR_QUARANTINE:
        wr_call_status(call, 500);
        return wr_call_fail(call, err, "the object in the store is not what its id says, and "
                            "nobody else has it; put it again");
    case WR_IO:
        return wr_call_fail(call, err, "those who say that they have it do not give it");
    case WR_BUSY:
        return wr_call_fail(call, err, "%d objects are being fetched, which is all at once",
                            OBJECT_FETCHES_MAX);
    case WR_DEGRADED:
        wr_call_status(call, 503);
        return wr_call_fail(call, err, "this node does not have it, and nobody else could be "
                            "asked");
    case WR_OPENCIRCUIT:
        return wr_call_fail(call, err, "this node does not have it, and all who know others "
                            "have failed lately");
    case WR_TIMEOUT: return wr_call_fail(call, err, "nobody has given it in time");
    default: return err;
    }
}

static wr_err send_part(struct wr_call *call, const struct object_got *got,
                        struct etag_part part)
{
    wr_call_length(call, part.len);
    wr_err err = wr_call_begin(call);
    const char *at = got->bytes + part.from;
    for (size_t left = part.len; left > 0 && !err;) {
        size_t size = left < PART ? left : PART;
        err = wr_call_send(call, at, size, wr_call_deadline(call));
        at += size;
        left -= size;
    }
    return err == WR_CLOSED ? WR_OK : err;      /* a HEAD */
}

static wr_err answer(struct wr_call *call, const struct object_got *got, const char *tag)
{
    char range[80];
    struct etag_of of = { .tag = tag, .size = got->len };
    struct etag_part part = { 0, got->len };
    unsigned status = etag_range(call, &of, &part);
    wr_call_type(call, "application/octet-stream");
    wr_call_reply_header(call, "Content-Disposition", "attachment");
    wr_call_reply_header(call, "Accept-Ranges", "bytes");
    if (got->from[0])
        wr_call_reply_header(call, "X-Provider", got->from);
    if (status == 416) {
        snprintf(range, sizeof(range), "bytes */%zu", got->len);
        wr_call_reply_header(call, "Content-Range", range);
        wr_call_status(call, 416);
        return wr_call_fail(call, WR_INVALID, "the object has %zu bytes", got->len);
    }
    if (status == 206) {
        snprintf(range, sizeof(range), "bytes %llu-%llu/%zu", (unsigned long long)part.from,
                 (unsigned long long)(part.from + part.len - 1), got->len);
        wr_call_reply_header(call, "Content-Range", range);
        wr_call_status(call, 206);
    }
    return send_part(call, got, part);
}

/* Of bytes: that there are none is true for now. */
static void say_lasting(struct wr_call *call, const char *tag)
{
    wr_call_reply_header(call, "ETag", tag);
    wr_call_reply_header(call, "Cache-Control", "public, max-age=31536000, immutable");
}

static wr_err get_object(struct wr_call *call)
{
    struct object_desk *desk = wr_call_arg(call);
    char tag[TAG_TEXT];
    struct index_key key;
    struct object_got got = { 0 };
    wr_err err = read_cid(call, &key);
    if (err)
        return err;
    snprintf(tag, sizeof(tag), "\"%.*s\"", WR_CID_TEXT - 1, key.text);
    /* Whoever has the id right has the bytes right: it need not be looked for. */
    unsigned status = etag_judge(call, &(struct etag_of){ .tag = tag });
    if (status) {
        say_lasting(call, tag);
        wr_call_status(call, status);
        return WR_OK;
    }
    err = object_get(desk->object, &key.cid, &got, wr_call_deadline(call));
    if (err)
        return explain(call, err);
    say_lasting(call, tag);
    err = answer(call, &got, tag);
    object_got_free(&got);
    return err;
}

/* ---- PUT ---- */

static wr_err read_offer(struct wr_call *call, bool *ret)
{
    const char *said = wr_call_query(call, "offer");
    *ret = !said || strcmp(said, "true") == 0;
    if (*ret || strcmp(said, "false") == 0)
        return WR_OK;
    return wr_call_fail(call, WR_INVALID, "offer is true or false");
}

static wr_err offer(struct object_desk *desk, const struct index_key *key, wr_time deadline)
{
    return desk->conf.offer ? desk->conf.offer(desk->conf.arg, key, deadline)
                            : catalog_offer(desk->conf.store, key->text, deadline);
}

static wr_err put_object(struct wr_call *call)
{
    struct object_desk *desk = wr_call_arg(call);
    char buf[WR_CID_TEXT + 80];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    struct index_key key;
    bool offers = false;
    size_t len;
    const char *bytes = wr_call_body(call, &len);
    wr_time deadline = wr_call_deadline(call);
    wr_err err = read_cid(call, &key);
    if (!err)
        err = read_offer(call, &offers);
    if (err)
        return err;
    err = object_put(desk->object, &key.cid, bytes, len, deadline);
    if (err == WR_QUARANTINE)
        return wr_call_fail(call, err, "these %zu bytes have another id than the one in the "
                            "path", len);
    if (!err && offers)
        err = offer(desk, &key, deadline);
    if (err)
        return index_desk_fail(call, err, NULL);
    wr_json_object(&json, NULL);
    wr_json_str(&json, "cid", key.text);
    wr_json_u64(&json, "bytes", len);
    wr_json_bool(&json, "offered", offers);
    wr_json_end(&json);
    wr_call_type(call, "application/json");
    wr_call_write(call, text.at, text.len);
    return WR_OK;
}

/* ---- the table ---- */

static const char kept[] =
    "{\"type\":\"object\",\"required\":[\"cid\",\"bytes\",\"offered\"],\"properties\":{"
    "\"cid\":{\"type\":\"string\"},\"bytes\":{\"type\":\"integer\"},"
    "\"offered\":{\"type\":\"boolean\"}}}";

void object_routes(struct wr_route *ret, struct object_desk *desk)
{
    ret[0] = (struct wr_route){
        .method = "GET", .path = "/v1/index/objects/{cid}", .handler = get_object, .arg = desk,
        .class = WR_ROUTE_STREAM, .deadline = GET_WITHIN, .concurrency = AT_ONCE,
        .scope = "index.read", .tag = "objects",
        .summary = "The bytes of an object, from this node or the best provider; verified." };
    ret[1] = (struct wr_route){
        .method = "PUT", .path = "/v1/index/objects/{cid}", .handler = put_object, .arg = desk,
        .body_max = STORE_BLOB_MAX, .spool = true, .body_within = BODY_WITHIN,
        .deadline = PUT_WITHIN, .scope = "index.admin", .tag = "objects", .gives = kept,
        .query = "offer: true (unless it is said) announces it to others; true or false",
        .summary = "Keep the bytes of an object, whose id must be right, and offer them." };
}
