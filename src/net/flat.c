/* flat.c - see flat.h. */
#include "net/flat.h"

#include "base/json.h"

struct row { unsigned status; const char *code; bool retryable; };

static const struct row draining = { 503, "draining", false };
static const struct row internal = { 500, "internal", false };

/* Who waits in a drain may come to another node, but not to this one again. */
static const struct row *row_of(unsigned status, wr_err err)
{
    static const struct row rows[] = {
        { 400, "bad_request", false },    { 401, "unauthorized", false },
        { 403, "forbidden", false },      { 404, "not_found", false },
        { 405, "bad_method", false },     { 409, "conflict", false },
        { 413, "body_cap", false },       { 415, "unsupported_type", false },
        { 429, "over_capacity", true },   { 501, "unsupported", false },
        { 502, "upstream_unready", true }, { 503, "upstream_unready", true },
        { 504, "timeout", true },
    };
    if (status == 503 && (err == WR_DRAINING || err == WR_CANCELED || err == WR_CLOSED))
        return &draining;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (rows[i].status == status)
            return &rows[i];
    static const struct row other = { 400, "bad_request", false };
    return status >= 400 && status < 500 ? &other : &internal;
}

const char *flat_code(unsigned status, wr_err err)
{
    return row_of(status, err)->code;
}

void flat_write(struct wr_text *text, const struct wr_call *call, wr_err err, const char *why)
{
    const struct row *row = row_of(call->status, err);
    unsigned again = reply_retry_seconds(call);
    struct wr_json json = wr_json_to(text);
    wr_json_object(&json, NULL);
    wr_json_str(&json, "code", row->code);
    wr_json_str(&json, "message", why);
    wr_json_str(&json, "corr_id", call->corr);
    wr_json_bool(&json, "retryable", row->retryable);
    if (again)
        wr_json_u64(&json, "retry_after", again);
    wr_json_end(&json);
}
