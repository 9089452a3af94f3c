/* config.c - the configuration that flags, variables, a file and presets make. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/weir/weir.h"
#include "conf/conf.h"
#include "conf/node_keys.h"

#define OUT_MAX (1024ul * 1024)

static int usage(FILE *to)
{
    fprintf(to, "usage: weir config print [--json] [FLAG...]\n"
                "       weir config validate PATH [FLAG...]\n"
                "  print shows every key, its value and where that came from, as a file that\n"
                "  can be read again; secrets are left out.  validate says everything that a\n"
                "  node would refuse of a file, with these flags and this environment.  Both\n"
                "  end with 2 if there is anything.\n");
    if (to == stderr)
        return 2;
    struct wr_text text = wr_text_heap(OUT_MAX);
    wr_conf_help(&text, &(struct wr_conf_source){ .tables = weir_tables });
    fprintf(to, "\nflags, also as WEIR_... in the environment and as keys in a file:\n%s",
            text.at);
    wr_text_free(&text);
    return 0;
}

struct wr_conf *weir_load(const struct wr_conf_source *source)
{
    struct wr_conf *conf = NULL;
    struct wr_conf_report report = { 0 };
    wr_err err = wr_conf_load(&conf, source, &report);
    if (report.text.len)
        fwrite(report.text.at, 1, report.text.len, stderr);
    if (err && err != WR_INVALID)
        fprintf(stderr, "weir: %s\n", wr_err_text(err));
    wr_conf_report_free(&report);
    return conf;
}

static int print(int argc, char **argv)
{
    bool json = false, help = false;
    const struct wr_conf_switch switches[] = {
        { "--json", &json, "Print JSON." }, { "--help", &help, "This." }, { 0 },
    };
    struct wr_conf *conf = weir_load(&(struct wr_conf_source){
        .tables = weir_tables, .argc = argc, .argv = argv, .env = environ,
        .services = weir_services, .switches = switches });
    if (help) {
        wr_conf_unref(conf);
        return usage(stdout);
    }
    if (!conf)
        return 2;
    struct wr_text text = wr_text_heap(OUT_MAX);
    if (json)
        wr_conf_print_json(&text, conf);
    else
        wr_conf_print(&text, conf);
    bool whole = text.cut == 0 && fwrite(text.at, 1, text.len, stdout) == text.len
        && (!json || putchar('\n') != EOF) && fflush(stdout) == 0;
    wr_text_free(&text);
    wr_conf_unref(conf);
    return whole ? 0 : 1;
}

/* What a node would say that is started with it: a token may be in the environment, and
 * nowhere else. */
static int validate(int argc, char **argv)
{
    char **flags = calloc((size_t)argc + 2, sizeof(*flags));
    if (!flags)
        return 2;
    char config[] = "--config";
    const char *path = argv[1];
    memcpy(flags + 1, argv, (size_t)argc * sizeof(*flags));
    flags[1] = config;
    struct wr_conf *conf = weir_load(&(struct wr_conf_source){
        .tables = weir_tables, .argc = argc + 1, .argv = flags, .env = environ,
        .services = weir_services });
    free(flags);
    if (!conf)
        return 2;
    printf("%s: fine\n", path);
    wr_conf_unref(conf);
    return 0;
}

int weir_config(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return usage(stdout);
    if (argc >= 2 && strcmp(argv[1], "print") == 0)
        return print(argc - 1, argv + 1);
    if (argc >= 3 && strcmp(argv[1], "validate") == 0)
        return strcmp(argv[2], "--help") == 0 ? usage(stdout) : validate(argc - 1, argv + 1);
    return usage(stderr);
}
