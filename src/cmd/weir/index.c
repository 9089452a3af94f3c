/* index.c - weir index: names, content and who has it, from the shell.
 *
 * Every command is one question, or a few, to the node that runs on the data directory, by its
 * Unix socket (index_ask.h).  Where no node runs the command is one for as long as it takes
 * (companion.h); what it publishes then is announced when a node runs again.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/json.h"
#include "cmd/weir/index_ask.h"
#include "cmd/weir/index_publish.h"
#include "cmd/weir/weir.h"
#include "svc/index/rank.h"

#define WATCH_EVERY_S 2
#define SHOWN_MAX ((size_t)1 << 20)
#define WATCHED_MAX 4096

extern char **environ;

static const char help_text[] =
    "usage: weir index publish (FILE | NAME=CID | -)...\n"
    "       weir index resolve KEY [--fresh]\n"
    "       weir index providers CID [--limit N] [--region WORD] [--fresh]\n"
    "       weir index get CID [--output PATH]\n"
    "       weir index pin CID | unpin CID\n"
    "       weir index watch KEY\n"
    "\n"
    "  Of the node that runs on the data directory; where none runs the command is one.\n"
    "  publish keeps a file in the store, tells others that this node has it, and prints its\n"
    "  content id; - reads names of files from standard input, one a line.  NAME=CID lets a\n"
    "  name stand for a content id.  A KEY is name:NAME or a CID, b3: and 64 hex digits.\n"
    "  get fetches from this node or the best provider, and verifies; to standard output,\n"
    "  or to --output.  watch prints each change of who has a CID, or what a name stands for.\n"
    "\n"
    "  --json PATH          the answer as JSON; - is standard output\n"
    "  --data PATH          the data directory of the node\n"
    "  --config PATH        a configuration file\n"
    "  --set KEY=VALUE      any key of the configuration (weir config print); may be repeated\n"
    "\n"
    "Exit status: 0 done; 1 the node refused, or nobody knows of it; 2 wrong use, a file that\n"
    "cannot be read or written, or no node can be; 130 (watch) it was interrupted.\n";

/* ---- resolve and providers ---- */

static void show_degraded(struct wr_text *text, const json_t *body)
{
    if (json_is_true(json_object_get(body, "degraded")))
        wr_text_str(text, "# only this node was asked: the DHT is not there\n");
}

static void show_resolved(struct wr_text *text, const json_t *body)
{
    wr_text_format(text, "%s\n", index_text(body, "manifest_cid"));
    show_degraded(text, body);
}

static void show_providers(struct wr_text *text, const json_t *body)
{
    const json_t *entry;
    size_t i;
    json_array_foreach(json_object_get(body, "providers"), i, entry)
        wr_text_format(text, "%s %s %s %s %lld s\n", index_text(entry, "id"),
                       index_text(entry, "addr"),
                       *index_text(entry, "region") ? index_text(entry, "region") : "-",
                       index_text(entry, "class"),
                       (long long)json_integer_value(json_object_get(entry, "last_seen_s")));
    show_degraded(text, body);
}

static bool good_limit(const struct index_asking *asking)
{
    char *end;
    if (!asking->limit)
        return true;
    long limit = strtol(asking->limit, &end, 10);
    if (*asking->limit >= '0' && *asking->limit <= '9' && !*end && limit >= 1
        && limit <= RANK_LIMIT_MAX)
        return true;
    (void)index_refuse("--limit \"%.60s\" must be a number from 1 to %d", asking->limit,
                       RANK_LIMIT_MAX);
    return false;
}

static void write_target(struct wr_text *target, const struct index_asking *asking,
                         const struct index_key *key, bool providers)
{
    wr_text_format(target, "%s%s?fresh=%s", providers ? "/providers/" : "/resolve/", key->text,
                   asking->fresh ? "true" : "false");
    if (providers && asking->limit)
        wr_text_format(target, "&limit=%s", asking->limit);
    if (providers && asking->region) {
        wr_text_str(target, "&region=");
        index_add_escaped(target, asking->region);
    }
}

