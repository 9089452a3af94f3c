/* conf_rig.h - a small table of keys, one of each type, and configurations made of it. */
#ifndef WR_TESTING_CONF_RIG_H
#define WR_TESTING_CONF_RIG_H

#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "testing/test.h"

static const struct wr_conf_key rig_keys[] = {
    { .name = "config", .type = WR_CONF_PATH, .no_file = true, .help = "The file." },
    { .name = "on", .type = WR_CONF_BOOL, .preset = "false", .live = true,
      .flags = "--really", .help = "A switch." },
    { .name = "max_conns", .type = WR_CONF_INT, .preset = "1024", .min = 1, .max = 5000,
      .live = true, .env = "RON_MAX_CONNS !MACRO_MAX_CONNS", .help = "Connections." },
    { .name = "io.timeout", .type = WR_CONF_DURATION, .preset = "5s", .min = WR_MS(1),
      .max = WR_S(60), .flags = "--timeout -t", .help = "Patience." },
    { .name = "io.room", .type = WR_CONF_SIZE, .preset = "64KiB", .min = 1024,
      .max = 1 << 30, .help = "Room." },
    { .name = "addr", .type = WR_CONF_ADDR, .preset = "127.0.0.1:8080", .aka = "bind_addr",
      .flags = "--bind", .help = "Where." },
    { .name = "other_addr", .type = WR_CONF_ADDR, .help = "Where else." },
    { .name = "data", .type = WR_CONF_PATH, .preset = "$STATE/rig", .preset_unless = "on",
      .help = "A folder." },
    { .name = "mode", .type = WR_CONF_CHOICE, .preset = "off", .choices = "off hybrid",
      .synonyms = "0=off 1=hybrid", .help = "A mode." },
    { .name = "permits", .type = WR_CONF_PERMITS, .preset = "4xCPU", .live = true,
      .help = "Permits." },
    { .name = "names", .type = WR_CONF_WORDS, .preset = "", .help = "Names." },
    { .name = "services.enable", .type = WR_CONF_SERVICES, .preset = "", .help = "Services." },
    { .name = "uids", .type = WR_CONF_NUMBERS, .preset = "", .max = 65535, .rebind = true,
      .help = "Users." },
    { .name = "title", .type = WR_CONF_TEXT, .help = "A title." },
    { .name = "meta.version", .type = WR_CONF_INT, .help = "Version." },
    { .name = "meta.bundle_hash", .type = WR_CONF_TEXT, .of_file = true, .help = "Hash." },
    { .name = "token", .type = WR_CONF_SECRET, .help = "A token." },
};

/* Not both 7s: something for a check to refuse. */
static void rig_check(const struct wr_conf *conf, struct wr_conf_report *report)
{
    if (wr_conf_int(conf, "max_conns") == 7 && wr_conf_duration(conf, "io.timeout") == WR_S(7))
        wr_conf_refuse(report, conf, "max_conns", "it must not be %d when io.timeout is", 7);
    if (wr_conf_int(conf, "max_conns") == 8)
        wr_conf_refuse(report, conf, "title", "8 connections need it");
}

static const struct wr_conf_table rig_table = {
    .keys = rig_keys, .count = sizeof(rig_keys) / sizeof(*rig_keys), .check = rig_check,
};
static const struct wr_conf_table *const rig_tables[] = { &rig_table, NULL };
static const char *const rig_services[] = { "index", "rewards", NULL };

struct rig { const char *toml; char *const *args, *const *env; };
#define FLAGS(...) .args = ((char *[]){ "rig", __VA_ARGS__, NULL })
#define ENV(...) .env = ((char *[]){ __VA_ARGS__, NULL })
#define TOML(text) .toml = (text)

static struct wr_conf_source rig_source(const struct rig *rig)
{
    struct wr_conf_source source = { .tables = rig_tables, .argv = rig->args, .env = rig->env,
                                     .services = rig_services, .cpus = 3 };
    while (rig->args && rig->args[source.argc])
        source.argc++;
    source.text = rig->toml;
    source.path = rig->toml ? "rig.toml" : NULL;
    return source;
}

/* A configuration that must be fine, without a word. */
[[maybe_unused]] static struct wr_conf *rig_load(const struct rig *rig)
{
    struct wr_conf *conf = NULL;
    struct wr_conf_report report = { 0 };
    struct wr_conf_source source = rig_source(rig);
    CHECK_OK(wr_conf_load(&conf, &source, &report));
    CHECK_STR("", report.text.at ? report.text.at : "");
    wr_conf_report_free(&report);
    return conf;
}
#define LOAD(...) rig_load(&(struct rig){ __VA_ARGS__ })

/* What is said about a configuration that must be refused; or, with warnings only, must
 * not. */
[[maybe_unused]] static const char *rig_words(const struct rig *rig, wr_err want)
{
    static char words[16384];
    struct wr_conf *conf = NULL;
    struct wr_conf_report report = { 0 };
    struct wr_conf_source source = rig_source(rig);
    CHECK_ERR(want, wr_conf_load(&conf, &source, &report));
    CHECK((want == WR_OK) == (conf != NULL));
    wr_conf_unref(conf);
    struct wr_text text = WR_TEXT(words);
    wr_text_str(&text, report.text.at ? report.text.at : "");
    wr_conf_report_free(&report);
    return words;
}
#define REFUSED(...) rig_words(&(struct rig){ __VA_ARGS__ }, WR_INVALID)
#define WARNED(...) rig_words(&(struct rig){ __VA_ARGS__ }, WR_OK)

#endif
