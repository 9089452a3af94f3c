/* mcp_int.h - a request from inside: what sessions, methods and handlers share of it. */
#ifndef WR_MCP_INT_H
#define WR_MCP_INT_H

#include <weir/bcast.h>
#include <weir/lock.h>
#include <weir/once.h>
#include <weir/scope.h>

#include "base/json.h"
#include "mcp/message.h"
#include "mcp/news.h"
#include "mcp/offer.h"
#include "mcp/request.h"
#include "mcp/session.h"

#define META "io.modelcontextprotocol/"
#define WHY_MAX 600
#define MCP_TASKS_EXTENSION META "tasks"

/* What a client can do for us. */
enum mcp_ability {
    MCP_SAMPLES = 1,
    MCP_ELICITS = 2,
    MCP_HAS_ROOTS = 4,
    MCP_TAKES_TASKS = 8,                /* modern; legacy clients ask for one */
};

struct mcp_request {
    struct mcp_session *session;
    const struct mcp_offer *offer;
    const struct mcp_message *message;
    const struct mcp_peer *peer;
    bool modern;

    unsigned abilities;                 /* of its client: enum mcp_ability */
    const char *result_type;            /* of a modern answer */
    bool defers;                        /* a task will do for an answer */
    struct mcp_task task;               /* ... and this is it, if it has an id */
    wr_err outcome;                     /* of what is asked about it, */
    json_t *inputs;                     /* ... what it waits for, */
    struct mcp_page *page;              /* ... or many of them */

    const json_t *arguments;            /* an object, or NULL */
    void *arg;
    const char *uri, *rest;

    bool prompts;                       /* what is written are messages of a prompt */
    struct wr_text text, structured;    /* of the handler */
    struct wr_text blocks;              /* ... and what else it has, as JSON */
    const char *media;                  /* of what was read, if not as the table says */
    bool binary;
    struct wr_text middle;              /* what `rest` points to, where that is no end */

    json_t *said;                       /* by the client, when it was asked */
    json_t *asked;                      /* ... and what it still has to say, by name */
    struct wr_bcast_reader news;        /* for who listens */

    char why[WHY_MAX];                  /* ... or of whoever refused it */
    enum mcp_code code;                 /* it is answered with an error */
    bool refused;
    struct wr_text data;                /* ... with this, if it is JSON */
    struct wr_text out;                 /* the answer; */
    struct wr_json json;                /* ... its result is open */

    char token[MCP_ID_MAX];             /* of progress, as JSON; empty: none is wanted */
    struct wr_mutex lock;               /* of what follows */
    uint32_t done, total;
    char note[160];
    bool spoke;                         /* there is something that was not sent yet */

    bool answered;

    struct wr_scope *scope;             /* under the lock of the session; NULL: not yet, */
    struct mcp_request *next;           /* ... or not any more */
    bool linked;
    bool canceled;
};

/* Something the client of a session was asked, which it has not answered yet. */
struct mcp_question {
    struct mcp_session *session;
    char id[32];
    struct wr_once *answered;
    json_t *answer;                     /* the whole message */
    struct mcp_question *next;
};

/* NULL: there is no memory.  A copy has nothing written, and is in no session's list. */
struct mcp_request *mcp_request_new(struct mcp_session *session,
                                    const struct mcp_message *message,
                                    const struct mcp_peer *peer);
struct mcp_request *mcp_request_copy(const struct mcp_request *request);
void mcp_request_rewind(struct mcp_request *request);
void mcp_request_free(struct mcp_request *request);

/* It is answered with an error; the first one stays. */
void mcp_request_refuse(struct mcp_request *request, enum mcp_code code, const char *format,
                        ...) __attribute__((format(printf, 3, 4)));

/* Whether who asks is allowed to what has this scope (NULL: anybody is).  False: that was
 * said. */
bool mcp_request_may(struct mcp_request *request, const char *scope);

/* Run a handler so that it can be canceled, with progress.  It refuses the request if there are
 * too many.  Errors: its own; NOMEM, BUSY, CANCELED, TIMEOUT. */
wr_err mcp_request_run(struct mcp_request *request, wr_err (*handler)(struct mcp_request *),
                       wr_time within);

/* It runs in this scope from now on, which is canceled if it was; and no more.  False: there
 * are too many. */
bool mcp_session_enter(struct mcp_request *request, struct wr_scope *scope);
void mcp_session_leave(struct mcp_request *request);

const struct mcp_offer *mcp_session_offer(const struct mcp_session *session);

/* A question waits for its answer, with an id of its own; and no more, which is fine if it
 * never did.  Errors: BUSY (MCP_CALLS_MAX of them do). */
