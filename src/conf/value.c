/* value.c - the value of one key. */
#include "conf/value.h"

#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "conf/name.h"
#include "conf/unit.h"
#include "rt/os.h"

#define QUOTED_MAX 80

static const char *const allowed[] = {
#define X(type, words) [WR_CONF_##type] = words,
    WR_CONF_TYPES(X)
#undef X
};

static bool listed(enum wr_conf_type type)
{
    return type == WR_CONF_WORDS || type == WR_CONF_SERVICES || type == WR_CONF_NUMBERS;
}

/* ---- what is allowed ---- */

static void print_number(struct wr_text *text, enum wr_conf_type type, int64_t number)
{
    if (type == WR_CONF_DURATION)
        wr_unit_print_duration(text, number);
    else if (type == WR_CONF_SIZE)
        wr_unit_print_size(text, number);
    else
        wr_text_i64(text, number);
}

static void print_choices(struct wr_text *text, const char *choices)
{
    const char *between = "";
    for (size_t len; (len = wr_name_next(&choices)); choices += len) {
        bool last = choices[len + strspn(choices + len, " ")] == '\0';
        wr_text_str(text, *between && last ? " or " : between);
        wr_text_bytes(text, choices, len);
        between = ", ";
    }
}

void wr_value_allowed(struct wr_text *text, const struct wr_conf_key *key)
{
    if (key->type == WR_CONF_CHOICE) {
        print_choices(text, key->choices);
        return;
    }
    wr_text_str(text, allowed[key->type]);
    if (key->min || key->max) {
        wr_text_str(text, key->type == WR_CONF_INT ? " from " : ", from ");
        print_number(text, key->type, key->min);
        wr_text_str(text, " to ");
        print_number(text, key->type, key->max);
    }
}

static wr_err refuse(struct wr_text *why, const struct wr_conf_key *key)
{
    wr_text_str(why, "it must be ");
    wr_value_allowed(why, key);
    return WR_INVALID;
}

void wr_value_quote(struct wr_text *text, const struct wr_conf_key *key,
                    const struct entry *entry)
{
    if (key && key->type == WR_CONF_SECRET) {
        wr_text_str(text, "(hidden)");
        return;
    }
    bool bare = entry->kind != ENTRY_WORD && entry->kind != ENTRY_STRING
        && entry->kind != ENTRY_WORDS && entry->kind != ENTRY_NUMBERS;
    bool list = entry->kind == ENTRY_WORDS || entry->kind == ENTRY_NUMBERS;
    const char *at = entry->text;
    size_t start = text->len, items = list ? entry->count : 1;
    wr_text_str(text, list ? "[" : "");
    for (size_t i = 0; i < items; i++, at += strlen(at) + 1) {
        size_t len = strlen(at);
        wr_text_str(text, i ? ", " : "");
        if (text->len - start > QUOTED_MAX) {
            wr_text_str(text, "...");
            break;
        }
        if (bare || entry->kind == ENTRY_NUMBERS)
            wr_text_str(text, at);
        else
            wr_text_json(text, at, len < QUOTED_MAX ? len : QUOTED_MAX);
        wr_text_str(text, len > QUOTED_MAX ? "..." : "");
    }
    wr_text_str(text, list ? "]" : "");
}

/* ---- reading ---- */

/* One step of the table in UTF-8: how many bytes the character has, 0 for none. */
static size_t character(const unsigned char *at)
{
    size_t more = at[0] < 0x80 ? 0 : at[0] < 0xc2 ? 4 : at[0] < 0xe0 ? 1 : at[0] < 0xf0 ? 2 : 3;
    if (more == 4 || at[0] > 0xf4)
        return 0;
    if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f)
        || (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
        return 0;
    for (size_t i = 1; i <= more; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    return more + 1;
}

static bool utf8(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        size_t len = character(at);
        if (len == 0)
            return false;
        at += len;
    }
    return true;
}

static bool fits(const struct wr_conf_key *key, int64_t number)
{
    if (key->min == 0 && key->max == 0)
        return number >= 0;
    return number >= key->min && number <= key->max;
}

