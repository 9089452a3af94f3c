/* problem.c - see problem.h. */
#include "net/problem.h"

#include <ctype.h>
#include <string.h>

#include "base/json.h"

bool problem_path(const char *const *roots, const char *path)
{
    for (; roots && *roots; roots++) {
        size_t len = strlen(*roots);
        if (strncmp(path, *roots, len) == 0 && (path[len] == '\0' || path[len] == '/'))
            return true;
    }
    return false;
}

/* The id may have come with the request: what does not belong in a URN is escaped. */
static void add_instance(struct wr_json *json, const char *corr)
{
    char room[20 + 3 * HEAD_CORR_MAX];
    struct wr_text text = WR_TEXT(room);
    wr_text_str(&text, "urn:weir:call:");
    for (; *corr; corr++)
        if (isalnum((unsigned char)*corr) || strchr("-._~", *corr))
            wr_text_bytes(&text, corr, 1);
        else
            wr_text_format(&text, "%%%02X", (unsigned)(unsigned char)*corr);
    wr_json_bytes(json, "instance", text.at, text.len);
}

void problem_write(struct wr_text *text, const struct wr_call *call, wr_err err,
                   const char *why)
{
    char room[64];
    struct wr_text type = WR_TEXT(room);
    struct wr_json json = wr_json_to(text);
    wr_text_format(&type, "urn:weir:problem:%s", wr_err_name(err));
    wr_json_object(&json, NULL);
    wr_json_str(&json, "type", type.at);
    wr_json_str(&json, "title", wr_err_text(err));
    wr_json_u64(&json, "status", call->status);
    wr_json_str(&json, "detail", why);
    add_instance(&json, call->corr);
    wr_json_bool(&json, "retryable", wr_err_retryable(err));
    wr_json_end(&json);
}
