/* mcp.c - weir mcp: what Weir can do, for an agent that has started it.
 *
 * If a node runs on the data directory, that is who answers, by its Unix socket; else this
 * process does, and has the directory for itself meanwhile.
 *
 * Standard output is the protocol and nothing else; logs go to standard error.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir/fd.h>
#include <weir/file.h>
#include <weir/once.h>
#include <weir/run.h>
#include <weir/scope.h>
#include <weir/stream.h>

#include "base/text.h"
#include "cmd/weir/data.h"
#include "cmd/weir/flags.h"
#include "cmd/weir/services.h"
#include "cmd/weir/weir.h"
#include "mcp/bridge.h"
#include "mcp/stdio.h"

extern char **environ;

#define CONNECT_WITHIN WR_S(2)

static const char help_text[] =
    "usage: weir mcp [OPTION...]\n"
    "  Offer what Weir can do to an agent, by the Model Context Protocol on standard input "
    "and\n"
    "  output, until the input ends.  An agent's configuration names the program and \"mcp\":\n"
    "\n"
    "    {\"mcpServers\": {\"weir\": {\"command\": \"weir\", \"args\": [\"mcp\"]}}}\n"
    "\n"
    "  A node (weir run) offers the same at /mcp; one that runs on the data directory is who "
    "answers\n"
    "  here too, with its own configuration.\n"
    "\n"
    "  --library PATH       a local library (weir library build); may be repeated\n"
    "  --offline            ask nobody outside; with --library, these libraries alone\n"
    "  --mailto ADDRESS     whom sources may write to; some then answer faster\n"
    "  --config PATH        a configuration file\n"
    "  --set KEY=VALUE      any key of the configuration (weir config print); may be repeated\n"
    "\n"
    "Exit status: 0 the input has ended, 1 the client read no more, 2 it could not start.\n";

struct mcp {
    struct flags flags;
    bool libraries, offline;            /* were named; was given */
    bool flagged;                       /* anything was, that a node would not know of */
    struct wr_conf *conf;
    struct services services;
    struct wr_once *drain;
    int lock;                           /* of the data directory; -1: not ours */
    bool started;
};

/* ---- running ---- */

struct child { const struct wr_child *row; struct wr_once *drain; };

static wr_err run_child(void *arg)
{
    const struct child *child = arg;
    return child->row->run(child->row->arg, child->drain);
}

static wr_err take_end(struct wr_fd **ret, int number, const char *name)
{
    wr_err err = wr_fd_borrow(ret, number);
    if (err)
        fprintf(stderr, "weir: %s cannot be used: %s\n", name,
                err == WR_UNSUPPORTED ? "it is a file; weir mcp talks over pipes, such as an "
                                        "agent's" : wr_err_text(err));
    return err;
}

/* By a node, if there is one, or by ourselves. */
static wr_err serve(struct mcp *mcp, const struct wr_addr *node)
{
    struct wr_fd *in = NULL, *out = NULL;
    wr_err err = take_end(&in, STDIN_FILENO, "standard input");
    if (!err)
        err = take_end(&out, STDOUT_FILENO, "standard output");
    if (!err) {
        mcp->started = true;
        err = node ? mcp_bridge_serve(node, in, out)
                   : mcp_stdio_serve(&mcp->services.offer, in, out);
    }
    wr_fd_close(in);
    wr_fd_close(out);
    return err;
}

static wr_err run_service(struct mcp *mcp)
{
    struct child children[SERVICES_COUNT];
    struct wr_scope *scope = NULL;
    wr_err err = wr_once_new(&mcp->drain, "mcp.drain", 0);
    if (!err)
        err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "mcp.services",
                                                            .deadline = WR_NEVER });
    for (size_t i = 0; i < SERVICES_COUNT && !err; i++) {
        const struct node_service *row = &mcp->services.rows[i];
        children[i] = (struct child){ row->children, mcp->drain };
        if (row->child_count)
            err = wr_scope_go(scope, "mcp.service", run_child, &children[i]);
    }
    if (!err)
        err = serve(mcp, NULL);
    (void)!wr_scope_close(scope);
    wr_once_free(mcp->drain);
    return err;
}

/* Where a node on the data directory would be.  False: nowhere. */
static bool find_node(const struct wr_conf *conf, struct wr_addr *ret)
{
    const char *said = wr_conf_text(conf, "uds.path"), *data = wr_conf_text(conf, "data");
    struct wr_text path = WR_TEXT(ret->path);
    *ret = (struct wr_addr){ .kind = WR_ADDR_UNIX };
    if (!said && !data)
        return false;
    wr_text_format(&path, "%s%s", said ? said : data, said ? "" : "/node.sock");
    return !path.cut;
}

