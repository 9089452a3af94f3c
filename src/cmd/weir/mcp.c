/* mcp.c - weir mcp: what Weir can do, for an agent that has started it.
 *
 * If a node runs on the data directory, that is who answers, by its Unix socket; else this
 * process is the node as long as it lives.
 *
 * Standard output is the protocol and nothing else; logs go to standard error.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <weir/fd.h>
#include <weir/run.h>

#include "cmd/weir/flags.h"
#include "cmd/weir/mcp_node.h"
#include "cmd/weir/weir.h"
#include "mcp/bridge.h"
#include "mcp/stdio.h"

extern char **environ;

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
    "  here too, with its own configuration.  Where none runs this is the node, for others "
    "too,\n"
    "  until the input ends.\n"
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
    struct wr_conf_source source;
    struct wr_conf *conf;
    struct wr_fd *in, *out;
    struct mcp_node *node;
    bool started;                       /* a client is, or was, served */
};

/* ---- running ---- */

static wr_err take_end(struct wr_fd **ret, int number, const char *name)
{
    wr_err err = wr_fd_borrow(ret, number);
    if (err)
        fprintf(stderr, "weir: %s cannot be used: %s\n", name,
                err == WR_UNSUPPORTED ? "it is a file; weir mcp talks over pipes, such as an "
                                        "agent's" : wr_err_text(err));
    return err;
}

/* By ourselves, or by a node that runs: then as one of many. */
static wr_err serve(void *arg)
{
    struct mcp *mcp = arg;
    const struct wr_addr *addr = mcp_node_addr(mcp->node);
    mcp->started = true;
    if (mcp_node_ours(mcp->node))
        return mcp_stdio_serve(mcp_node_offer(mcp->node), mcp->in, mcp->out);
    fprintf(stderr, "weir: a node runs at %s: it answers%s\n", addr->path,
            mcp->flagged ? ", as it is configured, whatever was said here" : "");
    return mcp_bridge_serve(&(struct mcp_bridge){ .node = addr, .revive = mcp_node_find,
                                                  .arg = mcp->node }, mcp->in, mcp->out);
}

static wr_err find_and_serve(struct mcp *mcp)
{
    char why[MCP_NODE_WHY] = "";
    wr_err err = mcp_node_open(&mcp->node, &mcp->source, mcp->conf);
    if (!err)
        err = mcp_node_find(mcp->node, why);
    if (err)
        fprintf(stderr, "weir: %s\n", why[0] ? why : wr_err_text(err));
    else
        err = mcp_node_serve(mcp->node, serve, mcp);
    if (mcp_node_close(mcp->node) == WR_TIMEOUT)
        fprintf(stderr, "weir: what had not finished in time was aborted\n");
    return err;
}

static wr_err run(void *arg)
{
    struct mcp *mcp = arg;
    wr_err err = take_end(&mcp->in, STDIN_FILENO, "standard input");
    if (!err)
        err = take_end(&mcp->out, STDOUT_FILENO, "standard output");
    if (!err)
        err = find_and_serve(mcp);
    wr_fd_close(mcp->in);
    wr_fd_close(mcp->out);
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
    if (wr_conf_bool(mcp->conf, "security.amnesia"))
        weir_forget();
    wr_err err = wr_run(&(struct wr_run_conf){
        .workers = (unsigned)wr_conf_int(mcp->conf, "threads"), .control = true }, run, mcp);
    if (err && mcp->started)
        fprintf(stderr, "weir: the client has gone: %s\n", wr_err_text(err));
    return !err ? 0 : mcp->started ? 1 : 2;
}

int weir_mcp(int argc, char **argv)
{
    static struct mcp mcp;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0) {
            fputs(help_text, stdout);
            return 0;
        }
    int status = 2;
    if (read_options(&mcp, argc, argv)) {
        mcp.source = (struct wr_conf_source){
            .tables = weir_tables, .argc = mcp.flags.count, .argv = mcp.flags.at,
            .env = environ, .services = weir_services };
        mcp.conf = weir_load(&mcp.source);
        if (mcp.conf)
            status = start(&mcp);
        wr_conf_unref(mcp.conf);
    }
    flags_free(&mcp.flags);
    return status;
}
