/* conf.h - the configuration: keys as data, values as an immutable snapshot.
 *
 * What can be configured stands in tables (struct wr_conf_key), one row per key.
 * The reader of files, the environment, the flags, the help, the printing and the
 * comparison of two configurations all go by the rows; a service brings a table
 * of its own and is part of all of them.
 *
 *     static const struct wr_conf_key keys[] = {
 *         { .name = "max_conns", .type = WR_CONF_INT, .preset = "1024", .min = 1,
 *           .max = 1000000, .live = true, .env = "RON_MAX_CONNS",
 *           .help = "Connections held at once." },
 *     };
 *     static const struct wr_conf_table table = { keys, 1, NULL };
 *
 *     struct wr_conf_report report = { 0 };
 *     struct wr_conf *conf;
 *     wr_err err = wr_conf_load(&conf, &(struct wr_conf_source){
 *         .tables = (const struct wr_conf_table *[]){ &table, NULL },
 *         .argc = argc, .argv = argv, .env = environ }, &report);
 *     fwrite(report.text.at, 1, report.text.len, stderr);     // sentences, one a line
 *     if (err)
 *         return 2;
 *     ... wr_conf_int(conf, "max_conns") ...
 *     wr_conf_unref(conf);
 *
 * A key has at least these names, made from its own: `limits.max_body_bytes` in a
 * file, WEIR_LIMITS_MAX_BODY_BYTES in the environment, --limits-max-body-bytes as a
 * flag.  Flags win over the environment, that over the file, that over the preset.
 *
 * A snapshot never changes; any thread may read one it holds a reference of.  What
 * runs swaps snapshots whole (cell.h) and asks wr_conf_diff what that means.
 *
 * Nothing wrong is passed over: each wrong key, value or file yields one sentence
 * that tells where it stands, the value, and what is allowed.  With one such
 * sentence there is no snapshot.
 */
#ifndef WR_CONF_CONF_H
#define WR_CONF_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/addr.h>
#include <weir/err.h>
#include <weir/secret.h>
#include <weir/time.h>

#include "base/text.h"

/* X(type, what a person is told is allowed) */
#define WR_CONF_TYPES(X) \
    X(BOOL,     "true or false") \
    X(INT,      "an integer") \
    X(DURATION, "a duration such as \"500ms\", \"5s\", \"2m\" or \"1h\"") \
    X(SIZE,     "a size such as 65536, \"64KiB\", \"4MiB\" or \"1MB\"") \
    X(ADDR,     "an address such as \"127.0.0.1:8080\", \"[::1]:8080\" or \"unix:/path\"") \
    X(PATH,     "a path") \
    X(CHOICE,   "one of a few words") \
    X(PERMITS,  "a positive integer, or a multiple of the processors such as \"4xCPU\"") \
    X(WORDS,    "a list of words") \
    X(SERVICES, "a list of services") \
    X(NUMBERS,  "a list of integers") \
    X(TEXT,     "text") \
    X(SECRET,   "text, from the environment only")

enum wr_conf_type {
#define X(type, allowed) WR_CONF_##type,
    WR_CONF_TYPES(X)
#undef X
};

/* A row.  Only name, type and help are required. */
struct wr_conf_key {
    const char *name;       /* small letters, digits and _, in parts between dots */
    enum wr_conf_type type;
    const char *preset;     /* as it would stand in the environment; NULL: unset */
    const char *preset_unless;  /* a BOOL key: while it is true there is no preset */
    int64_t min, max;       /* of numbers, DURATION in ns; both 0: 0 to 2^63-1 */
    const char *choices;    /* CHOICE: "off hybrid" */
    const char *synonyms;   /* CHOICE: "0=off on=hybrid" */
    bool live;              /* a new value takes effect without a new start of anything */
    bool rebind;            /* ... by a new start of what listens, while the rest goes on */
    bool no_file;           /* means nothing inside a file */
    bool of_file;           /* speaks of the file it stands in: not of what is printed */
    const char *aka;        /* another name in files */
    const char *env;        /* further variables between spaces, best first; !OLD: deprecated */
    const char *flags;      /* further flags between spaces: "--bind" */
    const char *help;       /* one sentence */
};

/* A path whose preset begins with "$STATE/" lies where the system keeps what a
 * program knows: $STATE_DIRECTORY, $XDG_STATE_HOME, $HOME/.local/state, /var/lib. */

struct wr_conf;
struct wr_conf_report;

struct wr_conf_table {
    const struct wr_conf_key *keys;
    size_t count;
    /* What must hold between keys, or may be NULL; called when every value by itself is
     * right.  It says what is wrong by wr_conf_refuse. */
    void (*check)(const struct wr_conf *conf, struct wr_conf_report *report);
};

/* A flag of the caller's own, without a value. */
struct wr_conf_switch { const char *flag; bool *given; const char *help; };

