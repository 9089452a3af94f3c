/* queue.c - weir queue: research tasks of the node, from the shell.
 *
 * Every command is one question to the node that runs on the data directory, by its Unix socket
 * (local.h); watch asks again and again.  Where no node runs, watch becomes it for as long as
 * there is something to do (companion.h), and so does a command that is followed by it
 * (add --watch).  The others are the node for as long as their question takes, and do no jobs:
 * they would begin the work of strangers only to give it up.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/weir/queue_ask.h"
#include "cmd/weir/queue_show.h"
#include "cmd/weir/queue_watch.h"
#include "cmd/weir/weir.h"

#define BODY_MAX ((size_t)4 << 20)      /* what the node takes */
#define TEXT_MAX ((size_t)32 << 20)
#define TARGETS_MAX 10000

extern char **environ;

static const char help_text[] =
    "usage: weir queue add [--task ID | --hypothesis TEXT] TARGET...\n"
    "       weir queue list\n"
    "       weir queue status TASK [--full] [--wait SECONDS]\n"
    "       weir queue watch TASK\n"
    "       weir queue cited TASK [--dry-run] [--limit N] [--only IDS | --except IDS]\n"
    "       weir queue budget TASK [--pages N] [--seconds N]\n"
    "       weir queue stop TASK [--mode WORD] [--scope WORD] [--reason WORD]\n"
    "       weir queue forget TASK\n"
    "       weir queue auth [TASK]\n"
    "       weir queue resolve (ID | --domain NAME | --task ID) [--skip | --failed]\n"
    "       weir queue job ID\n"
    "\n"
    "  Tasks of the node that runs on the data directory.  A TARGET is a query for web and\n"
    "  academic search, a URL or a DOI; - reads targets from standard input, one a line, but\n"
    "  for lines that begin with #.  watch follows a task until nothing of it is left to do;\n"
    "  where no node runs it is the node meanwhile.  The others are then one for their\n"
    "  question, and do no jobs.\n"
    "\n"
    "add:\n"
    "  --task ID            a task that there is; else a new one is made\n"
    "  --hypothesis TEXT    what a new task is to find out; by default its first target\n"
    "  --pages N            a new task's budget of pages; of a task that there is: of a query\n"
    "  --seconds N          a new task's budget of time\n"
    "  --priority WORD      high, medium or low\n"
    "  --engines NAMES      duckduckgo, mojeek, google, brave, ecosia, startpage, bing;\n"
    "                       between commas\n"
    "  --apis NAMES         semantic_scholar, openalex\n"
    "  --watch              then follow the task\n"
    "cited:                 queues what pages of the task cite and nobody has looked at\n"
    "  --dry-run            only shows it\n"
    "  --limit N            so many, 1 to 200; 10\n"
    "  --only IDS           these, by the ids that are shown; between commas\n"
    "  --except IDS         all but these\n"
    "  --priority WORD      high, medium or low\n"
    "budget:\n"
    "  --pages N            pages that it may fetch in all, those of before included\n"
    "  --seconds N          seconds that it may take in all\n"
    "stop:\n"
    "  --mode WORD          graceful (wait for what runs), immediate or full\n"
    "  --scope WORD         all_jobs or target_queue_only\n"
    "  --reason WORD        session_completed, budget_exhausted or user_cancelled\n"
    "forget:                removes a task with all that only it has; stop it first\n"
    "\n"
    "  --json PATH          the answer as JSON; - is standard output\n"
    "  --data PATH          the data directory of the node\n"
    "  --config PATH        a configuration file\n"
    "  --set KEY=VALUE      any key of the configuration (weir config print); may be repeated\n"
    "\n"
    "Exit status: 0 done; 1 the node refused, or (watch) something has failed; 2 wrong use, "
    "or\n"
    "no node can be; 3 (watch) what is left waits for a person; 130 (watch) it was "
    "interrupted.\n";

enum choice {
    OPT_HELP = 256, OPT_FULL, OPT_WATCH, OPT_SKIP, OPT_FAILED, OPT_DRY, OPT_DATA, OPT_CONFIG,
    OPT_SET,
    OPT_TEXT,                           /* and those after it: kept as they are */
};

static void put_list(struct wr_json *json, const char *key, const char *words)
{
    if (!words)
        return;
    wr_json_array(json, key);
    for (size_t len; *words; words += len + (words[len] == ',')) {
        len = strcspn(words, ",");
        if (len)
            wr_json_bytes(json, NULL, words, len);
    }
    wr_json_end(json);
}

