/* check.c - weir check: does every work cited here exist, as cited? */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <weir/file.h>
#include <weir/run.h>
#include <weir/scope.h>
#include <weir/signal.h>

#include "cmd/weir/check_cache.h"
#include "cmd/weir/check_input.h"
#include "cmd/weir/check_show.h"
#include "cmd/weir/flags.h"
#include "cmd/weir/weir.h"
#include "extract/document.h"
#include "svc/check/fix.h"
#include "svc/check/panel.h"
#include "svc/sources/supply_conf.h"

#define CLOSE_WITHIN WR_S(2)

extern char **environ;

static const char help_text[] =
    "usage: weir check [OPTION...] FILE...\n"
    "  Does every work cited in these files exist, as cited?  A FILE is a PDF, .bib, .bbl,\n"
    "  .tex, .docx, plain text, TEI, or an archive of such; - is standard input.  What is no\n"
    "  file may be an arXiv id (2403.00108) or a DOI (10.1000/xyz): that paper is fetched.\n"
    "\n"
    "Where to look:\n"
    "  --library PATH       a local library (weir library build); may be repeated\n"
    "  --offline            ask nobody outside; with --library, these libraries alone\n"
    "  --without NAME       do not ask this source; may be repeated\n"
    "  --mailto ADDRESS     whom sources may write to; some then answer faster\n"
    "  --searxng URL        a web search for works that nobody knows\n"
    "  --no-cache           do not keep what sources say, nor use what was kept\n"
    "  --timeout SECONDS    for all references of a document (1800)\n"
    "\n"
    "What to read:\n"
    "  --one-per-line       each line of a text is one reference\n"
    "  --extract-only       print what is cited, and check nothing\n"
    "\n"
    "What to write (PATH, or - for standard output; by default a text for people):\n"
    "  --json PATH  --csv PATH  --markdown PATH  --html PATH  --sarif PATH\n"
    "  --fix                a corrected copy of each .bib beside it, as NAME.fixed.bib\n"
    "  --verbose            also what is in order\n"
    "  --quiet              no progress\n"
    "\n"
    "  --fail-on WORDS      what makes the exit status 1: verdicts and flags between commas;\n"
    "                       by default mismatch,not_found,retracted,future_date,\n"
    "                       placeholder_authors,foreign_identifier; none: nothing does\n"
    "  --set KEY=VALUE      any key of the configuration (weir config print); may be repeated\n"
    "\n"
    "Exit status: 0 clean, 1 there are findings, 2 wrong use or a file cannot be read,\n"
    "3 nothing was found wrong, but some references are inconclusive.\n";

enum form { FORM_JSON, FORM_CSV, FORM_MARKDOWN, FORM_HTML, FORM_SARIF, FORM_TEXT, FORM_COUNT };

struct checking {
    struct wr_conf *conf;
    const char *out[FORM_COUNT];        /* where each form goes; NULL: nowhere */
    char *const *files;
    size_t file_count;
    const char *libraries[CHECK_LIBRARIES_MAX];
    size_t library_count;
    struct flags flags;                 /* for the configuration */
    bool extract_only, one_per_line, quiet, verbose, fix;
    uint32_t fail_outcomes, fail_flags;
    /* while it runs */
    struct check_cache kept;
    struct check_panel panel;
    struct supply_conf supply;
    struct sources *sources;        /* NULL: offline */
    struct check_show *show;
    struct check_paper **papers;
    size_t paper_count, paper_room;
    bool unread;                        /* a file could not be read */
    struct wr_signal *signals;
    atomic_bool stopped;
};

/* ---- reading ---- */

static wr_err add_paper(struct checking *checking, const struct extract_document *document)
{
    if (checking->paper_count == checking->paper_room) {
        size_t room = 2 * checking->paper_room + 16;
        struct check_paper **papers = realloc(checking->papers, room * sizeof(void *));
        if (!papers)
            return WR_NOMEM;
        checking->papers = papers;
        checking->paper_room = room;
    }
    wr_err err = check_paper_new(&checking->papers[checking->paper_count],
                                 &(struct check_paper_conf){
        .file = document->name, .note = document->note,
        .references = document->references, .libraries = checking->panel.views,
        .library_count = checking->panel.library_count, .unjudged = checking->extract_only,
        .event = checking->show ? check_show_event : NULL, .arg = checking->show });
    if (!err)
        checking->paper_count++;
    return err;
}