static bool read_bool(int64_t *ret, const char *text, bool word)
{
    static const struct { const char *word; bool value; } known[] = {
        { "true", true }, { "false", false }, { "1", true },  { "0", false },
        { "on", true },   { "off", false },   { "yes", true }, { "no", false },
    };
    for (size_t i = 0; i < (word ? sizeof(known) / sizeof(*known) : 2); i++)
        if (strcmp(text, known[i].word) == 0) {
            *ret = known[i].value;
            return true;
        }
    return false;
}

static wr_err keep_text(struct value *ret, const char *text, size_t len)
{
    ret->text = strndup(text, len);
    return ret->text ? WR_OK : WR_NOMEM;
}

static wr_err read_choice(struct value *ret, const struct wr_conf_key *key, const char *text,
                          struct wr_text *why)
{
    size_t wanted = strlen(text);
    const char *at = key->choices;
    for (size_t len; (len = wr_name_next(&at)); at += len)
        if (len == wanted && memcmp(at, text, len) == 0)
            return keep_text(ret, at, len);
    at = key->synonyms ? key->synonyms : "";
    for (size_t len; (len = wr_name_next(&at)); at += len)
        if (len > wanted && memcmp(at, text, wanted) == 0 && at[wanted] == '=')
            return keep_text(ret, at + wanted + 1, len - wanted - 1);
    return refuse(why, key);
}

static wr_err read_scalar(struct value *ret, const struct wr_conf_key *key, const char *text,
                          const struct wr_conf_source *source, bool word, struct wr_text *why)
{
    bool good = true;
    switch (key->type) {
    case WR_CONF_BOOL: good = read_bool(&ret->number, text, word); break;
    case WR_CONF_INT: good = wr_unit_int(&ret->number, text) && fits(key, ret->number); break;
    case WR_CONF_DURATION:
        good = wr_unit_duration(&ret->number, text) && fits(key, ret->number);
        break;
    case WR_CONF_SIZE: good = wr_unit_size(&ret->number, text) && fits(key, ret->number); break;
    case WR_CONF_PERMITS:
        good = wr_unit_permits(&ret->number, text, source->cpus ? source->cpus : wr_os_cores())
            && fits(key, ret->number);
        break;
    case WR_CONF_ADDR: good = !wr_addr_parse(&ret->addr, text); break;
    case WR_CONF_CHOICE: return read_choice(ret, key, text, why);
    case WR_CONF_PATH:
    case WR_CONF_TEXT: return *text ? keep_text(ret, text, strlen(text)) : refuse(why, key);
    default: break;
    }
    return good ? WR_OK : refuse(why, key);
}

/* The copy is wiped as it becomes the secret. */
static wr_err read_secret(struct value *ret, const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        return WR_NOMEM;
    wr_err err = wr_secret_new(&ret->secret, copy, strlen(copy));
    free(copy);
    return err;
}

static bool known_service(const char *const *services, const char *word)
{
    for (size_t i = 0; services && services[i]; i++)
        if (wr_name_is_service(word, services[i]))
            return true;
    return services == NULL;
}

static wr_err refuse_service(struct wr_text *why, const char *const *services, const char *word)
{
    struct nearest nearest = { .wanted = word + (strncmp(word, "svc-", 4) == 0 ? 4 : 0) };
    wr_text_str(why, "there is no service ");
    wr_text_json(why, word, strlen(word));
    wr_text_str(why, services[0] ? "; there are " : "; this program has none: leave it empty");
    for (size_t i = 0; services[i]; i++) {
        wr_text_format(why, "%s%s", i ? ", " : "", services[i]);
        wr_nearest_try(&nearest, services[i]);
    }
    if (nearest.name[0])
        wr_text_format(why, "; did you mean %s?", nearest.name);
    return WR_INVALID;
}