static void put_word(struct wr_json *json, const char *key, const char *word)
{
    if (word)
        wr_json_str(json, key, word);
}

static void put_number(struct wr_json *json, const char *key, long number)
{
    if (number >= 0)
        wr_json_i64(json, key, number);
}

/* ---- add ---- */

/* Targets of standard input: a line each, but for those that are empty or comments. */
static int put_lines(struct wr_json *json)
{
    char *line = NULL;
    size_t room = 0, count = 0;
    ssize_t len;
    while ((len = getline(&line, &room, stdin)) >= 0 && count <= TARGETS_MAX) {
        while (len > 0 && strchr(" \t\r\n", line[len - 1]))
            line[--len] = '\0';
        if (len > 0 && line[0] != '#') {
            wr_json_bytes(json, NULL, line, (size_t)len);
            count++;
        }
    }
    free(line);
    return (int)count;
}

/* What a new task is; false: it was said why it cannot be. */
static bool write_new(const struct queue_asking *asking, struct wr_json *json)
{
    long pages = queue_number(asking, ASK_PAGES, 1000000);
    long seconds = queue_number(asking, ASK_SECONDS, 31536000);
    const char *hypothesis = asking->texts[ASK_HYPOTHESIS];
    if (pages == -2 || seconds == -2)
        return false;
    if (!hypothesis && strcmp(asking->words[0], "-") == 0) {
        (void)queue_refuse("targets of standard input do not say what is to be found out; "
                           "give --hypothesis TEXT or --task ID");
        return false;
    }
    wr_json_str(json, "hypothesis", hypothesis ? hypothesis : asking->words[0]);
    wr_json_object(json, "config");
    wr_json_object(json, "budget");
    put_number(json, "max_pages", pages);
    put_number(json, "max_seconds", seconds);
    wr_json_end(json);
    wr_json_end(json);
    return true;
}

/* Targets, and a new task if there is none; false: it was said why not. */
static bool write_targets(const struct queue_asking *asking, struct wr_text *ret, bool anew)
{
    struct wr_json json = wr_json_to(ret);
    int count = 0;
    long pages = anew ? -1 : queue_number(asking, ASK_PAGES, 1000000);
    wr_json_object(&json, NULL);
    if (pages == -2 || (anew && !write_new(asking, &json)))
        return false;
    wr_json_array(&json, "targets");
    for (int i = 0; i < asking->count; i++)
        if (strcmp(asking->words[i], "-") == 0)
            count += put_lines(&json);
        else if (count++ >= 0)
            wr_json_str(&json, NULL, asking->words[i]);
    wr_json_end(&json);
    wr_json_object(&json, "options");
    put_word(&json, "priority", asking->texts[ASK_PRIORITY]);
    put_list(&json, "serp_engines", asking->texts[ASK_ENGINES]);
    put_list(&json, "academic_apis", asking->texts[ASK_APIS]);
    put_number(&json, "budget_pages", pages);
    wr_json_end(&json);
    wr_json_end(&json);
    if (!count || count > TARGETS_MAX)
        (void)queue_refuse(count ? "more than 10000 targets; give fewer at a time"
                                 : "no target is named; weir queue --help says more");
    return count > 0 && count <= TARGETS_MAX;
}

/* All in one call, so that no task is left behind that has nothing to do; its id goes to
 * `ret`. */
static int submit(struct queue_asking *asking, const char *task, const struct wr_text *body,
                  char ret[QUEUE_ID_MAX + 1])
{
    char target[200];
    struct wr_text path = WR_TEXT(target);
    struct local_answer answer;
    if (!task)
        wr_text_str(&path, "/v1/queue/tasks");
    else if (!queue_place(&path, "tasks", task, "/targets"))
        return 2;
    int status = queue_ask(asking, &answer, "POST", target, body, 0);
    const char *id = task ? task
                          : json_string_value(json_object_get(answer.body, "task_id"));
    if (!status && (!id || strlen(id) > QUEUE_ID_MAX))
        status = queue_refuse("the node has made a task and not said which");
    if (!status) {
        struct wr_text text = wr_text_heap(TEXT_MAX);
        snprintf(ret, QUEUE_ID_MAX + 1, "%s", id);
        queue_show_added(&text, answer.body, ret);
        json_object_set_new(answer.body, "task_id", json_string(ret));
        status = queue_tell(asking, answer.body, &text);
        wr_text_free(&text);
    }
    local_free(&answer);
    return status;
}