static void say_faults(const struct extract_document *document)
{
    for (size_t i = 0; i < document->fault_count && i < BIBTEX_FAULTS_MAX; i++)
        fprintf(stderr, "%s:%u: %s\n", document->name, document->faults[i].line,
                document->faults[i].what);
    if (document->err)              /* then the note begins with the name */
        fprintf(stderr, "weir: %s\n", document->note);
    else if (document->note)
        fprintf(stderr, "%s: %s\n", document->name, document->note);
}

/* Papers of one file.  False: it cannot be read. */
static bool open_file(struct checking *checking, const char *name)
{
    struct extract_documents documents;
    struct wr_arena arena = WR_ARENA(EXTRACT_ARENA_MAX);
    bool whole = !check_input_read(&(struct check_input){
        .name = name, .one_per_line = checking->one_per_line, .quiet = checking->quiet,
        .sources = checking->panel.sources,
        .deadline = wr_after(wr_conf_duration(checking->conf, "check.timeout")) }, &arena,
        &documents);
    /* One of an archive that cannot be read spoils no other. */
    for (size_t i = 0, count = whole ? documents.count : 0; i < count; i++) {
        say_faults(&documents.at[i]);
        whole &= !documents.at[i].err && !add_paper(checking, &documents.at[i]);
    }
    wr_arena_free(&arena);
    return whole;
}

/* ---- writing ---- */

static void write_form(struct checking *checking, enum form form, struct wr_text *text,
                       const struct check_report *const *reports)
{
    size_t count = checking->paper_count;
    switch (form) {
    case FORM_JSON: check_write_json(text, reports, count); return;
    case FORM_CSV: check_write_csv(text, reports, count); return;
    case FORM_MARKDOWN: check_write_markdown(text, reports, count); return;
    case FORM_HTML: check_write_html(text, reports, count); return;
    case FORM_SARIF: check_write_sarif(text, reports, count); return;
    default:
        check_write_text(text, reports, count, &(struct check_text_options){
            .verbose = checking->verbose,
            .color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR") });
    }
}

static bool put_form(const char *path, const struct wr_text *text)
{
    if (text->cut) {
        fprintf(stderr, "weir: the report for %s is too large to be written\n", path);
        return false;
    }
    if (strcmp(path, "-") == 0)
        return fwrite(text->at, 1, text->len, stdout) == text->len && fflush(stdout) == 0;
    struct stat there;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) {       /* /dev/stderr, a pipe */
        FILE *out = fopen(path, "w");
        bool good = out && fwrite(text->at, 1, text->len, out) == text->len;
        good = out && fclose(out) == 0 && good;
        if (!good)
            fprintf(stderr, "weir: %s cannot be written: %s\n", path, strerror(errno));
        return good;
    }
    wr_err err = wr_file_write_atomic(path, text->at, text->len, 0644, WR_NEVER);
    if (err)
        fprintf(stderr, "weir: %s cannot be written: %s\n", path, wr_err_text(err));
    return !err;
}

static bool write_reports(struct checking *checking)
{
    const struct check_report **reports = calloc(checking->paper_count + 1, sizeof(void *));
    bool good = reports;
    for (size_t i = 0; good && i < checking->paper_count; i++)
        reports[i] = check_paper_report(checking->papers[i]);
    for (enum form form = 0; good && form < FORM_COUNT; form++)
        if (checking->out[form]) {
            struct wr_text text = wr_text_heap(CHECK_PAGE_MAX);
            write_form(checking, form, &text, reports);
            good = put_form(checking->out[form], &text);
            wr_text_free(&text);
        }
    free(reports);
    return good;
}

/* "refs.bib" becomes "refs.fixed.bib" beside it. */
static bool fix_file(const struct check_report *report)
{
    char path[4096], *bytes;
    size_t size, stem = strlen(report->file) - 4;
    struct wr_text text = wr_text_heap(CHECK_PAGE_MAX);
    struct check_fixed fixed = { 0 };
    snprintf(path, sizeof(path), "%.*s.fixed.bib", (int)stem, report->file);
    if (check_input_bytes(report->file, &bytes, &size))
        return false;
    wr_err err = check_fix(&text, report, bytes, size, &fixed);
    free(bytes);
    if (err)
        fprintf(stderr, "weir: %s cannot be corrected: %s\n", report->file, wr_err_text(err));
    else if (!fixed.fields)
        fprintf(stderr, "%s: nothing was certain enough to be corrected\n", report->file);
    else if (put_form(path, &text))
        fprintf(stderr, "%s: %u values of %u entries corrected; %u more differ\n", path,
                fixed.fields, fixed.entries, fixed.left);
    else
        err = WR_IO;
    wr_text_free(&text);
    return !err;
}

static bool fix_all(struct checking *checking)
{
    bool good = true;
    for (size_t i = 0; i < checking->paper_count; i++) {
        const struct check_report *report = check_paper_report(checking->papers[i]);
        size_t len = strlen(report->file);
        if (len > 4 && strcmp(report->file + len - 4, ".bib") == 0
            && access(report->file, R_OK) == 0)
            good &= fix_file(report);
    }
    return good;
}

/* ---- the whole of it ---- */

/* Ctrl-C: what has been found out so far is reported. */
static wr_err obey(void *arg)
{
    struct checking *checking = arg;
    int number;
    wr_err err = wr_chan_recv(wr_signal_chan(checking->signals), &number, WR_NEVER);
    if (err)
        return err;
    checking->stopped = true;
    for (size_t i = 0; i < checking->paper_count; i++)
        check_paper_end(checking->papers[i]);
    return WR_OK;
}

static wr_err check_all(struct checking *checking)
{
    static const int wanted[] = { SIGINT, SIGTERM };
    struct wr_scope *scope = NULL;
    wr_err err = wr_signal_open(&checking->signals, wanted, 2);
    if (!err)
        err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "check.command",
                                                            .deadline = WR_NEVER });
    if (!err)
        err = wr_scope_go(scope, "check.signal", obey, checking);
    if (!err && checking->show)
        err = wr_scope_go(scope, "check.show", check_show_run, checking->show);
    wr_time within = wr_conf_duration(checking->conf, "check.timeout");
    for (size_t i = 0; !err && !checking->stopped && i < checking->paper_count; i++) {
        struct check_paper *paper = checking->papers[i];
        check_show_file(checking->show, check_paper_file(paper), check_paper_count(paper));
        err = check_engine_check(checking->panel.engine, paper, wr_after(within));
        if (err == WR_TIMEOUT)
            err = WR_OK;            /* the report says which were not looked at */
    }
    (void)!wr_scope_close(scope);
    wr_signal_close(checking->signals);
    return err;
}