/* A word of a list is not empty and has no comma: so it is the same in the environment. */
static wr_err read_items(struct value *ret, const struct wr_conf_key *key,
                         const struct wr_conf_source *source, struct wr_text *why)
{
    const char *at = ret->text;
    for (size_t i = 0; i < ret->count; i++, at += strlen(at) + 1) {
        ret->words[i] = at;
        if (key->type == WR_CONF_NUMBERS) {
            if (!wr_unit_int(&ret->numbers[i], at) || !fits(key, ret->numbers[i]))
                return refuse(why, key);
        } else if (!*at || strchr(at, ',') || !utf8(at)) {
            return refuse(why, key);
        } else if (key->type == WR_CONF_SERVICES && !known_service(source->services, at)) {
            return refuse_service(why, source->services, at);
        }
    }
    return WR_OK;
}

/* "a,b" of a flag or variable becomes the items of a list, in place. */
static size_t split(char *text)
{
    size_t count = *text != '\0';
    for (; *text; text++)
        if (*text == ',') {
            *text = '\0';
            count++;
        }
    return count;
}

static wr_err read_list(struct value *ret, const struct wr_conf_key *key,
                        const struct entry *entry, const struct wr_conf_source *source,
                        struct wr_text *why)
{
    size_t size = 0;
    const char *at = entry->text;
    for (size_t i = 0; i < entry->count; i++, at += strlen(at) + 1)
        size += strlen(at) + 1;
    if (entry->kind == ENTRY_WORD)
        size = strlen(entry->text) + 1;
    if (size > WR_VALUE_LIST_MAX || !(ret->text = malloc(size + 1)))
        return size > WR_VALUE_LIST_MAX ? refuse(why, key) : WR_NOMEM;
    memcpy(ret->text, entry->text, size);
    ret->text[size] = '\0';
    ret->count = entry->kind == ENTRY_WORD ? split(ret->text) : entry->count;
    if (ret->count > WR_VALUE_ITEMS_MAX) {
        wr_text_format(why, "it must have at most %d items", WR_VALUE_ITEMS_MAX);
        return WR_INVALID;
    }
    ret->words = calloc(ret->count + 1, sizeof(*ret->words));
    ret->numbers = calloc(ret->count + 1, sizeof(*ret->numbers));
    if (!ret->words || !ret->numbers)
        return WR_NOMEM;
    return read_items(ret, key, source, why);
}

/* Files have types; flags and variables are words whose type is the key's. */
static bool right_kind(const struct wr_conf_key *key, const struct entry *entry)
{
    switch (key->type) {
    case WR_CONF_BOOL: return entry->kind == ENTRY_BOOL;
    case WR_CONF_INT: return entry->kind == ENTRY_INT;
    case WR_CONF_SIZE:
    case WR_CONF_PERMITS: return entry->kind == ENTRY_INT || entry->kind == ENTRY_STRING;
    case WR_CONF_WORDS:
    case WR_CONF_SERVICES: return entry->kind == ENTRY_WORDS;
    case WR_CONF_NUMBERS:
        return entry->kind == ENTRY_NUMBERS
            || (entry->kind == ENTRY_WORDS && entry->count == 0);
    case WR_CONF_SECRET: return false;
    default: return entry->kind == ENTRY_STRING;
    }
}

/* ---- showing ---- */

static void show_list(struct wr_text *text, const struct value *value, bool numbers)
{
    wr_text_str(text, "[");
    for (size_t i = 0; i < value->count; i++) {
        wr_text_str(text, i ? ", " : "");
        if (numbers)
            wr_text_i64(text, value->numbers[i]);
        else
            wr_text_json(text, value->words[i], strlen(value->words[i]));
    }
    wr_text_str(text, "]");
}

static void show_string(struct wr_text *text, const struct wr_conf_key *key,
                        const struct value *value, const char *given)
{
    char buf[WR_ADDR_TEXT_MAX];
    struct wr_text inner = WR_TEXT(buf);
    const char *at = buf;
    if (key->type == WR_CONF_DURATION)
        wr_unit_print_duration(&inner, value->number);
    else if (key->type == WR_CONF_SIZE)
        wr_unit_print_size(&inner, value->number);
    else if (key->type == WR_CONF_ADDR)
        at = wr_addr_print(&value->addr, buf);
    else
        at = key->type == WR_CONF_PERMITS ? given : value->text;
    WR_ASSERT(at);
    wr_text_json(text, at, strlen(at));
}

