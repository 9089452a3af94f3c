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

#include <weir/err.h>
#include <weir/time.h>

#define MCP_WITHIN_DEFAULT WR_S(310)    /* longer than any client should be told to wait */

struct mcp_request;                     /* request.h */

enum mcp_type { MCP_STRING, MCP_INTEGER, MCP_BOOLEAN, MCP_OTHER };

/* An argument of a tool or a prompt.  Zero is the default of everything but name and what. */
struct mcp_field {
    const char *name, *what;
    enum mcp_type type;
    bool required;
    bool local;                     /* only for who runs on this machine, as this user */
    int64_t min, max;               /* of an integer; of a string its bytes, max 0: any */
    const char *const *words;       /* a string is one of these; the last is NULL */
    const char *preset;             /* as JSON: what is meant when it is not given */
    const char *schema;             /* of OTHER: its JSON Schema.  The handler checks it */
};

/* Something that can be called. */
struct mcp_tool {
    const char *name, *title, *what;
    const struct mcp_field *fields;
    size_t field_count;
    const char *output;             /* JSON Schema of what `structured` has; NULL: nothing */
    bool reads_only, destroys, repeatable, outward;     /* hints: outward asks the world */
    wr_time within;                 /* 0: MCP_WITHIN_DEFAULT */
    /* Runs in a scope of its own that ends after `within`, or when the client has gone or has
     * canceled it.  An error, and what mcp_request_fail said, is told the model. */
    wr_err (*handler)(struct mcp_request *request);
    void *arg;
};

/* A text to begin a conversation with; in it {name} stands for an argument, all of which are
 * strings. */
struct mcp_prompt {
    const char *name, *title, *what;
    const struct mcp_field *fields;
    size_t field_count;
    const char *text;
};

/* Something that can be read.  With {name} at its end the URI is a template, and any that
 * begins as it does is read. */
struct mcp_resource {
    const char *uri, *name, *title, *what, *media;
    /* Writes mcp_request_text; mcp_request_uri says which.  Errors: NOTFOUND, and others. */
    wr_err (*read)(struct mcp_request *request);
    void *arg;
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
};

#endif
