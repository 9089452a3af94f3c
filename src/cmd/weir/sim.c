/* sim.c - weir sim: run scenarios in the simulator, and replay a seed. */
#include <weir/sim.h>

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/weir/weir.h"
#include "scenario/scenarios.h"

#define SCHEDULES_MAX 1000000

static const char usage[] =
    "usage: weir sim [--scenario NAME] [--seed N | --seeds A..B] [--scheduler S]\n"
    "                [--schedules N] [--trace] [--json]\n"
    "       weir sim --list\n"
    "\n"
    "Run scenarios in a simulated world that a seed decides; all of them unless one\n"
    "is named, with seeds 1..100 unless told.  A seed always does the same.\n"
    "\n"
    "  --scenario NAME   one of those that --list shows\n"
    "  --seed N          this seed\n"
    "  --seeds A..B      these seeds, both included\n"
    "  --scheduler S     random (the default), pct, pct:DEPTH, fifo,\n"
    "                    exhaustive, exhaustive:DEPTH\n"
    "  --schedules N     at most so many, when exhaustive (10000)\n"
    "  --trace           print every line of every trace\n"
    "  --json            print a line of JSON per scenario\n"
    "\n"
    "Exit status: 0 everything held, 1 something failed, 2 wrong use.\n";

struct options {
    const struct scenario *scenario;    /* NULL: all */
    const char *scheduler_name;
    struct wr_sim_conf conf;
    bool json;
};

/* ---- the command line ---- */

static bool number_at(const char **at, uint64_t *ret)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    errno = 0;
    *ret = strtoull(*at, &end, 10);
    *at = end;
    return errno == 0;
}

static bool parse_seeds(struct wr_sim_conf *conf, const char *text, bool range)
{
    uint64_t last;
    if (!number_at(&text, &conf->seed))
        return false;
    conf->seeds = 1;
    if (range) {
        if (strncmp(text, "..", 2) != 0)
            return false;
        text += 2;
        if (!number_at(&text, &last) || last < conf->seed || last - conf->seed == UINT64_MAX)
            return false;
        conf->seeds = last - conf->seed + 1;
    }
    return *text == '\0';
}

static bool parse_scheduler(struct wr_sim_conf *conf, const char *text)
{
    static const struct {
        const char *name;
        enum wr_sim_scheduler scheduler;
        bool depth;
    } known[] = {
        { "random", WR_SIM_RANDOM, false }, { "fifo", WR_SIM_FIFO, false },
        { "pct", WR_SIM_PCT, true }, { "exhaustive", WR_SIM_EXHAUSTIVE, true },
    };
    size_t len = strcspn(text, ":");
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strlen(known[i].name) != len || strncmp(known[i].name, text, len) != 0)
            continue;
        conf->scheduler = known[i].scheduler;
        if (text[len] == '\0')
            return true;
        uint64_t depth;
        const char *at = text + len + 1;
        if (!known[i].depth || !number_at(&at, &depth) || *at || depth == 0 || depth > 16)
            return false;
        conf->depth = (unsigned)depth;
        return true;
    }
    return false;
}

static bool parse_schedules(struct wr_sim_conf *conf, const char *text)
{
    return number_at(&text, &conf->schedules_max) && *text == '\0' && conf->schedules_max > 0
        && conf->schedules_max <= SCHEDULES_MAX;
}

static int wrong(const char *what, const char *value)
{
    fprintf(stderr, "weir sim: %s \"%s\"\n%s", what, value, usage);
    return 2;
}

#define SEED "0 to 18446744073709551615"

static const struct scenario *find(const char *name)
{
    for (size_t i = 0; wr_scenarios[i]; i++)
        if (strcmp(wr_scenarios[i]->name, name) == 0)
            return wr_scenarios[i];
    return NULL;
}

static void list(void)
{
    for (size_t i = 0; wr_scenarios[i]; i++)
        printf("%-12s %s\n", wr_scenarios[i]->name, wr_scenarios[i]->what);
}

static void print_line(void *unused, const char *line)
{
    (void)unused;
    puts(line);
}

