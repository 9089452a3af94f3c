/* library.c - weir library: local libraries built, listed, verified. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <weir/file.h>

#include "base/json.h"
#include "base/world.h"
#include "cmd/weir/weir.h"
#include "library/build.h"
#include "library/library.h"
#include "library/reader.h"

#define LIST_MAX (1u << 20)         /* bytes of names in a folder */
#define PATH_MAX_HERE 4096

static const char help_text[] =
    "usage: weir library build KIND FILE... --out PATH [--name NAME] [--json]\n"
    "       weir library list [FOLDER|PATH...] [--json]\n"
    "       weir library verify PATH... [--json]\n"
    "  A library is a file with works that are known: `weir check` looks them up in it.\n"
    "  build makes one of a public data set.  The files may be compressed (gz, bz2, xz, zst)\n"
    "  and packed (tar, zip).  A build that is interrupted goes on when it is called again;\n"
    "  what it has until then is in the folder PATH.part.\n"
    "  list says what libraries are; without a name, those in this folder.\n"
    "  verify reads all of a library and compares it with its hashes.\n\n"
    "Kinds:\n";

static void print_kinds(FILE *out)
{
    for (const struct reader_kind *const *at = reader_kinds; *at; at++)
        fprintf(out, "  %-16s %s\n", (*at)->kind, (*at)->reads);
}

static int usage(FILE *out, int status)
{
    fputs(help_text, out);
    print_kinds(out);
    fputs("\nExit status: 0 fine, 1 it could not be built, is damaged or none, 2 wrong use.\n",
          out);
    return status;
}

/* ---- arguments ---- */

struct arguments {
    const char *out, *name;
    bool json;
    const char **words;
    size_t count;
};

/* False: something is wrong with them, and it was said. */
static bool take(int argc, char **argv, struct arguments *ret)
{
    bool only_words = false;
    for (int i = 1; i < argc; i++) {
        const char **value = strcmp(argv[i], "--out") == 0 ? &ret->out
            : strcmp(argv[i], "--name") == 0               ? &ret->name : NULL;
        if (only_words || argv[i][0] != '-')
            ret->words[ret->count++] = argv[i];
        else if (strcmp(argv[i], "--") == 0)
            only_words = true;
        else if (strcmp(argv[i], "--json") == 0)
            ret->json = true;
        else if (value && i + 1 < argc)
            *value = argv[++i];
        else {
            fprintf(stderr, value ? "weir library: %s needs a value\n"
                                  : "weir library: there is no flag %s\n", argv[i]);
            return false;
        }
    }
    return true;
}

/* ---- build ---- */

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    interrupted = number;
}

struct show {
    bool terminal;
    wr_time next;                   /* when to say something again */
};

static void print_progress(const struct show *show, const struct library_progress *progress)
{
    double seconds = (double)(wr_world->mono() - progress->since) / 1e9;
    double part = progress->size ? (double)progress->done / (double)progress->size : 1;
    double left = part > 0.001 ? seconds / part - seconds : 0;
    char bar[21] = "                    ";
    memset(bar, '#', (size_t)(part * 20));
    if (progress->indexing)
        fprintf(stderr, "%sreading done: %llu records; making the index%s",
                show->terminal ? "\r\033[K" : "", (unsigned long long)progress->records,
                show->terminal ? "\r" : "\n");
    else if (show->terminal)
        fprintf(stderr, "\r\033[K[%s] %3.0f %%  %llu records  %.1f MB/s  %.0f s left", bar,
                part * 100, (unsigned long long)progress->records,
                (double)progress->done / 1e6 / (seconds > 0.01 ? seconds : 0.01), left);
    else
        fprintf(stderr, "%3.0f %%, %llu records, %.1f MB/s, %.0f s left\n", part * 100,
                (unsigned long long)progress->records,
                (double)progress->done / 1e6 / (seconds > 0.01 ? seconds : 0.01), left);
}

static bool tell(void *to, const struct library_progress *progress)
{
    struct show *show = to;
    wr_time now = wr_world->mono();
    if (now >= show->next || (progress->indexing && show->terminal)) {
        show->next = now + (show->terminal ? WR_MS(100) : WR_S(5));
        print_progress(show, progress);
    }
    return interrupted == 0;
}

static void print_report(const struct arguments *arguments, const struct library_report *report)
{
    struct wr_text text = wr_text_heap(65536);
    struct wr_json json = wr_json_to(&text);
    for (size_t i = 0; i < report->faults && i < LIBRARY_FAULTS_SHOWN; i++)
        fprintf(stderr, "%s:%llu: %s\n", report->shown[i].member,
                (unsigned long long)report->shown[i].line, report->shown[i].what);
    if (report->faults > LIBRARY_FAULTS_SHOWN)
        fprintf(stderr, "... and %llu more that were passed over\n",
                (unsigned long long)(report->faults - LIBRARY_FAULTS_SHOWN));
    if (!arguments->json) {
        printf("%s: %llu records", arguments->out, (unsigned long long)report->records);
        if (report->faults)
            printf(", %llu passed over", (unsigned long long)report->faults);
        if (report->resumed)
            printf(" (%llu of them by an earlier run)", (unsigned long long)report->resumed);
        printf("\n");
    } else {
        wr_json_object(&json, NULL);
        wr_json_str(&json, "path", arguments->out);
        wr_json_u64(&json, "records", report->records);
        wr_json_u64(&json, "faults", report->faults);
        wr_json_u64(&json, "resumed", report->resumed);
        wr_json_end(&json);
        printf("%s\n", text.at);
    }
    wr_text_free(&text);
}

