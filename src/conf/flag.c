/* flag.c - the flags of a command line, as the tables have them. */
#include <string.h>

#include "conf/conf_int.h"

static bool is(const char *name, const char *arg, size_t len)
{
    return strlen(name) == len && memcmp(name, arg, len) == 0;
}

static bool in_list(const char *list, const char *arg, size_t len)
{
    if (list)
        for (size_t n; (n = wr_name_next(&list)); list += n)
            if (n == len && memcmp(list, arg, len) == 0)
                return true;
    return false;
}

static bool has_flag(const struct wr_conf_key *key, const char *arg, size_t len)
{
    char buf[WR_NAME_MAX];
    return is(wr_name_flag(buf, key->name), arg, len) || in_list(key->flags, arg, len);
}

/* Which key a flag is of; --no-x is the other value of the BOOL --x. */
static const struct slot *find(const struct wr_conf *conf, const char *arg, size_t len,
                               bool *ret_no)
{
    *ret_no = false;
    for (size_t i = 0; i < conf->count; i++)
        if (has_flag(conf->slots[i].key, arg, len))
            return &conf->slots[i];
    char positive[WR_NAME_MAX];
    struct wr_text text = WR_TEXT(positive);
    if (len < 6 || memcmp(arg, "--no-", 5) != 0)
        return NULL;
    wr_text_format(&text, "--%.*s", (int)len - 5, arg + 5);
    *ret_no = true;
    for (size_t i = 0; i < conf->count; i++)
        if (conf->slots[i].key->type == WR_CONF_BOOL
            && has_flag(conf->slots[i].key, positive, text.len))
            return &conf->slots[i];
    return NULL;
}

static bool switched(const struct wr_conf_switch *switches, const char *arg, size_t len)
{
    for (; switches && switches->flag; switches++)
        if (is(switches->flag, arg, len)) {
            *switches->given = true;
            return true;
        }
    return false;
}

static void unknown(const struct wr_conf *conf, const struct wr_conf_source *source,
                    const char *arg, size_t len, struct wr_conf_report *report)
{
    char name[WR_NAME_MAX], buf[WR_NAME_MAX], shown[2 * WR_NAME_MAX];
    struct wr_text cut = WR_TEXT(name), text = WR_TEXT(shown);
    wr_text_bytes(&cut, arg, len);
    wr_text_logfmt(&text, arg, len);
    struct nearest nearest = { .wanted = name };
    for (size_t i = 0; i < conf->count; i++) {
        const char *more = conf->slots[i].key->flags ? conf->slots[i].key->flags : "";
        wr_nearest_try(&nearest, wr_name_flag(buf, conf->slots[i].key->name));
        for (size_t n; (n = wr_name_next(&more)); more += n) {
            struct wr_text alias = WR_TEXT(buf);
            wr_text_bytes(&alias, more, n);
            wr_nearest_try(&nearest, buf);
        }
    }
    const struct wr_conf_switch *own = source->switches;
    for (; own && own->flag; own++)
        wr_nearest_try(&nearest, own->flag);
    if (nearest.name[0])
        wr_report_error(report, "flag %s: there is no such flag; did you mean %s?", shown,
                        nearest.name);
    else
        wr_report_error(report, "flag %s: there is no such flag; --help lists them", shown);
}

/* One flag at argv[i]; how many arguments it took. */
static int take(struct given *ret, const struct wr_conf *conf,
                const struct wr_conf_source *source, int i, struct wr_conf_report *report)
{
    const char *arg = source->argv[i], *equals = strchr(arg, '=');
    size_t len = equals ? (size_t)(equals - arg) : strlen(arg);
    bool no;
    if (!equals && switched(source->switches, arg, len))
        return 1;
    const struct slot *slot = find(conf, arg, len, &no);
    bool next = !equals && i + 1 < source->argc && strncmp(source->argv[i + 1], "--", 2) != 0;
    if (!slot) {
        unknown(conf, source, arg, len, report);
        return next ? 2 : 1;        /* what follows was meant for it */
    }
    const char *value = equals ? equals + 1 : NULL;
    int taken = 1;
    if (slot->key->type == WR_CONF_BOOL && !equals) {
        value = no ? "false" : "true";
    } else if (next) {
        value = source->argv[i + 1];
        taken = 2;
    }
    char env[WR_NAME_MAX], buf[WR_SENTENCE_MAX];
    struct wr_text allowed = WR_TEXT(buf);
    wr_value_allowed(&allowed, slot->key);
    if (slot->key->type == WR_CONF_SECRET)
        wr_report_error(report, "flag %.*s: a secret in a command line is seen by everyone; "
                        "set %s in the environment", (int)len, arg,
                        wr_name_env(env, slot->key->name));
    else if (no && equals)
        wr_report_error(report, "flag %.*s: it takes no value", (int)len, arg);
    else if (!value)
        wr_report_error(report, "flag %.*s: it needs a value: %s", (int)len, arg, buf);
    else
        ret[slot - conf->slots] = (struct given){ value, arg, len };
    return taken;
}

void wr_flags_find(struct given *ret, const struct wr_conf *conf,
                   const struct wr_conf_source *source, struct wr_conf_report *report)
{
    for (int i = 1; i < source->argc;) {
        const char *arg = source->argv[i];
        if (strncmp(arg, "--", 2) == 0 && arg[2]) {
            i += take(ret, conf, source, i, report);
            continue;
        }
        char buf[WR_NAME_MAX];
        struct wr_text shown = WR_TEXT(buf);
        wr_text_json(&shown, arg, strlen(arg));
        wr_report_error(report, "argument %s: only flags can stand here", buf);
        i++;
    }
}
