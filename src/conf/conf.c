/* conf.c - the snapshot: its keys and its values. */
#include "conf/conf.h"

#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "conf/conf_int.h"

/* ---- keys ---- */

static int by_name(const void *a, const void *b, void *arg)
{
    const struct slot *slots = arg;
    const unsigned short *i = a, *j = b;
    return strcmp(slots[*i].key->name, slots[*j].key->name);
}

static void check_key(const struct wr_conf_key *key)
{
    size_t len = strlen(key->name);
    if (len == 0 || len > WR_ENTRY_KEY_MAX - 8 || !key->help
        || strspn(key->name, "abcdefghijklmnopqrstuvwxyz0123456789_.") != len)
        wr_panic("configuration key \"%s\" is not a name of small letters, or has no help",
                 key->name);
    if ((key->type == WR_CONF_CHOICE) != (key->choices != NULL))
        wr_panic("configuration key \"%s\": choices are what a CHOICE has", key->name);
}

wr_err wr_conf_new(struct wr_conf **ret, const struct wr_conf_table *const *tables)
{
    size_t count = 0;
    for (size_t t = 0; tables[t]; t++)
        count += tables[t]->count;
    WR_ASSERT(count <= WR_CONF_KEYS_MAX);
    struct wr_conf *conf = calloc(1, sizeof(*conf));
    if (!conf)
        return WR_NOMEM;
    atomic_init(&conf->refs, 1);
    conf->slots = calloc(count + 1, sizeof(*conf->slots));
    conf->order = calloc(count + 1, sizeof(*conf->order));
    if (!conf->slots || !conf->order) {
        wr_conf_unref(conf);
        return WR_NOMEM;
    }
    for (size_t t = 0; tables[t]; t++)
        for (size_t i = 0; i < tables[t]->count; i++) {
            check_key(&tables[t]->keys[i]);
            conf->order[conf->count] = (unsigned short)conf->count;
            conf->slots[conf->count++].key = &tables[t]->keys[i];
        }
    qsort_r(conf->order, count, sizeof(*conf->order), by_name, conf->slots);
    for (size_t i = 1; i < count; i++)
        if (by_name(&conf->order[i - 1], &conf->order[i], conf->slots) == 0)
            wr_panic("configuration key \"%s\" stands in the tables twice",
                     conf->slots[conf->order[i]].key->name);
    *ret = conf;
    return WR_OK;
}

struct slot *wr_conf_find(const struct wr_conf *conf, const char *name)
{
    size_t low = 0, high = conf->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        struct slot *slot = &conf->slots[conf->order[middle]];
        int order = strcmp(name, slot->key->name);
        if (order == 0)
            return slot;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

struct wr_conf *wr_conf_ref(struct wr_conf *conf)
{
    atomic_fetch_add_explicit(&conf->refs, 1, memory_order_relaxed);
    return conf;
}

void wr_conf_unref(struct wr_conf *conf)
{
    if (!conf || atomic_fetch_sub(&conf->refs, 1) > 1)
        return;
    for (size_t i = 0; i < conf->count; i++) {
        wr_value_free(&conf->slots[i].value);
        free(conf->slots[i].origin);
    }
    free(conf->slots);
    free(conf->order);
    free(conf->file);
    free(conf);
}

wr_err wr_conf_keep(struct wr_conf *conf, const struct wr_conf *running)
{
    WR_ASSERT(conf->count == running->count && atomic_load(&conf->refs) == 1);
    for (size_t i = 0; i < conf->count; i++) {
        struct slot *slot = &conf->slots[i];
        const struct slot *kept = &running->slots[i];
        if (slot->key->live || slot->key->rebind || slot->key->no_file)
            continue;
        char *origin = kept->origin ? strdup(kept->origin) : NULL;
        wr_err err = kept->origin && !origin ? WR_NOMEM
                                             : wr_value_copy(&slot->value, &kept->value);
        if (err) {
            free(origin);
            return err;
        }
        free(slot->origin);
        slot->origin = origin;
    }
    return WR_OK;
}

/* ---- values ---- */

static const struct slot *slot_of(const struct wr_conf *conf, const char *key)
{
    const struct slot *slot = wr_conf_find(conf, key);
    if (!slot)
        wr_panic("there is no configuration key \"%s\"", key);
    return slot;
}

#define TYPE(type) (1u << WR_CONF_##type)

static const struct value *value_of(const struct wr_conf *conf, const char *key, unsigned types)
{
    const struct slot *slot = slot_of(conf, key);
    if (!(1u << slot->key->type & types))
        wr_panic("configuration key \"%s\" has another type", key);
    return &slot->value;
}

bool wr_conf_has(const struct wr_conf *conf, const char *key)
{
    return slot_of(conf, key)->value.set;
}

bool wr_conf_bool(const struct wr_conf *conf, const char *key)
{
    return value_of(conf, key, TYPE(BOOL))->number != 0;
}

int64_t wr_conf_int(const struct wr_conf *conf, const char *key)
{
    return value_of(conf, key, TYPE(INT))->number;
}

wr_time wr_conf_duration(const struct wr_conf *conf, const char *key)
{
    return value_of(conf, key, TYPE(DURATION))->number;
}

size_t wr_conf_size(const struct wr_conf *conf, const char *key)
{
    return (size_t)value_of(conf, key, TYPE(SIZE))->number;
}

unsigned wr_conf_permits(const struct wr_conf *conf, const char *key)
{
    return (unsigned)value_of(conf, key, TYPE(PERMITS))->number;
}

const struct wr_addr *wr_conf_addr(const struct wr_conf *conf, const char *key)
{
    const struct value *value = value_of(conf, key, TYPE(ADDR));
    return value->set ? &value->addr : NULL;
}

const char *wr_conf_text(const struct wr_conf *conf, const char *key)
{
    return value_of(conf, key, TYPE(PATH) | TYPE(CHOICE) | TYPE(TEXT))->text;
}

struct wr_secret *wr_conf_secret(const struct wr_conf *conf, const char *key)
{
    return value_of(conf, key, TYPE(SECRET))->secret;
}

size_t wr_conf_words(const struct wr_conf *conf, const char *key, const char *const **ret)
{
    const struct value *value = value_of(conf, key, TYPE(WORDS) | TYPE(SERVICES));
    *ret = (const char *const *)value->words;
    return value->count;
}

size_t wr_conf_numbers(const struct wr_conf *conf, const char *key, const int64_t **ret)
{
    const struct value *value = value_of(conf, key, TYPE(NUMBERS));
    *ret = value->numbers;
    return value->count;
}

const char *wr_conf_origin(const struct wr_conf *conf, const char *key)
{
    const struct slot *slot = slot_of(conf, key);
    return slot->origin ? slot->origin : "default";
}

const char *wr_conf_file(const struct wr_conf *conf)
{
    return conf->file;
}

void wr_conf_refuse(struct wr_conf_report *report, const struct wr_conf *conf,
                    const char *key, const char *format, ...)
{
    const struct slot *slot = slot_of(conf, key);
    char buf[WR_SENTENCE_MAX];
    struct wr_text why = WR_TEXT(buf);
    va_list args;
    va_start(args, format);
    wr_text_vformat(&why, format, args);
    va_end(args);
    if (slot->value.set)
        wr_report_error(report, "%s: %s = %s: %s", wr_conf_origin(conf, key), key,
                        slot->value.shown, buf);
    else
        wr_report_error(report, "%s: it has no value: %s", key, buf);
}
