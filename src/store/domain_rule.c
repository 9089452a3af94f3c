#include "store/domain_rule.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "store/schema.h"
#include "store/verb.h"

#define PATTERNS_BYTES_MAX ((size_t)128 * (STORE_DOMAIN_MAX + 8))

const struct store_step store_domain_tables = {
    .sqlite =
        "create table domain_override_rules (domain_pattern text primary key,"
        "  id text not null unique, decision text not null, reason text,"
        "  created_at integer not null) strict;",
    .postgres =
        "create table domain_override_rules"
        "  (domain_pattern text collate \"C\" primary key, id text not null unique,"
        "  decision text not null, reason text, created_at bigint not null);",
};

static const char *const words[] = {
    [STORE_DOMAIN_BLOCK] = "block", [STORE_DOMAIN_UNBLOCK] = "unblock",
};

/* Second names that stand for a kind of owner, below the name of a country. */
static bool is_shared(const char *name)
{
    static const char *const kinds[] = { "ac", "co", "com", "edu", "go", "gov", "ne", "net",
                                         "or", "org" };
    const char *dot = strchr(name, '.');
    if (!dot || strlen(dot + 1) != 2)
        return false;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strlen(kinds[i]) == (size_t)(dot - name)
            && strncasecmp(kinds[i], name, strlen(kinds[i])) == 0)
            return true;
    return false;
}

static bool is_name(const char *name)
{
    bool label = false;
    for (; *name; name++) {
        unsigned char byte = (unsigned char)*name;
        if (byte == '.' ? !label : !isalnum(byte) && byte != '-' && byte != '_' && byte < 0x80)
            return false;
        label = byte != '.';
    }
    return label;
}

bool store_domain_pattern(const char *pattern)
{
    if (strlen(pattern) > STORE_DOMAIN_MAX)
        return false;
    if (pattern[0] != '*')
        return is_name(pattern);
    return pattern[1] == '.' && is_name(pattern + 2) && strchr(pattern + 2, '.')
        && !is_shared(pattern + 2);
}

/* Names are the same in any case. */
static void lower(char *ret, const char *text)
{
    size_t i = 0;
    for (; text[i] && i < STORE_DOMAIN_MAX; i++)
        ret[i] = (char)tolower((unsigned char)text[i]);
    ret[i] = '\0';
}

static const struct store_verb set = {
    .name = "domain_rule.set", .writes = true,
    .sqlite = { "insert into domain_override_rules (domain_pattern, id, decision, reason,"
                " created_at) values (?1, ?2, ?3, ?4, now_ms())"
                " on conflict (domain_pattern) do update set id = excluded.id,"
                " decision = excluded.decision, reason = excluded.reason,"
                " created_at = excluded.created_at" },
};

wr_err store_domain_rule_set(struct store *store, const char *id, const char *pattern,
                             enum store_domain_rule rule, const char *reason,
                             wr_time deadline)
{
    char name[STORE_DOMAIN_MAX + 1];
    WR_ASSERT(rule == STORE_DOMAIN_BLOCK || rule == STORE_DOMAIN_UNBLOCK);
    if (!store_domain_pattern(pattern) || strlen(reason) > STORE_DOMAIN_REASON_MAX)
        return WR_INVALID;
    lower(name, pattern);
    return store_do(store, &set, STORE_VALUES(
        STORE_TEXT(name), STORE_TEXT(id), STORE_TEXT(words[rule]), STORE_TEXT(reason)), NULL,
        deadline);
}

static const struct store_verb clear = {
    .name = "domain_rule.clear", .writes = true,
    .sqlite = { "delete from domain_override_rules where domain_pattern = ?1" },
};

wr_err store_domain_rule_clear(struct store *store, const char *pattern, wr_time deadline)
{
    char name[STORE_DOMAIN_MAX + 1];
    lower(name, pattern);
    return store_change_one(store, &clear, STORE_VALUES(STORE_TEXT(name)), deadline);
}

static const struct store_verb find = {
    .name = "domain_rule.find",
    .sqlite = { "select decision from domain_override_rules where domain_pattern in"
                " (select value from json_each(?1))"
                " order by domain_pattern like '*%', length(domain_pattern) desc limit 1" },
    .postgres = "select decision from domain_override_rules where domain_pattern in"
                " (select jsonb_array_elements_text(?1::jsonb))"
                " order by domain_pattern like '*%', length(domain_pattern) desc limit 1",
};

wr_err store_domain_rule_find(struct store *store, const char *host,
                              enum store_domain_rule *ret, wr_time deadline)
{
    char name[STORE_DOMAIN_MAX + 1], below[STORE_DOMAIN_MAX + 3];
    struct wr_text text = wr_text_heap(PATTERNS_BYTES_MAX);
    struct wr_json json = wr_json_to(&text);
    struct store_rows rows;
    lower(name, host);
    wr_json_array(&json, NULL);
    wr_json_str(&json, NULL, name);
    for (const char *dot = name; (dot = strchr(dot, '.')); dot++) {
        snprintf(below, sizeof(below), "*%s", dot);
        wr_json_str(&json, NULL, below);
    }
    wr_json_end(&json);
    wr_err err = text.cut ? WR_NOMEM
        : store_do(store, &find, STORE_VALUES(STORE_TEXT(text.at)), &rows, deadline);
    wr_text_free(&text);
    if (err)
        return err;
    *ret = rows.count == 0 ? STORE_DOMAIN_NONE
        : strcmp(store_text(&rows, 0, 0), words[STORE_DOMAIN_BLOCK]) == 0 ? STORE_DOMAIN_BLOCK
                                                                      : STORE_DOMAIN_UNBLOCK;
    store_rows_free(&rows);
    return WR_OK;
}

static const struct store_verb list = {
    .name = "domain_rule.list",
    .sqlite = { "select domain_pattern, decision, reason from domain_override_rules"
                " order by domain_pattern limit ?1" },
};

wr_err store_domain_rule_list(struct store *store, struct store_rows *ret, wr_time deadline)
{
    return store_do(store, &list, STORE_VALUES(STORE_INT(STORE_DOMAIN_LIST_MAX)), ret,
                    deadline);
}
