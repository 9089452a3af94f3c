/* env.c - the variables of the environment, as the tables have them. */
#include <string.h>

#include "conf/conf_int.h"

/* Variables that begin like ours and belong to others: the runtime, the tests. */
static const char *const others[] = { "WEIR_LOG=", "WEIR_TEST_" };

/* What the seeds have for development, and what is true here instead. */
static const struct { const char *name, *instead; } ignored[] = {
    { "MACRONODE_DEV_READY", "readiness is told as it is: each part is probed" },
    { "MACRONODE_DEV_INSECURE", "on loopback no token is needed, and elsewhere one always is" },
};

static const char *find(char *const *env, const char *name, size_t len)
{
    for (; env && *env; env++)
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
            return *env;
    return NULL;
}

const char *wr_env_get(char *const *env, const char *name, size_t len)
{
    const char *found = find(env, name, len);
    return found && found[len + 1] ? found + len + 1 : NULL;
}

static void look_for(struct given *ret, const struct wr_conf_key *key, char *const *env,
                     struct wr_conf_report *report)
{
    char own[WR_NAME_MAX];
    const char *at = wr_name_env(own, key->name);
    size_t len = strlen(own);
    const char *more = key->env ? key->env : "";
    for (; len; at = more, len = wr_name_next(&at), more = at + len) {
        bool old = *at == '!';
        const char *name = at + old;
        const char *value = wr_env_get(env, name, len - old);
        if (!value)
            continue;
        if (old)
            wr_report_warning(report, "environment %.*s: it is deprecated; use %s",
                              (int)(len - old), name, own);
        *ret = (struct given){ value, find(env, name, len - old), len - old };
        return;
    }
}

/* Something near one of our names is a mistake of it; what is near none may be meant for
 * somebody else. */
static void unknown(const struct wr_conf *conf, const char *variable,
                    struct wr_conf_report *report)
{
    char name[WR_NAME_MAX], buf[WR_NAME_MAX], shown[2 * WR_NAME_MAX];
    size_t len = strcspn(variable, "=");
    struct wr_text cut = WR_TEXT(name), text = WR_TEXT(shown);
    wr_text_bytes(&cut, variable, len);
    wr_text_logfmt(&text, variable, len);
    struct nearest nearest = { .wanted = name + 5 };       /* what they all begin with */
    for (size_t i = 0; i < conf->count; i++) {
        wr_name_env(buf, conf->slots[i].key->name);
        if (strcmp(buf, name) == 0)
            return;
        wr_nearest_try(&nearest, buf + 5);
    }
    if (nearest.name[0])
        wr_report_error(report, "environment %s: there is no such key; did you mean WEIR_%s?",
                        shown, nearest.name);
    else
        wr_report_warning(report, "environment %s: there is no such key", shown);
}

void wr_env_find(struct given *ret, const struct wr_conf *conf,
                 const struct wr_conf_source *source, struct wr_conf_report *report)
{
    for (size_t i = 0; i < conf->count; i++)
        look_for(&ret[i], conf->slots[i].key, source->env, report);
    for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
        if (wr_env_get(source->env, ignored[i].name, strlen(ignored[i].name)))
            wr_report_warning(report, "environment %s: it is not honoured; %s",
                              ignored[i].name, ignored[i].instead);
    for (char *const *at = source->env; at && *at; at++) {
        bool ours = strncmp(*at, "WEIR_", 5) == 0;
        for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
            ours = ours && strncmp(*at, others[i], strlen(others[i])) != 0;
        if (ours)
            unknown(conf, *at, report);
    }
}