static int look(struct index_asking *asking, bool providers)
{
    char room[INDEX_TARGET_MAX];
    struct wr_text target = WR_TEXT(room), text = wr_text_heap(SHOWN_MAX);
    struct local_answer answer;
    struct index_key key;
    if (!index_read_key(&key, asking, providers) || !good_limit(asking))
        return 2;
    write_target(&target, asking, &key, providers);
    if (target.cut)
        return index_refuse("--region \"%.60s\" is too long for one", asking->region);
    int status = index_ask(asking, &answer, &(struct index_question){
        .what = key.text, .method = "GET", .target = target.at });
    if (!status) {
        (providers ? show_providers : show_resolved)(&text, answer.body);
        status = index_tell(asking, answer.body, text.at ? text.at : "");
    }
    wr_text_free(&text);
    local_free(&answer);
    return status;
}

static int resolve(struct index_asking *asking)
{
    return look(asking, false);
}

static int providers(struct index_asking *asking)
{
    return look(asking, true);
}

/* ---- get ---- */

static int write_object(const char *path, const struct local_answer *answer)
{
    FILE *out = path ? fopen(path, "we") : stdout;
    if (!out)
        return index_refuse("%s cannot be written: %s", path, strerror(errno));
    bool good = fwrite(answer->text, 1, answer->len, out) == answer->len && fflush(out) == 0;
    int number = errno;
    if (out != stdout && fclose(out) != 0 && good) {
        good = false;
        number = errno;
    }
    return good ? 0 : index_refuse("%s cannot be written: %s; what is there is not whole",
                                   path ? path : "standard output", strerror(number));
}

static int tell_got(const struct index_asking *asking, const struct index_key *key,
                    const struct local_answer *answer)
{
    char from[100];
    if (!asking->json)
        return 0;
    bool elsewhere = local_header(answer, "X-Provider", from, sizeof(from));
    json_t *body = json_pack("{s:s,s:I,s:s?}", "cid", key->text, "bytes",
                             (json_int_t)answer->len, "provider", elsewhere ? from : NULL);
    int status = index_tell(asking, body, "");
    json_decref(body);
    return status;
}

/* The node has verified it; so does who cannot know which node that is. */
static int get(struct index_asking *asking)
{
    char target[120];
    struct local_answer answer;
    struct index_key key;
    if (!index_read_key(&key, asking, true))
        return 2;
    if (asking->json && strcmp(asking->json, "-") == 0 && !asking->output)
        return index_refuse("get --json - wants --output PATH: standard output cannot have "
                            "both");
    snprintf(target, sizeof(target), "/v1/index/objects/%.*s", WR_CID_TEXT, key.text);
    int status = index_ask(asking, &answer, &(struct index_question){
        .what = key.text, .method = "GET", .target = target });
    struct wr_hash hash = wr_hash_of(answer.text ? answer.text : "", answer.len);
    if (!status && !wr_hash_equal(&hash, &key.cid))
        status = index_refuse("what came is not %s, and is not written", key.text);
    if (!status)
        status = write_object(asking->output, &answer);
    if (!status)
        status = tell_got(asking, &key, &answer);
    local_free(&answer);
    return status;
}

/* ---- pins ---- */

static int change_pin(struct index_asking *asking, const char *target)
{
    char bytes[WR_CID_TEXT + 40];
    struct wr_text body = WR_TEXT(bytes);
    struct wr_json json = wr_json_to(&body);
    struct local_answer answer;
    struct index_key key;
    if (!index_read_key(&key, asking, true))
        return 2;
    wr_json_object(&json, NULL);
    wr_json_str(&json, "cid", key.text);
    wr_json_end(&json);
    int status = index_ask(asking, &answer, &(struct index_question){
        .what = key.text, .method = "POST", .target = target, .bytes = body.at,
        .len = body.len });
    if (!status)
        status = index_tell(asking, answer.body, "");
    local_free(&answer);
    return status;
}