static int add(struct queue_asking *asking)
{
    char id[QUEUE_ID_MAX + 1] = "";
    const char *task = asking->texts[ASK_TASK];
    if (task && asking->texts[ASK_HYPOTHESIS])
        return queue_refuse("--task names a task that there is, --hypothesis makes one: give "
                            "one of them");
    if (!asking->count)
        return queue_refuse("no target is named; weir queue --help says more");
    struct wr_text body = wr_text_heap(BODY_MAX);
    int status = write_targets(asking, &body, !task) ? 0 : 2;
    asking->works = asking->watch;
    if (!status)
        status = submit(asking, task, &body, id);
    wr_text_free(&body);
    if (!status && asking->watch) {
        asking->texts[ASK_JSON] = NULL;        /* it has the answer to add */
        return queue_watch(asking, id);
    }
    if (!status && asking->companion)
        fprintf(stderr, "weir queue: it is looked at when a node runs: weir queue watch %s, or "
                "weir run\n", id);
    return status;
}

/* ---- the others ---- */

static int list(struct queue_asking *asking)
{
    return queue_inquire(asking, "GET", "/v1/queue/tasks", NULL, 0, queue_show_list);
}

static int show_status(struct queue_asking *asking)
{
    char target[300];
    struct wr_text path = WR_TEXT(target);
    long wait = queue_number(asking, ASK_WAIT, 300);
    if (wait == -2 || !queue_place(&path, "tasks", asking->words[0], ""))
        return 2;
    int seconds = wait > 0 ? (int)wait : 0;
    wr_text_format(&path, "?wait=%d%s", seconds, asking->full ? "&detail=full" : "");
    return queue_inquire(asking, "GET", target, NULL, seconds, queue_show_status);
}

static int watch_it(struct queue_asking *asking)
{
    return queue_watch(asking, asking->words[0]);
}

static int cited(struct queue_asking *asking)
{
    char target[200];
    struct wr_text path = WR_TEXT(target), body = wr_text_heap(BODY_MAX);
    struct wr_json json = wr_json_to(&body);
    long limit = queue_number(asking, ASK_LIMIT, 200);
    int status = 2;
    wr_json_object(&json, NULL);
    put_list(&json, "include_ids", asking->texts[ASK_ONLY]);
    put_list(&json, "exclude_ids", asking->texts[ASK_EXCEPT]);
    if (limit >= 0)
        wr_json_i64(&json, "limit", limit);
    wr_json_bool(&json, "dry_run", asking->dry);
    wr_json_object(&json, "options");
    put_word(&json, "priority", asking->texts[ASK_PRIORITY]);
    wr_json_end(&json);
    wr_json_end(&json);
    if (limit != -2 && queue_place(&path, "tasks", asking->words[0], "/candidates"))
        status = queue_inquire(asking, "POST", target, &body, 0, queue_show_cited);
    wr_text_free(&body);
    return status;
}

static int budget(struct queue_asking *asking)
{
    char target[200], bytes[200];
    struct wr_text path = WR_TEXT(target), body = WR_TEXT(bytes);
    struct wr_json json = wr_json_to(&body);
    long pages = queue_number(asking, ASK_PAGES, 1000000);
    long seconds = queue_number(asking, ASK_SECONDS, 31536000);
    if (pages == -2 || seconds == -2
        || !queue_place(&path, "tasks", asking->words[0], "/budget"))
        return 2;
    if (pages < 0 && seconds < 0)
        return queue_refuse("say --pages N, --seconds N, or both: what it may take in all");
    wr_json_object(&json, NULL);
    put_number(&json, "max_pages", pages);
    put_number(&json, "max_seconds", seconds);
    wr_json_end(&json);
    return queue_inquire(asking, "POST", target, &body, 0, queue_show_budget);
}

