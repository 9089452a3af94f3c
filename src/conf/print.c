/* print.c - a configuration as a whole: printed, compared, explained. */
#include <string.h>

#include <weir/panic.h>

#include "base/json.h"
#include "conf/conf_int.h"

#define HELP_COLUMN 34

static bool same(const struct value *a, const struct value *b)
{
    if (a->set != b->set)
        return false;
    if (!a->set)
        return true;
    if (a->secret)
        return wr_secret_equal(a->secret, wr_secret_bytes(b->secret),
                               wr_secret_size(b->secret));
    return strcmp(a->shown, b->shown) == 0;
}

size_t wr_conf_diff(struct wr_conf_change *ret, size_t max, const struct wr_conf *was,
                    const struct wr_conf *is)
{
    size_t count = 0;
    WR_ASSERT(was->count == is->count);
    for (size_t i = 0; i < was->count; i++) {
        const struct value *a = &was->slots[i].value, *b = &is->slots[i].value;
        WR_ASSERT(was->slots[i].key == is->slots[i].key);
        if (same(a, b))
            continue;
        if (count < max)
            ret[count] = (struct wr_conf_change){ .key = was->slots[i].key,
                                                  .was = a->set ? a->shown : "unset",
                                                  .is = b->set ? b->shown : "unset" };
        count++;
    }
    return count;
}

bool wr_conf_differs(const struct wr_conf *was, const struct wr_conf *is, const char *key)
{
    const struct slot *a = wr_conf_find(was, key), *b = wr_conf_find(is, key);
    WR_ASSERT(a && b);
    return !same(&a->value, &b->value);
}

/* What cannot stand in a file stands there as a comment. */
void wr_conf_print(struct wr_text *text, const struct wr_conf *conf)
{
    for (size_t i = 0; i < conf->count; i++) {
        const struct slot *slot = &conf->slots[i];
        if (!slot->value.set) {
            wr_text_format(text, "# %s is unset\n", slot->key->name);
            continue;
        }
        bool comment =
            slot->key->type == WR_CONF_SECRET || slot->key->no_file || slot->key->of_file;
        wr_text_format(text, "%s%s = %s    # %s\n", comment ? "# " : "", slot->key->name,
                       slot->value.shown, slot->origin);
    }
}

void wr_conf_print_json(struct wr_text *text, const struct wr_conf *conf)
{
    struct wr_json json = wr_json_to(text);
    wr_json_object(&json, NULL);
    for (size_t i = 0; i < conf->count; i++) {
        const struct slot *slot = &conf->slots[i];
        wr_json_object(&json, slot->key->name);
        if (!slot->value.set)
            wr_json_null(&json, "value");
        else if (slot->key->type == WR_CONF_SECRET)
            wr_json_str(&json, "value", slot->value.shown);
        else        /* what is printed as TOML is JSON too */
            wr_json_raw(&json, "value", slot->value.shown, strlen(slot->value.shown));
        wr_json_str(&json, "from", slot->value.set ? slot->origin : "default");
        wr_json_str(&json, "change", slot->key->live     ? "live"
                                     : slot->key->rebind ? "rebind"
                                                         : "restart");
        wr_json_end(&json);
    }
    wr_json_end(&json);
}

/* ---- help ---- */

static const char *const takes[] = {
    [WR_CONF_BOOL] = "",
    [WR_CONF_INT] = " N",
    [WR_CONF_DURATION] = " TIME",
    [WR_CONF_SIZE] = " SIZE",
    [WR_CONF_ADDR] = " ADDRESS",
    [WR_CONF_PATH] = " PATH",
    [WR_CONF_CHOICE] = " WORD",
    [WR_CONF_PERMITS] = " N|NxCPU",
    [WR_CONF_WORDS] = " WORD,...",
    [WR_CONF_SERVICES] = " NAME,...",
    [WR_CONF_NUMBERS] = " N,...",
    [WR_CONF_TEXT] = " TEXT",
    [WR_CONF_SECRET] = "",
};

static void help_line(struct wr_text *text, const char *flag, const char *value,
                      const char *words)
{
    size_t start = text->len;
    wr_text_format(text, "  %s%s", flag, value);
    if (text->len - start >= HELP_COLUMN) {
        wr_text_str(text, "\n");
        start = text->len;
    }
    while (text->len - start < HELP_COLUMN && !text->cut)
        wr_text_str(text, " ");
    wr_text_str(text, words);
}

static void help_key(struct wr_text *text, const struct wr_conf_key *key)
{
    char buf[WR_NAME_MAX];
    if (key->type == WR_CONF_SECRET) {
        help_line(text, wr_name_env(buf, key->name), "", key->help);
        wr_text_str(text, " (environment only)\n");
        return;
    }
    help_line(text, wr_name_flag(buf, key->name), takes[key->type], key->help);
    if (key->choices)
        wr_text_format(text, " One of: %s.", key->choices);
    bool state = key->preset && strncmp(key->preset, "$STATE/", 7) == 0;
    if (key->preset)
        wr_text_format(text, " [%s%s]", state ? "~/.local/state/" : "",
                       key->preset + (state ? 7 : 0));
    if (key->flags)
        wr_text_format(text, " Also %s.", key->flags);
    wr_text_str(text, "\n");
}

void wr_conf_help(struct wr_text *text, const struct wr_conf_source *source)
{
    const struct wr_conf_switch *own = source->switches;
    for (; own && own->flag; own++) {
        help_line(text, own->flag, "", own->help);
        wr_text_str(text, "\n");
    }
    for (size_t t = 0; source->tables[t]; t++)
        for (size_t i = 0; i < source->tables[t]->count; i++)
            help_key(text, &source->tables[t]->keys[i]);
}