static int pin(struct index_asking *asking)
{
    return change_pin(asking, "/admin/pin");
}

static int unpin(struct index_asking *asking)
{
    return change_pin(asking, "/admin/unpin");
}

/* ---- watch ---- */

static void on_interrupt(int number)
{
    (void)number;
    local_given_up = 1;
}

static int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* What a change is a change of: who has it, in whatever order; or what it stands for. */
static void write_seen(struct wr_text *ret, const json_t *body)
{
    const char *ids[RANK_LIMIT_MAX];
    const json_t *list = json_object_get(body, "providers");
    size_t count = json_array_size(list) < RANK_LIMIT_MAX ? json_array_size(list)
                                                          : RANK_LIMIT_MAX;
    wr_text_str(ret, index_text(body, "manifest_cid"));
    for (size_t i = 0; i < count && !ret->len; i++)
        ids[i] = index_text(json_array_get(list, i), "id");
    if (ret->len)
        return;
    qsort(ids, count, sizeof(*ids), by_text);
    for (size_t i = 0; i < count; i++)
        wr_text_format(ret, " %s", ids[i]);
}

/* One look.  `last` is what was seen, or why nothing was; it is told when that is another. */
static int look_again(struct index_asking *asking, const struct index_key *key, char *last)
{
    char room[INDEX_TARGET_MAX], now[WATCHED_MAX];
    struct wr_text target = WR_TEXT(room), seen = WR_TEXT(now);
    struct local_answer answer;
    write_target(&target, asking, key, !key->is_name);
    int status = index_ask(asking, &answer, &(struct index_question){
        .what = key->text, .method = "GET", .target = target.at });
    if (status == 1)
        index_explain(&seen, &answer, key->text);
    else if (!status)
        write_seen(&seen, answer.body);
    asking->turn.guest = status < 2 && !asking->turn.companion;
    if (status < 2 && strcmp(now, last) != 0) {
        memcpy(last, now, sizeof(now));
        struct wr_text text = wr_text_heap(SHOWN_MAX);
        if (!status)
            (key->is_name ? show_resolved : show_providers)(&text, answer.body);
        if (status)
            (void)index_refuse("%s", now);
        status = status ? 0 : index_tell(asking, answer.body, text.at ? text.at : "");
        wr_text_free(&text);
    }
    local_free(&answer);
    return status < 2 ? 0 : status;
}

/* Until it is interrupted: what has changed since the last look. */
static int watch(struct index_asking *asking)
{
    static char all[12], last[WATCHED_MAX];
    struct index_key key;
    struct sigaction action = { .sa_handler = on_interrupt };
    if (!index_read_key(&key, asking, false))
        return 2;
    snprintf(all, sizeof(all), "%d", RANK_LIMIT_MAX);
    asking->fresh = asking->quiet = true;
    asking->limit = all;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    int status = 0;
    while (!status && !local_given_up) {
        status = look_again(asking, &key, last);
        if (!status)
            nanosleep(&(struct timespec){ .tv_sec = WATCH_EVERY_S }, NULL);
    }
    return local_given_up ? 130 : status;
}

/* ---- the command line ---- */

static const struct verb {
    const char *name;
    int (*run)(struct index_asking *asking);
    const char *options;                /* beside those that all have */
} verbs[] = {
    { "publish", index_publish, "" },
    { "resolve", resolve, "fresh" },
    { "providers", providers, "fresh limit region" },
    { "get", get, "output" },
    { "pin", pin, "" },
    { "unpin", unpin, "" },
    { "watch", watch, "" },
};

enum { OPT_HELP = 256, OPT_DATA, OPT_CONFIG, OPT_SET, OPT_JSON, OPT_OUTPUT, OPT_LIMIT,
       OPT_REGION, OPT_FRESH };