static wr_err show(struct value *value, const struct wr_conf_key *key, const char *given)
{
    struct wr_text text = wr_text_heap(8 * WR_VALUE_LIST_MAX);
    if (key->type == WR_CONF_SECRET)
        wr_text_str(&text, "(hidden)");
    else if (key->type == WR_CONF_BOOL)
        wr_text_str(&text, value->number ? "true" : "false");
    else if (key->type == WR_CONF_INT)
        wr_text_i64(&text, value->number);
    else if (listed(key->type))
        show_list(&text, value, key->type == WR_CONF_NUMBERS);
    else
        show_string(&text, key, value, given);
    value->shown = text.cut ? NULL : strndup(text.at, text.len);
    wr_text_free(&text);
    return value->shown ? WR_OK : WR_NOMEM;
}

wr_err wr_value_read(struct value *ret, const struct wr_conf_key *key,
                     const struct entry *entry, const struct wr_conf_source *source,
                     struct wr_text *why)
{
    struct value made = { .set = true };
    wr_err err;
    if (entry->kind != ENTRY_WORD && !right_kind(key, entry)) {
        err = refuse(why, key);
    } else if (listed(key->type)) {
        err = read_list(&made, key, entry, source, why);
    } else if (strlen(entry->text) > WR_VALUE_MAX || !utf8(entry->text)) {
        wr_text_format(why, "it must be at most %d bytes of UTF-8", WR_VALUE_MAX);
        err = WR_INVALID;
    } else if (key->type == WR_CONF_SECRET) {
        err = *entry->text ? read_secret(&made, entry->text) : refuse(why, key);
    } else {
        err = read_scalar(&made, key, entry->text, source, entry->kind == ENTRY_WORD, why);
    }
    if (!err)
        err = show(&made, key, entry->text);
    if (err) {
        wr_value_free(&made);
        return err;
    }
    wr_value_free(ret);
    *ret = made;
    return WR_OK;
}

void wr_value_free(struct value *value)
{
    free(value->text);
    free(value->words);
    free(value->numbers);
    free(value->shown);
    wr_secret_unref(value->secret);
    *value = (struct value){ 0 };
}

static bool copy_text(char **ret, const char *text, size_t size)
{
    *ret = text ? malloc(size) : NULL;
    if (*ret)
        memcpy(*ret, text, size);
    return *ret || !text;
}

/* The words of a list lie in its text, one behind the other. */
static bool copy_list(struct value *ret, const struct value *from)
{
    ret->words = from->words ? calloc(from->count + 1, sizeof(*ret->words)) : NULL;
    ret->numbers = from->numbers ? calloc(from->count + 1, sizeof(*ret->numbers)) : NULL;
    if ((from->words && !ret->words) || (from->numbers && !ret->numbers))
        return false;
    for (size_t i = 0; i < from->count; i++) {
        if (ret->words && from->words[i])
            ret->words[i] = ret->text + (from->words[i] - from->text);
        if (ret->numbers)
            ret->numbers[i] = from->numbers[i];
    }
    return true;
}

wr_err wr_value_copy(struct value *ret, const struct value *from)
{
    struct value made = { .set = from->set, .number = from->number, .addr = from->addr,
                          .count = from->count };
    const char *last = from->text;
    if (from->words && from->count > 0 && from->words[from->count - 1])
        last = from->words[from->count - 1];
    size_t size = from->text ? (size_t)(last - from->text) + strlen(last) + 1 : 0;
    if (from->secret)
        made.secret = wr_secret_ref(from->secret);
    bool whole = copy_text(&made.text, from->text, size)
        && copy_text(&made.shown, from->shown, from->shown ? strlen(from->shown) + 1 : 0)
        && copy_list(&made, from);
    wr_value_free(ret);
    if (!whole) {
        wr_value_free(&made);
        return WR_NOMEM;
    }
    *ret = made;
    return WR_OK;
}