/* Who is outside, and what they have said before. */
static wr_err open_sources(struct checking *checking, char *why)
{
    wr_err err = checking->extract_only ? WR_OK
                                        : check_cache_open(&checking->kept, checking->conf);
    if (err)
        return err;
    if (checking->kept.why[0] && !checking->quiet)
        fprintf(stderr, "weir: what sources say is not kept: %s\n", checking->kept.why);
    supply_conf_read(&checking->supply, checking->conf);
    checking->supply.sources.cache = checking->kept.cache;
    err = sources_open(&checking->sources, &checking->supply.sources);
    if (err)
        snprintf(why, CHECK_WHY_MAX, "the sources cannot be asked: %s", wr_err_text(err));
    return err;
}

static void close_panel(struct checking *checking)
{
    check_panel_close(&checking->panel);
    sources_close(checking->sources, wr_after(CLOSE_WITHIN));
    check_cache_close(&checking->kept);
}

/* Everybody who can be asked; what is wrong has been said. */
static wr_err open_panel(struct checking *checking)
{
    char why[CHECK_WHY_MAX] = "there is no memory for what sources say";
    bool offline = wr_conf_bool(checking->conf, "check.offline");
    bool named = false;             /* then arXiv or Crossref is needed also to extract */
    for (size_t i = 0; i < checking->file_count; i++)
        named |= check_input_is_named(checking->files[i]);
    bool closed = checking->extract_only && !named;
    wr_err err = WR_OK;
    if (!offline && !closed)
        err = open_sources(checking, why);
    if (!err)
        err = check_panel_open(&checking->panel, &(struct check_panel_conf){
            .conf = checking->conf, .libraries = checking->libraries,
            .library_count = checking->library_count,
            .sources = checking->sources, .closed = closed,
            .alone = checking->library_count && offline }, why);
    if (err) {
        fprintf(stderr, "weir: %s\n", why);
        close_panel(checking);
    }
    return err;
}

static wr_err run(void *arg)
{
    struct checking *checking = arg;
    wr_err err = open_panel(checking);
    if (err)
        return err;
    checking->show = check_show_new(checking->panel.sources,
                                    checking->quiet || checking->extract_only);
    for (size_t i = 0; i < checking->file_count; i++)
        checking->unread |= !open_file(checking, checking->files[i]);
    if (!checking->extract_only)
        err = check_all(checking);
    check_show_free(checking->show);
    for (size_t i = 0; i < checking->paper_count; i++)
        check_paper_end(checking->papers[i]);
    close_panel(checking);
    return err;
}