static int build(const struct arguments *arguments)
{
    struct library_report report;
    struct library_why why = { "" };
    struct show show = { .terminal = isatty(STDERR_FILENO) };
    if (arguments->count < 1 || !reader_find(arguments->words[0])) {
        fprintf(stderr, "weir library build: name the kind of the data first, %s%s%s; it is "
                "one of:\n", arguments->count ? "not \"" : "as in `weir library build acl ...`",
                arguments->count ? arguments->words[0] : "", arguments->count ? "\"" : "");
        print_kinds(stderr);
        return 2;
    }
    if (arguments->count < 2 || !arguments->out) {
        fprintf(stderr, "weir library build: %s\n", arguments->out
                ? "name the file to read behind the kind"
                : "say where the library is to be: --out PATH");
        return 2;
    }
    show.next = wr_world->mono() + (show.terminal ? 0 : WR_S(5));
    struct library_build plan = {
        .kind = arguments->words[0], .paths = arguments->words + 1,
        .path_count = arguments->count - 1, .out = arguments->out, .name = arguments->name,
        .tell = tell, .to = &show };
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    wr_err err = library_build(&plan, &report, &why);
    if (show.terminal)
        fputs("\r\033[K", stderr);
    if (err)
        fprintf(stderr, "weir library build: %s\n", why.text);
    else
        print_report(arguments, &report);
    return err ? 1 : 0;
}

/* ---- list and verify ---- */

static void print_info(struct wr_json *json, const char *path, const struct library_info *info)
{
    if (!json) {
        printf("%s: %s (%s), %llu records, %.1f MB, version %.16s\n", path, info->name,
               info->kind, (unsigned long long)info->records, (double)info->bytes / 1e6,
               info->version);
        return;
    }
    wr_json_object(json, NULL);
    wr_json_str(json, "path", path);
    wr_json_str(json, "name", info->name);
    wr_json_str(json, "kind", info->kind);
    wr_json_u64(json, "records", info->records);
    wr_json_u64(json, "bytes", info->bytes);
    wr_json_str(json, "version", info->version);
    wr_json_end(json);
}

/* One library; false: it is none, or damaged. */
static bool look(struct wr_json *json, const char *path, bool verify)
{
    struct library *lib = NULL;
    struct library_why why = { "" };
    wr_err err = library_open(&lib, path, &why);
    if (!err && verify)
        err = library_verify(lib, &why);
    if (err)
        fprintf(stderr, "weir library: %s%s%s\n", lib ? path : "", lib ? ": " : "", why.text);
    else {
        struct library_info info = library_info(lib);
        print_info(json, path, &info);
        if (verify && !json)
            printf("%s: sound\n", path);
    }
    library_close(lib);
    return !err;
}

static bool is_library(const char *path)
{
    char begin[8];
    size_t len = 0;
    return wr_file_read_part(&len, begin, sizeof(begin), path, 0, WR_NEVER) == WR_OK
        && len == sizeof(begin) && memcmp(begin, "weirlib\n", sizeof(begin)) == 0;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* All libraries in a folder, in the order of their names. */
static bool look_in(struct wr_json *json, const char *folder)
{
    char *names = NULL, path[PATH_MAX_HERE];
    size_t len = 0, count = 0;
    bool good = true;
    wr_err err = wr_file_list(&names, &len, folder, LIST_MAX, WR_NEVER);
    if (err) {
        fprintf(stderr, "weir library: %s: %s\n", folder, wr_err_text(err));
        return false;
    }
    char **sorted = malloc((len / 2 + 1) * sizeof(*sorted));
    for (size_t at = 0; sorted && at < len; at += strlen(names + at) + 1)
        sorted[count++] = names + at;
    if (sorted)
        qsort(sorted, count, sizeof(*sorted), by_name);
    for (size_t i = 0; i < count; i++) {
        struct wr_text text = WR_TEXT(path);
        wr_text_format(&text, "%s/%s", folder, sorted[i]);
        if (!text.cut && is_library(path))
            good &= look(json, path, false);
    }
    free(sorted);
    free(names);
    return good;
}

static int list(const struct arguments *arguments, bool verify)
{
    static const char *const here[] = { "." };
    struct wr_text text = wr_text_heap(16u << 20);
    struct wr_json json = wr_json_to(&text);
    const char *const *words = arguments->count ? arguments->words : here;
    size_t count = arguments->count ? arguments->count : 1;
    bool good = true;
    if (verify && arguments->count == 0) {
        fprintf(stderr, "weir library verify: name a library\n");
        return 2;
    }
    if (arguments->json)
        wr_json_array(&json, NULL);
    for (size_t i = 0; i < count; i++) {
        struct wr_file_info info = { 0 };
        struct wr_json *to = arguments->json ? &json : NULL;
        bool folder = wr_file_look(&info, words[i], WR_NEVER) == WR_OK && info.directory;
        good &= folder && !verify ? look_in(to, words[i]) : look(to, words[i], verify);
    }
    if (arguments->json) {
        wr_json_end(&json);
        printf("%s\n", text.at);
    }
    wr_text_free(&text);
    return good ? 0 : 1;
}

int weir_library(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "--help") == 0 || (argc > 2 && strcmp(argv[2], "--help") == 0))
        return usage(stdout, 0);
    const char **words = calloc((size_t)argc, sizeof(*words));
    struct arguments arguments = { .words = words };
    int status = 2;
    if (!words || argc < 2)
        usage(stderr, 2);
    else if (!take(argc - 1, argv + 1, &arguments))
        status = 2;
    else if (strcmp(what, "build") == 0)
        status = build(&arguments);
    else if (strcmp(what, "list") == 0 || strcmp(what, "verify") == 0)
        status = list(&arguments, what[0] == 'v');
    else
        fprintf(stderr, "weir library: there is no \"%s\"; there are build, list and verify\n",
                what);
    free(words);
    return status;
}
