/* offer.h - what a server of the Model Context Protocol offers: tools, prompts, resources.
 *
 *     static const struct mcp_field fields[] = {
 *         { .name = "text", .type = MCP_STRING, .required = true, .max = 1 << 20,
 *           .what = "what to count" },
 *     };
 *     static wr_err count(struct mcp_request *request) { ... }
 *     static const struct mcp_tool tools[] = {
 *         { .name = "count_words", .title = "Count words", .what = "How many words it has.",
 *           .fields = fields, .field_count = 1, .handler = count },
 *     };
 *     static const struct mcp_offer offer = { .name = "counter", .version = "1",
 *                                             .tools = tools, .tool_count = 1 };
 *
 * An offer is a table.  The schemas that clients see are written from it, and what they send is
 * held against it before a handler sees it.  Whoever has tools fills one in; sessions
 * (session.h) answer from it, whatever the bytes come by.
 *
 * All of it must outlive whoever serves it, and does not change.
 */
#ifndef WR_MCP_OFFER_H
#define WR_MCP_OFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <weir/err.h>
#include <weir/time.h>

#define MCP_WITHIN_DEFAULT WR_S(310)    /* longer than any client should be told to wait */

struct mcp_news;                        /* news.h */
struct mcp_request;                     /* request.h */

enum mcp_type { MCP_STRING, MCP_INTEGER, MCP_BOOLEAN, MCP_OTHER };

/* An argument of a tool or a prompt.  Zero is the default of everything but name and what. */
struct mcp_field {
    const char *name, *what;
    enum mcp_type type;
    bool required;
    bool local;                     /* only for who runs on this machine, as this user */
    int64_t min, max;               /* of an integer; of a string its bytes: max 0 is any, and
                                     * with a min it is not blank */
    const char *const *words;       /* a string is one of these; the last is NULL */
    const char *preset;             /* as JSON: what is meant when it is not given */
    const char *schema;             /* of OTHER: its JSON Schema.  The handler checks it */
    const char *const *proposals;   /* what a person might mean, besides `words`; NULL last */
};

/* Whether what a tool begins can go on after its answer, as a task (below). */
enum mcp_deferral { MCP_NEVER_DEFERS, MCP_MAY_DEFER, MCP_MUST_DEFER };

/* Something that can be called. */
struct mcp_tool {
    const char *name, *title, *what;
    const struct mcp_field *fields;
    size_t field_count;
    const char *output;             /* JSON Schema of what `structured` has; NULL: nothing */
    bool reads_only, destroys, repeatable, outward;     /* hints: outward asks the world */
    const char *scope;              /* what who calls it must be allowed to, beyond calling
                                     * at all: of what writes, as its route has it; or NULL */
    wr_time within;                 /* 0: MCP_WITHIN_DEFAULT */
    enum mcp_deferral defers;       /* needs offer.tasks; see mcp_request_defer */
    /* Runs in a scope of its own that ends after `within`, or when the client has gone or has
     * canceled it.  An error, and what mcp_request_fail said, is told the model. */
    wr_err (*handler)(struct mcp_request *request);
    /* Says that arguments do not fit the table, as the handler says what is wrong: returns an
     * error.  NULL: the sentence is told as it is. */
    wr_err (*refused)(struct mcp_request *request, const char *name, const char *sentence);
    void *arg;
};

/* A text to begin a conversation with; in it {name} stands for an argument, all of which are
 * strings. */
struct mcp_prompt {
    const char *name, *title, *what;
    const struct mcp_field *fields;
    size_t field_count;
    const char *text;
    /* Instead of the text: writes it, as that of a tool does. */
    wr_err (*handler)(struct mcp_request *request);
    void *arg;
};

/* Something that can be read.  With one {name} in it the URI is a template, and any that begins
 * and ends as it does is read. */
struct mcp_resource {
    const char *uri, *name, *title, *what, *media;
    /* Writes mcp_request_text; mcp_request_uri says which.  Errors: NOTFOUND, and others. */
    wr_err (*read)(struct mcp_request *request);
    void *arg;
};

/* ---- tasks: what goes on after the call that began it was answered ---- */

#define MCP_TASK_ID 80                  /* bytes of an id, with the zero byte */
#define MCP_TASK_NOTE 200
#define MCP_TASK_PAGE 50                /* tasks of a list at a time */

enum mcp_task_state {
    MCP_TASK_WORKING,
    MCP_TASK_INPUT_REQUIRED,
    MCP_TASK_COMPLETED,
    MCP_TASK_FAILED,
    MCP_TASK_CANCELLED,
};

/* A task, as it was at some moment. */
struct mcp_task {
    char id[MCP_TASK_ID];
    enum mcp_task_state state;
    /* FAILED, and there is no result to read: it was not what was asked for that went wrong,
     * it was us.  `note` says how. */
    bool broken;
    char note[MCP_TASK_NOTE];           /* for people; may be empty */
    int64_t created_ms, changed_ms;     /* since 1970 */
    int64_t kept_ms;                    /* from its creation on; 0: for ever */
    int64_t poll_ms;                    /* how often a look is worth it; 0: not said */
    uint64_t version;                   /* another one with each change; never 0 */
};

/* Where tasks are.  Each call has the request that it is for: mcp_request_arg is `arg`,
 * mcp_request_tenant whom it is for.  A task of somebody else is NOTFOUND.  All of them may
 * wait. */
struct mcp_tasks {
    /* What it is as soon as its version is not `seen` (0: now), or at the deadline, whatever
     * it is then.  Errors: NOTFOUND, and others. */
    wr_err (*look)(struct mcp_request *request, const char *id, uint64_t seen,
                   struct mcp_task *ret, wr_time deadline);
    /* Write what the call would have answered with, as a handler does: of one that is
     * COMPLETED, or FAILED and not broken.  An error, and what mcp_request_fail said, is told
     * the model. */
    wr_err (*result)(struct mcp_request *request, const char *id);
    /* It should end; need not have when this returns.  One that has ended is left alone.
     * Errors: NOTFOUND, and others. */
    wr_err (*cancel)(struct mcp_request *request, const char *id);
    /* At most `max`, those that come after the one named (NULL: the first ones), in an order
     * that stays.  NULL: they cannot be listed.  Errors: NOTFOUND (none of that name). */
    wr_err (*list)(struct mcp_request *request, const char *after, struct mcp_task *ret,
                   size_t max, size_t *ret_count);
    /* What it waits for, while INPUT_REQUIRED: an object, by names of its own choice, of
     * {"method": "elicitation/create", "params": {...}}.  The caller gives it back.  NULL:
     * nothing, or there is no memory; as a pointer: it never waits for anything. */
    json_t *(*inputs)(struct mcp_request *request, const char *id);
    /* The answer to one of these.  Errors: NOTFOUND (nobody waits for it), INVALID. */
    wr_err (*update)(struct mcp_request *request, const char *id, const char *name,
                     const json_t *answer);
    void *arg;
    const char *scope;              /* of cancel and update, as that of a tool; or NULL */
};

struct mcp_offer {
    const char *name, *title, *version;
    const char *instructions;       /* for the model; may be NULL */
    const struct mcp_tool *tools;
    size_t tool_count;
    const struct mcp_prompt *prompts;
    size_t prompt_count;
    const struct mcp_resource *resources;
    size_t resource_count;
    const struct mcp_tasks *tasks;  /* NULL: nothing here goes on after its answer */
    struct mcp_news *news;          /* of resources that change (news.h); NULL: none does */
    bool logs;                      /* handlers use mcp_request_log */
};

#endif