static int status_of(const struct checking *checking)
{
    bool findings = false, inconclusive = false;
    for (size_t i = 0; i < checking->paper_count; i++) {
        struct check_summary summary = check_summarise(check_paper_report(checking->papers[i]));
        for (unsigned j = 0; j < BIB_OUTCOME_COUNT; j++)
            findings |= summary.outcomes[j] && (checking->fail_outcomes & (1u << j));
        for (unsigned j = 0; j < BIB_FLAG_COUNT; j++)
            findings |= summary.flags[j] && (checking->fail_flags & (1u << j));
        inconclusive |= summary.outcomes[BIB_INCONCLUSIVE] != 0;
    }
    if (checking->unread)
        return 2;
    if (checking->extract_only)
        return 0;
    return findings ? 1 : inconclusive ? 3 : 0;
}

/* ---- options ---- */

static bool fail_word(struct checking *checking, const char *word, size_t len)
{
    for (unsigned i = 0; i < BIB_OUTCOME_COUNT; i++)
        if (strlen(bib_outcome_word(i)) == len && memcmp(bib_outcome_word(i), word, len) == 0) {
            checking->fail_outcomes |= 1u << i;
            return true;
        }
    for (unsigned i = 0; i < BIB_FLAG_COUNT; i++)
        if (strlen(bib_flag_word(i)) == len && memcmp(bib_flag_word(i), word, len) == 0) {
            checking->fail_flags |= 1u << i;
            return true;
        }
    return len == 4 && memcmp(word, "none", 4) == 0;
}

static bool fail_on(struct checking *checking, const char *words)
{
    checking->fail_outcomes = checking->fail_flags = 0;
    for (size_t len; *words; words += len + (words[len] == ',')) {
        len = strcspn(words, ",");
        if (!fail_word(checking, words, len)) {
            fprintf(stderr, "weir: --fail-on: \"%.*s\" is no verdict and no flag; weir check "
                    "--help has the words\n", (int)len, words);
            return false;
        }
    }
    return true;
}

enum choice {
    OPT_HELP = 256, OPT_LIBRARY, OPT_OFFLINE, OPT_WITHOUT, OPT_MAILTO, OPT_SEARXNG, OPT_TIMEOUT,
    OPT_NO_CACHE, OPT_CONFIG, OPT_SET, OPT_ONE_PER_LINE, OPT_EXTRACT_ONLY, OPT_FIX, OPT_VERBOSE,
    OPT_QUIET, OPT_FAIL_ON, OPT_FORM,
};

static const struct option known[] = {
    { "help", no_argument, NULL, OPT_HELP },
    { "library", required_argument, NULL, OPT_LIBRARY },
    { "offline", no_argument, NULL, OPT_OFFLINE },
    { "without", required_argument, NULL, OPT_WITHOUT },
    { "mailto", required_argument, NULL, OPT_MAILTO },
    { "searxng", required_argument, NULL, OPT_SEARXNG },
    { "timeout", required_argument, NULL, OPT_TIMEOUT },
    { "no-cache", no_argument, NULL, OPT_NO_CACHE },
    { "config", required_argument, NULL, OPT_CONFIG },
    { "set", required_argument, NULL, OPT_SET },
    { "one-per-line", no_argument, NULL, OPT_ONE_PER_LINE },
    { "extract-only", no_argument, NULL, OPT_EXTRACT_ONLY },
    { "fix", no_argument, NULL, OPT_FIX },
    { "verbose", no_argument, NULL, OPT_VERBOSE },
    { "quiet", no_argument, NULL, OPT_QUIET },
    { "fail-on", required_argument, NULL, OPT_FAIL_ON },
    { "json", required_argument, NULL, OPT_FORM + FORM_JSON },
    { "csv", required_argument, NULL, OPT_FORM + FORM_CSV },
    { "markdown", required_argument, NULL, OPT_FORM + FORM_MARKDOWN },
    { "html", required_argument, NULL, OPT_FORM + FORM_HTML },
    { "sarif", required_argument, NULL, OPT_FORM + FORM_SARIF },
    { 0 },
};

static bool add_library(struct checking *checking, const char *path)
{
    if (checking->library_count == CHECK_LIBRARIES_MAX - 1) {
        fprintf(stderr, "weir: too many libraries: at most %d\n", CHECK_LIBRARIES_MAX - 1);
        return false;
    }
    checking->libraries[checking->library_count++] = path;
    return true;
}

