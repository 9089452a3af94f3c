/* asking.c - see asking.h. */
#include "source/asking.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/offload.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "net/date.h"
#include "source/reading.h"

#define RETRY_AFTER_MAX WR_S(24 * 3600)
#define HEADERS_MAX 2
#define KEY_MAX 256

wr_time asking_retry_after(const char *value, struct wr_wall now)
{
    return date_retry_after(value, now, RETRY_AFTER_MAX);
}

/* ---- one request ---- */

static void add_parameter(struct wr_text *url, const char *name, const char *value)
{
    wr_text_str(url, memchr(url->at, '?', url->len) ? "&" : "?");
    wr_text_str(url, name);
    wr_text_str(url, "=");
    request_escape(url, value, "@");
}

/* A key as a text of its own, which is wiped when the request is out. */
static char *key_text(const struct asking *asking, char *buf)
{
    size_t len = asking->key ? wr_secret_size(asking->key) : 0;
    if (len == 0 || len >= KEY_MAX)
        return NULL;
    memcpy(buf, wr_secret_bytes(asking->key), len);
    buf[len] = '\0';
    return buf;
}

/* No answer.  That a name has no address says nothing of the work; an address with a key in it
 * is nobody's business. */
static wr_err no_answer(const struct asking *asking, struct source_reading *reading, wr_err err,
                        const char *why)
{
    bool shows_key = asking->key && asking->driver->key_parameter;
    (void)!reading_fail(reading, err, "%s", shows_key || !*why ? wr_err_text(err) : why);
    switch (err) {
    case WR_NOTFOUND:
    case WR_UNSUPPORTED: return WR_IO;
    case WR_BUSY: return WR_SHED;           /* the client's own limit, not the source's */
    default: return err;
    }
}

struct read_job { struct source_reading *reading; struct source_reply reply; wr_err err; };

static void run_read(void *arg)
{
    struct read_job *job = arg;
    job->err = source_read(job->reading, &job->reply);
}

wr_err asking_read(void (*fn)(void *), void *arg, size_t len, wr_time deadline)
{
    if (len > ASKING_READ_HERE)
        return wr_offload(fn, arg, deadline);
    fn(arg);
    return WR_OK;
}

static wr_err read_reply(struct source_reading *reading, const struct source_reply *reply,
                         wr_time deadline)
{
    struct read_job job = { .reading = reading, .reply = *reply };
    wr_err err = asking_read(run_read, &job, reply->len, deadline);
    if (err)
        return reading_fail(reading, err, "its answer could not be read: %s", wr_err_text(err));
    return job.err;
}

/* Whether an answer comes from somewhere else than was asked. */
static bool is_elsewhere(const char *asked, const char *answered)
{
    const char *host = strstr(asked, "://");
    size_t origin = host ? (size_t)(host + 3 - asked) + strcspn(host + 3, "/?#") : 0;
    return answered && strncmp(asked, answered, origin) != 0;
}

static wr_err fetch_and_read(struct asking *asking, struct source_reading *reading,
                             const struct source_request *request, const char *key,
                             wr_time *ret_retry_after, wr_time deadline)
{
    struct wr_fetch_header headers[HEADERS_MAX];
    size_t count = 0;
    struct wr_fetch_reply reply;
    if (request->accept || request->body.len)
        headers[count++] = (struct wr_fetch_header){
            request->accept ? "Accept" : "Content-Type",
            request->accept ? request->accept : "application/json" };
    if (key && asking->driver->key_header)
        headers[count++] = (struct wr_fetch_header){ asking->driver->key_header, key };
    wr_time asked = wr_now();
    asking->requests++;
    wr_err err = wr_fetch(asking->client, &(struct wr_fetch_request){
        .url = request->url.at, .headers = headers, .header_count = count,
        .body = request->body.len ? request->body.at : NULL, .body_len = request->body.len,
        .body_max = SOURCE_BODY_MAX }, &reply, deadline);
    asking->took += wr_now() - asked;
    if (err) {
        err = no_answer(asking, reading, err, reply.why);
    } else {
        *ret_retry_after = asking_retry_after(wr_fetch_reply_header(&reply, "retry-after"),
                                              wr_wall());
        err = read_reply(reading, &(struct source_reply){
            .status = reply.status, .bytes = reply.body, .len = reply.body_len,
            .redirected = is_elsewhere(request->url.at, reply.url) }, deadline);
    }
    wr_fetch_reply_free(&reply);
    return err;
}

static wr_err send_request(struct asking *asking, struct source_reading *reading,
                           wr_time *ret_retry_after, wr_time deadline)
{
    const struct source_driver *driver = asking->driver;
    wr_time timeout = wr_after(asking->timeout ? asking->timeout : driver->timeout);
    char key_buf[KEY_MAX], *key = key_text(asking, key_buf);
    char *buf = wr_arena_alloc(reading->arena, (size_t)2 * SOURCE_URL_MAX);
    if (!buf)
        return reading_fail(reading, WR_NOMEM, "there is no room for a request");
    struct source_request request = {
        .url = wr_text_over(buf, SOURCE_URL_MAX),
        .body = wr_text_over(buf + SOURCE_URL_MAX, SOURCE_URL_MAX),
    };
    wr_err err = source_request_write(reading, asking->base, &request);
    if (!err && driver->polite && asking->mailto)
        add_parameter(&request.url, "mailto", asking->mailto);
    if (!err && key && driver->key_parameter)
        add_parameter(&request.url, driver->key_parameter, key);
    if (err || request.url.cut)
        err = reading_fail(reading, WR_INVALID, "the question is too long to be sent");
    else
        err = fetch_and_read(asking, reading, &request, key, ret_retry_after,
                             timeout < deadline ? timeout : deadline);
    if (key) {
        explicit_bzero(key_buf, sizeof(key_buf));
        explicit_bzero(buf, SOURCE_URL_MAX);
    }
    return err;
}

