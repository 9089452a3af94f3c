/* openapi.h - the table of routes as an OpenAPI 3.1 document.
 *
 *     static const struct openapi_info info = { .title = "Weir", .version = "0.1.0" };
 *     ... { .method = "GET", .path = "/openapi.json", .handler = openapi_serve,
 *           .arg = (void *)&info },
 *
 * What it says of a path is what the server does: its parameters, how large a body it
 * takes, its deadline, and the errors that the server itself can answer with.
 */
#ifndef WR_NET_OPENAPI_H
#define WR_NET_OPENAPI_H

#include <stddef.h>

#include <weir/http.h>

#include "base/text.h"

struct openapi_info {
    const char *title, *version;
    const char *summary;                /* may be NULL */
};

/* Write the document.  The routes of conf have their defaults filled in, as a server has
 * them; paths come in the order of the table. */
void openapi_write(struct wr_text *text, const struct openapi_info *info,
                   const struct wr_http_conf *conf);

/* Handler: all routes of the server that is asked; the arg of its route is the info. */
wr_err openapi_serve(struct wr_call *call);

#endif