static bool take(struct index_asking *asking, int option)
{
    switch (option) {
    case OPT_HELP: asking->help = true; return true;
    case OPT_DATA: return flags_add(&asking->flags, "--data=%s", optarg);
    case OPT_CONFIG: return flags_add(&asking->flags, "--config=%s", optarg);
    case OPT_SET: return flags_set(&asking->flags, optarg);
    case OPT_JSON: asking->json = optarg; return true;
    case OPT_OUTPUT: asking->output = optarg; return true;
    case OPT_LIMIT: asking->limit = optarg; return true;
    case OPT_REGION: asking->region = optarg; return true;
    case OPT_FRESH: asking->fresh = true; return true;
    default: return false;
    }
}

/* One that would be passed over in silence is refused. */
static bool has_option(const struct verb *verb, const char *name)
{
    if (strstr("help data config set json", name) || strstr(verb->options, name))
        return true;
    (void)index_refuse("%s has no option --%s; weir index --help says which it has", verb->name,
                       name);
    return false;
}

static bool read_options(struct index_asking *asking, const struct verb *verb, int argc,
                         char **argv)
{
    static const struct option known[] = {
        { "help", no_argument, NULL, OPT_HELP },
        { "fresh", no_argument, NULL, OPT_FRESH },
        { "data", required_argument, NULL, OPT_DATA },
        { "config", required_argument, NULL, OPT_CONFIG },
        { "set", required_argument, NULL, OPT_SET },
        { "json", required_argument, NULL, OPT_JSON },
        { "output", required_argument, NULL, OPT_OUTPUT },
        { "limit", required_argument, NULL, OPT_LIMIT },
        { "region", required_argument, NULL, OPT_REGION },
        { 0 },
    };
    static char name[] = "weir index";
    int option, which = 0;
    argv[0] = name;                     /* getopt speaks in its name */
    /* Who is the node for a moment does no jobs of the queue. */
    if (!flags_add(&asking->flags, "%s", name)
        || !flags_add(&asking->flags, "--queue-work=false"))
        return false;
    while ((option = getopt_long(argc, argv, "", known, &which)) != -1)
        if (!take(asking, option) || !has_option(verb, known[which].name))
            return false;
    asking->words = argv + optind;
    asking->count = argc - optind;
    return true;
}

static int run(struct index_asking *asking, const struct verb *verb)
{
    if (asking->count < 1)
        return index_refuse("%s what? weir index --help says more", verb->name);
    if (asking->count > 1 && verb->run != index_publish)
        return index_refuse("%s takes one word, and \"%.60s\" is one more; weir index --help "
                            "says more", verb->name, asking->words[1]);
    asking->conf = weir_load(&(struct wr_conf_source){
        .tables = weir_tables, .argc = asking->flags.count, .argv = asking->flags.at,
        .env = environ, .services = weir_services });
    if (!asking->conf)
        return 2;
    int status = verb->run(asking);
    companion_stop(asking->turn.companion);
    wr_conf_unref(asking->conf);
    return status;
}

int weir_index(int argc, char **argv)
{
    struct index_asking asking = { 0 };
    const char *word = argc > 1 ? argv[1] : "";
    const struct verb *verb = NULL;
    for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
        if (strcmp(word, verbs[i].name) == 0)
            verb = &verbs[i];
    if (!verb) {
        bool help = strcmp(word, "--help") == 0;
        if (*word && !help)
            (void)index_refuse("there is no \"%s\"", word);
        fputs(help_text, help ? stdout : stderr);
        return help ? 0 : 2;
    }
    int status = 2;
    if (read_options(&asking, verb, argc - 1, argv + 1))
        status = asking.help ? (fputs(help_text, stdout), 0) : run(&asking, verb);
    flags_free(&asking.flags);
    return status;
}
