/* fixtures.c - a node with what the conformance suite asks for, and nothing else.
 *
 *     mcp-fixtures --http-addr 127.0.0.1:PORT --data DIR       at /mcp
 *     mcp-fixtures stdio                                       over pipes
 *
 * It is a program of the tests: a server of ours, in front of tables that are not.
 */
#include "fixtures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir/fd.h>
#include <weir/run.h>

#include "conf/conf.h"
#include "conf/node_keys.h"
#include "mcp/endpoint.h"
#include "mcp/news.h"
#include "mcp/request.h"
#include "mcp/stdio.h"
#include "svc/node/node.h"

extern char **environ;

#define TOOLS_MAX 64

/* ---- prompts ---- */

static wr_err write_embedded(struct mcp_request *request)
{
    static const char text[] = "Embedded resource content for testing.";
    mcp_request_embed(request, mcp_request_string(request, "resourceUri", NULL), "text/plain",
                      text, strlen(text));
    wr_text_str(mcp_request_text(request), "Please process the embedded resource above.");
    return WR_OK;
}

static wr_err write_image(struct mcp_request *request)
{
    mcp_request_image(request, "image/png", fixture_png, fixture_png_len);
    wr_text_str(mcp_request_text(request), "Please analyze the image above.");
    return WR_OK;
}

static wr_err write_context(struct mcp_request *request)
{
    const json_t *answer;
    wr_err err = mcp_request_ask(request, "user_context", "elicitation/create",
                                 fixture_form("What context should the prompt use?", "context"),
                                 &answer);
    const char *context = fixture_answer(answer, "context");
    wr_text_format(mcp_request_text(request), "Work in this context: %s",
                   context ? context : "none");
    return err;
}

static const char *const proposals[] = { "paris", "park", "party", "test", NULL };
static const struct mcp_field two[] = {
    { .name = "arg1", .what = "First test argument", .required = true, .proposals = proposals },
    { .name = "arg2", .what = "Second test argument", .required = true },
};
static const struct mcp_field uri_field[] = {
    { .name = "resourceUri", .what = "URI of the resource to embed", .required = true },
};
static const struct mcp_prompt prompts[] = {
    { .name = "test_simple_prompt", .what = "A text.",
      .text = "This is a simple prompt for testing." },
    { .name = "test_prompt_with_arguments", .what = "A text with two arguments.", .fields = two,
      .field_count = 2, .text = "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'" },
    { .name = "test_prompt_with_embedded_resource", .what = "A resource, and a text.",
      .fields = uri_field, .field_count = 1, .handler = write_embedded },
    { .name = "test_prompt_with_image", .what = "A picture, and a text.",
      .handler = write_image },
    { .name = "test_input_required_result_prompt", .what = "Asks for its context.",
      .handler = write_context },
};

/* ---- resources ---- */

static wr_err read_text(struct mcp_request *request)
{
    wr_text_str(mcp_request_text(request), "This is the content of the static text resource.");
    return WR_OK;
}

static wr_err read_binary(struct mcp_request *request)
{
    wr_text_bytes(mcp_request_text(request), (const char *)fixture_png, fixture_png_len);
    mcp_request_media(request, "image/png", true);
    return WR_OK;
}

static wr_err read_template(struct mcp_request *request)
{
    const char *id = mcp_request_rest(request);
    wr_text_format(mcp_request_text(request), "{\"id\":\"%s\",\"templateTest\":true,"
                   "\"data\":\"Data for ID: %s\"}", id, id);
    return WR_OK;
}

static const struct mcp_resource resources[] = {
    { .uri = "test://static-text", .name = "static-text", .what = "A text.",
      .media = "text/plain", .read = read_text },
    { .uri = "test://static-binary", .name = "static-binary", .what = "A picture.",
      .media = "image/png", .read = read_binary },
    { .uri = "test://watched-resource", .name = "watched-resource", .what = "It changes.",
      .media = "text/plain", .read = read_text },
    { .uri = "test://template/{id}/data", .name = "template", .what = "One for each id.",
      .media = "application/json", .read = read_template },
};

/* ---- the server ---- */

static struct mcp_tool tools[TOOLS_MAX];
static struct mcp_offer offer = {
    .name = "fixtures", .version = "1", .tools = tools, .prompts = prompts,
    .prompt_count = sizeof(prompts) / sizeof(*prompts), .resources = resources,
    .resource_count = sizeof(resources) / sizeof(*resources), .tasks = &fixture_tasks,
    .logs = true,
};
static const char *const services[] = { "mcp", NULL };
static const struct wr_conf_table *const tables[] = { &wr_node_keys, NULL };

static wr_err touch(struct mcp_request *request)
{
    mcp_news_tell(offer.news, "test://watched-resource");
    wr_text_str(mcp_request_text(request), "It has changed.");
    return WR_OK;
}

static void make_tools(void)
{
    size_t count = 0;
    for (size_t i = 0; i < fixture_tool_count; i++)
        tools[count++] = fixture_tools[i];
    for (size_t i = 0; i < fixture_deferred_count; i++)
        tools[count++] = fixture_deferred[i];
    tools[count++] = (struct mcp_tool){ .name = "touch", .handler = touch,
                                        .what = "Changes test://watched-resource." };
    offer.tool_count = count;
}

static wr_err serve_pipes(void *arg)
{
    struct wr_fd *in = NULL, *out = NULL;
    (void)arg;
    wr_err err = wr_fd_borrow(&in, STDIN_FILENO);
    if (!err)
        err = wr_fd_borrow(&out, STDOUT_FILENO);
    if (!err)
        err = mcp_stdio_serve(&offer, in, out);
    wr_fd_close(in);
    wr_fd_close(out);
    return err;
}

static wr_err serve_node(void *arg)
{
    struct wr_route routes[MCP_ROUTE_COUNT];
    struct mcp_endpoint *endpoint = NULL;
    wr_err err = mcp_endpoint_new(&endpoint, &offer);
    if (err)
        return err;
    mcp_endpoint_routes(endpoint, routes);
    struct node_service row = { .name = "mcp", .routes = routes,
                                .route_count = MCP_ROUTE_COUNT };
    struct node_start start = { .conf = arg, .services = &row, .service_count = 1 };
    err = node_run(&start, NULL);
    if (start.why[0])
        fprintf(stderr, "fixtures: %s\n", start.why);
    mcp_endpoint_free(endpoint);
    return err;
}

static wr_err serve(void *arg)
{
    wr_err err = mcp_news_new(&offer.news);
    if (!err)
        err = fixture_tasks_open();
    if (!err)
        err = arg ? serve_node(arg) : serve_pipes(NULL);
    fixture_tasks_close();
    mcp_news_free(offer.news);
    return err;
}

int main(int argc, char **argv)
{
    struct wr_conf_source source = { .tables = tables, .argc = argc, .argv = argv,
                                     .env = environ, .services = services };
    struct wr_conf_report report = { 0 };
    struct wr_conf *conf = NULL;
    make_tools();
    bool pipes = argc == 2 && strcmp(argv[1], "stdio") == 0;
    wr_err err = pipes ? WR_OK : wr_conf_load(&conf, &source, &report);
    if (report.text.len)
        fwrite(report.text.at, 1, report.text.len, stderr);
    wr_conf_report_free(&report);
    if (!err)
        err = wr_run(&(struct wr_run_conf){ .workers = 1, .control = !pipes }, serve, conf);
    wr_conf_unref(conf);
    return err ? 1 : 0;
}
