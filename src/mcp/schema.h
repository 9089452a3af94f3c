/* schema.h - the arguments of a tool: what clients are told about them, and whether what they
 * send is that.
 *
 *     mcp_schema_write(&json, "inputSchema", tool->fields, tool->field_count, local);
 *     ...
 *     struct mcp_misfit misfit;
 *     if (!mcp_schema_check(tool->fields, tool->field_count, local, arguments, &misfit))
 *         ...misfit.why is a sentence for the model, which can correct itself
 *
 * The schema is JSON Schema 2020-12 of an object that has these properties and no others.
 */
#ifndef WR_MCP_SCHEMA_H
#define WR_MCP_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/json.h"
#include "mcp/offer.h"

/* What does not fit: the argument, and a sentence. */
struct mcp_misfit { char name[64], why[400]; };

void mcp_schema_write(struct wr_json *json, const char *key, const struct mcp_field *fields,
                      size_t count, bool local);

/* `arguments` is an object, or NULL.  False: *ret says what is wrong; else it is empty. */
bool mcp_schema_check(const struct mcp_field *fields, size_t count, bool local,
                      const json_t *arguments, struct mcp_misfit *ret);

/* The same of their names alone. */
bool mcp_schema_names(const struct mcp_field *fields, size_t count, bool local,
                      const json_t *arguments, struct mcp_misfit *ret);

#endif
