/* load.c - from flags, variables, a file and presets to a snapshot.
 *
 * Everything is looked at, in the order in which it counts least: presets, the file,
 * the environment, the flags.  What is right replaces what was there; what is wrong is
 * said, even when something stronger overrides it: it would surprise on another day.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/file.h>
#include <weir/panic.h>

#include "base/hash.h"
#include "conf/conf_int.h"
#include "conf/meta.h"

struct loader {
    const struct wr_conf_source *source;
    struct wr_conf_report *report;
    struct wr_conf *conf;
    struct given *flags, *env;      /* one per slot */
    unsigned *lines;                /* of the file, one per slot: where it was set, or 0 */
    char *text;                     /* the file's */
    wr_err err;                     /* NOMEM, once it happened */
};

/* ---- values ---- */

static void set(struct loader *loader, struct slot *slot, const struct entry *entry,
                const char *origin)
{
    char why_buf[WR_SENTENCE_MAX], value_buf[WR_SENTENCE_MAX];
    struct wr_text why = WR_TEXT(why_buf), value = WR_TEXT(value_buf);
    wr_err err = wr_value_read(&slot->value, slot->key, entry, loader->source, &why);
    if (err == WR_INVALID) {
        wr_value_quote(&value, slot->key, entry);
        wr_report_error(loader->report, "%s: %s = %s: %s", origin, slot->key->name, value_buf,
                        why_buf);
        return;
    }
    char *copy = err ? NULL : strdup(origin);
    if (!copy) {
        loader->err = WR_NOMEM;
        return;
    }
    free(slot->origin);
    slot->origin = copy;
}

/* A duration by a name that has the unit, RON_INDEX_HEDGE_MS=150, in the words of the table. */
static const char *with_unit(char *room, size_t size, const struct wr_conf_key *key,
                             const struct given *given)
{
    const char *end = given->by + given->by_len;
    bool named = given->by_len > 3 && strncmp(end - 3, "_MS", 3) == 0;
    bool bare = given->text[strspn(given->text, "0123456789")] == '\0';
    if (key->type != WR_CONF_DURATION || !named || !bare)
        return given->text;
    snprintf(room, size, "%sms", given->text);
    return room;
}

static void set_given(struct loader *loader, struct slot *slot, const struct given *given,
                      const char *kind)
{
    char room[WR_NAME_MAX];
    if (!given->text)
        return;
    char origin[WR_NAME_MAX + 16];
    struct wr_text text = WR_TEXT(origin);
    wr_text_format(&text, "%s %.*s", kind, (int)given->by_len, given->by);
    struct entry entry = { .kind = ENTRY_WORD, .text =
        (char *)(uintptr_t)with_unit(room, sizeof(room), slot->key, given) };
    set(loader, slot, &entry, origin);
}

/* Where the system wants programs to keep what they know; the first that is set. */
static void state_path(struct wr_text *text, char *const *env, const char *rest)
{
    static const struct { const char *name, *below; } places[] = {
        { "STATE_DIRECTORY", "" }, { "XDG_STATE_HOME", "" }, { "HOME", "/.local/state" },
    };
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        const char *value = wr_env_get(env, places[i].name, strlen(places[i].name));
        if (value && *value == '/') {
            wr_text_format(text, "%s%s%s", value, places[i].below, rest);
            return;
        }
    }
    wr_text_format(text, "/var/lib%s", rest);
}

/* What the environment says of $STATE can be wrong, and is refused; what stands in the
 * table cannot.  A path that is cut is still too long. */
static void set_preset(struct loader *loader, struct slot *slot)
{
    if (!slot->key->preset)
        return;
    char buf[WR_VALUE_MAX + 2];
    struct wr_text text = WR_TEXT(buf);
    bool state = strncmp(slot->key->preset, "$STATE/", 7) == 0;
    if (state)
        state_path(&text, loader->source->env, slot->key->preset + 6);
    else
        wr_text_str(&text, slot->key->preset);
    unsigned before = loader->report->errors;
    struct entry entry = { .kind = ENTRY_WORD, .text = buf };
    set(loader, slot, &entry, "default");
    if (loader->report->errors != before && !state)
        wr_panic("configuration key \"%s\": its own preset is not allowed", slot->key->name);
}

static void drop_preset(const struct wr_conf *conf, struct slot *slot)
{
    if (slot->key->preset_unless && slot->value.set && strcmp(slot->origin, "default") == 0
        && wr_conf_bool(conf, slot->key->preset_unless))
        wr_value_free(&slot->value);
}

/* ---- the file ---- */

static const char *file_path(const struct loader *loader)
{
    const struct slot *slot = wr_conf_find(loader->conf, "config");
    if (slot) {
        const struct given *flag = &loader->flags[slot - loader->conf->slots];
        const struct given *env = &loader->env[slot - loader->conf->slots];
        if (flag->text || env->text)
            return flag->text ? flag->text : env->text;
    }
    return loader->source->path;
}