static bool take_option(struct checking *checking, int option)
{
    switch (option) {
    case OPT_LIBRARY: return add_library(checking, optarg);
    case OPT_OFFLINE: return flags_add(&checking->flags, "--check-offline");
    case OPT_WITHOUT: return flags_word(&checking->flags, "--check-without", optarg);
    case OPT_MAILTO: return flags_add(&checking->flags, "--check-mailto=%s", optarg);
    case OPT_SEARXNG: return flags_add(&checking->flags, "--check-searxng=%s", optarg);
    case OPT_TIMEOUT: return flags_add(&checking->flags, "--check-timeout=%ss", optarg);
    case OPT_NO_CACHE: return flags_add(&checking->flags, "--check-cache=false");
    case OPT_CONFIG: return flags_add(&checking->flags, "--config=%s", optarg);
    case OPT_SET: return flags_set(&checking->flags, optarg);
    case OPT_ONE_PER_LINE: return checking->one_per_line = true;
    case OPT_EXTRACT_ONLY: return checking->extract_only = true;
    case OPT_FIX: return checking->fix = true;
    case OPT_VERBOSE: return checking->verbose = true;
    case OPT_QUIET: return checking->quiet = true;
    case OPT_FAIL_ON: return fail_on(checking, optarg);
    default: break;
    }
    if (option < OPT_FORM || option >= OPT_FORM + FORM_COUNT)
        return false;               /* getopt has said why */
    checking->out[option - OPT_FORM] = optarg;
    return true;
}

/* Whatever is wrong has been said. */
/* "--json a.bib b.bib" would put a report in the place of a document. */
static bool outputs_spare_documents(const struct checking *checking)
{
    static const char *const kinds[] = { ".bib", ".bbl", ".tex", ".pdf", ".docx" };
    for (enum form form = 0; form < FORM_COUNT; form++) {
        const char *path = checking->out[form];
        struct stat out, in;
        bool document = false, there = path && stat(path, &out) == 0 && S_ISREG(out.st_mode);
        size_t len = path ? strlen(path) : 0;
        for (size_t i = 0; there && i < sizeof(kinds) / sizeof(*kinds); i++)
            document |= len > strlen(kinds[i])
                && strcasecmp(path + len - strlen(kinds[i]), kinds[i]) == 0;
        for (size_t i = 0; there && i < checking->file_count; i++)
            document |= stat(checking->files[i], &in) == 0 && in.st_dev == out.st_dev
                && in.st_ino == out.st_ino;
        if (document) {
            fprintf(stderr, "weir check: a report would take the place of %s; give it another "
                    "name, or - for standard output\n", path);
            return false;
        }
    }
    return true;
}

static bool read_options(struct checking *checking, int argc, char **argv)
{
    int option;
    static char name[] = "weir check";
    argv[0] = name;                 /* getopt speaks in its name */
    if (!flags_add(&checking->flags, "%s", name))
        return false;
    (void)fail_on(checking, "mismatch,not_found,retracted,future_date,placeholder_authors,"
                            "foreign_identifier");
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1)
        if (!take_option(checking, option))
            return false;
    checking->files = argv + optind;
    checking->file_count = (size_t)(argc - optind);
    bool any = false;
    for (enum form form = 0; form < FORM_TEXT; form++)
        any |= checking->out[form] && strcmp(checking->out[form], "-") == 0;
    if (!any)
        checking->out[FORM_TEXT] = "-";
    if (!checking->file_count)
        fprintf(stderr, "weir check: no file is named; weir check --help says more\n");
    return checking->file_count && outputs_spare_documents(checking);
}

static int check(struct checking *checking)
{
    wr_err err = wr_run(&(struct wr_run_conf){
        .workers = (unsigned)wr_conf_int(checking->conf, "threads") }, run, checking);
    bool good = !err && (!checking->paper_count || write_reports(checking));
    if (good && checking->fix && !checking->extract_only)
        good = fix_all(checking);
    int status = good ? status_of(checking) : 2;
    for (size_t i = 0; i < checking->paper_count; i++)
        check_paper_unref(checking->papers[i]);
    free(checking->papers);
    return status;
}

int weir_check(int argc, char **argv)
{
    static struct checking checking;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0) {
            fputs(help_text, stdout);
            return 0;
        }
    int status = 2;
    if (read_options(&checking, argc, argv)) {
        checking.conf = weir_load(&(struct wr_conf_source){
            .tables = weir_tables, .argc = checking.flags.count, .argv = checking.flags.at,
            .env = environ, .services = weir_services });
        if (checking.conf)
            status = check(&checking);
        wr_conf_unref(checking.conf);
    }
    flags_free(&checking.flags);
    return status;
}
