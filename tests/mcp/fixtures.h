/* fixtures.h - what the conformance suite of the Model Context Protocol asks a server to have:
 * tools, prompts and resources of fixed names that exist for it alone. */
#ifndef WEIR_TESTS_MCP_FIXTURES_H
#define WEIR_TESTS_MCP_FIXTURES_H

#include "mcp/offer.h"

extern const struct mcp_tool fixture_tools[];
extern const size_t fixture_tool_count;

/* Tools that become tasks, and where these are. */
extern const struct mcp_tool fixture_deferred[];
extern const size_t fixture_deferred_count;
extern const struct mcp_tasks fixture_tasks;
wr_err fixture_tasks_open(void);
void fixture_tasks_close(void);

/* The smallest picture there is: one red point. */
extern const unsigned char fixture_png[];
extern const size_t fixture_png_len;

/* The result of who is asked a name, if it is one; else NULL. */
const char *fixture_answer(const json_t *answer, const char *key);

/* {"message": ..., "requestedSchema": {...}}, which asks for one string. */
json_t *fixture_form(const char *message, const char *key);

#endif