wr_err mcp_session_expect(struct mcp_session *session, struct mcp_question *question);
void mcp_session_forget(struct mcp_question *question);

/* Resources that its client wants to hear of.  False: there are MCP_LISTENS_MAX, or no memory;
 * of the last two: it is none of them, or there are fewer. */
bool mcp_session_subscribe(struct mcp_session *session, const char *uri);
void mcp_session_unsubscribe(struct mcp_session *session, const char *uri);
bool mcp_session_subscribed(struct mcp_session *session, const char *uri);
bool mcp_session_subscription(struct mcp_session *session, size_t i, char ret[MCP_URI_MAX]);

/* How severe something must be for its client to hear of it. */
void mcp_session_level(struct mcp_session *session, enum mcp_level level);
enum mcp_level mcp_session_heeds(struct mcp_session *session);

/* ---- what only the client can say ---- */

/* What a modern client has brought.  False: it is not as it should be, and that was said. */
bool mcp_elicit_read(struct mcp_request *request);

/* The members of an answer that asks for more.  False: nothing was asked. */
bool mcp_elicit_write(struct mcp_request *request);

/* The session begins, with this version and a client of these abilities. */
void mcp_session_begin(struct mcp_session *session, const char *version, unsigned abilities);

/* What a client says it can, in an object "capabilities". */
unsigned mcp_abilities(const json_t *capabilities);

/* The client of the request cannot do what it takes, and must say so to be served. */
void mcp_request_require(struct mcp_request *request, enum mcp_ability ability);

/* ---- methods ---- */

enum mcp_era { MCP_LEGACY = 1, MCP_NOW = 2, MCP_EVER = 3 };

struct mcp_method {
    const char *name;
    enum mcp_era eras;
    bool early;                         /* before `initialize`, too */
    bool waits;
    long keep_ms;                       /* the answer may be kept so long; -1: not at all */
    size_t (*there)(const struct mcp_offer *offer);     /* NULL: always */
    /* Writes members of the result, or refuses. */
    void (*answer)(struct mcp_request *request);
};

/* NULL: there is none. */
const struct mcp_method *mcp_method(const char *name);

/* ... "supportedVersions", what a client may ask for, the latest first. */
void mcp_versions_write(struct wr_json *json, const char *key);

/* A parameter; of one that must be a string its value.  NULL: it is not there; or no string,
 * and that was said. */
const json_t *mcp_param(const struct mcp_request *request, const char *name);
const char *mcp_string_param(struct mcp_request *request, const char *name);

/* Have params.arguments.  False: they are no object, and that was said. */
bool mcp_take_arguments(struct mcp_request *request);

/* {"type":"text",...}; bytes in base64. */
void mcp_write_text(struct wr_json *json, const char *key, const char *text, size_t len);
void mcp_write_base64(struct wr_json *json, const char *key, const void *bytes, size_t len);

/* What a handler has written: "content" of a tool, "messages" of a prompt. */
void mcp_write_content(struct mcp_request *request);
void mcp_write_messages(struct mcp_request *request);

/* What a handler has written, or why it failed: the members of the result of a call. */
void mcp_write_result(struct mcp_request *request, wr_err err);

/* A task, as a call is answered with it. */
void mcp_write_task(struct mcp_request *request, const struct mcp_task *task);

/* A task that `uri` names, as soon as its version is another, with what a modern client is told
 * besides: to be looked up, and written.  Errors: as the provider's. */
wr_err mcp_task_look(struct mcp_request *request, uint64_t seen, wr_time deadline);
void mcp_task_write(struct mcp_request *request);
bool mcp_task_ended(const struct mcp_task *task);

/* Whether it is many: its URI has a {name}. */
bool mcp_is_template(const struct mcp_resource *resource);

void mcp_answer_tools(struct mcp_request *request);
void mcp_answer_prompts(struct mcp_request *request);
void mcp_answer_resources(struct mcp_request *request);
void mcp_answer_templates(struct mcp_request *request);
void mcp_answer_call(struct mcp_request *request);
void mcp_answer_prompt(struct mcp_request *request);
void mcp_answer_read(struct mcp_request *request);
void mcp_answer_listen(struct mcp_request *request);
void mcp_answer_subscribe(struct mcp_request *request);
void mcp_answer_unsubscribe(struct mcp_request *request);
void mcp_answer_complete(struct mcp_request *request);
void mcp_answer_level(struct mcp_request *request);
void mcp_answer_task_get(struct mcp_request *request);
void mcp_answer_task_result(struct mcp_request *request);
void mcp_answer_task_list(struct mcp_request *request);
void mcp_answer_task_cancel(struct mcp_request *request);
void mcp_answer_task_update(struct mcp_request *request);

#endif