static bool node_runs(const struct wr_addr *node)
{
    struct wr_stream *stream = NULL;
    wr_err err = wr_connect(&stream, node, wr_after(CONNECT_WITHIN));
    wr_stream_close(stream);
    return !err;
}

/* Have the data directory for ourselves.  Where it cannot be had we do without: nothing that is
 * offered here keeps anything in it. */
static void take_data(struct mcp *mcp)
{
    char why[DATA_WHY];
    const char *data = wr_conf_text(mcp->conf, "data");
    if (!data || wr_conf_bool(mcp->conf, "security.amnesia")
        || wr_file_make_dir(data, 0700, wr_after(CONNECT_WITHIN)))
        return;
    mcp->lock = data_take(data, "weir mcp", why, sizeof(why));
    if (mcp->lock < 0)
        fprintf(stderr, "weir: %s is in use (%s): nothing is kept there\n", data, why);
}

static wr_err run(void *arg)
{
    struct mcp *mcp = arg;
    char why[NODE_WHY_MAX] = "";
    struct wr_addr node;
    if (find_node(mcp->conf, &node) && node_runs(&node)) {
        fprintf(stderr, "weir: a node runs at %s: it answers%s\n", node.path,
                mcp->flagged ? ", as it is configured, whatever was said here" : "");
        return serve(mcp, &node);
    }
    take_data(mcp);
    wr_err err = services_open(&mcp->services, mcp->conf, why);
    if (err) {
        fprintf(stderr, "weir: %s\n", why);
        return err;
    }
    err = run_service(mcp);
    services_close(&mcp->services);
    return err;
}

/* ---- options ---- */

enum choice { OPT_HELP = 256, OPT_LIBRARY, OPT_OFFLINE, OPT_MAILTO, OPT_CONFIG, OPT_SET };

static const struct option known[] = {
    { "help", no_argument, NULL, OPT_HELP },
    { "library", required_argument, NULL, OPT_LIBRARY },
    { "offline", no_argument, NULL, OPT_OFFLINE },
    { "mailto", required_argument, NULL, OPT_MAILTO },
    { "config", required_argument, NULL, OPT_CONFIG },
    { "set", required_argument, NULL, OPT_SET },
    { 0 },
};

static bool take_option(struct mcp *mcp, int option)
{
    mcp->flagged |= option == OPT_LIBRARY || option == OPT_OFFLINE || option == OPT_MAILTO;
    switch (option) {
    case OPT_LIBRARY:
        mcp->libraries = true;
        return flags_word(&mcp->flags, "--check-libraries", optarg);
    case OPT_OFFLINE: mcp->offline = true; return flags_add(&mcp->flags, "--check-offline");
    case OPT_MAILTO: return flags_add(&mcp->flags, "--check-mailto=%s", optarg);
    case OPT_CONFIG: return flags_add(&mcp->flags, "--config=%s", optarg);
    case OPT_SET: return flags_set(&mcp->flags, optarg);
    default: return false;              /* getopt has said why */
    }
}

/* Whatever is wrong has been said. */
static bool read_options(struct mcp *mcp, int argc, char **argv)
{
    static char name[] = "weir mcp";
    int option;
    argv[0] = name;                     /* getopt speaks in its name */
    bool good = flags_add(&mcp->flags, "%s", name);
    while (good && (option = getopt_long(argc, argv, "", known, NULL)) != -1)
        good = take_option(mcp, option);
    if (good && optind < argc) {
        fprintf(stderr, "weir mcp: \"%s\" is too much; weir mcp --help says more\n",
                argv[optind]);
        return false;
    }
    if (good && mcp->libraries && mcp->offline)
        good = flags_add(&mcp->flags, "--check-sample=false");
    return good;
}

static int start(struct mcp *mcp)
{
    wr_err err = services_make(&mcp->services);
    if (err)
        fprintf(stderr, "weir: %s\n", wr_err_text(err));
    else
        err = wr_run(&(struct wr_run_conf){
            .workers = (unsigned)wr_conf_int(mcp->conf, "threads") }, run, mcp);
    if (err && mcp->started)
        fprintf(stderr, "weir: the client has gone: %s\n", wr_err_text(err));
    services_free(&mcp->services);
    if (mcp->lock >= 0)
        close(mcp->lock);
    return !err ? 0 : mcp->started ? 1 : 2;
}

int weir_mcp(int argc, char **argv)
{
    static struct mcp mcp = { .lock = -1 };
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0) {
            fputs(help_text, stdout);
            return 0;
        }
    int status = 2;
    if (read_options(&mcp, argc, argv)) {
        mcp.conf = weir_load(&(struct wr_conf_source){
            .tables = weir_tables, .argc = mcp.flags.count, .argv = mcp.flags.at,
            .env = environ, .services = weir_services });
        if (mcp.conf)
            status = start(&mcp);
        wr_conf_unref(mcp.conf);
    }
    flags_free(&mcp.flags);
    return status;
}
