/* bench.c - `weir bench`: the admin plane of a node, measured from outside of it. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include <weir/run.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "base/text.h"
#include "cmd/weir/weir.h"
#include "conf/node_keys.h"
#include "conf/unit.h"
#include "svc/node/node.h"
#include "svc/node/probe.h"

#define START_WITHIN WR_S(5)
#define RESULT_MAX ((size_t)64 << 10)

static const char usage[] =
    "usage: weir bench [--at ADDRESS] [--duration D] [--concurrency N] [--samples N]\n"
    "                  [--seed N] [--json PATH|-]\n"
    "  Ask a node for its health, readiness, version and metrics, as fast as it answers,\n"
    "  and print how many it answered a second and how long that took.\n\n"
    "  --at ADDRESS      a node that runs, such as 127.0.0.1:8080, by HTTP in clear: what\n"
    "                    its limits refuse (429) is counted apart; without it one is\n"
    "                    started for this on a free port of loopback, whose limits do not\n"
    "                    bind, and nothing is written\n"
    "  --duration D      how long, up to 120s; 5s\n"
    "  --concurrency N   clients at the same time, 1 to 64; 8\n"
    "  --samples N       requests in all, after which it ends early; 50000 is the most\n"
    "  --seed N          which page is asked for when; 0\n"
    "  --json PATH       the result as JSON, to a file; - is standard output, in place of\n"
    "                    the table\n";

struct bench {
    struct probe_conf probe;
    bool running;                   /* --at was given */
    const char *json;               /* NULL: none */
    struct node_start start;        /* of our own node */
    struct node *node;
    struct wr_once *ready;
    struct probe_result result;
};

/* A node of our own has one client, which is to find out how fast it is and not how fast it
 * may be: the limit of one address is above all that can be asked for. */
static char *const own_flags[] = {
    "weir", "--http-addr", "127.0.0.1:0", "--amnesia", "--log-level", "error",
    "--rate-control-per-s", "1000000", "--rate-control-burst", "1000000",
};
#define OWN_FLAGS (sizeof(own_flags) / sizeof(*own_flags))

/* ---- the command line ---- */

static int wrong(const char *option, const char *text, const char *allowed)
{
    fprintf(stderr, "weir bench: --%s is \"%s\"; it takes %s\n`weir bench --help` says more.\n",
            option, text, allowed);
    return 2;
}

static bool number(int64_t *ret, const char *text, int64_t least, int64_t most)
{
    return wr_unit_int(ret, text) && *ret >= least && *ret <= most;
}

/* -1: go on; else the exit status. */
static int take(struct bench *bench, int option, const char *text)
{
    struct probe_conf *probe = &bench->probe;
    int64_t n;
    switch (option) {
    case 'a':
        if (wr_addr_parse(&probe->addr, text) || probe->addr.kind == WR_ADDR_UNIX
            || probe->addr.port == 0)
            return wrong("at", text, "an IP address and a port, such as 127.0.0.1:8080");
        bench->running = true;
        return -1;
    case 'd':
        if (!wr_unit_duration(&n, text) || n <= 0 || n > PROBE_DURATION_MAX)
            return wrong("duration", text, "a duration up to 120s, such as 500ms or 10s");
        probe->duration = n;
        return -1;
    case 'c':
        if (!number(&n, text, 1, PROBE_CLIENTS_MAX))
            return wrong("concurrency", text, "a number from 1 to 64");
        probe->clients = (unsigned)n;
        return -1;
    case 'n':
        if (!number(&n, text, 1, PROBE_SAMPLES_MAX))
            return wrong("samples", text, "a number from 1 to 50000");
        probe->samples_max = (unsigned)n;
        return -1;
    case 's':
        if (!number(&n, text, 0, INT64_MAX))
            return wrong("seed", text, "a number, 0 or above");
        probe->seed = (uint64_t)n;
        return -1;
    case 'j': bench->json = text; return -1;
    case 'h': fputs(usage, stdout); return 0;
    default: fputs(usage, stderr); return 2;
    }
}

static int parse(struct bench *bench, int argc, char **argv)
{
    static const struct option known[] = {
        { "at", required_argument, NULL, 'a' },
        { "duration", required_argument, NULL, 'd' },
        { "concurrency", required_argument, NULL, 'c' },
        { "samples", required_argument, NULL, 'n' },
        { "seed", required_argument, NULL, 's' },
        { "json", required_argument, NULL, 'j' },
        { "help", no_argument, NULL, 'h' },
        { 0 },
    };
    static char name[] = "weir bench";
    int option, status = -1;
    argv[0] = name;                     /* getopt speaks in its name */
    optind = 1;
    while (status < 0 && (option = getopt_long(argc, argv, "", known, NULL)) != -1)
        status = take(bench, option, optarg);
    if (status < 0 && optind < argc) {
        fprintf(stderr, "weir bench: no argument is expected here, not \"%s\"\n", argv[optind]);
        status = 2;
    }
    return status;
}

/* ---- measuring ---- */