/* ---- turns ---- */

/* Wait until the next turn would come, look whether the answer is still wanted, and only then
 * take it.  A turn that is taken in vain would cost the next question its time; and whoever
 * wakes late and takes a turn then makes the next one later too, so that two requests are
 * never closer together than they should be. */
static wr_err next_turn(const struct asking *asking, wr_time deadline)
{
    wr_time turn = wr_limiter_stat(asking->limiter).next;
    wr_err err = WR_OK;
    if (turn > deadline)
        return WR_TIMEOUT;
    if (turn > wr_now())
        err = wr_sleep(turn);
    if (!err && asking->unwanted && asking->unwanted(asking->about))
        err = WR_CANCELED;
    return err ? err : wr_limiter_acquire(asking->limiter, deadline);
}

wr_err asking_turn(const struct asking *asking, wr_time deadline)
{
    wr_err err = asking->turn ? wr_gate_enter(asking->turn, deadline) : WR_OK;
    if (err)
        return err;
    err = next_turn(asking, deadline);
    if (asking->turn)
        wr_gate_leave(asking->turn);
    return err;
}

static wr_err ask_step(struct asking *asking, struct source_reading *reading, wr_time deadline)
{
    for (bool refused = false;; refused = true) {
        wr_time retry_after = 0;
        wr_err err = asking_turn(asking, deadline);
        if (err == WR_TIMEOUT && !refused)
            return reading_fail(reading, err, "its limit leaves no turn before the deadline");
        if (err)
            return err == WR_TIMEOUT ? WR_BUSY : err;
        wr_time asked = wr_now();
        err = send_request(asking, reading, &retry_after, deadline);
        if (err != WR_BUSY)
            return err;
        wr_limiter_refused(asking->limiter, asked,
                           retry_after ? retry_after : asking->driver->pause);
        if (refused)
            return WR_BUSY;
    }
}

wr_err asking_run(struct asking *asking, struct source_reading *reading, wr_time deadline)
{
    wr_err err;
    if (asking->driver->ask)
        return asking->driver->ask(asking, reading, deadline);
    do {
        size_t before = reading->count;
        err = ask_step(asking, reading, deadline);
        /* Nothing more to what there is already. */
        if (err == WR_NOTFOUND && before > 0)
            err = WR_OK;
        reading->step++;
    } while (!err && reading->next);
    return err;
}

/* ---- what is fetched as it is ---- */

static bool is_refusal(const struct asking *asking, unsigned status)
{
    return status == 429 || (status == 503 && asking->driver->refuses_503);
}

static wr_err fetch_once(struct asking *asking, const struct wr_fetch_request *request,
                         struct wr_fetch_reply *ret, wr_time deadline)
{
    wr_time asked = wr_now();
    wr_time timeout = asked + (asking->timeout ? asking->timeout : asking->driver->timeout);
    asking->requests++;
    wr_err err = wr_fetch(asking->client, request, ret,
                          timeout < deadline ? timeout : deadline);
    asking->took += wr_now() - asked;
    if (err && asking->key && asking->driver->key_parameter)
        snprintf(ret->why, sizeof(ret->why), "%s", wr_err_text(err));
    if (err || !is_refusal(asking, ret->status))
        return err;
    wr_time pause = asking_retry_after(wr_fetch_reply_header(ret, "retry-after"), wr_wall());
    wr_limiter_refused(asking->limiter, asked, pause ? pause : asking->driver->pause);
    return WR_BUSY;
}

wr_err asking_fetch(struct asking *asking, const char *path, size_t body_max,
                    struct wr_fetch_reply *ret, wr_time deadline)
{
    const struct source_driver *driver = asking->driver;
    char buf[SOURCE_URL_MAX], key_buf[KEY_MAX], *key = key_text(asking, key_buf);
    struct wr_text url = WR_TEXT(buf);
    struct wr_fetch_header header = { driver->key_header, key };
    wr_err err = WR_BUSY;
    *ret = (struct wr_fetch_reply){ 0 };
    wr_text_str(&url, asking->base ? asking->base : driver->base);
    wr_text_str(&url, path);
    if (driver->polite && asking->mailto)
        add_parameter(&url, "mailto", asking->mailto);
    if (key && driver->key_parameter)
        add_parameter(&url, driver->key_parameter, key);
    for (unsigned tries = 0; !url.cut && tries < 2 && err == WR_BUSY; tries++) {
        wr_fetch_reply_free(ret);
        err = asking_turn(asking, deadline);
        if (!err)
            err = fetch_once(asking, &(struct wr_fetch_request){
                .url = buf, .body_max = body_max, .headers = &header,
                .header_count = key && driver->key_header }, ret, deadline);
    }
    if (key) {
        explicit_bzero(key_buf, sizeof(key_buf));
        explicit_bzero(buf, sizeof(buf));
    }
    return url.cut ? WR_INVALID : err;
}
