/* elicit.c - what only the client can say: asked for while a request is answered.
 *
 * In the legacy era the server sends a request of its own, and the handler waits for the
 * answer.  In the modern one the answer to the client is that something is missing; it asks
 * again, with that, and the handler runs anew.  What was said in earlier rounds travels with
 * the client, as a state that is sealed: whoever changes it is refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/once.h>

#include "base/base64.h"
#include "base/forget.h"
#include "base/hash.h"
#include "base/world.h"
#include "mcp/mcp_int.h"

#define KEY_RANK 702
#define STATE_MAX ((size_t)256 << 10)
#define STATE_LIFE_MS ((int64_t)3600 * 1000)
#define ASK_WITHIN WR_S(300)

static const struct {
    const char *method;
    enum mcp_ability ability;
} questions[] = {
    { "sampling/createMessage", MCP_SAMPLES },
    { "elicitation/create", MCP_ELICITS },
    { "roots/list", MCP_HAS_ROOTS },
};

static enum mcp_ability ability_for(const char *method)
{
    size_t i = 0;
    while (strcmp(questions[i].method, method) != 0)
        WR_ASSERT(++i < sizeof(questions) / sizeof(*questions));
    return questions[i].ability;
}

bool mcp_request_can(const struct mcp_request *request, const char *method)
{
    return request->abilities & ability_for(method);
}

/* ---- the seal ---- */

/* One key for the process: a client that comes to another is asked anew. */
static void seal(struct wr_hash *ret, const struct mcp_request *request, const char *payload,
                 size_t len)
{
    static struct wr_mutex lock = WR_MUTEX("mcp.key", KEY_RANK);
    static unsigned char key[WR_HASH_SIZE];
    static bool made;
    struct wr_hash_state state;
    const json_t *name = mcp_param(request, "name"), *uri = mcp_param(request, "uri");
    const json_t *arguments = mcp_param(request, "arguments");
    char *text = arguments ? json_dumps(arguments, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    const char *parts[] = { request->message->method, json_string_value(name ? name : uri),
                            text, request->peer->tenant };
    wr_mutex_lock(&lock);
    if (!made)
        wr_world->entropy(key, sizeof(key));
    made = true;
    wr_hash_begin_keyed(&state, key);
    wr_mutex_unlock(&lock);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        wr_hash_add(&state, parts[i] ? parts[i] : "", parts[i] ? strlen(parts[i]) + 1 : 1);
    wr_hash_add(&state, payload, len);
    *ret = wr_hash_end(&state);
    wr_hash_wipe(&state);
    wr_forget_free(text);
}

static int64_t now_ms(void)
{
    return wr_wall().ns / 1000000;
}

/* What was said so far, as text that the client brings along: its bytes and their seal. */
static void write_state(struct mcp_request *request)
{
    char mac[WR_HASH_TEXT];
    struct wr_hash hash;
    json_int_t until = now_ms() + STATE_LIFE_MS;
    json_t *all = json_pack("{s:I,s:O}", "until", until, "said", request->said);
    char *text = all ? json_dumps(all, JSON_COMPACT) : NULL;
    size_t len = text ? strlen(text) : 0;
    char *state = text && len <= STATE_MAX ? malloc(WR_BASE64_TEXT(len) + WR_HASH_TEXT) : NULL;
    if (state) {
        size_t at = wr_base64_print(state, text, len);
        seal(&hash, request, text, len);
        state[at++] = '.';
        memcpy(state + at, wr_hash_print(&hash, mac), WR_HASH_TEXT);
        wr_json_str(&request->json, "requestState", state);
    }
    wr_forget_free(state);
    wr_forget_free(text);
    json_decref(all);
}

/* NULL: it is not what we gave away, or too old. */
static json_t *open_state(const struct mcp_request *request, const char *state, size_t len)
{
    const char *dot = memchr(state, '.', len);
    size_t payload = dot ? (size_t)(dot - state) : 0, got = 0;
    char *bytes = dot ? malloc(payload + 1) : NULL;
    struct wr_hash hash, meant;
    json_t *all = NULL;
    if (bytes && !wr_base64_parse(&got, bytes, payload + 1, state, payload)
        && !wr_hash_parse(&hash, dot + 1, len - payload - 1)) {
        seal(&meant, request, bytes, got);
        if (wr_hash_equal(&hash, &meant))
            all = json_loadb(bytes, got, 0, NULL);
    }
    wr_forget_free(bytes);
    json_t *said = json_incref(json_object_get(all, "said"));
    if (json_integer_value(json_object_get(all, "until")) < now_ms()) {
        json_decref(said);
        said = NULL;
    }
    json_decref(all);
    return said;
}

/* ---- what a modern client brings ---- */

bool mcp_elicit_read(struct mcp_request *request)
{
    const json_t *answers = mcp_param(request, "inputResponses");
    const json_t *state = mcp_param(request, "requestState");
    if (!request->modern)
        return true;
    if (answers && !json_is_object(answers))
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "params.inputResponses must be an "
                           "object");
    if (state && !json_is_string(state))
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "params.requestState must be a string");
    if (request->code)
        return false;
    request->said = state ? open_state(request, json_string_value(state),
                                       json_string_length(state)) : json_object();
    if (!request->said)
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "params.requestState is not what was "
                           "given for this request, or too old: begin anew, without it");
    return !request->code;
}