/* -1: go on; else the exit status. */
static int parse(struct options *options, int argc, char **argv)
{
    static const struct option known[] = {
        { "scenario", required_argument, NULL, 'c' },
        { "seed", required_argument, NULL, 's' }, { "seeds", required_argument, NULL, 'S' },
        { "scheduler", required_argument, NULL, 'd' },
        { "schedules", required_argument, NULL, 'n' },
        { "trace", no_argument, NULL, 't' }, { "json", no_argument, NULL, 'j' },
        { "list", no_argument, NULL, 'l' }, { "help", no_argument, NULL, 'h' }, { 0 },
    };
    int option;
    optind = 1;
    while ((option = getopt_long(argc, argv, "h", known, NULL)) != -1) {
        switch (option) {
        case 'c':
            options->scenario = find(optarg);
            if (!options->scenario)
                return wrong("--scenario takes a name that --list shows, not", optarg);
            break;
        case 's':
        case 'S':
            if (!parse_seeds(&options->conf, optarg, option == 'S'))
                return wrong(option == 's' ? "--seed takes a number, " SEED ", not"
                                           : "--seeds takes A..B, A not above B, each " SEED
                                             ", not", optarg);
            break;
        case 'd':
            if (!parse_scheduler(&options->conf, optarg))
                return wrong("--scheduler takes random, fifo, pct, exhaustive, or one of the "
                             "last two with a depth (pct:3, 1 to 16), not", optarg);
            options->scheduler_name = optarg;
            break;
        case 'n':
            if (!parse_schedules(&options->conf, optarg))
                return wrong("--schedules takes a number, 1 to " WR_STR(SCHEDULES_MAX)
                             ", not", optarg);
            break;
        case 't': options->conf.trace = print_line; break;
        case 'j': options->json = true; break;
        case 'l': list(); return 0;
        case 'h': fputs(usage, stdout); return 0;
        default: fputs(usage, stderr); return 2;
        }
    }
    return optind < argc ? wrong("no argument is expected here, not", argv[optind]) : -1;
}

/* ---- results ---- */

static void print_replay(const struct scenario *scenario, const struct options *options,
                         const struct wr_sim_result *result)
{
    printf("weir sim --scenario %s --seed %" PRIu64 " --scheduler %s", scenario->name,
           result->seed, options->scheduler_name);
}

static void print_text(const struct scenario *scenario, const struct options *options,
                       const struct wr_sim_result *result)
{
    bool exhaustive = options->conf.scheduler == WR_SIM_EXHAUSTIVE;
    printf("%-12s %s: %" PRIu64 " %s, %" PRIu64 " counted, %" PRIu64 " operations, %" PRIu64
           " faults, %" PRIu64 " states, %" PRIu64 " preemptions, trace %016" PRIx64,
           scenario->name, options->scheduler_name, result->runs,
           exhaustive ? "schedules" : "seeds", result->counted, result->operations,
           result->faults, result->states, result->preemptions, result->hash);
    if (result->failure) {
        printf(": FAILED with seed %" PRIu64 ": %s: %s\nreplay: ", result->seed,
               wr_sim_failure_name(result->failure), result->message);
        print_replay(scenario, options, result);
    } else if (exhaustive) {
        printf(", complete to depth %u: held", result->depth_done);
    } else {
        printf(": held");
    }
    putchar('\n');
}

static void print_json(const struct scenario *scenario, const struct options *options,
                       const struct wr_sim_result *result)
{
    char message[sizeof(result->message) * 6 + 3];
    struct wr_text text = WR_TEXT(message);
    wr_text_json(&text, result->message, strlen(result->message));
    printf("{\"scenario\":\"%s\",\"scheduler\":\"%s\",\"runs\":%" PRIu64 ",\"counted\":%" PRIu64
           ",\"operations\":%" PRIu64 ",\"faults\":%" PRIu64 ",\"states\":%" PRIu64
           ",\"preemptions\":%" PRIu64 ",\"steps\":%" PRIu64 ",\"hash\":\"%016" PRIx64
           "\",\"depth_done\":%u,\"failure\":\"%s\",\"message\":%s,\"seed\":%" PRIu64
           ",\"decisions\":%zu,\"needed\":%zu,\"replay\":\"",
           scenario->name, options->scheduler_name, result->runs, result->counted,
           result->operations, result->faults, result->states, result->preemptions,
           result->steps, result->hash, result->depth_done,
           wr_sim_failure_name(result->failure), message, result->seed, result->decisions,
           result->needed);
    print_replay(scenario, options, result);
    puts("\"}");
}

static int run_one(const struct scenario *scenario, const struct options *options)
{
    struct wr_sim_result result;
    wr_err err = wr_scenario_run(&result, scenario, &options->conf);
    if (err && err != WR_PANIC) {
        fprintf(stderr, "weir sim: %s: %s\n", scenario->name, wr_err_text(err));
        return 1;
    }
    (options->json ? print_json : print_text)(scenario, options, &result);
    fflush(stdout);
    return err != WR_OK;
}

int weir_sim(int argc, char **argv)
{
    struct options options = { .scheduler_name = "random",
                               .conf = { .name = "weir sim", .seed = 1, .seeds = 100 } };
    int status = parse(&options, argc, argv);
    if (status >= 0)
        return status;
    if (options.scenario)
        return run_one(options.scenario, &options);
    status = 0;
    for (size_t i = 0; wr_scenarios[i]; i++)
        status |= run_one(wr_scenarios[i], &options);
    return status;
}
