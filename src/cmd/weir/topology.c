/* topology.c - the map of the node: drawn from one that runs, for two virtual seconds,
 * is asked for something by every way in, and is stopped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/oap.h>
#include <weir/run.h>
#include <weir/scope.h>
#include <weir/stream.h>
#include <weir/task.h>

#include "base/text.h"
#include "cmd/weir/services.h"
#include "cmd/weir/weir.h"
#include "svc/node/node.h"

#define MAP_MAX (256ul * 1024)

static const struct { const char *flag; enum wr_topo_format format; } formats[] = {
    { "--text", WR_TOPO_TEXT },
    { "--markdown", WR_TOPO_MARKDOWN },
    { "--mermaid", WR_TOPO_MERMAID },
};
#define FORMATS (sizeof(formats) / sizeof(*formats))

struct sketch {
    struct node_start start;
    struct node *node;
    struct node_face face;
    struct wr_once *ready;
    enum wr_topo_format format;
    struct wr_text *map;
};

static void on_ready(void *arg, const struct node_face *face)
{
    struct sketch *sketch = arg;
    sketch->face = *face;
    (void)!wr_once_set(sketch->ready, NULL);
}

static wr_err run_node(void *arg)
{
    struct sketch *sketch = arg;
    return node_run(&sketch->start, &sketch->node);
}

/* A work that the built-in sample has, so that nobody outside is asked. */
#define DOCUMENT \
    "@article{a, title={Computing Machinery and Intelligence}, author={A. M. " \
    "Turing},year=1950}"

_Static_assert(sizeof(DOCUMENT) - 1 == 90, "as its Content-Length says");

/* An agent that asks for a report, which is not there. */
#define CALL \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{" \
    "\"name\":\"check_references\",\"arguments\":{\"check_id\":\"0\"}," \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":{},\"progressToken\":1}}}"

_Static_assert(sizeof(CALL) - 1 == 243, "as its Content-Length says");

/* A request by way of the workers, one that fails and is told, pages that keep something, a
 * document to check, a research task, and an agent. */
static wr_err ask(const struct wr_addr *addr)
{
    static const char text[] =
        "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90\r\n\r\n" DOCUMENT
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
        "Mcp-Name: check_references\r\nContent-Length: 243\r\n\r\n" CALL
        "POST /v1/queue/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 18\r\n\r\n"
        "{\"hypothesis\":\"h\"}"
        "GET /v1/queue/tasks/task_0?wait=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
        "GET /v1/hello HTTP/1.1\r\nHost: localhost\r\n\r\n"
        "GET /api/v1/debug/sleep?ms=9999 HTTP/1.1\r\nHost: localhost\r\n\r\n"
        "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
        "GET /api/v1/system/summary HTTP/1.1\r\nHost: localhost\r\n\r\n"
        "POST /api/v1/reload HTTP/1.1\r\nHost: localhost\r\n"
        "Content-Length: 0\r\nConnection: close\r\n\r\n";
    struct wr_stream *stream;
    char answer[1000];
    size_t size = 1;
    wr_err err = wr_connect(&stream, addr, wr_after(WR_S(1)));
    if (err)
        return err;
    err = wr_stream_write(stream, &size, &(struct wr_piece){ text, strlen(text) }, 1,
                          wr_after(WR_S(1)));
    while (!err && size > 0)
        err = wr_stream_read(stream, &size, answer, sizeof(answer), wr_after(WR_S(5)));
    wr_stream_close(stream);
    return err;
}

static wr_err ask_oap(const struct wr_addr *addr)
{
    struct wr_oap_client *client;
    struct wr_oap_answer answer = { 0 };
    struct wr_oap_request request = { .id = WR_OAP_CFG_SNAP, .tenant = { 1 } };
    wr_err err = wr_oap_connect(&client, &(struct wr_oap_server){ .addr = addr },
                                wr_after(WR_S(1)));
    if (err)
        return err;
    err = wr_oap_ask(client, &request, MAP_MAX, &answer, wr_after(WR_S(1)));
    free(answer.payload);
    wr_oap_close(client);
    return err;
}