static int stop(struct queue_asking *asking)
{
    char target[200], bytes[2000];
    struct wr_text path = WR_TEXT(target), body = WR_TEXT(bytes);
    struct wr_json json = wr_json_to(&body);
    if (!queue_place(&path, "tasks", asking->words[0], "/stop"))
        return 2;
    wr_json_object(&json, NULL);
    put_word(&json, "reason", asking->texts[ASK_REASON]);
    put_word(&json, "mode", asking->texts[ASK_MODE]);
    put_word(&json, "scope", asking->texts[ASK_SCOPE]);
    wr_json_end(&json);
    return queue_inquire(asking, "POST", target, &body, 0, queue_show_stopped);
}

static int forget(struct queue_asking *asking)
{
    char target[200];
    struct wr_text path = WR_TEXT(target);
    if (!queue_place(&path, "tasks", asking->words[0], ""))
        return 2;
    return queue_inquire(asking, "DELETE", target, NULL, 0, queue_show_forgotten);
}

static int auth(struct queue_asking *asking)
{
    char ignored[200], target[200];
    struct wr_text path = WR_TEXT(ignored), query = WR_TEXT(target);
    wr_text_str(&query, "/v1/queue/auth");
    if (asking->count) {
        if (!queue_place(&path, "tasks", asking->words[0], ""))
            return 2;
        wr_text_format(&query, "?task_id=%s", asking->words[0]);
    }
    return queue_inquire(asking, "GET", target, NULL, 0, queue_show_auth);
}

/* What does not wait is nothing that could be resolved. */
static int tell_resolved(struct queue_asking *asking, const struct wr_text *body,
                         const char *name)
{
    struct local_answer answer;
    int status = queue_ask(asking, &answer, "POST", "/v1/queue/auth/resolve", body, 0);
    if (!status && !json_integer_value(json_object_get(answer.body, "resolved_count"))) {
        fprintf(stderr, "weir queue: nothing waits for a person under the name \"%s\"; weir "
                "queue auth lists what does\n", name);
        status = 1;
    } else if (!status) {
        struct wr_text text = wr_text_heap(TEXT_MAX);
        queue_show_resolved(&text, answer.body);
        status = queue_tell(asking, answer.body, &text);
        wr_text_free(&text);
    }
    local_free(&answer);
    return status;
}

static int resolve(struct queue_asking *asking)
{
    char bytes[4000];
    struct wr_text body = WR_TEXT(bytes);
    struct wr_json json = wr_json_to(&body);
    const char *domain = asking->texts[ASK_DOMAIN], *task = asking->texts[ASK_TASK];
    if (!!asking->count + !!domain + !!task != 1)
        return queue_refuse("name one of: an ID (weir queue auth has them), --domain NAME, "
                            "--task ID");
    if (asking->skip && asking->failed)
        return queue_refuse("--skip says that nobody will do it, --failed that somebody tried: "
                            "give one of them");
    wr_json_object(&json, NULL);
    wr_json_str(&json, "target", domain ? "domain" : task ? "task" : "item");
    put_word(&json, "domain", domain);
    put_word(&json, "task_id", task);
    put_word(&json, "queue_id", asking->count ? asking->words[0] : NULL);
    wr_json_str(&json, "action", asking->skip ? "skip" : "complete");
    if (!asking->skip)
        wr_json_bool(&json, "success", !asking->failed);
    wr_json_end(&json);
    return tell_resolved(asking, &body, domain ? domain : task ? task : asking->words[0]);
}

static int job(struct queue_asking *asking)
{
    char target[200];
    struct wr_text path = WR_TEXT(target);
    if (!queue_place(&path, "jobs", asking->words[0], ""))
        return 2;
    return queue_inquire(asking, "GET", target, NULL, 0, queue_show_job);
}

static const struct verb {
    const char *name;
    int (*run)(struct queue_asking *asking);
    int least, most;                    /* words that are no options */
    const char *options;                /* besides those of all */
} verbs[] = {
    { "add", add, 0, 1 << 20, "task hypothesis pages seconds priority engines apis watch" },
    { "list", list, 0, 0, "" },
    { "status", show_status, 1, 1, "full wait" },
    { "watch", watch_it, 1, 1, "" },
    { "cited", cited, 1, 1, "dry-run limit only except priority" },
    { "budget", budget, 1, 1, "pages seconds" },
    { "stop", stop, 1, 1, "mode scope reason" },
    { "forget", forget, 1, 1, "" },
    { "auth", auth, 0, 1, "" },
    { "resolve", resolve, 0, 1, "domain task skip failed" },
    { "job", job, 1, 1, "" },
};

/* ---- options ---- */

