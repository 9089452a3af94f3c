/* main.c - one binary, one table of subcommands. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/weir/keep.h"
#include "cmd/weir/weir.h"
#include "conf/name.h"

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
} commands[] = {
    { "backup", weir_backup, "copy the store into a folder, while the node goes on" },
    { "bench", weir_bench, "how fast a node answers, and how evenly" },
    { "check", weir_check, "does every work cited in a paper exist, as cited?" },
    { "config", weir_config, "print or check the configuration" },
    { "run", weir_run, "the node; also without any command" },
    { "demo", weir_demo, "a supervised, overloaded, draining pipeline, live in the terminal" },
    { "doctor", weir_doctor, "what on this machine keeps a node from running well" },
    { "index", weir_index, "names and content: publish, find who has it, fetch it" },
    { "library", weir_library, "local libraries of works: build, list, verify" },
    { "mcp", weir_mcp, "what Weir can do, for an agent that starts it" },
    { "queue", weir_queue, "research tasks: add targets, follow them, stop them" },
    { "restore", weir_restore, "put such a copy in the place of the store" },
    { "sim", weir_sim, "run scenarios in a simulated world, and replay a seed" },
    { "token", weir_token, "make, inspect and limit capability tokens" },
    { "topology", weir_topology, "the map of tasks, channels and locks" },
    { "version", weir_version, "what this is" },
};
#define COMMANDS (sizeof(commands) / sizeof(*commands))

static int usage(FILE *out, int status)
{
    fprintf(out, "usage: weir [COMMAND] [ARGUMENT...]\n"
                 "       weir --keep [run] [FLAG...]\n"
                 "       weir help [COMMAND]\n"
                 "       weir --version\n\n");
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].what);
    fprintf(out, "\n"
                 "  --keep     a small parent stays and starts the node again after a crash\n"
                 "\n"
                 "`weir COMMAND --help` says more; that of `run` has all flags of the node.\n");
    return status;
}

static int unknown(const char *name)
{
    const char *nearest = NULL;
    size_t least = 3;
    for (size_t i = 0; i < COMMANDS; i++)
        if (wr_name_distance(name, commands[i].name) < least) {
            least = wr_name_distance(name, commands[i].name);
            nearest = commands[i].name;
        }
    fprintf(stderr, "weir: there is no command \"%s\"", name);
    if (nearest)
        fprintf(stderr, "; did you mean \"%s\"?", nearest);
    fprintf(stderr, "\n\n");
    return usage(stderr, 2);
}

static bool is(const char *word, const char *one, const char *other)
{
    return strcmp(word, one) == 0 || strcmp(word, other) == 0;
}

/* However somebody asks a command for help, it is asked by --help. */
static void ask_for_help(int argc, char **argv)
{
    static char help[] = "--help";
    if (argc == 3 && strcmp(argv[1], "help") == 0) {
        argv[1] = argv[2];
        argv[2] = help;
    }
    if (argc == 3 && is(argv[2], "-h", "help"))
        argv[2] = help;
}

/* Who starts us may have closed the three descriptors that everybody has.  The next file
 * that is opened would get their numbers, and what is printed would be written into it.
 * false: there is nothing to put in their place. */
static bool fill_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
            return false;
    return true;
}

/* It keeps a node: what else there is does its work and ends, however that went. */
static int start_keeper(int argc, char **argv)
{
    const char *next = argc > 2 ? argv[2] : "run";
    if (strcmp(next, "--keep") == 0) {
        fprintf(stderr, "weir: --keep was given twice; one keeper is enough\n");
        return 2;
    }
    if (next[0] != '-' && strcmp(next, "run") != 0) {
        fprintf(stderr, "weir: --keep is for the node, not for \"%s\": weir --keep [run] "
                "[FLAG...]\n", next);
        return 2;
    }
    return weir_keep(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    if (!fill_descriptors())
        return 2;
    if (argc > 0)
        keep_name(argv[0]);
    if (argc < 2)
        return weir_run(argc, argv);
    ask_for_help(argc, argv);
    if (is(argv[1], "--help", "-h") || strcmp(argv[1], "help") == 0)
        return usage(stdout, 0);
    if (is(argv[1], "--version", "-V"))
        return weir_version(argc - 1, argv + 1);
    if (strcmp(argv[1], "--keep") == 0)
        return start_keeper(argc, argv);
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return argv[1][0] == '-' ? weir_run(argc, argv) : unknown(argv[1]);
}
