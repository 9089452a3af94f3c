/* request.h - a request while it is answered, as handlers of tools and resources see it.
 *
 *     static wr_err count(struct mcp_request *request)
 *     {
 *         size_t len;
 *         const char *text = mcp_request_string(request, "text", &len);
 *         ...
 *         mcp_request_progress(request, 3, 10, "three of ten");
 *         ...
 *         wr_text_format(mcp_request_text(request), "%zu words", words);
 *         wr_text_format(mcp_request_structured(request), "{\"words\":%zu}", words);
 *         return WR_OK;
 *     }
 *
 * What a handler writes is the answer.  An answer that something is still under way is an
 * answer like any other: no handler should wait for longer than clients do, which is a minute
 * at most (MCP_WAIT_DEFAULT_S).
 *
 * Progress is sent to clients that have asked for it: when there is some, at most ten times a
 * second, and every ten seconds when there is none, so that they go on waiting.
 */
#ifndef WR_MCP_REQUEST_H
#define WR_MCP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <weir/err.h>
#include <weir/time.h>

#include "base/text.h"

#define MCP_WAIT_DEFAULT_S 30
#define MCP_WAIT_MAX_S 300
#define MCP_ANSWER_MAX ((size_t)16 << 20)       /* bytes of text, and of what is structured */

struct mcp_request;
struct mcp_task;                        /* offer.h */

/* The arg of the tool or the resource. */
void *mcp_request_arg(const struct mcp_request *request);

/* Whether who asks runs on this machine, as this user, and may name its files. */
bool mcp_request_local(const struct mcp_request *request);

/* For whom it is asked (X-Tenant, which a token may be bound to); NULL: nobody has said. */
const char *mcp_request_tenant(const struct mcp_request *request);

/* Whose share of what is bounded it is (net/caller.h): never NULL, and nothing that a client
 * could make up. */
const char *mcp_request_share(const struct mcp_request *request);

/* Arguments have been held against the table: they are there if they are required, and of
 * their type.  NULL, or `otherwise`: it was not given. */
const char *mcp_request_string(const struct mcp_request *request, const char *name,
                               size_t *ret_len);
int64_t mcp_request_integer(const struct mcp_request *request, const char *name,
                            int64_t otherwise);
bool mcp_request_boolean(const struct mcp_request *request, const char *name, bool otherwise);
const json_t *mcp_request_json(const struct mcp_request *request, const char *name);

/* What is being read, and the part of it that stands for {name}: empty where there is none. */
const char *mcp_request_uri(const struct mcp_request *request);
const char *mcp_request_rest(const struct mcp_request *request);

/* Of what is read: this media type instead of the table's, and whether it is no text. */
void mcp_request_media(struct mcp_request *request, const char *media, bool binary);

/* Things to see and hear, and whole resources, besides the text: what is written this way comes
 * after it in the answer of a tool, and before it in a prompt. */
void mcp_request_image(struct mcp_request *request, const char *media, const void *bytes,
                       size_t len);
void mcp_request_audio(struct mcp_request *request, const char *media, const void *bytes,
                       size_t len);
void mcp_request_embed(struct mcp_request *request, const char *uri, const char *media,
                       const char *text, size_t len);

/* Something for whoever watches the client work, if it wants to hear of what is so severe.  May
 * wait until it is taken; does not fail. */
enum mcp_level {
    MCP_DEBUG, MCP_INFO, MCP_NOTICE, MCP_WARNING, MCP_ERROR, MCP_CRITICAL, MCP_ALERT,
    MCP_EMERGENCY,
};
void mcp_request_log(struct mcp_request *request, enum mcp_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether the client can be asked this: "elicitation/create", "sampling/createMessage",
 * "roots/list". */
bool mcp_request_can(const struct mcp_request *request, const char *method);

/* Ask the client what only it can say.  The question has a name of its own in this tool, prompt
 * or resource; `params`, which is given away, is as the protocol has it for the method.
 * *ret is the answer, for as long as the request lives.  NULL: a modern client has to be
 * answered first.  Ask for whatever else is missing, and return WR_OK: the handler runs again,
 * from its beginning, when the client comes with what was asked for; what was said by then is
 * said at once.
 * Errors: UNSUPPORTED (the client cannot), DENIED (it will not), BUSY, NOMEM, CANCELED,
 * TIMEOUT; all of them can be returned as they are. */
wr_err mcp_request_ask(struct mcp_request *request, const char *name, const char *method,
                       json_t *params, const json_t **ret);

/* How far it is: `done` of `total` (0: nobody knows), and a few words.  Less than was said
 * before is not said.  Any fiber; does not wait. */
void mcp_request_progress(struct mcp_request *request, uint32_t done, uint32_t total,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));

/* To be written into: what a person or a model reads, and of a tool with an output schema the
 * same as JSON. */
struct wr_text *mcp_request_text(struct mcp_request *request);
struct wr_text *mcp_request_structured(struct mcp_request *request);

/* Of a tool that may defer: whether the client takes a task for an answer.  Then what would be
 * waited for should become one; in the legacy era, where the client has asked for a task, it
 * must.  How long such a task should be kept, as far as anybody said; 0: nobody did. */
bool mcp_request_defers(const struct mcp_request *request);
int64_t mcp_request_kept_ms(const struct mcp_request *request);

/* The answer is that it goes on as this task, which is found by its id from now on, by
 * everybody who may.  What else was written is not sent.  Only where mcp_request_defers. */
void mcp_request_defer(struct mcp_request *request, const struct mcp_task *task);

/* Say why it failed, for whoever asked; returns err, to be returned. */
wr_err mcp_request_fail(struct mcp_request *request, wr_err err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