#define WR_CONF_KEYS_MAX 512
#define WR_CONF_FILE_MAX (1024ul * 1024)

struct wr_conf_source {
    const struct wr_conf_table *const *tables;  /* required; NULL at the end */
    int argc;                                   /* flags: argv[1] to argv[argc - 1] */
    char *const *argv;
    const struct wr_conf_switch *switches;      /* { 0 } at the end; may be NULL */
    char *const *env;                           /* "NAME=value", NULL at the end; may be NULL */
    const char *path;                           /* a file, unless the key `config` names one */
    const char *text;                           /* what is in the file, if the caller knows */
    const char *const *services;                /* known names, NULL at the end; NULL: any */
    const struct wr_conf *running;              /* refuse a lower meta.version; may be NULL */
    unsigned cpus;                              /* what CPU stands for; 0: those there are */
};

/* What there is to say: a sentence per line, at most WR_CONF_SENTENCES_MAX; more are
 * only counted.  Begins as { 0 }; the values of secrets never stand in it. */
#define WR_CONF_SENTENCES_MAX 64u
struct wr_conf_report {
    struct wr_text text;
    unsigned errors, warnings;
};
void wr_conf_report_free(struct wr_conf_report *report);

/* Read everything, check everything.  Touches files, so it blocks: call it before the
 * run, or in one by wr_offload.
 * Errors: INVALID (the report tells why), NOMEM. */
wr_err wr_conf_load(struct wr_conf **ret, const struct wr_conf_source *source,
                    struct wr_conf_report *report);

struct wr_conf *wr_conf_ref(struct wr_conf *conf);
void wr_conf_unref(struct wr_conf *conf);       /* NULL is allowed */

/* A sentence about a key's value for a check: "weir.toml:3: tls.key_path = "k.pem": "
 * and then the words given here. */
void wr_conf_refuse(struct wr_conf_report *report, const struct wr_conf *conf,
                    const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- values: another key or type than the tables have is a panic ---- */

/* Whether it has a value at all.  What follows is 0 or NULL for a key without one. */
bool wr_conf_has(const struct wr_conf *conf, const char *key);

bool wr_conf_bool(const struct wr_conf *conf, const char *key);
int64_t wr_conf_int(const struct wr_conf *conf, const char *key);
wr_time wr_conf_duration(const struct wr_conf *conf, const char *key);
size_t wr_conf_size(const struct wr_conf *conf, const char *key);
unsigned wr_conf_permits(const struct wr_conf *conf, const char *key);
const struct wr_addr *wr_conf_addr(const struct wr_conf *conf, const char *key);
const char *wr_conf_text(const struct wr_conf *conf, const char *key);  /* PATH, CHOICE, TEXT */
struct wr_secret *wr_conf_secret(const struct wr_conf *conf, const char *key); /* borrowed */
/* WORDS and SERVICES; how many, *ret borrowed. */
size_t wr_conf_words(const struct wr_conf *conf, const char *key, const char *const **ret);
size_t wr_conf_numbers(const struct wr_conf *conf, const char *key, const int64_t **ret);

/* Where the value came from: "flag --bind", "environment WEIR_DATA", "weir.toml:12",
 * "default". */
const char *wr_conf_origin(const struct wr_conf *conf, const char *key);

/* The file that was read, or NULL: what to watch. */
const char *wr_conf_file(const struct wr_conf *conf);

/* ---- the whole ---- */

/* One key whose value differs; both as in print, secrets as "(hidden)", unset as "unset". */
struct wr_conf_change {
    const struct wr_conf_key *key;
    const char *was, *is;           /* borrowed from the snapshots */
};

/* What changes from `was` to `is`, both of the same tables, in the order of the tables;
 * how many, of which the first `max` are in ret. */
size_t wr_conf_diff(struct wr_conf_change *ret, size_t max, const struct wr_conf *was,
                    const struct wr_conf *is);

/* Whether the value of this key differs. */
bool wr_conf_differs(const struct wr_conf *was, const struct wr_conf *is, const char *key);

/* Give the keys that are neither live nor rebind the values that `running` has, because
 * nothing else is true of what runs.  For a snapshot that nobody else has yet.  Errors:
 * NOMEM (good for wr_conf_unref only). */
wr_err wr_conf_keep(struct wr_conf *conf, const struct wr_conf *running);

/* Every key, its value and where that came from: a TOML file that reads back to the
 * same values, or one JSON object, which has what a change does too: "live", "rebind" or
 * "restart".  Secrets are left out of the one and "(hidden)" in
 * the other. */
void wr_conf_print(struct wr_text *text, const struct wr_conf *conf);
void wr_conf_print_json(struct wr_text *text, const struct wr_conf *conf);

/* The flags, with what they take, their presets, and their help. */
void wr_conf_help(struct wr_text *text, const struct wr_conf_source *source);

#endif