static bool take(struct queue_asking *asking, int option)
{
    switch (option) {
    case OPT_HELP: return asking->help = true;
    case OPT_FULL: return asking->full = true;
    case OPT_WATCH: return asking->watch = true;
    case OPT_SKIP: return asking->skip = true;
    case OPT_FAILED: return asking->failed = true;
    case OPT_DRY: return asking->dry = true;
    case OPT_DATA: return flags_add(&asking->flags, "--data=%s", optarg);
    case OPT_CONFIG: return flags_add(&asking->flags, "--config=%s", optarg);
    case OPT_SET: return flags_set(&asking->flags, optarg);
    default: break;
    }
    if (option < OPT_TEXT || option >= OPT_TEXT + ASK_COUNT)
        return false;                   /* getopt has said why */
    asking->texts[option - OPT_TEXT] = optarg;
    return true;
}

static bool has_word(const char *words, const char *word)
{
    for (size_t len; *words; words += len + (words[len] == ' ')) {
        len = strcspn(words, " ");
        if (len == strlen(word) && strncmp(words, word, len) == 0)
            return true;
    }
    return false;
}

/* One that would be passed over in silence is refused. */
static bool has_option(const struct verb *verb, const char *name)
{
    if (has_word("help data config set json", name) || has_word(verb->options, name))
        return true;
    (void)queue_refuse("%s has no option --%s; weir queue --help says which it has", verb->name,
                       name);
    return false;
}

static bool read_options(struct queue_asking *asking, const struct verb *verb, int argc,
                         char **argv)
{
    static const struct option plain[] = {
        { "help", no_argument, NULL, OPT_HELP }, { "full", no_argument, NULL, OPT_FULL },
        { "watch", no_argument, NULL, OPT_WATCH }, { "skip", no_argument, NULL, OPT_SKIP },
        { "failed", no_argument, NULL, OPT_FAILED }, { "dry-run", no_argument, NULL, OPT_DRY },
        { "data", required_argument, NULL, OPT_DATA },
        { "config", required_argument, NULL, OPT_CONFIG },
        { "set", required_argument, NULL, OPT_SET },
    };
    enum { PLAIN = sizeof(plain) / sizeof(*plain) };
    struct option known[PLAIN + ASK_COUNT + 1] = { 0 };
    int option, which = 0;
    memcpy(known, plain, sizeof(plain));
    for (int i = 0; i < ASK_COUNT; i++)
        known[PLAIN + i] = (struct option){ queue_text_name((enum queue_text)i),
                                            required_argument, NULL, OPT_TEXT + i };
    static char name[] = "weir queue";
    argv[0] = name;                     /* getopt speaks in its name */
    if (!flags_add(&asking->flags, "%s", name))
        return false;
    while ((option = getopt_long(argc, argv, "", known, &which)) != -1)
        if (!take(asking, option) || !has_option(verb, known[which].name))
            return false;
    asking->words = argv + optind;
    asking->count = argc - optind;
    return true;
}

static int run(struct queue_asking *asking, const struct verb *verb)
{
    if (asking->count < verb->least || asking->count > verb->most)
        return queue_refuse(asking->count < verb->least
                                ? "%s of what? weir queue --help says more"
                                : "%s takes fewer words; weir queue --help says more",
                            verb->name);
    asking->conf = weir_load(&(struct wr_conf_source){
        .tables = weir_tables, .argc = asking->flags.count, .argv = asking->flags.at,
        .env = environ, .services = weir_services });
    if (!asking->conf)
        return 2;
    int status = verb->run(asking);
    companion_stop(asking->companion);
    wr_conf_unref(asking->conf);
    return status;
}

int weir_queue(int argc, char **argv)
{
    struct queue_asking asking = { 0 };
    const char *word = argc > 1 ? argv[1] : "";
    const struct verb *verb = NULL;
    for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
        if (strcmp(word, verbs[i].name) == 0)
            verb = &verbs[i];
    if (!verb) {
        bool help = strcmp(word, "--help") == 0;
        if (*word && !help)
            (void)queue_refuse("there is no \"%s\"", word);
        fputs(help_text, help ? stdout : stderr);
        return help ? 0 : 2;
    }
    int status = 2;
    if (read_options(&asking, verb, argc - 1, argv + 1))
        status = asking.help ? (fputs(help_text, stdout), 0) : run(&asking, verb);
    flags_free(&asking.flags);
    return status;
}