static wr_err measure(struct bench *bench)
{
    struct probe *probe;
    wr_err err = probe_new(&probe, &bench->probe);
    if (err)
        return err;
    err = probe_run(probe, &bench->result);
    probe_free(probe);
    return err;
}

static void on_ready(void *arg, const struct node_face *face)
{
    struct bench *bench = arg;
    bench->probe.addr = face->http;
    (void)!wr_once_set(bench->ready, NULL);
}

static wr_err run_node(void *arg)
{
    struct bench *bench = arg;
    return node_run(&bench->start, &bench->node);
}

static wr_err measure_own(struct bench *bench)
{
    struct wr_scope *scope;
    wr_err err = wr_once_new(&bench->ready, "bench.ready", 0);
    if (!err)
        err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "bench",
                                                            .deadline = WR_NEVER });
    if (err)
        return err;
    err = wr_scope_go(scope, "bench.node", run_node, bench);
    if (!err)
        err = wr_once_wait(bench->ready, NULL, wr_after(START_WITHIN));
    if (!err)
        err = measure(bench);
    if (bench->node)
        node_stop(bench->node);
    wr_err ended = wr_scope_join(scope, WR_NEVER);
    (void)!wr_scope_close(scope);
    wr_once_free(bench->ready);
    return err ? err : ended;
}

static wr_err run(void *arg)
{
    struct bench *bench = arg;
    return bench->running ? measure(bench) : measure_own(bench);
}

static wr_err run_all(struct bench *bench)
{
    struct wr_conf_source source = { .tables = weir_tables, .argc = OWN_FLAGS,
                                     .argv = own_flags };
    struct wr_conf_report report = { 0 };
    bench->start = (struct node_start){ .source = &source, .ready = on_ready, .arg = bench,
                                        .no_signals = true };
    wr_err err = wr_conf_load(&bench->start.conf, &source, &report);
    if (!err)
        err = wr_run(&(struct wr_run_conf){ .control = true }, run, bench);
    wr_conf_report_free(&report);
    wr_conf_unref(bench->start.conf);
    return err;
}

/* ---- what came of it ---- */

static double ms(wr_time span)
{
    return (double)span / 1e6;
}

static void print_own(void)
{
    for (size_t i = 0; i < OWN_FLAGS; i++)
        printf("%s%c", own_flags[i], i + 1 < OWN_FLAGS ? ' ' : '\n');
}

static void print_table(const struct probe_result *result)
{
    double seconds = (double)result->took / 1e9;
    uint64_t requests = 0, errors = 0, refused = 0;
    printf("%-16s %9s %7s %7s %10s %9s %9s %9s\n", "endpoint", "requests", "errors",
           "refused", "per s", "p50 ms", "p95 ms", "p99 ms");
    for (size_t i = 0; i < PROBE_PAGES; i++) {
        const struct probe_row *row = &result->rows[i];
        printf("%-16s %9llu %7llu %7llu %10.0f %9.3f %9.3f %9.3f\n", row->page,
               (unsigned long long)row->requests, (unsigned long long)row->errors,
               (unsigned long long)row->refused, (double)row->requests / seconds,
               ms(row->p50), ms(row->p95), ms(row->p99));
        requests += row->requests;
        errors += row->errors;
        refused += row->refused;
    }
    printf("%-16s %9llu %7llu %7llu %10.0f   in %.3f s, %u clients\n", "all",
           (unsigned long long)requests, (unsigned long long)errors,
           (unsigned long long)refused, (double)requests / seconds, seconds,
           result->clients);
    if (refused)
        printf("429 was the answer to %llu: above the rate of one address "
               "(rate.control_per_s) the node answers no more\n",
               (unsigned long long)refused);
}

static int write_json(const struct probe_result *result, const char *path)
{
    struct wr_text text = wr_text_heap(RESULT_MAX);
    struct wr_json json = wr_json_to(&text);
    wr_json_object(&json, NULL);
    probe_write(&json, result);
    wr_json_end(&json);
    wr_text_str(&text, "\n");
    bool plain = strcmp(path, "-") == 0;
    FILE *file = plain ? stdout : fopen(path, "we");
    bool good = file && fwrite(text.at, 1, text.len, file) == text.len && !fflush(file);
    if (!good)
        fprintf(stderr, "weir bench: %s cannot be written: %s\n", path, strerror(errno));
    if (file && !plain)
        fclose(file);
    wr_text_free(&text);
    return good ? 0 : 1;
}

int weir_bench(int argc, char **argv)
{
    struct bench bench = { .probe = { .duration = WR_S(5), .clients = 8 } };
    int status = parse(&bench, argc, argv);
    if (status >= 0)
        return status;
    wr_err err = run_all(&bench);
    if (err) {
        const char *why = bench.start.why[0] ? bench.start.why : bench.result.why;
        fprintf(stderr, "weir bench: %s\n", why[0] ? why : wr_err_text(err));
        return 1;
    }
    bool table = !bench.json || strcmp(bench.json, "-") != 0;
    if (table && !bench.running)
        print_own();
    if (table)
        print_table(&bench.result);
    return bench.json ? write_json(&bench.result, bench.json) : 0;
}