static wr_err draw(void *arg)
{
    struct sketch *sketch = arg;
    struct wr_scope *scope;
    wr_err err = wr_once_new(&sketch->ready, "topology.ready", 0);
    if (!err)
        err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "topology",
                                                            .deadline = WR_NEVER });
    if (err)
        return err;
    err = wr_scope_go(scope, "topology.node", run_node, sketch);
    if (!err)
        err = wr_once_wait(sketch->ready, NULL, wr_after(WR_S(5)));
    if (!err)
        err = ask(&sketch->face.http);
    if (!err)
        err = ask_oap(&sketch->face.oap);
    if (!err)
        err = wr_sleep(wr_after(WR_S(2)));
    if (!err)
        err = wr_topo_write(&sketch->map->len, sketch->map->at, sketch->map->cap,
                            sketch->format);
    if (sketch->node)
        node_stop(sketch->node);
    wr_err ended = wr_scope_join(scope, WR_NEVER);
    (void)!wr_scope_close(scope);
    wr_once_free(sketch->ready);
    return err ? err : ended;
}

static wr_err make_map(struct wr_text *map, enum wr_topo_format format)
{
    static char *const flags[] = { "weir", "--http-addr", "127.0.0.1:0", "--oap-addr",
                                   "127.0.0.1:0", "--amnesia", "--log-level", "error",
                                   "--workers-count", "2", "--index-dhtnode", "off",
                                   "--index-proxies", "http://127.0.0.1:9" };
    struct wr_conf_source source = { .tables = weir_tables,
                                     .argc = sizeof(flags) / sizeof(*flags),
                                     .argv = flags, .cpus = 2 };
    struct wr_conf_report report = { 0 };
    struct services services;
    wr_err err = services_make(&services);
    if (err)
        return err;
    struct sketch sketch = { .map = map, .format = format,
                             .start = { .source = &source, .services = services.rows,
                                        .service_count = SERVICES_COUNT, .ready = on_ready,
                                        .arg = &sketch,
                                        .no_signals = true } };
    err = wr_conf_load(&sketch.start.conf, &source, &report);
    if (!err)
        err = wr_run(&(struct wr_run_conf){ .virtual_clock = true, .workers = 1 }, draw,
                     &sketch);
    wr_conf_report_free(&report);
    wr_conf_unref(sketch.start.conf);
    services_free(&services);
    return err;
}

static int usage(FILE *to)
{
    fprintf(to, "usage: weir topology [--text|--markdown|--mermaid]\n"
                "  The map of the node's tasks, channels and locks, noticed from two virtual\n"
                "  seconds of one that runs: who gives to whom, through what, how bounded.\n"
                "  That of a node that runs already is at /api/v1/topology.\n");
    return to == stdout ? 0 : 2;
}

int weir_topology(int argc, char **argv)
{
    enum wr_topo_format format = WR_TOPO_TEXT;
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return usage(stdout);
    if (argc > 2)
        return usage(stderr);
    if (argc == 2) {
        size_t i = 0;
        while (i < FORMATS && strcmp(argv[1], formats[i].flag) != 0)
            i++;
        if (i == FORMATS) {
            fprintf(stderr, "weir topology: unknown option \"%s\"\n", argv[1]);
            return usage(stderr);
        }
        format = formats[i].format;
    }
    char *buf = malloc(MAP_MAX);
    if (!buf) {
        fprintf(stderr, "weir topology: %s\n", wr_err_text(WR_NOMEM));
        return 1;
    }
    struct wr_text map = wr_text_over(buf, MAP_MAX);
    wr_err err = make_map(&map, format);
    if (err)
        fprintf(stderr, "weir topology: %s\n", wr_err_text(err));
    else
        fwrite(map.at, 1, map.len, stdout);
    free(buf);
    return err ? 1 : 0;
}