/* The answer to a question of this name, or the question goes along with our answer. */
static wr_err ask_later(struct mcp_request *request, const char *name, const char *method,
                        json_t *params, const json_t **ret)
{
    json_t *answer = json_object_get(mcp_param(request, "inputResponses"), name);
    int bad = 0;
    if (json_is_object(answer))
        bad = json_object_set(request->said, name, answer);
    *ret = json_object_get(request->said, name);
    if (!*ret && !request->asked)
        request->asked = json_object();
    if (!*ret)
        bad = json_object_set_new(request->asked, name, json_pack("{s:s,s:O}", "method", method,
                                                                  "params", params));
    json_decref(params);
    return bad ? WR_NOMEM : WR_OK;
}

bool mcp_elicit_write(struct mcp_request *request)
{
    char *text = json_object_size(request->asked) ? json_dumps(request->asked, JSON_COMPACT)
                                                  : NULL;
    if (!text)
        return false;
    request->result_type = "input_required";
    wr_json_raw(&request->json, "inputRequests", text, strlen(text));
    write_state(request);
    wr_forget_free(text);
    return true;
}

/* ---- a request to a legacy client ---- */

static wr_err send_question(struct mcp_request *request, const char *id, const char *method,
                            const json_t *params)
{
    json_t *message = json_pack("{s:s,s:s,s:s,s:O}", "jsonrpc", "2.0", "id", id, "method",
                                method, "params", params);
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    wr_err err = WR_NOMEM;
    if (text) {
        struct mcp_out out = { .at = text, .len = strlen(text) };
        err = request->peer->send(request->peer->arg, &out);
    }
    wr_forget_free(text);
    json_decref(message);
    return err;
}

/* It is a result, or an error with a message. */
static wr_err take_answer(struct mcp_request *request, json_t *message, const json_t **ret)
{
    const char *why = json_string_value(json_object_get(json_object_get(message, "error"),
                                                        "message"));
    json_t *result = json_object_get(message, "result");
    if (!request->said)
        request->said = json_array();       /* what handlers point into, until the end */
    if (!message || json_array_append_new(request->said, message))
        return WR_NOMEM;
    *ret = result;
    return json_is_object(result) ? WR_OK
                                  : mcp_request_fail(request, WR_DENIED, "the client has "
                                                     "refused: %.300s", why ? why : "it does "
                                                     "not say why");
}

static void drop_question(void *arg)
{
    struct mcp_question *question = arg;
    mcp_session_forget(question);
    wr_once_free(question->answered);
    json_decref(question->answer);
    wr_forget_free(question);
}

static wr_err ask_now(struct mcp_request *request, const char *method, const json_t *params,
                      const json_t **ret)
{
    struct mcp_question *question = calloc(1, sizeof(*question));
    if (!question)
        return WR_NOMEM;
    struct wr_cleanup cleanup = { .fn = drop_question, .arg = question };
    wr_cleanup_push(&cleanup);
    wr_err err = wr_once_new(&question->answered, "mcp.question", 0);
    if (!err)
        err = mcp_session_expect(request->session, question);
    if (!err)
        err = send_question(request, question->id, method, params);
    if (!err)
        err = wr_once_wait(question->answered, NULL, wr_after(ASK_WITHIN));
    if (!err) {
        json_t *answer = question->answer;
        question->answer = NULL;
        err = take_answer(request, answer, ret);
    }
    wr_cleanup_pop(&cleanup);
    drop_question(question);
    return err;
}

wr_err mcp_request_ask(struct mcp_request *request, const char *name, const char *method,
                       json_t *params, const json_t **ret)
{
    *ret = NULL;
    if (params && mcp_request_can(request, method) && request->modern)
        return ask_later(request, name, method, params, ret);
    wr_err err = params ? WR_UNSUPPORTED : WR_NOMEM;
    if (params && mcp_request_can(request, method))
        err = ask_now(request, method, params, ret);
    else if (params && request->modern)
        mcp_request_require(request, ability_for(method));
    else if (params)
        err = mcp_request_fail(request, err, "this takes a client that can do \"%s\"", method);
    json_decref(params);
    return err;
}