/* What a name in a file means: a key, or another name of one. */
static struct slot *named(const struct wr_conf *conf, const char *name)
{
    struct slot *slot = wr_conf_find(conf, name);
    for (size_t i = 0; !slot && i < conf->count; i++)
        if (conf->slots[i].key->aka && strcmp(conf->slots[i].key->aka, name) == 0)
            slot = &conf->slots[i];
    return slot;
}

static void unknown_key(struct loader *loader, const struct entry *entry, const char *origin)
{
    char shown[2 * WR_NAME_MAX];
    struct wr_text text = WR_TEXT(shown);
    wr_text_logfmt(&text, entry->key, strlen(entry->key));
    struct nearest nearest = { .wanted = entry->key };
    size_t len = strlen(entry->key);
    for (size_t i = 0; i < loader->conf->count; i++) {
        const char *name = loader->conf->slots[i].key->name;
        if (entry->kind == ENTRY_TABLE && strncmp(name, entry->key, len) == 0
            && name[len] == '.')
            return;         /* a table without keys in it says nothing */
        wr_nearest_try(&nearest, name);
    }
    wr_report_error(loader->report, "%s: %s: there is no such key%s%s%s", origin, shown,
                    nearest.name[0] ? "; did you mean " : "", nearest.name,
                    nearest.name[0] ? "?" : "; `weir config print` lists them");
}

static void set_entry(struct loader *loader, const struct entry *entry, const char *path)
{
    char origin_buf[WR_SENTENCE_MAX], env[WR_NAME_MAX];
    struct wr_text origin = WR_TEXT(origin_buf);
    wr_text_logfmt(&origin, path, strlen(path));
    if (entry->line)
        wr_text_format(&origin, ":%u", entry->line);
    struct slot *slot = named(loader->conf, entry->key);
    if (!slot) {
        unknown_key(loader, entry, origin_buf);
        return;
    }
    const char *name = slot->key->name;
    unsigned *line = &loader->lines[slot - loader->conf->slots];
    if (slot->key->type == WR_CONF_SECRET)
        wr_report_error(loader->report, "%s: %s: a secret does not belong in a file; set %s in "
                        "the environment", origin_buf, name, wr_name_env(env, name));
    else if (slot->key->no_file)
        wr_report_error(loader->report, "%s: %s: it means nothing in a file; set %s in the "
                        "environment", origin_buf, name, wr_name_env(env, name));
    else if (*line)
        wr_report_error(loader->report, "%s: %s: it is another name of %s, which was set "
                        "above; keep one", origin_buf, entry->key, name);
    else
        set(loader, slot, entry, origin_buf);
    *line = 1;
}

static int by_line(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->line != y->line ? (x->line < y->line ? -1 : 1) : strcmp(x->key, y->key);
}

static bool ends_in(const char *path, const char *ending)
{
    size_t len = strlen(path), n = strlen(ending);
    return len > n && strcmp(path + len - n, ending) == 0;
}

static void cannot_parse(struct loader *loader, const char *path, const struct entries *entries,
                         const char *kind)
{
    char buf[WR_SENTENCE_MAX];
    struct wr_text origin = WR_TEXT(buf);
    wr_text_logfmt(&origin, path, strlen(path));
    if (entries->line)
        wr_text_format(&origin, ":%u", entries->line);
    wr_report_error(loader->report, "%s: not %s: %s", buf, kind, entries->error);
}

/* By its ending; a file with another one is TOML, or else JSON, or else both are told. */
static bool parse(struct loader *loader, struct entries *ret, const char *path, size_t len)
{
    struct entries toml = { 0 };
    bool only_toml = ends_in(path, ".toml"), only_json = ends_in(path, ".json");
    bool good = !only_json && wr_entries_toml(&toml, loader->text, len);
    if (good) {
        *ret = toml;
        return true;
    }
    good = !only_toml && wr_entries_json(ret, loader->text, len);
    if (!good && !only_json)
        cannot_parse(loader, path, &toml, "TOML");
    if (!good && !only_toml)
        cannot_parse(loader, path, ret, "JSON");
    wr_entries_free(&toml);
    return good;
}

static const char *why_unreadable(wr_err err)
{
    switch (err) {
    case WR_NOTFOUND: return "there is no such file";
    case WR_DENIED: return "its permissions do not let us read it";
    case WR_INVALID: return "it must be a regular file of at most 1MiB";
    default: return wr_err_text(err);
    }
}

