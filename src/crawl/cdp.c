/* cdp.c - see cdp.h. */
#include "crawl/cdp.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <weir/offload.h>
#include <weir/task.h>

#include "base/base64.h"
#include "net/json_in.h"

#define FIRST_ROOM 65536
#define READ_HERE 65536             /* bytes; more are read and written off the workers */

/* ---- sending ---- */

struct wr_json *cdp_begin(struct cdp *cdp, const char *method)
{
    wr_text_free(&cdp->out);
    cdp->out = wr_text_heap(CDP_MESSAGE_MAX);
    cdp->json = wr_json_to(&cdp->out);
    wr_json_object(&cdp->json, NULL);
    wr_json_u64(&cdp->json, "id", ++cdp->last);
    wr_json_str(&cdp->json, "method", method);
    if (cdp->session[0])
        wr_json_str(&cdp->json, "sessionId", cdp->session);
    wr_json_object(&cdp->json, "params");
    return &cdp->json;
}

wr_err cdp_send(struct cdp *cdp, uint64_t *ret_id, wr_time deadline)
{
    wr_json_end(&cdp->json);
    wr_json_end(&cdp->json);
    if (cdp->out.cut)
        return WR_NOMEM;
    if (ret_id)
        *ret_id = cdp->last;
    /* The zero byte that ends the text ends the message. */
    return wr_program_write(cdp->program, cdp->out.at, cdp->out.len + 1, deadline);
}

struct encode { const void *bytes; size_t len; char *text; size_t size; };

/* In quotes, as it stands in JSON. */
static void run_encode(void *arg)
{
    struct encode *job = arg;
    char *text = job->text + 1;
    size_t size = wr_base64_print(text, job->bytes, job->len);
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '-')
            text[i] = '+';
        else if (text[i] == '_')
            text[i] = '/';
    }
    while (size % 4)
        text[size++] = '=';
    job->text[0] = text[size] = '"';
    job->size = size + 2;
}

wr_err cdp_bytes(struct wr_json *json, const char *key, const void *bytes, size_t len,
                 wr_time deadline)
{
    struct encode job = { .bytes = bytes, .len = len, .text = malloc(WR_BASE64_TEXT(len) + 6) };
    wr_err err = WR_OK;
    if (!job.text)
        return WR_NOMEM;
    if (len <= READ_HERE)
        run_encode(&job);
    else
        err = wr_offload(run_encode, &job, deadline);
    if (!err)
        wr_json_raw(json, key, job.text, job.size);
    free(job.text);
    return err;
}

/* ---- receiving ---- */

struct parse { const char *bytes; size_t len; json_t *message; };

static void run_parse(void *arg)
{
    struct parse *job = arg;
    const char *why;
    job->message = json_in_large(job->bytes, job->len, &why);
}

static wr_err parse(json_t **ret, const char *bytes, size_t len, wr_time deadline)
{
    struct parse job = { .bytes = bytes, .len = len };
    wr_err err = WR_OK;
    if (len <= READ_HERE)
        run_parse(&job);
    else
        err = wr_offload(run_parse, &job, deadline);
    if (err)
        return err;
    *ret = job.message;
    return job.message ? WR_OK : WR_INVALID;
}

static wr_err grow(struct cdp *cdp)
{
    size_t cap = cdp->cap ? cdp->cap * 2 : FIRST_ROOM;
    if (cap > CDP_MESSAGE_MAX)
        return WR_DENIED;
    char *in = realloc(cdp->in, cap);
    if (!in)
        return WR_NOMEM;
    cdp->in = in;
    cdp->cap = cap;
    return WR_OK;
}

wr_err cdp_next(struct cdp *cdp, json_t **ret, wr_time deadline)
{
    const char *end;
    while (!(end = cdp->len > cdp->seen
                 ? memchr(cdp->in + cdp->seen, '\0', cdp->len - cdp->seen) : NULL)) {
        size_t got = 0;
        cdp->seen = cdp->len;
        wr_err err = cdp->len == cdp->cap ? grow(cdp) : WR_OK;
        if (!err)
            err = wr_program_read(cdp->program, &got, cdp->in + cdp->len, cdp->cap - cdp->len,
                                  deadline);
        if (err || got == 0)
            return err ? err : WR_CLOSED;
        cdp->len += got;
        err = wr_yield();           /* one that says much need never make us wait */
        if (err)
            return err;
    }
    size_t size = (size_t)(end - cdp->in);
    wr_err err = parse(ret, cdp->in, size, deadline);
    cdp->len -= size + 1;
    cdp->seen = 0;
    memmove(cdp->in, end + 1, cdp->len);
    return err;
}

void cdp_fini(struct cdp *cdp)
{
    wr_text_free(&cdp->out);
    free(cdp->in);
    *cdp = (struct cdp){ 0 };
}

const char *cdp_text(const json_t *message, ...)
{
    va_list keys;
    const char *key;
    va_start(keys, message);
    while (message && (key = va_arg(keys, const char *)))
        message = json_object_get(message, key);
    va_end(keys);
    return json_string_value(message);
}