/* A hash that the file has of itself, when it has one, is right. */
static void check_hash(struct loader *loader, const struct entries *entries)
{
    const char *key = "meta.bundle_hash";
    const struct slot *slot = wr_conf_find(loader->conf, key);
    if (!slot || !slot->value.set)
        return;
    struct wr_hash is, said;
    char cid[WR_CID_TEXT];
    const char *text = slot->value.text;
    if (wr_hash_parse_cid(&said, text, strlen(text)))
        wr_conf_refuse(loader->report, loader->conf, key,
                       "it must be b3: and 64 hex digits in lower case");
    else if (!wr_meta_hash(&is, loader->text, entries))
        wr_conf_refuse(loader->report, loader->conf, key,
                       "it must stand in a table [meta] at the end of a TOML file");
    else if (!wr_hash_equal(&is, &said))
        wr_conf_refuse(loader->report, loader->conf, key,
                       "what stands before [meta] has %s; it is not the file that was meant",
                       wr_hash_print_cid(&is, cid));
}

static void read_file(struct loader *loader, const char *path)
{
    size_t len = 0;
    char buf[WR_SENTENCE_MAX];
    struct wr_text shown = WR_TEXT(buf);
    wr_text_logfmt(&shown, path, strlen(path));
    loader->conf->file = strdup(path);
    wr_err err;
    if (loader->source->text) {
        len = strlen(loader->source->text);
        loader->text = strdup(loader->source->text);
        err = len > WR_CONF_FILE_MAX ? WR_INVALID : loader->text ? WR_OK : WR_NOMEM;
    } else {
        err = wr_file_read(&loader->text, &len, path, WR_CONF_FILE_MAX, WR_NEVER);
    }
    if (err || !loader->conf->file) {
        wr_report_error(loader->report, "%s: it cannot be read: %s", buf, why_unreadable(err));
        return;
    }
    if (loader->source->running && len == 0) {
        wr_report_error(loader->report, "%s: it is empty, as while it is written: it is not "
                        "put in force; write another file and rename it", buf);
        return;
    }
    struct entries entries = { 0 };
    if (parse(loader, &entries, path, len)) {
        if (entries.count)
            qsort(entries.at, entries.count, sizeof(*entries.at), by_line);
        for (size_t i = 0; i < entries.count; i++)
            set_entry(loader, &entries.at[i], path);
        check_hash(loader, &entries);
    }
    wr_entries_free(&entries);
}

/* ---- all of it ---- */

static void check_version(struct loader *loader)
{
    const char *key = "meta.version";
    const struct wr_conf *running = loader->source->running;
    if (!running || !wr_conf_find(running, key) || !wr_conf_has(loader->conf, key))
        return;
    int64_t was = wr_conf_int(running, key);
    if (wr_conf_int(loader->conf, key) < was)
        wr_conf_refuse(loader->report, loader->conf, key,
                       "what runs has version %lld, and a lower one is refused",
                       (long long)was);
}

static void load(struct loader *loader)
{
    struct wr_conf *conf = loader->conf;
    wr_flags_find(loader->flags, conf, loader->source, loader->report);
    wr_env_find(loader->env, conf, loader->source, loader->report);
    for (size_t i = 0; i < conf->count; i++)
        set_preset(loader, &conf->slots[i]);
    const char *path = file_path(loader);
    if (path)
        read_file(loader, path);
    for (size_t i = 0; i < conf->count; i++)
        set_given(loader, &conf->slots[i], &loader->env[i], "environment");
    for (size_t i = 0; i < conf->count; i++)
        set_given(loader, &conf->slots[i], &loader->flags[i], "flag");
    for (size_t i = 0; i < conf->count; i++)
        drop_preset(conf, &conf->slots[i]);
    check_version(loader);
    const struct wr_conf_table *const *table = loader->source->tables;
    for (; *table && loader->report->errors == 0 && !loader->err; table++)
        if ((*table)->check)
            (*table)->check(conf, loader->report);
}

wr_err wr_conf_load(struct wr_conf **ret, const struct wr_conf_source *source,
                    struct wr_conf_report *report)
{
    struct loader loader = { .source = source, .report = report };
    wr_err err = wr_conf_new(&loader.conf, source->tables);
    if (err)
        return err;
    size_t count = loader.conf->count + 1;
    loader.flags = calloc(count, sizeof(*loader.flags));
    loader.env = calloc(count, sizeof(*loader.env));
    loader.lines = calloc(count, sizeof(*loader.lines));
    if (loader.flags && loader.env && loader.lines)
        load(&loader);
    else
        loader.err = WR_NOMEM;
    free(loader.flags);
    free(loader.env);
    free(loader.lines);
    free(loader.text);
    wr_report_end(report);
    err = loader.err ? loader.err : report->errors ? WR_INVALID : WR_OK;
    if (err) {
        wr_conf_unref(loader.conf);
        return err;
    }
    *ret = loader.conf;
    return WR_OK;
}
